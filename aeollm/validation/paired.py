"""Paired tests of two models on the same rows: exchange what they predicted, text by text."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from aeollm.measures import kendall, spearman
from aeollm.resampling import sign_flip_test
from aeollm.validation.resampled import Scored

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

_SLACK = 1e-12
_MOST = 2**21
"""Numbers held at a time."""

Statistic = Callable[[Floats, Floats], Floats]


def mean_tests(
    ours: Sequence[Scored], theirs: Sequence[Scored], groups: Ints, rng: np.random.Generator
) -> dict[str, float]:
    """Test squared errors and losses: sign flips of each group's sum of differences, averaged over seeds; two-sided p.

    ``groups`` numbers every row's group. nan where a model gives no probability, or none to an answer that came.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        differences = {
            "rmse": [_errors(mine) - _errors(other) for mine, other in zip(ours, theirs, strict=True)],
            "nll": [np.log(other.likelihoods / mine.likelihoods) for mine, other in zip(ours, theirs, strict=True)],
        }
    found = {}
    for name, several in differences.items():
        mean = np.mean(several, axis=0)
        sums = np.bincount(groups, mean) if np.isfinite(mean).all() else np.full(1, np.nan)
        found[name] = float(sign_flip_test(sums, rng=rng).p)
    return found


def _errors(rows: Scored) -> Floats:
    return (rows.expected - rows.answers) ** 2


def correlation_tests(
    ours: Sequence[Scored],
    theirs: Sequence[Scored],
    groups: Ints,
    rng: np.random.Generator,
    names: Sequence[str] = ("pearson", "spearman", "kendall"),
) -> dict[str, float]:
    """Test correlations: in every draw some groups exchange their predictions between the models; two-sided p.

    The statistic is the difference of the two correlations, averaged over seeds. nan where it is undefined.
    """
    draws = 999
    exchanged = rng.integers(0, 2, (draws + 1, int(groups.max()) + 1)).astype(bool)
    exchanged[0] = False
    seeds = list(zip(ours, theirs, strict=True))
    found = {}
    for name in names:
        differences = np.mean([_differences(pair, exchanged[:, groups], _STATISTICS[name]) for pair in seeds], axis=0)
        seen = np.abs(differences[0])
        hits = (np.abs(differences[1:]) >= seen - _SLACK).sum()
        found[name] = float((hits + 1) / (draws + 1)) if np.isfinite(differences).all() else float("nan")
    return found


def _differences(pair: tuple[Scored, Scored], exchanged: NDArray[np.bool_], statistic: Statistic) -> Floats:
    mine, other = (rows.expected for rows in pair)
    answers = pair[0].answers
    found = np.empty(len(exchanged))
    step = max(1, _MOST // len(answers))
    for start in range(0, len(exchanged), step):
        swap = exchanged[start : start + step]
        sides = np.where(swap, other, mine), np.where(swap, mine, other)
        found[start : start + step] = statistic(sides[0], answers) - statistic(sides[1], answers)
    return found


def _pearson(x: Floats, y: Floats) -> Floats:
    x, y = x - x.mean(axis=-1, keepdims=True), y - y.mean()
    squares = (x**2).sum(axis=-1) * (y**2).sum()
    found = np.full(len(x), np.nan)
    np.divide(x @ y, np.sqrt(squares), out=found, where=squares > 1e-20)
    return found


_STATISTICS: dict[str, Statistic] = {"pearson": _pearson, "spearman": spearman, "kendall": kendall}
