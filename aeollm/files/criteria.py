"""Criterion score files: one row a score that a judge gave to one criterion."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from aeollm.decimals import Decimal, Decimals
from aeollm.errors import JudgmentsError, Problem, printable
from aeollm.files.kinds import RowReader, open_table
from aeollm.files.numbers import read_number
from aeollm.files.tabular import Aliases, Cells, checked
from aeollm.tables import ORDERS, CriterionScores

NEEDED: Aliases = {
    "questionId": ("questionId",),
    "answerId": ("answerId",),
    "dimension": ("dimension",),
    "criterion": ("criterion",),
    "score": ("score",),
}
OPTIONAL: Aliases = {"order": ("order",), "repeat": ("repeat",), "judge": ("judge",)}

_Row = tuple[str, str, str, str, str, str, str]
"""Question, answer, dimension, criterion, order, repeat, judge."""


def read_criterion_scores(path: str | Path | bytes, *, name: str | None = None) -> CriterionScores:
    """Read a CSV, TSV or JSON lines with one row a score; a blank score is a missing one.

    Columns in any order, others are ignored: ``questionId``, ``answerId``, ``dimension``, ``criterion`` (its text, or
    its number in the rubric from 1), ``score``; optional ``order`` (original or reversed), ``repeat``, ``judge``.

    Raises
    ------
    JudgmentsError
        With every problem: no table, missing columns, empty ids, unknown orders, cells that are no numbers, a score
        given twice, no rows.
    """
    opened = open_table(path, "criterion scores", (NEEDED, OPTIONAL), name=name)
    return _Reader.of(opened).noun(opened.name, opened.digest)


@dataclass
class _Reader(RowReader):
    lines: dict[_Row, int] = field(default_factory=dict)
    rows: list[_Row] = field(default_factory=list)
    scores: list[Decimal] = field(default_factory=list)
    blank: list[int] = field(default_factory=list)

    def finish(self) -> None:
        """Say what can be said of all rows only."""
        if self.blank:
            message = f"{len(self.blank)} scores are blank: missing, not 0."
            self.problems.append(Problem("warning", "missing_score", message, line=self.blank[0]))

    def row(self, cells: Cells) -> None:
        """Read one row."""
        before = len(self.problems)
        ids = (cells.id("questionId"), cells.id("answerId"), cells.needed("dimension"), cells.needed("criterion"))
        key = (*ids, _order(cells), cells.text("repeat"), cells.text("judge"))
        score = self._score(cells)
        if len(self.problems) > before:
            return
        first = self.lines.setdefault(key, cells.line)
        if first != cells.line:
            message = f"criterion {printable(key[3], 60)} of {printable(key[1])} again; first on line {first}."
            remedy = "Keep one row a score; tell repeats apart by a column repeat, judges by a column judge."
            place = (cells.line, "criterion", key[3], key[0], key[1])
            self.problems.append(Problem("error", "duplicate_key", message, remedy, *place))
        elif score is not None:
            self.rows.append(key)
            self.scores.append(score)

    def _score(self, cells: Cells) -> Decimal | None:
        text = cells.text("score")
        if not text:
            self.blank.append(cells.line)
            return None
        read = read_number(text)
        if isinstance(read, Decimal):
            return read
        kind, message, remedy = read
        if kind in ("non_finite", "not_a_number"):
            remedy = f"{remedy} Leave the cell empty if there is no score."
        cells.wrong(kind, f"score is {printable(text)!r}, which {message}", remedy, "score", text)
        return None

    def noun(self, name: str, digest: str) -> CriterionScores:
        """Build the noun.

        Raises
        ------
        JudgmentsError
            If any problem is an error.
        """
        problems = checked(name, self.problems, rows=bool(self.rows), error=JudgmentsError)
        questions, answers, dimensions, criteria, orders, repeats, judges = zip(*self.rows, strict=True)
        return CriterionScores(
            name,
            digest,
            questions,
            answers,
            dimensions,
            criteria,
            scores=Decimals.of(self.scores, (len(self.rows),)),
            lines=tuple(self.lines[row] for row in self.rows),
            orders=orders if "order" in self.places else None,
            repeats=repeats if "repeat" in self.places else None,
            judges=judges if "judge" in self.places else None,
            problems=problems,
        )


def _order(cells: Cells) -> str:
    if "order" not in cells.places:
        return ORDERS[0]
    text = cells.text("order").lower()
    if text not in ORDERS:
        message = f"order is {printable(text)!r}, not {' or '.join(ORDERS)}."
        cells.wrong("unknown_order", message, f"Write {' or '.join(ORDERS)}.", "order", text)
    return text
