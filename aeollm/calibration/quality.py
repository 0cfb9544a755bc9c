"""How well predictions agree with people's answers, and what no predictor can do better than."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aeollm.measures import kendall, spearman

Floats = NDArray[np.float64]

QUALITIES = ("rmse", "pearson", "spearman", "kendall", "nll")
_SAME = 1e-12


@dataclass(frozen=True, slots=True)
class Quality:
    """Figures over rows pooled: nan is undefined. Lower is better for ``rmse`` and ``nll`` (minus log-likelihood).

    Correlations are undefined when predictions or answers are constant, ``nll`` where a model gives no probabilities;
    it is infinite where an answer was given no probability at all.
    """

    rmse: float
    pearson: float
    spearman: float
    kendall: float
    nll: float
    rows: int

    def to_json(self) -> dict[str, float | int | None]:
        """Give the fields, None where undefined or infinite."""
        return {name: value if math.isfinite(value) else None for name, value in asdict(self).items()}


def measure(expected: ArrayLike, answers: ArrayLike, likelihoods: ArrayLike | None = None) -> Quality:
    """Measure predictions, shape (n,), against answers, shape (n,); rows without an answer are left out.

    ``likelihoods`` are the probabilities that were given to the answers that came.

    >>> found = measure([1, 2, 3], [2, 2, 4], [0.5, 0.5, 0.25])
    >>> round(found.rmse, 3), round(found.pearson, 3), round(found.nll, 3)
    (0.816, 0.866, 0.924)
    """
    x, y = np.asarray(expected, dtype=np.float64), np.asarray(answers, dtype=np.float64)
    given = ~np.isnan(y) & ~np.isnan(x)
    x, y = x[given], y[given]
    undefined = len(x) < 2 or constant(x) or constant(y)
    nll = math.nan if likelihoods is None else mean_loss(np.asarray(likelihoods, dtype=np.float64)[given])
    return Quality(
        rmse=float(np.sqrt(np.mean((x - y) ** 2))) if len(x) else math.nan,
        pearson=math.nan if undefined else float(np.corrcoef(x, y)[0, 1]),
        spearman=math.nan if undefined else float(spearman(x, y)),
        kendall=math.nan if undefined else float(kendall(x, y)),
        nll=nll,
        rows=len(x),
    )


def constant(values: Floats) -> bool:
    """Say whether values are equal up to rounding."""
    return bool(np.ptp(values) <= _SAME * max(float(np.abs(values).max()), 1.0))


def mean_loss(likelihoods: Floats) -> float:
    """Give the mean of minus the logarithm; nan where one is, infinite where one is 0."""
    if not len(likelihoods) or bool(np.isnan(likelihoods).any()):
        return math.nan
    with np.errstate(divide="ignore"):
        return float(-np.log(likelihoods).mean())


def mean_quality(several: list[Quality]) -> Quality:
    """Average figures of several seeds; undefined where one of them is."""
    means = {name: float(np.mean([getattr(one, name) for one in several])) for name in QUALITIES}
    return Quality(**means, rows=several[0].rows)


def rmse_bound(sd: float, pearson: float) -> float:
    """Give the least RMSE of any predictor whose correlation with the answers is ``pearson``.

    Of all predictors with that correlation the linear regression on it has least error, and it leaves
    ``sd * sqrt(1 - pearson**2)``; ``sd`` is the answers' standard deviation (divided by n).

    Raises
    ------
    ValueError
        For a negative ``sd`` or a correlation outside [-1, 1].

    Examples
    --------
    >>> round(rmse_bound(0.793, 0.350), 3)
    0.743
    """
    if sd < 0 or abs(pearson) > 1:
        raise ValueError(f"no standard deviation and correlation: {sd!r}, {pearson!r}")
    return sd * math.sqrt(1 - pearson * pearson)
