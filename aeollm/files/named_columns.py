"""Tables with a header, separated by tabs or commas: their columns by name, and what a wrong file looks like."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from aeollm.errors import Problem, printable
from aeollm.files.csv_text import bad_header, csv_rows, repeated
from aeollm.files.decoding import Unreadable, decode, refuse
from aeollm.tables import DIMENSIONS, KEY_COLUMNS, SCORE_SUFFIX

TEXT = ("text_id", "text")
CRITERION = ("criterion",)
JUDGE = ("annotator_id", "annotator", "judge_id", "judge", "rater")
ANSWER = ("answer", "value")
OPTION = re.compile(r"(?:(?P<criterion>.+)_)?(?:answer(?P<named>[0-9]{1,3})_prob|p(?P<short>[0-9]{1,3}))")
"""A column of an option's probability: `answer1_prob` or `p1`, in wide files after the criterion and `_`."""
_RUN_COLUMNS = len(KEY_COLUMNS) + len(DIMENSIONS)


@dataclass(frozen=True, slots=True)
class Table:
    """A header and the rows below it, each with its line; rows of another width are left out, with a problem."""

    line: int
    header: tuple[str, ...]
    rows: tuple[tuple[int, list[str]], ...]
    problems: tuple[Problem, ...]
    comma: bool

    def place(self, names: Sequence[str]) -> int | None:
        """Give the place of the first of these names that the header has."""
        return next((self.header.index(name) for name in names if name in self.header), None)

    def bad_header(self, missing: Sequence[str]) -> Unreadable:
        """Make the exception for a header without a column it needs, or with one twice."""
        return bad_header(self.header, self.line, missing, repeated(self.header))


def read_table(text: str) -> Table:
    """Split text at tabs where its first line has any, else at commas.

    Raises
    ------
    Unreadable
        If a column stands twice, or quotation marks swallow the rest of the file.
    """
    first = next((line for line in text.split("\n") if line.strip()), "")
    comma = "\t" not in first
    rows = csv_rows(text, "," if comma else "\t")
    line, names = next(rows, (1, [""]))
    header = tuple(name.strip() for name in names)
    if twice := repeated(header):
        raise bad_header(header, line, [], twice)
    kept, problems = _of_width(rows, len(header))
    return Table(line, header, tuple(kept), tuple(problems), comma and len(header) > 1)


def _of_width(rows: Iterator[tuple[int, list[str]]], width: int) -> tuple[list[tuple[int, list[str]]], list[Problem]]:
    kept, problems = [], []
    for line, row in rows:
        if len(row) == width:
            kept.append((line, row))
        else:
            message = f"{len(row)} cells instead of {width}."
            problems.append(Problem("error", "column_count", message, "Write one cell a column.", line))
    return kept, problems


def read_id(cell: str, column: str, line: int) -> str | Problem:
    """Read an id, or say that there is none."""
    bare = cell.strip()
    if bare:
        return bare
    return Problem("error", "empty_cell", f"{column} is empty.", "Write the id.", line, column, cell)


def refuse_other_kind(table: Table, wanted: str) -> None:
    """Refuse a file of another kind by what it looks like, which helps more than the column it lacks.

    Raises
    ------
    Unreadable
        If the header is that of another kind of file than the wanted ("opinions" or "answers").
    """
    kind = _kind(table)
    if kind is None or kind == wanted:
        return
    what, remedy = _KINDS[kind]
    shown = printable(", ".join(table.header[:8]), 120)
    raise refuse("other_kind", f"this looks like {what} (its first line is {shown}).", remedy, line=table.line)


_KINDS = {
    "opinions": ("a judge's opinions, with probabilities of answers", "Hand it in as the opinions."),
    "answers": ("people's answers", "Hand it in as the answers."),
    "labels": ("AEOLLM labels", "Use it as labels of a run (--labels, or the Score tab)."),
    "run": ("an AEOLLM run", "Calibrate it against labels (--run, or the run chosen on the page)."),
}


def kind_of(content: bytes) -> str | None:
    """Say what kind of file this is, as far as its first line tells: opinions, answers, labels, run."""
    try:
        return _kind(read_table(decode(content).content))
    except Unreadable:
        return None


def _kind(table: Table) -> str | None:
    """Say what kind of file a header belongs to, as far as it tells."""
    options = any(OPTION.fullmatch(name) for name in table.header)
    if table.place(TEXT) is not None:
        if options:
            return "opinions"
        return "answers" if table.place(JUDGE) is not None else None
    return _kind_of_aeollm(table)


def _kind_of_aeollm(table: Table) -> str | None:
    joint = len(table.header) == 1
    cells = tuple(table.header[0].split()) if joint else table.header
    scores = [name for name in cells if name.endswith(SCORE_SUFFIX)]
    if scores and KEY_COLUMNS[1] in cells:
        return "labels" if table.comma else "run"
    return "run" if len(cells) == _RUN_COLUMNS and all(map(_numeric, cells[len(KEY_COLUMNS) :])) else None


def _numeric(cell: str) -> bool:
    return re.fullmatch(r"[-+]?[0-9.]+", cell) is not None
