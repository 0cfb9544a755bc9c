"""Folds that keep groups together, the same whatever the order of the rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.intp]


def grouped_folds(groups: Sequence[str], folds: int, seed: int) -> Ints:
    """Give every row's fold, numbered from 0; all rows of a group share one.

    The groups are sorted, shuffled by the seed and dealt out, so that folds differ by one group at most and do not
    depend on the order of the rows. With fewer groups than folds every group is a fold of its own.

    >>> folds = grouped_folds(["a", "b", "a", "c"], 3, seed=0).tolist()
    >>> folds[0] == folds[2], sorted(folds[1:])
    (True, [0, 1, 2])
    """
    names = sorted(set(groups))
    order = np.random.default_rng(seed).permutation(len(names))
    fold_of = {names[group]: place % folds for place, group in enumerate(order.tolist())}
    return np.array([fold_of[group] for group in groups], dtype=np.intp)
