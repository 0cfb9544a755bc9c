"""What a fit can be told, and how it tells how far it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from aeollm.calibration.scale import MOST_BINS

Watch = Callable[[float, str], None]
"""Told the share done, 0 to 1, and the step in words, every few milliseconds. What it raises ends the fit."""


class Cancelled(Exception):
    """What a `Watch` may raise to end a fit that nobody waits for any more."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Choices of a fit.

    ``seed`` starts the networks and the folds that choose penalties; ``members`` is how many networks are averaged.
    ``personal``, ``pretrain``, ``finetune`` False leave out judges' parameters (of every model), the network's phase
    on all targets, its phase on the wanted one. ``bins`` is how many bins decimals are put into, 2 to 10.

    Raises
    ------
    ValueError
        For no members, fewer than 2 or more than 10 bins, a negative seed, or neither phase.
    """

    seed: int = 0
    members: int = 5
    personal: bool = True
    pretrain: bool = True
    finetune: bool = True
    bins: int = MOST_BINS

    def __post_init__(self) -> None:
        """Check the ranges."""
        if not 1 <= self.members <= 100:
            raise ValueError(f"1 to 100 networks can be averaged, not {self.members}")
        if not 2 <= self.bins <= MOST_BINS:
            raise ValueError(f"2 to {MOST_BINS} bins are possible, not {self.bins}")
        if self.seed < 0:
            raise ValueError(f"a seed is 0 or more, not {self.seed}")
        if not (self.pretrain or self.finetune):
            raise ValueError("without pretraining and fine-tuning nothing is trained")
