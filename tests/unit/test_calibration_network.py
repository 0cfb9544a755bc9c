"""The network's likelihood and gradient: against finite differences, and by hand."""

import math

import numpy as np
import pytest

from aeollm.calibration.network.loss import Penalty, Reach, batch_of, bent, loss_and_gradient, probabilities
from aeollm.calibration.network.shape import Network, Shape, initial, only_head, read
from aeollm.calibration.network.training import NetworkData, Plan, choose_courses, phases, train

RNG = np.random.default_rng(0)


def rows(shape, n=11):
    x = RNG.normal(size=(n, shape.features))
    judges = RNG.integers(0, shape.judges, n)
    # -1 is an answer not given; every head has its own number of answers.
    classes = np.stack([RNG.integers(-1, answers, n) for answers in shape.heads], axis=1)
    return batch_of(x, judges, classes, shape.judges)


@pytest.mark.parametrize("personal", [True, False])
def test_gradient_is_that_of_finite_differences(personal):
    shape = Shape(3, 4, 5, (4, 3), 3, personal)
    batch, penalty = rows(shape), Penalty(0.7, Reach(0.5, 1.5))
    vector = RNG.normal(size=shape.n_shared * (1 + shape.judges * personal))

    def loss(at):
        return loss_and_gradient(at, shape, batch, penalty)[0]

    gradient = loss_and_gradient(vector, shape, batch, penalty)[1]
    step = 1e-6
    measured = [(loss(vector + step * one) - loss(vector - step * one)) / (2 * step) for one in np.eye(len(vector))]
    np.testing.assert_allclose(gradient, measured, rtol=1e-5, atol=1e-6)


def test_likelihood_by_hand_with_missing_answers_and_a_head_of_three():
    # All weights 0 but the heads' biases, so that inputs do not matter: head 0 gives softmax(0, 0, ln 2, ln 5) =
    # 1/9, 1/9, 2/9, 5/9; head 1 has three answers, softmax(0, ln 3, 0) = 1/5, 3/5, 1/5: its fourth output, 99,
    # is masked and takes no mass.
    shape = Shape(1, 1, 1, (4, 3), 2, personal=False)
    head = np.zeros((2, 8))
    head[1] = [0, 0, math.log(2), math.log(5), 0, math.log(3), 0, 99]
    vector = np.concatenate([np.zeros(4), head.ravel()])
    classes = np.array([[3, -1], [2, 1], [-1, -1], [-1, 2]])
    batch = batch_of(np.ones((4, 1)), np.array([1, 0, 0, 1]), classes, 2)
    loss, gradient = loss_and_gradient(vector, shape, batch, Penalty(0.0, Reach(1, 1)))
    assert loss == pytest.approx(-(math.log(5 / 9) + math.log(2 / 9) + math.log(3 / 5) + math.log(1 / 5)))
    # Biases: expected minus observed counts, over answers given only: two of head 0, two of head 1.
    by_bias = read(gradient, shape).shared[2][1].reshape(2, 4)
    np.testing.assert_allclose(by_bias[0], np.array([2, 2, 4, 10]) / 9 - [0, 0, 1, 1])
    np.testing.assert_allclose(by_bias[1], np.array([2, 6, 2, 0]) / 5 - [0, 1, 1, 0])
    weights = bent(read(vector, shape), Reach(1, 1))
    given = probabilities(weights, shape, batch)
    np.testing.assert_allclose(given[:, 1], [[0.2, 0.6, 0.2, 0.0]] * 4)


def test_an_unanswered_row_changes_nothing():
    shape = Shape(2, 3, 3, (4,), 2, personal=True)
    x, judges = RNG.normal(size=(5, 2)), np.array([0, 1, 1, 0, 1])
    classes = np.array([[0], [3], [-1], [2], [-1]])
    vector = RNG.normal(size=shape.n_shared * 3)
    penalty = Penalty(1.0, Reach(0.5, 2))
    whole = loss_and_gradient(vector, shape, batch_of(x, judges, classes, 2), penalty)
    kept = [0, 1, 3]
    part = loss_and_gradient(vector, shape, batch_of(x[kept], judges[kept], classes[kept], 2), penalty)
    assert whole[0] == pytest.approx(part[0])
    np.testing.assert_allclose(whole[1], part[1], atol=1e-12)


def test_rows_come_back_in_their_order():
    shape = Shape(2, 3, 3, (4,), 3, personal=True)
    network = read(RNG.normal(size=shape.n_shared * 4), shape)
    x, judges = RNG.normal(size=(7, 2)), np.array([2, 0, 2, 1, 0, 2, 2])
    weights = bent(network, Reach(0.5, 2.0))
    found = probabilities(weights, shape, batch_of(x, judges, np.full((7, 1), -1), 3))
    for row in range(7):
        alone = batch_of(x[row : row + 1], judges[row : row + 1], np.full((1, 1), -1), 3)
        np.testing.assert_allclose(found[row], probabilities(weights, shape, alone)[0])


def test_reach_zero_is_the_shared_part():
    shape = Shape(2, 3, 3, (4,), 2, personal=True)
    network = read(RNG.normal(size=shape.n_shared * 3), shape)
    for own, shared in zip(bent(network, Reach(0.0, 0.0)), network.shared, strict=True):
        assert np.array_equal(own, np.stack([shared] * 2))


def test_a_head_alone_answers_as_it_did_among_others():
    shape = Shape(2, 3, 3, (4, 3), 2, personal=True)
    vector = RNG.normal(size=shape.n_shared * 3)
    batch = batch_of(RNG.normal(size=(5, 2)), RNG.integers(0, 2, 5), np.full((5, 2), -1), 2)
    both = probabilities(bent(read(vector, shape), Reach(0.5, 2)), shape, batch)
    alone, cut = only_head(vector, shape, 1)
    assert cut.heads == (3,)
    found = probabilities(bent(read(alone, cut), Reach(0.5, 2)), cut, batch)
    np.testing.assert_allclose(found[:, 0], both[:, 1, :3])


def test_it_starts_at_the_answers_shares_for_everybody():
    shape = Shape(2, 3, 3, (4, 3), 2, personal=True)
    shares = [np.array([0.1, 0.2, 0.3, 0.4]), np.array([0.5, 0.25, 0.25])]
    network = read(initial(shape, shares, np.random.default_rng(1)), shape)
    flat = Network((network.shared[0], network.shared[1], network.shared[2] * [[0], [0], [0], [1]]), network.own)
    given = probabilities(bent(flat, Reach(1, 1)), shape, batch_of(np.zeros((2, 2)), np.arange(2), np.zeros((2, 2)), 2))
    np.testing.assert_allclose(given[0, 0], shares[0])
    np.testing.assert_allclose(given[1, 1], [0.5, 0.25, 0.25, 0])


def test_training_stops_where_held_out_texts_say():
    # Answers are noise: every step away from their shares makes held-out texts less likely, so that few are taken.
    x, judges = RNG.normal(size=(60, 3)), RNG.integers(0, 3, 60)
    classes = RNG.integers(0, 4, (60, 1))
    shape = Shape(3, 4, 4, (4,), 3, personal=True)
    data = NetworkData(x, judges, classes, 0, [np.full(4, 0.25)])
    plan = Plan(phases(pretrain=False, finetune=True), np.arange(60) % 3, [0], lambda _share: None)
    courses = choose_courses(data, shape, plan)
    assert [(course.pretrain, course.finetune) for course in courses] == [(0, 5), (0, 5)]
    told = []
    train(data, shape, courses[0], [0], lambda: told.append(1))
    assert 0 < len(told) <= 5
