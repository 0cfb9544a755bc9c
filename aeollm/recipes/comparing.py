"""The pairwise step: comparisons through a model of strengths onto the score scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from aeollm.aggregation.pairwise import (
    Comparisons,
    Strengths,
    comparisons_of,
    copeland_scores,
    fit_anchored,
    fit_bradley_terry,
    fit_davidson,
    win_rates,
)
from aeollm.aggregation.pairwise.anchors import AnchorChoice, fit_learned_anchors
from aeollm.aggregation.pairwise.scale import (
    anchors_of,
    centred_by_question,
    scores_of_answers,
    scores_of_strengths,
)
from aeollm.errors import Problem, RecipeError, printable
from aeollm.tables import DIMENSIONS, OVERALL, AnswerScores, Judgments, Labels

_TOP = 10
_SCALES = {
    "win-share": "10 x the expected share of wins against the question's other answers",
    "counts": "10 x the share of wins counted",
    "anchors": "strengths put on the anchor's mean in each question and its spread in each dimension",
}
_NO_PAIR = {
    "agreeing": "In every pair the winner changed with the order, or one is missing: orders = both keeps the former.",
    "both": "Every pair lacks a judgment in one order that could be read: orders = any takes the other.",
    "any": "None of the judgments could be read.",
}
_COUNTS = {"win-rate": win_rates, "copeland": copeland_scores}
_MODELS = {"davidson": fit_davidson, "bradley-terry": fit_bradley_terry}


@dataclass(frozen=True, eq=False)
class Compared:
    """Scores from comparisons; ``in_sample`` where a strength was learned from the labels that it is scored on.

    ``strengths`` are those behind the scores, None for models that count.
    """

    table: AnswerScores
    strengths: Strengths | None = None
    in_sample: AnswerScores | None = None


def compared(
    judgments: Judgments, anchor: AnswerScores | None, labels: Labels | None, options: Mapping[str, Any]
) -> Compared:
    """Give scores from comparisons under a step's options; dimensions not compared are the anchor's.

    Raises
    ------
    AeollmError
        For dimensions that were not compared, and options that need an anchor or labels where there are none.
    """
    _refuse_lacking(judgments, anchor, labels, options)
    chosen = _chosen(judgments, options)
    rows = [row for row, dimension in enumerate(judgments.dimensions) if dimension in chosen]
    answers = None if anchor is None else {q: [anchor.keys[row][1] for row in r] for q, r in anchor.questions.items()}
    comparisons = comparisons_of(judgments.only(rows), orders=options["orders"], answers=answers)
    if not len(comparisons.group):
        remedy = _NO_PAIR[options["orders"]]
        problem = Problem("error", "no_pairs", "no pair is left to compare.", remedy, column="orders")
        raise RecipeError(judgments.name, [*comparisons.problems, problem])
    whole = None if anchor is None else _with_overall(anchor)
    finish = _Finish(judgments.name, anchor, whole, options["scale"])
    if options["model"] in _COUNTS:
        shares = _TOP * _COUNTS[options["model"]](comparisons)
        table = scores_of_answers(judgments.name, comparisons, shares)
        return Compared(replace(finish, scale="counts").table(table, comparisons.problems))
    if options["anchoring"] == "learned" and whole is not None and labels is not None:
        return _learned(comparisons, finish, labels)
    found = _fitted(comparisons, whole, options)
    return Compared(finish.table(finish.scaled(found), found.problems), found)


@dataclass(frozen=True, eq=False)
class _Finish:
    """How strengths become the step's table; ``whole`` is the anchor with an overall, for comparisons of that."""

    name: str
    anchor: AnswerScores | None
    whole: AnswerScores | None
    scale: Any

    def scaled(self, strengths: Strengths) -> AnswerScores:
        """Put strengths on the score scale."""
        return scores_of_strengths(strengths, self.scale, self.whole)

    @property
    def _usual(self) -> Sequence[str]:
        return DIMENSIONS if self.anchor is None else self.anchor.dimensions

    def table(self, scores: AnswerScores, problems: Sequence[Problem]) -> AnswerScores:
        """Give whole-answer scores to dimensions not compared by themselves, and the anchor's where nothing was."""
        if OVERALL in scores.dimensions:
            own = [name for name in scores.dimensions if name != OVERALL]
            names = (*own, *(name for name in self._usual if name not in own))
            places = [scores.dimensions.index(name if name in own else OVERALL) for name in names]
            scores = replace(scores, dimensions=names, values=scores.values[:, places])
        if self.anchor is not None:
            scores = with_dimensions(self.anchor, scores, scores.dimensions)
        told = Problem("note", "scale", f"comparisons enter as {_SCALES[self.scale]}.")
        return replace(scores, name=self.name, problems=(*problems, told))


