"""Exact scores of answers on their way to a run, some of which may not exist."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aeollm.decimals import Decimal, Decimals, round_fraction
from aeollm.errors import Problem
from aeollm.tables.inputs import Key, Run
from aeollm.tables.names import KEY_COLUMNS, SCORE_SUFFIX

PLACES = 12
"""Digits after the decimal point of what is written."""
EXACT_PLACES = 36
"""Digits after the point to which a number is kept as it is, where it has no more."""
FITTED_PLACES = 9
"""Digits after the decimal point of what a solver found, which is no more exact than this."""


@dataclass(frozen=True, eq=False)
class AnswerScores:
    """Scores as fractions, shape (answers, dimensions); None where an answer has none.

    ``keys`` are (question, answer). They become a `Run` when they are complete, and only then are rounded.
    """

    name: str
    keys: tuple[Key, ...]
    dimensions: tuple[str, ...]
    values: NDArray[np.object_]
    problems: tuple[Problem, ...] = ()

    def __len__(self) -> int:
        """Count the answers."""
        return len(self.keys)

    @classmethod
    def of_run(cls, run: Run) -> AnswerScores:
        """Take a run's scores as the decimals written."""
        scale = Fraction(10) ** run.scores.exponent
        values = np.empty(run.scores.units.shape, dtype=object)
        flat: list[int] = run.scores.units.ravel().tolist()
        values.ravel()[:] = [units * scale for units in flat]
        return cls(run.name, tuple(run.keys()), run.dimensions, values, run.problems)

    @classmethod
    def of_cells(
        cls, name: str, dimensions: Sequence[str], cells: Mapping[tuple[Key, str], Fraction | None]
    ) -> AnswerScores:
        """Take scores by (key, dimension); keys stay in the order of their first cell."""
        keys = tuple(dict.fromkeys(key for key, _ in cells))
        values = np.empty((len(keys), len(dimensions)), dtype=object)
        for row, key in enumerate(keys):
            values[row] = [cells.get((key, dimension)) for dimension in dimensions]
        return cls(name, keys, tuple(dimensions), values)

    @cached_property
    def index(self) -> Mapping[Key, int]:
        """Map (question, answer) to its row."""
        return {key: row for row, key in enumerate(self.keys)}

    @cached_property
    def questions(self) -> Mapping[str, tuple[int, ...]]:
        """Map every question to its rows, in the order of its first."""
        rows: dict[str, list[int]] = {}
        for row, (question, _) in enumerate(self.keys):
            rows.setdefault(question, []).append(row)
        return {question: tuple(own) for question, own in rows.items()}

    @cached_property
    def floats(self) -> NDArray[np.float64]:
        """Give the nearest float64 of every score, nan where there is none."""
        flat: list[Fraction | None] = self.values.ravel().tolist()
        numbers = [np.nan if value is None else float(value) for value in flat]
        return np.array(numbers, dtype=np.float64).reshape(self.values.shape)

    @property
    def missing(self) -> int:
        """Count the scores that do not exist."""
        return sum(value is None for value in self.values.ravel().tolist())

    def get(self, key: Key, dimension: str) -> Fraction | None:
        """Give one score; None also for keys and dimensions that are not there."""
        row = self.index.get(key)
        if row is None or dimension not in self.dimensions:
            return None
        value: Fraction | None = self.values[row, self.dimensions.index(dimension)]
        return value

    def in_order(self, keys: Iterable[Key], dimensions: Sequence[str]) -> AnswerScores:
        """Give these answers and dimensions in this order; what is not there has no score."""
        chosen = tuple(keys)
        cells = [[self.get(key, dimension) for dimension in dimensions] for key in chosen]
        values = np.empty((len(chosen), len(dimensions)), dtype=object)
        for row, own in enumerate(cells):
            values[row] = own
        return replace(self, keys=chosen, dimensions=tuple(dimensions), values=values)

    def rounded(self, exact: int = 0) -> AnswerScores:
        """Round half-even to 12 digits after the point what has more than ``exact`` of them.

        Unequal scores of a question that become equal are told as a problem.
        """
        values = self.values.copy()
        together: dict[tuple[str, int, Fraction], set[Fraction]] = {}
        flat: list[Fraction | None] = self.values.ravel().tolist()
        for place, value in enumerate(flat):
            row, d = divmod(place, len(self.dimensions))
            if value is not None and 10**exact % value.denominator:
                units, exponent = round_fraction(value, PLACES)
                values[row, d] = units * Fraction(10) ** exponent
            if value is not None:
                together.setdefault((self.keys[row][0], d, values[row, d]), set()).add(value)
        count = sum(len(own) - 1 for own in together.values())
        message = f"{count} unequal scores are equal when rounded to {PLACES} digits after the point."
        told = (Problem("warning", "rounded_together", message),) if count else ()
        return replace(self, values=values, problems=(*self.problems, *told))

    def to_run(self, name: str | None = None) -> Run:
        """Make a run; answers that lack a score are left out, and named. Endless fractions are rounded to 12 digits."""
        complete = [row for row in range(len(self)) if not any(value is None for value in self.values[row])]
        settled = self.rounded(exact=EXACT_PLACES)
        problems = (*settled.problems, *self._left_out(set(complete)))
        kept = settled.values[complete].reshape(len(complete), len(self.dimensions))
        scores = Decimals.of([round_fraction(value, EXACT_PLACES) for value in kept.ravel().tolist()], kept.shape)
        questions = tuple(self.keys[row][0] for row in complete)
        answers = tuple(self.keys[row][1] for row in complete)
        lines, tasks = tuple(range(2, len(complete) + 2)), ("0",) * len(complete)
        run = Run(name or self.name, "", tasks, questions, answers, self.dimensions, scores, lines, problems)
        return replace(run, digest=hashlib.sha256(write_run(run).encode()).hexdigest())

    def _left_out(self, complete: set[int]) -> list[Problem]:
        remedy = "Score them, or choose another policy for missing scores."
        return [
            Problem(
                "warning",
                "undefined_score",
                f"question {key[0]}, answer {key[1]} is left out: it has no score for {', '.join(self._lacks(row))}.",
                remedy,
                None,
                None,
                None,
                *key,
            )
            for row, key in enumerate(self.keys)
            if row not in complete
        ]

    def _lacks(self, row: int) -> list[str]:
        own: list[Any] = self.values[row].tolist()
        return [name for name, value in zip(self.dimensions, own, strict=True) if value is None]


