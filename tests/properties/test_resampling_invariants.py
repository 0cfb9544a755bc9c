"""What holds for any comparison, whatever the values."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aeollm.resampling import (
    benjamini_hochberg,
    bootstrap_intervals,
    clusters,
    compare_runs,
    holm,
    sign_flip_test,
    tukey_hsd_test,
)
from aeollm.tables import Comparison, Plan, Policy
from tests.scored import scores

# Few values make ties and equal sums; any in [-1, 1] make none; nan is an undefined question.
VALUES = st.sampled_from(
    [
        st.integers(-2, 2).map(lambda tenth: tenth / 10),
        st.floats(-1, 1, allow_nan=False, allow_subnormal=False),
        st.sampled_from([0.0, 0.1, 0.30000000000000004, 0.3, math.nan]),
        st.sampled_from([0.5, math.nan]),
    ]
)
KINDS = st.sampled_from(["expanded-percentile", "percentile", "bca"])


@st.composite
def tables(draw, rows=(1, 4), columns=(1, 12)):
    """Draw a table of values, rows of one kind each."""
    n = draw(st.integers(*columns))
    m = draw(st.integers(*rows))
    return np.array([draw(st.lists(draw(VALUES), min_size=n, max_size=n)) for _ in range(m)])


def p_of(differences):
    return sign_flip_test(differences, rng=np.random.default_rng(0)).p


@given(tables())
def test_p_is_a_share_of_patterns_and_never_zero(table):
    found = sign_flip_test(table, rng=np.random.default_rng(0))
    defined = (~np.isnan(table)).sum(axis=1)
    assert np.isnan(found.p).tolist() == (defined == 0).tolist()
    some = defined > 0
    assert (found.p[some] >= found.smallest[some]).all()
    assert (found.p[some] <= 1).all()
    counts = found.p[some] * 2.0 ** defined[some]
    assert (counts == np.rint(counts)).all()


@given(tables(), st.randoms(use_true_random=False))
def test_p_knows_neither_sign_nor_order_nor_unit(table, random):
    order = list(range(table.shape[1]))
    random.shuffle(order)
    for other in (-table, table[:, order], table * 4):
        assert np.array_equal(p_of(table), p_of(other), equal_nan=True)


@given(tables(rows=(2, 5), columns=(1, 6)))
@settings(max_examples=50)
def test_tukeys_p_never_falls_as_runs_get_closer(table):
    values = table[:, None]
    found = tukey_hsd_test(values, rng=np.random.default_rng(0), resamples=99)
    complete = ~np.isnan(table[(~np.isnan(table)).any(axis=1)]).any(axis=0)
    first, second = np.triu_indices(len(table), 1)
    sums = np.where(complete, table, 0).sum(axis=1)
    apart = np.abs(sums[first] - sums[second])
    p = found.p[:, 0]
    by_distance = np.argsort(apart, kind="stable")
    by_distance = by_distance[~np.isnan(p[by_distance])]
    assert (np.diff(p[by_distance]) <= 0).all()
    assert (p[by_distance] >= 1 / 100).all()


@given(tables(), KINDS)
@settings(max_examples=60)
def test_intervals_lie_among_the_values_and_around_nothing_undefined(table, kind):
    found = bootstrap_intervals(table, rng=np.random.default_rng(0), kind=kind, resamples=60)
    defined = (~np.isnan(table)).sum(axis=1)
    with_interval = ~np.isnan(found.low)
    assert (with_interval == ((defined > 1) & (found.left_out < 60))).all()
    assert np.array_equal(with_interval, ~np.isnan(found.high))
    for row, low, high in zip(table[with_interval], found.low[with_interval], found.high[with_interval], strict=True):
        assert np.nanmin(row) - 1e-12 <= low <= high <= np.nanmax(row) + 1e-12


@given(st.lists(st.floats(0.0001, 1), min_size=1, max_size=20))
def test_adjusted_p_is_never_smaller_and_keeps_the_order(p):
    order = np.argsort(p, kind="stable")
    for adjust in (holm, benjamini_hochberg):
        adjusted = adjust(p)
        assert (adjusted >= np.array(p)).all()
        assert (adjusted <= 1).all()
        assert (np.diff(adjusted[order]) >= 0).all()
    assert (holm(p) >= benjamini_hochberg(p) - 1e-12).all()


@given(st.integers(1, 8), st.integers(0, 2**28 - 1))
def test_clusters_are_the_definition(n, bits):
    means = np.arange(n, 0.0, -1)
    ahead = np.zeros((n, n), dtype=bool)
    ahead[np.triu_indices(n, 1)] = [bits >> k & 1 for k in range(n * (n - 1) // 2)]
    numbers = clusters(means, ahead)
    ends = [i for i in range(n - 1) if ahead[: i + 1, i + 1 :].all()]
    assert numbers.tolist() == [1 + sum(end < i for end in ends) for i in range(n)]


@given(tables(rows=(2, 4), columns=(1, 8)), st.sampled_from(["skip", "zero", "strict"]), KINDS)
@settings(max_examples=40)
def test_a_comparison_is_json_that_comes_back(table, undefined, kind):
    runs = [scores(row, policy=Policy(undefined=undefined)) for row in table]
    names = [f"run {r}" for r in range(len(runs))]
    for correction in ("tukey", "holm"):
        content = compare_runs(runs, names, Plan(resamples=40, interval=kind, correction=correction)).to_json()
        text = json.dumps(content, allow_nan=False)
        assert json.dumps(Comparison.from_json(json.loads(text)).to_json()) == text


@given(tables(rows=(2, 2), columns=(1, 8)))
@settings(max_examples=60)
def test_exchanging_two_runs_exchanges_the_figures(table):
    one, other = (
        compare_runs([scores(row) for row in rows], ["x", "y"], Plan(resamples=40)).pairs
        for rows in (table, table[::-1])
    )
    assert np.array_equal(one.p, other.p, equal_nan=True)
    assert np.array_equal(one.difference, -other.difference, equal_nan=True)
    assert np.array_equal(one.wins, other.losses)
    assert np.array_equal(one.ties, other.ties)
    assert np.array_equal(one.detectable, other.detectable, equal_nan=True)
    assert one.low == pytest.approx(-other.high, abs=1e-12, nan_ok=True)
