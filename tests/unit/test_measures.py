"""The measures at values known by hand, and where they are undefined."""

import math

import numpy as np
import pytest

from aeollm.measures import PairCounts, kendall, pair_counts, pairwise_accuracy, rank, spearman

NAN = math.nan

# run, labels, (rho, tau-b, accuracy), and the pairs: concordant, discordant, tied in run, in labels, in both.
HAND = {
    # Four pairs in order, one tied on each side: rho 5/6, tau 4 / sqrt(5 * 5), accuracy 4/6.
    # Project case C24 "which tau, and p-values for four answers" (tau-a would be 2/3, tau-c 3/4).
    "ties on either side": ([8.0, 7.5, 7.0, 7.0], [8.5, 7.0, 7.0, 5.5], (5 / 6, 0.8, 4 / 6), (4, 0, 1, 1, 0)),
    # The next three: the same case's other vectors.
    "no relation": ([2, 4, 1, 3], [1, 2, 3, 4], (0.0, 0.0, 1 / 2), (3, 3, 0, 0, 0)),
    "perfect": ([5.3, 8.0, 6.6, 7.2], [5.25, 8.1, 6.55, 7.35], (1.0, 1.0, 1.0), (6, 0, 0, 0, 0)),
    "reversed": ([9, 7, 5, 2], [1, 2, 3, 4], (-1.0, -1.0, 0.0), (0, 6, 0, 0, 0)),
    # The project's notes on statistics, "tau / accuracy by hand": people 1,1,2, participant 1,2,2.
    "one tie each, three answers": ([1, 2, 2], [1, 1, 2], (1 / 2, 1 / 2, 1 / 3), (1, 0, 1, 1, 0)),
    # The same notes: one swap among four; rho = 1 - 6 * 2 / (4 * 15).
    "one swap": ([1, 2, 4, 3], [1, 2, 3, 4], (0.8, 2 / 3, 5 / 6), (5, 1, 0, 0, 0)),
    # Centred ranks -1.5, -.5, 1, 1 and -1.5, .5, .5, .5 give rho 3 / sqrt(4.5 * 3); tau 3 / sqrt(5 * 3).
    "a pair tied in both": (
        [1, 2, 3, 3],
        [0, 9, 9, 9],
        (math.sqrt(2 / 3), 3 / math.sqrt(15), 4 / 6),
        (3, 0, 0, 2, 1),
    ),
    "two answers": ([0.1, 0.2], [3, 5], (1.0, 1.0, 1.0), (1, 0, 0, 0, 0)),
    # A constant run orders nothing: it agrees where the labels tie, and has no correlation.
    "constant run": ([7, 7, 7], [1, 2, 2], (NAN, NAN, 1 / 3), (0, 0, 2, 0, 1)),
    "constant labels": ([1, 2, 3], [5, 5, 5], (NAN, NAN, 0.0), (0, 0, 0, 3, 0)),
    "constant on both sides": ([4, 4, 4], [5, 5, 5], (NAN, NAN, 1.0), (0, 0, 0, 0, 3)),
    "one answer": ([4], [5], (NAN, NAN, NAN), (0, 0, 0, 0, 0)),
    "no answer": ([], [], (NAN, NAN, NAN), (0, 0, 0, 0, 0)),
}


@pytest.mark.parametrize(("run", "labels", "values", "pairs"), HAND.values(), ids=HAND)
def test_values_known_by_hand(run, labels, values, pairs):
    measured = [float(measure(run, labels)) for measure in (spearman, kendall, pairwise_accuracy)]
    assert measured == pytest.approx(values, abs=1e-12, nan_ok=True)
    assert tuple(int(count) for count in pair_counts(run, labels)) == pairs


@pytest.mark.parametrize("n", [2, 3, 7, 16, 31, 32, 33, 64, 65, 1000])
def test_a_perfect_order_scores_exactly_one_and_a_reversed_one_minus_one(n):
    labels = np.cumsum(np.random.default_rng(n).integers(1, 9, n)) / 10
    for measure in (spearman, kendall):
        assert float(measure(labels, labels)) == 1.0
        assert float(measure(labels**3, labels)) == 1.0
        assert float(measure(-labels, labels)) == -1.0
        assert float(measure(labels, labels[::-1])) == -1.0
    assert float(pairwise_accuracy(labels, labels)) == 1.0
    assert float(pairwise_accuracy(-labels, labels)) == 0.0


@pytest.mark.parametrize("n", [3, 16, 33, 65])
def test_equal_vectors_with_ties_score_exactly_one(n):
    labels = np.arange(n) // 2
    for measure in (spearman, kendall, pairwise_accuracy):
        assert float(measure(labels, labels)) == 1.0


