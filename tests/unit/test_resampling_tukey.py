"""Randomised Tukey HSD where the shuffles can be listed, and where there is nothing to shuffle."""

import math
from itertools import combinations, permutations, product

import numpy as np
import pytest

from aeollm.resampling import tukey_hsd_test

NAN = math.nan


def tukey(values, resamples=10_000, seed=0):
    return tukey_hsd_test(values, rng=np.random.default_rng(seed), resamples=resamples)


def p_by_listing(values):
    """Give the exact adjusted p of every pair: all shuffles of every question, in whole numbers."""
    runs, _ = values.shape
    columns = values.T.tolist()
    ranges = []
    for shuffle in product(*(permutations(column) for column in columns)):
        sums = [sum(own) for own in zip(*shuffle, strict=True)]
        ranges.append(max(sums) - min(sums))
    sums = values.sum(axis=1).tolist()
    return [
        sum(drawn >= abs(sums[a] - sums[b]) for drawn in ranges) / len(ranges) for a, b in combinations(range(runs), 2)
    ]


@pytest.mark.parametrize("seed", range(3))
def test_all_shuffles_of_three_runs_and_five_questions(seed):
    values = np.random.default_rng(seed).integers(0, 6, (3, 5)) + np.array([[0], [1], [3]])
    expected = np.array(p_by_listing(values))
    found = tukey(values[:, None] / 10, resamples=20_000).p[:, 0]
    # Four standard errors of a share of 20,000.
    assert found == pytest.approx(expected, abs=4 * 0.5 / math.sqrt(20_000))


def test_two_runs_are_the_sign_flip():
    values = np.array([[3, 4, 5, 9], [1, 2, 4, 4]])
    assert p_by_listing(values) == [2 / 16]
    assert tukey(values[:, None] / 10).p[0, 0] == pytest.approx(2 / 16, abs=0.015)


def test_p_is_never_zero_and_identical_runs_have_one():
    values = np.stack([np.full(30, 0.9), np.full(30, 0.1), np.full(30, 0.1)])[:, None]
    found = tukey(values, resamples=99)
    assert found.p[:, 0].tolist() == [1 / 100, 1 / 100, 1.0]


@pytest.mark.parametrize(("runs", "questions"), [(3, 2), (4, 2), (3, 3), (2, 4)])
def test_the_smallest_p_is_that_of_the_most_extreme_runs(runs, questions):
    # One run best and another worst on every question, no two values alike.
    values = np.arange(runs)[:, None] + np.arange(questions) * 100
    expected = min(p_by_listing(values))
    found = tukey(values[:, None] / 1000)
    assert found.smallest[0] == pytest.approx(expected, abs=1e-12)
    assert found.p.min() == pytest.approx(expected, abs=0.02)


def test_many_questions_are_limited_by_the_shuffles_drawn():
    assert tukey(np.zeros((5, 1, 40)), resamples=499).smallest.tolist() == [1 / 500]


def test_only_questions_complete_for_all_count():
    values = np.array([[0.9, 0.8, 0.7, NAN], [0.5, 0.6, 0.5, 0.4], [0.1, NAN, 0.2, 0.1]])
    found = tukey(values[:, None])
    assert found.questions.tolist() == [2]
    assert found.p == pytest.approx(tukey(values[:, None, [0, 2]]).p, abs=0.02)


def test_a_run_that_is_undefined_everywhere_leaves_the_others_their_test():
    values = np.array([[[0.9, 0.8, 0.7]], [[0.5, 0.6, 0.5]], [[NAN] * 3], [[0.1, 0.3, 0.2]]])
    found = tukey(values)
    assert found.questions.tolist() == [3]
    assert np.isnan(found.p[:, 0]).tolist() == [False, True, False, True, False, True]
    assert found.p[[0, 2, 4], 0].tolist() == tukey(values[[0, 1, 3]]).p[:, 0].tolist()


def test_without_a_complete_question_there_is_no_p():
    found = tukey(np.array([[[0.9, NAN]], [[NAN, 0.6]], [[0.5, 0.6]]]))
    assert np.isnan(found.p).all()
    assert np.isnan(found.smallest).all()
    assert found.questions.tolist() == [0]


def test_no_pairs_no_p():
    assert tukey(np.zeros((1, 4, 3))).p.shape == (0, 4)
    assert tukey(np.full((3, 2, 3), NAN)).p.shape == (3, 2)


def test_columns_see_the_same_shuffles():
    values = np.random.default_rng(0).normal(size=(4, 1, 9))
    twice = np.concatenate([values, 2 * values], axis=1)
    found = tukey(twice, resamples=200)
    assert found.p[:, 0].tolist() == found.p[:, 1].tolist()


def test_a_hundred_runs():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(100, 2, 20)) * 0.05 + np.repeat([0.9, 0.1], 50)[:, None, None]
    found = tukey(values, resamples=300)
    first, second = np.triu_indices(100, 1)
    across = (first < 50) & (second >= 50)
    assert (found.p[across] == 1 / 301).all()
    assert (found.p[~across] > 0.01).all()