def fitted(number: float) -> Fraction | None:
    """Take a fitted number to `FITTED_PLACES`, half-even; None for nan.

    >>> fitted(0.1 + 0.2)
    Fraction(3, 10)
    """
    if number != number:
        return None
    units, exponent = round_fraction(Fraction(number), FITTED_PLACES)
    return units * Fraction(10) ** exponent


def write_run(run: Run) -> str:
    """Write a run file: a header, then one line an answer, separated by tabs; the same run gives the same bytes."""
    lines = ["\t".join((*KEY_COLUMNS, *(name + SCORE_SUFFIX for name in run.dimensions)))]
    width = len(run.dimensions)
    units: list[int] = run.scores.units.ravel().tolist()
    cells = [Decimal(own, run.scores.exponent).written() for own in units]
    for row, key in enumerate(run.keys()):
        lines.append("\t".join((run.tasks[row], *key, *cells[row * width : (row + 1) * width])))
    return "\n".join(lines) + "\n"


def write_labels(table: AnswerScores) -> str:
    """Write a labels CSV, a blank cell where there is no score; numbers as in a run."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*KEY_COLUMNS[1:], *(name + SCORE_SUFFIX for name in table.dimensions)])
    for key, row in zip(table.keys, table.rounded(exact=EXACT_PLACES).values.tolist(), strict=True):
        writer.writerow([*key, *("" if v is None else round_fraction(v, EXACT_PLACES).written() for v in row)])
    return out.getvalue()
