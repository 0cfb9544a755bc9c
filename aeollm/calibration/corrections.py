"""Corrections of a judge's scores that learn from labels, every question corrected by what the others taught."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from aeollm.calibration.corrections_held_out import Fit, Floats, Learned, Sample, learn
from aeollm.calibration.corrections_ridge import ridge_blend
from aeollm.calibration.corrections_scale import affine, isotonic
from aeollm.calibration.structure import SHARES
from aeollm.errors import JudgmentsError, Problem, UsageError
from aeollm.tables import AnswerScores, Features, Key, Labels, fitted

Rescaling = Literal["affine", "isotonic"]

_WORDS = "words"
_DIGITS = 9


@dataclass(frozen=True, eq=False)
class Correction:
    """A table of scores with one dimension corrected.

    Attributes
    ----------
    scores : labelled questions as what was learned without them says, others as what was learned on all: what to hand
        in, and what to score.
    in_sample : labelled questions too as what was learned on all says; for comparison, never for a score.
    dimension : the one corrected.
    learned : agreement before, in-sample and held out, and what was learned.
    problems : what to know about it.
    """

    scores: AnswerScores
    in_sample: AnswerScores
    dimension: str
    learned: Learned
    problems: tuple[Problem, ...]


def correct_length(
    scores: AnswerScores, labels: Labels, features: Features, dimension: str = "instruction_following"
) -> Correction:
    """Take out what the length of an answer does to the judge's scores beyond what it does to the labels.

    The label of an answer, less its question's mean, is explained by the judge's score and the logarithm to base 2 of
    the number of words; see `corrections_ridge.ridge_blend`. Learned is ``per_doubling``: points for an answer of
    twice as many words.

    Parameters
    ----------
    features : with a column ``words``; others are not looked at.

    Raises
    ------
    JudgmentsError
        For features without words, and scored answers without features or with no words.
    UsageError
        For a dimension that scores or labels lack, or fewer than three labelled questions.
    """
    sample, rows = sample_of(scores, labels, dimension)
    if _WORDS not in features.names:
        message = f"The features have no column {_WORDS}, but {', '.join(features.names) or 'none'}."
        raise JudgmentsError(scores.name, [Problem("error", "no_words", message, column=_WORDS)])
    only = Features((_WORDS,), {key: (row[features.names.index(_WORDS)],) for key, row in features.values.items()})
    words = _features(scores, only, rows, least=1)
    return _correct(scores, sample, rows, ridge_blend(sample, np.log2(words), ["per_doubling"]))


def blend_structure(
    scores: AnswerScores, labels: Labels, features: Features, dimension: str = "readability"
) -> Correction:
    """Blend the structure of the answers into the judge's scores.

    The label of an answer, less its question's mean, is explained by the judge's score and all features, counts by the
    logarithm of one more, shares (`features.SHARES`) as they are; see `corrections_ridge.ridge_blend`.

    Raises
    ------
    JudgmentsError
        For no features at all, and scored answers without features or with one that is no number from 0.
    UsageError
        For a dimension that scores or labels lack, or fewer than three labelled questions.
    """
    sample, rows = sample_of(scores, labels, dimension)
    if not features.names:
        raise JudgmentsError(scores.name, [Problem("error", "no_features", "There are no features to blend.")])
    table = _features(scores, features, rows, least=0)
    counts = np.array([name not in SHARES for name in features.names], dtype=bool)
    table[:, counts] = np.log1p(table[:, counts])
    return _correct(scores, sample, rows, ridge_blend(sample, table, features.names))


def rescale(scores: AnswerScores, labels: Labels, dimension: str, by: Rescaling = "affine") -> Correction:
    """Put a dimension on the people's scale, by a straight line or by any rising curve.

    A straight line changes no order inside the dimension, only what it weighs in a total. An isotonic curve makes
    ties, which cost accuracy and tau; how many is told.

    Raises
    ------
    UsageError
        For a dimension that scores or labels lack, or fewer than three labelled questions.
    ValueError
        For a misspelt curve.
    """
    if by not in get_args(Rescaling):
        raise ValueError(f"by is one of {', '.join(get_args(Rescaling))}, not {by!r}")
    sample, rows = sample_of(scores, labels, dimension)
    correction = _correct(scores, sample, rows, affine(sample) if by == "affine" else isotonic(sample))
    if by == "affine":
        return correction
    made = _tied_pairs(sample, correction.learned.values) - _tied_pairs(sample, sample.scores)
    message = f"The isotonic curve ties {made:,} pairs of answers in {dimension} that the judge told apart."
    told = Problem("warning", "isotonic_ties", message, "An affine rescaling makes no ties.", column=dimension)
    return replace(correction, problems=(*correction.problems, *([told] if made else [])))


def sample_of(scores: AnswerScores, labels: Labels, dimension: str) -> tuple[Sample, tuple[int, ...]]:
    """Give one dimension beside its labels, and the rows of the table it was taken from: those with a score.

    Raises
    ------
    UsageError
        For a dimension that scores or labels lack, or fewer than three labelled questions.
    """
    for name, known in ((scores.name, scores.dimensions), (labels.name, labels.dimensions)):
        if dimension not in known:
            message = f"There is no dimension {dimension}, but {', '.join(known) or 'none'}."
            raise UsageError(name, [Problem("error", "unknown_dimension", message, value=dimension)])
    column = scores.floats[:, scores.dimensions.index(dimension)]
    people = np.where(labels.given, labels.scores.values, np.nan)[:, labels.dimensions.index(dimension)]
    rows = tuple(np.flatnonzero(~np.isnan(column)).tolist())
    places = [labels.index.get(scores.keys[row]) for row in rows]
    beside = np.array([np.nan if place is None else people[place] for place in places], dtype=np.float64)
    questions = tuple(scores.keys[row][0] for row in rows)
    sample = Sample(dimension, questions, column[list(rows)], beside)
    sample.refuse_few()
    return sample, rows


def _features(scores: AnswerScores, features: Features, rows: Sequence[int], least: float) -> Floats:
    """Give the scored answers' features, shape (answers, features), all finite and at least so large."""
    problems = []
    for key in (scores.keys[row] for row in rows):
        own = features.values.get(key)
        if own is None:
            problems.append(_about(key, "no_features", "has no features."))
            continue
        wrong = [name for name, value in zip(features.names, own, strict=True) if not least <= value < math.inf]
        if wrong:
            problems.append(_about(key, "unusable_features", f"has no {', '.join(wrong)} that could be used."))
    if problems:
        raise JudgmentsError(scores.name, problems)
    table = [features.values[scores.keys[row]] for row in rows]
    return np.array(table, dtype=np.float64).reshape(len(rows), len(features.names))


