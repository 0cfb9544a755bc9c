"""Scale and tie diagnostics by hand and against scipy."""

import math

import numpy as np
import pytest
from scipy import stats

from aeollm.agreement import best_tie_grid, scale_diagnostics, tie_diagnostics
from aeollm.tables import Policy
from tests.scored import scores

NAN = math.nan


def test_scale_by_hand():
    found = scale_diagnostics([6.0, 7.0, 8.0, 9.0], [5.0, 7.0, 7.5, 8.5])
    assert float(found.bias) == 0.5
    assert float(found.mae) == 0.5
    assert float(found.rmse) == pytest.approx(math.sqrt(1.5 / 4))
    assert (int(found.answers), int(found.distinct_run), int(found.distinct_labels)) == (4, 4, 4)


def test_scale_against_scipy():
    rng = np.random.default_rng(0)
    run = rng.normal(7, 1, (3, 40))
    labels = 0.4 * run + rng.normal(3, 0.5, (3, 40))
    found = scale_diagnostics(run, labels)
    for row in range(3):
        assert found.slope[row] == pytest.approx(stats.linregress(run[row], labels[row]).slope)
        assert found.spread_ratio[row] == pytest.approx(run[row].std() / labels[row].std())


def test_answers_blank_on_either_side_are_left_out():
    found = scale_diagnostics([[6, NAN, 8, 9, 6], [NAN] * 5], [[5, 7, NAN, 8, 5], [1, 2, 3, 4, 5]])
    kept = scale_diagnostics([6, 9, 6], [5, 8, 5])
    assert found.answers.tolist() == [3, 0]
    for name in ("bias", "rmse", "mae", "slope", "spread_ratio"):
        assert getattr(found, name)[0] == pytest.approx(float(getattr(kept, name)))
        assert math.isnan(getattr(found, name)[1])
    assert found.distinct_run.tolist() == [2, 0]
    assert found.distinct_labels.tolist() == [2, 0]


def test_constant_scores_have_no_slope():
    # The mean of three .1 is .1 plus rounding.
    found = scale_diagnostics([0.1, 0.1, 0.1], [1, 2, 3])
    assert math.isnan(found.slope)
    assert float(found.spread_ratio) == 0.0
    found = scale_diagnostics([1, 2, 3], [0.1, 0.1, 0.1])
    assert float(found.slope) == 0.0
    assert math.isnan(found.spread_ratio)


def test_scores_at_the_end_of_float64_neither_crash_nor_give_infinity():
    found = scale_diagnostics([1e308, -1e308, 5e-324], [-1e308, 1e308, 0.0])
    for name in ("bias", "rmse", "mae", "slope", "spread_ratio"):
        assert not math.isinf(getattr(found, name))


def test_ties_by_hand():
    # Per question: concordant, discordant, tied in run, in labels, in both. tau by definition, accuracy beside it.
    pairs = np.array([[[4, 0, 2, 0, 0], [3, 1, 1, 1, 0], [0, 0, 6, 0, 0], [3, 1, 1, 0, 1]]])
    tau = [4 / math.sqrt(6 * 4), 2 / math.sqrt(5 * 5), NAN, 2 / math.sqrt(5 * 4)]
    found = tie_diagnostics(scores([tau], pairs=pairs, accuracy=np.array([[4 / 6, 3 / 6, 0.0, 4 / 6]]), near_ties=3))
    assert found.pairs.tolist() == [24]
    assert found.run_ties.tolist() == [11 / 24]
    assert found.label_ties.tolist() == [2 / 24]
    assert found.lost_to_run_ties.tolist() == [10 / 24]
    assert found.lost_to_label_ties.tolist() == [1 / 24]
    # Only the first question has no label ties and a tau.
    assert found.price_questions.tolist() == [1]
    assert found.price[0] == pytest.approx((1 + tau[0]) / 2 - 4 / 6)
    assert found.near_ties == 3


def test_the_price_of_no_ties_is_nothing_and_of_label_ties_unknown():
    pairs = np.array([[[4, 2, 0, 0, 0]], [[4, 1, 0, 1, 0]]])
    own = scores([[2 / 6], [0.5]], views=("overall", "insight"), pairs=pairs, accuracy=np.array([[4 / 6], [4 / 6]]))
    found = tie_diagnostics(own)
    assert found.price[0] == pytest.approx(0, abs=1e-12)
    assert math.isnan(found.price[1])


def test_shares_without_pairs_are_undefined():
    found = tie_diagnostics(scores([[NAN]]))
    assert np.isnan([found.run_ties, found.label_ties, found.price]).all()


def test_the_best_grid_by_hand():
    # People tie the first two; rounding 7.1 and 7.2 to halves ties them too: 3 of 3 pairs instead of 2.
    found = best_tie_grid([[7.1, 7.2, 8.0]], [[7, 7, 8]])
    assert (found.grid, found.accuracy) == (0.5, 1.0)
    assert found.without == pytest.approx(2 / 3)
    assert found.fitted_on == "the labels shown"


def test_no_grid_where_none_helps():
    found = best_tie_grid([[7.1, 7.2, 8.0]], [[6, 7, 8]])
    assert (found.grid, found.accuracy, found.without) == (None, 1.0, 1.0)


def test_the_finest_of_equally_good_grids():
    # On .01 they are 711 and 712; on .02 355.5 and 356, which half-even rounding ties; .05 and on would tie them too.
    found = best_tie_grid([[7.11, 7.12, 8.0]], [[7, 7, 8]])
    assert found.grid == 0.02
    assert found.accuracy == 1.0


def test_rounding_of_weighted_sums_is_no_difference():
    found = best_tie_grid([[0.1 + 0.2, 0.3, 0.8]], [[1, 1, 2]])
    assert (found.grid, found.accuracy, found.without) == (None, 1.0, 1.0)


@pytest.mark.parametrize(
    ("run", "labels", "accuracy"),
    [
        ([[5.0, 5.0]], [[1, 2]], 0.0),
        ([[NAN, NAN]], [[1, 2]], None),
        ([[5.0, 6.0]], [[NAN, 2]], None),
        ([[0.0, 5e-324]], [[1, 2]], 1.0),
        ([[-1.7e308, 1.7e308]], [[1, 2]], 1.0),
    ],
)
def test_no_spread_no_grid(run, labels, accuracy):
    found = best_tie_grid(run, labels)
    assert (found.grid, found.accuracy, found.without) == (None, accuracy, accuracy)


def test_averaging_follows_the_policy():
    run, labels = [[7.1, 7.2, 8.0], [1.0, NAN, NAN]], [[7, 7, 8], [1, 2, 3]]
    assert best_tie_grid(run, labels).without == pytest.approx(2 / 3)
    assert best_tie_grid(run, labels, Policy(undefined="zero")).without == pytest.approx(1 / 3)
    assert best_tie_grid(run, labels, Policy(undefined="strict")).without is None
