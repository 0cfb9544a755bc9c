"""What scoring shows about a run or about labels that a reader of the numbers should know."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from aeollm.errors import Problem
from aeollm.tables import OVERALL, PAIR_KINDS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from aeollm.tables import Labels, Scores

_RUN_TIES = [PAIR_KINDS.index("tied_run"), PAIR_KINDS.index("tied_both")]
_MANY = 0.5


def _column(view: str) -> str | None:
    return None if view == OVERALL else f"{view}_score"


def run_findings(scores: Scores) -> list[Problem]:
    """Warn of constant views, of many tied pairs, and of near ties."""
    found = [
        _constant(view, question, "the run gives all answers the same score")
        for view, question in _constant_views(scores)
    ]
    pairs, tied = scores.pairs.sum(axis=(1, 2)), scores.pairs[:, :, _RUN_TIES].sum(axis=(1, 2))
    for view, total, ties in zip(scores.views, pairs.tolist(), tied.tolist(), strict=True):
        if ties > _MANY * total:
            share = f"{ties} of {total} pairs of answers ({ties / total:.0%})"
            message = f"{view}: {share} are tied in the run; a tie is only right where people tie too."
            remedy = "Use a finer scale, or break ties by a second signal."
            found.append(Problem("warning", "many_ties", message, remedy, column=_column(view)))
    if scores.near_ties:
        message = f"{scores.near_ties} pairs of answers nearly tie: they differ by less than a billionth of the spread."
        remedy = "If they should be equal, round the scores before writing the run."
        found.append(Problem("warning", "near_ties", message, remedy))
    return found


def label_findings(labels: Labels, tied: NDArray[np.bool_], near_ties: int) -> list[Problem]:
    """Note blank cells, questions that people scored alike, and near ties of the labels.

    Parameters
    ----------
    labels : the labels.
    tied : where all human scores are equal, shape (views, questions).
    near_ties : pairs of answers that nearly tie.
    """
    found = []
    for d, dimension in enumerate(labels.dimensions):
        blank = int((~labels.given[:, d]).sum())
        if blank:
            message = (
                f"{blank} of {len(labels)} {dimension} cells are blank; these answers count neither there nor overall."
            )
            found.append(Problem("warning", "missing_label", message, column=_column(dimension)))
    views, order = labels.views, labels.question_order
    found += [
        _constant(views[v], order[q], "people gave all answers the same score") for v, q in np.argwhere(tied).tolist()
    ]
    if near_ties:
        message = f"{near_ties} pairs of answers nearly tie in the human scores, probably by rounding of means."
        found.append(Problem("note", "near_ties", message, "They count as different, as written."))
    return found


def _constant_views(scores: Scores) -> list[tuple[str, str]]:
    total = scores.pairs.sum(axis=-1)
    constant = (total > 0) & (scores.pairs[..., _RUN_TIES].sum(axis=-1) == total)
    return [(scores.views[v], scores.questions[q]) for v, q in np.argwhere(constant).tolist()]


def _constant(view: str, question: str, what: str) -> Problem:
    message = f"question {question}, {view}: {what}, so that Spearman and Kendall are undefined there."
    return Problem("warning", "constant_view", message, column=_column(view), question=question)
