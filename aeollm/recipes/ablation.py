"""What every step brings: each stage of a recipe scored on the labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from aeollm.decimals import Decimals
from aeollm.errors import AeollmError
from aeollm.recipes.materials import Materials
from aeollm.recipes.recipe import Recipe
from aeollm.recipes.steps import Outcome
from aeollm.scoring import score
from aeollm.tables import OVERALL, AnswerScores, Labels, Policy, Rubrics, Scores


@dataclass(frozen=True, eq=False)
class Stage:
    """An input, a step, or what a step would give in part, with its score on the labels.

    ``base`` names the stage it is compared with, None for a first one. ``scores`` is None without labels, and where
    ``reason`` says why. Of a step that learns from labels (``learned``), ``scores`` are held out: every question's
    come from a fit without its labels; ``in_sample`` are those of a fit that saw them.
    """

    name: str
    label: str
    base: str | None
    table: AnswerScores
    scores: Scores | None
    reason: str
    learned: bool = False
    in_sample: Scores | None = None

    def tells(self, view: str) -> bool:
        """Say whether a view has a score: the overall of some dimensions only has none."""
        return self.scores is not None and view in self.scores.views and not (view == OVERALL and self.reason)

    def value(self, view: str, measure: str) -> float | None:
        """Give a mean over questions; None where there is none.

        Raises
        ------
        KeyError
            For a measure that does not exist.
        """
        return self.scores.mean(view, measure).mean if self.scores is not None and self.tells(view) else None


def staged(
    recipe: Recipe, outcomes: Mapping[str, Outcome], materials: Materials, policy: Policy | None
) -> tuple[Stage, ...]:
    """Score inputs, variants and steps in the order of the recipe."""
    scorer = _Scorer(materials.labels, materials.weights, replace(policy or Policy(), partial=True, inner_join=True))
    stages: list[Stage] = []
    shown: set[str] = set()
    for step in recipe.steps:
        for name in step.scores:
            if name in materials.scores and name not in shown:
                stages.append(scorer.stage(name, name, None, materials.scores[name]))
                shown.add(name)
        outcome, base = outcomes[step.name], step.scores[0] if step.scores else None
        for label, table in outcome.variants:
            stages.append(scorer.stage(f"{step.name}: {label}", label, base, table))
        if base is None and outcome.variants:
            base = f"{step.name}: {outcome.variants[0][0]}"
        stage = scorer.stage(step.name, step.do, base, outcome.table)
        if outcome.in_sample is not None:
            stage = replace(stage, learned=True, in_sample=scorer.scored(outcome.in_sample)[0])
        stages.append(stage)
        shown.add(step.name)
    return tuple(stages)


@dataclass(frozen=True, eq=False)
class _Scorer:
    labels: Labels | None
    rubrics: Rubrics | None
    policy: Policy

    def stage(self, name: str, label: str, base: str | None, table: AnswerScores) -> Stage:
        """Score one table."""
        scores, reason = self.scored(table)
        return Stage(name, label, base, table, scores, reason)

    def scored(self, table: AnswerScores) -> tuple[Scores | None, str]:
        """Score what the table has of the labels' dimensions, and say what it lacks."""
        if self.labels is None or not self.labels.labelled:
            return None, "no labels"
        own = tuple(name for name in self.labels.dimensions if _has_any(table, name))
        if not own:
            return None, "no scores for any dimension of the labels"
        lacking = [name for name in self.labels.dimensions if name not in own]
        labels, rubrics = self.labels, self.rubrics
        if lacking:
            # Weights of some dimensions only would make another overall, which is therefore not told.
            labels, rubrics = _of_dimensions(labels, own), None
        run = table.in_order(table.keys, own).to_run()
        if not any(key in labels.index for key in zip(run.questions, run.answers, strict=True)):
            return None, "no answer of the labels"
        try:
            scores = score(run, labels, rubrics, self.policy)
        except AeollmError as error:
            return None, error.problems[0].message
        return scores, f"no scores for {', '.join(lacking)}" if lacking else ""


def _has_any(table: AnswerScores, dimension: str) -> bool:
    if dimension not in table.dimensions:
        return False
    place = table.dimensions.index(dimension)
    return any(value is not None for value in table.values[:, place])


def _of_dimensions(labels: Labels, own: tuple[str, ...]) -> Labels:
    places = [labels.dimensions.index(name) for name in own]
    scores = Decimals(labels.scores.units[:, places], labels.scores.exponent)
    return replace(labels, dimensions=own, scores=scores, given=labels.given[:, places])
