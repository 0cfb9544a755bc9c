"""Lines of a run file: white-space columns, headers, and what is wrong with a line as a whole."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from aeollm.decimals import Decimal
from aeollm.errors import Problem, printable
from aeollm.files.decoding import MARK
from aeollm.files.ids import code_points
from aeollm.files.numbers import quoted, read_number
from aeollm.tables import DIMENSIONS, KEY_COLUMNS, SCORE_SUFFIX, Key

_OTHER_SPACE = re.compile(r"[^\S \t\n]")
_FEW = 3
_SEPARATORS = str.maketrans(dict.fromkeys(",;|，", " "))
_BLANKS = re.compile(r"[ \t]+")


@dataclass(slots=True)
class Rows:
    """What the lines of a run hold; a row whose scores cannot be read has ``scores`` None.

    ``claimed`` are keys that a line with other faults may stand for, so that they are not called missing.
    """

    dimensions: tuple[str, ...]
    tasks: list[str] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)
    scores: list[list[Decimal] | None] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    claimed: list[Key] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    @property
    def columns(self) -> tuple[str, ...]:
        """Name the columns."""
        return (*KEY_COLUMNS, *(name + SCORE_SUFFIX for name in self.dimensions))


def read_rows(text: str, wanted: tuple[str, ...] | None, most: int | None = None) -> Rows:
    """Split a run's text into rows, noting every problem of form.

    Parameters
    ----------
    text : decoded text with line feeds between lines.
    wanted : the label set's dimensions; None takes the AEOLLM four or what a header names.
    most : lines that are not blank after which to stop, with a problem; None reads all.
    """
    reader = _Reader(text, wanted, most)
    reader.read()
    return reader.rows


def _splitter(text: str) -> Callable[[str], list[str]]:
    """Split at blanks and tabs only; `str.split` does so when no other white space occurs."""
    if _OTHER_SPACE.search(text) is None:
        return str.split
    return lambda line: [token for token in _BLANKS.split(line) if token]


class _Reader:
    def __init__(self, text: str, wanted: tuple[str, ...] | None, most: int | None) -> None:
        self.text = text
        self.left = math.inf if most is None else most
        self.wanted = wanted
        self.rows = Rows(wanted or DIMENSIONS)
        self.numbers: dict[str, Decimal] = {}
        self.headed = False
        self.blank: list[int] = []

    def read(self) -> None:
        split = _splitter(self.text)
        first = True
        for number, line in enumerate(self.text.split("\n"), 1):
            if MARK in line and line.lstrip(" \t").startswith(MARK):
                line = self._without_mark(line, number)  # noqa: PLW2901  the mark is not part of the line
            tokens = split(line)
            if not tokens:
                self.blank.append(number)
                continue
            if not self.left:
                self.rows.problems.append(_too_long(number, self.text.count("\n") + 1))
                break
            self.left -= 1
            if not self._header(tokens, number, first=first):
                self._row(tokens, line, number)
            first = False
        self._note_blank_lines()

    def _without_mark(self, line: str, number: int) -> str:
        message = "a byte order mark (U+FEFF) stands at the start of the line; it was removed."
        remedy = "It comes from joining files; save the file anew to lose it."
        self.rows.problems.append(Problem("warning", "invisible_character", message, remedy, number, KEY_COLUMNS[0]))
        return line.lstrip(" \t" + MARK)

    def _note_blank_lines(self) -> None:
        last = self.rows.lines[-1] if self.rows.lines else 0
        inner = [number for number in self.blank if number < last]
        if inner:
            message = f"{len(inner)} blank lines were skipped."
            self.rows.problems.append(Problem("note", "blank_lines", message, line=inner[0]))

    def _header(self, tokens: list[str], number: int, *, first: bool) -> bool:
        """Take a header line; True when the line is no row."""
        names = tokens[:3] + [token.removesuffix(SCORE_SUFFIX) for token in tokens[3:]]
        if self.wanted is None and first and _names_dimensions(tokens):
            self.rows.dimensions = tuple(names[3:])
        if names == [*KEY_COLUMNS, *self.rows.dimensions]:
            self.headed = True
            self.rows.problems.append(Problem("note", "header", "a header line was skipped.", line=number))
            return True
        if first and _like_header(tokens):
            message = f"the header names {', '.join(map(printable, tokens))}, not the columns in their order."
            remedy = f"Write: {' '.join(self.rows.columns)}"
            self.rows.problems.append(Problem("error", "header", message, remedy, number))
            self.headed = True
            return True
        if not self.headed and self.rows.dimensions != DIMENSIONS:
            message = "these labels have dimensions of their own, so that the run must start with a header line."
            remedy = f"Write: {' '.join(self.rows.columns)}"
            self.rows.problems.append(Problem("error", "header", message, remedy, number))
            self.headed = True
        return False

    def _row(self, tokens: list[str], line: str, number: int) -> None:
        rows = self.rows
        if len(tokens) != 3 + len(rows.dimensions):
            rows.problems += wrong_count(tokens, line, number, rows.columns)
            rows.claimed += _may_stand_for(line, len(tokens) - 3 - len(rows.dimensions))
            return
        task, question, answer, *cells = tokens
        if '"' in line or "'" in line or "“" in line:
            task, question, answer = self._quoted_ids(tokens, number)
        try:
            scores: list[Decimal] | None = [self.numbers[cell] for cell in cells]
        except KeyError:
            scores = self._numbers(cells, (question, answer), number)
        rows.tasks.append(task)
        rows.questions.append(question)
        rows.answers.append(answer)
        rows.scores.append(scores)
        rows.lines.append(number)

    def _numbers(self, cells: list[str], key: tuple[str, str], number: int) -> list[Decimal] | None:
        scores = []
        for column, cell in zip(self.rows.columns[3:], cells, strict=True):
            read = read_number(cell)
            if isinstance(read, Decimal):
                self.numbers[cell] = read
                scores.append(read)
                continue
            kind, message, remedy = read
            message = f"{column} is {printable(cell)!r}, which {message}"
            self.rows.problems.append(Problem("error", kind, message, remedy, number, column, cell, *key))
        return scores if len(scores) == len(cells) else None

    def _quoted_ids(self, tokens: list[str], number: int) -> list[str]:
        bare = []
        for column, token in zip(KEY_COLUMNS, tokens, strict=False):
            bare.append(token[1:-1] if quoted(token) else token)
            if quoted(token):
                message = f"{column} stands in quotation marks, which are part of the text here."
                remedy = f"Write {printable(token[1:-1])} without them."
                self.rows.problems.append(Problem("error", "quoted_field", message, remedy, number, column, token))
        return bare


def _too_long(number: int, lines: int) -> Problem:
    message = f"the file has about {lines:,} lines, far more than there are answers; it was read up to here."
    return Problem("error", "too_many_lines", message, "Keep one line an answer, or choose other labels.", number)


def _names_dimensions(tokens: Sequence[str]) -> bool:
    own = tokens[3:]
    ends = all(token.endswith(SCORE_SUFFIX) for token in own)
    return tuple(tokens[:3]) == KEY_COLUMNS and bool(own) and ends and len(set(own)) == len(own)


def _like_header(tokens: Sequence[str]) -> bool:
    folded = [token.casefold().strip("\"'#") for token in tokens]
    known = {name.casefold() for name in KEY_COLUMNS} | set(DIMENSIONS)
    return any(token in known or token.endswith(SCORE_SUFFIX) for token in folded)


def wrong_count(tokens: list[str], line: str, number: int, columns: tuple[str, ...]) -> Iterator[Problem]:
    """Explain a line with the wrong number of columns as narrowly as it allows."""
    cells = [cell.strip(" ") for cell in line.split("\t")]
    if len(cells) == len(columns) and "" in cells:
        for column, cell in zip(columns, cells, strict=True):
            if not cell:
                message = f"the cell of {column} is empty."
                remedy = "Write a value; a run must score every answer."
                yield Problem("error", "empty_cell", message, remedy, number, column, "")
        return
    hidden = _OTHER_SPACE.sub(" ", line).split()
    if len(hidden) == len(columns):
        yield from _odd_spaces(tokens, number, columns)
        return
    seen = " | ".join(printable(token, 40) for token in tokens[:20]) + (" | …" if len(tokens) > 20 else "")
    message = f"{len(tokens)} column{'s' if len(tokens) > 1 else ''} instead of {len(columns)}: {seen}"
    yield Problem("error", "column_count", message, _count_remedy(tokens, line, columns), number, value=line)


def _may_stand_for(line: str, extra: int) -> Iterator[Key]:
    """Give the keys that a line with the wrong number of columns may have meant."""
    cells = [cell.strip(" ") for cell in line.split("\t")]
    if len(cells) >= _FEW:
        yield cells[1], cells[2]
    tokens = line.translate(_SEPARATORS).split()
    if len(tokens) < _FEW:
        return
    yield tokens[1], tokens[2]
    if 0 < extra <= _FEW:
        yield from ((tokens[1], joint.join(tokens[2 : 3 + extra])) for joint in ("_", "", "-"))


def _odd_spaces(tokens: list[str], number: int, columns: tuple[str, ...]) -> Iterator[Problem]:
    place = 0
    for token in tokens:
        spaces = "".join(_OTHER_SPACE.findall(token))
        if spaces:
            kind = "full_width" if "\u3000" in spaces else "invisible_character"
            column = columns[min(place, len(columns) - 1)]
            message = f"{column} holds {code_points(spaces)}, which separates no columns."
            yield Problem("error", kind, message, "Type an ordinary blank instead.", number, column, token)
        place += len(token.split())


def _count_remedy(tokens: list[str], line: str, columns: tuple[str, ...]) -> str:
    for separator, name in ((",", "commas"), (";", "semicolons"), ("|", "bars"), ("，", "full-width commas")):
        if len(line.split(separator)) == len(columns):
            return f"Separate the columns by blanks or tabs, not by {name}."
    if tokens[0].startswith(("#", "//", "%")):
        return "Remove the line: a run has no comments."
    extra = len(tokens) - len(columns)
    if 0 < extra <= _FEW:
        joined = printable("_".join(tokens[2 : 3 + extra]), 60)
        return f"If an id holds a blank, remove it there and in no other place (for example {joined})."
    return f"Write one line an answer: {' '.join(columns)}."
