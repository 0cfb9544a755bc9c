"""The value of an option in a recipe, as its kind wants it."""

from __future__ import annotations

from collections.abc import Mapping

from aeollm.errors import printable
from aeollm.recipes.kinds import Option, Value


def read_value(value: object, option: Option) -> Value:
    """Read an option's value; None where it does not fit."""
    return _READ[option.kind](value, option)


def read_option(found: Mapping[str, object], key: str, option: Option) -> tuple[Value, tuple[str, str, str] | None]:
    """Give an option's value, its default where it is not named or wrong; and what is wrong: kind, message, remedy."""
    value = found.get(key)
    if value is None:
        lacks = ("missing_option", f"{key} is missing: {option.told}.", "Add it.")
        return option.default, lacks if option.required else None
    read = read_value(value, option)
    if read is None or (option.required and read == ()):
        message = f"{key} is {printable(str(value))!r}: {option.told}."
        return option.default, ("option", message, f"Write {option.form}.")
    return read, None


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
