"""The paired test of two runs: flip the sign of the difference on every question."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

MOST_EXACT = 26
"""Up to so many questions all sign patterns are counted, two times 2**13 sums a test."""
SLACK = 1e-12
"""Relative to the sum of the absolute differences: patterns as extreme as the one seen differ from it by rounding."""
_CHUNK = 2**19


@dataclass(frozen=True, slots=True, eq=False)
class SignFlip:
    """Two-sided p of every test (nan without a question), whether it is exact, and the smallest p reachable."""

    p: Floats
    exact: NDArray[np.bool_]
    smallest: Floats


def sign_flip_test(differences: ArrayLike, *, rng: np.random.Generator, resamples: int = 10_000) -> SignFlip:
    """Test whether the mean of paired differences is 0: under the null, each could as well have the other sign.

    Exact up to 26 defined differences: the share of all sign patterns whose sum is at least as far from 0 as the one
    seen. Beyond, ``(hits + 1) / (resamples + 1)`` over random patterns, the same for all tests. p is never 0.

    Parameters
    ----------
    differences : array_like, shape (..., n)
        One number a question; nan where undefined for either run: it takes no part.
    rng : numpy generator for the random patterns; unused where all tests are exact.
    resamples : how many random patterns.

    Examples
    --------
    >>> float(sign_flip_test([0.1, 0.2, 0.3, 0.1], rng=np.random.default_rng(0)).p)
    0.125
    """
    given = np.asarray(differences, dtype=np.float64)
    flat = given.reshape(-1, given.shape[-1])
    questions = (~np.isnan(flat)).sum(axis=-1)
    zeroed = np.nan_to_num(flat)
    exact = questions <= MOST_EXACT
    p = np.full(len(flat), np.nan)
    tested = exact & (questions > 0)
    p[tested] = _exact(zeroed[tested])
    if not exact.all():
        p[~exact] = _sampled(zeroed[~exact], rng, resamples)
    smallest = smallest_p(questions, resamples)
    shape = given.shape[:-1]
    return SignFlip(p.reshape(shape), exact.reshape(shape), smallest.reshape(shape))


def smallest_p(questions: NDArray[np.int64], resamples: int) -> Floats:
    """Give the smallest p that so many questions can reach: one pattern and its opposite, or one sampled pattern."""
    exact = np.exp2(1.0 - np.minimum(questions, MOST_EXACT))
    smallest = np.where(questions > MOST_EXACT, 1 / (resamples + 1), exact)
    return np.where(questions > 0, smallest, np.nan)


def _threshold(differences: Floats) -> Floats:
    """Give the absolute sum from which a pattern counts as at least as extreme as the one seen."""
    return np.asarray(np.abs(differences.sum(axis=-1)) - SLACK * np.abs(differences).sum(axis=-1))


def _exact(differences: Floats) -> Floats:
    """Count all sign patterns. A difference of 0 doubles the patterns and the hits alike, so that it is left out."""
    largest_first = np.argsort(-np.abs(differences), axis=-1, kind="stable")
    ordered = np.take_along_axis(differences, largest_first, axis=-1)
    nonzero = (differences != 0).sum(axis=-1)
    p = np.ones(len(differences))
    for width in np.unique(nonzero[nonzero > 0]).tolist():
        rows = np.flatnonzero(nonzero == width)
        step = max(1, _CHUNK >> (width + 1) // 2)
        for start in range(0, len(rows), step):
            part = rows[start : start + step]
            p[part] = _meet_in_the_middle(ordered[part, :width])
    return p


def _meet_in_the_middle(differences: Floats) -> Floats:
    """Give the share of sign patterns with an absolute sum of at least the threshold, shape (tests, n > 0).

    All sums of the first half and all of the second are listed; sorted, a binary search counts the pairs
    that reach the threshold. A pattern and its opposite have opposite sums, so that one side is counted.
    """
    n = differences.shape[-1]
    threshold = _threshold(differences)
    first, second = np.sort(_signed_sums(differences[:, ::2])), np.sort(_signed_sums(differences[:, 1::2]))
    # Falling, so that the searches come in rising order, which is several times faster.
    wanted = threshold[:, None] - first[:, ::-1]
    below = np.array([np.searchsorted(sums, row).sum() for sums, row in zip(second, wanted, strict=True)])
    patterns = 2.0**n
    return np.where(threshold > 0, 2 * (patterns - below) / patterns, 1.0)


def _signed_sums(differences: Floats) -> Floats:
    """List the sums of all sign patterns, shape (tests, 2**k)."""
    sums = np.zeros((len(differences), 1))
    for column in differences.T[:, :, None]:
        sums = np.concatenate([sums - column, sums + column], axis=-1)
    return sums


def _sampled(differences: Floats, rng: np.random.Generator, resamples: int) -> Floats:
    n = differences.shape[-1]
    threshold = _threshold(differences)[:, None]
    hits = np.zeros(len(differences), dtype=np.int64)
    at_once = max(1, _CHUNK // n)
    tests = max(1, _CHUNK // min(at_once, resamples))
    for start in range(0, resamples, at_once):
        signs = 2.0 * rng.integers(0, 2, (min(at_once, resamples - start), n)) - 1
        for place in range(0, len(differences), tests):
            some = slice(place, place + tests)
            hits[some] += (np.abs(differences[some] @ signs.T) >= threshold[some]).sum(axis=-1)
    return (hits + 1) / (resamples + 1)
