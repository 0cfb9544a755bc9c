"""Intraclass correlations at published values, with missing ratings, and where there is none."""

import json
import math
from dataclasses import asdict
from fractions import Fraction

import numpy as np
import pytest

from aeollm.agreement import intraclass_correlations

NAN = math.nan
FORMS = ("(1,1)", "(2,1)", "(3,1)", "(1,k)", "(2,k)", "(3,k)")

# Shrout and Fleiss 1979, table 2: six targets, four judges.
SHROUT_FLEISS = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
# Project notes on statistics, "check values": exact fractions, published as .17 .29 .71 .44 .62 .91.
EXACT = dict(zip(FORMS, (448 / 2703, 184 / 635, 920 / 1287, 1792 / 4047, 736 / 1187, 3680 / 4047), strict=True))
# The intervals there, of pingouin and of R psych.
INTERVALS = dict(
    zip(FORMS, ((-0.13, 0.72), (0.02, 0.76), (0.34, 0.95), (-0.88, 0.91), (0.07, 0.93), (0.68, 0.99)), strict=True)
)


def values(found):
    return {form: icc.value for form, icc in found.forms.items()}


def test_shrout_and_fleiss():
    found = intraclass_correlations(SHROUT_FLEISS)
    assert values(found) == pytest.approx(EXACT, abs=1e-12)
    for form, (low, high) in INTERVALS.items():
        assert (found.forms[form].low, found.forms[form].high) == pytest.approx((low, high), abs=0.005)
    one, two = found.forms["(1,1)"], found.forms["(2,k)"]
    assert (one.f, one.df1, one.df2) == (pytest.approx(1.794678, abs=5e-7), 5, 18)
    assert (two.f, two.df1, two.df2) == (pytest.approx(11.027248, abs=5e-7), 5, 15)
    assert (found.items_used, found.items_total, found.raters, found.reason) == (6, 6, 4, None)


# Case C28 of the project's cases: three raters, i5 without C, i6 with A alone.
C28 = [[9, 7, 8], [6, 5, 7], [8, 8, 9], [4, 3, 6], [7, 6, NAN], [5, NAN, NAN]]
C28_VALUES = (0.7260869565, 0.7391304348, 0.8623188406, 0.8882978723, 0.8947368421, 0.9494680851)


def test_incomplete_items_are_left_out_of_the_two_way_forms():
    found = intraclass_correlations(C28)
    assert values(found) == pytest.approx(dict(zip(FORMS, C28_VALUES, strict=True)), abs=5e-11)
    assert (found.items_used, found.items_total, found.raters) == (4, 6, 3)


def test_the_unbalanced_form_uses_every_item_with_two_ratings():
    found = intraclass_correlations(C28)
    # By hand, one way: items of 24, 18, 25, 13 (three ratings) and 13 (two), N = 14.
    squares = sum(rating**2 for row in C28 for rating in row[:3] if rating == rating) - 25
    by_item = Fraction(24**2 + 18**2 + 25**2 + 13**2, 3) + Fraction(13**2, 2)
    between = (by_item - Fraction(93**2, 14)) / 4
    within = (int(squares) - by_item) / 9
    k0 = (14 - Fraction(4 * 9 + 4, 14)) / 4
    single = (between - within) / (between + (k0 - 1) * within)
    assert found.unbalanced_items == 5
    assert found.mean_ratings == pytest.approx(float(k0))
    assert found.unbalanced["(1,1)"].value == pytest.approx(float(single))
    assert found.unbalanced["(1,k)"].value == pytest.approx(float((between - within) / between))
    assert (found.unbalanced["(1,1)"].df1, found.unbalanced["(1,1)"].df2) == (4, 9)


def test_the_unbalanced_form_of_a_balanced_table_is_the_one_way_form():
    found = intraclass_correlations(SHROUT_FLEISS)
    assert found.mean_ratings == 4
    assert asdict(found.unbalanced["(1,1)"]) == pytest.approx(asdict(found.forms["(1,1)"]))
    assert asdict(found.unbalanced["(1,k)"]) == pytest.approx(asdict(found.forms["(1,k)"]))


