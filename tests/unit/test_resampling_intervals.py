"""Bootstrap intervals: what can be said without drawing, and where there is none."""

import math
from itertools import product

import numpy as np
import pytest
from scipy import stats

from aeollm.resampling import bootstrap_intervals

NAN = math.nan
KINDS = ("expanded-percentile", "percentile", "bca")


def intervals(values, kind="expanded-percentile", seed=0, **options):
    return bootstrap_intervals(values, rng=np.random.default_rng(seed), kind=kind, **options)


def ends(values, kind="expanded-percentile", **options):
    found = intervals(values, kind, **options)
    return float(found.low), float(found.high)


@pytest.mark.parametrize("kind", KINDS)
def test_equal_values_give_a_point_that_is_marked(kind):
    found = intervals([[0.7, 0.7, 0.7], [0.1 + 0.2, 0.3, 0.3], [0.0, 0.0, 0.0], [0.7, 0.7, 0.8]], kind)
    assert found.degenerate.tolist() == [True, True, True, False]
    assert found.low[:3].tolist() == found.high[:3].tolist() == pytest.approx([0.7, 0.3, 0.0], abs=1e-15)
    assert found.low[3] < found.high[3]


@pytest.mark.parametrize("kind", KINDS)
def test_one_defined_value_has_no_interval(kind):
    found = intervals([[0.7, NAN, NAN], [NAN, NAN, NAN], [0.2, NAN, 0.4]], kind)
    assert np.isnan(found.low).tolist() == np.isnan(found.high).tolist() == [True, True, False]
    assert found.degenerate.tolist() == [False, False, False]


def test_a_single_question_has_no_interval():
    assert all(map(math.isnan, ends([0.5])))


def test_resamples_without_a_defined_value_are_left_out_and_counted():
    left_out = intervals([[0.2, 0.4, NAN], [0.2, NAN, NAN], [0.1, 0.2, 0.3], [NAN, NAN, NAN]]).left_out
    # A third of 3 draws, cubed, and two thirds: 1/27 and 8/27 of 10,000, give or take four standard errors.
    assert left_out[0] == pytest.approx(10_000 / 27, abs=4 * 19)
    assert left_out[1] == pytest.approx(80_000 / 27, abs=4 * 46)
    assert left_out[2:].tolist() == [0, 10_000]


def test_two_questions_reach_from_one_to_the_other():
    # The expanded levels of two are Phi(-18): the extreme resamples, which are the values themselves.
    assert ends([0.2, 0.6]) == pytest.approx((0.2, 0.6), abs=1e-15)


def test_levels_are_expanded_as_hesterberg_says():
    # Resampling 0 and 1 (ten each) gives binomial means: their quantiles are known without drawing.
    values = np.repeat([0.0, 1.0], 10)
    level = stats.norm.cdf(np.sqrt(20 / 19) * stats.t.ppf(0.025, 19))
    # sqrt(20 / 19) * 2.0930 = 2.1474, beyond which lie .0159.
    assert level == pytest.approx(0.0159, abs=5e-5)
    expected = stats.binom.ppf([level, 1 - level], 20, 0.5) / 20
    assert ends(values, resamples=100_000) == pytest.approx(expected, abs=1e-12)
    plain = stats.binom.ppf([0.025, 0.975], 20, 0.5) / 20
    assert ends(values, "percentile", resamples=100_000) == pytest.approx(plain, abs=1e-12)
    assert expected[0] < plain[0]


@pytest.mark.parametrize("kind", ["expanded-percentile", "percentile"])
def test_all_resamples_listed(kind):
    # Powers of two: all 126 sums of five draws differ, so that a wrong level shows.
    values = 2.0 ** np.arange(5) / 100
    means = np.sort(np.array(list(product(values, repeat=5))).mean(axis=1))
    level = 0.025 if kind == "percentile" else stats.norm.cdf(math.sqrt(5 / 4) * stats.t.ppf(0.025, 4))
    low, high = ends(values, kind, resamples=200_000)
    # Give or take four standard errors of the share of resamples below.
    for end, share in ((low, level), (high, 1 - level)):
        slack = 4 * math.sqrt(level / 200_000)
        assert np.mean(means < end - 1e-12) <= share + slack
        assert np.mean(means <= end + 1e-12) >= share - slack


def test_resamples_that_equal_the_mean_count_half_for_bca():
    # Symmetric, so that there is no bias to correct; not counting the 3 in 8 that equal the mean would find one.
    assert ends([0, 0, 1, 1], "bca") == (0.0, 1.0)


def test_the_level_is_the_one_asked_for():
    values = np.linspace(0, 1, 20) ** 2
    wide, narrow = (intervals(values, "percentile", level=level) for level in (0.99, 0.5))
    assert float(wide.low) < float(narrow.low) < values.mean() < float(narrow.high) < float(wide.high)


def test_bca_leans_to_the_long_tail_and_percentile_does_not():
    skewed = np.random.default_rng(3).exponential(1, 30)
    plain, bca = ends(skewed, "percentile"), ends(skewed, "bca")
    assert bca[0] > plain[0]
    assert bca[1] > plain[1]


def test_an_interval_does_not_depend_on_the_other_columns():
    rng = np.random.default_rng(8)
    table = rng.normal(size=(300, 7, 20))
    table[rng.random(table.shape) < 0.05] = NAN
    for kind in KINDS:
        together = intervals(table, kind, resamples=500)
        alone = intervals(table[123, 4], kind, resamples=500)
        assert float(alone.low) == together.low[123, 4]
        assert float(alone.high) == together.high[123, 4]
        assert float(alone.left_out) == together.left_out[123, 4]


def test_the_seed_decides():
    values = np.linspace(0, 1, 20)
    assert ends(values, seed=1) == ends(values, seed=1)
    assert ends(values, seed=1) != ends(values, seed=2)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scale", [1e-290, 5e-324, 1e-150, 1e300])
def test_extreme_magnitudes_neither_crash_nor_warn(kind, scale):
    low, high = ends(np.array([0.1, 0.5, 0.2, 0.9]) * scale, kind, resamples=200)
    assert 0 <= low <= high <= scale


@pytest.mark.parametrize("kind", KINDS)
def test_few_resamples_give_no_nan(kind):
    for resamples in (1, 2, 3, 10):
        low, high = ends([0.1, 0.5, 0.2, 0.9], kind, resamples=resamples)
        assert 0.1 <= low <= high <= 0.9


def test_shapes_are_kept():
    found = intervals(np.zeros((2, 0, 5)))
    assert found.low.shape == found.high.shape == found.left_out.shape == found.degenerate.shape == (2, 0)
