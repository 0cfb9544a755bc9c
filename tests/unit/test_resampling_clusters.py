"""Clusters end where every run above differs from every run below."""

import math

import numpy as np
import pytest

from aeollm.resampling import clusters

NAN = math.nan


def grouped(means, told_apart):
    """Number clusters, pairs (better, worse) being those that the test tells apart."""
    ahead = np.zeros((len(means), len(means)), dtype=bool)
    for better, worse in told_apart:
        ahead[better, worse] = True
    return clusters(np.array(means, dtype=float), ahead).tolist()


def all_but(n, alike=()):
    return [(a, b) for a in range(n) for b in range(a + 1, n) if (a, b) not in alike]


CASES = {
    "all differ": ([4, 3, 2, 1], all_but(4), [1, 2, 3, 4]),
    "none differs": ([4, 3, 2, 1], [], [1, 1, 1, 1]),
    "neighbours alike": ([4, 3, 2, 1], all_but(4, {(1, 2)}), [1, 2, 2, 3]),
    "ends alike hold all together": ([4, 3, 2, 1], all_but(4, {(0, 3)}), [1, 1, 1, 1]),
    "a chain": ([5, 4, 3, 2, 1], all_but(5, {(0, 1), (1, 2), (3, 4)}), [1, 1, 1, 2, 2]),
    "one pair across the middle": ([4, 3, 2, 1], all_but(4, {(1, 3)}), [1, 2, 2, 2]),
    "order of the file does not matter": ([1, 3, 2], [(1, 2), (2, 0), (1, 0)], [3, 1, 2]),
    "a lower mean ahead is no boundary": ([2, 1], [(1, 0)], [1, 1]),
    "undefined means have none": ([NAN, 2, 1], [(1, 2)], [0, 1, 2]),
    "one run": ([0.5], [], [1]),
    "nothing defined": ([NAN, NAN], [], [0, 0]),
    "no run": ([], [], []),
}


@pytest.mark.parametrize(("means", "told_apart", "expected"), CASES.values(), ids=CASES)
def test_clusters(means, told_apart, expected):
    assert grouped(means, told_apart) == expected


def test_a_hundred_runs_have_a_hundred_clusters():
    assert grouped(range(100, 0, -1), all_but(100)) == list(range(1, 101))
