"""Scores that look as if they were on another scale, or had lost their decimal point."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aeollm.errors import Problem, Severity
from aeollm.tables import SCORE_SUFFIX, Labels, Policy, Run

HUMAN_SCALE = (0.0, 10.0)
_FEWEST = 8
_TWICE = 2.0


class Range(NamedTuple):
    """The scores that raise no warning."""

    low: float
    high: float
    declared: bool


def allowed_range(labels: Labels | None, policy: Policy) -> Range:
    """Give the declared range, else 0 to 10 widened to the labels' extremes."""
    if policy.score_range is not None:
        return Range(*policy.score_range, declared=True)
    low, high = HUMAN_SCALE
    if labels is not None and labels.given.any():
        given = labels.scores.values[labels.given]
        low, high = min(low, float(given.min())), max(high, float(given.max()))
    return Range(low, high, declared=False)


def scale_problems(run: Run, labels: Labels | None, policy: Policy) -> list[Problem]:
    """Find scores out of range, runs on a 0 to 1 scale, and slipped decimal points."""
    values = run.scores.values
    if not values.size:
        return []
    return [*_out_of_range(run, allowed_range(labels, policy)), *_unit_scale(values, labels), *_slipped(run)]


def _cell(run: Run, row: int, column: int) -> dict[str, object]:
    number = run.scores.values[row, column].item()
    return {
        "line": run.lines[row],
        "column": run.dimensions[column] + SCORE_SUFFIX,
        "value": f"{number:.12g}",
        "question": run.questions[row],
        "answer": run.answers[row],
    }


def _out_of_range(run: Run, allowed: Range) -> list[Problem]:
    values = run.scores.values
    outside = np.argwhere((values < allowed.low) | (values > allowed.high)).tolist()
    severity: Severity = "error" if allowed.declared else "warning"
    scale = f"{allowed.low:g} to {allowed.high:g}"
    if allowed.declared:
        remedy = "Keep to the declared range, or declare another."
    else:
        remedy = "Ranks do not mind another scale; bias and calibration figures do. Check that it is meant."
    count = f"{len(outside)} of the run's {values.size} scores"
    found = []
    for row, column in outside:
        place = _cell(run, row, column)
        message = f"{place['column']} is {place['value']}, outside {scale} ({count} are)."
        found.append(Problem(severity, "out_of_range", message, remedy, **place))  # type: ignore[arg-type]
    return found


def _unit_scale(values: NDArray[np.float64], labels: Labels | None) -> list[Problem]:
    highest = HUMAN_SCALE[1]
    if labels is not None and labels.given.any():
        highest = float(labels.scores.values[labels.given].max())
    if highest <= 1 or values.min() < 0 or values.max() > 1:
        return []
    message = f"all scores lie within 0 to 1 while the labels reach {highest:g}."
    remedy = (
        "Spearman, Kendall and accuracy do not mind, as long as all columns share the scale; "
        "bias, error and calibration figures do not survive it."
    )
    return [Problem("warning", "unit_scale", message, remedy)]


def _slipped(run: Run) -> list[Problem]:
    """Find a column's one extreme that would fit the others with its point moved by one place."""
    found = []
    for column, scores in enumerate(run.scores.values.T):
        if len(scores) < _FEWEST or scores.min() <= 0:
            continue
        order = np.argsort(scores, kind="stable")
        second, next_to_top = scores[order[1]], scores[order[-2]]
        top, bottom = scores[order[-1]], scores[order[0]]
        if top >= _TWICE * next_to_top and bottom <= top / 10 <= next_to_top:
            found.append(_slip(run, int(order[-1]), column, top / 10))
        if bottom * _TWICE * 2 <= second and second <= bottom * 10 <= top:
            found.append(_slip(run, int(order[0]), column, bottom * 10))
    return found


def _slip(run: Run, row: int, column: int, meant: float) -> Problem:
    place = _cell(run, row, column)
    message = f"{place['column']} is {place['value']}, far off all others of this column."
    remedy = f"If the decimal point slipped, write {meant:.12g}."
    return Problem("warning", "slipped_point", message, remedy, **place)  # type: ignore[arg-type]