def _fitted(comparisons: Comparisons, anchor: AnswerScores | None, options: Mapping[str, Any]) -> Strengths:
    model = options["model"]
    if anchor is None or not options["strength"]:
        return _MODELS[model](comparisons, ridge=options["ridge"])
    centred, _ = centred_by_question(comparisons, anchors_of(comparisons, anchor))
    return fit_anchored(comparisons, options["slope"] * centred, options["strength"], model=model)


def _learned(comparisons: Comparisons, finish: _Finish, labels: Labels) -> Compared:
    """Learn how strongly strengths are drawn to the anchor, every question held out in turn."""
    whole = finish.whole
    if whole is None:
        raise TypeError("nothing can be drawn to an anchor that is not there")
    found, choices = fit_learned_anchors(comparisons, whole, labels)
    notes = [*found.problems, *(_told(choice) for choice in choices)]
    own = {choice.dimension: choice for choice in choices}
    centred, _ = centred_by_question(comparisons, anchors_of(comparisons, whole))
    slopes = np.array([own[dimension].slope for dimension in comparisons.dimensions])
    strengths = np.array([own[dimension].strength for dimension in comparisons.dimensions])
    seen = fit_anchored(comparisons, slopes[comparisons.of_answer] * centred, strengths)
    return Compared(finish.table(finish.scaled(found), notes), found, finish.table(finish.scaled(seen), ()))


def _told(choice: AnchorChoice) -> Problem:
    message = f"{choice.dimension} is drawn to the anchor with strength {choice.strength:g} and slope "
    message += f"{choice.slope:.4g}, learned from labels: Kendall {choice.held_out:.4f} on questions held out, "
    message += f"{choice.in_sample:.4f} on those learned from."
    return Problem("note", "learned", message, "Questions are held out, not systems, which all questions share.")


def _with_overall(anchor: AnswerScores) -> AnswerScores:
    """Add the mean of all dimensions, beside which whole answers were compared."""
    means: list[Fraction | None] = []
    for row in anchor.values.tolist():
        means.append(None if None in row else sum(row, Fraction(0)) / len(row))
    column = np.empty((len(means), 1), dtype=object)
    column[:, 0] = means
    return replace(anchor, dimensions=(*anchor.dimensions, OVERALL), values=np.hstack([anchor.values, column]))


def _refuse_lacking(
    judgments: Judgments, anchor: AnswerScores | None, labels: Labels | None, options: Mapping[str, Any]
) -> None:
    problems = []
    if anchor is None and options["scale"] == "anchors":
        message = "there is no anchor whose mean and spread the strengths could take."
        remedy = "Name one under anchor, or write scale = win-share."
        problems.append(Problem("error", "no_anchor", message, remedy, column="scale"))
    if options["scale"] == "anchors" and options["model"] in _COUNTS:
        message = f"{options['model']} gives shares, which are on the scale of win-share already."
        problems.append(Problem("error", "option", message, "Write scale = win-share.", column="scale"))
    if options["anchoring"] == "learned" and (anchor is None or labels is None or options["model"] != "davidson"):
        message = "learning how strongly to draw to an anchor takes an anchor, labels, and Davidson's model."
        remedy = "Name them, or write anchoring = stated."
        problems.append(Problem("error", "no_labels", message, remedy, column="anchoring"))
    if problems:
        raise RecipeError(judgments.name, problems)


def _chosen(judgments: Judgments, options: Mapping[str, Any]) -> tuple[str, ...]:
    chosen: tuple[str, ...] = options["dimensions"] or judgments.dimension_order
    unknown = [name for name in chosen if name not in judgments.dimension_order]
    if unknown:
        message = f"{printable(judgments.name)} compares no {printable(', '.join(unknown))}."
        remedy = f"It compares {printable(', '.join(judgments.dimension_order))}."
        raise RecipeError(judgments.name, [Problem("error", "unknown_dimension", message, remedy, column="dimensions")])
    return chosen


def with_dimensions(base: AnswerScores, other: AnswerScores, taken: Sequence[str]) -> AnswerScores:
    """Give the base with some dimensions from another table; answers of both, in the base's order first."""
    keys = tuple(dict.fromkeys((*base.keys, *other.keys)))
    dimensions = tuple(dict.fromkeys((*base.dimensions, *taken)))
    table, own = base.in_order(keys, dimensions), other.in_order(keys, taken)
    values = table.values.copy()
    for d, dimension in enumerate(taken):
        values[:, dimensions.index(dimension)] = own.values[:, d]
    return replace(table, values=values)
