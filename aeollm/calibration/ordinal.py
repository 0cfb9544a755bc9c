"""Cumulative-link regression (McCullagh 1980) with judge effects on strictness, on inputs and on the spread."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aeollm.calibration.linear import Penalties
from aeollm.calibration.minimise import minimise

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

_STEPS = 200
_PRIOR = 0.05
"""Weight of the squared distance of the thresholds from those of the answers' shares: it keeps them finite."""
_SMALLEST = 1e-12


class Data(NamedTuple):
    """``x``, shape (n, d), standardised, ``classes`` from 0, shape (n,), judge rows and folds."""

    x: Floats
    classes: Ints
    judges: Ints
    folds: Ints

    def only(self, rows: NDArray[np.bool_]) -> Data:
        """Keep some rows."""
        return Data(self.x[rows], self.classes[rows], self.judges[rows], self.folds[rows])


@dataclass(frozen=True, eq=False)
class Ordinal:
    """``P(answer <= k) = sigmoid(threshold_k - eta)``, ``eta = x . (shared + slopes_j) + strictness_j``.

    ``thresholds`` has shape (K - 1,) and rises; ``effects``, shape (judges + 1, e), holds a judge's shift of eta and
    slopes (e is 0, 1 or 1 + d); its last row, of judges not seen in training, is 0.
    """

    thresholds: Floats
    shared: Floats
    effects: Floats

    def probabilities(self, x: Floats, judges: Ints) -> Floats:
        """Give the probability of every answer, shape (n, K)."""
        own = self.effects[judges]
        design = np.hstack([np.ones((len(x), 1)), x])[:, : own.shape[1]]
        eta = x @ self.shared + (design * own).sum(axis=1)
        below = _sigmoid(self.thresholds - eta[:, None])
        edges = np.hstack([np.zeros((len(x), 1)), below, np.ones((len(x), 1))])
        found = np.maximum(np.diff(edges, axis=1), _SMALLEST)
        return np.asarray(found / found.sum(axis=1, keepdims=True))


class Shape(NamedTuple):
    """How many answers, inputs, judges, and columns of (1, x) a judge bends."""

    answers: int
    features: int
    judges: int
    effects: int


@dataclass(frozen=True, eq=False)
class Objective:
    """Minus the log-likelihood of rows plus half the penalised squares, with its gradient.

    Parameters are the first threshold, logarithms of the steps to the next ones, shared coefficients, then judges'
    effects divided by what makes all of them weigh alike (a judge's effect is its parameter times ``scale``).
    """

    rows: Data
    shape: Shape
    penalties: Penalties
    centre: Floats

    def __call__(self, parameters: Floats) -> tuple[float, Floats]:
        """Give the loss and its gradient."""
        shape, rows = self.shape, self.rows
        cuts, shared, own = split(parameters, shape)
        thresholds = _thresholds(cuts)
        scale = self._scale()
        design = np.hstack([np.ones((len(rows.x), 1)), rows.x])[:, : shape.effects]
        eta = rows.x @ shared + (design * (own * scale)[rows.judges]).sum(axis=1)
        bounds = np.concatenate([[-np.inf], thresholds, [np.inf]])
        upper, lower = _sigmoid(bounds[rows.classes + 1] - eta), _sigmoid(bounds[rows.classes] - eta)
        found = np.maximum(upper - lower, _SMALLEST)
        up, down = upper * (1 - upper) / found, lower * (1 - lower) / found
        by_eta = up - down
        by_bound = (
            np.bincount(rows.classes, -up, shape.answers)[:-1] + np.bincount(rows.classes, down, shape.answers)[1:]
        )
        # A step moves its own threshold and all above it.
        by_cut = np.cumsum(by_bound[::-1])[::-1]
        by_cut[1:] *= np.exp(cuts[1:])
        by_own = np.zeros((shape.judges, shape.effects))
        np.add.at(by_own, rows.judges, design * by_eta[:, None])
        weight = self.penalties.shared
        loss = -np.log(found).sum() + weight / 2 * float(shared @ shared + (own * own).sum())
        loss += _PRIOR / 2 * float(((cuts - self.centre) ** 2).sum())
        parts = (
            by_cut + _PRIOR * (cuts - self.centre),
            rows.x.T @ by_eta + weight * shared,
            (by_own * scale + weight * own).ravel(),
        )
        return float(loss), np.concatenate(parts)

    def _scale(self) -> Floats:
        """Give how large a judge's effects are for one unit of their parameters."""
        scale = np.full(self.shape.effects, np.sqrt(self.penalties.shared / self.penalties.slope))
        scale[:1] = np.sqrt(self.penalties.shared / self.penalties.intercept)
        return scale

    def model(self, parameters: Floats) -> Ordinal:
        """Read the parameters."""
        cuts, shared, own = split(parameters, self.shape)
        effects = np.vstack([own * self._scale(), np.zeros((1, self.shape.effects))])
        return Ordinal(_thresholds(cuts), shared.copy(), effects)

    def start(self) -> Floats:
        """Start from the answers' shares, without inputs and effects."""
        rest = self.shape.features + self.shape.judges * self.shape.effects
        return np.concatenate([self.centre, np.zeros(rest)])


def split(parameters: Floats, shape: Shape) -> tuple[Floats, Floats, Floats]:
    """Give threshold parameters, shared coefficients, and judges' parameters, shape (judges, effects)."""
    cuts, shared, own = np.split(parameters, [shape.answers - 1, shape.answers - 1 + shape.features])
    return cuts, shared, own.reshape(shape.judges, shape.effects)


def _thresholds(cuts: Floats) -> Floats:
    return np.cumsum(np.concatenate([cuts[:1], np.exp(cuts[1:])]))


def centre_of(marginal: Floats) -> Floats:
    """Give the threshold parameters at which the answers have the given shares."""
    below = np.cumsum(marginal)[:-1]
    thresholds = np.log(below / (1 - below))
    return np.concatenate([thresholds[:1], np.log(np.diff(thresholds))])


def _sigmoid(values: Floats) -> Floats:
    from scipy.special import expit  # noqa: PLC0415  scoring does not wait for scipy

    return np.asarray(expit(values))


_SHARED = (1.0, 10.0)
_INTERCEPT = (0.3, 1.0, 3.0)
_SLOPE = (3.0, 10.0, 30.0)


def fit_ordinal(rows: Data, shape: Shape, marginal: Floats, step: Callable[[float], None]) -> tuple[Ordinal, Penalties]:
    """Fit with the penalties whose held-out log-likelihood is best in the folds; ``step`` is told the share done."""
    centre = centre_of(marginal)
    grid = [
        Penalties(*values)
        for values in itertools.product(
            _SHARED, _INTERCEPT if shape.effects else (1.0,), _SLOPE if shape.effects > 1 else (1.0,)
        )
    ]
    folds = int(rows.folds.max()) + 1
    losses = np.zeros(len(grid))
    starts: list[Floats | None] = [None] * folds
    for place, penalties in enumerate(grid):
        for fold in range(folds):
            step((place + fold / folds) / len(grid))
            held = rows.folds == fold
            objective = Objective(rows.only(~held), shape, penalties, centre)
            begin = starts[fold]
            found = minimise(objective, objective.start() if begin is None else begin, _STEPS)
            starts[fold] = found
            part = rows.only(held)
            given = objective.model(found).probabilities(part.x, part.judges)
            losses[place] -= float(np.log(given[np.arange(len(part.x)), part.classes]).sum())
    chosen = grid[int(np.argmin(losses))]
    objective = Objective(rows, shape, chosen, centre)
    return objective.model(minimise(objective, objective.start(), _STEPS)), chosen
