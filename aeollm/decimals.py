"""Numbers kept as the decimals that were written, so that equal totals are equal.

A weighted total computed in float64 breaks ties that exist in the written numbers; integers do not.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

MOST_DIGITS = 40
SMALLEST_EXPONENT = -330
_LARGEST = int(sys.float_info.max)
_EXACT_FLOAT = 2**53
_ROOM = 2**62

_DECIMAL = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]+))?", re.ASCII)

Trouble = Literal["not_a_number", "too_many_digits", "too_large", "too_small"]


class Decimal(NamedTuple):
    """One exact number, ``units * 10**exponent``."""

    units: int
    exponent: int

    def __float__(self) -> float:
        """Give the nearest float64."""
        power = 10 ** abs(self.exponent)
        return float(self.units * power) if self.exponent > 0 else self.units / power

    def written(self) -> str:
        """Write it plainly, without trailing zeros; with a power of ten where it has very many digits.

        >>> Decimal(-2500, -3).written(), Decimal(0, -5).written(), Decimal(1, 60).written()
        ('-2.5', '0', '1e60')
        """
        digits, exponent = str(abs(self.units)), self.exponent
        zeros = len(digits) - len(digits.rstrip("0"))
        digits, exponent = (digits[:-zeros], exponent + zeros) if zeros and self.units else (digits, exponent)
        if not self.units:
            return "0"
        sign = "-" if self.units < 0 else ""
        if exponent > 0:
            plain = digits + "0" * exponent if exponent + len(digits) <= MOST_DIGITS else f"{digits}e{exponent}"
        elif exponent == 0:
            plain = digits
        elif -exponent < MOST_DIGITS:
            padded = digits.rjust(1 - exponent, "0")
            plain = f"{padded[:exponent]}.{padded[exponent:]}"
        else:
            plain = f"{digits}e{exponent}"
        return sign + plain


def parse_decimal(token: str) -> Decimal | Trouble:
    """Read a plain decimal number exactly, or say why it is none.

    Takes ``8``, ``8.25``, ``-1.5``, ``+7``, ``07``, ``7.5e-1``: at most 40 digits, zero or a magnitude
    from 1e-330 to float64's largest.

    >>> parse_decimal("7.50")
    Decimal(units=750, exponent=-2)
    >>> parse_decimal("1e400")
    'too_large'
    """
    match = _DECIMAL.fullmatch(token)
    if match is None:
        return "not_a_number"
    sign, whole, fraction, power = match.groups()
    fraction = fraction or ""
    if not whole and not fraction:
        return "not_a_number"
    if len(whole) + len(fraction) + len((power or "").lstrip("+-")) > MOST_DIGITS:
        return "too_many_digits"
    units = int(whole + fraction)
    if power is None:
        # At most 40 digits without a power of ten lie far inside the magnitudes allowed.
        return Decimal(-units if sign == "-" else units, -len(fraction))
    return _scaled(-units if sign == "-" else units, int(power) - len(fraction))


def _scaled(units: int, exponent: int) -> Decimal | Trouble:
    """Check the magnitude before any power of ten is computed: an exponent may have 39 digits."""
    if units == 0:
        return Decimal(0, 0)
    leading = len(str(abs(units))) - 1 + exponent
    if leading < SMALLEST_EXPONENT:
        return "too_small"
    if leading > sys.float_info.max_10_exp or (exponent > 0 and abs(units) * 10**exponent > _LARGEST):
        return "too_large"
    return Decimal(units, exponent)


def decimal_of(number: float) -> Decimal:
    """Give the shortest decimal that reads back as this float or int (what a CSV would hold).

    Raises
    ------
    ValueError
        For nan, inf and what cannot be read as a decimal number.
    """
    parsed = parse_decimal(repr(number))
    if isinstance(parsed, str):
        raise ValueError(f"not a decimal number: {number!r}")
    return parsed


def round_fraction(number: Fraction, places: int) -> Decimal:
    """Round half-even to at most so many digits after the point, fewer where they could not be read back.

    >>> round_fraction(Fraction(2, 3), 4), round_fraction(Fraction(5, 2), 0)
    (Decimal(units=6667, exponent=-4), Decimal(units=2, exponent=0))
    """
    whole = len(str(abs(int(number))))
    places = min(places, MOST_DIGITS - whole)
    units = round(number * Fraction(10) ** places)
    while places > 0 and units % 10 == 0:
        units, places = units // 10, places - 1
    return Decimal(units, -places)


@dataclass(frozen=True, eq=False)
class Decimals:
    """An array of exact numbers, ``units * 10**exponent``.

    ``units`` is int64 where that holds every number with room to spare, else an object array of
    Python integers; ``exponent`` is one power of ten for all.
    """

    units: NDArray[np.int64] | NDArray[np.object_]
    exponent: int

    @classmethod
    def of(cls, numbers: Sequence[Decimal], shape: tuple[int, ...]) -> Decimals:
        """Bring numbers to their smallest common power of ten, in the given shape."""
        exponent = min((number.exponent for number in numbers if number.units), default=0)
        units = [number.units * 10 ** max(number.exponent - exponent, 0) for number in numbers]
        return cls(_integers(units).reshape(shape), exponent)

    @cached_property
    def values(self) -> NDArray[np.float64]:
        """Give the nearest float64 of every number."""
        if self.units.dtype == np.int64 and -22 <= self.exponent <= 0 and self.largest < _EXACT_FLOAT:
            # Both are exact in float64, so that one division rounds once, as float(text) does.
            return np.asarray(self.units / 10.0**-self.exponent, dtype=np.float64)
        flat: Iterable[int] = self.units.ravel().tolist()
        numbers = [float(Decimal(units, self.exponent)) for units in flat]
        return np.array(numbers, dtype=np.float64).reshape(self.units.shape)

    @cached_property
    def largest(self) -> int:
        """Give the largest absolute value of ``units``."""
        return max(-int(self.units.min()), int(self.units.max())) if self.units.size else 0


def _integers(units: list[int]) -> NDArray[np.int64] | NDArray[np.object_]:
    if all(abs(number) < _ROOM for number in (min(units, default=0), max(units, default=0))):
        return np.array(units, dtype=np.int64)
    array = np.empty(len(units), dtype=object)
    array[:] = units
    return array


def weighted_sum(
    units: NDArray[np.int64] | NDArray[np.object_], weights: NDArray[np.int64] | NDArray[np.object_]
) -> NDArray[np.int64] | NDArray[np.object_]:
    """Sum ``units * weights`` over the last axis without ever rounding or overflowing."""
    if units.dtype == np.int64 and weights.dtype == np.int64:
        # In float64, which cannot overflow here; the room left is far more than its rounding.
        heaviest = np.abs(weights.astype(np.float64)).sum(axis=-1).max(initial=0)
        if np.abs(units.astype(np.float64)).max(initial=0) * heaviest < _ROOM:
            return np.asarray((units * weights).sum(axis=-1))
    return np.asarray((units.astype(object) * weights.astype(object)).sum(axis=-1))
