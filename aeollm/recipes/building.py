"""A recipe carried out: the run, and what every step brought."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from aeollm.aggregation.orders import OrderEffect, order_effects
from aeollm.aggregation.pairwise import PositionBias, Strengths, pairs_of, position_bias
from aeollm.aggregation.pairwise.scale import uneven_spreads
from aeollm.aggregation.ties import TieCount, tied_pairs
from aeollm.errors import AeollmError, Problem, RecipeError, printable
from aeollm.files import Inspection, inspect_run
from aeollm.recipes.ablation import Stage, staged
from aeollm.recipes.materials import Materials
from aeollm.recipes.recipe import Recipe
from aeollm.recipes.steps import Outcome, carry_out
from aeollm.tables import DIMENSIONS, AnswerScores, Labels, Policy, Run, write_run


@dataclass(frozen=True, eq=False)
class Built:
    """What came of a recipe.

    ``inspection`` is the run as the Score tab would read it, against the labels where there are some. ``stages`` has
    every scored input and step in their order. ``ties`` counts the tied pairs left, ``broken`` by step those that a
    tie-break met. ``strengths`` are those of pairwise steps. ``order_effects`` and ``position_bias`` are by input.
    """

    recipe: Recipe
    run: Run
    inspection: Inspection
    stages: tuple[Stage, ...]
    order_effects: dict[str, tuple[OrderEffect, ...]]
    position_bias: dict[str, tuple[PositionBias, ...]]
    ties: dict[str, int]
    broken: dict[str, tuple[TieCount, ...]]
    spreads: dict[str, float]
    strengths: dict[str, Strengths]
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
    seed : of the resampling behind position bias.

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
    inspection = _inspected(run, materials.labels, policy)
    return Built(
        recipe,
        run,
        inspection,
        staged(recipe, outcomes, materials, policy),
        effects,
        {
            name: position_bias(pairs_of(own), rng=np.random.default_rng(seed))
            for name, own in materials.judgments.items()
        },
        tied_pairs(final, materials.of_overall),
        {name: outcome.ties for name, outcome in outcomes.items() if outcome.ties},
        spreads,
        {name: outcome.strengths for name, outcome in outcomes.items() if outcome.strengths is not None},
        tuple(dict.fromkeys(problems)),
    )


def _inspected(run: Run, labels: Labels | None, policy: Policy | None) -> Inspection:
    """Read the run as the Score tab would; one for other dimensions is refused, which is told already."""
    fits = labels is None or run.dimensions == labels.run_dimensions
    found = inspect_run(write_run(run).encode(), labels if fits else None, policy, name=run.name)
    # That its own header was skipped is no news.
    said = tuple(problem for problem in found.problems if problem.kind != "header")
    found = replace(found, problems=said)
    return found if fits or labels is None else replace(found, run=None, coverage=(0, len(labels)))


def _of_step(problem: Problem, name: str) -> Problem:
    return replace(problem, message=f"{printable(name)}: {problem.message}")


def _in_order(table: AnswerScores, materials: Materials) -> tuple[AnswerScores, list[Problem]]:
    """Bring the answers to the labels' order, those that the labels do not know behind, and dimensions to theirs.

    Dimensions without any score are no columns of the run; a problem tells of those that a run for the labels needs.
    """
    scored = [name for d, name in enumerate(table.dimensions) if any(value is not None for value in table.values[:, d])]
    labels = materials.labels
    wanted = DIMENSIONS if labels is None else labels.run_dimensions
    dimensions = (*(name for name in wanted if name in scored), *(name for name in scored if name not in wanted))
    index = {} if labels is None else labels.index
    first = [key for key in index if key in table.index]
    keys = (*first, *(key for key in table.keys if key not in index))
    lacking = [name for name in wanted if name not in scored]
    problems = []
    if not scored:
        raise RecipeError(table.name, [Problem("error", "no_scores", "no answer has a score.", "Check the inputs.")])
    if labels is not None and lacking:
        message = f"the run has no scores for {', '.join(lacking)}, which the labels have."
        remedy = "Name an anchor that has them, or take them from other scores by a step `dimensions`."
        problems.append(Problem("error", "missing_dimension", message, remedy))
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
