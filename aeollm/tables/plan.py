"""Under which choices runs are compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Interval = Literal["expanded-percentile", "percentile", "bca"]
Correction = Literal["tukey", "holm", "bh", "none"]

_SMALLEST_ALPHA = 1e-12
"""Below it float64 cannot hold 1 - alpha well enough for the quantiles."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Choices under which runs are compared.

    Attributes
    ----------
    seed : what all random draws start from.
    resamples : bootstrap resamples, and shuffles of tests that are not exact.
    interval : "expanded-percentile" holds its level best with few questions, "percentile" and "bca" are the usual ones.
    correction : over all pairs in one view and measure: "tukey" (randomised HSD), "holm" or "bh"
        (Benjamini-Hochberg), or "none".
    alpha : level of the tests; intervals hold 1 - alpha.
    power : the chance of showing a difference that ``detectable`` and ``questions_needed`` promise.

    Raises
    ------
    ValueError
        For a value that is none of these.
    """

    seed: int = 0
    resamples: int = 10_000
    interval: Interval = "expanded-percentile"
    correction: Correction = "tukey"
    alpha: float = 0.05
    power: float = 0.8

    def __post_init__(self) -> None:
        """Refuse a misspelt choice, which would otherwise act as another."""
        for name, allowed in (("interval", get_args(Interval)), ("correction", get_args(Correction))):
            if getattr(self, name) not in allowed:
                raise ValueError(f"{name} is one of {', '.join(allowed)}, not {getattr(self, name)!r}")
        for name, least in (("seed", 0), ("resamples", 1)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise ValueError(f"{name} is a whole number from {least}, not {value!r}")
        if not _SMALLEST_ALPHA <= self.alpha < self.power < 1:
            told = f"not alpha {self.alpha!r} and power {self.power!r}"
            raise ValueError(f"{_SMALLEST_ALPHA:g} <= alpha < power < 1 needed, {told}")
