"""Bootstrap intervals of means over questions."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aeollm.tables.comparison import Interval

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

_SAME = 1e-12
"""Values this close, relative to their size, differ by rounding only."""
_CHUNK = 2**21
"""Resampled means held at a time: a few megabytes, whatever the number of columns."""
_FEW_RANKS = 8


@dataclass(frozen=True, slots=True, eq=False)
class Intervals:
    """Intervals of means; nan where fewer than two values are defined.

    ``left_out`` counts the resamples without a defined value; ``degenerate`` marks vectors of equal values,
    whose interval is a point.
    """

    low: Floats
    high: Floats
    left_out: NDArray[np.int64]
    degenerate: Bools


def bootstrap_intervals(
    values: ArrayLike,
    *,
    rng: np.random.Generator,
    resamples: int = 10_000,
    kind: Interval = "expanded-percentile",
    level: float = 0.95,
) -> Intervals:
    """Give an interval of the mean of every vector, by resampling its entries (the questions).

    All vectors see the same resamples. The same input gives the same bytes on every machine, and the interval of
    a vector does not depend on the others: sums are exact, since values are rounded to multiples of a power
    of two (to about 2**-48 of the largest with 20 questions).

    Parameters
    ----------
    values : array_like, shape (..., n)
        One number a question, nan where undefined; a mean is over the defined ones of each resample.
    rng : numpy generator; its state decides the resamples.
    resamples : how many.
    kind : "percentile" takes the quantiles at (1 - level) / 2 and 1 minus that. "expanded-percentile" takes
        them at the normal probabilities of -+ sqrt(n / (n - 1)) times Student's t quantile, n being the
        defined values (Hesterberg 2015, The American Statistician 69:371-386, section 3.2), so that few
        questions do not make it too narrow. "bca" corrects bias and skewness (Efron 1987), resamples that
        equal the mean counting half in the bias.
    level : the coverage aimed at.

    Examples
    --------
    >>> found = bootstrap_intervals([0.2, 0.4, 0.6, 0.8], rng=np.random.default_rng(0), kind="percentile")
    >>> round(float(found.low), 2), round(float(found.high), 2)
    (0.3, 0.7)
    """
    given = np.asarray(values, dtype=np.float64)
    flat = given.reshape(-1, given.shape[-1])
    counts = _resample_counts(given.shape[-1], resamples, rng)
    rows = max(1, _CHUNK // resamples)
    parts = [_intervals(flat[start : start + rows], counts, kind, level) for start in range(0, len(flat), rows)]
    shape = given.shape[:-1]
    low, high, left_out = (np.concatenate([np.empty(0), *column]) for column in zip(*parts, strict=True)) if parts else (
        np.empty(0),
    ) * 3
    return Intervals(
        low.reshape(shape), high.reshape(shape), left_out.astype(np.int64).reshape(shape), degenerate(flat).reshape(shape)
    )


def degenerate(values: Floats) -> Bools:
    """Say which vectors, shape (..., n), have two or more defined values, all equal up to rounding."""
    defined = ~np.isnan(values)
    highest = np.where(defined, values, -np.inf).max(axis=-1, initial=-np.inf)
    lowest = np.where(defined, values, np.inf).min(axis=-1, initial=np.inf)
    largest = np.maximum(np.abs(highest), np.abs(lowest))
    several = defined.sum(axis=-1) > 1
    spread = np.subtract(highest, lowest, out=np.full(highest.shape, np.inf), where=several)
    return np.asarray(spread <= _SAME * largest)


def exact_means(values: Floats) -> Floats:
    """Average every vector, shape (..., n), over its defined values with one rounding; nan without one."""
    defined = ~np.isnan(values)
    sums = exact_sums(np.where(defined, values, 0.0))
    counts = defined.sum(axis=-1)
    return np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0)


def exact_sums(values: Floats) -> Floats:
    """Sum every vector, shape (..., n), with one rounding: the same on every machine, in any order."""
    rows: Iterable[list[float]] = values.reshape(-1, values.shape[-1]).tolist()
    return np.array([math.fsum(row) for row in rows], dtype=np.float64).reshape(values.shape[:-1])


def _resample_counts(n: int, resamples: int, rng: np.random.Generator) -> Floats:
    """Say how often each entry is drawn, shape (n, resamples)."""
    if n == 0:
        return np.zeros((0, resamples))
    drawn = rng.integers(0, n, (resamples, n)) + n * np.arange(resamples)[:, None]
    counts = np.bincount(drawn.ravel(), minlength=n * resamples)
    return np.ascontiguousarray(counts.reshape(resamples, n).T, dtype=np.float64)


def _intervals(values: Floats, counts: Floats, kind: Interval, level: float) -> tuple[Floats, Floats, Floats]:
    """Give low, high and the resamples left out of vectors, shape (columns, n)."""
    defined = ~np.isnan(values)
    n = defined.sum(axis=-1)
    means, own = _resampled_means(np.where(defined, values, 0.0), defined, counts)
    left_out = np.isnan(means).sum(axis=-1)
    usable = (n > 1) & (left_out < means.shape[-1])
    levels = np.full((len(values), 2), 0.5)
    if usable.any():
        levels[usable] = _levels(values[usable], means[usable], own[usable], kind, level)
    low, high = _quantiles(means, levels, means.shape[-1] - left_out).T
    point = degenerate(values)
    mean = exact_means(values)
    low, high = (np.where(point, mean, np.where(usable, side, np.nan)) for side in (low, high))
    return low, high, np.where(n > 0, left_out, 0).astype(np.float64)


def _resampled_means(values: Floats, defined: Bools, counts: Floats) -> tuple[Floats, Floats]:
    """Give the mean of every resample, shape (columns, resamples), nan without a defined value, and the vector's own.

    Sums of whole multiples of a power of two below 2**53 are exact in float64, so that neither the order of
    summation (BLAS) nor fused multiplication can show, and equal means are equal numbers.
    """
    n = values.shape[-1]
    largest = np.frexp(np.abs(values).max(axis=-1, initial=0.0))[1]
    step = np.ldexp(1.0, largest - (52 - n.bit_length()))[:, None]
    units = np.rint(values / step)
    size = defined.sum(axis=-1, keepdims=True).astype(np.float64)
    sums, own = units @ counts, units.sum(axis=-1, keepdims=True)
    sizes = np.broadcast_to(size, sums.shape) if bool(defined.all()) else defined.astype(np.float64) @ counts
    means = np.divide(sums, sizes, out=np.full(sums.shape, np.nan), where=sizes > 0)
    own = np.divide(own, size, out=np.full(own.shape, np.nan), where=size > 0)
    return means * step, own * step


def _levels(values: Floats, means: Floats, own: Floats, kind: Interval, level: float) -> Floats:
    """Give the probabilities of the two quantiles to take, shape (columns, 2)."""
    from scipy import special  # noqa: PLC0415  scoring does not wait for scipy

    tail = (1 - level) / 2
    n = (~np.isnan(values)).sum(axis=-1).astype(np.float64)
    if kind == "percentile":
        return np.full((len(values), 2), (tail, 1 - tail))
    if kind == "expanded-percentile":
        lower = special.ndtr(np.sqrt(n / (n - 1)) * special.stdtrit(n - 1, tail))
        return np.stack([lower, 1 - lower], axis=-1)
    kept = (~np.isnan(means)).sum(axis=-1)
    below = ((means < own).sum(axis=-1) + 0.5 * (means == own).sum(axis=-1)) / kept
    # All resamples on one side would put the level at infinity; half a resample is what they cannot tell from none.
    bias = special.ndtri(np.clip(below, 0.5 / kept, 1 - 0.5 / kept))[:, None]
    shifted = bias + special.ndtri(np.array([tail, 1 - tail]))
    return np.asarray(special.ndtr(bias + shifted / (1 - _acceleration(values)[:, None] * shifted)))


def _acceleration(values: Floats) -> Floats:
    """Give the jackknife's acceleration of a mean (Efron and Tibshirani 1993, equation 14.15)."""
    away = np.nan_to_num(values - exact_means(values)[:, None])
    squares, cubes = exact_sums(away**2), exact_sums(away**3)
    scale = 6 * squares**1.5
    return np.divide(cubes, scale, out=np.zeros(len(values)), where=scale > 0)


def _quantiles(means: Floats, levels: Floats, kept: NDArray[np.int64]) -> Floats:
    """Interpolate quantiles between order statistics, numpy's default; nan entries stand behind the kept ones."""
    place = levels * np.maximum(kept - 1, 0)[:, None]
    below = np.floor(place).astype(np.intp)
    above = np.minimum(below + 1, np.maximum(kept - 1, 0)[:, None])
    ranks = np.unique([below, above])
    # Sorting is only worth its time when the columns look at many different ranks.
    ordered = np.partition(means, ranks, axis=-1) if len(ranks) <= _FEW_RANKS else np.sort(means, axis=-1)
    lower, upper = (np.take_along_axis(ordered, ranks_of, axis=-1) for ranks_of in (below, above))
    return np.asarray(lower + (upper - lower) * (place - below))
