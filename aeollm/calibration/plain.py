"""A JSON object from an unknown hand, read field by field; what is not as expected is `Unusable`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_LARGEST = 1e9
"""No number of a calibrator is larger; products of a few stay far inside float64's range."""


class Unusable(Exception):
    """What is wrong, in a sentence."""


@dataclass(frozen=True, slots=True)
class Plain:
    """An object of a JSON file, and where in it."""

    fields: dict[str, object]
    where: str

    @classmethod
    def parse(cls, content: bytes) -> Plain:
        """Read UTF-8 JSON whose outermost value is an object; nan and infinity are not JSON."""
        try:
            found = json.loads(content.decode("utf-8"), parse_constant=_no_number)
        except UnicodeDecodeError as error:
            raise Unusable("The file is not UTF-8 text.") from error
        except RecursionError as error:
            raise Unusable("The file is nested too deeply.") from error
        except ValueError as error:
            # The reason may hold a piece of the file; a position is enough.
            place = f" (line {error.lineno}, column {error.colno})" if isinstance(error, json.JSONDecodeError) else ""
            raise Unusable(f"The file is not JSON, or not all of it{place}.") from error
        return cls._of(found, "the file")

    @classmethod
    def _of(cls, found: object, where: str) -> Plain:
        if not isinstance(found, dict):
            raise Unusable(f"An object is expected in {where}.")
        return cls(found, where)

    def _field(self, name: str) -> object:
        if name not in self.fields:
            raise Unusable(f'"{name}" is missing in {self.where}.')
        return self.fields[name]

    def _wrong(self, name: str, what: str) -> Unusable:
        return Unusable(f'"{name}" in {self.where} is not {what}.')

    def given(self, name: str) -> bool:
        """Say whether a field is not null."""
        return self._field(name) is not None

    def text(self, name: str) -> str:
        """Read a text."""
        found = self._field(name)
        if not isinstance(found, str):
            raise self._wrong(name, "a text")
        return found

    def one_of(self, name: str, known: Sequence[str]) -> str:
        """Read a text that is one of those known."""
        found = self.text(name)
        if found not in known:
            raise self._wrong(name, f"one of {', '.join(known)}")
        return found

    def texts(self, name: str) -> tuple[str, ...]:
        """Read a list of different texts."""
        found = self._field(name)
        if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
            raise self._wrong(name, "a list of texts")
        if len(set(found)) != len(found):
            raise self._wrong(name, "free of repetitions")
        return tuple(found)

    def flag(self, name: str) -> bool:
        """Read true or false."""
        found = self._field(name)
        if not isinstance(found, bool):
            raise self._wrong(name, "true or false")
        return found

    def whole(self, name: str, least: int) -> int:
        """Read a whole number, of a size that people write."""
        return self._counted(name, self._field(name), least)

    def _counted(self, name: str, found: object, least: int) -> int:
        if not isinstance(found, int) or isinstance(found, bool) or not least <= found <= _LARGEST:
            raise self._wrong(name, f"a whole number from {least} to {_LARGEST:,.0f}")
        return found

    def counts(self, name: str) -> dict[str, int]:
        """Read an object of whole numbers."""
        part = self.inner(name)
        return {key: self._counted(name, value, 0) for key, value in part.fields.items()}

    def inner(self, name: str) -> Plain:
        """Read an object."""
        return Plain._of(self._field(name), f'"{name}"')

    def several(self, name: str) -> list[Plain]:
        """Read a list of objects."""
        found = self._field(name)
        if not isinstance(found, list):
            raise self._wrong(name, "a list")
        return [Plain._of(one, f'"{name}"') for one in found]

    def numbers(self, name: str, shape: tuple[int | None, ...]) -> Floats:
        """Read an array of finite numbers; None leaves a length open."""
        found = self._array(name, self._field(name), len(shape))
        if any(wanted is not None and wanted != got for wanted, got in zip(shape, found.shape, strict=True)):
            raise self._wrong(name, f"of shape {shape}, but {found.shape}")
        return found

    def matrices(self, name: str, number: int) -> tuple[Floats, ...]:
        """Read so many arrays of numbers."""
        found = self._field(name)
        if not isinstance(found, list) or len(found) != number:
            raise self._wrong(name, f"a list of {number}")
        return tuple(self._array(name, one, None) for one in found)

    def _array(self, name: str, found: object, dimensions: int | None) -> Floats:
        if not isinstance(found, list) or not _only_numbers(found):
            raise self._wrong(name, "a list of numbers")
        try:
            array = np.array(found)
        except (ValueError, OverflowError) as error:
            raise self._wrong(name, "a regular array of numbers") from error
        if not array.size and dimensions is not None and array.ndim == dimensions:
            return np.zeros(array.shape)
        if array.dtype.kind not in "iuf" or (dimensions is not None and array.ndim != dimensions):
            raise self._wrong(name, "a regular array of numbers")
        if not bool((np.abs(array.astype(np.float64)) <= _LARGEST).all()):
            raise self._wrong(name, f"made of numbers up to {_LARGEST:,.0f}")
        return array.astype(np.float64)


def _only_numbers(found: list[object]) -> bool:
    """Look at every leaf: among texts numpy would give each the room of the longest, and take true for 1."""
    open_lists = [found]
    while open_lists:
        for one in open_lists.pop():
            if isinstance(one, list):
                open_lists.append(one)
            elif type(one) not in (int, float):
                return False
    return True


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is not JSON")
