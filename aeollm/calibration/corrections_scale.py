"""A judge's scores on the people's scale: by a straight line, or by any rising curve."""

from __future__ import annotations

import numpy as np

from aeollm.calibration.corrections_held_out import Bools, Fit, Fitted, Sample


def affine(sample: Sample) -> Fit:
    """Put scores on the labels' scale by least squares over all given answers: label = shift + slope * score.

    Order and ties stay. Where the slope is not above 0 it is taken as 1, and only the level moves: a line that falls
    would turn the judge round.
    """

    def fit(rows: Bools) -> Fitted:
        scores, labels = sample.scores[rows], sample.labels[rows]
        away = scores - scores.mean()
        squares = float(away @ away)
        slope = float(away @ labels) / squares if squares > 0 else 1.0
        slope = slope if slope > 0 else 1.0
        shift = float(labels.mean()) - slope * float(scores.mean())
        return Fitted(shift + slope * sample.scores, {"slope": slope, "shift": shift})

    return fit


def isotonic(sample: Sample) -> Fit:
    """Put scores on the labels' scale by the rising curve of least squares, straight between the scores given.

    No order is turned round, but the curve has steps on which scores that differed become tied (Barlow, Bartholomew,
    Bremner and Brunk 1972, Statistical Inference under Order Restrictions). Beyond the scores given it is level.
    """

    def fit(rows: Bools) -> Fitted:
        from scipy.optimize import isotonic_regression  # noqa: PLC0415  scoring does not wait for scipy

        at, place, counts = np.unique(sample.scores[rows], return_inverse=True, return_counts=True)
        means = np.bincount(place, weights=sample.labels[rows]) / counts
        curve = isotonic_regression(means, weights=counts).x
        steps = int(np.count_nonzero(np.diff(curve))) + 1
        return Fitted(np.interp(sample.scores, at, curve), {"steps": float(steps)})

    return fit
