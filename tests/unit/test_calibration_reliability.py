"""Smooth calibration error at values known by hand, its floor, reliability curves, measures and their bound."""

import math

import numpy as np
import pytest

from aeollm.calibration import (
    Quality,
    mean_quality,
    measure,
    reliability_curve,
    rmse_bound,
    smooth_ece,
    smooth_ece_floor,
)
from aeollm.calibration.reliability import GRID, _smoothed

RNG = np.random.default_rng(0)


def test_one_forecast_errs_by_its_distance_to_the_share():
    # All forecasts are .3 and half of the outcomes come: whatever the width, the residuals, all of one place, add up
    # to .2 (a reflected Gaussian keeps all of its mass).
    assert smooth_ece([0.3] * 10, [0, 1] * 5) == pytest.approx(0.2, abs=1e-3)
    assert smooth_ece([0.0] * 10, [0] * 10) == pytest.approx(0.0, abs=1e-3)
    assert smooth_ece([0.0] * 10, [1] * 10) == pytest.approx(1.0, abs=1e-3)
    assert math.isnan(smooth_ece([], []))


def test_it_is_symmetric_and_does_not_see_the_order():
    f = RNG.random(300)
    y = (RNG.random(300) < np.clip(f + 0.15, 0, 1)).astype(float)
    order = RNG.permutation(300)
    assert smooth_ece(1 - f, 1 - y) == pytest.approx(smooth_ece(f, y), abs=1e-9)
    assert smooth_ece(f[order], y[order]) == pytest.approx(smooth_ece(f, y), abs=1e-12)


def test_smoothing_is_convolution_with_a_reflected_gaussian():
    laid, width = np.zeros((1, GRID + 1)), 0.07
    laid[0, 90], laid[0, 1000] = 1.0, -0.5
    at = np.arange(GRID + 1) / GRID

    def kernel(centre):
        images = [centre + 2 * k for k in range(-3, 4)] + [-centre + 2 * k for k in range(-3, 4)]
        return sum(np.exp(-((at - image) ** 2) / (2 * width**2)) for image in images) / (width * math.sqrt(2 * math.pi))

    wanted = kernel(90 / GRID) - 0.5 * kernel(1000 / GRID)
    np.testing.assert_allclose(_smoothed(laid, np.array([width]))[0], wanted, atol=1e-9)


def test_the_floor_is_what_calibrated_forecasts_score():
    f = RNG.random(400)
    floor = smooth_ece_floor(f, seed=3, draws=300)
    assert floor == smooth_ece_floor(f, seed=3, draws=300)
    fresh = np.random.default_rng(9)
    scores = [smooth_ece(f, (fresh.random(400) < f).astype(float)) for _ in range(200)]
    assert floor.mean == pytest.approx(np.mean(scores), rel=0.1)
    assert np.mean(np.array(scores) <= floor.high) == pytest.approx(0.975, abs=0.03)
    assert smooth_ece(f, (fresh.random(400) < np.clip(f + 0.2, 0, 1)).astype(float)) > floor.high
    assert math.isnan(smooth_ece_floor([]).mean)


def test_more_answers_lower_the_floor():
    assert smooth_ece_floor(RNG.random(2_000)).mean < smooth_ece_floor(RNG.random(200)).mean / 2


def test_a_curve_of_known_bins():
    f = np.repeat([0.1, 0.5, 0.9], 100)
    y = np.concatenate([np.repeat([0, 1], [90, 10]), np.repeat([0, 1], [50, 50]), np.repeat([0, 1], [30, 70])])
    curve = reliability_curve(f, y, bins=3)
    np.testing.assert_allclose(curve.binned_forecast, [0.1, 0.5, 0.9])
    np.testing.assert_allclose(curve.binned_observed, [0.1, 0.5, 0.7])
    assert curve.binned_count.tolist() == [100, 100, 100]
    # The mean of the density over [0, 1] is 1; trapezoids.
    assert (curve.density.sum() - (curve.density[0] + curve.density[-1]) / 2) / GRID == pytest.approx(1)
    at = round(0.9 * GRID)
    assert curve.observed[at] == pytest.approx(0.7, abs=0.05)
    assert curve.error == smooth_ece(f, y)


