"""A recipe's inputs, read as what its steps need."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from aeollm.calibration.structure import features_of_texts
from aeollm.errors import AeollmError, JudgmentsError, Problem, RecipeError, RunError, printable
from aeollm.files import (
    Unreadable,
    read_criterion_scores,
    read_features,
    read_judgments,
    read_rubrics,
    read_run,
    read_texts,
    recognise,
)
from aeollm.files.decoding import open_source
from aeollm.files.tabular import read_table
from aeollm.recipes.kinds import Takes
from aeollm.recipes.recipe import REPORTS, Recipe
from aeollm.tables import DIMENSIONS, AnswerScores, CriterionScores, Features, Judgments, Labels, Rubrics, Run

File = Path | bytes
T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Materials:
    """What a recipe works on, by the names of its inputs; ``digests`` are the SHA-256 of their files.

    ``features`` are what was counted in the reports; ``labels`` are used by steps that learn, and to tell what each
    step brings. ``rubrics`` weigh criteria, and dimensions where there are no labels; ``weights`` are those that the
    labels are scored under. ``refused`` says what is wrong with inputs that are left out (see `read_as_far`).
    """

    scores: Mapping[str, AnswerScores] = field(default_factory=dict)
    criteria: Mapping[str, CriterionScores] = field(default_factory=dict)
    judgments: Mapping[str, Judgments] = field(default_factory=dict)
    digests: Mapping[str, str] = field(default_factory=dict)
    rubrics: Rubrics | None = None
    features: Features | None = None
    weights: Rubrics | None = None
    labels: Labels | None = None
    refused: tuple[Problem, ...] = ()

    @property
    def of_overall(self) -> Rubrics | None:
        """Give what weighs the dimensions in the overall; None weighs them alike."""
        return self.rubrics if self.labels is None else self.weights

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Give what was said about the files, each with its input's name."""
        tables: list[tuple[str, tuple[Problem, ...]]] = []
        for group in (self.scores, self.criteria, self.judgments):
            tables += [(name, table.problems) for name, table in group.items()]
        told = ((name, problem) for name, own in tables for problem in own if problem.kind != "header")
        return tuple(_named(problem, name) for name, problem in told)


def files_beside(recipe: Recipe, folder: Path) -> dict[str, File]:
    """Give the files of inputs and reports as paths from a recipe's folder."""
    named = {**recipe.inputs, **({REPORTS: recipe.reports} if recipe.reports is not None else {})}
    return {name: folder / file for name, file in named.items()}


def read_materials(
    recipe: Recipe,
    files: Mapping[str, File],
    *,
    labels: Labels | None = None,
    rubrics: Rubrics | None = None,
    folder: Path | None = None,
) -> Materials:
    """Read the inputs that the steps use, each as what its step takes.

    Parameters
    ----------
    files : path or bytes of every input by name, and under `REPORTS` the reports (a folder, a table of them or of
        counts), where steps need them.
    labels, rubrics : as they were loaded; the recipe's own rubrics come first for criteria.
    folder : where the recipe's ``rubrics`` are; None for rubrics that were loaded.

    Raises
    ------
    RecipeError
        With the problems of all inputs, each with its name.
    """
    found = read_as_far(recipe, files, labels=labels, rubrics=rubrics, folder=folder)
    if found.refused:
        raise RecipeError(recipe.name, found.refused)
    return found


def read_as_far(
    recipe: Recipe,
    files: Mapping[str, File],
    *,
    labels: Labels | None = None,
    rubrics: Rubrics | None = None,
    folder: Path | None = None,
) -> Materials:
    """Do as `read_materials`, but leave out inputs that cannot be read: ``refused`` says why."""
    reader = _Reader(recipe.needed)
    for name in recipe.needed:
        reader.read(name, files.get(name), recipe.inputs[name])
    weights = rubrics
    if recipe.rubrics is not None and folder is not None:
        own = folder / recipe.rubrics
        # Dimensions of their own are known from the labels only.
        known = labels if labels is not None and labels.run_dimensions != DIMENSIONS else None
        rubrics = reader.take(recipe.rubrics, lambda: read_rubrics(own, known)) or rubrics
    features = None
    place = files.get(REPORTS)
    if place is not None:
        features = reader.take(recipe.reports or REPORTS, lambda: features_of(place))
    found = (reader.scores, reader.criteria, reader.judgments, reader.digests)
    return Materials(*found, rubrics, features, weights, labels, tuple(reader.problems))


@dataclass
class _Reader:
    needed: Mapping[str, Takes]
    scores: dict[str, AnswerScores] = field(default_factory=dict)
    criteria: dict[str, CriterionScores] = field(default_factory=dict)
    judgments: dict[str, Judgments] = field(default_factory=dict)
    digests: dict[str, str] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def read(self, name: str, file: File | None, shown: str) -> None:
        """Read one input as what is needed of it."""
        if file is None:
            message = f"{printable(name)}: {printable(shown)} is not among the files given."
            self.problems.append(Problem("error", "missing_file", message, "Add it.", value=shown))
        elif self.needed[name] == "criterion scores":
            criteria = self.take(name, lambda: read_criterion_scores(file, name=shown))
            if criteria is not None:
                self.criteria[name], self.digests[name] = criteria, criteria.digest
        elif self.needed[name] == "pairwise judgments":
            judgments = self.take(name, lambda: read_judgments(file, name=shown))
            if judgments is not None:
                self.judgments[name], self.digests[name] = judgments, judgments.digest
        else:
            run = self.take(name, lambda: _run(file, shown))
            if run is not None:
                self.scores[name], self.digests[name] = AnswerScores.of_run(run), run.digest

    def take(self, name: str, read: Callable[[], T]) -> T | None:
        """Call a reader; its problems are kept with the input's name."""
        try:
            return read()
        except Unreadable as unreadable:
            self.problems.append(_named(unreadable.problem, name))
        except AeollmError as error:
            self.problems += [_named(problem, name) for problem in error.problems]
        return None


def features_of(place: File) -> Features:
    """Count what is in reports, or read what was counted.

    Parameters
    ----------
    place : a folder of reports, a table of them (with a column ``text``), or a table of counts; or bytes.

    Raises
    ------
    AeollmError
    """
    if isinstance(place, bytes) or not place.is_dir():
        try:
            header = read_table(open_source(place).content).header
        except Unreadable as unreadable:
            raise JudgmentsError("reports", [unreadable.problem]) from None
        if "text" not in header:
            return read_features(place)
    return features_of_texts(read_texts(place))


def _run(file: File, shown: str) -> Run:
    """Read a run; a table of another kind is told what it looks like before its lines are taken for a run's.

    Raises
    ------
    RunError
    """
    content = open_source(file, shown).content if not isinstance(file, bytes) else file
    looks = recognise(content, shown)
    if looks not in ("run", "unknown"):
        message = f"this looks like {looks}; a run was expected."
        remedy = "Give a run file, or take it by the step for its kind."
        raise RunError(shown, [Problem("error", "other_kind", message, remedy)])
    return read_run(content, name=shown)


def _named(problem: Problem, name: str) -> Problem:
    return replace(problem, message=f"{printable(name)}: {problem.message}")
