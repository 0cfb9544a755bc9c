"""Bootstrap intervals of means over questions."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aeollm.tables.plan import Interval

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

_SAME = 1e-12
"""Values this close, relative to their size, differ by rounding only."""
_CHUNK = 2**20
"""Numbers held at a time: what caches hold, whatever the number of columns, questions and resamples."""
_SERIAL = 2**18
"""Products up to so many multiplications OpenBLAS does in one thread; starting others takes longer than the work."""
_FEW_RANKS = 8
_SMALLEST = 1e-200
"""Vectors of values below this are rounded to 0, since their steps would leave float64's range."""


@dataclass(frozen=True, slots=True, eq=False)
class Intervals:
    """Intervals of means; nan where fewer than two values are defined.

    ``left_out`` counts the resamples without a defined value; ``degenerate`` marks vectors of equal values,
    whose interval is a point.
    """

    low: Floats
    high: Floats
    left_out: Ints
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
        defined values (Hesterberg 2015, The American Statistician 69:371-386), so that few
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
    low, high = np.empty((2, len(flat)))
    left_out = np.empty(len(flat), dtype=np.int64)
    step = max(1, _CHUNK // resamples)
    for start in range(0, len(flat), step):
        rows = slice(start, start + step)
        low[rows], high[rows], left_out[rows] = _intervals(flat[rows], counts, kind, level)
    shape = given.shape[:-1]
    return Intervals(low.reshape(shape), high.reshape(shape), left_out.reshape(shape), degenerate(given))


def degenerate(values: Floats) -> Bools:
    """Say which vectors, shape (..., n), have two or more defined values, all equal up to rounding."""
    defined = ~np.isnan(values)
    highest = np.where(defined, values, -np.inf).max(axis=-1, initial=-np.inf)
    lowest = np.where(defined, values, np.inf).min(axis=-1, initial=np.inf)
    largest = np.maximum(np.abs(highest), np.abs(lowest))
    several = defined.sum(axis=-1) > 1
    spread = np.subtract(highest, lowest, out=np.full(highest.shape, np.inf), where=several)
    return np.asarray(several & (spread <= _SAME * largest))


def exact_means(values: Floats) -> Floats:
    """Average every vector, shape (..., n), over its defined values with one rounding; nan without one."""
    defined = ~np.isnan(values)
    sums = exact_sums(np.where(defined, values, 0.0))
    counts = defined.sum(axis=-1)
    return np.asarray(np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0))


def exact_sums(values: Floats) -> Floats:
    """Sum every vector, shape (..., n), with one rounding: the same on every machine, in any order."""
    rows: Iterable[list[float]] = values.reshape(-1, values.shape[-1]).tolist()
    return np.array([math.fsum(row) for row in rows], dtype=np.float64).reshape(values.shape[:-1])


def _resample_counts(n: int, resamples: int, rng: np.random.Generator) -> NDArray[np.uint8]:
    """Say how often each entry is drawn, shape (n, resamples); no count comes near 256 where n does not."""
    counts = np.empty((n, resamples), dtype=np.uint8)
    step = max(1, _CHUNK // n)
    for start in range(0, resamples, step):
        size = min(step, resamples - start)
        drawn = rng.integers(0, n, (size, n)) + n * np.arange(size)[:, None]
        counts[:, start : start + size] = np.bincount(drawn.ravel(), minlength=n * size).reshape(size, n).T
    return counts


def _intervals(values: Floats, counts: NDArray[np.uint8], kind: Interval, level: float) -> tuple[Floats, Floats, Ints]:
    """Give low, high and the resamples left out of vectors, shape (columns, n)."""
    defined = ~np.isnan(values)
    n = defined.sum(axis=-1)
    units, step = _whole_units(np.where(defined, values, 0.0))
    means, own = _resampled_means(units, defined, counts)
    left_out = np.isnan(means).sum(axis=-1)
    usable = (n > 1) & (left_out < means.shape[-1])
    levels = np.full((len(values), 2), 0.5)
    if usable.any():
        levels[usable] = _levels(values[usable], means[usable], own[usable], kind, level)
    ends = _quantiles(means, levels, means.shape[-1] - left_out) * step
    point = degenerate(values)
    mean = exact_means(values)
    low, high = (np.where(point, mean, np.where(usable, end, np.nan)) for end in ends.T)
    return low, high, left_out


def _whole_units(values: Floats) -> tuple[Floats, Floats]:
    """Give vectors as whole multiples of a power of two, and that power, shape (columns, 1).

    The sum of as many multiples stays below 2**53, so that it is exact in float64: neither the order of
    summation (BLAS) nor fused multiplication can show, and equal means are equal numbers.
    """
    largest = np.abs(values).max(axis=-1, initial=_SMALLEST)
    step = np.ldexp(1.0, np.frexp(largest)[1] - (52 - values.shape[-1].bit_length()))[:, None]
    return np.rint(values / step), step


def _resampled_means(units: Floats, defined: Bools, counts: NDArray[np.uint8]) -> tuple[Floats, Floats]:
    """Give the mean of every resample, shape (columns, resamples), nan without a defined value, and the given one."""
    means = np.empty((len(units), counts.shape[-1]))
    own = units.sum(axis=-1, keepdims=True)
    size, complete = defined.sum(axis=-1, keepdims=True), bool(defined.all())
    step = max(1, _SERIAL // units.size)
    for start in range(0, means.shape[-1], step):
        block = counts[:, start : start + step].astype(np.float64)
        np.matmul(units, block, out=means[:, start : start + step])
        if not complete:
            sizes = defined.astype(np.float64) @ block
            sizes[sizes == 0] = np.nan
            means[:, start : start + step] /= sizes
    if complete:
        means /= units.shape[-1]
    return means, np.divide(own, size, out=np.full(own.shape, np.nan), where=size > 0)


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
    shrinking = np.maximum(1 - _acceleration(values)[:, None] * shifted, _SAME)
    return np.asarray(special.ndtr(bias + shifted / shrinking))


def _acceleration(values: Floats) -> Floats:
    """Give the jackknife's acceleration of a mean (Efron and Tibshirani 1993, equation 14.15)."""
    away = np.nan_to_num(values - exact_means(values)[:, None])
    # It has no unit; in this one no power leaves float64's range.
    away /= np.abs(away).max(axis=-1, keepdims=True, initial=_SMALLEST)
    squares, cubes = exact_sums(away**2), exact_sums(away**3)
    scale = 6 * squares**1.5
    return np.divide(cubes, scale, out=np.zeros(len(values)), where=scale > 0)


def _quantiles(means: Floats, levels: Floats, kept: Ints) -> Floats:
    """Interpolate quantiles between order statistics, numpy's default; nan entries stand behind the kept ones."""
    place = levels * np.maximum(kept - 1, 0)[:, None]
    below = np.floor(place).astype(np.intp)
    above = np.minimum(below + 1, np.maximum(kept - 1, 0)[:, None])
    ranks = np.unique([below, above])
    # Sorting is only worth its time when the columns look at many different ranks.
    ordered = np.partition(means, ranks, axis=-1) if len(ranks) <= _FEW_RANKS else np.sort(means, axis=-1)
    lower, upper = (np.take_along_axis(ordered, ranks_of, axis=-1) for ranks_of in (below, above))
    return np.asarray(lower + (upper - lower) * (place - below))
