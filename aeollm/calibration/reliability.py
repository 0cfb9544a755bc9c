"""Are probabilities what they say: smooth calibration error, its floor, and the curves to draw.

Source: Błasiok and Nakkiran, Smooth ECE: Principled Reliability Diagrams via Kernel Smoothing (ICLR 2024).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

GRID = 1024
"""Forecasts are put on so many steps between 0 and 1, each shared between its two neighbours."""
_HALVINGS = 14
_CHUNK = 2**21


@dataclass(frozen=True, slots=True)
class Floor:
    """Smooth calibration error of labels drawn from the forecasts themselves: the mean, and what 97.5 % stay below.

    An error below ``high`` is no sign of bad calibration on so many answers.
    """

    mean: float
    high: float
    draws: int
    seed: int


@dataclass(frozen=True, eq=False)
class Curve:
    """A reliability diagram.

    At forecasts ``at``, ``observed`` is the share of outcomes among forecasts nearby (a Gaussian of width ``width``
    decides how near), nan where there are next to none; ``density`` is how many forecasts are there. The points
    ``binned_forecast``, ``binned_observed``, ``binned_count`` are means over as many forecasts each.
    """

    error: float
    width: float
    at: Floats
    observed: Floats
    density: Floats
    binned_forecast: Floats
    binned_observed: Floats
    binned_count: NDArray[np.int64]


def smooth_ece(forecasts: ArrayLike, outcomes: ArrayLike) -> float:
    """Give the smooth expected calibration error of forecasts of a yes-or-no outcome; 0 is best.

    Residuals are smoothed by a Gaussian reflected at 0 and 1, and the absolute value is averaged; the width is the
    one that equals the error so found.

    Parameters
    ----------
    forecasts : shape (n,), in [0, 1]. outcomes : shape (n,), 0 or 1.

    Returns
    -------
    float
        nan without a forecast.

    Examples
    --------
    >>> round(smooth_ece([0.5] * 100, [0, 1] * 50), 3)
    0.0
    >>> round(smooth_ece([0.2] * 100, [0, 1] * 50), 1)
    0.3
    """
    f, y = _checked(forecasts, outcomes)
    return float(_errors(f, y[None])[0][0]) if len(f) else math.nan


def smooth_ece_floor(forecasts: ArrayLike, *, seed: int = 0, draws: int = 200) -> Floor:
    """Simulate what perfectly calibrated forecasts such as these score on so few outcomes.

    A bootstrap of the error itself would not tell: resampled outcomes add noise of their own to the error, so that it
    lies above the true one.
    """
    f = _checked(forecasts, np.zeros(np.shape(forecasts)))[0]
    if not len(f):
        return Floor(math.nan, math.nan, draws, seed)
    outcomes = (np.random.default_rng(seed).random((draws, len(f))) < f).astype(np.float64)
    errors = _errors(f, outcomes)[0]
    return Floor(float(errors.mean()), float(np.quantile(errors, 0.975)), draws, seed)


def reliability_curve(forecasts: ArrayLike, outcomes: ArrayLike, bins: int = 10) -> Curve:
    """Give the curve and the binned points of a reliability diagram.

    Raises
    ------
    ValueError
        Without a forecast, or for forecasts outside [0, 1].
    """
    f, y = _checked(forecasts, outcomes)
    if not len(f):
        raise ValueError("no forecast to draw")
    errors, widths = _errors(f, y[None])
    width = max(float(widths[0]), 2 / GRID)
    share, present = (_smoothed(_gridded(f, weights[None]), np.array([width]))[0] for weights in (y, np.ones(len(f))))
    enough = present > 0.05 * len(f)
    observed = np.divide(share, present, out=np.full(GRID + 1, np.nan), where=enough)
    order = np.argsort(f, kind="stable")
    parts = [part for part in np.array_split(order, min(bins, len(f))) if len(part)]
    return Curve(
        error=float(errors[0]),
        width=width,
        at=np.arange(GRID + 1) / GRID,
        observed=np.clip(observed, 0.0, 1.0),
        density=present / len(f),
        binned_forecast=np.array([f[part].mean() for part in parts]),
        binned_observed=np.array([y[part].mean() for part in parts]),
        binned_count=np.array([len(part) for part in parts], dtype=np.int64),
    )


def _checked(forecasts: ArrayLike, outcomes: ArrayLike) -> tuple[Floats, Floats]:
    f, y = np.asarray(forecasts, dtype=np.float64), np.asarray(outcomes, dtype=np.float64)
    if f.ndim != 1 or f.shape != y.shape:
        raise ValueError(f"vectors of one length needed, not shapes {f.shape} and {y.shape}")
    if not bool(((f >= 0) & (f <= 1)).all()) or not bool(((y == 0) | (y == 1)).all()):
        raise ValueError("forecasts lie between 0 and 1, outcomes are 0 or 1")
    return f, y


def _errors(f: Floats, outcomes: Floats) -> tuple[Floats, Floats]:
    """Give the error and the width at which it is found, for every row of outcomes, shape (draws, n)."""
    errors, widths = np.empty(len(outcomes)), np.empty(len(outcomes))
    step = max(1, _CHUNK // GRID)
    for start in range(0, len(outcomes), step):
        rows = slice(start, start + step)
        residuals = _gridded(f, (outcomes[rows] - f) / len(f))
        low, high = np.full(len(residuals), 1 / GRID), np.ones(len(residuals))
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            # The wider, the more residuals of opposite sign cancel: the error falls as the width grows.
            above = _error_at(residuals, middle) > middle
            low, high = np.where(above, middle, low), np.where(above, high, middle)
        widths[rows] = (low + high) / 2
        errors[rows] = _error_at(residuals, widths[rows])
    return errors, widths


def _gridded(f: Floats, weights: Floats) -> Floats:
    """Share every weight, shape (rows, n), between the two grid points around its forecast; (rows, GRID + 1)."""
    place = f * GRID
    left = np.minimum(place.astype(np.intp), GRID - 1)
    right_share = place - left
    rows = np.arange(len(weights))[:, None] * (GRID + 1)
    cells, size = (rows + left).ravel(), len(weights) * (GRID + 1)
    laid = np.bincount(cells, (weights * (1 - right_share)).ravel(), size)
    laid += np.bincount(cells + 1, (weights * right_share).ravel(), size)
    return np.asarray(laid.reshape(len(weights), GRID + 1), dtype=np.float64)


def _error_at(residuals: Floats, widths: Floats) -> Floats:
    smooth = np.abs(_smoothed(residuals, widths))
    return np.asarray((smooth.sum(axis=1) - (smooth[:, 0] + smooth[:, -1]) / 2) / GRID)


def _smoothed(laid: Floats, widths: Floats) -> Floats:
    """Smooth grids, shape (rows, GRID + 1), by a Gaussian reflected at both ends; the result is a density.

    Reflection makes cosines of it, and a Gaussian multiplies the k-th cosine by ``exp(-(pi k width)**2 / 2)``.
    """
    from scipy.fft import dct  # noqa: PLC0415  scoring does not wait for scipy

    ends = laid.copy()
    ends[:, [0, -1]] *= 2
    waves = dct(ends, type=1, axis=1) / 2
    waves *= np.exp(-((np.pi * np.arange(GRID + 1) * widths[:, None]) ** 2) / 2)
    return np.asarray(dct(waves, type=1, axis=1))
