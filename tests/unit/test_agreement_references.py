"""What labels alone decide, by hand and against all orders listed."""

import math
from itertools import permutations

import numpy as np
import pytest
from scipy import stats

from aeollm.agreement import reference_scores
from aeollm.tables import MEASURES, Policy

NAN = math.nan
LABELS = ([1, 2, 3, 4], [1, 1, 2, 3], [2, 2, 2, 5], [1, 1, 2, 2], [3, 3, 3, 1])


def accuracy(run, labels):
    """Count pairs by the paper's rule."""
    n = len(run)
    signs = [(np.sign(run[i] - run[j]), np.sign(labels[i] - labels[j])) for i in range(n) for j in range(i)]
    return sum(ours == theirs for ours, theirs in signs) / len(signs)


def listed(labels):
    """Score every order without ties by scipy and by counting."""
    for order in permutations(range(len(labels))):
        yield stats.spearmanr(order, labels)[0], stats.kendalltau(order, labels)[0], accuracy(order, labels)


@pytest.mark.parametrize("labels", LABELS, ids=str)
def test_all_orders_listed(labels):
    found = reference_scores([labels])
    table = np.array(list(listed(labels)))
    for column, measure in enumerate(MEASURES):
        assert found.random[measure][0] == pytest.approx(table[:, column].mean(), abs=1e-12)
        assert found.tie_free_maximum[measure][0] == pytest.approx(table[:, column].max(), abs=1e-12)


@pytest.mark.parametrize("labels", LABELS, ids=str)
def test_a_constant_judge(labels):
    found = reference_scores([labels]).constant
    assert found["accuracy"][0] == accuracy([5] * 4, labels)
    assert math.isnan(found["spearman"][0])
    assert math.isnan(found["kendall"][0])


def test_labels_that_are_all_equal():
    found = reference_scores([[4, 4, 4]])
    assert [float(kind["accuracy"][0]) for kind in (found.random, found.constant, found.tie_free_maximum)] == [0, 1, 0]
    assert all(math.isnan(kind["kendall"][0]) for kind in (found.random, found.constant, found.tie_free_maximum))
    assert all(math.isnan(kind["spearman"][0]) for kind in (found.random, found.constant, found.tie_free_maximum))


def test_blank_answers_are_no_answers():
    blank = reference_scores([[1, NAN, 1, 2, NAN, 3], [NAN] * 6, [NAN, 2, NAN, NAN, NAN, NAN]])
    full = reference_scores([[1, 1, 2, 3]])
    for measure in MEASURES:
        assert blank.tie_free_maximum[measure][0] == full.tie_free_maximum[measure][0]
        assert np.isnan(blank.random[measure][1:]).all()
        assert np.isnan(blank.constant[measure][1:]).all()


def test_means_follow_the_policy():
    found = reference_scores([[[1, 2, 3], [4, 4, 4]]])
    assert found.means()["tie_free_maximum"]["kendall"].tolist() == [1.0]
    assert found.means(Policy(undefined="zero"))["tie_free_maximum"]["kendall"].tolist() == [0.5]
    assert np.isnan(found.means(Policy(undefined="strict"))["random"]["spearman"]).all()
    assert found.means()["random"]["accuracy"].tolist() == [0.25]
    assert np.isnan(found.means()["constant"]["kendall"]).all()


def test_published_shares_of_the_training_labels():
    # Official facts, 2.4: 101 of 1,200 instruction-following pairs tie, so that a tie-free run stays below .916. A
    # question of 16 answers in which seven pairs tie, say, has 7 of 120.
    labels = [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 9]
    found = reference_scores([labels])
    assert found.tie_free_maximum["accuracy"][0] == pytest.approx(1 - 7 / 120)
    assert found.random["accuracy"][0] == pytest.approx(0.5 * (1 - 7 / 120))
    assert found.constant["accuracy"][0] == pytest.approx(7 / 120)
