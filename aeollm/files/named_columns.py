"""Tables with a header, separated by tabs or commas: their columns by name, and what a wrong file looks like."""

from __future__ import annotations

import re

from aeollm.errors import Problem, printable
from aeollm.files.csv_text import repeated
from aeollm.files.decoding import Unreadable, decode, refuse
from aeollm.files.tabular import Table, split
from aeollm.tables import DIMENSIONS, KEY_COLUMNS, SCORE_SUFFIX

TEXT = ("text_id", "text")
CRITERION = ("criterion",)
JUDGE = ("annotator_id", "annotator", "judge_id", "judge", "rater")
ANSWER = ("answer", "value")
OPTION = re.compile(r"(?:(?P<criterion>.+)_)?(?:answer(?P<named>[0-9]{1,3})_prob|p(?P<short>[0-9]{1,3}))")
"""A column of an option's probability: `answer1_prob` or `p1`, in wide files after the criterion and `_`."""
_RUN_COLUMNS = len(KEY_COLUMNS) + len(DIMENSIONS)


def read_named(content: bytes, wanted: str) -> Table:
    """Split a file of the wanted kind ("opinions" or "answers") into rows.

    Raises
    ------
    Unreadable
        If it is no text, a column stands twice, quotation marks swallow the rest of the file, or its header is that of
        another kind of file, which helps more than the column it lacks.
    """
    table = _table(content)
    kind = _kind(table)
    if kind is not None and kind != wanted:
        what, remedy = _KINDS[kind]
        shown = printable(", ".join(table.header[:8]), 120)
        raise refuse("other_kind", f"this looks like {what} (its first line is {shown}).", remedy, line=table.line)
    return table


def _table(content: bytes) -> Table:
    table = split(decode(content))
    if repeated(table.header):
        raise table.bad_header([])
    return table


def read_id(cell: str, column: str, line: int) -> str | Problem:
    """Read an id, or say that there is none."""
    bare = cell.strip()
    if bare:
        return bare
    return Problem("error", "empty_cell", f"{column} is empty.", "Write the id.", line, column, cell)


_KINDS = {
    "opinions": ("a judge's opinions, with probabilities of answers", "Hand it in as the opinions."),
    "answers": ("people's answers", "Hand it in as the answers."),
    "labels": ("AEOLLM labels", "Use it as labels of a run (--labels, or the Score tab)."),
    "run": ("an AEOLLM run", "Calibrate it against labels (--run, or the run chosen on the page)."),
}


def kind_of(content: bytes) -> str | None:
    """Say what kind of file this is, as far as its first line tells: opinions, answers, labels, run."""
    try:
        return _kind(_table(content))
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
        return "run" if joint or table.tabs else "labels"
    return "run" if len(cells) == _RUN_COLUMNS and all(map(_numeric, cells[len(KEY_COLUMNS) :])) else None


def _numeric(cell: str) -> bool:
    return re.fullmatch(r"[-+]?[0-9.]+", cell) is not None
