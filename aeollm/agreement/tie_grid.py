"""The grid that would make a run's ties most like people's, fitted on the labels it is judged by."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aeollm.agreement.batches import ranked_together
from aeollm.measures import accuracy_of, compare
from aeollm.tables import Policy

Floats = NDArray[np.float64]

FITTED_ON = "the labels shown"
_FINEST = 1_000
_TINY = 1e-290
_NOISE = 2.0**-40
"""Of the spread: scores closer than this differ by rounding of weighted sums."""


@dataclass(frozen=True, slots=True)
class TieGrid:
    """The best grid of one view, with the accuracy on it and without it.

    ``grid`` is None where no grid does better than the scores as they are. Fitted on the labels shown: a
    diagnosis of the run's ties, not a score.
    """

    grid: float | None
    accuracy: float | None
    without: float | None
    fitted_on: str = FITTED_ON


def best_tie_grid(run: ArrayLike, labels: ArrayLike, policy: Policy | None = None) -> TieGrid:
    """Find the grid to whose multiples the scores should be rounded for the highest accuracy on these labels.

    Grids of 1, 2 and 5 times powers of ten are tried, from a thousandth of the run's spread up to the spread; of
    equally good ones the finest is given. Rounding to a grid is a tolerance that keeps ties transitive, unlike
    the epsilon of Deutsch, Foster and Freitag 2023, "Ties Matter" (EMNLP).

    Parameters
    ----------
    run, labels : array_like, shape (questions, answers)
        One view; nan where an answer is missing on either side.
    policy : how to average over questions; the paper's by default.

    Examples
    --------
    >>> best_tie_grid([[7.1, 7.2, 8.0]], [[7, 7, 8]]).grid
    0.5
    """
    scores, gold = np.asarray(run, dtype=np.float64), np.asarray(labels, dtype=np.float64)
    average = (policy or Policy()).average

    def accuracy(keys: Floats) -> float | None:
        first, second = ranked_together(keys, gold)
        return average(accuracy_of(compare(first, second)).tolist())

    used: list[float] = scores[~np.isnan(scores)].tolist()
    spread = max(used) - min(used) if used else 0.0
    if not _TINY < spread < math.inf:
        plain = accuracy(scores)
        return TieGrid(None, plain, plain)
    plain = accuracy(np.rint(scores / (spread * _NOISE)))
    if plain is None:
        return TieGrid(None, None, None)
    found = TieGrid(None, plain, plain)
    for grid in _grids(spread):
        on_grid = accuracy(np.rint(scores / grid))
        if on_grid is not None and found.accuracy is not None and on_grid > found.accuracy:
            found = TieGrid(grid, on_grid, plain)
    return found


def _grids(spread: float) -> list[float]:
    """List 1, 2 and 5 times the powers of ten from a thousandth of the spread up to it, rising."""
    powers = range(math.floor(math.log10(spread / _FINEST)), math.ceil(math.log10(spread)) + 1)
    steps = [float(f"{leading}e{power}") for power in powers for leading in (1, 2, 5)]
    return [step for step in steps if spread / _FINEST <= step <= spread]
