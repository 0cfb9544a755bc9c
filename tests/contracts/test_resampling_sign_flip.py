"""The paired test agrees with listing all patterns, and with scipy.stats.permutation_test."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from aeollm.resampling import sign_flip_test


def p_by_listing(tenths):
    """Count sign patterns one by one, in whole numbers."""
    seen = abs(sum(tenths))
    sums = [sum(s * t for s, t in zip(signs, tenths, strict=True)) for signs in product((-1, 1), repeat=len(tenths))]
    return sum(abs(total) >= seen for total in sums) / len(sums)


@pytest.mark.parametrize("seed", range(4))
def test_all_4096_patterns(seed):
    rng = np.random.default_rng(seed)
    # Small whole numbers make many patterns tie with the one seen; the test gets them as tenths, with rounding.
    tenths = rng.integers(-8, 10, (12, 12))
    found = sign_flip_test(tenths / 10, rng=rng)
    assert found.exact.all()
    assert found.p.tolist() == [p_by_listing(row) for row in tenths.tolist()]


@pytest.mark.parametrize("n", range(1, 12))
def test_every_number_of_questions(n):
    tenths = np.random.default_rng(n).integers(-5, 7, (6, n))
    found = sign_flip_test(tenths / 10, rng=np.random.default_rng(0))
    assert found.p.tolist() == [p_by_listing(row) for row in tenths.tolist()]


def test_every_p_is_an_even_count_of_patterns():
    # As the check value of the project's notes, .556640625 = 2280 / 4096: a pattern and its opposite count together.
    tenths = np.random.default_rng(5).integers(-8, 10, (200, 12))
    counts = sign_flip_test(tenths / 10, rng=np.random.default_rng(0)).p * 2**12
    assert (counts == np.rint(counts)).all()
    assert (counts % 2 == 0).all()


def scipys(differences, **options):
    zeros = np.zeros(len(differences))
    return stats.permutation_test(
        (differences, zeros),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        vectorized=True,
        **options,
    ).pvalue


@pytest.mark.parametrize("n", [2, 5, 9, 13])
def test_scipys_exact_test(n):
    differences = np.random.default_rng(n).normal(0.3, 1, (4, n))
    expected = [scipys(row, n_resamples=np.inf) for row in differences]
    assert sign_flip_test(differences, rng=np.random.default_rng(0)).p.tolist() == pytest.approx(expected, abs=1e-15)


def test_scipys_sampled_test():
    differences = np.random.default_rng(1).normal(0.25, 1, 50)
    expected = scipys(differences, n_resamples=20_000, rng=np.random.default_rng(2))
    found = float(sign_flip_test(differences, rng=np.random.default_rng(3), resamples=20_000).p)
    # Each has the standard error sqrt(p (1 - p) / B), here .0019.
    assert 0.02 < expected < 0.5
    assert found == pytest.approx(expected, abs=0.012)


def test_exact_and_sampled_agree_at_the_border():
    differences = np.random.default_rng(4).normal(0.2, 1, 26)
    exact = float(sign_flip_test(differences, rng=np.random.default_rng(0)).p)
    sampled = float(sign_flip_test(np.append(differences, 0.0), rng=np.random.default_rng(0), resamples=40_000).p)
    assert sampled == pytest.approx(exact, abs=0.01)
