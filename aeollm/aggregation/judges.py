"""Several judges of the same answers to one."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from aeollm.aggregation.criteria import Missing
from aeollm.errors import JudgmentsError, Problem, printable
from aeollm.tables import AnswerScores, Key, fitted

By = Literal["mean", "z", "borda", "median"]
Floats = NDArray[np.float64]

_TOP = 10
_HALF = Fraction(1, 2)
_ROUNDING = 1e-12
_TWO = 2
_UNEQUAL = 3.0


def combine_judges(
    judges: Sequence[AnswerScores],
    by: By = "mean",
    *,
    weights: Sequence[Fraction] | None = None,
    missing: Missing = "refuse",
    name: str = "judges",
) -> AnswerScores:
    """Make one table of several judges' scores.

    Parameters
    ----------
    judges : their scores; the answers and dimensions are those of all together, in the order of their first.
    by : "mean" of the scores; "z", the mean of the z-scores within a question, put back on the judges' mean question
        mean and mean spread, so that a judge who spreads wider counts no more (one who gives all answers of a question
        the same says nothing there); "borda", 10 x the share of other answers ranked below, ties half; "median".
    weights : of the judges, >= 0; alike by default. The median is the weighted one.
    missing : what an answer that some judge did not score does: "renormalise" takes the judges who did, "undefined"
        leaves it without a score, "refuse" refuses.

    Raises
    ------
    JudgmentsError
        For no judges, weights that do not fit, or missing scores under "refuse".
    """
    shares = _weights(len(judges), weights, name)
    keys = tuple(dict.fromkeys(key for judge in judges for key in judge.keys))
    dimensions = tuple(dict.fromkeys(dimension for judge in judges for dimension in judge.dimensions))
    tables = [judge.in_order(keys, dimensions) for judge in judges]
    gaps = [(key, d) for key, row in tables[0].index.items() for d in range(len(dimensions)) if _gap(tables, row, d)]
    problems = _told(gaps, dimensions, missing)
    if gaps and missing == "refuse":
        raise JudgmentsError(name, problems)
    problems += _unequal(judges, by)
    values = np.empty((len(keys), len(dimensions)), dtype=object)
    for d in range(len(dimensions)):
        for rows in tables[0].questions.values():
            column = [[table.values[row, d] for row in rows] for table in tables]
            values[list(rows), d] = _combined(column, shares, by)
    for key, d in gaps if missing == "undefined" else ():
        values[tables[0].index[key], d] = None
    return replace(tables[0], name=name, values=values, problems=tuple(problems))


def _gap(tables: Sequence[AnswerScores], row: int, d: int) -> bool:
    return any(table.values[row, d] is None for table in tables)


def _weights(count: int, weights: Sequence[Fraction] | None, name: str) -> list[Fraction]:
    shares = [Fraction(1)] * count if weights is None else list(weights)
    told = ""
    if not count:
        told = "there are no judges."
    elif len(shares) != count:
        told = f"{len(shares)} weights for {count} judges."
    elif min(shares) < 0 or not sum(shares):
        told = "weights are 0 or more, and not all 0."
    if told:
        raise JudgmentsError(name, [Problem("error", "judge_weights", told, "Give one weight a judge.")])
    return [share / sum(shares) for share in shares]


def _told(gaps: Sequence[tuple[Key, int]], dimensions: Sequence[str], missing: Missing) -> list[Problem]:
    if not gaps:
        return []
    (question, answer), d = gaps[0]
    first = f"{dimensions[d]} of question {printable(question)}, answer {printable(answer)}"
    done = {
        "refuse": "",
        "renormalise": " The others' scores stand alone there.",
        "undefined": " They have no score.",
    }[missing]
    message = f"{len(gaps)} scores are not given by all judges, the first being {first}.{done}"
    remedy = "Add them, or choose another policy for missing scores." if missing == "refuse" else ""
    severity: Literal["error", "warning"] = "error" if missing == "refuse" else "warning"
    return [Problem(severity, "missing_judge", message, remedy, None, None, None, question, answer)]


def _unequal(judges: Sequence[AnswerScores], by: By) -> list[Problem]:
    """Warn where one judge's scores spread so much wider than another's that a mean is mostly that judge's."""
    if by in ("z", "borda"):
        return []
    spreads = {judge.name: spread for judge in judges if (spread := _spread(judge))}
    if len(spreads) < _TWO:
        return []
    narrow, wide = min(spreads, key=spreads.__getitem__), max(spreads, key=spreads.__getitem__)
    if spreads[wide] <= _UNEQUAL * spreads[narrow]:
        return []
    message = f"within questions {printable(wide)} spreads {spreads[wide] / spreads[narrow]:.3g} times as wide as "
    message += f"{printable(narrow)}: a {by} of their scores mostly follows one of them."
    return [Problem("warning", "unequal_judges", message, "Combine z-scores or Borda ranks instead.")]


