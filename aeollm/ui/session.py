"""What one visitor has handed in; kept on the server, seen by nobody else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from aeollm.errors import Problem
from aeollm.evaluation import Evaluation, Result, distinct
from aeollm.resampling import bootstrap_intervals
from aeollm.sources import LabelSet
from aeollm.tables import MEASURES, OVERALL, Run, Scores

SEED = 0
"""What the page's random draws start from; it is shown beside their figures."""


@dataclass(frozen=True, slots=True)
class Session:
    """Label sets of the visitor's own, what was last scored, and what could not even be tried.

    ``example`` is True while the page shows the demo runs nobody asked for; ``bounds`` holds the ends of the
    means' intervals, shape (scored runs, views, measures, 2), in the order of `scored`.
    """

    evaluation: Evaluation
    own: tuple[tuple[str, LabelSet], ...] = ()
    refused: tuple[Problem, ...] = ()
    example: bool = False
    bounds: NDArray[np.float64] | None = None

    @classmethod
    def of(
        cls, evaluation: Evaluation, own: tuple[tuple[str, LabelSet], ...] = (), *, example: bool = False
    ) -> Session:
        """Hold what was scored, with intervals."""
        session = cls(evaluation, own, example=example)
        return replace(session, bounds=_bounds([scores for _, scores in session.scored]))

    @property
    def scored(self) -> list[tuple[str, Scores]]:
        """Give shown name and scores of every run that was scored, best overall first."""
        return [(name, result.scores) for name, result in self.ranked if result.scores is not None]

    @property
    def files(self) -> list[tuple[str, str]]:
        """Give name and SHA-256 of the files handed in, in their order."""
        return [(result.name, result.inspection.digest) for result in self.evaluation.results]

    def run(self, shown: str) -> Run:
        """Give the run behind a shown name.

        Raises
        ------
        KeyError
            If no accepted run has that name.
        """
        for name, result in self.ranked:
            if name == shown and result.inspection.run is not None:
                return result.inspection.run
        raise KeyError(shown)

    @property
    def ranked(self) -> list[tuple[str, Result]]:
        """Give shown name and result of every run, best overall Spearman first, refused ones last."""
        names = distinct([result.name for result in self.evaluation.results])
        return sorted(zip(names, self.evaluation.results, strict=True), key=lambda pair: -_overall(pair[1]))


def _bounds(scored: Sequence[Scores]) -> NDArray[np.float64] | None:
    if not scored:
        return None
    values = np.array([[scores.values(measure) for measure in MEASURES] for scores in scored]).swapaxes(1, 2)
    found = bootstrap_intervals(values, rng=np.random.default_rng(SEED))
    return np.stack([found.low, found.high], axis=-1)


def _overall(result: Result) -> float:
    mean = result.scores.mean(OVERALL, MEASURES[0]).mean if result.scores is not None else None
    return mean if mean is not None else -2.0 if result.scores is not None else -3.0
