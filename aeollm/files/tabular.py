"""A judge's outputs as rows of text by column, from CSV, TSV or JSON lines alike."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from aeollm.errors import AeollmError, Problem, printable
from aeollm.files.csv_text import bad_header, csv_rows, repeated
from aeollm.files.decoding import Text, Unreadable, decode, refuse

Aliases = Mapping[str, Sequence[str]]
"""Official column name to the names it may also have, the official one first."""

_HEAD = 4096


class _Written(str):
    """A JSON number as it was written."""

    __slots__ = ()


@dataclass(slots=True)
class Table:
    """Column names as in the file, rows of cells with their lines, and what had to be said about the file."""

    header: tuple[str, ...]
    rows: list[tuple[int, list[str]]]
    problems: list[Problem] = field(default_factory=list)
    line: int = 1
    tabs: bool = False

    def place(self, names: Sequence[str]) -> int | None:
        """Give the place of the first of these names that the header has."""
        return next((self.header.index(name) for name in names if name in self.header), None)

    def bad_header(self, missing: Sequence[str]) -> Unreadable:
        """Make the exception for a header without a column it needs, or with one twice."""
        return bad_header(self.header, self.line, missing, repeated(self.header))

    def places(self, needed: Aliases, optional: Aliases) -> dict[str, int]:
        """Find the columns by their official names.

        Raises
        ------
        Unreadable
            If a needed one is missing, or one stands twice.
        """
        found = {official: self.place(names) for official, names in {**needed, **optional}.items()}
        missing = [official for official in needed if found[official] is None]
        if missing or repeated(self.header):
            raise self.bad_header(missing)
        return {official: place for official, place in found.items() if place is not None}


def read_table(content: bytes) -> Table:
    """Split a file into rows; a row of another length than the header is a problem and left out.

    Raises
    ------
    Unreadable
        If it is no text, no CSV, or no JSON lines.
    """
    if content[:_HEAD].lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"{", b"[")):
        return _json_lines(content)
    return split(decode(content))


def split(text: Text) -> Table:
    """Split text into rows, at tabs where its first line has any, else at commas.

    Raises
    ------
    Unreadable
        If quotation marks swallow the rest of the file.
    """
    head = text.content[:_HEAD].lstrip(" \n").partition("\n")[0]
    tabs = "\t" in head
    rows = csv_rows(text.content, "\t" if tabs else ",")
    line, header = next(rows, (1, []))
    table = Table(tuple(cell.strip() for cell in header), [], text.problems, line, tabs)
    for line, row in rows:
        if len(row) == len(header):
            table.rows.append((line, row))
        else:
            message = f"{len(row)} cells instead of {len(header)}."
            table.problems.append(Problem("error", "column_count", message, "Write one cell a column.", line))
    return table


def _json_lines(content: bytes) -> Table:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise refuse("encoding", "the JSON lines are not UTF-8.", "Save the file as UTF-8.", line=line) from None
    if text.lstrip().startswith("["):
        raise refuse("json", "the file is one JSON array.", "Write one JSON object a line.", line=1)
    problems: list[Problem] = []
    objects = list(_objects(text, problems))
    header = tuple(dict.fromkeys(key for _, found in objects for key in found))
    rows = [(line, [found.get(key, "") for key in header]) for line, found in objects]
    return Table(header, rows, problems)


def _objects(text: str, problems: list[Problem]) -> Iterator[tuple[int, dict[str, str]]]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            found = json.loads(line, parse_float=_Written, parse_int=_Written, parse_constant=_Written)
        except (ValueError, RecursionError) as error:
            message = f"no JSON ({getattr(error, 'msg', None) or type(error).__name__})."
            problems.append(Problem("error", "json", message, "Write one JSON object a line.", number))
            continue
        if not isinstance(found, dict):
            message = "no JSON object."
            problems.append(Problem("error", "json", message, "Write one JSON object a line.", number))
            continue
        if not _whole([*found, *found.values()]):
            message = "a text holds half a character (a lone surrogate), which no file can."
            problems.append(Problem("error", "encoding", message, "Write the whole character.", number))
            continue
        yield number, {key.strip(): _cell(value, key, number, problems) for key, value in found.items()}


def _whole(cells: Sequence[object]) -> bool:
    """Say whether texts can be written again; JSON's escapes can name halves of characters."""
    try:
        "".join(cell for cell in cells if isinstance(cell, str)).encode()
    except UnicodeEncodeError:
        return False
    return True


def _cell(value: object, key: str, line: int, problems: list[Problem]) -> str:
    """Take text and numbers as written; null is an empty cell, and so is, with a problem, all else."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, bool):
        return json.dumps(value)
    message = f"{printable(key)} holds {'an object' if isinstance(value, dict) else 'a list'}."
    problems.append(Problem("error", "json", message, "Write text or a number.", line, key))
    return ""


@dataclass(slots=True)
class Cells:
    """One row, read cell by cell, with what was found wrong."""

    line: int
    row: Sequence[str]
    places: Mapping[str, int]
    problems: list[Problem]

    def text(self, column: str) -> str:
        """Give a cell without blanks around it; empty also where there is no such column."""
        place = self.places.get(column)
        return "" if place is None else self.row[place].strip()

    def id(self, column: str) -> str:
        """Give an id, which may hold no blanks, since a run could not name it."""
        return self._without_blank(column, self.needed(column))

    def dimension(self) -> str:
        """Give a dimension's name, which is a run's column, and so without blanks as well."""
        return self._without_blank("dimension", self.needed("dimension"))

    def _without_blank(self, column: str, text: str) -> str:
        if any(character.isspace() for character in text):
            message = f"{column} {printable(text)!r} holds a blank, so that no run could name it."
            self.wrong("blank_in_id", message, "Rename it.", column, text)
            return ""
        return text

    def needed(self, column: str) -> str:
        """Give a cell that may not be empty; where it is, this is a problem."""
        text = self.text(column)
        if not text:
            self.wrong("empty_cell", f"{column} is empty.", "Write a value.", column, "")
        return text

    def wrong(self, kind: str, message: str, remedy: str, column: str, value: str) -> None:
        """Note an error."""
        self.problems.append(Problem("error", kind, message, remedy, self.line, column, value))


def checked(name: str, problems: Sequence[Problem], *, rows: bool, error: type[AeollmError]) -> tuple[Problem, ...]:
    """Give what is to be said about a file that can be used.

    Raises
    ------
    AeollmError
        Of the class given: if any problem is an error, or the file has no ``rows``.
    """
    found = list(problems)
    if not rows and not any(problem.severity == "error" for problem in found):
        found.append(Problem("error", "no_rows", "the file has no rows.", "Check that it is complete."))
    if any(problem.severity == "error" for problem in found):
        raise error(name, found)
    return tuple(found)
