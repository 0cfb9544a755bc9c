"""What labels alone decide, and how a run's scale and ties stand to people's: told beside scores, never ranked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aeollm.agreement import (
    PUBLISHED_RELIABILITY,
    Agreement,
    Ceiling,
    RankingAgreement,
    ScaleDiagnostics,
    TieDiagnostics,
    TieGrid,
    adjudicators,
    best_tie_grid,
    intraclass_correlations,
    ranking_agreement,
    reference_scores,
    scale_diagnostics,
    set_adjudication_aside,
    simulate_ceiling,
    tie_diagnostics,
)
from aeollm.scoring import both_sides, human_order
from aeollm.sources import LabelSet
from aeollm.tables import OVERALL, Annotations, Policy, Run, Scores

PUBLISHED_VIEW = "readability"
"""The dimension whose reliability was published."""

MOST_RANKED = 50
"""Annotators whose rankings are compared two by two; more make too many pairs to read, or to hold."""


@dataclass(frozen=True, slots=True, eq=False)
class Diagnosis:
    """A run's scale and ties by view; ``scale`` is over all answers of a view, ``grids`` are fitted on these labels."""

    scale: ScaleDiagnostics
    ties: TieDiagnostics
    grids: tuple[TieGrid, ...]


def diagnose(run: Run, scores: Scores, label_set: LabelSet) -> Diagnosis:
    """Look into a scored run's scale and ties."""
    sides = both_sides(run, label_set.labels, label_set.rubrics, scores.policy)
    views = len(scores.views)
    grids = tuple(
        best_tie_grid(mine, order, scores.policy) for mine, order in zip(sides.run, sides.human_order, strict=True)
    )
    scale = scale_diagnostics(sides.run.reshape(views, -1), sides.human.reshape(views, -1))
    return Diagnosis(scale, tie_diagnostics(scores), grids)


def reference_means(label_set: LabelSet, policy: Policy | None = None) -> dict[str, dict[str, NDArray[np.float64]]]:
    """Give what judges that know nothing score on these labels, and the most that one without ties can.

    By kind ("random", "constant", "tie_free_maximum") and measure, one number a view; nan is undefined.
    """
    return reference_scores(human_order(label_set.labels, label_set.rubrics, policy)).means(policy)


def ceiling(label_set: LabelSet, reliability: float | None = None) -> tuple[str, Ceiling] | None:
    """Simulate what a perfect judge could score on labels of a stated reliability; give the view it is for.

    Without a reliability stated, that published for readability is taken, for this dimension alone; None where the
    labels have no such dimension, or no question with two answers.
    """
    views = label_set.labels.views
    view = OVERALL if reliability is not None else PUBLISHED_VIEW
    if view not in views:
        return None
    given = ~np.isnan(human_order(label_set.labels, label_set.rubrics)[views.index(view)])
    answers = given.sum(axis=-1).tolist()
    if max(answers, default=0) < 2:
        return None
    return view, simulate_ceiling(PUBLISHED_RELIABILITY if reliability is None else reliability, answers)


@dataclass(frozen=True, slots=True, eq=False)
class AnnotatorAgreement:
    """Annotators' agreement in one dimension.

    ``set_aside`` names those whose ratings were left out as adjudication; ``ranked`` the others, in whose places
    ``ranking`` counts; it is None for more than `MOST_RANKED` of them.
    """

    dimension: str
    set_aside: tuple[str, ...]
    icc: Agreement
    ranked: tuple[str, ...]
    ranking: RankingAgreement | None


def annotator_agreement(annotations: Annotations, adjudicated: Sequence[str] | None = None) -> list[AnnotatorAgreement]:
    """Give the agreement of annotators, dimension by dimension.

    Parameters
    ----------
    annotations : their ratings.
    adjudicated : whose ratings exist only for disputed items and are set aside; by default those who turn out to have
        rated disputed items only (`adjudicators`).
    """
    return [_agreement(annotations, dimension, adjudicated) for dimension in annotations.dimensions]


def _agreement(annotations: Annotations, dimension: str, adjudicated: Sequence[str] | None) -> AnnotatorAgreement:
    table, people = annotations.table(dimension), annotations.annotators
    named = adjudicators(table) if adjudicated is None else np.array([who in adjudicated for who in people], dtype=bool)
    kept = [column for column in range(len(people)) if not named[column]]
    questions = annotations.questions or ("",) * len(annotations.items)
    return AnnotatorAgreement(
        dimension=dimension,
        set_aside=tuple(who for who, marked in zip(people, named.tolist(), strict=True) if marked),
        icc=intraclass_correlations(set_adjudication_aside(table, named)),
        ranked=tuple(people[column] for column in kept),
        ranking=ranking_agreement(table[:, kept], questions) if len(kept) <= MOST_RANKED else None,
    )
