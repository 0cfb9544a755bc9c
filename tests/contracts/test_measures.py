"""The measures agree with scipy.stats, with counting pair by pair, and with themselves in every layout."""

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from aeollm.measures import (
    accuracy_of,
    compare,
    kendall,
    kendall_of,
    pair_counts,
    pairwise_accuracy,
    rank,
    spearman,
    spearman_of,
)

# Around the block of 32, its doublings and what they pad, and one long vector.
LENGTHS = (2, 3, 4, 5, 7, 8, 15, 16, 17, 30, 31, 32, 33, 48, 63, 64, 65, 95, 96, 97, 127, 128, 129, 160, 200, 1000)

# How many values each side draws from, per answer but at least two: ties on both sides, on one, on none.
KINDS = {
    "few values": (0, 0.1),
    "ties in the run": (0.25, 10**6),
    "ties in the labels": (10**6, 0.25),
    "some ties": (1, 2),
    "hardly a tie": (10**6, 10**6),
}


def draw(rng, n, values_per_answer):
    """Draw a vector that is not constant, in tenths as judges and people write them."""
    while True:
        vector = rng.integers(0, max(2, int(values_per_answer * n)), n)
        if vector.min() < vector.max():
            return vector / 10


@pytest.fixture(params=KINDS.values(), ids=KINDS)
def pairs_of(request):
    """Give a function that draws (run, labels) of a length, the labels loosely following the run."""
    per_answer = request.param

    def pairs(n, seed):
        rng = np.random.default_rng([n, seed])
        run, labels = (draw(rng, n, values) for values in per_answer)
        if seed % 2:
            order = np.argsort(np.argsort(run, kind="stable") + rng.normal(0, n / 4, n))
            labels[order] = np.sort(labels)
        return run, labels

    return pairs


def count_pairs(run, labels):
    """Count the kinds of pairs one pair at a time, in the order of PairCounts."""
    counts = [0, 0, 0, 0, 0]
    for (x, y), (other_x, other_y) in combinations(zip(run.tolist(), labels.tolist(), strict=True), 2):
        if x == other_x:
            counts[4 if y == other_y else 2] += 1
        elif y == other_y:
            counts[3] += 1
        else:
            counts[0 if (x < other_x) == (y < other_y) else 1] += 1
    return counts


@pytest.mark.parametrize("n", LENGTHS)
def test_correlations_are_those_of_scipy(pairs_of, n):
    for seed in range(8):
        run, labels = pairs_of(n, seed)
        assert float(spearman(run, labels)) == pytest.approx(stats.spearmanr(run, labels).statistic, abs=1e-12)
        expected = stats.kendalltau(run, labels, variant="b").statistic
        assert float(kendall(run, labels)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("n", [n for n in LENGTHS if n <= 200])
def test_pairs_are_those_counted_one_by_one(pairs_of, n):
    for seed in range(3):
        run, labels = pairs_of(n, seed)
        expected = count_pairs(run, labels)
        assert [int(count) for count in pair_counts(run, labels)] == expected
        agreeing = expected[0] + expected[4]
        assert float(pairwise_accuracy(run, labels)) == agreeing / (n * (n - 1) // 2)


@pytest.mark.parametrize("n", [1000, 50_000])
def test_long_vectors_have_the_pairs_that_scipy_implies(n):
    # From 46,341 different entries on the joint key of both sides leaves int32.
    rng = np.random.default_rng(n)
    run, labels = rng.permutation(n), rng.integers(0, n // 3, n)
    counts = pair_counts(run, labels)
    assert sum(int(count) for count in counts) == n * (n - 1) // 2
    assert float(kendall(run, labels)) == pytest.approx(stats.kendalltau(run, labels).statistic, abs=1e-12)
    assert float(spearman(run, labels)) == pytest.approx(stats.spearmanr(run, labels).statistic, abs=1e-12)


@pytest.mark.parametrize("n", [2, 3, 16, 31, 32, 33, 64, 65, 130])
def test_a_batch_gives_what_its_vectors_give_alone(n):
    rng = np.random.default_rng(n)
    run, labels = rng.integers(0, n, (3, 4, n)), rng.integers(0, 3, (3, 4, n))
    for measure in (spearman, kendall, pairwise_accuracy):
        alone = [[measure(run[i, j], labels[i, j]) for j in range(4)] for i in range(3)]
        np.testing.assert_array_equal(measure(run, labels), alone)
    for together, name in zip(pair_counts(run, labels), ("concordant", "discordant"), strict=False):
        alone = [[getattr(pair_counts(run[i, j], labels[i, j]), name) for j in range(4)] for i in range(3)]
        np.testing.assert_array_equal(together, alone)


@pytest.mark.parametrize("n", [5, 40])
def test_batches_of_different_shapes_broadcast(n):
    rng = np.random.default_rng(n)
    runs, labels = rng.integers(0, n, (3, 1, n)), rng.integers(0, n, (4, n))
    for measure in (spearman, kendall, pairwise_accuracy):
        values = measure(runs, labels)
        assert values.shape == (3, 4)
        alone = [[measure(runs[i, 0], labels[j]) for j in range(4)] for i in range(3)]
        np.testing.assert_array_equal(values, alone)
        np.testing.assert_array_equal(measure(labels, runs[0, 0]), [measure(vector, runs[0, 0]) for vector in labels])


@pytest.mark.parametrize("width", [1, 2, 6, 16, 32, 33, 40, 70, 300])
@pytest.mark.parametrize("kind", ["large", "small", "equal to the largest", "drawn"])
def test_padding_does_not_count(width, kind):
    rng = np.random.default_rng(width)
    sizes = np.append(rng.integers(0, width + 1, 12), [0, min(1, width), width])
    run, labels = rng.integers(0, 5, (2, len(sizes), width))
    padding = np.arange(width) >= sizes[:, None]
    fill = {"large": 99, "small": -99, "equal to the largest": 4, "drawn": None}[kind]
    if fill is not None:
        run[padding], labels[padding] = fill, fill
    first, second = rank(run, sizes), rank(labels, sizes)
    counts = compare(first, second)
    for k, size in enumerate(sizes):
        x, y = run[k, :size], labels[k, :size]
        assert [int(count[k]) for count in counts] == count_pairs(x, y)
        np.testing.assert_array_equal(spearman_of(first, second)[k], spearman(x, y))
        np.testing.assert_array_equal(kendall_of(counts)[k], kendall(x, y))
        np.testing.assert_array_equal(accuracy_of(counts)[k], pairwise_accuracy(x, y))
        np.testing.assert_array_equal(first.centred[k, :size], rank(x).centred)


@pytest.mark.parametrize("n", [4, 16, 40])
def test_integers_past_int64_rank_as_the_same_small_ones(n):
    # Weighted totals of long decimals arrive as Python integers.
    rng = np.random.default_rng(n)
    small, labels = rng.integers(-n, n, (3, n)), rank(rng.integers(0, n, (3, n)))
    large = np.array([[10**40 * int(value) + 7 for value in row] for row in small], dtype=object)
    expected, ranking = rank(small), rank(large)
    np.testing.assert_array_equal(spearman_of(ranking, labels), spearman_of(expected, labels))
    for count, other in zip(compare(ranking, labels), compare(expected, labels), strict=True):
        np.testing.assert_array_equal(count, other)
