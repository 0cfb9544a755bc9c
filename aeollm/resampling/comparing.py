"""Scores of several runs -> a comparison; further runs into a saved one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from aeollm.resampling.comparable import common_signature, refuse_repeated
from aeollm.resampling.means import run_figures, under_policy
from aeollm.resampling.pairs import pair_figures
from aeollm.tables import MEASURES, Comparison, FamilyFigures, PairFigures, Plan, RunFigures, Scores, signature_parts

Floats = NDArray[np.float64]
Figures = TypeVar("Figures", RunFigures, PairFigures, FamilyFigures)


@dataclass(frozen=True, slots=True, eq=False)
class _Scored:
    """What a comparison is computed from; ``values`` has shape (runs, views, measures, questions)."""

    names: tuple[str, ...]
    signatures: tuple[str, ...]
    views: tuple[str, ...]
    questions: tuple[str, ...]
    values: Floats
    demo: bool


def compare_runs(scored: Sequence[Scores], names: Sequence[str], plan: Plan | None = None) -> Comparison:
    """Compare runs scored on the same labels: every mean with its interval, every pair with its test.

    The question is the unit: it is what is resampled, and whose differences change sign. An undefined question
    is treated as the scores' policy says; a pair uses the questions defined for both.

    Parameters
    ----------
    scored : scores of one run or more, under one policy.
    names : what to call them, each another name.
    plan : seed, resamples, kinds of interval and correction, levels.

    Raises
    ------
    UsageError
        If the runs were not scored on the same labels in the same way, or names repeat.
    """
    return _compared([_scored(scores, name) for scores, name in zip(scored, names, strict=True)], plan or Plan())


def extend(comparison: Comparison, scored: Sequence[Scores], names: Sequence[str]) -> Comparison:
    """Add runs to a comparison, such as a saved one, and compute it again under its plan.

    Parameters and errors as for `compare_runs`; the runs must have been scored as those of the comparison were.
    """
    shared = {field.name: getattr(comparison, field.name) for field in fields(_Scored)}
    added = [_scored(scores, name) for scores, name in zip(scored, names, strict=True)]
    return _compared([_Scored(**shared), *added], comparison.plan)


def _scored(scores: Scores, name: str) -> _Scored:
    values = np.stack([scores.values(measure) for measure in MEASURES], axis=1)[None]
    return _Scored((name,), (scores.signature,), scores.views, scores.questions, values, scores.demo)


def _compared(parts: Sequence[_Scored], plan: Plan) -> Comparison:
    names = tuple(name for part in parts for name in part.names)
    signatures = tuple(signed for part in parts for signed in part.signatures)
    signed = common_signature(names, signatures, parts)
    refuse_repeated(names)
    values = np.concatenate([part.values for part in parts])
    runs, views, measures, questions = values.shape
    flat = values.reshape(runs, views * measures, questions)
    used = under_policy(flat, signature_parts(signed)["undefined"])
    pairs, families = pair_figures(used, plan)
    return Comparison(
        signature=signed,
        plan=plan,
        names=names,
        signatures=signatures,
        views=parts[0].views,
        questions=parts[0].questions,
        values=values,
        runs=_by_view(run_figures(flat, used, pairs, plan), views),
        pairs=_by_view(pairs, views),
        families=_by_view(families, views),
        demo=any(part.demo for part in parts),
    )


def _by_view(figures: Figures, views: int) -> Figures:
    """Part the columns into views and measures."""
    flat = {field.name: getattr(figures, field.name) for field in fields(figures)}
    return replace(
        figures, **{name: array.reshape(*array.shape[:-1], views, len(MEASURES)) for name, array in flat.items()}
    )
