"""What one visitor has handed in; kept on the server, seen by nobody else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from aeollm.errors import Problem
from aeollm.evaluation import Evaluation, Result
from aeollm.sources import LabelSet
from aeollm.tables import MEASURES, OVERALL, Scores


@dataclass(frozen=True, slots=True)
class Session:
    """Label sets of the visitor's own, what was last scored, and what could not even be tried.

    ``example`` is True while the page shows the demo runs nobody asked for.
    """

    evaluation: Evaluation
    own: tuple[tuple[str, LabelSet], ...] = ()
    refused: tuple[Problem, ...] = ()
    example: bool = False

    @property
    def scored(self) -> list[tuple[str, Scores]]:
        """Give shown name and scores of every run that was scored, best overall first."""
        return [(name, result.scores) for name, result in self.ranked if result.scores is not None]

    @property
    def ranked(self) -> list[tuple[str, Result]]:
        """Give shown name and result of every run, best overall Spearman first, refused ones last."""
        names = distinct([result.name for result in self.evaluation.results])
        return sorted(zip(names, self.evaluation.results, strict=True), key=lambda pair: -_overall(pair[1]))


def _overall(result: Result) -> float:
    mean = result.scores.mean(OVERALL, MEASURES[0]).mean if result.scores is not None else None
    return mean if mean is not None else -2.0 if result.scores is not None else -3.0


def distinct(names: Sequence[str]) -> list[str]:
    """Tell equal names apart by a number.

    >>> distinct(["run.txt", "run.txt"])
    ['run.txt', 'run.txt (2)']
    """
    shown: list[str] = []
    for name in names:
        number, candidate = 1, name
        while candidate in shown:
            number += 1
            candidate = f"{name} ({number})"
        shown.append(candidate)
    return shown
