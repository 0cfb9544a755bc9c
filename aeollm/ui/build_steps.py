"""A visitor's files and steps, and what comes of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from aeollm.errors import AeollmError, Problem, UsageError
from aeollm.files import Unreadable
from aeollm.recipes import (
    REPORTS,
    Built,
    Materials,
    Recipe,
    Step,
    build,
    read_materials,
    read_recipe,
    write_recipe,
)
from aeollm.sources import LabelSet
from aeollm.tables import Labels
from aeollm.ui.build_inputs import RUBRICS, Handed, used
from aeollm.ui.build_suggested import suggested
from aeollm.ui.uploads import MOST_ANSWERS

MOST_LEARNED = 2_000
"""Answers, and where anchoring is learned tenfold of them comparisons, that steps which learn from labels take."""
MOST_LEARNING = 4
"""Steps that learn, of which each fits again and again."""
_NAME = "built"


@dataclass(eq=False)
class Latest:
    """What a visitor's steps are by now, for what is still being built of earlier ones."""

    bench: Bench | None = None


@dataclass(frozen=True)
class Bench:
    """What one visitor has before him: files, steps, the recipe's name, and what was wrong with the last change.

    ``latest`` is the visitor's own. ``turn`` is the number of the browser's change that led here, if one did.
    ``uploaded`` are the paths of the files as they came.
    """

    handed: Handed = field(default_factory=Handed)
    steps: tuple[Step, ...] = ()
    name: str = _NAME
    problems: tuple[Problem, ...] = ()
    turn: int | None = None
    latest: Latest = field(default_factory=Latest, compare=False)
    uploaded: tuple[str, ...] = ()

    @classmethod
    def of(cls, handed: Handed, labels: Labels) -> Bench:
        """Start from what was handed in: the steps of its recipe, or those suggested."""
        if handed.recipe is not None:
            return cls(handed, handed.recipe.steps, handed.recipe.name)
        return cls(handed, suggested(handed, labels))

    @property
    def passed(self) -> bool:
        """Say whether the visitor has changed something since."""
        return self.latest.bench is not None and self.latest.bench is not self

    @property
    def recipe(self) -> Recipe:
        """Give the recipe that repeats the steps."""
        named = {name for step in self.steps for name in (*step.sources, *step.scores)}
        reports = self.handed.reports
        counted = reports is not None and any(step.kind.reports for step in self.steps)
        rubrics = RUBRICS if self.handed.rubrics is not None and any(s.do == "criteria" for s in self.steps) else None
        inputs = used(self.handed, named)
        return Recipe(self.name, inputs, self.steps, rubrics, reports.file if reports and counted else None)

    def before(self, number: int, takes: str) -> tuple[str, ...]:
        """List what a step can build on: inputs of the kind it takes, or scores there are by then."""
        if takes == "criterion scores":
            return self.handed.of("criterion scores")
        if takes == "pairwise judgments":
            return self.handed.of("pairwise judgments")
        return (*self.handed.of("run"), *(step.name for step in self.steps[:number]))


@dataclass(frozen=True, eq=False)
class Outcome:
    """What came of the steps on these labels: a run, or why there is none."""

    asked: tuple[Any, ...]
    label_set: LabelSet
    demo: bool
    recipe: Recipe | None = None
    built: Built | None = None
    problems: tuple[Problem, ...] = ()


def asked(bench: Bench, label_set: LabelSet) -> tuple[Any, ...]:
    """Give what an outcome depends on."""
    files = tuple((given.path, given.file) for given in bench.handed.files)
    return (files, write_recipe(bench.recipe), label_set.labels.digest, label_set.weights_signed)


def carried_out(bench: Bench, label_set: LabelSet) -> Outcome:
    """Carry the steps out under the recipe that is offered for download, as its reader reads it."""
    wanted = Outcome(asked(bench, label_set), label_set, bench.handed.demo)
    try:
        text = write_recipe(bench.recipe)
        recipe = _read(text)
        found = _materials(recipe, bench.handed, label_set)
        refuse_much(recipe, found)
        return replace(wanted, recipe=recipe, built=build(recipe, found))
    except Unreadable as unreadable:
        return replace(wanted, problems=(unreadable.problem,))
    except AeollmError as error:
        return replace(wanted, problems=error.problems)


def _materials(recipe: Recipe, handed: Handed, label_set: LabelSet) -> Materials:
    files = {name: handed.inputs[name].path for name in recipe.inputs}
    if recipe.reports is not None and handed.reports is not None:
        files[REPORTS] = handed.reports.path
    found = read_materials(recipe, files, labels=label_set.labels, rubrics=label_set.rubrics)
    return found if handed.rubrics is None else replace(found, rubrics=handed.rubrics)


def _read(text: str) -> Recipe:
    """Read a recipe; what is wrong is said of the step's number, since nobody sees the lines.

    Raises
    ------
    RecipeError
    """
    try:
        return read_recipe(text.encode("utf-8", "surrogatepass"))
    except AeollmError as error:
        starts = [number for number, line in enumerate(text.split("\n"), 1) if line == "[[step]]"]
        raise type(error)(error.source, [_of_step(problem, starts) for problem in error.problems]) from None


def _of_step(problem: Problem, starts: Sequence[int]) -> Problem:
    number = sum(start <= (problem.line or 0) for start in starts)
    told = f"step {number}: {problem.message}" if number else problem.message
    return replace(problem, message=told, line=None)


def refuse_much(recipe: Recipe, materials: Materials) -> None:
    """Keep what one visitor can ask for within bounds, as each fit of a step that learns takes its time.

    Raises
    ------
    UsageError
        With everything that is too much.
    """
    anchored = [step for step in recipe.steps if step.options.get("anchoring") == "learned"]
    learning = [step for step in recipe.steps if step.kind.learns or step in anchored]
    keys = {key for table in materials.scores.values() for key in table.keys}
    keys |= {key for own in materials.criteria.values() for key in zip(own.questions, own.answers, strict=True)}
    compared = max((len(materials.judgments[step.sources[0]]) for step in anchored), default=0)
    why = " in steps that learn from labels" if learning else ""
    counts = [
        (len(keys), MOST_LEARNED if learning else MOST_ANSWERS, f"answers{why}"),
        (compared, 10 * MOST_LEARNED, f"comparisons{why}"),
        (len(learning), MOST_LEARNING, "steps that learn from labels"),
    ]
    over = [f"{found:,} {what}; the page takes {most:,}." for found, most, what in counts if found > most]
    if over:
        remedy = "Use `python -m aeollm build`."
        raise UsageError("files", [Problem("error", "too_much", message, remedy) for message in over])
