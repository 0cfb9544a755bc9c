"""Repeats of one judge: their mean as one run, and how far they spread."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from aeollm.resampling.comparable import common_signature
from aeollm.resampling.intervals import exact_means, exact_sums
from aeollm.resampling.means import under_policy
from aeollm.tables import MEASURES, Scores, signature_parts

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class RepeatSpread:
    """How repeats of a judge spread, standard deviations of shape (views, measures); nan where not to be had.

    ``between_repeats`` is one repeat's distance from its question's mean, ``between_questions`` that of the
    questions' true means (0 where the repeats' noise explains all), ``of_means`` that of the repeats' own
    means over the questions: how much a headline number changes when the judge is asked again.
    ``questions`` counts those defined in every repeat, over which all is taken.
    """

    between_repeats: Floats
    between_questions: Floats
    of_means: Floats
    questions: NDArray[np.int64]


def group_repeats(scored: Sequence[Scores], name: str) -> tuple[Scores, RepeatSpread]:
    """Take repeats of one judge as a single run: the mean of every question's values, and the repeats' spread.

    A question undefined in some repeats has the mean of the others (or 0 in these, or none, as the policy says);
    pair counts are summed. Two repeats at least tell a spread.

    Parameters
    ----------
    scored : the repeats, scored alike.
    name : what to call their mean.

    Raises
    ------
    UsageError
        If there is no repeat, or they were not scored on the same labels in the same way.
    """
    signed = [scores.signature for scores in scored]
    common = common_signature([scores.name for scores in scored], signed, scored)
    values = np.stack([[scores.values(measure) for measure in MEASURES] for scores in scored], axis=-1)
    used = under_policy(values, signature_parts(common)["undefined"])
    means = dict(zip(MEASURES, exact_means(used), strict=True))
    digest = hashlib.sha256("\n".join(scores.digest for scores in scored).encode()).hexdigest()
    grouped = replace(
        scored[0],
        name=name,
        digest=digest,
        **means,
        pairs=np.sum([scores.pairs for scores in scored], axis=0),
        answers=np.min([scores.answers for scores in scored], axis=0),
        signature=_signature(common, f"mean-of-{len(scored)}:{digest[:8]}"),
        coverage=min(scores.coverage for scores in scored),
        near_ties=sum(scores.near_ties for scores in scored),
        float64=None,
        problems=(),
    )
    return grouped, _spread(used.transpose(1, 0, 2, 3))


def _signature(common: str, run: str) -> str:
    """Put the run where `aeollm.tables.signature` does: behind labels and weights."""
    labels, weights, *rest = common.split("|")
    return "|".join([labels, weights, f"run={run}", *rest])


def _spread(values: Floats) -> RepeatSpread:
    """Give the variance components of shape (views, measures, questions, repeats), one way by question.

    The mean square between questions has the expectation var_repeats + repeats * var_questions (Searle, Casella and
    McCulloch 1992, "Variance Components", chapter 3).
    """
    complete = np.asarray(~np.isnan(values).any(axis=-1))
    repeats, questions = values.shape[-1], complete.sum(axis=-1)
    table = np.where(complete[..., None], values, np.nan)
    of_question = exact_means(table)
    grand = exact_means(of_question)
    within = exact_sums(exact_sums(np.nan_to_num(table - of_question[..., None]) ** 2))
    between = repeats * exact_sums(np.nan_to_num(of_question - grand[..., None]) ** 2)
    of_repeat = exact_means(table.swapaxes(-1, -2))
    of_means = exact_sums((of_repeat - grand[..., None]) ** 2)
    mean_within = _over(within, questions * (repeats - 1))
    components = (_over(between, questions - 1) - mean_within) / repeats
    return RepeatSpread(
        between_repeats=np.sqrt(mean_within),
        between_questions=np.sqrt(np.maximum(components, 0)),
        of_means=np.sqrt(_over(of_means, np.where(questions > 0, repeats - 1, 0))),
        questions=questions,
    )


def _over(sums: Floats, degrees: NDArray[np.int64]) -> Floats:
    return np.asarray(np.divide(sums, degrees, out=np.full(sums.shape, np.nan), where=degrees > 0))
