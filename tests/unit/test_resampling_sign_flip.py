"""The paired test at values known by hand and published ones."""

import math

import numpy as np
import pytest

from aeollm.resampling import MOST_EXACT, sign_flip_test

NAN = math.nan


def test_of(differences, **options):
    return sign_flip_test(differences, rng=np.random.default_rng(0), **options)


test_of.__test__ = False


def p(differences, **options):
    return float(test_of(differences, **options).p)


# Counted by hand: sign patterns whose sum is at least as far from 0, of 2**n.
HAND = {
    "all one way": ([1, 2, 3, 4], 2 / 16),
    "one question": ([0.5], 1.0),
    "two alike": ([0.1, 0.1], 2 / 4),
    "two against each other": ([0.1, -0.1], 1.0),
    # Sums of +-1 +-2 +-4 are -7, -5, ..., 7: of these 7 and -7, 5 and -5 are at least 5 away.
    "all sums different": ([-1, 2, 4], 4 / 8),
    # +-1 +-1 +-3: +-5 once each, +-3 twice each: 3 away are six of eight.
    "sums that coincide": ([1, -1, 3], 6 / 8),
    "a zero changes nothing": ([1, 0, 2, 3, 4], 2 / 16),
    "identical runs": ([0, 0, 0], 1.0),
    "undefined ones take no part": ([NAN, 1, 2, NAN, 3, 4], 2 / 16),
}


@pytest.mark.parametrize(("differences", "expected"), HAND.values(), ids=HAND)
def test_p_counted_by_hand(differences, expected):
    assert p(differences) == expected


# Fisher 1935, The Design of Experiments, section 21: Darwin's 15 pairs of maize, differences in eighths of an inch.
# As far from 0 as the sum of 314: 1,726 of the 32,768 patterns, 863 on each side.
DARWIN = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]


def test_darwins_maize():
    assert p(DARWIN) == 1726 / 2**15
    assert p([difference / 8 for difference in DARWIN]) == 1726 / 2**15


def test_patterns_that_tie_but_for_rounding_are_hits():
    # In tenths, 1 + 2 - 3 = 0 and so on; in float64 .1 + .2 - .3 is 5.6e-17.
    tenths = [1, 2, -3, 6, 7, -1]
    assert p([tenth / 10 for tenth in tenths]) == p(tenths)
    assert p([0.1, 0.2, -0.3]) == 1.0


@pytest.mark.parametrize("n", [1, 2, 3, 6, 20, MOST_EXACT])
def test_the_smallest_p_is_two_patterns_of_all(n):
    found = test_of(np.arange(1.0, n + 1))
    assert found.exact
    assert float(found.smallest) == float(found.p) == 2.0 ** (1 - n)


def test_beyond_26_questions_patterns_are_sampled():
    found = test_of(np.ones(MOST_EXACT + 1), resamples=999)
    assert not found.exact
    assert float(found.smallest) == float(found.p) == 1 / 1000


def test_only_defined_questions_decide_what_is_exact():
    found = test_of([np.append(np.ones(26), NAN), np.ones(27)], resamples=99)
    assert found.exact.tolist() == [True, False]
    assert found.p.tolist() == [2.0**-25, 1 / 100]


def test_sampled_p_of_identical_runs_is_one():
    assert p(np.zeros(40), resamples=50) == 1.0


def test_no_question_no_p():
    found = test_of([[NAN, NAN], [1.0, NAN]])
    assert np.isnan(found.p).tolist() == [True, False]
    assert np.isnan(found.smallest).tolist() == [True, False]
    assert float(found.p[1]) == 1.0


def test_shapes_are_kept():
    found = test_of(np.ones((3, 0, 5)))
    assert found.p.shape == found.exact.shape == found.smallest.shape == (3, 0)
    assert test_of(np.ones((2, 4, 5))).p.shape == (2, 4)
