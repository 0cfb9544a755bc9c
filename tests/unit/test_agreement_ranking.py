"""Tau between annotators against scipy, question by question."""

import math
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from aeollm.agreement import ranking_agreement

NAN = math.nan


def test_scipys_tau_on_every_question():
    rng = np.random.default_rng(0)
    questions = [f"q{q}" for q in rng.integers(0, 6, 90)]
    ratings = rng.integers(1, 6, (90, 3)).astype(float)
    ratings[rng.random(ratings.shape) < 0.1] = NAN
    found = ranking_agreement(ratings, questions)
    assert found.pairs == ((0, 1), (0, 2), (1, 2))
    assert found.questions == tuple(dict.fromkeys(questions))
    for (p, (a, b)), (q, question) in ((x, y) for x in enumerate(found.pairs) for y in enumerate(found.questions)):
        own = ratings[[name == question for name in questions]][:, [a, b]]
        own = own[~np.isnan(own).any(axis=1)]
        assert found.shared[p, q] == len(own)
        assert found.kendall[p, q] == pytest.approx(stats.kendalltau(*own.T)[0], abs=1e-12)


def test_means_count_what_is_defined():
    found = ranking_agreement([[1, 1], [2, 2], [1, 5], [1, 6], [3, 4]], ["a", "a", "b", "b", "c"])
    assert np.isnan(found.kendall).tolist() == [[False, True, True]]
    assert found.mean(0) == (1.0, 1)
    assert found.shared.tolist() == [[2, 2, 1]]


def test_nothing_shared_has_no_mean():
    found = ranking_agreement([[1, NAN], [NAN, 2]], ["a", "a"])
    assert found.mean(0) == (None, 0)


@pytest.mark.parametrize("ratings", [np.empty((0, 2)), np.ones((2, 1))])
def test_no_items_or_one_annotator(ratings):
    found = ranking_agreement(ratings, ["a"] * len(ratings))
    assert found.kendall.shape == (len(list(combinations(range(ratings.shape[1]), 2))), min(len(ratings), 1))
