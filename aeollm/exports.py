"""Tables to files people take away; every row carries its signature."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from typing import Any

from aeollm.evaluation import Evaluation
from aeollm.tables import DIMENSIONS, MEASURES, PAIR_KINDS, SCORE_SUFFIX, Labels, Scores

_FORMULA = ("=", "+", "-", "@")
_CONTROL = ("\t", "\r", "\n")

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
    return out.getvalue().encode("utf-8-sig")


def _safe(cell: Cell) -> str:
    if cell is None or cell != cell:
        return ""
    if isinstance(cell, str):
        # Spreadsheets skip white space before they look for a formula.
        return "'" + cell if cell.lstrip().startswith(_FORMULA) or cell.startswith(_CONTROL) else cell
    return repr(cell)


def scores_json(evaluation: Evaluation) -> bytes:
    """Write the documented JSON object with all questions."""
    content = evaluation.to_json(per_question=True)
    return json.dumps(content, ensure_ascii=False, allow_nan=False, indent=1).encode()


def questions_csv(scored: Sequence[Scores], names: Sequence[str]) -> bytes:
    """Write one row a run, view and question: answers, measures, pair counts, badge, signature."""
    header = ["run", "view", "question", "answers", *MEASURES, *PAIR_KINDS, "labels_are", "signature"]
    return csv_bytes(header, (row for scores, name in zip(scored, names, strict=True) for row in _rows(scores, name)))


def _rows(scores: Scores, name: str) -> Iterable[list[Cell]]:
    badge = "DEMO (simulated)" if scores.demo else "as named in the signature"
    measures = [scores.values(measure).tolist() for measure in MEASURES]
    answers, pairs = scores.answers.tolist(), scores.pairs.tolist()
    for v, view in enumerate(scores.views):
        for q, question in enumerate(scores.questions):
            numbers: list[Any] = [column[v][q] for column in measures]
            yield [name, view, question, answers[v][q], *numbers, *pairs[v][q], badge, scores.signature]


def template_run(labels: Labels) -> bytes:
    """Write a run for these labels in which only the scores are to be filled in.

    Every score is 0, so that the file is accepted as it is (and says that all scores are equal); labels
    with dimensions of their own get the header line that their runs need.
    """
    lines = []
    if labels.run_dimensions != DIMENSIONS:
        lines.append(
            "\t".join(["taskId", "questionId", "answerId", *(d + SCORE_SUFFIX for d in labels.run_dimensions)])
        )
    zeros = ["0"] * len(labels.run_dimensions)
    keys = zip(labels.questions, labels.answers, strict=True)
    lines += ["\t".join(["0", question, answer, *zeros]) for question, answer in keys]
    return "\n".join([*lines, ""]).encode()
