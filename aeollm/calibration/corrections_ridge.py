"""A judge's scores with features of the answers, weighed within questions by ridge regression."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aeollm.calibration.corrections_held_out import Bools, Fit, Fitted, Floats, Sample
from aeollm.measures import kendall

Places = NDArray[np.intp]

RIDGES = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, math.inf)
"""The strengths tried: multiples of the features' own mean squares; infinite leaves the judge alone."""
_SMALL = 1e-12
_DIGITS = 9


class _Moments(NamedTuple):
    """Sums of products by question, of judge and features and with the labels, each less its question's mean."""

    products: Floats
    with_labels: Floats

    def of(self, questions: Places) -> _Moments:
        """Sum over some questions, kept as a batch of one."""
        return _Moments(*(part[questions].sum(axis=0, keepdims=True) for part in self))

    def without_each(self, questions: Places) -> _Moments:
        """Sum over some questions but one, for each of these in turn."""
        return _Moments(*(part[questions].sum(axis=0) - part[questions] for part in self))


def ridge_blend(sample: Sample, features: Floats, names: Sequence[str]) -> Fit:
    """Weigh a judge's scores and features of the answers so that they come nearest to the labels.

    Labels, scores and features less their question's mean: label = w0 * score + sum(w * feature), least squares, with
    w0 >= 0 free and the other weights drawn to 0. How strongly is tuned by holding out one of the given questions at a
    time (mean Kendall's tau-b; the strongest of equals). What comes out has the judge's mean in every question and,
    over the given questions, the judge's own spread, so that the dimension weighs in a total what it weighed before.

    Parameters
    ----------
    features : float array, shape (answers, features)
        Without nan.
    names : of the features, under which their weights are told, beside ``judge`` and ``ridge``.
    """
    columns = np.column_stack([sample.scores, features])
    parts = _parts(sample, columns)
    moments = _Moments(*(np.stack(sums) for sums in zip(*((x.T @ x, x.T @ y) for x, y in parts), strict=True)))
    away = sample.centred(columns, np.ones(len(columns), dtype=bool))
    means = sample.scores - away[:, 0]

    def fit(rows: Bools) -> Fitted:
        questions = np.unique(sample.numbers[rows])
        ridge = _tuned(parts, moments, questions)
        total = moments.of(questions)
        weights = _solved(total, ridge)[0]
        reached, own = float(weights @ total.products[0] @ weights), float(total.products[0, 0, 0])
        if reached <= _SMALL**2:
            # Nothing to go by: the judge's scores stay what they are.
            return Fitted(sample.scores, {**dict.fromkeys(names, 0.0), "judge": 1.0, "ridge": ridge})
        weights *= math.sqrt(own / reached) if own > 0 else 1.0
        told = dict(zip(names, weights[1:].tolist(), strict=True))
        return Fitted(means + away @ weights, {**told, "judge": float(weights[0]), "ridge": ridge})

    return fit


def _parts(sample: Sample, columns: Floats) -> list[tuple[Floats, Floats]]:
    """Give every question's labelled answers: judge and features, and labels, less the question's mean."""
    given = sample.given
    x, y = sample.centred(columns, given), sample.centred(np.nan_to_num(sample.labels), given)
    rows = [given & (sample.numbers == number) for number in range(len(sample.order))]
    return [(x[own], y[own]) for own in rows]


def _tuned(parts: Sequence[tuple[Floats, Floats]], moments: _Moments, questions: Places) -> float:
    """Choose the ridge under which questions left out are ranked best."""
    others = moments.without_each(questions)
    weights = np.stack([_solved(others, ridge) for ridge in RIDGES], axis=1)
    found = np.full((len(questions), len(RIDGES)), np.nan)
    for place, number in enumerate(questions.tolist()):
        x, y = parts[number]
        if len(y) > 1:
            found[place] = kendall((weights[place] @ x.T).round(_DIGITS), y.round(_DIGITS))
    defined = found[~np.isnan(found).all(axis=1)]
    if not len(defined):
        return math.inf
    # A question in which some ridges leave nothing to rank by ranks nothing there.
    means = np.nan_to_num(defined).mean(axis=0)
    return max(ridge for ridge, mean in zip(RIDGES, means.tolist(), strict=True) if mean >= means.max() - _SMALL)


def _solved(moments: _Moments, ridge: float) -> Floats:
    """Solve for every row of moments, shape (rows, features + 1); a negative weight of the judge is none instead."""
    weights = _least_squares(moments, ridge, with_judge=True)
    backward = weights[:, 0] < 0
    if backward.any():
        weights[backward] = _least_squares(_Moments(*(part[backward] for part in moments)), ridge, with_judge=False)
    return weights


def _least_squares(moments: _Moments, ridge: float, *, with_judge: bool) -> Floats:
    products, wanted = moments.products.copy(), moments.with_labels.copy()
    places = np.arange(products.shape[-1])
    if math.isinf(ridge):
        products[:, 1:] = products[:, :, 1:] = wanted[:, 1:] = 0
    elif len(places) > 1:
        products[:, places[1:], places[1:]] *= 1 + ridge
    if not with_judge:
        products[:, 0] = products[:, :, 0] = wanted[:, 0] = 0
    # What does not vary has no weight.
    diagonal = products[:, places, places]
    still = diagonal <= _SMALL * np.maximum(diagonal.max(axis=1, keepdims=True), _SMALL)
    wanted[still] = 0
    products[:, places, places] = np.where(still, 1.0, diagonal)
    return np.linalg.solve(products, wanted[..., None])[..., 0].astype(np.float64)
