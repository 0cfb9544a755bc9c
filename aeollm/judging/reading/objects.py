"""JSON objects in what a judge wrote: fenced, between chatter, with a trailing comma, in Python's spelling."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from typing import NamedTuple

_MOST_FAILED = 50
_START = re.compile(r"[{\[](?=\s*[\"'“\w{}])")
_LONGEST_REPAIRED = 10_000
_SMART_QUOTES = str.maketrans({"“": '"', "”": '"', "„": '"', "‟": '"'})
_TRAILING_COMMA = re.compile(r",(?=\s*[}\]])")
_COMMENT = re.compile(r"(?m)(?://|(?<=[\s,])#)[^\n\"]*$|/\*[^\"*]*\*/")
_BARE_KEY = re.compile(r"([{,]\s*)([A-Za-z_]\w*)(\s*:)")


class Written(str):
    """A number as it was written."""

    __slots__ = ()


class Pairs(tuple[tuple[str, object], ...]):
    """An object's keys and values, twice where a key stands twice."""

    __slots__ = ()


class Found(NamedTuple):
    """A JSON value in a text, from ``start`` to before ``end``."""

    start: int
    end: int
    value: object


_DECODER = json.JSONDecoder(
    strict=False,
    parse_float=Written,
    parse_int=Written,
    parse_constant=Written,
    object_pairs_hook=Pairs,
)


def find_objects(text: str) -> tuple[list[Found], bool]:
    """Give a text's outermost objects and lists of objects, and whether one begins behind them without an end."""
    found: list[Found] = []
    unended: int | None = None
    for value in _values(text, 0, len(text)):
        if isinstance(value, Found):
            found.append(value)
            unended = None
        elif text[value] == "{" and unended is None:
            unended = value
    return found, unended is not None and _balanced_end(text, unended, len(text)) is None


def object_end(text: str, start: int, within: int) -> int | None:
    """Give the end of an object that begins in ``text[start:within]`` and reaches beyond, if there is one."""
    ends = (value.end for value in _values(text, start, within) if isinstance(value, Found))
    return next((end for end in ends if end > within), None)


def _values(text: str, start: int, stop: int) -> Iterator[Found | int]:
    """Give, for every brace or bracket that may begin an object outside of another one, the object or its place."""
    failed = 0
    while failed < _MOST_FAILED and (match := _START.search(text, start, stop)):
        value = _value_at(text, match.start())
        failed += value is None
        start = match.end() if value is None else value.end
        yield match.start() if value is None else value


def _value_at(text: str, start: int) -> Found | None:
    try:
        value, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return _repaired(text, start)
    return Found(start, end, value) if isinstance(value, Pairs) or _is_list_of_objects(value) else None


def _is_list_of_objects(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, Pairs) for item in value)


def _repaired(text: str, start: int) -> Found | None:
    end = _balanced_end(text, start, start + _LONGEST_REPAIRED) if text[start] == "{" else None
    if end is None:
        return None
    written = _TRAILING_COMMA.sub("", _COMMENT.sub("", text[start:end].translate(_SMART_QUOTES)))
    for candidate in (written, _BARE_KEY.sub(r'\1"\2"\3', written)):
        try:
            value = _DECODER.decode(candidate)
        except (ValueError, RecursionError):
            continue
        return Found(start, end, value)
    try:
        value = _pairs(ast.literal_eval(written))
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
        return None
    return Found(start, end, value) if isinstance(value, Pairs) else None


def _pairs(value: object) -> object:
    """Write Python's values as JSON's are written here."""
    if isinstance(value, dict):
        return Pairs((str(key), _pairs(item)) for key, item in value.items())
    if isinstance(value, list | tuple):
        return [_pairs(item) for item in value]
    return Written(repr(value)) if isinstance(value, int | float) and not isinstance(value, bool) else value


def _balanced_end(text: str, start: int, stop: int) -> int | None:
    """Give the place after the brace that closes the one at ``start``, braces in double quotes left aside."""
    depth = 0
    quoted = False
    for match in re.compile(r'\\.|["{}]', re.DOTALL).finditer(text, start, stop):
        mark = match[0]
        if mark == '"':
            quoted = not quoted
        elif not quoted and mark in "{}":
            depth += 1 if mark == "{" else -1
            if not depth:
                return match.end()
    return None
