"""Runs in groups that the tests tell apart."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def clusters(means: NDArray[np.float64], ahead: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Give every run's cluster in one view and measure, from 1, the best; 0 for an undefined mean.

    Runs are ordered by mean. A cluster ends where every run above differs from every run below, so that one pair
    that the test does not tell apart keeps all runs between in one cluster.

    Parameters
    ----------
    means : array, shape (runs,)
    ahead : array, shape (runs, runs)
        Whether the first run is ahead of the second by more than chance.

    Examples
    --------
    >>> clusters(np.array([0.5, 0.9, 0.6]), np.array([[0, 0, 0], [1, 0, 1], [0, 0, 0]], dtype=bool)).tolist()
    [2, 1, 2]
    """
    order = np.argsort(-means, kind="stable")
    order = order[~np.isnan(means[order])]
    n = len(order)
    numbers = np.zeros(len(means), dtype=np.int64)
    if n == 0:
        return numbers
    alike = ~ahead[np.ix_(order, order)]
    # The last run below that a run is not ahead of; itself at least.
    furthest = (n - 1) - np.argmax((alike & np.tri(n, dtype=bool).T)[:, ::-1], axis=1)
    ends = np.maximum.accumulate(furthest) == np.arange(n)
    numbers[order] = 1 + np.cumsum(ends) - ends
    return numbers
