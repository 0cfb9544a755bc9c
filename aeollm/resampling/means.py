"""Every run's mean with its interval, and the clusters of runs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from aeollm.resampling.clusters import clusters
from aeollm.resampling.draws import Purpose, draws
from aeollm.resampling.intervals import bootstrap_intervals, exact_means
from aeollm.tables import PairFigures, Plan, RunFigures

Floats = NDArray[np.float64]


def under_policy(values: Floats, undefined: str) -> Floats:
    """Treat undefined questions (nan) as the policy says: skipped as they are, 0, or undefining all of the column."""
    absent = np.isnan(values)
    if undefined == "zero":
        return np.where(absent, 0.0, values)
    if undefined == "strict":
        return np.where(absent.any(axis=-1, keepdims=True), np.nan, values)
    return values


def run_figures(values: Floats, used: Floats, pairs: PairFigures, plan: Plan) -> RunFigures:
    """Give the figures of every run, arrays flat: (runs, columns).

    Parameters
    ----------
    values, used : arrays, shape (runs, columns, questions)
        As scored, and with the policy for undefined questions applied.
    pairs : arrays flat: (pairs, columns).
    plan : how to compare.
    """
    kind, level = plan.interval, 1 - plan.alpha
    found = bootstrap_intervals(
        used, rng=draws(plan, Purpose.BOOTSTRAP), resamples=plan.resamples, kind=kind, level=level
    )
    mean = exact_means(used)
    ahead = _ahead(len(used), pairs, plan.alpha)
    numbers: list[NDArray[Any]] = [
        clusters(column, told_apart) for column, told_apart in zip(mean.T, ahead, strict=True)
    ]
    return RunFigures(
        mean=mean,
        low=found.low,
        high=found.high,
        cluster=np.stack(numbers, axis=-1),
        questions=(~np.isnan(values)).sum(axis=-1),
        resamples_left_out=found.left_out,
        degenerate=found.degenerate,
    )


def _ahead(runs: int, pairs: PairFigures, alpha: float) -> NDArray[np.bool_]:
    """Say which run is ahead of which by more than chance, shape (columns, runs, runs)."""
    first, second = np.triu_indices(runs, 1)
    told_apart = pairs.p_adjusted <= alpha
    ahead = np.zeros((pairs.p.shape[-1], runs, runs), dtype=bool)
    ahead[:, first, second] = (told_apart & (pairs.difference > 0)).T
    ahead[:, second, first] = (told_apart & (pairs.difference < 0)).T
    return ahead
