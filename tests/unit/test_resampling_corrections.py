"""Holm and Benjamini-Hochberg at published values, with gaps and in several families."""

import math

import numpy as np
import pytest

from aeollm.resampling import benjamini_hochberg, holm

NAN = math.nan

# By hand from the definitions: sorted p times (m, m - 1, ...), running maximum; p times m / rank, running minimum from
# the largest.
HAND = {
    "falling": ([0.04, 0.03, 0.02, 0.01], [0.06, 0.06, 0.06, 0.04], [0.04, 0.04, 0.04, 0.04]),
    "ties": ([0.01, 0.01, 0.5], [0.03, 0.03, 0.5], [0.015, 0.015, 0.5]),
    "above one": ([0.6, 0.9], [1.0, 1.0], [0.9, 0.9]),
    "one test": ([0.2], [0.2], [0.2]),
    "none": ([], [], []),
    "undefined ones are no tests": ([NAN, 0.02, NAN, 0.03], [NAN, 0.04, NAN, 0.04], [NAN, 0.03, NAN, 0.03]),
    "nothing but undefined": ([NAN, NAN], [NAN, NAN], [NAN, NAN]),
}


@pytest.mark.parametrize(("p", "by_holm", "by_bh"), HAND.values(), ids=HAND)
def test_values_by_hand(p, by_holm, by_bh):
    assert holm(p).tolist() == pytest.approx(by_holm, abs=1e-15, nan_ok=True)
    assert benjamini_hochberg(p).tolist() == pytest.approx(by_bh, abs=1e-15, nan_ok=True)


def test_benjamini_and_hochbergs_own_example():
    # Benjamini and Hochberg 1995, section 4.1: 15 p-values of the thrombolysis study; at .05 Holm's rule (as
    # Bonferroni's) rejects three, theirs four.
    p = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459]
    p += [0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000]
    assert int((holm(p) <= 0.05).sum()) == 3
    assert int((benjamini_hochberg(p) <= 0.05).sum()) == 4


def test_families_are_rows():
    table = np.random.default_rng(0).uniform(size=(3, 4, 10))
    for adjust in (holm, benjamini_hochberg):
        assert np.array_equal(adjust(table)[1, 2], adjust(table[1, 2]))
