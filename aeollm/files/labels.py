"""Label files: a CSV of human scores, or of keys only, to Labels."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from aeollm.decimals import Decimal, Decimals
from aeollm.errors import LabelsError, Problem, printable
from aeollm.files.archives import MOST_ENTRIES_LABELS, is_zip, unpack
from aeollm.files.csv_text import bad_header, csv_rows, repeated
from aeollm.files.decoding import Unreadable, decode, open_source, refuse
from aeollm.files.numbers import read_number
from aeollm.tables import DIMENSIONS, KEY_COLUMNS, OVERALL, SCORE_SUFFIX, Key, Labels

if TYPE_CHECKING:
    from datasets import Dataset

_BLANK = Decimal(0, 0)
_IDS = KEY_COLUMNS[1:]
_RESERVED = {OVERALL: "the overall is computed from the others", "question": "it names the question in the JSON"}


def read_labels(path: str | Path | bytes, *, name: str | None = None, source: str | None = None) -> Labels:
    """Read a CSV with ``questionId, answerId`` and ``*_score`` columns; without the latter, a key list.

    Parameters
    ----------
    path : the file, or its bytes.
    name : the label set's name; the file's name without ending by default.
    source : where it came from, in words; the path by default.

    Raises
    ------
    LabelsError
        With every problem: no CSV, missing columns, duplicates, cells that are no numbers, no rows.
    """
    shown = name or (Path(path).stem if not isinstance(path, bytes) else "labels")
    where = source or (str(path) if not isinstance(path, bytes) else shown)
    try:
        opened = open_source(path)
        if is_zip(opened.content):
            unpack(opened.content, MOST_ENTRIES_LABELS)
            raise refuse("is_archive", "the labels are a zip.", "Unpack it, or upload it on the page.")
        text = decode(opened.content)
        table = _Table(text.problems)
        table.read(text.content)
    except Unreadable as unreadable:
        raise LabelsError(shown, [unreadable.problem]) from None
    return table.labels(shown, where, opened.digest)


def labels_from_dataset(dataset: Dataset, *, name: str = "dataset") -> Labels:
    """Take a `datasets.Dataset` with the columns of a labels file.

    `datasets` guesses types: load ids as text (``features`` or a CSV reader's ``dtype``) where they have
    leading zeros or look like missing values. A float64 stands for its shortest decimal.

    Raises
    ------
    LabelsError
        As for `read_labels`; lines count from 2, as in the CSV.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    columns = [column for column in dataset.column_names if column in KEY_COLUMNS or column.endswith(SCORE_SUFFIX)]
    writer.writerow(columns)
    writer.writerows(zip(*([_cell(value) for value in dataset[column]] for column in columns), strict=True))
    return read_labels(out.getvalue().encode(), name=name, source=f"datasets.Dataset {name}")


def _cell(value: object) -> str:
    if value is None:
        return ""
    return repr(value) if isinstance(value, float) else str(value)


@dataclass
class _Table:
    problems: list[Problem]
    keys: list[Key] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    scores: list[list[Decimal | None]] = field(default_factory=list)
    dimensions: tuple[str, ...] = ()

    def read(self, text: str) -> None:
        """Read header and rows.

        Raises
        ------
        Unreadable
            If the header lacks a column, or quotation marks swallow the rest of the file.
        """
        rows = csv_rows(text)
        line, header = next(rows, (1, []))
        columns = self._columns([cell.strip() for cell in header], line)
        for line, row in rows:
            self._row(row, columns, line)

    def _columns(self, header: Sequence[str], line: int) -> dict[str, int]:
        scores = [name.removesuffix(SCORE_SUFFIX) for name in header if name.endswith(SCORE_SUFFIX)]
        official = [name for name in DIMENSIONS if name in scores]
        missing = [name for name in _IDS if name not in header]
        if official and len(official) == len(set(scores)):
            missing += [name + SCORE_SUFFIX for name in DIMENSIONS if name not in scores]
        twice = repeated(header)
        if missing or twice:
            raise bad_header(header, line, missing, twice)
        for name in scores:
            _refuse_name(name, line)
        self.dimensions = (*official, *(name for name in scores if name not in official))
        self._note_ignored(header, line)
        wanted = {*_IDS, *(name + SCORE_SUFFIX for name in self.dimensions)}
        return {name: place for place, name in enumerate(header) if name in wanted} | {"": len(header)}

    def _note_ignored(self, header: Sequence[str], line: int) -> None:
        for name in header:
            if name in DIMENSIONS and name not in self.dimensions:
                message = f"column {name} is ignored: score columns end in {SCORE_SUFFIX}."
                remedy = f"Rename it to {name}{SCORE_SUFFIX} if it holds human scores."
                self.problems.append(Problem("warning", "ignored_column", message, remedy, line, name))

    def _row(self, row: Sequence[str], columns: dict[str, int], line: int) -> None:
        if len(row) != columns[""]:
            message = f"{len(row)} cells instead of {columns['']}."
            self.problems.append(Problem("error", "column_count", message, "Write one cell a column.", line))
            return
        question, answer = (self._id(row[columns[name]], name, line) for name in _IDS)
        self.keys.append((question, answer))
        self.lines.append(line)
        names = [name + SCORE_SUFFIX for name in self.dimensions]
        self.scores.append([self._score(row[columns[name]], name, line, question, answer) for name in names])

    def _id(self, cell: str, column: str, line: int) -> str:
        bare = cell.strip(" \t")
        if not bare:
            message = f"{column} is empty."
            self.problems.append(Problem("error", "empty_cell", message, "Write the id.", line, column, cell))
        elif " " in bare or "\t" in bare or "\n" in bare:
            message = f"{column} {printable(bare)!r} holds a blank, so that no run could name it."
            self.problems.append(Problem("error", "blank_in_id", message, "Rename it.", line, column, cell))
        elif bare != cell:
            message = f"blanks around {column} {printable(bare)!r} were removed."
            self.problems.append(Problem("warning", "blank_in_id", message, "", line, column, cell))
        return bare

    def _score(self, cell: str, column: str, line: int, *key: str) -> Decimal | None:
        if not cell.strip():
            return None
        read = read_number(cell.strip())
        if isinstance(read, Decimal):
            return read
        kind, message, remedy = read
        message = f"{column} is {printable(cell)!r}, which {message}"
        remedy = "Leave the cell empty if the score is missing." if kind == "non_finite" else remedy
        self.problems.append(Problem("error", kind, message, remedy, line, column, cell, *key))
        return None

    def labels(self, name: str, source: str, digest: str) -> Labels:
        """Build the noun.

        Raises
        ------
        LabelsError
            If any problem is an error.
        """
        self._find_duplicates()
        if not self.keys:
            self.problems.append(Problem("error", "no_rows", "the file has no rows.", "Check that it is complete."))
        if any(problem.severity == "error" for problem in self.problems):
            raise LabelsError(name, self.problems)
        shape = (len(self.keys), len(self.dimensions))
        flat = [number for row in self.scores for number in row]
        given = np.array([number is not None for number in flat], dtype=bool).reshape(shape)
        if self.dimensions and not given.any():
            message = "all score cells are blank, so that the file is a list of keys: runs can be checked, not scored."
            self.problems.append(Problem("warning", "no_scores", message))
            self.dimensions, flat, given = (), [], given[:, :0]
        scores = Decimals.of([_BLANK if number is None else number for number in flat], given.shape)
        questions, answers = zip(*self.keys, strict=True)
        problems = tuple(self.problems)
        return Labels(name, source, None, digest, questions, answers, self.dimensions, scores, given, problems=problems)

    def _find_duplicates(self) -> None:
        first: dict[Key, int] = {}
        for key, line in zip(self.keys, self.lines, strict=True):
            if first.setdefault(key, line) != line:
                message = f"question {printable(key[0])}, answer {printable(key[1])} again; first on line {first[key]}."
                remedy = "Keep one row an answer."
                self.problems.append(Problem("error", "duplicate_key", message, remedy, line, _IDS[1], key[1], *key))


def _refuse_name(dimension: str, line: int) -> None:
    """Refuse a score column that no run could name, or whose name something else has."""
    column = dimension + SCORE_SUFFIX
    if dimension in _RESERVED:
        message = f"{column} cannot be a dimension: {_RESERVED[dimension]}."
        raise refuse("reserved_column", message, "Rename or remove it.", line=line, column=column)
    if not dimension or any(character.isspace() for character in dimension):
        message = f"column {printable(column)!r} cannot be a dimension: a run's header could not name it."
        raise refuse("column_name", message, "Rename it, without blanks.", line=line, column=column)
