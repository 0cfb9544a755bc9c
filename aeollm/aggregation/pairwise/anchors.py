"""Davidson's model drawn to pointwise scores: how strongly, and by what slope, stated or learned from labels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from aeollm.aggregation.pairwise.comparisons import Comparisons
from aeollm.aggregation.pairwise.connection import separations
from aeollm.aggregation.pairwise.models import Strengths, fit_anchored, fit_copies
from aeollm.aggregation.pairwise.pairs import Floats
from aeollm.aggregation.pairwise.scale import anchors_of, centred_by_question
from aeollm.errors import Problem, UsageError
from aeollm.measures import kendall, pairwise_accuracy, spearman
from aeollm.tables.answers import AnswerScores
from aeollm.tables.inputs import Labels

Measure = Literal["spearman", "kendall", "accuracy"]
Groups = NDArray[np.intp]

STRENGTHS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
"""The strengths tried by default."""
STEEPEST = 20.0
"""A slope that is fitted stays below this many log units for one within-question spread of the anchors."""
_MEASURES = {"spearman": spearman, "kendall": kendall, "accuracy": pairwise_accuracy}
_LEAST_QUESTIONS = 3
_HALVINGS = 50
_DIGITS = 9


@dataclass(frozen=True, slots=True)
class AnchorChoice:
    """How one dimension's strengths are drawn to anchors, and what that is worth.

    Attributes
    ----------
    dimension : it is.
    strength, slope : chosen on all labelled questions, for questions without labels.
    by_question : for every labelled question the strength and slope chosen on the others.
    in_sample : mean of the measure over labelled questions, under the choice made on all of them: too good.
    held_out : the same with every question under the choice made on the others.
    tried : mean by strength, under the slope of all.
    undefined : labelled questions in which the measure is undefined for every strength.
    """

    dimension: str
    strength: float
    slope: float
    by_question: dict[str, tuple[float, float]]
    in_sample: float
    held_out: float
    tried: dict[float, float]
    undefined: int


class Trial(NamedTuple):
    """What is tried: strengths, the slope (None: fitted to the verdicts), and the measure that decides."""

    strengths: Sequence[float] = STRENGTHS
    slope: float | None = None
    measure: Measure = "kendall"


def fit_stated_anchors(comparisons: Comparisons, anchors: AnswerScores, strength: float, slope: float) -> Strengths:
    """Fit Davidson's model drawn to anchors by a strength and a slope that are stated.

    Taken from the log-likelihood is strength * sum((strengths - slope * (anchor - question mean))**2).

    Raises
    ------
    JudgmentsError
        For compared answers without an anchor.
    ValueError
        For a strength that is not from 1e-6 to 1e4, or a slope that is not a finite number.
    """
    centred, _ = centred_by_question(comparisons, anchors_of(comparisons, anchors))
    return fit_anchored(comparisons, slope * centred, strength)


def fit_learned_anchors(
    comparisons: Comparisons, anchors: AnswerScores, labels: Labels, trial: Trial | None = None
) -> tuple[Strengths, tuple[AnchorChoice, ...]]:
    """Fit Davidson's model drawn to anchors by a strength learned from labels, one question held out at a time.

    A labelled question gets what was chosen without it, so that its score against the labels is a held-out one; a new
    question what was chosen on all. Questions are held out, not the systems that answered: all questions share the
    same generators and prompts, and the figures say nothing of answers by new ones. A slope that is not stated is
    fitted to the verdicts with a winner of the other questions, which takes no labels: the log-odds of a win over a
    loss rise by the slope for every point of anchor.

    Parameters
    ----------
    anchors : pointwise scores of all compared answers.
    labels : human scores; three questions of a dimension or more.
    trial : what is tried; ``Trial()`` by default.

    Raises
    ------
    UsageError
        For a dimension with fewer than three labelled questions.
    JudgmentsError
        For compared answers without an anchor.
    ValueError
        For no strengths, or a misspelt measure.
    """
    trial = trial or Trial()
    trial = trial._replace(strengths=tuple(sorted(trial.strengths)))
    if not trial.strengths or trial.measure not in get_args(Measure):
        raise ValueError("at least one strength is tried, by spearman, kendall or accuracy")
    centred, _ = centred_by_question(comparisons, anchors_of(comparisons, anchors))
    choices, strength, slope = [], np.ones(len(comparisons)), np.zeros(len(comparisons))
    for dimension in dict.fromkeys(comparisons.dimensions):
        groups = np.flatnonzero([name == dimension for name in comparisons.dimensions])
        choice = _choose(_Task(comparisons, centred, labels, groups, trial))
        choices.append(choice)
        for group in groups.tolist():
            chosen = choice.by_question.get(comparisons.questions[group], (choice.strength, choice.slope))
            strength[group], slope[group] = chosen
    return fit_anchored(comparisons, slope[comparisons.of_answer] * centred, strength), tuple(choices)


class _Task(NamedTuple):
    comparisons: Comparisons
    centred: Floats
    labels: Labels
    groups: Groups
    trial: Trial


def _choose(task: _Task) -> AnchorChoice:
    comparisons, trial = task.comparisons, task.trial
    dimension = comparisons.dimensions[task.groups[0]]
    labelled = _labelled(task, dimension)
    if len(labelled) < _LEAST_QUESTIONS:
        message = f"{len(labelled)} compared questions have labels of {dimension}; a choice by them takes three."
        raise UsageError(task.labels.name, [Problem("error", "few_labels", message, "State the strength and slope.")])
    order = list(labelled)
    slopes = _slopes(task, order)
    # One row a fold, the last without a question left out; then strengths, then labelled questions.
    values = _measured(task, labelled, slopes)
    defined = ~np.isnan(values).all(axis=(0, 1))
    own = np.arange(len(order))
    chosen = [_best(values[fold][:, defined & (own != fold)]) for fold in own]
    best = _best(values[-1][:, defined])
    return AnchorChoice(
        dimension=dimension,
        strength=float(trial.strengths[best]),
        slope=float(slopes[-1]),
        by_question={
            comparisons.questions[group]: (float(trial.strengths[chosen[fold]]), float(slopes[fold]))
            for fold, group in enumerate(order)
        },
        in_sample=_mean(values[-1, best]),
        held_out=_mean(values[own, chosen, own]),
        tried={float(one): _mean(row) for one, row in zip(trial.strengths, values[-1], strict=True)},
        undefined=int((~defined).sum()),
    )


def _labelled(task: _Task, dimension: str) -> dict[int, Floats]:
    """Give human scores by group, nan where an answer has none, of the groups with two scores or more."""
    labels, comparisons = task.labels, task.comparisons
    if dimension not in labels.dimensions:
        return {}
    column = np.where(labels.given, labels.scores.values, np.nan)[:, labels.dimensions.index(dimension)]
    found = {}
    for group in task.groups.tolist():
        rows = [labels.index.get((comparisons.questions[group], answer)) for answer in comparisons.answers[group]]
        scores = np.array([math.nan if row is None else column[row] for row in rows], dtype=np.float64)
        if (~np.isnan(scores)).sum() > 1:
            found[group] = scores
    return found


def _slopes(task: _Task, order: Sequence[int]) -> Floats:
    """Give the slope without each labelled question in turn, then that of all."""
    if task.trial.slope is not None:
        return np.full(len(order) + 1, task.trial.slope)
    return np.array([fitted_slope(task.comparisons, task.centred, task.groups[task.groups != q]) for q in (*order, -1)])


def fitted_slope(comparisons: Comparisons, centred: Floats, groups: Groups) -> float:
    """Fit the slope that makes anchors explain who wins, by maximum likelihood over some groups.

    Ties are left out: given that there is a winner, Davidson's model is Bradley and Terry's. Held between 0 and
    `STEEPEST` over the spread of the anchors, where anchors foresee every winner; 0 where they say nothing.
    """
    chosen = np.isin(comparisons.group, groups)
    apart = (centred[comparisons.flat_first] - centred[comparisons.flat_second])[chosen]
    won, _, lost = comparisons.outcomes[chosen].T
    spread = math.sqrt(float(np.mean(centred[np.isin(comparisons.of_answer, groups)] ** 2))) if len(groups) else 0.0
    if spread == 0:
        return 0.0
    low, high = 0.0, STEEPEST / spread
    # The likelihood is concave: its slope falls, and the root is where it changes sign.
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        # exp(-log(1 + exp(x))) is the probability of a loss, to full precision however small.
        unforeseen = won * np.exp(-np.logaddexp(0, middle * apart)) - lost * np.exp(-np.logaddexp(0, -middle * apart))
        rising = float((apart * unforeseen).sum()) > 0
        low, high = (middle, high) if rising else (low, middle)
    return low


def _measured(task: _Task, labelled: dict[int, Floats], slopes: Floats) -> Floats:
    """Score every fold's slope under every strength against the labels, shape (folds + 1, strengths, questions)."""
    comparisons, strengths = task.comparisons, np.asarray(task.trial.strengths, dtype=np.float64)
    copies = len(slopes) * len(strengths)
    centre = np.repeat(slopes, len(strengths))[:, None] * task.centred
    penalty = np.broadcast_to(np.tile(strengths, len(slopes))[:, None], (copies, len(comparisons)))
    outcomes = np.broadcast_to(comparisons.outcomes, (copies, *comparisons.outcomes.shape))
    tied = {group for group, found in separations(comparisons, ties=True).items() if found.all_tied}
    fitted = fit_copies(comparisons, np.array(sorted(labelled.keys() - tied), np.intp), outcomes, centre, penalty)
    # Where there are ties only, strengths are the centre.
    values = np.where(np.isnan(fitted), centre, fitted)
    measured = np.empty((copies, len(labelled)))
    for place, (group, scores) in enumerate(labelled.items()):
        own = values[:, comparisons.starts[group] : comparisons.starts[group + 1]].round(_DIGITS)
        given = ~np.isnan(scores)
        measured[:, place] = _MEASURES[task.trial.measure](own[:, given], scores[given])
    return measured.reshape(len(slopes), len(strengths), -1)


def _best(values: Floats) -> int:
    """Give the strength of the best mean, the strongest of equals: it moves strengths least from the anchors."""
    means = np.array([_mean(row) for row in values])
    if np.isnan(means).all():
        return len(means) - 1
    best = np.nanmax(means)
    return int(np.flatnonzero(means >= best - 1e-12)[-1])


def _mean(values: Floats) -> float:
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else math.nan
