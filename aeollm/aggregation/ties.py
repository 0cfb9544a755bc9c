"""Ties of a primary signal broken by a secondary one, and nothing else changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import groupby, pairwise
from math import comb

import numpy as np

from aeollm.errors import Problem
from aeollm.tables import OVERALL, AnswerScores, Rubrics
from aeollm.tables.answers import EXACT_PLACES

_PARTS = 4
"""Ties are broken by less than the smallest gap over this."""


@dataclass(frozen=True, slots=True)
class TieCount:
    """Pairs of answers of a question with equal scores in one view, before and after.

    ``undecided`` counts the pairs that the secondary ties too, ``unknown`` those it does not know.
    """

    view: str
    before: int
    after: int
    undecided: int = 0
    unknown: int = 0

    @property
    def broken(self) -> int:
        """Count the ties that were broken."""
        return self.before - self.after


def break_ties(
    primary: AnswerScores, secondary: AnswerScores, rubrics: Rubrics | None = None
) -> tuple[AnswerScores, tuple[TieCount, ...]]:
    """Order answers that tie exactly in a dimension by the secondary's scores of that dimension.

    Tied scores are moved towards the middle of the question's range, by so little that no two answers that differ in
    a dimension or in the weighted overall change places.

    Parameters
    ----------
    primary : the scores whose ties are broken; their other digits stay.
    secondary : on any scale; a dimension it lacks, or a tied group of which it lacks an answer, stays tied.
    rubrics : the weights of the overall whose order is kept; all dimensions alike without them.

    Returns
    -------
    The scores, and the ties of the overall and of every dimension.
    """
    primary = primary.rounded(exact=EXACT_PLACES)
    values = primary.values.copy()
    aside = {dimension: [0, 0] for dimension in primary.dimensions}
    for question, rows in primary.questions.items():
        weights = _weights(primary, question, rubrics)
        step = _step(primary, rows, weights)
        for d, dimension in enumerate(primary.dimensions):
            for group in _tied(primary, rows, d):
                signal = [secondary.get(primary.keys[row], dimension) for row in group]
                known = [value for value in signal if value is not None]
                if len(known) < len(group):
                    aside[dimension][1] += comb(len(group), 2)
                    continue
                aside[dimension][0] += sum(comb(known.count(value), 2) for value in set(known))
                _move(values, group, d, known, step * _direction(primary, rows, d, group[0]))
    broken = replace(primary, values=values)
    counts = [TieCount(OVERALL, _overall_ties(primary, rubrics), _overall_ties(broken, rubrics))]
    for d, dimension in enumerate(primary.dimensions):
        before, after = (_pairs(table, d) for table in (primary, broken))
        counts.append(TieCount(dimension, before, after, *aside[dimension]))
    return broken, tuple(counts)


def tie_problems(counts: Sequence[TieCount], *, weighed: bool) -> list[Problem]:
    """Say in notes how many ties were broken and what was kept."""
    told = ", ".join(f"{count.view} {count.broken} of {count.before}" for count in counts)
    kept = "the rubrics' weights" if weighed else "equal weights"
    message = f"ties broken: {told}. The order of untied answers is kept, in the overall under {kept}."
    return [Problem("note", "ties_broken", message)]


def tied_pairs(table: AnswerScores, rubrics: Rubrics | None = None) -> dict[str, int]:
    """Count the pairs of answers of a question that tie exactly, in the overall and every dimension."""
    own = {dimension: _pairs(table, d) for d, dimension in enumerate(table.dimensions)}
    return {OVERALL: _overall_ties(table, rubrics), **own}


def _weights(table: AnswerScores, question: str, rubrics: Rubrics | None) -> list[Fraction]:
    if rubrics is None or question not in rubrics.weights:
        return [Fraction(1)] * len(table.dimensions)
    own = rubrics.weights[question]
    known = [own.get(dimension) for dimension in table.dimensions]
    return [Fraction(0) if w is None else w.units * Fraction(10) ** w.exponent for w in known]


def _totals(table: AnswerScores, rows: Sequence[int], weights: Sequence[Fraction]) -> list[Fraction]:
    """Give the weighted means of the rows that have all scores."""
    total = sum(weights) or Fraction(1)
    complete = [row for row in rows if not any(value is None for value in table.values[row])]
    return [
        sum((w * v for w, v in zip(weights, table.values[row], strict=True)), Fraction(0)) / total for row in complete
    ]


def _step(table: AnswerScores, rows: Sequence[int], weights: Sequence[Fraction]) -> Fraction:
    """Give a power of ten, so small that as many steps as there are answers stay far inside every gap."""
    columns = [[value for value in table.values[list(rows), d] if value is not None] for d in range(len(weights))]
    gaps = [gap for column in [*columns, _totals(table, rows, weights)] for gap in _gaps(column)]
    room = min(gaps, default=Fraction(1)) / _PARTS / len(rows)
    exponent = 0
    while Fraction(10) ** exponent > room:
        exponent -= 1
    return Fraction(10) ** exponent


def _gaps(values: Sequence[Fraction]) -> Iterator[Fraction]:
    ordered = sorted(set(values))
    return (above - below for below, above in pairwise(ordered))


def _tied(table: AnswerScores, rows: Sequence[int], d: int) -> Iterator[list[int]]:
    scored = sorted((row for row in rows if table.values[row, d] is not None), key=lambda row: table.values[row, d])
    for _, group in groupby(scored, key=lambda row: table.values[row, d]):
        own = list(group)
        if len(own) > 1:
            yield own


def _direction(table: AnswerScores, rows: Sequence[int], d: int, row: int) -> int:
    """Move scores above the middle down and others up, so that none leaves the range."""
    own = [value for value in table.values[list(rows), d] if value is not None]
    return -1 if 2 * table.values[row, d] > min(own) + max(own) else 1


def _move(values: np.ndarray, group: Sequence[int], d: int, signal: Sequence[Fraction], step: Fraction) -> None:
    levels = sorted(set(signal), reverse=step < 0)
    for row, value in zip(group, signal, strict=True):
        values[row, d] += levels.index(value) * step


def _pairs(table: AnswerScores, d: int) -> int:
    return sum(comb(len(group), 2) for rows in table.questions.values() for group in _tied(table, rows, d))


def _overall_ties(table: AnswerScores, rubrics: Rubrics | None) -> int:
    tied = 0
    for question, rows in table.questions.items():
        totals = _totals(table, rows, _weights(table, question, rubrics))
        tied += sum(comb(totals.count(total), 2) for total in set(totals))
    return tied
