"""Third ratings of disputed items are found, and nothing else is taken for them."""

import math

import numpy as np
import pytest

from aeollm.agreement import adjudicators, intraclass_correlations, set_adjudication_aside

NAN = math.nan

CASES = {
    "a third where two differ": ([[7, 8, NAN], [4, 9, 8], [6, 6, NAN], [5, 6, NAN]], [False, False, True]),
    "a third everywhere": ([[7, 8, 7], [4, 9, 8], [6, 6, 6], [5, 6, 5]], [False, False, False]),
    "a third at random": ([[7, 8, NAN], [4, 9, NAN], [6, 6, 6], [5, 6, NAN]], [False, False, False]),
    "a third on the smaller disputes": ([[7, 8, 7], [4, 9, NAN], [6, 6, NAN], [5, 6, NAN]], [False, False, False]),
    "two share the thirds": (
        [[7, 8, NAN, NAN], [4, 9, 8, NAN], [6, 6, NAN, NAN], [2, 6, NAN, 5], [5, 5, NAN, NAN]],
        [False, False, True, True],
    ),
    "first ratings by several": (
        [[7, 8, NAN, NAN], [4, NAN, 9, 8], [NAN, 6, 6, NAN], [5, 6, NAN, NAN], [6, NAN, 7, NAN]],
        [False, False, False, True],
    ),
    "a third also alone": ([[7, 8, NAN], [4, 9, 8], [6, 6, NAN], [5, NAN, 4]], [False, False, False]),
    "two annotators": ([[7, 8], [4, 9], [6, NAN]], [False, False]),
    "nobody": (np.empty((0, 3)), [False, False, False]),
    "an empty column": ([[7, 8, NAN], [4, 9, NAN]], [False, False, False]),
    # Case C28 of the project's cases: C missed two of six, at random.
    "missing ratings": (
        [[9, 7, 8], [6, 5, 7], [8, 8, 9], [4, 3, 6], [7, 6, NAN], [5, NAN, NAN]],
        [False, False, False],
    ),
}


@pytest.mark.parametrize(("ratings", "expected"), CASES.values(), ids=CASES)
def test_who_adjudicates(ratings, expected):
    assert adjudicators(ratings).tolist() == expected


def test_adjudicated_ratings_never_enter_the_icc_of_the_first_two():
    rng = np.random.default_rng(0)
    first = rng.normal(6, 2, (40, 1)) + rng.normal(0, 1, (40, 2))
    disputed = np.abs(first[:, 0] - first[:, 1]) > 1.5
    assert 2 < disputed.sum() < 20
    third = np.where(disputed, first.mean(axis=1), NAN)
    with_third = np.column_stack([first, third])
    found = intraclass_correlations(set_adjudication_aside(with_third))
    assert found == intraclass_correlations(first)
    # Left in, the two-way forms would be computed on the disputed items alone.
    assert intraclass_correlations(with_third).items_used == disputed.sum()


def test_the_caller_may_say_who_or_which():
    ratings = np.array([[7, 8, 7], [4, 9, 8.0]])
    assert np.isnan(set_adjudication_aside(ratings, [False, False, True])).tolist() == [[False, False, True]] * 2
    which = [[False, False, False], [False, False, True]]
    assert np.isnan(set_adjudication_aside(ratings, which)).tolist() == which
    assert ratings[1, 2] == 8
