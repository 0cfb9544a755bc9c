"""Randomised Tukey HSD: all pairs of runs tested together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aeollm.resampling.sign_flip import SLACK

Floats = NDArray[np.float64]

_CHUNK = 2**19


@dataclass(frozen=True, slots=True, eq=False)
class TukeyHSD:
    """Adjusted p of every pair, shape (pairs, columns), in the order of ``itertools.combinations``.

    ``questions`` (columns) are those complete for all runs that have any; ``smallest`` (columns) is the
    smallest adjusted p that so many questions and runs can reach.
    """

    p: Floats
    questions: NDArray[np.int64]
    smallest: Floats


def tukey_hsd_test(values: ArrayLike, *, rng: np.random.Generator, resamples: int = 10_000) -> TukeyHSD:
    """Test the differences of all pairs of runs against what the best and the worst of equal runs would show.

    Under the null, the runs' values on a question could be any one's: they are shuffled within every question, and a
    pair's adjusted p is ``(hits + 1) / (resamples + 1)``, a hit being a shuffle whose highest and lowest mean are at
    least as far apart as the pair's (Carterette 2012, ACM TOIS 30(1); Sakai 2018, "Laboratory Experiments in
    Information Retrieval", section 4.5.2). All columns see the same shuffles.

    Parameters
    ----------
    values : array_like, shape (runs, columns, n)
        One number a run and question, nan where undefined. Only questions defined for all runs count; a run
        that is undefined everywhere in a column takes no part in it.
    rng : numpy generator for the shuffles.
    resamples : how many.

    Examples
    --------
    >>> values = [[[0.9, 0.8, 0.9, 0.7]], [[0.5, 0.6, 0.4, 0.5]], [[0.5, 0.5, 0.6, 0.4]]]
    >>> found = tukey_hsd_test(values, rng=np.random.default_rng(0), resamples=9_999)
    >>> found.p[:, 0].round(2).tolist(), round(float(found.smallest[0]), 4)
    ([0.06, 0.06, 1.0], 0.0046)
    """
    given = np.asarray(values, dtype=np.float64)
    runs, columns, _ = given.shape
    first, second = np.triu_indices(runs, 1)
    p = np.full((len(first), columns), np.nan)
    questions = np.zeros(columns, dtype=np.int64)
    smallest = np.full(columns, np.nan)
    defined = ~np.isnan(given)
    taking_part = defined.any(axis=-1)
    for pattern in np.unique(taking_part, axis=1).T:
        members = np.flatnonzero(pattern)
        if len(members) < 2:
            continue
        which = np.flatnonzero((taking_part == pattern[:, None]).all(axis=0))
        pairs = pattern[first] & pattern[second]
        table = given[np.ix_(members, which)]
        complete = defined[np.ix_(members, which)].all(axis=0)
        p[np.ix_(pairs, which)] = _adjusted(np.where(complete, table, 0.0), rng, resamples)
        questions[which] = complete.sum(axis=-1)
        smallest[which] = smallest_hsd(questions[which], len(members), resamples)
    p[:, questions == 0] = np.nan
    return TukeyHSD(p, questions, smallest)


def smallest_hsd(questions: NDArray[np.int64], runs: int, resamples: int) -> Floats:
    """Give the smallest adjusted p that so many questions and runs can reach, nan without a question.

    A shuffle that gives one run the best value of every question and another the worst is always a hit, and
    ``(runs * (runs - 1)) ** (1 - questions)`` of the shuffles do.
    """
    with np.errstate(under="ignore"):
        exact = np.power(float(runs * (runs - 1)), 1.0 - questions)
    return np.where(questions > 0, np.maximum(exact, 1 / (resamples + 1)), np.nan)


def _adjusted(values: Floats, rng: np.random.Generator, resamples: int) -> Floats:
    """Give the adjusted p of every pair, shape (pairs, columns), of values that are 0 where they do not count."""
    runs = len(values)
    first, second = np.triu_indices(runs, 1)
    sums = values.sum(axis=-1)
    slack = SLACK * np.abs(values).max(axis=0, initial=0.0).sum(axis=-1)
    seen = np.abs(sums[first] - sums[second]) - slack
    # In an order of their own, so that the draws do not depend on the order in which runs were named.
    order = np.lexsort(values.reshape(runs, -1).T[::-1])
    ranges = np.sort(_shuffled_ranges(values[order], rng, resamples), axis=0)
    below = [np.searchsorted(drawn, own) for drawn, own in zip(ranges.T, seen.T, strict=True)]
    return (resamples - np.array(below).T + 1) / (resamples + 1)


def _shuffled_ranges(values: Floats, rng: np.random.Generator, resamples: int) -> Floats:
    """Give how far apart the highest and lowest sum of every shuffle are, shape (resamples, columns)."""
    runs, columns, n = values.shape
    by_question = np.ascontiguousarray(values.transpose(2, 0, 1))
    ranges = np.empty((resamples, columns))
    step = max(1, _CHUNK // (runs * columns))
    for start in range(0, resamples, step):
        size = min(step, resamples - start)
        sums = np.zeros((size, runs, columns))
        places = np.broadcast_to(np.arange(runs), (size, runs))
        for q in range(n):
            sums += by_question[q].take(rng.permuted(places, axis=1), axis=0)
        ranges[start : start + size] = sums.max(axis=1) - sums.min(axis=1)
    return ranges
