"""A recipe carried out: the run, and what every step brought."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from aeollm.aggregation.orders import OrderEffect, order_effects
from aeollm.aggregation.pairwise import PositionBias, pairs_of, position_bias
from aeollm.aggregation.ties import TieCount, tied_pairs
from aeollm.errors import AeollmError, Problem, RecipeError, printable
from aeollm.files import Inspection, inspect_run
from aeollm.recipes.ablation import Stage, staged
from aeollm.recipes.materials import Materials
from aeollm.recipes.recipe import Recipe
from aeollm.recipes.steps import Outcome, carry_out
from aeollm.tables import DIMENSIONS, OVERALL, AnswerScores, Policy, Run, write_run

_SPREAD = 3
"""Dimensions whose spreads differ by more than this factor weigh in the overall otherwise than their weights say."""


@dataclass(frozen=True, eq=False)
class Built:
    """What came of a recipe.

    ``inspection`` is the run as the Score tab would read it, against the labels where there are some. ``stages`` has
    every scored input and step in their order. ``ties`` counts the tied pairs left, ``broken`` by step those that a
    tie-break met. ``order_effects`` and ``position_bias`` are by input.
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
        If a step cannot be carried out, with its name.
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
    final = _in_order(tables[recipe.steps[-1].name], materials)
    run = final.to_run(f"{recipe.name}.txt")
    problems += run.problems
    spreads = dimension_spreads(final)
    problems += spread_problems(spreads)
    inspection = inspect_run(write_run(run).encode(), materials.labels, policy, name=run.name)
    return Built(
        recipe,
        replace(run, problems=inspection.problems),
        inspection,
        staged(recipe, outcomes, materials, policy),
        {name: own for name, scores in materials.criteria.items() if (own := order_effects(scores))},
        {
            name: position_bias(pairs_of(own), rng=np.random.default_rng(seed))
            for name, own in materials.judgments.items()
        },
        tied_pairs(final, materials.rubrics),
        {name: outcome.ties for name, outcome in outcomes.items() if outcome.ties},
        spreads,
        tuple(dict.fromkeys(problems)),
    )


def _of_step(problem: Problem, name: str) -> Problem:
    return replace(problem, message=f"{printable(name)}: {problem.message}")


def _in_order(table: AnswerScores, materials: Materials) -> AnswerScores:
    """Bring the answers to the labels' order, those that the labels do not know behind, and dimensions to theirs."""
    labels = materials.labels
    if labels is None:
        known = tuple(name for name in DIMENSIONS if name in table.dimensions)
        wanted = (*known, *(name for name in table.dimensions if name not in known))
        return table.in_order(table.keys, wanted)
    first = [key for key in labels.index if key in table.index]
    keys = (*first, *(key for key in table.keys if key not in labels.index))
    return table.in_order(keys, labels.run_dimensions)


def dimension_spreads(table: AnswerScores) -> dict[str, float]:
    """Give every dimension's mean standard deviation within a question, over questions with two scores or more."""
    spreads: dict[str, float] = {}
    for d, dimension in enumerate(table.dimensions):
        columns = [table.floats[list(rows), d] for rows in table.questions.values()]
        given = [column[~np.isnan(column)] for column in columns]
        own = [float(column.std()) for column in given if len(column) > 1]
        if own:
            spreads[dimension] = sum(own) / len(own)
    return spreads


def spread_problems(spreads: dict[str, float]) -> list[Problem]:
    """Warn where the widest dimension spreads more than three times the narrowest."""
    if len(spreads) < 2:
        return []
    narrow, wide = min(spreads, key=spreads.__getitem__), max(spreads, key=spreads.__getitem__)
    if spreads[wide] <= _SPREAD * spreads[narrow]:
        return []
    message = f"{wide} spreads {spreads[wide]:.3g} within a question and {narrow} {spreads[narrow]:.3g}, so that the "
    message += f"{OVERALL} follows {wide} far more than the weights say."
    remedy = "Bring them to one scale, such as the anchor's mean and spread."
    return [Problem("warning", "unequal_spreads", message, remedy)]