def _about(key: Key, kind: str, what: str) -> Problem:
    message = f"Answer {key[1]} of question {key[0]} {what}"
    return Problem("error", kind, message, "Give the text of every answer scored.", question=key[0], answer=key[1])


def _correct(scores: AnswerScores, sample: Sample, rows: Sequence[int], fit: Fit) -> Correction:
    learned = learn(sample, fit)
    return Correction(
        scores=_with(scores, sample.dimension, rows, learned.values),
        in_sample=_with(scores, sample.dimension, rows, learned.fitted),
        dimension=sample.dimension,
        learned=learned,
        problems=tuple(_told(sample, learned)),
    )


def _with(scores: AnswerScores, dimension: str, rows: Sequence[int], values: Floats) -> AnswerScores:
    cells, column = scores.values.copy(), scores.dimensions.index(dimension)
    for row, value in zip(rows, values.tolist(), strict=True):
        cells[row, column] = fitted(value)
    return replace(scores, values=cells)


def _told(sample: Sample, learned: Learned) -> list[Problem]:
    told = [
        Problem(
            severity="note",
            kind="learned_from_labels",
            message=f"{sample.dimension} is corrected by labels: each of {len(learned.by_question)} labelled questions "
            "by what the others taught, new questions by all. Held out are questions, not the systems that answered.",
            column=sample.dimension,
        )
    ]
    if learned.learned.get("ridge") == math.inf:
        message = (
            f"All labels together do not show that the features help with {sample.dimension}: of new questions the "
            "judge's scores stand; a labelled one has what the others taught, which few questions teach badly."
        )
        told.append(Problem("note", "nothing_learned", message, column=sample.dimension))
    if learned.learned.get("judge") == 0:
        message = f"The judge's scores of {sample.dimension} do not rise with the labels and have no weight."
        told.append(Problem("warning", "judge_unused", message, column=sample.dimension))
    return told


def _tied_pairs(sample: Sample, values: Floats) -> int:
    keys = np.column_stack([sample.numbers, values.round(_DIGITS)])
    _, counts = np.unique(keys, axis=0, return_counts=True)
    return int((counts * (counts - 1) // 2).sum())