UNDEFINED = {
    # Case C28, second file.
    "one rating each": ([[9, NAN, NAN], [NAN, 6, NAN], [NAN, NAN, 8], [4, NAN, NAN]], "each item has one rating"),
    "one annotator": ([[9], [6]], "each item has one rating"),
    "one item": ([[9, 8]], "fewer than two items have two ratings"),
    "no two complete items": ([[9, 8, 7], [6, 5, NAN], [6, NAN, 4]], "fewer than two items have the ratings of all"),
    "all ratings equal": ([[7, 7], [7, 7], [7, 7]], "all ratings are equal"),
    "no ratings": ([[NAN, NAN], [NAN, NAN]], "no item has a rating"),
    "no items": (np.empty((0, 3)), "no item has a rating"),
}


@pytest.mark.parametrize(("ratings", "reason"), UNDEFINED.values(), ids=UNDEFINED)
def test_where_there_is_none_the_reason_is_said(ratings, reason):
    found = intraclass_correlations(ratings)
    assert set(values(found).values()) == {None}
    assert found.reason == reason
    json.dumps(asdict(found), allow_nan=False)


def test_the_unbalanced_form_can_be_had_where_the_others_cannot():
    found = intraclass_correlations([[9, 8, NAN], [NAN, 5, 6], [3, NAN, 4]])
    assert found.reason == "fewer than two items have the ratings of all"
    assert found.items_used == 0
    assert found.unbalanced_reason is None
    assert found.unbalanced["(1,1)"].value > 0.8


def test_perfect_agreement_is_a_marked_point():
    found = intraclass_correlations([[1.1, 1.1, 1.1], [2.3, 2.3, 2.3], [3.7, 3.7, 3.7]])
    assert {(icc.value, icc.low, icc.high, icc.degenerate) for icc in found.forms.values()} == {(1.0, 1.0, 1.0, True)}


def test_a_constant_shift_is_forgiven_by_consistency_alone():
    found = intraclass_correlations([[1, 2], [2, 3], [4, 5], [7, 8]])
    assert found.forms["(3,1)"].value == 1.0
    assert found.forms["(3,1)"].degenerate
    absolute = found.forms["(2,1)"]
    # B = 2 * 21 / 3 = 14 (deviations -2.5 -1.5 .5 3.5), J = 4 * .5 = 2, E = 0: 14 / (14 + 2 * 2 / 4).
    assert absolute.value == pytest.approx(14 / 15)
    assert 0 < absolute.low < absolute.value < absolute.high < 1
    assert not absolute.degenerate


def test_items_that_do_not_differ():
    found = intraclass_correlations([[1, 3], [3, 1], [2, 2]])
    # B = 0: (1,1) is -1 / (k - 1); the mean's form divides by B.
    assert found.forms["(1,1)"].value == -1.0
    assert found.forms["(1,k)"].value is None
    assert found.forms["(3,k)"].value is None
    json.dumps(asdict(found), allow_nan=False)


@pytest.mark.parametrize("shift", [1e15, -1e15, 1e9])
def test_no_origin(shift):
    # Whole numbers below 2**53: the shifted ratings are exact.
    assert values(intraclass_correlations(np.array(SHROUT_FLEISS) + shift)) == pytest.approx(EXACT, abs=1e-9)


@pytest.mark.parametrize("scale", [1e-318, 1e-300, 1e-9, 1e300, 1e307])
def test_no_unit_and_no_overflow(scale):
    assert values(intraclass_correlations(np.array(SHROUT_FLEISS) * scale)) == pytest.approx(EXACT, abs=1e-9)


def test_annotators_without_ratings_are_none():
    table = np.column_stack([SHROUT_FLEISS, [NAN] * 6])
    assert intraclass_correlations(table) == intraclass_correlations(SHROUT_FLEISS)
