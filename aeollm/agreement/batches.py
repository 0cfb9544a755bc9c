"""Answers of many questions side by side, blanks out of the way."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aeollm.measures import Ranking, rank

Floats = NDArray[np.float64]


def ranked_together(*sides: ArrayLike) -> list[Ranking]:
    """Rank vectors along the last axis, leaving out the answers that are blank (nan) on any side.

    Shapes broadcast. Equal numbers tie: hand in whole numbers or ranks to compare decimals exactly.
    """
    arrays = np.broadcast_arrays(*(np.asarray(side, dtype=np.float64) for side in sides))
    blank = np.isnan(arrays).any(axis=0)
    front = np.argsort(blank, axis=-1, kind="stable")
    sizes = np.asarray((~blank).sum(axis=-1), dtype=np.int64)
    return [rank(np.take_along_axis(np.where(blank, 0.0, array), front, axis=-1), sizes) for array in arrays]
