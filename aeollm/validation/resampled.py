"""Measures of many resamples at once, for intervals over groups of rows that belong together (texts, questions)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aeollm.calibration import QUALITIES

Floats = NDArray[np.float64]

_LEVEL = 0.95
_MOST_PAIRED = 5_000
"""Rows up to which Kendall's tau is resampled: the work grows with their square."""
_BLOCK = 2**22
_MOST_UNDEFINED = 0.1


class Scored(NamedTuple):
    """Predicted means, answers, and the probabilities given to the answers, each shape (n,)."""

    expected: Floats
    answers: Floats
    likelihoods: Floats


def resample_weights(groups: Sequence[str], resamples: int, rng: np.random.Generator) -> Floats:
    """Draw groups with replacement: how often every row comes, shape (resamples, n)."""
    names, place = np.unique(np.array(groups, dtype=np.str_), return_inverse=True)
    counts = rng.multinomial(len(names), np.full(len(names), 1 / len(names)), size=resamples)
    return np.asarray(counts[:, place], dtype=np.float64)


def replicates(rows: Scored, weights: Floats) -> Floats:
    """Give every measure of every resample, shape (resamples, measures), in the order of `QUALITIES`.

    A resample is rows with whole weights, so that nothing is copied or sorted anew; nan where undefined.
    """
    total = weights.sum(axis=1)
    errors = (rows.expected - rows.answers) ** 2
    x, y = _Side(rows.expected, weights), _Side(rows.answers, weights)
    with np.errstate(divide="ignore", invalid="ignore"):
        losses = -np.log(rows.likelihoods)
        columns = {
            "rmse": np.sqrt(weights @ errors / total),
            "pearson": _correlation(x.values, y.values, weights),
            "spearman": _correlation(x.ranks(), y.ranks(), weights),
            "kendall": _tau(x, y, weights),
            "nll": weights @ losses / total if np.isfinite(losses).all() else np.full(len(total), np.nan),
        }
    return np.stack([columns[name] for name in QUALITIES], axis=1)


class _Side:
    """One vector, its groups of equal values, and their weights in every resample."""

    def __init__(self, values: Floats, weights: Floats) -> None:
        self.values = values - values.mean()
        _, self.dense = np.unique(values, return_inverse=True)
        order = np.argsort(self.dense, kind="stable")
        starts = np.searchsorted(self.dense[order], np.arange(int(self.dense.max()) + 1))
        self.group_weights = np.add.reduceat(weights[:, order], starts, axis=1)

    def ranks(self) -> Floats:
        """Give every row's average rank in every resample, shape (resamples, n)."""
        middle = np.cumsum(self.group_weights, axis=1) - self.group_weights / 2
        return np.asarray(middle[:, self.dense])

    def untied(self) -> Floats:
        """Count ordered pairs that differ, in every resample."""
        return np.asarray(self.group_weights.sum(axis=1) ** 2 - (self.group_weights**2).sum(axis=1))


def _correlation(x: Floats, y: Floats, weights: Floats) -> Floats:
    """Give Pearson's correlation of vectors, shape (n,) or one a resample, in every resample."""
    total = weights.sum(axis=1, keepdims=True)
    x, y = (side - (weights * side).sum(axis=1, keepdims=True) / total for side in (x, y))
    squares = (weights * x**2).sum(axis=1) * (weights * y**2).sum(axis=1)
    products = (weights * x * y).sum(axis=1)
    smallest = 1e-24 * total[:, 0] ** 2
    found = np.full(len(weights), np.nan)
    np.divide(products, np.sqrt(squares), out=found, where=squares > smallest)
    return found


def _tau(x: _Side, y: _Side, weights: Floats) -> Floats:
    """Give tau-b in every resample: concordant minus discordant pairs over the root of untied ones on each side."""
    found = np.full(len(weights), np.nan)
    n = len(x.values)
    if n > _MOST_PAIRED:
        return found
    difference = np.zeros(len(weights))
    step = max(1, _BLOCK // n)
    for start in range(0, n, step):
        part = slice(start, start + step)
        signs = np.sign(x.dense[part, None] - x.dense) * np.sign(y.dense[part, None] - y.dense)
        difference += ((weights @ signs.T.astype(np.float64)) * weights[:, part]).sum(axis=1)
    untied = x.untied() * y.untied()
    np.divide(difference, np.sqrt(untied), out=found, where=untied > 0)
    return found


def interval(found: Floats, n_groups: int) -> tuple[Floats, Floats]:
    """Give the ends of 95 % intervals, one for every column of replicates; nan where more than a tenth are undefined.

    Quantiles are taken where Student's t, for so many groups, has its tails, so that few groups do not make the
    interval too narrow (Hesterberg 2015, The American Statistician 69:371-386).
    """
    from scipy import special  # noqa: PLC0415  scoring does not wait for scipy

    if n_groups < 2:
        return np.full(found.shape[1], np.nan), np.full(found.shape[1], np.nan)
    reach = np.sqrt(n_groups / (n_groups - 1)) * special.stdtrit(n_groups - 1, (1 - _LEVEL) / 2)
    tail = float(special.ndtr(reach))
    usable = np.isnan(found).mean(axis=0) <= _MOST_UNDEFINED
    ends = np.full((2, found.shape[1]), np.nan)
    if usable.any():
        ends[:, usable] = np.nanquantile(found[:, usable], [tail, 1 - tail], axis=0)
    return ends[0], ends[1]
