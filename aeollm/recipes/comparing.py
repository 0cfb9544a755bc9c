"""The pairwise step: comparisons through a model of strengths onto the score scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aeollm.aggregation.pairwise import (
    Comparisons,
    comparisons_of,
    copeland_scores,
    fit_anchored,
    fit_bradley_terry,
    fit_davidson,
    win_rates,
)
from aeollm.errors import Problem, RecipeError, printable
from aeollm.tables import DIMENSIONS, OVERALL, AnswerScores, Judgments, Key, fitted

Floats = NDArray[np.float64]

_TOP = 10.0
_COUNTS = {"win-rate": win_rates, "copeland": copeland_scores}
_MODELS = {"davidson": fit_davidson, "bradley-terry": fit_bradley_terry}


def compared(judgments: Judgments, anchor: AnswerScores | None, options: Mapping[str, Any]) -> AnswerScores:
    """Give scores from comparisons under a step's options; dimensions not compared are the anchor's.

    Raises
    ------
    RecipeError
        For dimensions that were not compared, and options that need an anchor where there is none.
    """
    chosen = _chosen(judgments, anchor, options)
    answers = None if anchor is None else {q: [anchor.keys[row][1] for row in r] for q, r in anchor.questions.items()}
    comparisons = comparisons_of(_only(judgments, chosen), orders=options["orders"], answers=answers)
    centre = None if anchor is None else _anchors(comparisons, anchor)
    values, shares, problems = _strengths(comparisons, centre, options)
    numbers = shares * _TOP if options["scale"] == "win-share" else _on_scale(comparisons, values, centre)
    table = _table(judgments.name, comparisons, numbers)
    if anchor is not None:
        table = with_dimensions(anchor, table, table.dimensions)
    return replace(table, problems=tuple(problems))


def _chosen(judgments: Judgments, anchor: AnswerScores | None, options: Mapping[str, Any]) -> tuple[str, ...]:
    """Give the dimensions to fit, and refuse what cannot be."""
    chosen: tuple[str, ...] = options["dimensions"] or judgments.dimension_order
    problems = []
    unknown = [name for name in chosen if name not in judgments.dimension_order]
    if unknown:
        message = f"{printable(judgments.name)} compares no {printable(', '.join(unknown))}."
        remedy = f"It compares {printable(', '.join(judgments.dimension_order))}."
        problems.append(Problem("error", "unknown_dimension", message, remedy, column="dimensions"))
    if anchor is None and options["scale"] == "anchors":
        message = "there is no anchor whose mean and spread the strengths could take."
        remedy = "Name one under anchor, or write scale = win-share."
        problems.append(Problem("error", "no_anchor", message, remedy, column="scale"))
    if problems:
        raise RecipeError(judgments.name, problems)
    return chosen


def _only(judgments: Judgments, chosen: Sequence[str]) -> Judgments:
    """Keep the rows of these dimensions."""
    if set(chosen) >= set(judgments.dimensions):
        return judgments
    rows = [row for row, dimension in enumerate(judgments.dimensions) if dimension in chosen]

    def kept(column: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(column[row] for row in rows)

    return replace(
        judgments,
        questions=kept(judgments.questions),
        dimensions=kept(judgments.dimensions),
        left=kept(judgments.left),
        right=kept(judgments.right),
        winners=kept(judgments.winners),
        lines=kept(judgments.lines),
        judges=None if judgments.judges is None else kept(judgments.judges),
        repeats=None if judgments.repeats is None else kept(judgments.repeats),
    )


def _strengths(
    comparisons: Comparisons, centre: Floats | None, options: Mapping[str, Any]
) -> tuple[Floats, Floats, list[Problem]]:
    """Give strengths and win shares of all answers; counting models have only the latter."""
    model = options["model"]
    if model in _COUNTS:
        shares = _COUNTS[model](comparisons)
        return shares, shares, list(comparisons.problems)
    if centre is not None and options["strength"]:
        found = fit_anchored(comparisons, options["slope"] * centre, options["strength"], model=model)
    else:
        found = _MODELS[model](comparisons, ridge=options["ridge"])
    return found.values, found.win_shares, list(found.problems)


def _anchors(comparisons: Comparisons, anchor: AnswerScores) -> Floats:
    """Give the anchor's scores in the order of the comparisons' answers; the overall's is the mean of all dimensions.

    Raises
    ------
    RecipeError
        If an answer compared has none.
    """
    numbers, missing = [], []
    for question, dimension, answers in zip(
        comparisons.questions, comparisons.dimensions, comparisons.answers, strict=True
    ):
        wanted = anchor.dimensions if dimension == OVERALL else (dimension,)
        for answer in answers:
            own = [anchor.get((question, answer), name) for name in wanted]
            given = [float(value) for value in own if value is not None]
            if len(given) < len(own) or not own:
                missing.append((question, answer, dimension))
            numbers.append(sum(given) / max(len(given), 1))
    if missing:
        question, answer, dimension = missing[0]
        message = f"{len(missing)} answers compared have no anchor, the first being {printable(dimension)} of "
        message += f"question {printable(question)}, answer {printable(answer)}."
        remedy = "Score them, or leave them out of the comparisons."
        raise RecipeError(anchor.name, [Problem("error", "no_anchor", message, remedy)])
    return np.array(numbers)


def _on_scale(comparisons: Comparisons, values: Floats, centre: Floats | None) -> Floats:
    """Give strengths the anchors' mean and standard deviation of their question and dimension."""
    numbers = np.full(len(values), np.nan)
    for start, end in zip(comparisons.starts[:-1], comparisons.starts[1:], strict=True):
        own, anchors = values[start:end], (values if centre is None else centre)[start:end]
        spread = own.std()
        z = (own - own.mean()) / spread if spread > 0 else np.zeros(len(own))
        numbers[start:end] = np.where(np.isnan(own), np.nan, anchors.mean() + anchors.std() * z)
    return numbers


def _table(name: str, comparisons: Comparisons, numbers: Floats) -> AnswerScores:
    """Put flat numbers into a table; comparisons of whole answers give every dimension the same."""
    cells: dict[tuple[Key, str], Any] = {}
    found: dict[str, None] = {}
    groups = zip(comparisons.questions, comparisons.dimensions, comparisons.answers, strict=True)
    for (question, dimension, answers), start in zip(groups, comparisons.starts.tolist(), strict=False):
        for place, answer in enumerate(answers):
            for own in DIMENSIONS if dimension == OVERALL else (dimension,):
                found[own] = None
                cells[(question, answer), own] = fitted(float(numbers[start + place]))
    ordered = (*(own for own in DIMENSIONS if own in found), *(own for own in found if own not in DIMENSIONS))
    return AnswerScores.of_cells(name, ordered, cells)


def with_dimensions(base: AnswerScores, other: AnswerScores, taken: Sequence[str]) -> AnswerScores:
    """Give the base with some dimensions from another table; answers of both, in the base's order first."""
    keys = tuple(dict.fromkeys((*base.keys, *other.keys)))
    dimensions = tuple(dict.fromkeys((*base.dimensions, *taken)))
    table, own = base.in_order(keys, dimensions), other.in_order(keys, taken)
    values = table.values.copy()
    for d, dimension in enumerate(taken):
        values[:, dimensions.index(dimension)] = own.values[:, d]
    return replace(table, values=values)
