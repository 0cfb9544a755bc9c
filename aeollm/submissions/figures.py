"""What may leave the server about hidden labels: a handful of rounded numbers a run, and no type for more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal

from aeollm.submissions.phases import MOST_DECIMALS
from aeollm.tables import MEASURES, OVERALL

MOST_VIEWS = 16
"""Overall and dimensions; question ids in their place would not fit."""


@dataclass(frozen=True, slots=True)
class Rounded:
    """A number from -1 to 1 as a whole count of ``10**-decimals``, so that no further digit is in it.

    >>> Rounded.of(0.505312, 3), str(Rounded.of(-0.00001, 4))
    (Rounded(units=505, decimals=3), '0.0000')
    """

    units: int
    decimals: int

    def __post_init__(self) -> None:
        """Refuse what is no such number."""
        if not (type(self.units) is int and 0 <= self.decimals <= MOST_DECIMALS):
            raise ValueError("a whole number of units and at most 4 decimals needed")
        if abs(self.units) > 10**self.decimals:
            raise ValueError("a number from -1 to 1 needed")

    @classmethod
    def of(cls, number: float | None, decimals: int) -> Rounded | None:
        """Round a number, half to even in its exact binary value; None and nan stay undefined."""
        if number is None or number != number:
            return None
        rounded = Decimal(number).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_EVEN)
        return cls(int(rounded.scaleb(decimals)), decimals)

    def __float__(self) -> float:
        """Give the nearest float64."""
        return float(str(self))

    def __str__(self) -> str:
        """Write it with all its decimals."""
        return f"{Decimal(self.units).scaleb(-self.decimals):.{self.decimals}f}"


@dataclass(frozen=True, slots=True)
class Figure:
    """A mean over questions, and over how many of them it was undefined; ``mean`` None is undefined.

    ``low`` and ``high`` bound a 95 % interval; ``cluster`` counts groups told apart from 1, the best. They are known
    in a leaderboard, not of a run alone.
    """

    mean: Rounded | None
    undefined: int
    low: Rounded | None = None
    high: Rounded | None = None
    cluster: int = 0


@dataclass(frozen=True, slots=True)
class Aggregate:
    """A run's figures by view and measure, and how they were made; there is no place for anything finer."""

    figures: Mapping[str, Mapping[str, Figure]]
    decimals: int
    signature: str

    def __post_init__(self) -> None:
        """Refuse more views than a label set has, other measures, and more decimals than promised."""
        if OVERALL not in self.figures or len(self.figures) > MOST_VIEWS:
            raise ValueError("the overall view and at most 15 dimensions needed")
        for by_measure in self.figures.values():
            if tuple(by_measure) != MEASURES:
                raise ValueError("one figure a measure needed")
            for figure in by_measure.values():
                numbers = [number for number in (figure.mean, figure.low, figure.high) if number is not None]
                if any(number.decimals > self.decimals for number in numbers):
                    raise ValueError("a figure has more decimals than the rest")

    def mean(self, view: str, measure: str) -> Rounded | None:
        """Give a mean; None is undefined."""
        return self.figures[view][measure].mean

    def to_json(self) -> dict[str, object]:
        """Give the means by view and measure, null where undefined, with counts and signature."""
        scores = {
            view: {
                measure: {"mean": None if figure.mean is None else float(figure.mean), "undefined": figure.undefined}
                for measure, figure in by_measure.items()
            }
            for view, by_measure in self.figures.items()
        }
        return {"decimals": self.decimals, "scores": scores, "signature": self.signature}
