"""Ridge and ordinal regression against independent solutions of the same problem."""

import numpy as np
import pytest
from scipy import optimize, stats

from aeollm.calibration import linear, ordinal

RNG = np.random.default_rng(3)
N, FEATURES, JUDGES = 60, 3, 4
X = RNG.normal(size=(N, FEATURES))
JUDGE = RNG.integers(0, JUDGES, N)
Y = X @ [1.0, -0.5, 0.2] + np.array([0, 1, -1, 0.5])[JUDGE] + RNG.normal(0, 0.3, N)


@pytest.mark.parametrize("effects", [0, 1, 1 + FEATURES])
def test_ridge_is_least_squares_with_rows_for_the_penalties(effects):
    folds = np.arange(N) % 5
    fitted = linear.fit_linear(linear.Data(X, Y, JUDGE, folds), JUDGES, effects)
    # The same as one least-squares problem: a column an unknown, and a row sqrt(penalty) * unknown = 0 each.
    design = np.hstack([np.ones((N, 1)), X])
    own = [design[:, :effects] * (judge == JUDGE)[:, None] for judge in range(JUDGES)]
    columns = np.hstack([design, *own])
    penalties = fitted.penalties
    weights = (
        [1e-9]
        + [penalties.shared] * FEATURES
        + ([penalties.intercept] + [penalties.slope] * FEATURES)[:effects] * JUDGES
    )
    rows = np.vstack([columns, np.diag(np.sqrt(weights))])
    solution = np.linalg.lstsq(rows, np.concatenate([Y, np.zeros(len(weights))]), rcond=None)[0]
    np.testing.assert_allclose(fitted.model.shared, solution[: 1 + FEATURES], atol=1e-8)
    np.testing.assert_allclose(fitted.model.effects[:-1].ravel(), solution[1 + FEATURES :], atol=1e-8)
    assert not fitted.model.effects[-1].any()


def test_held_out_predictions_are_those_of_fits_without_the_fold():
    folds = np.arange(N) % 3
    fitted = linear.fit_linear(linear.Data(X, Y, JUDGE, folds), JUDGES, 1)
    for fold in range(3):
        kept = folds != fold
        design = np.hstack([np.ones((N, 1)), X, np.eye(JUDGES)[JUDGE]])
        weights = [1e-9] + [fitted.penalties.shared] * FEATURES + [fitted.penalties.intercept] * JUDGES
        rows = np.vstack([design[kept], np.diag(np.sqrt(weights))])
        solution = np.linalg.lstsq(rows, np.concatenate([Y[kept], np.zeros(len(weights))]), rcond=None)[0]
        np.testing.assert_allclose(fitted.unseen[~kept], design[~kept] @ solution, atol=1e-8)


def test_ordinal_reaches_the_optimum_that_another_optimiser_finds():
    classes = np.digitize(Y, [-1, 0, 1])
    marginal = (np.bincount(classes, minlength=4) + 0.5) / (N + 2)
    rows = ordinal.Data(X, classes, JUDGE, np.arange(N) % 3)
    model, penalties = ordinal.fit_ordinal(rows, ordinal.Shape(4, FEATURES, JUDGES, 1), marginal, lambda _share: None)
    start = stats.logistic.ppf(np.cumsum(marginal)[:-1])

    def loss(values):
        # Thresholds as they are, not as steps; the penalty on them, 0.05 / 2, is on start and logarithms of steps.
        thresholds, shared, own = values[:3], values[3 : 3 + FEATURES], values[3 + FEATURES :]
        if np.any(np.diff(thresholds) <= 0):
            return np.inf
        eta = X @ shared + own[JUDGE]
        below = stats.logistic.cdf(np.concatenate([[-np.inf], thresholds, [np.inf]]) - eta[:, None])
        likelihood = np.diff(below, axis=1)[np.arange(N), classes]
        steps = np.log(np.diff(thresholds)) - np.log(np.diff(start))
        prior = 0.05 / 2 * ((thresholds[0] - start[0]) ** 2 + steps @ steps)
        return (
            -np.log(likelihood).sum()
            + prior
            + penalties.shared / 2 * shared @ shared
            + penalties.intercept / 2 * own @ own
        )

    ours = np.concatenate([model.thresholds, model.shared, model.effects[:-1, 0]])
    theirs = optimize.minimize(loss, np.concatenate([start, np.zeros(FEATURES + JUDGES)]), method="Powell",
                               options={"maxiter": 50_000, "maxfev": 200_000, "xtol": 1e-8, "ftol": 1e-13})  # fmt: skip
    assert loss(ours) <= theirs.fun + 1e-4
    np.testing.assert_allclose(ours, theirs.x, atol=0.02)
