"""Forward and backward pass: minus the log-likelihood of the observed answers, penalised, with its exact gradient."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aeollm.calibration.network.shape import Network, Shape, read

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

_IMPOSSIBLE = -1e30
_LEAST = 1e-300


@dataclass(frozen=True, eq=False)
class Batch:
    """Rows laid out judge by judge, padded to the judge with most, so that a layer is one batched product.

    ``x`` has shape (judges, most rows, features + 1), its last column 1; ``places`` gives for every row of the input
    its place in the first two axes; ``classes``, shape (n, heads), are in the input's order, -1 where not answered.
    """

    x: Floats
    places: tuple[Ints, Ints]
    classes: Ints


def batch_of(x: Floats, judges: Ints, classes: Ints, n_judges: int) -> Batch:
    """Lay rows out by judge.

    Parameters
    ----------
    x : shape (n, features). judges : shape (n,), in 0 .. n_judges - 1. classes : shape (n, heads), -1 missing.
    """
    order = np.argsort(judges, kind="stable")
    counts = np.bincount(judges, minlength=n_judges)
    within = np.empty(len(judges), dtype=np.intp)
    within[order] = np.arange(len(judges)) - np.repeat(np.cumsum(counts) - counts, counts)
    laid = np.zeros((n_judges, int(counts.max(initial=1)), x.shape[1] + 1))
    laid[judges, within] = np.hstack([x, np.ones((len(x), 1))])
    return Batch(laid, (judges, within), classes)


class Reach(NamedTuple):
    """How much of a judge's parameters takes effect: of its weights, and of the biases of its heads.

    The smaller, the nearer a judge stays to the shared part. It stands for a penalty on judges' deviations
    ``1 / reach**2`` times as strong as that on shared weights, in a form in which the optimiser sees directions of
    like curvature.
    """

    weights: float
    biases: float


def bent(network: Network, reach: Reach) -> tuple[Floats, Floats, Floats]:
    """Give every judge's matrices, shape (judges, rows, columns), or without judges the shared ones."""
    if network.own is None:
        return network.shared
    found = [shared + reach.weights * own for shared, own in zip(network.shared, network.own, strict=True)]
    found[2][:, -1] += (reach.biases - reach.weights) * network.own[2][:, -1]
    return found[0], found[1], found[2]


def _forward(weights: tuple[Floats, Floats, Floats], x: Floats) -> tuple[Floats, Floats, Floats]:
    """Give both hidden layers, each with a column of ones, and the heads' outputs."""
    first = _with_ones(np.tanh(x @ weights[0]))
    second = _with_ones(np.tanh(first @ weights[1]))
    return first, second, second @ weights[2]


def _with_ones(hidden: Floats) -> Floats:
    return np.concatenate([hidden, np.ones((*hidden.shape[:-1], 1))], axis=-1)


def _softmax(outputs: Floats, shape: Shape) -> Floats:
    """Give probabilities, shape (n, heads, widest); answers that a head does not have get 0."""
    logits = outputs.reshape(len(outputs), len(shape.heads), shape.widest)
    if min(shape.heads) < shape.widest:
        impossible = np.arange(shape.widest) >= np.array(shape.heads)[:, None]
        logits = np.where(impossible, _IMPOSSIBLE, logits)
    # One answer after the other: a reduction over so short an axis takes several times as long.
    answers = range(shape.widest)
    weights = np.exp(logits - reduce(np.maximum, [logits[..., k] for k in answers])[..., None])
    return np.asarray(weights / reduce(np.add, [weights[..., k] for k in answers])[..., None])


def probabilities(weights: tuple[Floats, Floats, Floats], shape: Shape, batch: Batch) -> Floats:
    """Give every input row's probabilities, shape (n, heads, widest)."""
    return _softmax(_forward(weights, batch.x)[2][batch.places], shape)


class Penalty(NamedTuple):
    """Half of ``weight`` times squared parameters, biases of the shared part free, and judges' reach."""

    weight: float
    reach: Reach


def loss_and_gradient(vector: Floats, shape: Shape, batch: Batch, penalty: Penalty) -> tuple[float, Floats]:
    """Give the penalised loss and its gradient. Answers not given take no part in the sum."""
    network = read(vector, shape)
    weights = bent(network, penalty.reach)
    first, second, outputs = _forward(weights, batch.x)
    given = _softmax(outputs[batch.places], shape)
    rows, heads = np.nonzero(batch.classes >= 0)
    classes = batch.classes[rows, heads]
    loss = -float(np.log(np.maximum(given[rows, heads, classes], _LEAST)).sum())
    errors = given
    errors[batch.classes < 0] = 0
    errors[rows, heads, classes] -= 1
    laid = np.zeros(outputs.shape)
    laid[batch.places] = errors.reshape(len(errors), -1)
    by_layer = _backward(weights, (batch.x, first, second), laid)
    gradient = _gradient(by_layer, penalty.reach, personal=network.own is not None)
    loss += _penalise(vector, gradient, shape, penalty)
    return loss, gradient


def _backward(weights: tuple[Floats, ...], sources: tuple[Floats, ...], error: Floats) -> list[Floats]:
    """Give the gradient with respect to every judge's matrices."""
    by_layer = []
    for layer in (2, 1, 0):
        by_layer.append(sources[layer].swapaxes(-1, -2) @ error)
        if layer:
            back = error @ weights[layer].swapaxes(-1, -2)
            error = back[..., :-1] * (1 - sources[layer][..., :-1] ** 2)
    return by_layer[::-1]


def _gradient(by_layer: list[Floats], reach: Reach, *, personal: bool) -> Floats:
    """Give the gradient with respect to shared parameters and, where judges have some, theirs."""
    shared = [part.sum(axis=0).ravel() for part in by_layer]
    if not personal:
        return np.concatenate(shared)
    own = [reach.weights * part for part in by_layer]
    own[2][:, -1] *= reach.biases / reach.weights
    return np.concatenate([*shared, *(part.ravel() for part in own)])


def _penalise(vector: Floats, gradient: Floats, shape: Shape, penalty: Penalty) -> float:
    """Add the penalty's gradient in place and give the penalty."""
    counted = vector.copy()
    for part in read(counted, shape).shared:
        part[-1] = 0
    gradient += penalty.weight * counted
    return penalty.weight / 2 * float(counted @ counted)
