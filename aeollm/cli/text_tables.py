"""Text that several commands print: labels, verdicts, problems, aligned tables."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from aeollm.cli.terminal import shown
from aeollm.errors import Problem, group_problems
from aeollm.evaluation import Evaluation, Result
from aeollm.sources import LabelSet
from aeollm.tables import Scores

SIGNS = {"error": "error:  ", "warning": "warning:", "note": "note:   "}


def label_lines(evaluation: Evaluation) -> list[str]:
    """Say which labels and weights were used, and what was found about them."""
    labels = evaluation.label_set.labels
    demo = "   DEMO: simulated labels, not human ones" if labels.demo else ""
    counts = f"{len(labels.question_order)} questions, {len(labels)} answers"
    lines = [f"labels   {labels.signed}  ({counts}){demo}", f"weights  {_weights(evaluation.label_set)}"]
    lines += [f"         {evaluation.label_set.notice}"] if evaluation.label_set.notice else []
    return [*lines, *problem_lines(evaluation.label_problems)]


def _weights(label_set: LabelSet) -> str:
    return label_set.weights_signed if label_set.rubrics else "equal (no rubrics given)"


def verdict(result: Result) -> list[str]:
    """Say what became of a run file, and why."""
    found, of = result.inspection.coverage
    if of and result.accepted:
        partial = "PARTIAL, " if found < of else ""
        said = f"{'scored' if result.scores is not None else 'accepted'}, {partial}{found} of {of} answers"
    else:
        said = "accepted" if result.accepted else "REFUSED"
    return ["", f"{result.name}: {said}", *problem_lines(result.problems), *_tie_lines(result.scores)]


def _tie_lines(scores: Scores | None) -> list[str]:
    if scores is None or scores.float64 is None:
        return []
    change = ", ".join(f"{name} {_signed(by)}" for name, by in scores.float64.mean_change.items())
    where = ", ".join(scores.float64.questions)
    return [f"  {SIGNS['note']} float64 sums would change the overall means: {change} (question {where})."]


def _signed(change: float | None) -> str:
    return "undefined" if change is None else f"{change:+.4f}"


def problem_lines(problems: Iterable[Problem]) -> list[str]:
    """List problems by kind, the first few of each."""
    lines = []
    for group in group_problems(problems):
        first, *others = group.lines()
        lines += [f"  {SIGNS[group.severity]} {first}", *(f"  {'':8} {line}" for line in others)]
    return lines


def aligned(rows: list[list[str]], text_columns: int = 2) -> list[str]:
    """Align columns: the first ones, of text, to the left, numbers to the right."""
    rows = [[shown(cell) for cell in row] for row in rows]
    widths = [max(map(_width, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(_padded(cell, widths[c], left=c < text_columns) for c, cell in enumerate(row)) for row in rows]


def _width(text: str) -> int:
    """Count terminal cells: Chinese letters take two."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def _padded(cell: str, width: int, *, left: bool) -> str:
    blanks = " " * (width - _width(cell))
    return cell + blanks if left else blanks + cell


def number(value: float | None, digits: int = 4) -> str:
    """Write a number with so many decimals; undefined as a dash."""
    return "–" if value is None or value != value else f"{value:.{digits}f}"
