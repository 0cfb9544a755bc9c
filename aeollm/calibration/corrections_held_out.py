"""Learning from labels with one question held out at a time, and what that is worth."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aeollm.errors import Problem, UsageError
from aeollm.measures import kendall, pairwise_accuracy, spearman

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

LEAST_QUESTIONS = 3
_DIGITS = 9


@dataclass(frozen=True, eq=False)
class Sample:
    """One dimension of a judge's scores, beside the labels.

    ``questions``, ``scores`` and ``labels`` have one entry an answer; a label is nan where there is none.
    """

    dimension: str
    questions: tuple[str, ...]
    scores: Floats
    labels: Floats

    @cached_property
    def order(self) -> tuple[str, ...]:
        """List the questions in the order of their first answer."""
        return tuple(dict.fromkeys(self.questions))

    @cached_property
    def numbers(self) -> NDArray[np.intp]:
        """Give every answer its question's place in ``order``."""
        place = {question: number for number, question in enumerate(self.order)}
        return np.array([place[question] for question in self.questions], dtype=np.intp)

    @cached_property
    def given(self) -> Bools:
        """Say which answers have a label."""
        return np.asarray(~np.isnan(self.labels))

    @cached_property
    def labelled(self) -> NDArray[np.intp]:
        """Give the numbers of the questions that have two labels or more."""
        counts = np.bincount(self.numbers[self.given], minlength=len(self.order))
        return np.flatnonzero(counts > 1)

    def refuse_few(self) -> None:
        """Refuse what nothing can be learned from, no answer at all among it.

        Raises
        ------
        UsageError
            For fewer than three questions with two labels or more.
        """
        count = len(self.labelled)
        if count < LEAST_QUESTIONS:
            message = f"{count} questions have labels of {self.dimension}; a correction is learned from three."
            raise UsageError("labels", [Problem("error", "few_labels", message, column=self.dimension)])

    def centred(self, figures: Floats, rows: Bools) -> Floats:
        """Take off every question's mean over the given rows; questions without one keep theirs at 0."""
        table = figures.reshape(len(figures), -1)
        counts = np.maximum(np.bincount(self.numbers[rows], minlength=len(self.order)), 1)
        means = np.zeros((len(self.order), table.shape[1]))
        np.add.at(means, self.numbers[rows], table[rows])
        return np.asarray((table - (means / counts[:, None])[self.numbers]).reshape(figures.shape))


class Fitted(NamedTuple):
    """Corrected scores of all answers, and what was learned, by name."""

    values: Floats
    learned: dict[str, float]


Fit = Callable[[Bools], Fitted]
"""Learns from the answers marked (whole questions, all with labels) and corrects every answer."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """Scores beside labels: means over questions, None where undefined in all; ``rmse`` is over answers."""

    spearman: float | None
    kendall: float | None
    accuracy: float | None
    rmse: float | None
    questions: int


@dataclass(frozen=True, eq=False)
class Learned:
    """Scores corrected by what labels taught.

    Attributes
    ----------
    values : of labelled questions what was learned without them says, of others what was learned on all.
    fitted : what was learned on all says, also of the questions it was learned on.
    before, in_sample, held_out : agreement with the labels of the scores as they came, of ``fitted`` and of ``values``.
        In-sample agreement is too good: it is told for the difference.
    learned : on all labelled questions, by name.
    by_question : for every labelled question what was learned without it.
    """

    values: Floats
    fitted: Floats
    before: Agreement
    in_sample: Agreement
    held_out: Agreement
    learned: Mapping[str, float]
    by_question: Mapping[str, Mapping[str, float]]


def learn(sample: Sample, fit: Fit) -> Learned:
    """Learn on all labelled questions, and on all but each in turn.

    Whatever the fit tunes, it tunes on the answers it is given, so that a held-out question has no part in it. Held
    out are questions, not the systems that answered: all questions share the same generators and prompts, and the
    figures say nothing of answers by new ones.

    Raises
    ------
    UsageError
        For fewer than three questions with two labels or more.
    """
    sample.refuse_few()
    labelled = sample.labelled
    usable = sample.given & np.isin(sample.numbers, labelled)
    everything = fit(usable)
    values, by_question = everything.values.copy(), {}
    for number in labelled.tolist():
        own = sample.numbers == number
        without = fit(usable & ~own)
        values[own] = without.values[own]
        by_question[sample.order[number]] = without.learned
    return Learned(
        values=values,
        fitted=everything.values,
        before=agreement(sample, sample.scores),
        in_sample=agreement(sample, everything.values),
        held_out=agreement(sample, values),
        learned=everything.learned,
        by_question=by_question,
    )


def agreement(sample: Sample, values: Floats) -> Agreement:
    """Compare scores with the labels, question by question."""
    found: dict[str, list[float]] = {"spearman": [], "kendall": [], "accuracy": []}
    for number in sample.labelled.tolist():
        rows = sample.given & (sample.numbers == number)
        # Fitted figures that only rounding tells apart are ties.
        pair = values[rows].round(_DIGITS), sample.labels[rows]
        for name, measure in (("spearman", spearman), ("kendall", kendall), ("accuracy", pairwise_accuracy)):
            found[name].append(float(measure(*pair)))
    usable = sample.given & np.isin(sample.numbers, sample.labelled)
    errors = (values - sample.labels)[usable]
    return Agreement(
        **{name: _mean(figures) for name, figures in found.items()},
        rmse=float(np.sqrt(np.mean(errors**2))) if len(errors) else None,
        questions=len(sample.labelled),
    )


def _mean(figures: list[float]) -> float | None:
    defined = [figure for figure in figures if figure == figure]
    return float(np.mean(defined)) if defined else None
