"""Tables of what was counted in reports, for who has no reports at hand."""

from __future__ import annotations

from pathlib import Path

from aeollm.decimals import Decimal
from aeollm.errors import JudgmentsError, printable
from aeollm.files.decoding import Unreadable, open_source, refuse
from aeollm.files.numbers import read_number
from aeollm.files.tabular import Aliases, Cells, checked, read_table
from aeollm.tables import Features, Key

_NEEDED: Aliases = {"questionId": ("questionId",), "answerId": ("answerId",)}


def read_features(path: str | Path | bytes, *, name: str | None = None) -> Features:
    """Read a CSV, TSV or JSON lines with ``questionId``, ``answerId`` and a column of numbers a feature.

    Raises
    ------
    JudgmentsError
        With every problem: no table, missing columns, empty ids, cells that are no numbers, an answer twice, no rows.
    """
    shown = name or (Path(path).name if not isinstance(path, bytes) else "features")
    try:
        table = read_table(open_source(path, shown).content)
        places = table.places(_NEEDED, {})
        names = tuple(column for column in table.header if column not in _NEEDED)
        if not names:
            raise refuse(
                "missing_column", "there is no column of a feature.", "Add one, such as words.", line=table.line
            )
    except Unreadable as unreadable:
        raise JudgmentsError(shown, [unreadable.problem]) from None
    problems = [problem for problem in table.problems if problem.severity == "error"]
    places |= {column: table.header.index(column) for column in names}
    values: dict[Key, tuple[float, ...]] = {}
    for line, row in table.rows:
        cells = Cells(line, row, places, problems)
        key = (cells.id("questionId"), cells.id("answerId"))
        if key in values and all(key):
            message = f"question {printable(key[0])}, answer {printable(key[1])} again."
            cells.wrong("duplicate_key", message, "Keep one row an answer.", "answerId", key[1])
        values[key] = tuple(_number(cells, column) for column in names)
    checked(shown, problems, rows=bool(values), error=JudgmentsError)
    return Features(names, values)


def _number(cells: Cells, column: str) -> float:
    """Read a number; 0 with a problem, so that the file is refused."""
    text = cells.needed(column)
    read = read_number(text) if text else Decimal(0, 0)
    if isinstance(read, Decimal):
        return float(read)
    kind, message, remedy = read
    cells.wrong(kind, f"{printable(column)} is {printable(text)!r}, which {message}", remedy, column, text)
    return 0.0
