"""What kind of file this is, told by its columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Literal

from aeollm.errors import printable
from aeollm.files.archives import is_zip
from aeollm.files.decoding import Unreadable, decode
from aeollm.files.tabular import Aliases, Table, read_table
from aeollm.tables import KEY_COLUMNS, SCORE_SUFFIX

Kind = Literal[
    "run",
    "criterion scores",
    "pairwise judgments",
    "aspect ratings",
    "annotations",
    "reports",
    "counts of reports",
    "labels",
    "recipe",
    "unknown",
]
"""What a file turned out to be."""

_RUN_COLUMNS = 7
_TABLES: dict[Kind, tuple[tuple[str, ...], ...]] = {
    "pairwise judgments": (("left", "firstAnswer"), ("right", "secondAnswer"), ("winner", "verdict")),
    "criterion scores": (("dimension",), ("criterion",), ("score",)),
    "aspect ratings": (("annotator", "rater"), ("aspect",), ("score",)),
    "annotations": (("annotator", "rater"), ("answerId", "item")),
    "reports": (("questionId",), ("answerId",), ("text",)),
    "counts of reports": (("questionId",), ("answerId",), ("words",)),
    "labels": (("questionId",), ("answerId",)),
}
"""The columns that tell a kind, the most telling first; names in one tuple stand for each other."""


def recognise(content: bytes, name: str = "") -> Kind:
    r"""Say what a file is by its first line; ``unknown`` for any other bytes.

    >>> recognise(b"questionId,left,right,winner\n1,a,b,tie\n")
    'pairwise judgments'
    >>> recognise(b"0 1 Doc_1 7 7 7 7\n")
    'run'
    """
    if PurePath(name).suffix.lower() == ".toml":
        return "recipe"
    if is_zip(content):
        return "run"
    try:
        if content.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
            return _by_columns(read_table(content).header)
        text = decode(content).content
    except Unreadable:
        return "unknown"
    return _of_text(text)


def _of_text(text: str) -> Kind:
    head = next((line for line in text.split("\n") if line.strip()), "")
    names = head.split()
    if tuple(names[:3]) == KEY_COLUMNS and all(name.endswith(SCORE_SUFFIX) for name in names[3:]):
        return "run"
    columns = [cell.strip().strip('"') for cell in head.split("\t" if "\t" in head else ",")]
    kind = _by_columns(columns)
    return "run" if kind == "unknown" and "," not in head and len(names) == _RUN_COLUMNS else kind


def _by_columns(header: Sequence[str]) -> Kind:
    for kind, columns in _TABLES.items():
        if all(any(name in header for name in names) for names in columns):
            return kind
    return "unknown"


def told_apart(table: Table, expected: Kind, needed: Aliases, optional: Aliases) -> dict[str, int]:
    """Find a table's columns; a file of another kind is told what it looks like and what was expected.

    Raises
    ------
    Unreadable
        If a needed column is missing, or one stands twice.
    """
    try:
        return table.places(needed, optional)
    except Unreadable as unreadable:
        wrong = unreadable.problem
    looks = _by_columns(table.header)
    if len(table.header) == 1:
        # A run's header has no commas; its columns look like one.
        looks = _of_text(table.header[0])
    seen = f"This looks like {looks}; " if looks not in ("unknown", expected) else ""
    columns = ", ".join(needed)
    remedy = f"{seen}{expected} were expected, with the columns {columns}. {wrong.remedy}"
    raise Unreadable(replace(wrong, remedy=printable(remedy[0].upper() + remedy[1:], 2000)))
