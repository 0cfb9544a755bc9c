"""What kind of file this is, told by its columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import Literal, Self

from aeollm.errors import AeollmError, JudgmentsError, Problem, printable
from aeollm.files.archives import is_zip
from aeollm.files.decoding import Unreadable, decode, open_source
from aeollm.files.tabular import Aliases, Cells, Table, read_table
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


@dataclass(frozen=True, slots=True)
class Opened:
    """A table with its name, the SHA-256 of its bytes, and where its columns are."""

    name: str
    digest: str
    table: Table
    places: dict[str, int]


@dataclass
class RowReader:
    """What reads a table of one kind row by row; ``problems`` gather on the way."""

    problems: list[Problem]
    places: dict[str, int]

    @classmethod
    def of(cls, opened: Opened) -> Self:
        """Read all rows of a table."""
        reader = cls(list(opened.table.problems), opened.places)
        for line, row in opened.table.rows:
            reader.row(Cells(line, row, opened.places, reader.problems))
        reader.finish()
        return reader

    def row(self, cells: Cells) -> None:
        """Read one row."""
        raise NotImplementedError

    def finish(self) -> None:
        """Say what can be said of all rows only."""


def open_table(
    path: str | Path | bytes,
    expected: Kind,
    columns: tuple[Aliases, Aliases],
    *,
    name: str | None = None,
    error: type[AeollmError] = JudgmentsError,
) -> Opened:
    """Open a table of a kind; a file of another kind is told what it looks like and what was expected.

    Parameters
    ----------
    path : a CSV, TSV or JSON lines, or its bytes.
    expected : what it has to be.
    columns : those needed, and those that may be there.
    name : the name to show; the file's, or else the kind.
    error : what to raise.

    Raises
    ------
    AeollmError
        Of the class given: if it is no table, a needed column is missing, or one stands twice.
    """
    shown = name or (Path(path).name if not isinstance(path, bytes) else expected)
    try:
        source = open_source(path, shown)
        table = read_table(source.content)
        return Opened(shown, source.digest, table, _told_apart(table, expected, *columns))
    except Unreadable as unreadable:
        raise error(shown, [unreadable.problem]) from None


def _told_apart(table: Table, expected: Kind, needed: Aliases, optional: Aliases) -> dict[str, int]:
    """Find a table's columns.

    Raises
    ------
    Unreadable
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
