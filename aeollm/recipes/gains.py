"""What a step changes, question by question: the mean difference with its interval and an exact paired test."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from aeollm.resampling import bootstrap_intervals, sign_flip_test
from aeollm.tables import MEASURES, Scores


@dataclass(frozen=True, slots=True)
class Gain:
    """A mean difference over the questions in which both stages are defined.

    ``low`` and ``high`` come of resampling these questions (95 %), and are None for fewer than two; ``p`` is that of
    flipping the signs of whole questions. Both speak of further questions, not of other answers.
    """

    difference: float
    low: float | None
    high: float | None
    p: float
    questions: int


def gains(
    scores: Scores, base: Scores, views: Sequence[str], *, seed: int, resamples: int = 10_000
) -> Mapping[tuple[str, str], Gain]:
    """Compare two stages scored on the same labels, by (view, measure); pairs without a common question are left out.

    Parameters
    ----------
    views : those that both stages have.
    seed : of the resamples, the same for all views and measures.
    """
    asked = [(view, measure) for view in views for measure in MEASURES]
    common = [question for question in scores.questions if question in base.questions]
    if not asked or not common:
        return {}
    ours, theirs = (
        np.array([_values(own, view, measure, common) for view, measure in asked]) for own in (scores, base)
    )
    apart = ours - theirs
    intervals = bootstrap_intervals(apart, rng=np.random.default_rng(seed), resamples=resamples)
    p = sign_flip_test(apart, rng=np.random.default_rng(seed), resamples=resamples).p
    found = {}
    for row, key in enumerate(asked):
        defined = apart[row][~np.isnan(apart[row])]
        if len(defined):
            low, high = (_or_none(float(own[row])) for own in (intervals.low, intervals.high))
            mean = math.fsum(defined.tolist()) / len(defined)
            found[key] = Gain(mean, low, high, float(p[row]), len(defined))
    return found


def _values(scores: Scores, view: str, measure: str, questions: Sequence[str]) -> list[float]:
    row = scores.values(measure)[scores.views.index(view)].tolist()
    place = {question: number for number, question in enumerate(scores.questions)}
    return [row[place[question]] for question in questions]


def _or_none(number: float) -> float | None:
    return None if math.isnan(number) else number
