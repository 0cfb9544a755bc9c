"""Aspect files: one row an annotator's score of one aspect of an answer, with what the aspect weighs there."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

from aeollm.decimals import Decimal
from aeollm.errors import AnnotationsError, Problem, printable
from aeollm.files.kinds import RowReader, open_table
from aeollm.files.numbers import read_number
from aeollm.files.tabular import Aliases, Cells, checked
from aeollm.tables import AspectRatings, Key

_NEEDED: Aliases = {
    "questionId": ("questionId",),
    "answerId": ("answerId",),
    "annotator": ("annotator", "rater"),
    "aspect": ("aspect",),
    "score": ("score",),
}
_OPTIONAL: Aliases = {"weight": ("weight",)}


def read_aspects(path: str | Path | bytes, *, name: str | None = None) -> AspectRatings:
    """Read a CSV, TSV or JSON lines with one row an annotator and aspect.

    Columns in any order, others are ignored: ``questionId``, ``answerId``, ``annotator`` (or ``rater``), ``aspect``,
    ``score``; optional ``weight``, the same for all annotators of an answer.

    Raises
    ------
    AnnotationsError
        With every problem: no table, missing columns, empty ids, cells that are no numbers, an aspect rated twice,
        weights that differ or are below 0, no rows.
    """
    opened = open_table(path, "aspect ratings", (_NEEDED, _OPTIONAL), name=name, error=AnnotationsError)
    return _Reader.of(opened).noun(opened.name, opened.digest)


@dataclass
class _Reader(RowReader):
    scores: dict[tuple[Key, str, str], Fraction] = field(default_factory=dict)
    lines: dict[tuple[Key, str, str], int] = field(default_factory=dict)
    weights: dict[tuple[Key, str], tuple[Fraction, int]] = field(default_factory=dict)

    def finish(self) -> None:
        """Say what can be said of all rows only."""
        if "weight" not in self.places and self.scores:
            message = "there is no column weight, so that all aspects weigh the same."
            self.problems.append(Problem("warning", "equal_weights", message))

    def row(self, cells: Cells) -> None:
        """Read one row."""
        before = len(self.problems)
        key = (cells.id("questionId"), cells.id("answerId"))
        who, aspect = cells.needed("annotator"), cells.needed("aspect")
        score = _number(cells, "score")
        weight = _number(cells, "weight") if "weight" in self.places else None
        if len(self.problems) > before:
            return
        first = self.lines.setdefault((key, who, aspect), cells.line)
        if first != cells.line:
            message = f"{printable(who)} rates {printable(aspect)} of {printable(key[1])} again; first on line {first}."
            cells.wrong("duplicate_key", message, "Keep one row an annotator and aspect.", "annotator", who)
        if score is not None:
            self.scores[key, who, aspect] = score
        if weight is not None:
            self._weigh(cells, (key, aspect), weight)

    def _weigh(self, cells: Cells, place: tuple[Key, str], weight: Fraction) -> None:
        if weight < 0:
            cells.wrong("negative_weight", "weight is below 0.", "Use >= 0.", "weight", cells.text("weight"))
        known, line = self.weights.setdefault(place, (weight, cells.line))
        if known != weight:
            message = f"{printable(place[1])} of {printable(place[0][1])} weighed something else on line {line}."
            cells.wrong("other_weight", message, "Give an answer's aspect one weight.", "weight", cells.text("weight"))

    def noun(self, name: str, digest: str) -> AspectRatings:
        """Build the noun.

        Raises
        ------
        AnnotationsError
            If any problem is an error.
        """
        problems = checked(name, self.problems, rows=bool(self.scores), error=AnnotationsError)
        aspects = tuple(dict.fromkeys(aspect for _, _, aspect in self.scores))
        people = tuple(dict.fromkeys(who for _, who, _ in self.scores))
        weights = {place: weight for place, (weight, _) in self.weights.items()} if "weight" in self.places else None
        return AspectRatings(name, digest, aspects, people, self.scores, weights, problems)


def _number(cells: Cells, column: str) -> Fraction | None:
    """Read a number; None for an empty score, which is a missing one, and, with a problem, for all else."""
    text = cells.text(column) if column == "score" else cells.needed(column)
    if not text:
        return None
    read = read_number(text)
    if isinstance(read, Decimal):
        return read.units * Fraction(10) ** read.exponent
    kind, message, remedy = read
    cells.wrong(kind, f"{column} is {printable(text)!r}, which {message}", remedy, column, text)
    return None
