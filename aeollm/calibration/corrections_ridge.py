"""A judge's scores with features of the answers, weighed within questions by ridge regression."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from aeollm.calibration.corrections_held_out import Bools, Fit, Fitted, Floats, Sample

RIDGES = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, math.inf)
"""The strengths tried: multiples of the features' own mean squares; infinite leaves the judge alone."""
_SMALL = 1e-12


class _Moments(NamedTuple):
    """Sums of products by question of judge, features and labels, each less its question's mean."""

    products: Floats
    with_labels: Floats
    labels: Floats

    def of(self, questions: Bools) -> _Moments:
        """Sum over some questions."""
        return _Moments(*(part[questions].sum(axis=0) for part in self))

    def without_each(self, questions: Bools) -> _Moments:
        """Sum over some questions but one, for each of these in turn."""
        return _Moments(*(part[questions].sum(axis=0) - part[questions] for part in self))


def ridge_blend(sample: Sample, features: Floats, names: Sequence[str]) -> Fit:
    """Weigh a judge's scores and features of the answers so that they come nearest to the labels.

    Labels, scores and features less their question's mean: label = w0 * score + sum(w * feature), least squares, with
    w0 >= 0 free and the other weights drawn to 0. How strongly is tuned by holding out one of the given questions at a
    time (squared error; the strongest of equals). What comes out has the judge's mean in every question and, over the
    given questions, the judge's own spread, so that the dimension weighs in a total what it weighed before.

    Parameters
    ----------
    features : float array, shape (answers, features)
        Without nan.
    names : of the features, under which their weights are told, beside ``judge`` and ``ridge``.
    """
    columns = np.column_stack([sample.scores, features])
    moments = _moments(sample, columns)
    away = sample.centred(columns, np.ones(len(columns), dtype=bool))
    means = sample.scores - away[:, 0]

    def fit(rows: Bools) -> Fitted:
        questions = np.isin(np.arange(len(sample.order)), sample.numbers[rows])
        ridge = _tuned(moments, questions)
        total = moments.of(questions)
        weights = _solved(_Moments(*(part[None] for part in total)), ridge)[0]
        reached, own = float(weights @ total.products @ weights), float(total.products[0, 0])
        if reached <= _SMALL * max(float(total.labels), _SMALL):
            # Nothing to go by: the judge's scores stay what they are.
            return Fitted(sample.scores, {**dict.fromkeys(names, 0.0), "judge": 1.0, "ridge": ridge})
        weights *= math.sqrt(own / reached) if own > 0 else 1.0
        told = dict(zip(names, weights[1:].tolist(), strict=True))
        return Fitted(means + away @ weights, {**told, "judge": float(weights[0]), "ridge": ridge})

    return fit


def _moments(sample: Sample, columns: Floats) -> _Moments:
    given = sample.given
    x, y = sample.centred(columns, given), sample.centred(np.nan_to_num(sample.labels), given)
    count, width = len(sample.order), columns.shape[1]
    products, with_labels = np.zeros((count, width, width)), np.zeros((count, width))
    for number in range(count):
        rows = given & (sample.numbers == number)
        products[number], with_labels[number] = x[rows].T @ x[rows], x[rows].T @ y[rows]
    labels = np.bincount(sample.numbers[given], weights=y[given] ** 2, minlength=count).astype(np.float64)
    return _Moments(products, with_labels, labels)


def _tuned(moments: _Moments, questions: Bools) -> float:
    """Choose the ridge that foresees questions left out best."""
    left_out, others = _Moments(*(part[questions] for part in moments)), moments.without_each(questions)
    errors = []
    for ridge in RIDGES:
        weights = _solved(others, ridge)
        squares = np.einsum("qi,qij,qj->q", weights, left_out.products, weights)
        errors.append(float((left_out.labels - 2 * (weights * left_out.with_labels).sum(axis=1) + squares).sum()))
    least = min(errors)
    slack = _SMALL * max(float(left_out.labels.sum()), _SMALL)
    return max(ridge for ridge, error in zip(RIDGES, errors, strict=True) if error <= least + slack)


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
