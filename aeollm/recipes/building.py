"""A recipe carried out: the run, and what every step brought."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from aeollm.aggregation.orders import OrderEffect, order_effects
from aeollm.aggregation.pairwise import PositionBias, Strengths, pairs_of, position_bias
from aeollm.aggregation.pairwise.scale import uneven_spreads
from aeollm.aggregation.ties import TieCount, tied_pairs
from aeollm.errors import AeollmError, Problem, RecipeError, Severity, printable
from aeollm.files import Inspection, inspect_run
from aeollm.recipes.ablation import Stage, of_dimensions, staged
from aeollm.recipes.materials import Materials
from aeollm.recipes.recipe import Recipe
from aeollm.recipes.steps import Outcome, carry_out
from aeollm.tables import DIMENSIONS, AnswerScores, Labels, Policy, Run, write_run


@dataclass(frozen=True, eq=False)
class Built:
    """What came of a recipe.

    ``inspection`` is the run as the Score tab would read it, against the labels where there are some; ``in_part``
    says that it is refused for nothing but dimensions that it lacks; its coverage is that of those it has.
    ``stages`` has every scored input and step in their order. ``order_effects``, ``position_bias`` and ``digests``
    (SHA-256) are by input, ``broken`` (the tied pairs that a tie-break met) and ``strengths`` (of comparisons) by
    step. ``ties`` counts the tied pairs left, by view.
    """

    recipe: Recipe
    run: Run
    inspection: Inspection
    in_part: bool
    stages: tuple[Stage, ...]
    order_effects: dict[str, tuple[OrderEffect, ...]]
    position_bias: dict[str, tuple[PositionBias, ...]]
    ties: dict[str, int]
    broken: dict[str, tuple[TieCount, ...]]
    spreads: dict[str, float]
    strengths: dict[str, Strengths]
    digests: dict[str, str]
    problems: tuple[Problem, ...]

    @property
    def text(self) -> str:
        """Give the run file's text."""
        return write_run(self.run)


def build(recipe: Recipe, materials: Materials, *, policy: Policy | None = None, seed: int = 0) -> Built:
    """Carry out a recipe's steps in their order.

    Parameters
    ----------
    recipe : its last step gives the run.
    materials : the inputs read, and labels where steps learn from them or their worth is to be told.
    policy : under which stages are scored; answers that a stage leaves out are left out of its score.
    seed : of the resampling of questions behind position bias and what steps bring.

    Raises
    ------
    RecipeError
        If a step cannot be carried out, with its name, or no answer has a score in the end.
    """
    outcomes: dict[str, Outcome] = {}
    tables: dict[str, AnswerScores] = dict(materials.scores)
    problems: list[Problem] = list(materials.problems)
    for step in recipe.steps:
        try:
            outcome = carry_out(step, tables, materials)
        except AeollmError as error:
            found = [_of_step(problem, step.name) for problem in error.problems]
            raise RecipeError(recipe.name, [*problems, *found]) from None
        problems += [_of_step(problem, step.name) for problem in outcome.notes]
        outcomes[step.name], tables[step.name] = outcome, outcome.table
    final, lacking = _in_order(tables[recipe.steps[-1].name], materials)
    problems += lacking
    run = final.to_run(f"{recipe.name}.txt")
    problems += run.problems
    # Scores near float64's largest have squares beyond it: such spreads are infinite.
    with np.errstate(over="ignore", invalid="ignore"):
        spreads = dimension_spreads(final)
        problems += uneven_spreads(final)
        effects = {name: own for name, scores in materials.criteria.items() if (own := order_effects(scores))}
    inspection, in_part = _inspected(run, materials.labels, policy)
    return Built(
        recipe,
        run,
        inspection,
        in_part,
        staged(recipe, outcomes, materials, policy, seed),
        effects,
        {
            name: position_bias(pairs_of(own), rng=np.random.default_rng(seed))
            for name, own in materials.judgments.items()
        },
        tied_pairs(final, materials.of_overall),
        {name: outcome.ties for name, outcome in outcomes.items() if outcome.ties},
        spreads,
        {name: outcome.strengths for name, outcome in outcomes.items() if outcome.strengths is not None},
        dict(materials.digests),
        tuple(dict.fromkeys(problems)),
    )


def _inspected(run: Run, labels: Labels | None, policy: Policy | None) -> tuple[Inspection, bool]:
    """Read the run as the Score tab would; say whether it is refused only for dimensions that it lacks."""
    against, lacking = labels, _lacking(run.dimensions, labels)
    if labels is not None and run.dimensions != labels.run_dimensions:
        some = labels.labelled and set(run.dimensions) < set(labels.dimensions)
        against = of_dimensions(labels, run.dimensions) if some else None
    found = inspect_run(write_run(run).encode(), against, policy, name=run.name)
    # That its own header was skipped is no news.
    said = tuple(problem for problem in found.problems if problem.kind != "header")
    found = replace(found, problems=said)
    if labels is None or against is labels:
        return found, False
    in_part = against is not None and found.run is not None
    told = [] if not lacking else [_without(lacking, "the labels have", "warning" if in_part else "error")]
    coverage = found.coverage if against is not None else (0, len(labels))
    return replace(found, run=None, problems=(*told, *said), coverage=coverage), in_part


def _lacking(dimensions: Sequence[str], labels: Labels | None) -> list[str]:
    wanted = DIMENSIONS if labels is None else labels.run_dimensions
    return [name for name in wanted if name not in dimensions]


def _without(lacking: Sequence[str], whose: str, severity: Severity) -> Problem:
    message = f"the run has no scores for {', '.join(lacking)}, which {whose}: only what it has can be scored."
    remedy = "Name an anchor that has them, or take them from other scores by a step `dimensions`."
    return Problem(severity, "missing_dimension", message, remedy)


def _of_step(problem: Problem, name: str) -> Problem:
    return replace(problem, message=f"{printable(name)}: {problem.message}")


def _in_order(table: AnswerScores, materials: Materials) -> tuple[AnswerScores, list[Problem]]:
    """Bring the answers to the labels' order, those that the labels do not know behind, and dimensions to theirs.

    Dimensions without any score are no columns of the run; without labels, a problem tells of those usually needed.
    """
    scored = [name for d, name in enumerate(table.dimensions) if any(value is not None for value in table.values[:, d])]
    labels = materials.labels
    wanted = DIMENSIONS if labels is None else labels.run_dimensions
    dimensions = (*(name for name in wanted if name in scored), *(name for name in scored if name not in wanted))
    index = {} if labels is None else labels.index
    first = [key for key in index if key in table.index]
    keys = (*first, *(key for key in table.keys if key not in index))
    lacking = _lacking(scored, labels)
    problems = []
    if not scored:
        raise RecipeError(table.name, [Problem("error", "no_scores", "no answer has a score.", "Check the inputs.")])
    if lacking and labels is None and len(lacking) < len(wanted):
        problems.append(_without(lacking, "a run for AEOLLM labels needs", "warning"))
    return table.in_order(keys, dimensions), problems


def dimension_spreads(table: AnswerScores) -> dict[str, float]:
    """Give every dimension's spread within questions: the root mean square of their standard deviations."""
    spreads: dict[str, float] = {}
    for d, dimension in enumerate(table.dimensions):
        columns = [table.floats[list(rows), d] for rows in table.questions.values()]
        given = [column[~np.isnan(column)] for column in columns]
        own = [float(column.var()) for column in given if len(column)]
        if own:
            spreads[dimension] = float(np.sqrt(np.mean(own)))
    return spreads
