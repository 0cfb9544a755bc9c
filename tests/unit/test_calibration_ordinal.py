"""Cumulative-link regression: probabilities by hand, gradient against finite differences."""

import math

import numpy as np
import pytest

from aeollm.calibration.ordinal import Data, Objective, Ordinal, Penalties, Shape, centre_of


def test_probabilities_by_hand():
    # eta = 2 * 0.5 + judge 1 = 2 for the first row, 0 for a judge not seen (its row is the last) with x = 0.
    model = Ordinal(np.array([0.0, math.log(3)]), np.array([0.5]), np.array([[1.0], [0.0]]))
    given = model.probabilities(np.array([[2.0], [0.0]]), np.array([0, 1]))
    # sigmoid(0) = 1/2, sigmoid(ln 3) = 3/4.
    np.testing.assert_allclose(given[1], [1 / 2, 1 / 4, 1 / 4])
    first = 1 / (1 + math.exp(2))
    second = 1 / (1 + math.exp(2) / 3)
    np.testing.assert_allclose(given[0], [first, second - first, 1 - second])


@pytest.mark.parametrize("effects", [0, 1, 3])
def test_gradient_is_that_of_finite_differences(effects):
    rng = np.random.default_rng(1)
    shape = Shape(4, 2, 3, effects)
    rows = Data(rng.normal(size=(15, 2)), rng.integers(0, 4, 15), rng.integers(0, 3, 15), np.zeros(15, dtype=np.intp))
    objective = Objective(rows, shape, Penalties(2.0, 0.5, 7.0), centre_of(np.array([0.1, 0.2, 0.3, 0.4])))
    at = objective.start() + rng.normal(0, 0.5, len(objective.start()))
    step = 1e-6
    measured = [(objective(at + step * one)[0] - objective(at - step * one)[0]) / (2 * step) for one in np.eye(len(at))]
    np.testing.assert_allclose(objective(at)[1], measured, rtol=1e-5, atol=1e-6)


def test_thresholds_start_at_the_shares():
    shares = np.array([0.1, 0.2, 0.3, 0.4])
    shape = Shape(4, 0, 0, 0)
    nobody = Data(np.zeros((1, 0)), np.array([0]), np.array([0]), np.array([0]))
    objective = Objective(nobody, shape, Penalties(1, 1, 1), centre_of(shares))
    model = objective.model(objective.start())
    np.testing.assert_allclose(model.probabilities(np.zeros((1, 0)), np.array([0])), [shares])
