"""Near ties: scores that differ, but by less than a billionth of their question's spread.

They usually come from averaging the same numbers in another order, and decide pairs by chance.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

SHARE = 10**9
"""A gap nearly ties when it is positive and below spread / SHARE."""


def near_pairs(table: NDArray[Any], grid: NDArray[np.intp], valid: NDArray[np.bool_]) -> int:
    """Count the answer pairs of one run that nearly tie in at least one view.

    Parameters
    ----------
    table : exact integers, shape (label rows, views).
    grid : label rows of every question, shape (questions, answers).
    valid : which of them count, shape (views, questions, answers).
    """
    return sum(_in_question(table[rows].T, valid[:, q]) for q, rows in enumerate(grid) if _suspect(table, rows))


def _suspect(table: NDArray[Any], rows: NDArray[np.intp]) -> bool:
    """Tell cheaply whether any neighbours in order are near; padding only adds equal numbers."""
    ordered = np.sort(table[rows], axis=0)
    gaps = np.diff(ordered, axis=0)
    return bool(_near(gaps, ordered[-1] - ordered[0]).any()) if len(gaps) else False


def _near(gaps: NDArray[Any], spread: NDArray[Any]) -> NDArray[np.bool_]:
    # gap * SHARE < spread, in whole numbers and without overflow.
    return np.asarray((gaps > 0) & (gaps <= (spread - 1) // SHARE), dtype=bool)


def _in_question(keys: NDArray[Any], valid: NDArray[np.bool_]) -> int:
    kept = [view[use] for view, use in zip(keys, valid, strict=True)]
    spread = np.array([view.max() - view.min() if len(view) else 0 for view in kept], dtype=keys.dtype)[:, None]
    count = 0
    for i in range(keys.shape[1] - 1):
        near = _near(np.abs(keys[:, i + 1 :] - keys[:, i, None]), spread)
        count += int((near & valid[:, i + 1 :] & valid[:, i, None]).any(axis=0).sum())
    return count
