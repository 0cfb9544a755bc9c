"""Options, bins, and probabilities made of a mean."""

import numpy as np
import pytest

from aeollm.calibration.scale import Tilt, scale_of, shares, tilt_of

NAN = np.nan


def test_options_are_their_own_scale_seen_or_not():
    scale = scale_of(np.array([2.0, NAN]), 4)
    assert scale.values.tolist() == [1, 2, 3, 4]
    assert scale.classes(np.array([1.0, 4.0, NAN])).tolist() == [0, 3, -1]


def test_few_distinct_decimals_are_bins_of_their_own():
    scale = scale_of(np.array([7.5, 2.0, 7.5, NAN]), 0)
    assert scale.values.tolist() == [2.0, 7.5]
    # The edge is half way, 4.75; further answers fall to the nearer side.
    assert scale.classes(np.array([0.0, 4.7, 4.8, 9.0])).tolist() == [0, 0, 1, 1]


def test_many_decimals_are_at_most_so_many_bins_standing_for_their_means():
    answers = np.arange(100) / 10
    scale = scale_of(answers, 0, bins=4)
    # 0 .. 2.3, 2.4 .. 4.8, and so on: quarters by count, up to where the quantile falls.
    assert len(scale) == 4
    classes = scale.classes(answers)
    assert np.bincount(classes).max() - np.bincount(classes).min() <= 2
    for place in range(4):
        assert scale.values[place] == pytest.approx(answers[classes == place].mean())


def test_bins_of_tied_decimals_are_never_empty():
    answers = np.concatenate([np.full(80, 5.0), np.arange(12) / 10])
    scale = scale_of(answers, 0)
    assert np.bincount(scale.classes(answers), minlength=len(scale)).min() > 0
    assert np.all(np.diff(scale.values) > 0)


def test_shares_leave_no_answer_impossible():
    # (2 + .5, 0 + .5, 1 + .5) / 4.5; the missing one does not count.
    np.testing.assert_allclose(shares(np.array([0, 0, 2, -1]), 3), [2.5 / 4.5, 0.5 / 4.5, 1.5 / 4.5])


@pytest.mark.parametrize("mean", [1.1, 2.0, 2.75, 3.9])
def test_a_tilted_base_has_the_wanted_mean(mean):
    tilt = Tilt(np.array([1.0, 2, 3, 4]), np.array([0.1, 0.2, 0.3, 0.4]))
    given = tilt.probabilities(np.array([mean]))[0]
    assert given @ tilt.values == pytest.approx(mean, abs=1e-9)
    assert given.sum() == pytest.approx(1)
    # The logarithm of what it does to the base is a straight line.
    bend = np.diff(np.log(given / tilt.base), 2)
    np.testing.assert_allclose(bend, 0, atol=1e-9)


def test_a_mean_beyond_the_ends_is_brought_inside():
    tilt = Tilt(np.array([1.0, 2.0]), np.array([0.5, 0.5]))
    # 0.99 of the way from the middle to the end: 1.5 + 0.99 / 2 = 1.995.
    assert tilt.probabilities(np.array([9.0]))[0].tolist() == pytest.approx([0.005, 0.995])


def test_one_value_alone_is_certain():
    assert Tilt(np.array([3.0]), np.array([1.0])).probabilities(np.array([3.0, 5.0])).tolist() == [[1.0], [1.0]]


def test_good_predictions_make_a_narrow_base_and_useless_ones_the_shares():
    rng = np.random.default_rng(0)
    values, classes = np.arange(1.0, 5), rng.integers(0, 4, 400)
    marginal = shares(classes, 4)
    good = tilt_of(values, marginal, values[classes] + rng.normal(0, 0.05, 400), classes)
    useless = tilt_of(values, marginal, np.full(400, marginal @ values), classes)
    np.testing.assert_allclose(useless.base, marginal)
    assert good.probabilities(np.array([2.0]))[0, 1] > 0.9 > useless.probabilities(np.array([2.0]))[0, 1]
