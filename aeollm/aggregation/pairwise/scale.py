"""From strengths to the scale of scores, on which alone they may enter a run."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from aeollm.aggregation.pairwise.comparisons import Comparisons
from aeollm.aggregation.pairwise.models import Strengths
from aeollm.aggregation.pairwise.pairs import Floats
from aeollm.errors import JudgmentsError, Problem
from aeollm.tables.answers import AnswerScores, fitted

Scale = Literal["win-share", "anchors"]

_TOP = 10
_UNEVEN = 3.0
_ROUNDING = 1e-9


def scores_of_strengths(
    strengths: Strengths, scale: Scale = "win-share", anchors: AnswerScores | None = None
) -> AnswerScores:
    """Put strengths on the scale of scores.

    Parameters
    ----------
    scale : "win-share" gives 10 x the expected share of wins against the question's other answers, ties half;
        "anchors" gives every question the anchors' mean there, and every dimension the anchors' spread within questions
        (root mean square of the questions' population standard deviations), the same in all questions. Either way the
        order of strengths is kept, and equal strengths stay equal.
    anchors : pointwise scores of the same answers.

    Returns
    -------
    AnswerScores
        The compared answers and dimensions; without a score where there is no strength.

    Raises
    ------
    JudgmentsError
        Where "anchors" are not given, lack a compared answer, or do not differ within any question.
    ValueError
        For a misspelt scale.
    """
    if scale not in get_args(Scale):
        raise ValueError(f"scale is one of {', '.join(get_args(Scale))}, not {scale!r}")
    if scale == "win-share":
        return scores_of_answers("pairwise", strengths.comparisons, _TOP * strengths.win_shares)
    if anchors is None:
        raise JudgmentsError("pairwise", [Problem("error", "no_anchors", "The scale of anchors needs anchors.")])
    comparisons = strengths.comparisons
    given = anchors_of(comparisons, anchors)
    centred, means = centred_by_question(comparisons, given)
    spread = _spreads(comparisons, centred)
    own = np.sqrt(_means(comparisons, strengths.values**2))[comparisons.of_answer]
    unit = np.divide(strengths.values, own, out=np.zeros_like(own), where=(own > _ROUNDING) | np.isnan(own))
    return scores_of_answers("pairwise", comparisons, means + spread * unit)


def scores_of_answers(name: str, comparisons: Comparisons, scores: Floats) -> AnswerScores:
    """Make a table of one figure an answer; nan is no score."""
    flat = scores.tolist()
    cells = {}
    for group, (question, dimension) in enumerate(zip(comparisons.questions, comparisons.dimensions, strict=True)):
        for place, answer in enumerate(comparisons.answers[group], start=int(comparisons.starts[group])):
            cells[(question, answer), dimension] = fitted(flat[place])
    return AnswerScores.of_cells(name, tuple(dict.fromkeys(comparisons.dimensions)), cells)


def anchors_of(comparisons: Comparisons, anchors: AnswerScores) -> Floats:
    """Look up every compared answer's anchor.

    Raises
    ------
    JudgmentsError
        For answers without one, all named.
    """
    found, lacking = [], []
    for question, dimension, answers in zip(
        comparisons.questions, comparisons.dimensions, comparisons.answers, strict=True
    ):
        for answer in answers:
            score = anchors.get((question, answer), dimension)
            found.append(np.nan if score is None else float(score))
            if score is None:
                lacking.append((question, answer, dimension))
    if lacking:
        raise JudgmentsError(anchors.name, [_lacks(*key) for key in lacking])
    return np.array(found, dtype=np.float64)


def _lacks(question: str, answer: str, dimension: str) -> Problem:
    return Problem(
        severity="error",
        kind="no_anchor",
        message=f"Answer {answer} of question {question} is compared on {dimension} but has no anchor there.",
        remedy="Give pointwise scores of all compared answers, or fit without anchors.",
        column=dimension,
        question=question,
        answer=answer,
    )


def centred_by_question(comparisons: Comparisons, figures: Floats) -> tuple[Floats, Floats]:
    """Give figures less their mean over the group's answers, and that mean, both one an answer."""
    means = _means(comparisons, figures)[comparisons.of_answer]
    return figures - means, means


def _means(comparisons: Comparisons, figures: Floats) -> Floats:
    totals = np.bincount(comparisons.of_answer, weights=figures, minlength=len(comparisons))
    return np.asarray(totals / np.maximum(comparisons.sizes, 1))


def _spreads(comparisons: Comparisons, centred: Floats) -> Floats:
    """Give every answer its dimension's spread of anchors within questions."""
    variances = _means(comparisons, centred**2)
    spreads = np.zeros(len(comparisons))
    problems = []
    for dimension in dict.fromkeys(comparisons.dimensions):
        own = np.array([name == dimension for name in comparisons.dimensions], dtype=bool)
        spreads[own] = np.sqrt(variances[own].mean())
        if not spreads[own].any():
            message = f"The anchors of {dimension} are equal within every question and give strengths no scale."
            problems.append(Problem("error", "constant_anchors", message, column=dimension))
    if problems:
        raise JudgmentsError("anchors", problems)
    return spreads[comparisons.of_answer]


def uneven_spreads(scores: AnswerScores) -> tuple[Problem, ...]:
    """Warn where one dimension spreads threefold another within questions, since a weighted total follows the wide one.

    Spreads are root mean squares of the questions' population standard deviations; constant dimensions do not count.
    """
    spreads = {}
    floats = scores.floats
    for d, dimension in enumerate(scores.dimensions):
        variances = []
        for rows in scores.questions.values():
            given = floats[list(rows), d]
            given = given[~np.isnan(given)]
            if len(given):
                variances.append(float(given.var()))
        spread = float(np.sqrt(np.mean(variances))) if variances else 0.0
        if spread > 0:
            spreads[dimension] = spread
    if len(spreads) < 2:
        return ()
    widest, narrowest = max(spreads, key=spreads.__getitem__), min(spreads, key=spreads.__getitem__)
    if spreads[widest] < _UNEVEN * spreads[narrowest]:
        return ()
    return (
        Problem(
            severity="warning",
            kind="uneven_spreads",
            message=f"Within questions {widest} spreads {spreads[widest] / spreads[narrowest]:.1f} times as wide as "
            f"{narrowest}: the weighted total follows {widest} beyond its weight.",
            remedy="Put the dimensions on scales of like spread, for instance the anchors'.",
        ),
    )
