"""CSV files that spreadsheets take for what they are; every row carries its signature."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

from aeollm.tables import MEASURES, PAIR_KINDS, Comparison, Scores

_FORMULA = ("=", "+", "-", "@")
_CONTROL = ("\t", "\r", "\n")
_RUN_COLUMNS = ("mean", "low", "high", "cluster", "questions")
_PAIR_COLUMNS = (
    "difference", "low", "high", "questions", "p", "p_adjusted", "exact", "smallest_p", "wins", "ties", "losses",
    "detectable", "questions_needed", "dropped", "headline_difference",
)  # fmt: skip
_COLUMNS = tuple(dict.fromkeys((*_RUN_COLUMNS, *_PAIR_COLUMNS)))
_NONE_AS_ZERO = ("cluster", "questions_needed")

Cell = str | float | int | None


def csv_bytes(header: Sequence[str], rows: Iterable[Sequence[Cell]]) -> bytes:
    """Write a UTF-8 CSV (with mark, for Excel) that no spreadsheet takes for formulas.

    Text that starts like a formula gets an apostrophe before it; numbers stay as they are, negative ones
    too; None and nan are empty cells.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow([_safe(name) for name in header])
    writer.writerows([_safe(cell) for cell in row] for row in rows)
    return out.getvalue().encode("utf-8-sig", errors="backslashreplace")


def _safe(cell: Cell) -> str:
    if cell is None or cell != cell:
        return ""
    if isinstance(cell, str):
        # Spreadsheets skip white space before they look for a formula.
        return "'" + cell if cell.lstrip().startswith(_FORMULA) or cell.startswith(_CONTROL) else cell
    # Of numpy's numbers, too, which name their type.
    return repr(float(cell)) if isinstance(cell, float) else str(cell)


def _badge(demo: bool) -> str:  # noqa: FBT001  a flag of the table, handed on
    return "DEMO (simulated)" if demo else "as named in the signature"


def questions_csv(scored: Sequence[Scores], names: Sequence[str]) -> bytes:
    """Write one row a run, view and question: answers, measures, pair counts, badge, signature."""
    header = ["run", "view", "question", "answers", *MEASURES, *PAIR_KINDS, "labels_are", "signature"]
    rows = (row for scores, name in zip(scored, names, strict=True) for row in _question_rows(scores, name))
    return csv_bytes(header, rows)


def _question_rows(scores: Scores, name: str) -> Iterable[list[Cell]]:
    measures = [scores.values(measure).tolist() for measure in MEASURES]
    answers, pairs = scores.answers.tolist(), scores.pairs.tolist()
    for v, view in enumerate(scores.views):
        for q, question in enumerate(scores.questions):
            numbers: list[Any] = [column[v][q] for column in measures]
            counts = pairs[v][q]
            yield [name, view, question, answers[v][q], *numbers, *counts, _badge(scores.demo), scores.signature]


def comparison_csv(comparison: Comparison) -> bytes:
    """Write one row a run, view and measure, then one row a pair, view and measure (``a`` minus ``b``).

    Empty cells are undefined, or belong to the other kind of row.
    """
    plan = comparison.plan
    made = [plan.seed, plan.resamples, plan.interval, plan.correction, plan.alpha, _badge(comparison.demo)]
    header = ["kind", "a", "b", "view", "measure", *_COLUMNS, "reason"]
    header += ["seed", "resamples", "interval", "correction", "alpha", "labels_are", "signature"]
    return csv_bytes(header, ([*row, *made, signed] for row, signed in _compared_rows(comparison)))


def _compared_rows(comparison: Comparison) -> Iterable[tuple[list[Cell], str]]:
    runs = {name: getattr(comparison.runs, name).tolist() for name in _RUN_COLUMNS}
    pairs = {name: getattr(comparison.pairs, name).tolist() for name in _PAIR_COLUMNS}
    columns = [(v, m) for v in range(len(comparison.views)) for m in range(len(MEASURES))]
    for r, (name, signed) in enumerate(zip(comparison.names, comparison.signatures, strict=True)):
        for v, m in columns:
            place = [comparison.views[v], MEASURES[m], *_figures(runs, (r, v, m)), comparison.run_reason(r, v, m)]
            yield ["run", name, "", *place], signed
    for k, (a, b) in enumerate(comparison.pair_names):
        for v, m in columns:
            place = [comparison.views[v], MEASURES[m], *_figures(pairs, (k, v, m)), comparison.pair_reason(k, v, m)]
            yield ["pair", a, b, *place], comparison.signature


def _figures(table: dict[str, Any], place: tuple[int, int, int]) -> list[Cell]:
    first, v, m = place
    return [_cell(name, table[name][first][v][m]) if name in table else None for name in _COLUMNS]


def _cell(name: str, value: Cell) -> Cell:
    return None if value == 0 and name in _NONE_AS_ZERO else value