def _spread(judge: AnswerScores) -> float:
    """Give the root mean square of the standard deviations within questions and dimensions."""
    numbers = judge.floats
    # In this unit no square overflows.
    unit = float(np.nanmax(np.abs(numbers), initial=0)) or 1.0
    columns = [numbers[list(rows), d] / unit for rows in judge.questions.values() for d in range(numbers.shape[1])]
    given = [column[~np.isnan(column)] for column in columns]
    variances = [float(column.var()) for column in given if len(column)]
    return unit * math.sqrt(sum(variances) / len(variances)) if variances else 0.0


def _combined(
    column: Sequence[Sequence[Fraction | None]], weights: Sequence[Fraction], by: By
) -> list[Fraction | None]:
    """Combine one question and dimension, one list of scores a judge."""
    if by == "z":
        return _of_z(np.array([[np.nan if v is None else float(v) for v in own] for own in column]), weights)
    if by == "borda":
        column = [_borda(own) for own in column]
    found: list[Fraction | None] = []
    for scores in zip(*column, strict=True):
        given = [(value, weight) for value, weight in zip(scores, weights, strict=True) if value is not None and weight]
        found.append(None if not given else _median(given) if by == "median" else _mean(given))
    return found


def _mean(given: Sequence[tuple[Fraction, Fraction]]) -> Fraction:
    total = sum((weight for _, weight in given), Fraction(0))
    return sum((value * weight for value, weight in given), Fraction(0)) / total


def _median(given: Sequence[tuple[Fraction, Fraction]]) -> Fraction:
    """Give the middle value by weight; the mean of two where the middle falls between them."""
    half = sum((weight for _, weight in given), Fraction(0)) * _HALF
    below = Fraction(0)
    ordered = sorted(given)
    for place, (value, weight) in enumerate(ordered):
        below += weight
        if below == half:
            return (value + ordered[place + 1][0]) * _HALF
        if below > half:
            return value
    raise AssertionError("weights sum to more than half of themselves")


def _borda(scores: Sequence[Fraction | None]) -> list[Fraction | None]:
    given = sorted(value for value in scores if value is not None)
    others = len(given) - 1

    def points(value: Fraction) -> Fraction:
        below = bisect_left(given, value)
        tied = bisect_right(given, value) - below - 1
        return _TOP * (below + tied * _HALF) / others if others else _TOP * _HALF

    return [None if value is None else points(value) for value in scores]


def _of_z(scores: Floats, weights: Sequence[Fraction]) -> list[Fraction | None]:
    """Average z-scores, shape (judges, answers), and put them back on the judges' mean scale."""
    shares = np.array([float(weight) for weight in weights])[:, None]
    given = ~np.isnan(scores)
    # In this unit no square overflows.
    unit = float(np.abs(scores[given]).max(initial=0)) or 1.0
    scores = scores / unit
    counts = np.maximum(given.sum(axis=1, keepdims=True), 1)
    means = np.where(given, scores, 0).sum(axis=1, keepdims=True) / counts
    centred = np.where(given, scores - means, 0)
    # What differs by rounding alone does not differ.
    spreads = np.sqrt((centred**2).sum(axis=1, keepdims=True) / counts)
    flat = spreads <= _ROUNDING
    z = np.where(flat, 0, centred / np.where(flat, 1, spreads))
    present = (given.any(axis=1, keepdims=True) * shares)[:, 0]
    if not present.any():
        return [None] * scores.shape[1]
    centre = math.fsum((present * means[:, 0]).tolist()) / math.fsum(present.tolist())
    spread = math.fsum((present * np.where(flat, 0, spreads)[:, 0]).tolist()) / math.fsum(present.tolist())
    found: list[Fraction | None] = []
    for answer in range(scores.shape[1]):
        own = given[:, answer] * shares[:, 0]
        total = math.fsum(own.tolist())
        mean = math.fsum((own * z[:, answer]).tolist()) / total if total else math.nan
        found.append(fitted(unit * (centre + spread * mean)))
    return found
