"""Strengths on the scale of scores."""

from fractions import Fraction

import numpy as np
import pytest

from aeollm.aggregation.pairwise import (
    comparisons_of,
    fit_bradley_terry,
    fit_davidson,
    scores_of_strengths,
    uneven_spreads,
)
from aeollm.errors import JudgmentsError
from aeollm.tables import AnswerScores
from aeollm.tables.judgments import Judgments


def table(scores, dimensions=("insight",)):
    """Make anchors of {(question, answer): (score, ...)}."""
    cells = {
        (key, dimension): Fraction(str(score))
        for key, row in scores.items()
        for dimension, score in zip(dimensions, row, strict=True)
    }
    return AnswerScores.of_cells("anchors", dimensions, cells)


def two_questions():
    # a beats b three to one in question 1; in question 2 x and y win once each.
    rows = [("1", "insight", "a", "b", "left", str(n)) for n in range(3)] + [("1", "insight", "a", "b", "right", "3")]
    rows += [("2", "insight", "x", "y", "left", "0"), ("2", "insight", "x", "y", "right", "1")]
    *columns, judges = zip(*rows, strict=True)
    return comparisons_of(Judgments("j", "", *columns, lines=tuple(range(6)), judges=judges), orders="any")


def test_win_shares_times_ten():
    scores = scores_of_strengths(fit_bradley_terry(two_questions()))
    assert scores.keys == (("1", "a"), ("1", "b"), ("2", "x"), ("2", "y"))
    assert scores.values.ravel().tolist() == [Fraction("7.5"), Fraction("2.5"), 5, 5]


ANCHORS = {("1", "a"): [6], ("1", "b"): [4], ("2", "x"): [9], ("2", "y"): [9], ("2", "z"): [1]}


def test_mean_and_spread_of_the_anchors():
    scores = scores_of_strengths(fit_bradley_terry(two_questions()), "anchors", table(ANCHORS))
    # By hand: means 5 and 9 (z was not compared); spreads 1 and 0, root mean square sqrt(1/2).
    spread = np.sqrt(0.5)
    assert scores.floats.ravel() == pytest.approx([5 + spread, 5 - spread, 9, 9], abs=1e-9)
    assert scores.values[2, 0] == scores.values[3, 0] == 9


def test_what_is_no_scale_is_refused():
    strengths = fit_bradley_terry(two_questions())
    with pytest.raises(JudgmentsError, match="needs anchors"):
        scores_of_strengths(strengths, "anchors")
    with pytest.raises(JudgmentsError, match="Answer y of question 2 is compared on insight but has no anchor"):
        scores_of_strengths(strengths, "anchors", table({key: ANCHORS[key] for key in list(ANCHORS)[:3]}))
    with pytest.raises(JudgmentsError, match="equal within every question"):
        scores_of_strengths(strengths, "anchors", table({key: [3] for key in ANCHORS}))
    with pytest.raises(ValueError, match="scale is one of"):
        scores_of_strengths(strengths, "points")


def test_no_strength_is_no_score():
    separated = fit_davidson(comparisons_of(Judgments.of([("1", "insight", "a", "b", "left")]), orders="any"))
    for scores in (
        scores_of_strengths(separated),
        scores_of_strengths(separated, "anchors", table({("1", "a"): [6], ("1", "b"): [4]})),
    ):
        assert scores.missing == 2
    run = scores.to_run()
    assert len(run) == 0
    assert [problem.kind for problem in run.problems] == ["undefined_score"] * 2


def test_spreads_that_differ_threefold_are_told():
    rows = {("1", "a"): (6, 5, 4), ("1", "b"): (2, 3, 4), ("2", "a"): (9, 5, 4), ("2", "b"): (5, 4.3, 4)}
    names = ("insight", "readability", "constant")
    # Spreads by hand: 2 and 2; 1 and .35, root mean square .749: 2.67 times.
    assert uneven_spreads(table(rows, names)) == ()
    rows["1", "a"] = (6, 3, 4)
    problem = uneven_spreads(table(rows, names))[0]
    # 0 and .35: root mean square .247.
    assert "insight spreads 8.1 times as wide as readability" in problem.message
    assert uneven_spreads(table({("1", "a"): (6,), ("1", "b"): (2,)})) == ()
