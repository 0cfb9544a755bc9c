"""What a score depends on beside its inputs, and the signature that says so."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from aeollm.version import __version__

Ties = Literal["exact", "float64"]
Undefined = Literal["skip", "zero", "strict"]
_PAPER_ANSWERS = 2
_OFFICIAL_ANSWERS = 3


@dataclass(frozen=True, slots=True)
class Policy:
    """Choices under which a score is computed.

    Attributes
    ----------
    ties : "exact" compares weighted totals as the decimals written, "float64" as the organisers' sums.
    undefined : what an undefined question does to a mean: "skip" it, count it as "zero", or, "strict",
        make the mean undefined.
    partial : accept a run that leaves answers out (the score is then marked partial).
    inner_join : drop answers that the labels do not know instead of refusing the run.
    min_answers : questions with fewer matched answers are undefined in every measure.
    score_range : (low, high) that scores must keep; None warns outside 0 to 10 only.

    Raises
    ------
    ValueError
        For a value that is none of these.
    """

    ties: Ties = "exact"
    undefined: Undefined = "skip"
    partial: bool = False
    inner_join: bool = False
    min_answers: int = _PAPER_ANSWERS
    score_range: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        """Refuse a misspelt choice, which would otherwise act as the default."""
        for name, allowed in (("ties", get_args(Ties)), ("undefined", get_args(Undefined))):
            if getattr(self, name) not in allowed:
                raise ValueError(f"{name} is one of {', '.join(allowed)}, not {getattr(self, name)!r}")

    @classmethod
    def official(cls) -> Policy:
        """Reproduce the organisers' script as far as it is known (README, "Measures and policies")."""
        return cls(ties="float64", partial=True, inner_join=True, min_answers=_OFFICIAL_ANSWERS)

    def average(self, values: Sequence[float]) -> float | None:
        """Average over questions, nan being an undefined one; None where the mean is undefined.

        >>> nan = float("nan")
        >>> Policy().average([1.0, nan]), Policy(undefined="zero").average([1.0, nan])
        (1.0, 0.5)
        """
        defined = [value for value in values if value == value]
        undefined = len(values) - len(defined)
        count = len(values) if self.undefined == "zero" else len(defined)
        if not count or (undefined and self.undefined == "strict"):
            return None
        return math.fsum(defined) / count


def signature(labels: str, weights: str, policy: Policy, run: str | None = None, *, partial: bool = False) -> str:
    """Write how a number was made, in one line.

    Parameters
    ----------
    labels, weights : the signed names of labels and rubrics.
    run : SHA-256 of the run file; None for what all runs scored together share.
    partial : whether answers are missing from the run.
    """
    parts = [f"labels={labels}", f"weights={weights}"]
    if run is not None:
        parts.append(f"run={run[:8]}")
    parts += [f"ties={policy.ties}", f"undefined={policy.undefined}", "average=macro"]
    parts.append(f"partial={'yes' if partial else 'no'}")
    if policy.inner_join:
        parts.append("join=inner")
    if policy.min_answers != _PAPER_ANSWERS:
        parts.append(f"min_answers={policy.min_answers}")
    return "|".join([*parts, f"aeollm={__version__}"])
