"""Scores of a run: every view, question and measure, and the means."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aeollm.errors import Problem
from aeollm.tables.frames import frame_of_scores, scores_of_frame
from aeollm.tables.names import MEASURES, PAIR_KINDS
from aeollm.tables.policy import Policy

if TYPE_CHECKING:
    import pandas as pd

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class Mean(NamedTuple):
    """A mean over questions, with how many were defined; ``pooled`` for accuracy only."""

    mean: float | None
    defined: int
    undefined: int
    pooled: float | None

    @property
    def pooled_differs(self) -> bool:
        """Say whether mean and pooled value are different numbers, beyond rounding."""
        if self.mean is None or self.pooled is None:
            return self.mean is not self.pooled
        return not math.isclose(self.mean, self.pooled, rel_tol=1e-12)


@dataclass(frozen=True, slots=True)
class TieChange:
    """What floating-point sums change: ``float64 - exact`` of the overall means, and where."""

    mean_change: Mapping[str, float | None]
    questions: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Scores:
    """A run's agreement with the labels: every view, question and measure.

    Arrays have shape (views, questions); ``pairs`` has (views, questions, 5) in the order of
    `PAIR_KINDS`. Undefined values are nan. ``answers`` counts the matched answers with a label.
    """

    name: str
    digest: str
    views: tuple[str, ...]
    questions: tuple[str, ...]
    answers: Ints
    pairs: Ints
    spearman: Floats
    kendall: Floats
    accuracy: Floats
    policy: Policy
    signature: str
    coverage: tuple[int, int]
    near_ties: int = 0
    float64: TieChange | None = None
    demo: bool = False
    problems: tuple[Problem, ...] = ()

    @property
    def partial(self) -> bool:
        """Say whether answers are missing."""
        return self.coverage[0] < self.coverage[1]

    def values(self, measure: str) -> Floats:
        """Give a measure's value in every view and question, shape (views, questions)."""
        if measure not in MEASURES:
            raise KeyError(measure)
        return np.asarray(getattr(self, measure))

    def mean(self, view: str, measure: str) -> Mean:
        """Average a measure over questions under the policy for undefined questions.

        Raises
        ------
        KeyError
            For a view or measure that does not exist.
        """
        if view not in self.views:
            raise KeyError(view)
        row = self.views.index(view)
        numbers = self.values(measure)[row].tolist()
        defined = [number for number in numbers if number == number]
        undefined = len(numbers) - len(defined)
        return Mean(self.policy.average(numbers), len(defined), undefined, self._pooled(row, measure))

    def _pooled(self, row: int, measure: str) -> float | None:
        if measure != "accuracy":
            return None
        concordant, *_, both = totals = self.pairs[row].sum(axis=0).tolist()
        return (concordant + both) / sum(totals) if sum(totals) else None

    def undefined_reason(self, view: int, question: int) -> str | None:
        """Say in words why Spearman and Kendall are undefined; None where they are defined."""
        if not math.isnan(float(self.spearman[view, question])):
            return None
        if not self.pairs[view, question].any():
            return f"fewer than {self.policy.min_answers} answers"
        tied_run, tied_labels = self.pairs[view, question, 2:4].tolist()
        untied = int(self.pairs[view, question, :2].sum())
        run, labels = untied + tied_labels == 0, untied + tied_run == 0
        if run and labels:
            return "all scores equal in run and labels"
        return "all run scores equal" if run else "all human scores equal"

    def to_frame(self) -> pd.DataFrame:
        """Give one row a (view, question): answers, measures, pair counts, and the signature.

        What belongs to the run as a whole travels in ``frame.attrs``.
        """
        return frame_of_scores(self)

    @classmethod
    def from_frame(cls, frame: pd.DataFrame) -> Scores:
        """Take back what `to_frame` gave.

        Raises
        ------
        ValueError
            If ``frame.attrs`` was lost (by a CSV file, say) or rows are missing.
        """
        return cls(**scores_of_frame(frame))

    def to_json(self, *, per_question: bool = False) -> dict[str, Any]:
        """Give this run's object of the documented JSON shape (README, "JSON")."""
        return {
            "name": self.name,
            "file_sha256": self.digest,
            "accepted": True,
            "partial": self.partial,
            "coverage": {"answers": self.coverage[0], "of": self.coverage[1]},
            "problems": [problem.to_json() for problem in self.problems],
            "scores": {view: {measure: self._mean_json(view, measure) for measure in MEASURES} for view in self.views},
            "near_ties": self.near_ties,
            "signature": self.signature,
            "float64": None
            if self.float64 is None
            else {"mean_change": dict(self.float64.mean_change), "questions": list(self.float64.questions)},
            "questions": self._questions_json() if per_question else None,
        }

    def _mean_json(self, view: str, measure: str) -> dict[str, Any]:
        mean = self.mean(view, measure)
        numbers = {"mean": mean.mean, "defined": mean.defined, "undefined": mean.undefined}
        return {**numbers, "pooled": mean.pooled} if measure == "accuracy" else numbers

    def _questions_json(self) -> list[dict[str, Any]]:
        numbers = {measure: self.values(measure).tolist() for measure in MEASURES}
        answers, pairs = self.answers.tolist(), self.pairs.tolist()
        return [
            {"question": question}
            | {
                view: {
                    "answers": answers[v][q],
                    **{measure: _or_none(numbers[measure][v][q]) for measure in MEASURES},
                    "pairs": dict(zip(PAIR_KINDS, pairs[v][q], strict=True)),
                }
                for v, view in enumerate(self.views)
            }
            for q, question in enumerate(self.questions)
        ]


def _or_none(number: float) -> float | None:
    return number if number == number else None
