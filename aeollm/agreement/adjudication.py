"""Third ratings that exist only where the first two disagree."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


def adjudicators(ratings: ArrayLike) -> Bools:
    """Say which annotators rated disputed items only.

    They rated at most half of the items that two or more others rated, no other item, and all these are items
    on which the others differ by more than on any item left to the others. Several may share the work.

    Parameters
    ----------
    ratings : array_like, shape (items, annotators)
        nan where an annotator did not rate the item.

    Returns
    -------
    bool array, shape (annotators,)

    Examples
    --------
    >>> nan = float("nan")
    >>> adjudicators([[7, 8, nan], [4, 9, 8], [6, 6, nan], [5, 6, nan]]).tolist()
    [False, False, True]
    """
    table = np.asarray(ratings, dtype=np.float64)
    rated = np.asarray(~np.isnan(table))
    work = rated.sum(axis=0)
    by_work = np.argsort(work, kind="stable")
    by_work = by_work[work[by_work] > 0]
    ratings_of = rated.sum(axis=1)
    suspected = rated[:, by_work[:-2]].sum(axis=1)
    found = np.zeros(table.shape[1], dtype=bool)
    # From all but two annotators down to the one who rated least; most steps end at the counts.
    for several in range(len(by_work) - 2, 0, -1):
        suspects = by_work[:several]
        if _only_disputed(table, suspects, suspected > 0, ratings_of - suspected > 1):
            found[suspects] = True
            break
        suspected = suspected - rated[:, by_work[several - 1]]
    return found


def set_adjudication_aside(ratings: ArrayLike, who: ArrayLike | None = None) -> Floats:
    """Blank the ratings of adjudicators, so that they do not enter the agreement of those they decided between.

    Such ratings exist only where agreement is low, and lie between the others by their purpose.

    Parameters
    ----------
    ratings : array_like, shape (items, annotators)
    who : bool array_like, shape (annotators,) or (items, annotators), optional
        Whose ratings, or which; by default those of `adjudicators`.
    """
    table = np.asarray(ratings, dtype=np.float64)
    marked = adjudicators(table) if who is None else np.asarray(who, dtype=bool)
    return np.where(marked, np.nan, table)


def _only_disputed(table: Floats, suspects: NDArray[np.intp], decided: Bools, paired: Bools) -> bool:
    """Check suspects who rated the decided items, of which the others rated those paired at least twice."""
    left = paired & ~decided
    if bool((decided & ~paired).any()) or not 0 < decided.sum() <= left.sum():
        return False
    others = np.delete(table, suspects, axis=1)
    gap = np.nanmax(others[paired], axis=1) - np.nanmin(others[paired], axis=1)
    return bool(gap[decided[paired]].min() > gap[left[paired]].max())