def test_a_curve_is_a_gap_where_nothing_was_forecast():
    curve = reliability_curve(np.full(50, 0.2), np.tile([0, 0, 0, 0, 1], 10))
    assert np.isnan(curve.observed[round(0.9 * GRID)])
    assert curve.observed[round(0.2 * GRID)] == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("f", "y"), [([1.1], [1]), ([0.5], [0.5]), ([np.nan], [1]), ([0.5, 0.5], [1]), ([[0.5]], [[1]])]
)
def test_what_is_no_forecast_is_refused(f, y):
    with pytest.raises(ValueError, match=r"forecasts|vectors"):
        smooth_ece(f, y)


def test_measures_by_hand():
    # Errors 1, 0, -1, 1: RMSE sqrt(3/4). Predictions 2 2 2 4, answers 1 2 3 3: means 2.5, 2.25;
    # products -.5*-1.25 -.5*-.25 -.5*.75 +1.5*.75 = 1.5; squares 3 and 2.75.
    found = measure([2, 2, 2, 4, 9], [1, 2, 3, 3, math.nan], [0.5, 0.25, 0.5, 1, math.nan])
    assert found.rows == 4
    assert found.rmse == pytest.approx(math.sqrt(3 / 4))
    assert found.pearson == pytest.approx(1.5 / math.sqrt(3 * 2.75))
    # Pairs: of six, three tie in the predictions and one in the answers, 3 and 3 (predicted 2 and 4); two agree.
    assert found.kendall == pytest.approx(2 / math.sqrt(3 * 5))
    # Ranks 2 2 2 4 and 1 2 3.5 3.5, centred: -.5 -.5 -.5 1.5 and -1.5 -.5 1 1.
    assert found.spearman == pytest.approx((0.75 + 0.25 - 0.5 + 1.5) / math.sqrt(3 * 4.5))
    assert found.nll == pytest.approx((2 * math.log(2) + math.log(4)) / 4)


def test_what_is_undefined_is_nan_and_what_is_impossible_infinite():
    flat = measure([2.5, 2.5, 2.5], [1, 2, 3])
    assert [math.isnan(value) for value in (flat.pearson, flat.spearman, flat.kendall, flat.nll)] == [True] * 4
    assert not math.isnan(flat.rmse)
    assert math.isnan(measure([1.0], [1.0]).pearson)
    assert math.isnan(measure([], []).rmse)
    sure = measure([1, 2], [1, 1], [1.0, 0.0])
    assert sure.nll == math.inf
    assert sure.to_json()["nll"] is None
    both = mean_quality([Quality(1, 0.5, 0.5, 0.5, 1, 3), Quality(2, math.nan, 0.7, 0.5, math.inf, 3)])
    assert both.rmse == 1.5
    assert math.isnan(both.pearson)
    assert both.spearman == pytest.approx(0.6)


def test_the_papers_figures_cannot_hold_together():
    # LLM-Rubric (Hashemi et al. 2024) states RMSE .422 with Pearson .350 on real dialogues; the public answers have
    # standard deviation .793: sqrt(1 - .1225) * .793 = .7428.
    assert rmse_bound(0.793, 0.350) == pytest.approx(0.7428, abs=1e-4)
    assert rmse_bound(0.793, 0.350) > 0.422


def test_the_bound_is_reached_by_regression_and_by_nothing_below():
    x, y = RNG.normal(size=(2, 500))
    y = y + 0.5 * x
    found = np.corrcoef(x, y)[0, 1]
    slope, intercept = np.polyfit(x, y, 1)
    best = math.sqrt(np.mean((slope * x + intercept - y) ** 2))
    assert rmse_bound(float(np.std(y)), found) == pytest.approx(best)
    assert math.sqrt(np.mean((x - y) ** 2)) > best
    for wrong in ((-1.0, 0.5), (1.0, 1.5)):
        with pytest.raises(ValueError, match="no standard deviation"):
            rmse_bound(*wrong)
