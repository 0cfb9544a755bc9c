"""Criterion scores to dimension scores, by the weights of the rubric."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Literal

from aeollm.errors import JudgmentsError, Problem, printable
from aeollm.tables import DIMENSIONS, ORDERS, AnswerScores, CriterionScores, Key, Rubrics

Missing = Literal["renormalise", "undefined", "refuse"]
Orders = Literal["average", "original", "reversed"]
Cell = tuple[Key, str]
"""(question, answer), dimension."""

_FEW = 5


def dimension_scores(
    scores: CriterionScores,
    rubrics: Rubrics | None,
    *,
    orders: Orders = "average",
    missing: Missing = "renormalise",
) -> AnswerScores:
    """Give the weighted mean of each dimension's criteria, computed as fractions and rounded half-even to 12 digits.

    Repeats are averaged first, then judges, then orders, each alike, so that a cell with more repeats weighs no more.

    Parameters
    ----------
    scores : one row a score; criteria are named by their text, or by their number in the rubric from 1.
    rubrics : the criteria's weights; None weighs the criteria that occur in the file for a question all alike.
    orders : the criterion order to take, or the average of those that a criterion was scored in.
    missing : what a criterion without a score does: "renormalise" divides by the weights of those scored, "undefined"
        leaves the dimension without a score, "refuse" refuses the file.

    Raises
    ------
    JudgmentsError
        For questions, dimensions or criteria that the rubrics do not know, and for missing ones under "refuse".
    """
    places = _Places(scores, rubrics)
    means = _Means(scores, places.rows(), orders)
    found, gaps = _weighted(means, places, missing)
    if not found:
        message = f"no score was given in the {orders} order of criteria."
        raise JudgmentsError(scores.name, [Problem("error", "no_order", message, "Choose another order.")])
    problems = [*scores.problems, *means.one_order()]
    if gaps and missing == "refuse":
        raise JudgmentsError(scores.name, [*problems, *_told(gaps, "error")])
    dimensions = [name for name in places.dimensions if any(place == name for _, place in found)]
    table = AnswerScores.of_cells(scores.name, dimensions, found)
    return replace(table, problems=(*problems, *_told(gaps, "warning"))).rounded()


@dataclass
class _Places:
    """Where every row of the file belongs in the rubrics."""

    scores: CriterionScores
    rubrics: Rubrics | None
    problems: list[Problem] = field(default_factory=list)
    weights: dict[tuple[str, str], list[Fraction]] = field(default_factory=dict)
    _known: dict[tuple[str, str], dict[str, list[int]]] = field(default_factory=dict)

    @property
    def dimensions(self) -> tuple[str, ...]:
        """List the dimensions, the official ones first and in their order."""
        seen = tuple(dict.fromkeys(name for _, name in self.weights))
        return (*(name for name in DIMENSIONS if name in seen), *(name for name in seen if name not in DIMENSIONS))

    def rows(self) -> dict[Cell, list[tuple[int, int]]]:
        """Group the rows of the file by cell, each as the place of its criterion in the rubric and its number.

        Raises
        ------
        JudgmentsError
            With every question, dimension or criterion that is unknown.
        """
        scores, found = self.scores, dict[Cell, list[tuple[int, int]]]()
        self._know()
        for row, (key, dimension) in enumerate(zip(self._keys(), scores.dimensions, strict=True)):
            place = self._place(row)
            if place is not None:
                found.setdefault((key, dimension), []).append((place, row))
        if self.problems:
            raise JudgmentsError(scores.name, [*scores.problems, *self.problems])
        return found

    def _keys(self) -> Iterable[Key]:
        return zip(self.scores.questions, self.scores.answers, strict=True)

    def _know(self) -> None:
        """Index criteria by text and by number."""
        if self.rubrics is None:
            listed: dict[tuple[str, str], dict[str, None]] = {}
            for place, text in zip(self._groups(), self.scores.criteria, strict=True):
                listed.setdefault(place, {})[text] = None
            for place, texts in listed.items():
                self.weights[place] = [Fraction(1)] * len(texts)
                self._known[place] = {text: [number] for number, text in enumerate(texts)}
            return
        for question in dict.fromkeys(self.scores.questions):
            for dimension, criteria in self.rubrics.criteria.get(question, {}).items():
                place = (question, dimension)
                self.weights[place] = [c.weight.units * Fraction(10) ** c.weight.exponent for c in criteria]
                self._known[place] = _names([criterion.text for criterion in criteria])

    def _groups(self) -> Iterable[tuple[str, str]]:
        return zip(self.scores.questions, self.scores.dimensions, strict=True)

    def _place(self, row: int) -> int | None:
        """Find a row's criterion; a problem where there is none, or more than one."""
        question, dimension = self.scores.questions[row], self.scores.dimensions[row]
        text = self.scores.criteria[row]
        known = self._known.get((question, dimension))
        if known is None:
            self._unknown(row)
            return None
        found = known.get(text) or known.get(_folded(text)) or []
        if len(found) == 1:
            return found[0]
        kind, column = ("ambiguous_criterion" if found else "unknown_criterion"), "criterion"
        count = len(self.weights[question, dimension])
        shown = printable(text, 80)
        message = f"{shown!r} is " + ("several criteria" if found else "no criterion")
        message += f" of {dimension} for question {printable(question)}."
        remedy = f"Write the rubric's text, or its number from 1 to {count}."
        self._error(kind, message, remedy, row, column)
        return None

    def _unknown(self, row: int) -> None:
        question, dimension = self.scores.questions[row], self.scores.dimensions[row]
        own = [name for asked, name in self.weights if asked == question]
        if own:
            message = f"{printable(dimension)} is no dimension of question {printable(question)}."
            self._error("unknown_dimension", message, f"There is {', '.join(own)}.", row, "dimension")
            return
        message = f"there are no rubrics for question {printable(question)}."
        self._error("missing_rubric", message, "Add them, or leave the question out.", row, "questionId")

    def _error(self, kind: str, message: str, remedy: str, row: int, column: str) -> None:
        value = {"criterion": self.scores.criteria, "dimension": self.scores.dimensions}.get(column)
        shown = self.scores.questions[row] if value is None else value[row]
        place = (self.scores.lines[row], column, shown, self.scores.questions[row], self.scores.answers[row])
        self.problems.append(Problem("error", kind, message, remedy, *place))


