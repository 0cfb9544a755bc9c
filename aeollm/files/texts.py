"""The reports themselves: a table with a column of texts, or a folder of text files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from aeollm.errors import JudgmentsError, Problem, printable
from aeollm.files.decoding import Unreadable, decode, open_source
from aeollm.files.tabular import Aliases, Cells, checked, read_table
from aeollm.tables import Key

_NEEDED: Aliases = {"questionId": ("questionId",), "answerId": ("answerId",), "text": ("text",)}
_PREFIX = "Report"
_SUFFIXES = (".md", ".txt")


def read_texts(path: str | Path | bytes, *, name: str | None = None) -> Mapping[Key, str]:
    """Read reports by (question, answer).

    Parameters
    ----------
    path : a CSV, TSV or JSON lines with ``questionId``, ``answerId`` and ``text`` (or its bytes), or a folder with
        ``Report<questionId>/<answerId>.md`` or ``.txt``.
    name : the name to show, where it is not the file's.

    Raises
    ------
    JudgmentsError
        With every problem: no table, missing columns, empty ids or texts, an answer twice, no rows.
    """
    shown = name or (Path(path).name if not isinstance(path, bytes) else "reports")
    problems: list[Problem] = []
    try:
        if not isinstance(path, bytes) and Path(path).is_dir():
            texts = _of_folder(Path(path), problems)
        else:
            texts = _of_table(open_source(path, shown).content, problems)
    except Unreadable as unreadable:
        raise JudgmentsError(shown, [unreadable.problem]) from None
    checked(shown, problems, rows=bool(texts), error=JudgmentsError)
    return texts


def _of_table(content: bytes, problems: list[Problem]) -> dict[Key, str]:
    table = read_table(content)
    places = table.places(_NEEDED, {})
    problems += [problem for problem in table.problems if problem.severity == "error"]
    texts: dict[Key, str] = {}
    for line, row in table.rows:
        cells = Cells(line, row, places, problems)
        key, text = (cells.id("questionId"), cells.id("answerId")), cells.needed("text")
        if key in texts and all(key):
            message = f"question {printable(key[0])}, answer {printable(key[1])} again."
            cells.wrong("duplicate_key", message, "Keep one text an answer.", "answerId", key[1])
        texts[key] = text
    return texts


def _of_folder(folder: Path, problems: list[Problem]) -> dict[Key, str]:
    texts: dict[Key, str] = {}
    for path in sorted(folder.glob(f"{_PREFIX}*/*")):
        if path.suffix.lower() not in _SUFFIXES:
            continue
        key = (path.parent.name.removeprefix(_PREFIX), path.stem)
        shown = f"{path.parent.name}/{path.name}"
        try:
            texts[key] = decode(open_source(path).content).content
        except Unreadable as unreadable:
            found = unreadable.problem
            message = f"{printable(shown)}: {found.message}"
            problems.append(Problem("error", found.kind, message, found.remedy, found.line))
    return texts
