"""Power of the paired t-test at published values, and its borders."""

import math

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.power import TTestPower

from aeollm.resampling import detectable_effect, fewest_questions, questions_needed

NAN = math.nan


def test_published_effects():
    # Project notes on statistics, section 5: two-sided, alpha .05, power .8.
    assert detectable_effect([10, 20, 40]).tolist() == pytest.approx([0.996, 0.660, 0.454], abs=5e-4)


def test_the_usual_sample_sizes():
    # What every table (and G*Power) gives for pairs with a small, medium and large effect.
    assert questions_needed([0.2, 0.5, 0.8]).tolist() == [199, 34, 15]


@pytest.mark.parametrize("n", [6, 8, 20, 100, 2000])
@pytest.mark.parametrize(("alpha", "power"), [(0.05, 0.8), (0.05, 0.95), (0.2, 0.5)])
def test_statsmodels(n, alpha, power):
    expected = TTestPower().solve_power(nobs=n, alpha=alpha, power=power, alternative="two-sided")
    found = float(detectable_effect(n, alpha=alpha, power=power))
    # Its root finder stops at about a hundred thousandth; scipy's distributions say how good ours is.
    assert found == pytest.approx(expected, rel=3e-5)
    assert power_of(found, n, alpha) == pytest.approx(power, abs=1e-9)


def power_of(effect, n, alpha=0.05):
    """Give the power by scipy.stats, both tails."""
    critical = stats.t.ppf(1 - alpha / 2, n - 1)
    upper = stats.nct.sf(critical, n - 1, effect * math.sqrt(n))
    return upper + np.nan_to_num(stats.nct.cdf(-critical, n - 1, effect * math.sqrt(n)))


@pytest.mark.parametrize("effect", [0.02, 0.05, 0.13, 0.3, 0.66, 1.0, 1.3])
def test_the_number_needed_is_the_smallest_that_is_enough(effect):
    needed = int(questions_needed(effect))
    assert power_of(effect, needed) >= 0.8
    assert power_of(effect, needed - 1) < 0.8


def test_every_effect_needs_what_a_search_from_below_finds():
    effects = np.linspace(0.35, 2.5, 40)
    expected = [next(n for n in range(6, 100) if power_of(effect, n) >= 0.8) for effect in effects]
    assert questions_needed(effects).tolist() == expected


def test_detectable_and_needed_undo_each_other():
    for n in (6, 7, 20, 95, 1000):
        assert int(questions_needed(detectable_effect(n) * (1 + 1e-9))) == n


def test_what_the_exact_test_cannot_reach_is_not_promised():
    # With five questions the smallest p is 2 / 32 = .0625; with six 1 / 32.
    assert np.isnan(detectable_effect([0, 1, 2, 5, 6])).tolist() == [True, True, True, True, False]
    assert questions_needed([5.0, 100.0, 1e9, math.inf]).tolist() == [6, 6, 6, 6]
    assert [fewest_questions(alpha) for alpha in (0.05, 0.0625, 0.01, 0.5, 0.9)] == [6, 5, 8, 2, 2]


def test_no_number_without_an_effect():
    assert questions_needed([0.0, NAN, 1e-9, -0.5]).tolist() == [0, 0, 0, 34]


def test_tiny_effects_take_the_normal_sample_size():
    needed = int(questions_needed(0.001))
    expected = (stats.norm.ppf(0.8) - stats.norm.ppf(0.025)) ** 2 / 0.001**2
    assert needed == pytest.approx(expected, rel=1e-6)


def test_shapes_are_kept():
    assert detectable_effect(np.full((2, 0, 3), 20)).shape == (2, 0, 3)
    assert questions_needed(np.full((2, 3), 0.5)).shape == (2, 3)