def _names(texts: Sequence[str]) -> dict[str, list[int]]:
    """Map a criterion's text, and where no text is the same, its folded text and its number, to its places."""
    found: dict[str, list[int]] = {}
    for number, text in enumerate(texts):
        found.setdefault(text, []).append(number)
    folded: dict[str, list[int]] = {}
    for number, text in enumerate(texts):
        folded.setdefault(_folded(text), []).append(number)
    for number in range(len(texts)):
        found.setdefault(str(number + 1), [number])
    return {**folded, **found}


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


@dataclass
class _Means:
    """The mean score of every criterion, made for one cell at a time: there may be very many.

    ``orders`` are those to take; ``counts`` is in how many orders each criterion so far was scored.
    """

    scores: CriterionScores
    rows: Mapping[Cell, Sequence[tuple[int, int]]]
    orders: Orders
    counts: list[int] = field(default_factory=list)

    def of(self, cell: Cell) -> dict[int, Fraction]:
        """Give the means in the orders to take, by the criterion's place."""
        units, scale = self.scores.scores.units, Fraction(10) ** self.scores.scores.exponent
        found: dict[int, dict[str, dict[str, list[Fraction]]]] = {}
        for place, row in self.rows.get(cell, ()):
            order = self.scores.orders[row] if self.scores.orders is not None else ORDERS[0]
            judge = self.scores.judges[row] if self.scores.judges is not None else ""
            by_judge = found.setdefault(place, {}).setdefault(order, {})
            by_judge.setdefault(judge, []).append(int(units[row]) * scale)
        self.counts += map(len, found.values())
        means = ((place, self._mean_of(by_order)) for place, by_order in found.items())
        return {place: mean for place, mean in means if mean is not None}

    def _mean_of(self, by_order: Mapping[str, Mapping[str, Sequence[Fraction]]]) -> Fraction | None:
        taken = [by_judge for order, by_judge in by_order.items() if self.orders in ("average", order)]
        return _mean([_mean([_mean(own) for own in by_judge.values()]) for by_judge in taken]) if taken else None

    def one_order(self) -> list[Problem]:
        """Warn of criteria scored in one order where others were in both."""
        single = self.counts.count(1)
        if self.orders != "average" or single in (0, len(self.counts)):
            return []
        message = f"{single} of {len(self.counts)} criterion scores exist in one order only; they stand for both."
        return [Problem("warning", "one_order", message, "Ask again for the other order.")]


def _mean(values: Sequence[Fraction]) -> Fraction:
    return sum(values, Fraction(0)) / len(values)


def _weighted(
    means: _Means, places: _Places, missing: Missing
) -> tuple[dict[Cell, Fraction | None], dict[Cell, list[int]]]:
    """Give scores and missing criteria of answers with any score; a criterion of weight 0 is never missing."""
    found: dict[Cell, Fraction | None] = {}
    gaps: dict[Cell, list[int]] = {}
    for key in dict.fromkeys(key for key, _ in means.rows):
        names = [name for question, name in places.weights if question == key[0]]
        scored = {name: means.of((key, name)) for name in names}
        for dimension in names if any(scored.values()) else ():
            weights, own = places.weights[key[0], dimension], scored[dimension]
            absent = [place for place, weight in enumerate(weights) if weight and place not in own]
            total = sum((weights[place] for place in own), Fraction(0))
            if absent:
                gaps[key, dimension] = absent
            defined = bool(total) and not (absent and missing == "undefined")
            summed = sum((weights[place] * value for place, value in own.items()), Fraction(0))
            found[key, dimension] = summed / total if defined else None
    return found, gaps


def _told(gaps: Mapping[tuple[Key, str], Sequence[int]], severity: Literal["error", "warning"]) -> list[Problem]:
    problems = []
    for ((question, answer), dimension), absent in list(gaps.items())[:_FEW]:
        numbers = ", ".join(str(place + 1) for place in absent[:_FEW]) + (", …" if len(absent) > _FEW else "")
        message = (
            f"{dimension} of question {printable(question)}, answer {printable(answer)} lacks criterion {numbers}."
        )
        remedy = "Ask for these scores again." if severity == "error" else ""
        place = (None, "criterion", None, question, answer)
        problems.append(Problem(severity, "missing_criterion", message, remedy, *place))
    if len(gaps) > _FEW:
        message = f"{len(gaps)} dimension scores lack criteria, {sum(map(len, gaps.values()))} in all."
        problems.append(Problem(severity, "missing_criterion", message))
    return problems
