"""Adjusted p-values of a family of tests."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def holm(p: ArrayLike) -> Floats:
    """Adjust p-values by Holm's step-down rule, which holds the chance of any false difference.

    Families run along the last axis; nan takes no part. Source: Holm 1979, Scandinavian Journal of Statistics 6:65-70.

    >>> holm([0.01, 0.04, 0.03]).round(2).tolist()
    [0.03, 0.06, 0.06]
    """
    given = np.asarray(p, dtype=np.float64)
    order, ordered, size = _ordered(given)
    steps = np.nan_to_num(ordered * (size - np.arange(given.shape[-1])), nan=0.0)
    return _back(np.maximum.accumulate(steps, axis=-1), order, given)


def benjamini_hochberg(p: ArrayLike) -> Floats:
    """Adjust p-values by Benjamini and Hochberg's rule, which holds the share of false differences.

    Families run along the last axis; nan takes no part. Source: Benjamini and Hochberg 1995, JRSS B 57:289-300.

    >>> benjamini_hochberg([0.01, 0.04, 0.03]).round(2).tolist()
    [0.03, 0.04, 0.04]
    """
    given = np.asarray(p, dtype=np.float64)
    order, ordered, size = _ordered(given)
    steps = np.nan_to_num(ordered * (size / np.arange(1, given.shape[-1] + 1)), nan=1.0)
    return _back(np.minimum.accumulate(steps[..., ::-1], axis=-1)[..., ::-1], order, given)


def _ordered(p: Floats) -> tuple[NDArray[np.intp], Floats, NDArray[np.int64]]:
    """Sort each family, nan last, and count its tests."""
    order = np.argsort(p, axis=-1, kind="stable")
    return order, np.take_along_axis(p, order, axis=-1), (~np.isnan(p)).sum(axis=-1, keepdims=True)


def _back(steps: Floats, order: NDArray[np.intp], given: Floats) -> Floats:
    adjusted = np.empty(given.shape)
    np.put_along_axis(adjusted, order, np.minimum(steps, 1.0), axis=-1)
    return np.where(np.isnan(given), np.nan, adjusted)
