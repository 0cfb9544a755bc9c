"""Corrections agree with scipy and statsmodels (which pingouin brings)."""

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from aeollm.resampling import benjamini_hochberg, holm

FAMILIES = [np.random.default_rng(n).beta(0.4, 2, n) for n in (1, 2, 3, 10, 45, 300)]


@pytest.mark.parametrize("p", FAMILIES, ids=len)
def test_benjamini_hochberg(p):
    expected = stats.false_discovery_control(p, method="bh")
    assert benjamini_hochberg(p) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("p", FAMILIES, ids=len)
def test_holm(p):
    expected = multipletests(p, method="holm")[1]
    assert holm(p) == pytest.approx(expected, rel=1e-12)


def test_holm_with_ties():
    p = np.repeat([0.01, 0.2, 0.03], 4)
    assert holm(p) == pytest.approx(multipletests(p, method="holm")[1], rel=1e-12)
