"""What holds for any ratings and any labels."""

import json
import math
from dataclasses import asdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeollm.agreement import (
    adjudicators,
    best_tie_grid,
    intraclass_correlations,
    ranking_agreement,
    reference_scores,
    scale_diagnostics,
)
from aeollm.measures import kendall, pairwise_accuracy, spearman

RATINGS = st.sampled_from(
    [
        st.integers(0, 3).map(float),
        st.floats(0, 10, allow_subnormal=False),
        st.sampled_from([1.0, 2.5, math.nan]),
        st.sampled_from([math.nan, 4.0]),
    ]
)


@st.composite
def tables(draw, rows=(0, 8), columns=(1, 5)):
    """Draw items by annotators."""
    n, k = draw(st.integers(*rows)), draw(st.integers(*columns))
    return np.array([draw(st.lists(draw(RATINGS), min_size=k, max_size=k)) for _ in range(n)]).reshape(n, k)


@given(tables())
def test_any_table_gives_figures_or_reasons(table):
    found = intraclass_correlations(table)
    json.dumps(asdict(found), allow_nan=False)
    for icc in (*found.forms.values(), *found.unbalanced.values()):
        assert icc.value is None or icc.value <= 1
        assert icc.low is None or icc.value is None or icc.low <= icc.value + 1e-9 <= icc.high + 2e-9
    assert (found.reason is None) == any(icc.value is not None for icc in found.forms.values())
    assert found.items_used <= found.unbalanced_items <= found.items_total == len(table)


@given(tables(), st.randoms(use_true_random=False))
def test_icc_knows_no_order_and_no_names(table, random):
    rows, columns = list(range(table.shape[0])), list(range(table.shape[1]))
    random.shuffle(rows)
    random.shuffle(columns)
    one, other = (
        np.array([icc.value for icc in intraclass_correlations(given).forms.values()], dtype=float)
        for given in (table, table[rows][:, columns])
    )
    assert one == pytest.approx(other, rel=1e-6, abs=1e-9, nan_ok=True)


@given(tables(columns=(1, 4)))
def test_adjudicators_never_rate_alone_or_all(table):
    found = adjudicators(table)
    if found.any():
        decided = ~np.isnan(table[:, found]).all(axis=1)
        assert ((~np.isnan(table[:, ~found])).sum(axis=1)[decided] > 1).all()
        assert decided.sum() < len(table)


@given(tables(rows=(1, 6), columns=(2, 7)))
def test_no_order_without_ties_beats_the_maximum(table):
    found = reference_scores(table)
    rng = np.random.default_rng(0)
    for q, row in enumerate(table):
        labels = row[~np.isnan(row)]
        run = rng.permutation(len(labels)).astype(float)
        best = labels + run * 1e-12 if len(labels) else labels
        for measure, name in ((spearman, "spearman"), (kendall, "kendall"), (pairwise_accuracy, "accuracy")):
            most = found.tie_free_maximum[name][q]
            for order in (run, best):
                value = float(measure(order, labels)) if len(set(order.tolist())) == len(order) else math.nan
                assert not value > most + 1e-9
            assert math.isnan(most) == math.isnan(found.random[name][q])


@given(tables(rows=(1, 5), columns=(1, 7)), tables(rows=(1, 1), columns=(7, 7)))
def test_diagnostics_are_total(run, labels):
    gold = np.broadcast_to(labels[0, : run.shape[1]], run.shape)
    found = scale_diagnostics(run, gold)
    assert not any(np.isinf(column).any() for column in asdict(found).values())
    same = scale_diagnostics(run, run)
    assert np.nan_to_num(same.rmse).max() == 0
    grid = best_tie_grid(run, gold)
    assert grid.accuracy is None or grid.accuracy >= grid.without


@given(tables())
def test_ranking_agreement_is_total(table):
    found = ranking_agreement(table, [str(row % 3) for row in range(len(table))])
    assert (np.abs(found.kendall[~np.isnan(found.kendall)]) <= 1).all()
    assert np.isnan(found.kendall[found.shared < 2]).all()
