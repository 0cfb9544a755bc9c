"""What each step of a recipe does: tables in, a table out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from aeollm.aggregation.criteria import dimension_scores
from aeollm.aggregation.judges import combine_judges
from aeollm.aggregation.pairwise import Strengths
from aeollm.aggregation.ties import TieCount, break_ties, tie_problems
from aeollm.calibration.corrections import Correction, blend_structure, correct_length, rescale
from aeollm.errors import AeollmError, Problem, RecipeError, printable
from aeollm.recipes.comparing import compared, with_dimensions
from aeollm.recipes.materials import Materials
from aeollm.recipes.recipe import Step
from aeollm.tables import ORDERS, AnswerScores, CriterionScores, Labels

_VAST = 1e9
_MOST_JUDGES = 10
_UNTAUGHT = {"no_labels", "few_labels", "unknown_dimension"}
"""Kinds of problems with labels that teach nothing of a dimension."""
Tables = Mapping[str, AnswerScores]


@dataclass(frozen=True, eq=False)
class Outcome:
    """A step's scores, and what it would give in part: ``variants`` by what they are, such as one order alone.

    ``in_sample`` are, of steps that learn from labels, the scores of a fit that saw the question's own labels.
    ``notes`` are what is to be said about the step itself; ``strengths`` those behind scores from comparisons.
    """

    table: AnswerScores
    variants: tuple[tuple[str, AnswerScores], ...] = ()
    ties: tuple[TieCount, ...] = ()
    in_sample: AnswerScores | None = None
    notes: tuple[Problem, ...] = ()
    strengths: Strengths | None = None


def carry_out(step: Step, tables: Tables, materials: Materials) -> Outcome:
    """Carry out one step on inputs and the outcomes of earlier steps, by name.

    Raises
    ------
    AeollmError
        If its inputs do not allow it.
    """
    if step.kind.learns or step.do == "pairwise":
        _refuse_vast(step, tables)
    outcome = _DO[step.do](step, tables, materials)
    told = {problem for name in (*step.sources, *step.scores) for problem in _told(name, tables, materials)}
    notes = tuple(problem for problem in (*outcome.table.problems, *outcome.notes) if problem not in told)
    return replace(outcome, table=replace(outcome.table, name=step.name, problems=()), notes=notes)


def _refuse_vast(step: Step, tables: Tables) -> None:
    """Refuse scores whose squares a fit could not hold.

    Raises
    ------
    RecipeError
    """
    for name in step.scores:
        largest = float(np.nanmax(np.abs(tables[name].floats), initial=0))
        if largest > _VAST:
            message = f"{printable(name)} holds {largest:.3g}; scores beyond {_VAST:.0e} cannot be fitted."
            raise RecipeError(step.name, [Problem("error", "too_large", message, "Use a smaller scale.")])


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
    return Outcome(table, tuple(_alone(scores, materials, options)), notes=tuple(notes))


def _alone(
    scores: CriterionScores, materials: Materials, options: dict[str, Any]
) -> Iterator[tuple[str, AnswerScores]]:
    """Give what each order, and each judge of several, would give alone."""
    if options["orders"] == "average" and len(set(scores.orders or ())) == len(ORDERS):
        for order in ORDERS:
            yield f"{order} order alone", dimension_scores(scores, materials.rubrics, **{**options, "orders": order})
    judges = dict.fromkeys(scores.judges or ())
    for judge in judges if 1 < len(judges) <= _MOST_JUDGES else ():
        rows = [row for row, who in enumerate(scores.judges or ()) if who == judge]
        yield f"judge {judge} alone", dimension_scores(scores.only(rows), materials.rubrics, **options)


def _judges(step: Step, tables: Tables, _: Materials) -> Outcome:
    options = _options(step)
    weights = [Fraction(repr(weight)) for weight in options.pop("weights")] or None
    judges = [tables[name] for name in step.sources]
    return Outcome(combine_judges(judges, options["by"], weights=weights, missing=options["missing"], name=step.name))


def _pairwise(step: Step, tables: Tables, materials: Materials) -> Outcome:
    options = _options(step)
    anchor = tables[options["anchor"]] if options["anchor"] is not None else None
    found = compared(materials.judgments[step.sources[0]], anchor, materials.labels, options)
    return Outcome(found.table, in_sample=found.in_sample, strengths=found.strengths)


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
    table, counts = break_ties(primary, secondary, materials.of_overall)
    return Outcome(table, ties=counts, notes=tuple(tie_problems(primary, table, counts, materials.of_overall)))


def _learned(step: Step, tables: Tables, materials: Materials) -> Outcome:
    """Correct scores by what labels teach; where they teach nothing, the scores may be passed on as they are."""
    try:
        return _corrected(step, tables, materials)
    except AeollmError as error:
        told = [own.message for own in error.problems if own.kind in _UNTAUGHT]
        if step.options["untaught"] == "refuse" or not told:
            raise
        notes = tuple(Problem("note", "untaught", f"nothing is corrected: {message}") for message in told)
        return Outcome(tables[step.sources[0]], notes=notes)


def _corrected(step: Step, tables: Tables, materials: Materials) -> Outcome:
    """Correct every question by what the labels of the others taught."""
    labels, features = materials.labels, materials.features
    problems = []
    if labels is None or not labels.labelled:
        message = f"{step.do} learns from labels, and there are none."
        problems.append(Problem("error", "no_labels", message, "Name labels, or leave the step out."))
    if step.kind.reports and features is None:
        message = f"{step.do} needs the reports, or a table of what was counted in them."
        problems.append(Problem("error", "no_reports", message, "Name them under reports."))
    if problems or labels is None:
        raise RecipeError(step.name, problems)
    table = seen = tables[step.sources[0]]
    notes: list[Problem] = []
    options = _options(step)
    for dimension in _corrected_dimensions(options, table, labels):
        if step.do == "rescale":
            found = rescale(table, labels, dimension, options["by"])
        elif features is not None:
            found = (correct_length if step.do == "length" else blend_structure)(table, labels, features, dimension)
        place = table.dimensions.index(dimension)
        values = seen.values.copy()
        values[:, place] = found.in_sample.values[:, place]
        table, seen = found.scores, replace(seen, values=values)
        notes += [*found.problems, _taught(found)]
    return Outcome(replace(table, problems=()), in_sample=seen, notes=tuple(notes))


def _corrected_dimensions(options: dict[str, Any], table: AnswerScores, labels: Labels) -> tuple[str, ...]:
    if "dimension" in options:
        return (options["dimension"],)
    return options["dimensions"] or tuple(name for name in table.dimensions if name in labels.dimensions)


def _taught(found: Correction) -> Problem:
    """Say what was learned, and what it is worth on questions held out beside those learned from."""
    learned = found.learned
    told = ", ".join(f"{name} {value:.4g}" for name, value in learned.learned.items())
    values = {"before": learned.before, "held out": learned.held_out, "in sample": learned.in_sample}
    worth = ", ".join(f"{'–' if own.kendall is None else f'{own.kendall:.4f}'} {name}" for name, own in values.items())
    message = f"{found.dimension}: learned {told}; Kendall {worth}."
    return Problem("note", "learned", message, "Questions are held out, not systems, which all questions share.")


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
    "length": _learned,
    "structure": _learned,
    "rescale": _learned,
}
