"""What a perfect judge would score against labels of a stated reliability: a simulation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aeollm.measures import Ints, Ranking, accuracy_of, compare, kendall_of, rank, spearman_of

PUBLISHED_RELIABILITY = 0.76
"""ICC of the readability labels' means, as published for readability alone (AEOLLM-2 overview, section 3.1.3)."""
_CHUNK = 2**18
_LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Range:
    """The mean over all simulated label sets, and between which values 95 % of the label sets lie."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Ceiling:
    """A simulated ceiling by measure: of a judge that knows the truth, and of one that errs as the labels do."""

    reliability: float
    questions: int
    draws: int
    seed: int
    perfect: Mapping[str, Range]
    second_panel: Mapping[str, Range]
    assumptions: str


def simulate_ceiling(reliability: float, answers: Sequence[int], *, seed: int = 0, draws: int = 1_000) -> Ceiling:
    """Simulate label sets of a stated reliability, and score two judges against them.

    Parameters
    ----------
    reliability : the share of the labels' variance within a question that is truth, above 0 to 1.
    answers : how many answers each question has, two at least.
    seed : what the simulation starts from.
    draws : how many label sets.

    Raises
    ------
    ValueError
        For a reliability outside (0, 1], or without a question of two answers or more.

    Examples
    --------
    >>> found = simulate_ceiling(0.76, [16] * 20, draws=200)
    >>> round(found.perfect["accuracy"].mean, 2), round(found.second_panel["accuracy"].mean, 2)
    (0.84, 0.77)
    """
    sizes = np.array([n for n in answers if n > 1], dtype=np.int64)
    if not 0 < reliability <= 1:
        raise ValueError(f"a reliability is above 0 and at most 1, not {reliability!r}")
    if not len(sizes):
        raise ValueError("no question has two answers or more")
    rng = np.random.default_rng(seed)
    step = max(1, _CHUNK // (len(sizes) * int(sizes.max())))
    parts = [_scores(reliability, sizes, min(step, draws - start), rng) for start in range(0, draws, step)]
    perfect, panel = (
        {measure: _range(np.concatenate([part[judge][measure] for part in parts])) for measure in parts[0][judge]}
        for judge in (0, 1)
    )
    assumptions = (
        f"Simulated from {draws:,} label sets (seed {seed}): within every question, true quality is normal, and the "
        "labels are the truth plus independent normal error, so that the truth makes "
        f"{reliability:.2f} of their variance; nobody ties. The perfect judge gives the truth; the second panel errs "
        "as the labels do. A reliability that was computed over the answers of all questions is lower within a "
        "question, and so is the ceiling."
    )
    return Ceiling(reliability, len(sizes), draws, seed, perfect, panel, assumptions)


def _scores(
    reliability: float, sizes: Ints, draws: int, rng: np.random.Generator
) -> tuple[dict[str, NDArray[np.float64]], dict[str, NDArray[np.float64]]]:
    """Give both judges' means over the questions by measure, one a label set."""
    shape = (draws, len(sizes), int(sizes.max()))
    counts = np.broadcast_to(sizes, shape[:-1])
    truth = np.sqrt(reliability) * rng.standard_normal(shape)
    noise = np.sqrt(1 - reliability)
    labels, other = (rank(truth + noise * rng.standard_normal(shape), counts) for _ in range(2))
    return _measured(rank(truth, counts), labels), _measured(other, labels)


def _measured(judge: Ranking, labels: Ranking) -> dict[str, NDArray[np.float64]]:
    pairs = compare(judge, labels)
    values = {"spearman": spearman_of(judge, labels), "kendall": kendall_of(pairs), "accuracy": accuracy_of(pairs)}
    return {measure: value.mean(axis=-1) for measure, value in values.items()}


def _range(means: NDArray[np.float64]) -> Range:
    low, high = np.quantile(means, [(1 - _LEVEL) / 2, (1 + _LEVEL) / 2]).tolist()
    return Range(float(means.mean()), low, high)
