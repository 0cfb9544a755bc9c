"""Ridge regression with judge intercepts and slopes; without inputs it is the judges' shrunk means."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

_SHARED = (1.0, 10.0, 30.0, 100.0, 300.0, 1000.0)
_INTERCEPT = (0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
_SLOPE = (3.0, 10.0, 30.0, 100.0, 300.0)


class Penalties(NamedTuple):
    """How strongly squares of coefficients count, of all and of each judge; inputs are standardised."""

    shared: float
    intercept: float
    slope: float


class Data(NamedTuple):
    """``x``, shape (n, d), standardised, ``y``, shape (n,), judge rows and folds."""

    x: Floats
    y: Floats
    judges: Ints
    folds: Ints


@dataclass(frozen=True, eq=False)
class Linear:
    """Coefficients: ``shared``, shape (1 + d,), intercept first, and judges' ``effects``, shape (judges + 1, e).

    ``e`` is 0 without judge effects, 1 with intercepts, 1 + d with slopes. The last row, of judges that training did
    not see, is 0.
    """

    shared: Floats
    effects: Floats

    def means(self, x: Floats, judges: Ints) -> Floats:
        """Predict."""
        design = _with_ones(x)
        own = self.effects[judges]
        return np.asarray(design @ self.shared + (design[:, : own.shape[1]] * own).sum(axis=1))


class Fitted(NamedTuple):
    """A fit, the penalties chosen, and predictions of every training row by fits that did not see its group."""

    model: Linear
    penalties: Penalties
    unseen: Floats


def fit_linear(rows: Data, n_judges: int, effects: int) -> Fitted:
    """Fit with the penalties whose held-out squared error is least in the folds.

    Minimises squared errors plus penalised squares; the shared intercept is free. Given the shared coefficients the
    judges separate, so that one small system a judge is solved and then one of the shared ones: the cost is linear
    in rows and judges, and a grid of penalties with all folds takes milliseconds.

    Parameters
    ----------
    rows : training rows; ``folds`` number the groups held out in turn.
    n_judges : how many judges there are.
    effects : how many leading columns of (1, x) each judge bends: 0 none, 1 the intercept, 1 + d slopes too.
    """
    grams = _grams(rows, n_judges)
    total = _Grams(grams.gram.sum(axis=0), grams.moment.sum(axis=0))
    design = _with_ones(rows.x)
    best: tuple[float, Penalties, Floats] | None = None
    for penalties in _candidates(rows.x.shape[1], effects):
        unseen = np.empty(len(rows.y))
        for fold in range(len(grams.gram)):
            held = rows.folds == fold
            kept = _Grams(total.gram - grams.gram[fold], total.moment - grams.moment[fold])
            shared, own = _solve(kept, penalties, effects)
            part = design[held]
            unseen[held] = part @ shared + (part[:, :effects] * own[rows.judges[held]]).sum(axis=1)
        error = float(((rows.y - unseen) ** 2).mean())
        if best is None or error < best[0] - 1e-12:
            best = (error, penalties, unseen)
    if best is None:
        raise AssertionError("there is always a candidate")
    shared, own = _solve(total, best[1], effects)
    return Fitted(Linear(shared, np.vstack([own, np.zeros((1, effects))])), best[1], best[2])


def _with_ones(x: Floats) -> Floats:
    return np.hstack([np.ones((len(x), 1)), x])


def _candidates(features: int, effects: int) -> list[Penalties]:
    """List what is tried; a penalty on nothing is tried once."""
    shared = _SHARED if features else (1.0,)
    intercept = _INTERCEPT if effects else (1.0,)
    slope = _SLOPE if effects > 1 else (1.0,)
    return [Penalties(*values) for values in itertools.product(shared, intercept, slope)]


class _Grams(NamedTuple):
    """Sums of products by judge, shape ([folds,] judges, 1 + d, 1 + d) and ([folds,] judges, 1 + d)."""

    gram: Floats
    moment: Floats


def _grams(rows: Data, n_judges: int) -> _Grams:
    design = _with_ones(rows.x)
    n_folds, width = int(rows.folds.max()) + 1, design.shape[1]
    gram = np.zeros((n_folds, n_judges, width, width))
    moment = np.zeros((n_folds, n_judges, width))
    for fold, judge in set(zip(rows.folds.tolist(), rows.judges.tolist(), strict=True)):
        part = (rows.folds == fold) & (rows.judges == judge)
        gram[fold, judge] = design[part].T @ design[part]
        moment[fold, judge] = design[part].T @ rows.y[part]
    return _Grams(gram, moment)


def _solve(sums: _Grams, penalties: Penalties, effects: int) -> tuple[Floats, Floats]:
    """Give shared coefficients, shape (1 + d,), and every judge's, shape (judges, effects)."""
    width = sums.gram.shape[-1]
    weights = np.full(width, penalties.shared)
    # Free, but for what keeps the system regular when a fold holds next to nothing.
    weights[0] = 1e-9
    system, right = sums.gram.sum(axis=0) + np.diag(weights), sums.moment.sum(axis=0)
    if not effects:
        return np.linalg.solve(system, right), np.zeros((len(sums.gram), 0))
    own = np.full(effects, penalties.slope)
    own[0] = penalties.intercept
    block, cross = sums.gram[:, :effects, :effects] + np.diag(own), sums.gram[:, :effects]
    solved = np.linalg.solve(block, np.concatenate([cross, sums.moment[:, :effects, None]], axis=2))
    across, alone = solved[:, :, :width], solved[:, :, width]
    system = system - np.einsum("jew,jev->wv", cross, across)
    right = right - np.einsum("jew,je->w", cross, alone)
    shared = np.linalg.solve(system, right)
    return shared, alone - across @ shared
