"""What each step of a recipe does: tables in, a table out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from aeollm.aggregation.criteria import dimension_scores
from aeollm.aggregation.judges import combine_judges
from aeollm.aggregation.ties import TieCount, break_ties, tie_problems
from aeollm.errors import Problem, RecipeError, printable
from aeollm.recipes.comparing import compared, with_dimensions
from aeollm.recipes.materials import Materials
from aeollm.recipes.recipe import Step
from aeollm.tables import ORDERS, AnswerScores

Tables = Mapping[str, AnswerScores]


@dataclass(frozen=True, eq=False)
class Outcome:
    """A step's scores, and what it would give in part: ``variants`` by what they are, such as one order alone.

    ``in_sample`` are, of steps that learn from labels, the scores of a fit that saw the question's own labels.
    ``notes`` are what is to be said about the step itself.
    """

    table: AnswerScores
    variants: tuple[tuple[str, AnswerScores], ...] = ()
    ties: tuple[TieCount, ...] = ()
    in_sample: AnswerScores | None = None
    notes: tuple[Problem, ...] = ()


def carry_out(step: Step, tables: Tables, materials: Materials) -> Outcome:
    """Carry out one step on inputs and the outcomes of earlier steps, by name.

    Raises
    ------
    AeollmError
        If its inputs do not allow it.
    """
    outcome = _DO[step.do](step, tables, materials)
    told = {problem for name in (*step.sources, *step.scores) for problem in _told(name, tables, materials)}
    notes = tuple(problem for problem in (*outcome.table.problems, *outcome.notes) if problem not in told)
    return replace(outcome, table=replace(outcome.table, name=step.name, problems=()), notes=notes)


def _told(name: str, tables: Tables, materials: Materials) -> tuple[Problem, ...]:
    """Give the problems of an input, which are told with it."""
    for group in (tables, materials.criteria, materials.judgments):
        if name in group:
            return group[name].problems
    return ()


def _run(step: Step, tables: Tables, _: Materials) -> Outcome:
    return Outcome(tables[step.sources[0]])


def _criteria(step: Step, _: Tables, materials: Materials) -> Outcome:
    scores, options = materials.criteria[step.sources[0]], _options(step)
    table = dimension_scores(scores, materials.rubrics, **options)
    notes = []
    if materials.rubrics is None:
        message = "there are no rubrics, so that all criteria of a question weigh the same."
        notes.append(Problem("warning", "equal_weights", message, "Name the folder of the rubrics."))
    given = set(scores.orders or ())
    if options["orders"] != "average" or len(given) < len(ORDERS):
        return Outcome(table, notes=tuple(notes))
    alone = [
        (f"{order} order alone", dimension_scores(scores, materials.rubrics, **{**options, "orders": order}))
        for order in ORDERS
    ]
    return Outcome(table, tuple(alone), notes=tuple(notes))


def _judges(step: Step, tables: Tables, _: Materials) -> Outcome:
    options = _options(step)
    weights = [Fraction(repr(weight)) for weight in options.pop("weights")] or None
    judges = [tables[name] for name in step.sources]
    return Outcome(combine_judges(judges, options["by"], weights=weights, missing=options["missing"], name=step.name))


def _pairwise(step: Step, tables: Tables, materials: Materials) -> Outcome:
    options = _options(step)
    anchor = tables[options["anchor"]] if options["anchor"] is not None else None
    found = compared(materials.judgments[step.sources[0]], anchor, materials.labels, options)
    return Outcome(found.table, in_sample=found.in_sample)


def _dimensions(step: Step, tables: Tables, _: Materials) -> Outcome:
    base, other = tables[step.sources[0]], tables[str(step.options["of"])]
    taken = _options(step)["dimensions"]
    unknown = [name for name in taken if name not in other.dimensions]
    if unknown:
        message = f"{printable(other.name)} has no scores for {printable(', '.join(unknown))}."
        remedy = f"It has {printable(', '.join(other.dimensions))}."
        raise RecipeError(step.name, [Problem("error", "unknown_dimension", message, remedy, column="dimensions")])
    return Outcome(with_dimensions(base, other, taken))


def _ties(step: Step, tables: Tables, materials: Materials) -> Outcome:
    primary, secondary = tables[step.sources[0]], tables[str(step.options["by"])]
    table, counts = break_ties(primary, secondary, materials.rubrics)
    return Outcome(table, ties=counts, notes=tuple(tie_problems(counts, weighed=materials.rubrics is not None)))


def _options(step: Step) -> dict[str, Any]:
    """Give a step's options, which the recipe's reader has checked."""
    return dict(step.options)


_DO: Mapping[str, Callable[[Step, Tables, Materials], Outcome]] = {
    "run": _run,
    "criteria": _criteria,
    "judges": _judges,
    "pairwise": _pairwise,
    "dimensions": _dimensions,
    "ties": _ties,
}
