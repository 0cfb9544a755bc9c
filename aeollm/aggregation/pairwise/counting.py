"""Scores by counting alone, beside which a model has to show its worth: win rate and Copeland's score."""

from __future__ import annotations

import numpy as np

from aeollm.aggregation.pairwise.comparisons import Comparisons
from aeollm.aggregation.pairwise.pairs import Floats

_ROUNDING = 1e-9


def win_rates(comparisons: Comparisons) -> Floats:
    """Give every answer's share of wins among its comparisons, a tie being half a win; nan without comparisons.

    >>> win_rates(Comparisons.of_counts([[0, 3], [1, 0]])).tolist()
    [0.75, 0.25]
    """
    won, tied, lost = comparisons.outcomes.T
    return _rate(comparisons, won + tied / 2, lost + tied / 2)


def copeland_scores(comparisons: Comparisons) -> Floats:
    """Give every answer's share of opponents that it beats more often than they beat it, an equal one being half.

    nan without opponents. An opponent counts once, however often it was met.

    >>> copeland_scores(Comparisons.of_counts([[0, 3, 1], [1, 0, 0], [1, 0, 0]])).tolist()
    [0.75, 0.0, 0.5]
    """
    lead = comparisons.outcomes[:, 0] - comparisons.outcomes[:, 2]
    beaten = np.where(np.abs(lead) < _ROUNDING, 0.5, (lead > 0).astype(np.float64))
    return _rate(comparisons, beaten, 1 - beaten)


def _rate(comparisons: Comparisons, of_first: Floats, of_second: Floats) -> Floats:
    size = int(comparisons.starts[-1])
    met = of_first + of_second
    total, gained = np.zeros(size), np.zeros(size)
    for places, share in ((comparisons.flat_first, of_first), (comparisons.flat_second, of_second)):
        total += np.bincount(places, weights=met, minlength=size)
        gained += np.bincount(places, weights=share, minlength=size)
    return np.asarray(np.divide(gained, total, out=np.full(size, np.nan), where=total > 0))
