"""The optimiser: to scipy's minima, no more steps than asked for, ended by whoever looks."""

import numpy as np
import pytest
from scipy import optimize

from aeollm.calibration.minimise import minimise


def rosenbrock(at):
    return float(optimize.rosen(at)), optimize.rosen_der(at)


def test_rosenbrocks_valley_is_followed_to_its_end():
    found = minimise(rosenbrock, np.array([-1.2, 1.0]), 200)
    np.testing.assert_allclose(found, 1.0, atol=1e-4)


def test_a_quadratic_is_solved_as_by_linear_algebra():
    rng = np.random.default_rng(0)
    root, right = rng.normal(size=(30, 30)), rng.normal(size=30)
    matrix = root @ root.T + np.eye(30)
    found = minimise(lambda at: (float(at @ matrix @ at / 2 - right @ at), matrix @ at - right), np.zeros(30), 300)
    np.testing.assert_allclose(found, np.linalg.solve(matrix, right), atol=1e-3)


def test_every_step_goes_down_and_no_more_are_taken_than_asked_for():
    seen = []
    minimise(rosenbrock, np.array([-1.2, 1.0]), 12, lambda step, at: seen.append((step, rosenbrock(at)[0])))
    assert [step for step, _ in seen] == list(range(1, 13))
    losses = [loss for _, loss in seen]
    assert losses == sorted(losses, reverse=True)
    assert losses[0] < rosenbrock(np.array([-1.2, 1.0]))[0]


def test_it_ends_where_it_is_flat_or_where_nothing_goes_down():
    start, seen = np.array([2.0]), []
    assert minimise(lambda at: (1.0, np.zeros_like(at)), start, 5, lambda *_: seen.append(1)).tolist() == [2.0]
    # A gradient that points the wrong way.
    assert minimise(lambda at: (float(at[0] ** 2), -2 * at), start, 5, lambda *_: seen.append(1)).tolist() == [2.0]
    assert seen == []
    assert start.tolist() == [2.0]


def test_what_the_looker_raises_ends_it():
    def look(step, _at):
        if step == 3:
            raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        minimise(rosenbrock, np.zeros(2), 50, look)


def test_a_loss_that_overflows_is_stepped_back_from():
    def steep(at):
        with np.errstate(over="ignore"):
            return float(np.exp(at).sum() - 3 * at.sum()), np.exp(at) - 3

    np.testing.assert_allclose(minimise(steep, np.array([-40.0, 30.0]), 200), np.log(3), atol=1e-4)
