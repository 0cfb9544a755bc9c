"""Strengths agree with choix, which fits one table at a time by other algorithms."""

import numpy as np
import pytest

from aeollm.aggregation.pairwise import Comparisons, fit_bradley_terry, separations

choix = pytest.importorskip("choix")


def contests(seed, size, share=1.0):
    """Draw winners of pairs under strengths of unequal distance; some pairs are not compared."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=size)
    met = [(i, j) for i in range(size) for j in range(i) if rng.random() < share for _ in range(rng.integers(1, 4))]
    return [(i, j) if rng.random() < 1 / (1 + np.exp(truth[j] - truth[i])) else (j, i) for i, j in met]


def table(pairs, size):
    wins = np.zeros((size, size))
    for winner, loser in pairs:
        wins[winner, loser] += 1
    return Comparisons.of_counts(wins)


CASES = [
    (seed, size, share) for seed, (size, share) in enumerate([(5, 1.0), (8, 0.8), (16, 1.0), (16, 0.5), (40, 0.4)])
]


@pytest.mark.parametrize(("seed", "size", "share"), CASES)
def test_maximum_likelihood(seed, size, share):
    pairs = contests(seed, size, share)
    compared = table(pairs, size)
    # The rest of this test says nothing about separated tables.
    assert not separations(compared, ties=False)
    ours = fit_bradley_terry(compared)
    assert ours.values == pytest.approx(choix.ilsr_pairwise(size, pairs, max_iter=2_000, tol=1e-10), abs=1e-6)
    assert ours.values == pytest.approx(choix.mm_pairwise(size, pairs, max_iter=20_000, tol=1e-9), abs=1e-5)


@pytest.mark.parametrize(("seed", "size", "share"), CASES)
@pytest.mark.parametrize("ridge", [0.01, 0.5, 10.0])
def test_ridge(seed, size, share, ridge):
    pairs = contests(seed, size, share)
    expected = choix.opt_pairwise(size, pairs, alpha=ridge, tol=1e-10)
    assert fit_bradley_terry(table(pairs, size), ridge=ridge).values == pytest.approx(expected, abs=1e-7)


def test_ridge_where_there_is_no_maximum():
    # choix's notes on regularisation: without it chains of wins have no estimate.
    pairs = [(0, 1), (1, 2), (2, 3), (4, 5)]
    compared = table(pairs, 6)
    assert separations(compared, ties=False)[0].islands == (("0", "1", "2", "3"), ("4", "5"))
    expected = choix.opt_pairwise(6, pairs, alpha=0.1, tol=1e-10)
    assert fit_bradley_terry(compared, ridge=0.1).values == pytest.approx(expected, abs=1e-7)


def test_a_tie_is_two_half_wins():
    # What choix's maintainer advises for ties (its issue 17): every contest twice, a tie once each way.
    pairs, ties = contests(9, 8), [(0, 1), (2, 5), (0, 7)]
    wins, tied = np.zeros((8, 8)), np.zeros((8, 8))
    for winner, loser in pairs:
        wins[winner, loser] += 1
    for i, j in ties:
        tied[i, j] = tied[j, i] = tied[i, j] + 1
    doubled = [*pairs, *pairs, *ties, *(pair[::-1] for pair in ties)]
    expected = choix.ilsr_pairwise(8, doubled, max_iter=2_000, tol=1e-10)
    assert fit_bradley_terry(Comparisons.of_counts(wins, tied)).values == pytest.approx(expected, abs=1e-6)


def test_likelihood():
    pairs = contests(3, 6)
    ours = fit_bradley_terry(table(pairs, 6), ridge=0.2)
    assert ours.log_likelihood[0] == pytest.approx(choix.log_likelihood_pairwise(pairs, ours.values))
