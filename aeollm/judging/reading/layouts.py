"""Verdicts that stand where a page's layout puts them: in the cells of a table, in the section under a heading."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from aeollm.judging.reading.fields import Field, fold
from aeollm.judging.reading.pieces import VALUE_KEYS, Piece, V, Values

Found = dict[str, list[Piece[V]]]
_TABLE = re.compile(
    r"(?m)^[ \t]*\|.*\|[ \t]*\n[ \t]*\|(?:[ \t]*:?-+:?[ \t]*\|)+[ \t]*\n(?:[ \t]*\|.*\|[ \t]*(?:\n|\Z))+"
)
_WRITTEN = re.compile(r"[^\n]")
_CELL_MARKS = " \t*_`"


def without_tables(text: str, fields: Sequence[Field], values: Values[V]) -> tuple[str, Found[V]]:
    """Take the tables with a header that says where the values stand out of a text, and give what they hold."""
    found: Found[V] = {field.name: [] for field in fields}

    def take(match: re.Match[str]) -> str:
        head, _, *rows = (
            [cell.strip(_CELL_MARKS) for cell in line.strip().strip("|").split("|")]
            for line in match[0].splitlines()
            if line.strip()
        )
        cells = _by_column(head, rows, fields) or _by_row(head, rows, fields)
        for name, cell in cells:
            piece = values.at(cell, 0)
            found[name] += [piece._replace(end=match.end())] if piece is not None else []
        # Blank, so that places stay what they are.
        return _WRITTEN.sub(" ", match[0]) if cells else match[0]

    return _TABLE.sub(take, text), found


def _by_column(head: Sequence[str], rows: Sequence[Sequence[str]], fields: Sequence[Field]) -> list[tuple[str, str]]:
    """Read a table with a column a field, of one row."""
    places = {field.name: [n for n, cell in enumerate(head) if fold(cell) in field.folded] for field in fields}
    if len(rows) != 1 or any(len(own) != 1 or own[0] >= len(rows[0]) for own in places.values()):
        return []
    return [(name, rows[0][own[0]]) for name, own in places.items()]


def _by_row(head: Sequence[str], rows: Sequence[Sequence[str]], fields: Sequence[Field]) -> list[tuple[str, str]]:
    """Read a table with a row a field, named in the first column or the second behind a number, and one for values."""
    columns = [place for place, cell in enumerate(head) if fold(cell) in VALUE_KEYS]
    if len(columns) != 1:
        return []
    named = [
        (field.name, row[columns[0]])
        for row in rows
        for field in fields
        if len(row) > columns[0] and any(fold(cell) in field.folded for cell in row[:2])
    ]
    return named if {name for name, _ in named} == {field.name for field in fields} else []


def in_sections(text: str, fields: Sequence[Field], one: Callable[[str], list[Piece[V]]]) -> Found[V]:
    """Read one value under each field's heading; nothing where a field has no heading, or several."""
    places = sorted(
        (match.start(), match.end(), field.name) for field in fields for match in field.heading.finditer(text)
    )
    if len(places) != len(fields) or {name for *_, name in places} != {field.name for field in fields}:
        return {field.name: [] for field in fields}
    ends = [*(start for start, *_ in places[1:]), len(text)]
    return {
        name: [piece.moved(begin) for piece in one(text[begin:end])]
        for (_, begin, name), end in zip(places, ends, strict=True)
    }
