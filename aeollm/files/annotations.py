"""Annotation files: a CSV with one row an item and annotator, to Annotations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from aeollm.decimals import Decimal
from aeollm.errors import AnnotationsError, Problem, printable
from aeollm.files.csv_text import bad_header, csv_rows, repeated
from aeollm.files.decoding import Unreadable, decode, open_source
from aeollm.files.numbers import read_number
from aeollm.tables import SCORE_SUFFIX, Annotations

_ITEM = ("answerId", "item")
_WHO = ("annotator", "rater")
_QUESTION = "questionId"
_SINGLE = "score"
"""A score column without a dimension's name."""

Key = tuple[str, str, str]


def read_annotations(path: str | Path | bytes, *, name: str | None = None) -> Annotations:
    """Read a CSV with one row an item and annotator; a blank score is a missing one.

    Columns in any order, others are ignored: ``questionId`` and ``answerId``, or ``item`` alone; ``annotator`` or
    ``rater``; ``*_score`` columns, or ``score``.

    Parameters
    ----------
    path : the file, or its bytes.
    name : the name to show, where it is not the file's.

    Raises
    ------
    AnnotationsError
        With every problem: no CSV, missing columns, empty ids, an annotator's second rating of an item, cells that
        are no numbers, no rows.
    """
    shown = name or (Path(path).name if not isinstance(path, bytes) else "annotations")
    try:
        source = open_source(path, shown)
        text = decode(source.content)
        table = _Table(text.problems)
        table.read(text.content)
    except Unreadable as unreadable:
        raise AnnotationsError(shown, [unreadable.problem]) from None
    return table.annotations(shown, source.digest)


@dataclass(frozen=True, slots=True)
class _Columns:
    """Where the columns are; ``question`` is None for files without one."""

    names: tuple[str, ...]
    question: int | None
    item: int
    who: int
    scores: tuple[int, ...]


@dataclass
class _Table:
    problems: list[Problem]
    lines: dict[Key, int] = field(default_factory=dict)
    scores: list[list[float]] = field(default_factory=list)
    dimensions: tuple[str, ...] = ()
    asked: bool = False

    def read(self, text: str) -> None:
        """Read header and rows.

        Raises
        ------
        Unreadable
            If the header lacks a column, or quotation marks swallow the rest of the file.
        """
        rows = csv_rows(text)
        line, header = next(rows, (1, []))
        columns = _columns([cell.strip() for cell in header], line)
        names = [columns.names[place] for place in columns.scores]
        self.dimensions = tuple(name.removesuffix(SCORE_SUFFIX) for name in names)
        self.asked = columns.question is not None
        for line, row in rows:
            if len(row) != len(columns.names):
                message = f"{len(row)} cells instead of {len(columns.names)}."
                self.problems.append(Problem("error", "column_count", message, "Write one cell a column.", line))
            else:
                self._row(row, columns, line)

    def _row(self, row: Sequence[str], columns: _Columns, line: int) -> None:
        places = (columns.question, columns.item, columns.who)
        question, item, who = ("" if at is None else self._id(row[at], columns.names[at], line) for at in places)
        scores = [self._score(row[at], columns.names[at], line, question or None, item) for at in columns.scores]
        if not item or not who:
            return
        first = self.lines.setdefault((question, item, who), line)
        if first != line:
            asked = f"question {printable(question)}, " if self.asked else ""
            message = f"{printable(who)} rates {asked}{printable(item)} again; first on line {first}."
            remedy = "Keep one row an annotator and item."
            place = (line, columns.names[columns.who], who, question or None, item)
            self.problems.append(Problem("error", "duplicate_key", message, remedy, *place))
            return
        self.scores.append(scores)

    def _id(self, cell: str, column: str, line: int) -> str:
        if not cell.strip():
            message = f"{column} is empty."
            self.problems.append(Problem("error", "empty_cell", message, "Write the id.", line, column, cell))
        return cell.strip()

    def _score(self, cell: str, column: str, line: int, *key: str | None) -> float:
        if not cell.strip():
            return math.nan
        read = read_number(cell.strip())
        if isinstance(read, Decimal):
            return float(read)
        kind, message, remedy = read
        message = f"{column} is {printable(cell)!r}, which {message}"
        if kind in ("non_finite", "not_a_number"):
            remedy = f"{remedy} Leave the cell empty if there is no rating."
        self.problems.append(Problem("error", kind, message, remedy, line, column, cell, *key))
        return math.nan

    def annotations(self, name: str, digest: str) -> Annotations:
        """Build the noun.

        Raises
        ------
        AnnotationsError
            If any problem is an error.
        """
        refused = any(problem.severity == "error" for problem in self.problems)
        if not self.lines and not refused:
            self.problems.append(Problem("error", "no_rows", "the file has no rows.", "Check that it is complete."))
        if refused or not self.lines:
            raise AnnotationsError(name, self.problems)
        items = {item: row for row, item in enumerate(dict.fromkeys((key[0], key[1]) for key in self.lines))}
        people = {who: column for column, who in enumerate(dict.fromkeys(key[2] for key in self.lines))}
        ratings = np.full((len(items), len(people), len(self.dimensions)), np.nan)
        for (question, item, who), scores in zip(self.lines, self.scores, strict=True):
            ratings[items[question, item], people[who]] = scores
        self._note_missing(ratings)
        questions, answers = zip(*items, strict=True)
        problems = tuple(self.problems)
        asked = questions if self.asked else None
        return Annotations(name, digest, asked, answers, tuple(people), self.dimensions, ratings, problems)

    def _note_missing(self, ratings: np.ndarray) -> None:
        for d, dimension in enumerate(self.dimensions):
            incomplete = int(np.isnan(ratings[:, :, d]).any(axis=1).sum())
            if incomplete:
                message = f"{dimension}: {incomplete} of {len(ratings)} items are not rated by all annotators."
                self.problems.append(Problem("warning", "missing_rating", message))


def _columns(header: list[str], line: int) -> _Columns:
    """Find the columns.

    Raises
    ------
    Unreadable
        If one is missing, or stands twice.
    """
    item, who = (next((name for name in names if name in header), None) for names in (_ITEM, _WHO))
    scores = [name for name in header if name.endswith(SCORE_SUFFIX)] or [name for name in header if name == _SINGLE]
    if item == _ITEM[0] and _QUESTION not in header:
        item = _ITEM[1] if _ITEM[1] in header else item
    missing = [_QUESTION] if item == _ITEM[0] and _QUESTION not in header else []
    missing += [names[0] for names, found in ((_ITEM, item), (_WHO, who)) if found is None]
    missing += [] if scores else [_SINGLE]
    twice = repeated(header)
    if missing or twice or item is None or who is None:
        raise bad_header(header, line, missing, twice)
    question = header.index(_QUESTION) if item == _ITEM[0] else None
    places = tuple(header.index(name) for name in scores)
    return _Columns(tuple(header), question, header.index(item), header.index(who), places)
