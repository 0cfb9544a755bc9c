"""Score cells: exact decimals, or what is wrong with the cell and how to write it."""

from __future__ import annotations

import re

from aeollm.decimals import MOST_DIGITS, Decimal, parse_decimal
from aeollm.errors import printable
from aeollm.files.ids import code_points, full_width, half_width, invisible

_QUOTED = re.compile(r"([\"'“‘]).*[\"'”’]", re.DOTALL)
_NON_FINITE = re.compile(r"[+-]?(nan|inf|infinity|∞)", re.IGNORECASE)
_MISSING = {"na", "n/a", "null", "none", "-", "--", "?", ".", "missing", "nil"}
_COMMA = re.compile(r"[+-]?[0-9]*,[0-9]+")
_THOUSANDS = re.compile(r"[+-]?[0-9]{1,3}(,[0-9]{3})+(\.[0-9]+)?")
_OTHER = (
    (re.compile(r"[+-]?0[xX][0-9a-fA-F.]+([pP][+-]?[0-9]+)?"), "a hexadecimal number", "Write it as a decimal."),
    (re.compile(r"[+-]?[0-9.]*_[0-9_.]*"), "a number with underscores", "Write digits only."),
    (re.compile(r"[0-9.]+[%％]"), "a percentage", "Write the number alone, on the scale of the labels."),
    (re.compile(r"[0-9.]+/[0-9.]+"), "a fraction", "Write the number alone, on the scale of the labels."),
    (re.compile(r"[−–—][0-9.]+"), "a number with a typographic minus", "Write the sign as - (U+002D)."),
)

Wrong = tuple[str, str, str]
"""Kind, message, remedy."""


def read_number(cell: str) -> Decimal | Wrong:
    """Read one score cell exactly, or give kind, message and remedy of what is wrong."""
    parsed = parse_decimal(cell)
    if not isinstance(parsed, str):
        return parsed
    return _not_a_number(cell) if parsed == "not_a_number" else (parsed, *_TROUBLES[parsed])


def quoted(cell: str) -> bool:
    """Tell whether a cell stands in quotation marks."""
    return len(cell) > 1 and _QUOTED.fullmatch(cell) is not None


def _not_a_number(cell: str) -> Wrong:
    if quoted(cell):
        return "quoted_field", "stands in quotation marks.", f"Write {printable(cell[1:-1])} without them."
    if _NON_FINITE.fullmatch(cell):
        return "non_finite", "is not a finite number.", "Write a number; a run must score every answer."
    if cell.lower() in _MISSING:
        return "not_a_number", "stands for a missing value.", "Write a number; a run must score every answer."
    if wide := full_width(cell):
        plain = half_width(cell)
        how = "Type it" if isinstance(parse_decimal(plain), str) else f"Write {plain}"
        how += " with half-width characters and a decimal point."
        return "full_width", f"is written with full-width characters ({code_points(wide)}).", how
    if (hidden := invisible(cell)) and not isinstance(parse_decimal(half_width(cell)), str):
        return "invisible_character", f"holds the invisible {code_points(hidden)}.", f"Write {half_width(cell)}."
    return "not_a_number", *_by_pattern(cell)


def _by_pattern(cell: str) -> tuple[str, str]:
    if _COMMA.fullmatch(cell):
        return "has a decimal comma.", f"Write {cell.replace(',', '.')} with a decimal point."
    if _THOUSANDS.fullmatch(cell):
        return "has commas between thousands.", f"Write {cell.replace(',', '')}."
    for pattern, what, remedy in _OTHER:
        if pattern.fullmatch(cell):
            return f"is {what}.", remedy
    bare = half_width(cell).strip("\"'“”‘’`,;")
    hint = f"Write {bare}." if not isinstance(parse_decimal(bare), str) else "Write a plain decimal such as 7.5."
    return "is not a number.", hint


_TROUBLES: dict[str, tuple[str, str]] = {
    "too_many_digits": (f"has more than {MOST_DIGITS} digits.", "Round it."),
    "too_large": ("is larger than float64 can hold.", "Use a smaller scale."),
    "too_small": ("is nearer to zero than 1e-330.", "Write 0, or use a larger scale."),
}
