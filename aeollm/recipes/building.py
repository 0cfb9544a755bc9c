"""A recipe carried out: the run, and what every step brought."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
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
from aeollm.recipes.recipe import Recipe, Step, step_of
from aeollm.recipes.steps import Outcome, carry_out
from aeollm.tables import DIMENSIONS, AnswerScores, Labels, Policy, Run, write_run


@dataclass(frozen=True, eq=False)
class Built:
    """What came of a recipe.

    ``inspection`` is the run as the Score tab would read it, against the labels where there are some; ``in_part``
    says that it is refused for nothing but dimensions that it lacks; its coverage is that of those it has.
    ``stages`` has every scored input and step in their order. ``order_effects``, ``position_bias`` and ``digests``
    (SHA-256) are by input, ``broken`` (the tied pairs that a tie-break met) and ``strengths`` (of comparisons) by
    step. ``ties`` counts the tied pairs left, by view. ``instead`` names the input or step whose scores the run holds
    where the recipe's last step could not be carried out (see `build`), None for the run that the recipe is for;
    ``recipe`` then has the steps that could.
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
    instead: str | None = None

    @property
    def text(self) -> str:
        """Give the run file's text."""
        return write_run(self.run)


def build(
    recipe: Recipe, materials: Materials, *, policy: Policy | None = None, seed: int = 0, as_far: bool = False
) -> Built:
    """Carry out a recipe's steps in their order.

    Parameters
    ----------
    recipe : its last step gives the run.
    materials : the inputs read, and labels where steps learn from them or their worth is to be told.
    policy : under which stages are scored; answers that a stage leaves out are left out of its score.
    seed : of the resampling of questions behind position bias and what steps bring.
    as_far : give the run of what there is where a step cannot be carried out, which is an error among the problems:
        the scores that the last step improves on, or those that these improve on, and so on.

    Raises
    ------
    RecipeError
        If a step cannot be carried out, with its name, or no answer has a score in the end.
    """
    outcomes: dict[str, Outcome] = {}
    tables: dict[str, AnswerScores] = dict(materials.scores)
    problems: list[Problem] = [*materials.problems, *materials.refused]
    for step in recipe.steps:
        if as_far and not _has_sources(step, tables, materials):
            continue
        try:
            outcome = carry_out(step, tables, materials)
        except AeollmError as error:
            found = [_of_step(problem, step.name) for problem in error.problems]
            if not as_far:
                raise RecipeError(recipe.name, [*problems, *found]) from None
            problems += found
            continue
        problems += [_of_step(problem, step.name) for problem in outcome.notes]
        outcomes[step.name], tables[step.name] = outcome, outcome.table
    name = _last(recipe, tables) if as_far else recipe.steps[-1].name
    if name is None:
        raise RecipeError(recipe.name, [*problems, _NOTHING])
    if name == recipe.steps[-1].name:
        return _built(recipe, outcomes, materials, (problems, policy, seed))
    done = tuple(step for step in recipe.steps if step.name in outcomes)
    taken = replace(step_of("run", (name,)), name=_free(f"{name}-instead", {*recipe.inputs, *tables}))
    outcomes[taken.name] = Outcome(replace(tables[name], name=taken.name, problems=()))
    whole = replace(recipe, steps=(*done, taken))
    return replace(_built(whole, outcomes, materials, (problems, policy, seed)), instead=name)


_NOTHING = Problem("error", "no_scores", "no step gave a score.")


def _free(name: str, taken: Container[str]) -> str:
    return name if name not in taken else _free(f"{name}-", taken)


def _has_sources(step: Step, tables: Mapping[str, AnswerScores], materials: Materials) -> bool:
    """Tell whether all that a step is made of is there: the step or input that failed has told why."""
    other = {"criterion scores": materials.criteria, "pairwise judgments": materials.judgments}
    sources = other.get(step.kind.takes, tables)
    return all(name in sources for name in step.sources) and all(name in tables for name in step.scores)


def _last(recipe: Recipe, tables: Mapping[str, AnswerScores]) -> str | None:
    """Name the scores nearest to the recipe's end: of a step that failed, the first that it improves on."""
    steps = {step.name: step for step in recipe.steps}

    def nearest(name: str) -> str | None:
        if name in tables and any(value is not None for value in tables[name].values.flat):
            return name
        sources = steps[name].scores if name in steps else ()
        return next((found for own in sources if (found := nearest(own)) is not None), None)

    return nearest(recipe.steps[-1].name)


def _built(
    recipe: Recipe,
    outcomes: Mapping[str, Outcome],
    materials: Materials,
    told: tuple[Sequence[Problem], Policy | None, int],
) -> Built:
    """Make the run of the last step's scores, and tell what every step brought."""
    problems, policy, seed = list(told[0]), *told[1:]
    final, lacking = _in_order(outcomes[recipe.steps[-1].name].table, materials)
    problems += lacking
    run = final.to_run(f"{recipe.name}.txt")
    problems += run.problems
    # Scores near float64's largest have squares beyond it: such spreads are infinite.
    with np.errstate(over="ignore", invalid="ignore"):
        spreads = dimension_spreads(final)
        problems += uneven_spreads(final)
        effects = order_told(materials)
    inspection, in_part = _inspected(run, materials.labels, policy)
    return Built(
        recipe,
        run,
        inspection,
        in_part,
        staged(recipe, outcomes, materials, policy, seed),
        effects,
        position_told(materials, seed),
        tied_pairs(final, materials.of_overall),
        {name: outcome.ties for name, outcome in outcomes.items() if outcome.ties},
        spreads,
        {name: outcome.strengths for name, outcome in outcomes.items() if outcome.strengths is not None},
        dict(materials.digests),
        tuple(dict.fromkeys(problems)),
    )


def order_told(materials: Materials) -> dict[str, tuple[OrderEffect, ...]]:
    """Tell by input what the order of the criteria did, where there are two."""
    with np.errstate(over="ignore", invalid="ignore"):
        return {name: own for name, scores in materials.criteria.items() if (own := order_effects(scores))}


def position_told(materials: Materials, seed: int = 0) -> dict[str, tuple[PositionBias, ...]]:
    """Tell by input what the place in a pair did."""
    own = materials.judgments.items()
    return {name: position_bias(pairs_of(found), rng=np.random.default_rng(seed)) for name, found in own}


def _inspected(run: Run, labels: Labels | None, policy: Policy | None) -> tuple[Inspection, bool]:
    """Read the run as the Score tab would; say whether it is refused only for dimensions that it lacks."""
    against, lacking = labels, _lacking(run.dimensions, labels)
    if labels is not None and run.dimensions != labels.run_dimensions:
        some = labels.labelled and set(run.dimensions) < set(labels.dimensions)
        against = of_dimensions(labels, run.dimensions) if some else None
    found = inspect_run(write_run(run).encode(), against, policy, name=run.name)
    # That its own header was skipped is no news, and computed scores hold no typing slips.
    said = tuple(problem for problem in found.problems if problem.kind not in ("header", "slipped_point"))
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