def test_values_that_differ_in_the_last_place_are_not_tied():
    above = np.nextafter(7.0, 8.0)
    assert pair_counts([7.0, above], [1, 2]).concordant == 1
    assert float(kendall([7.0, above], [1, 2])) == 1.0


@pytest.mark.parametrize(
    ("run", "labels"),
    [
        # A difference of the two would overflow, underflow or be nan.
        ([-1.5e308, 1.5e308, 0.0], [1, 3, 2]),
        ([0.0, 1e-320, 5e-324], [1, 3, 2]),
        ([-math.inf, math.inf, 0.0], [1, 3, 2]),
        (np.array([-(2**63), 2**63 - 1, 0]), [1, 3, 2]),
        (np.array([0, 2**64 - 1, 2**63], dtype=np.uint64), [1, 3, 2]),
    ],
)
def test_values_are_compared_not_subtracted(run, labels):
    assert float(spearman(run, labels)) == float(kendall(run, labels)) == float(pairwise_accuracy(run, labels)) == 1.0


def test_minus_zero_ties_with_zero_and_infinities_with_themselves():
    assert pair_counts([-0.0, 0.0], [1, 1]).tied_both == 1
    assert pair_counts([math.inf, math.inf], [1, 2]).tied_run == 1


def test_undefined_vectors_leave_the_others_of_the_batch_alone():
    run = [[1, 2, 3], [2, 2, 2], [3, 2, 1]]
    np.testing.assert_array_equal(spearman(run, [1, 2, 3]), [1.0, NAN, -1.0])
    np.testing.assert_array_equal(kendall(run, [1, 2, 3]), [1.0, NAN, -1.0])
    np.testing.assert_array_equal(pairwise_accuracy(run, [1, 2, 3]), [1.0, 0.0, 0.0])


@pytest.mark.parametrize("shape", [(0, 4), (2, 0), (2, 1), (0, 0)])
def test_batches_without_pairs_keep_their_shape_and_are_undefined(shape):
    vectors = np.zeros(shape)
    for measure in (spearman, kendall, pairwise_accuracy):
        assert measure(vectors, vectors).shape == shape[:-1]
        assert np.isnan(measure(vectors, vectors)).all()
    assert all(count.shape == shape[:-1] and not count.any() for count in pair_counts(vectors, vectors))


@pytest.mark.parametrize("measure", [spearman, kendall, pairwise_accuracy, pair_counts])
@pytest.mark.parametrize(
    ("run", "labels", "reason"),
    [
        ([1, 2, 3], [1, 2], "length"),
        (3, [3], "length"),
        ([3], 3, "length"),
        ([1, NAN], [1, 2], "nan"),
        ([1, 2], [[1, 2], [NAN, 2]], "nan"),
        (["1", "2"], [1, 2], "numbers"),
        ([1, None], [1, 2], "numbers"),
        ([1j, 2], [1, 2], "numbers"),
    ],
)
def test_vectors_that_cannot_be_ranked_are_refused(measure, run, labels, reason):
    with pytest.raises(ValueError, match=reason):
        measure(run, labels)


def test_arguments_are_left_as_they_were():
    run, labels = np.array([[3, 1, 2], [1, 1, 2]]), np.array([2.0, 1.0, 1.0])
    kept = run.copy(), labels.copy()
    for measure in (spearman, kendall, pairwise_accuracy, pair_counts):
        measure(run, labels)
    np.testing.assert_array_equal(run, kept[0])
    np.testing.assert_array_equal(labels, kept[1])
    keys, sizes = np.array([[5, 2, 2, 9]]), np.array([3])
    rank(keys, sizes)
    np.testing.assert_array_equal(keys, [[5, 2, 2, 9]])
    np.testing.assert_array_equal(sizes, [3])


def test_a_ranking_numbers_the_groups_and_centres_the_average_ranks():
    ranking = rank(np.array([5, 2, 2, 9]))
    # Average ranks 3, 1.5, 1.5, 4; twice that minus n + 1.
    np.testing.assert_array_equal(ranking.centred, [1, -2, -2, 3])
    np.testing.assert_array_equal(ranking.dense, [1, 0, 0, 2])
    np.testing.assert_array_equal(np.array([5, 2, 2, 9])[ranking.order], [2, 2, 5, 9])
    assert int(ranking.tied_pairs) == 1
    assert int(ranking.sizes) == 4


def test_pair_counts_say_which_side_is_tied():
    counts = pair_counts([1, 1, 2], [1, 2, 3])
    assert isinstance(counts, PairCounts)
    assert (int(counts.tied_run), int(counts.tied_labels)) == (1, 0)
    counts = pair_counts([1, 2, 3], [1, 1, 2])
    assert (int(counts.tied_run), int(counts.tied_labels)) == (0, 1)
