"""What holds for any two vectors, whatever they are."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeollm.measures import kendall, pair_counts, pairwise_accuracy, spearman

CORRELATIONS = (spearman, kendall)
MEASURES = (spearman, kendall, pairwise_accuracy)

# Small ranges make ties, long ones none; any float makes extremes.
VALUES = st.sampled_from(
    [
        st.integers(0, 1),
        st.integers(0, 4),
        st.integers(-(2**40), 2**40),
        st.sampled_from([0.0, -0.0, 7.0, 7.000000000000001, 7.5, 1e300, -1e300, 5e-324, math.inf, -math.inf]),
        st.floats(allow_nan=False),
    ]
)


@st.composite
def vectors(draw, n_vectors=2, smallest=0):
    """Draw vectors of one length, each from values of its own kind."""
    n = draw(st.integers(smallest, 40))
    return [np.array(draw(st.lists(draw(VALUES), min_size=n, max_size=n)), dtype=float) for _ in range(n_vectors)]


def same(value, expected):
    """Tell whether two values are the same number or both undefined."""
    return np.array_equal(value, expected, equal_nan=True)


@given(vectors())
def test_measures_stay_in_their_range(pair):
    for measure in CORRELATIONS:
        value = float(measure(*pair))
        assert math.isnan(value) or -1.0 <= value <= 1.0
    value = float(pairwise_accuracy(*pair))
    assert math.isnan(value) or 0.0 <= value <= 1.0


@given(vectors())
def test_measures_are_undefined_exactly_where_a_side_orders_nothing(pair):
    orders_nothing = any(len(set(vector.tolist())) < 2 for vector in pair)
    for measure in CORRELATIONS:
        assert math.isnan(float(measure(*pair))) == orders_nothing
    assert math.isnan(float(pairwise_accuracy(*pair))) == (len(pair[0]) < 2)


@given(vectors())
def test_measures_are_symmetric(pair):
    run, labels = pair
    for measure in MEASURES:
        assert same(measure(run, labels), measure(labels, run))
    counts, swapped = pair_counts(run, labels), pair_counts(labels, run)
    assert counts._replace(tied_run=counts.tied_labels, tied_labels=counts.tied_run) == swapped


@given(vectors(), st.randoms(use_true_random=False))
def test_the_order_and_the_names_of_the_answers_do_not_matter(pair, random):
    order = list(range(len(pair[0])))
    random.shuffle(order)
    shuffled = [vector[order] for vector in pair]
    for measure in MEASURES:
        assert same(measure(*shuffled), measure(*pair))
    assert pair_counts(*shuffled) == pair_counts(*pair)


@given(vectors(), st.data())
def test_a_strictly_increasing_change_of_scale_does_not_matter(pair, data):
    run, labels = pair
    known = np.unique(run)
    n_known = len(known)
    scale = data.draw(st.lists(st.floats(allow_nan=False), min_size=n_known, max_size=n_known, unique=True))
    changed = np.sort(scale)[np.searchsorted(known, run)] if n_known else run
    for measure in MEASURES:
        assert same(measure(changed, labels), measure(run, labels))
    assert pair_counts(changed, labels) == pair_counts(run, labels)


@given(vectors())
def test_turning_the_run_around_turns_the_sign(pair):
    run, labels = pair
    for measure in CORRELATIONS:
        assert same(measure(-run, labels), -measure(run, labels))
    counts, turned = pair_counts(run, labels), pair_counts(-run, labels)
    assert counts._replace(concordant=counts.discordant, discordant=counts.concordant) == turned


@given(vectors())
def test_every_pair_is_of_one_kind(pair):
    n = len(pair[0])
    counts = pair_counts(*pair)
    assert all(int(count) >= 0 for count in counts)
    assert sum(int(count) for count in counts) == n * (n - 1) // 2


@given(vectors(n_vectors=1, smallest=2))
def test_a_vector_agrees_with_itself(alone):
    (vector,) = alone
    assert float(pairwise_accuracy(vector, vector)) == 1.0
    if len(set(vector.tolist())) > 1:
        assert float(spearman(vector, vector)) == float(kendall(vector, vector)) == 1.0


@given(st.permutations(range(12)), st.permutations(range(12)))
def test_without_ties_accuracy_is_tau_on_another_scale(run, labels):
    assert float(pairwise_accuracy(run, labels)) == pytest.approx((1 + float(kendall(run, labels))) / 2, abs=1e-12)


@given(st.lists(vectors(smallest=6).map(lambda pair: [vector[:6] for vector in pair]), min_size=1, max_size=5))
def test_a_batch_gives_what_its_vectors_give_alone(pairs):
    run, labels = np.stack([pair[0] for pair in pairs]), np.stack([pair[1] for pair in pairs])
    for measure in MEASURES:
        assert same(measure(run, labels), [measure(*pair) for pair in pairs])
