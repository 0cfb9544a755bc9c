"""The value of an option in a recipe, as its kind wants it."""

from __future__ import annotations

from aeollm.recipes.kinds import Option, Value


def read_value(value: object, option: Option) -> Value:
    """Read an option's value; None where it does not fit."""
    return _READ[option.kind](value, option)


def _choice(value: object, option: Option) -> Value:
    return value if isinstance(value, str) and value in option.choices else None


def _number(value: object, option: Option) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    # A whole number may be too large for float64; bounds are compared before.
    return float(value) if option.takes(value) else None


def _numbers(value: object, option: Option) -> Value:
    if not isinstance(value, list):
        return None
    read = tuple(number for own in value if (number := _number(own, option)) is not None)
    return read if len(read) == len(value) else None


def _name(value: object, _: Option) -> Value:
    return value if isinstance(value, str) and value else None


def _names(value: object, _: Option) -> Value:
    fits = isinstance(value, list) and all(isinstance(own, str) and own for own in value)
    return tuple(value) if fits and isinstance(value, list) else None


_READ = {"choice": _choice, "number": _number, "numbers": _numbers, "name": _name, "names": _names, "word": _name}
