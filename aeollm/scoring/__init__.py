"""Run x Labels x Rubrics -> Scores: all runs, questions and views in one batch.

Weighted totals are integers (scores and weights as written, scaled), so that equal totals tie whatever
the order of summation; the organisers' float64 sums are computed beside them and differences reported.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aeollm.decimals import Decimals
from aeollm.errors import LabelsError, Problem, RunError
from aeollm.scoring.batch import BothSides, Reference, lay_out
from aeollm.scoring.detail import AnswerRow, LostPair, QuestionDetail, Share, explain_question
from aeollm.scoring.findings import label_findings, run_findings
from aeollm.scoring.languages import question_language, questions_by_language
from aeollm.scoring.weights import weigh
from aeollm.tables import Labels, Policy, Rubrics, Run, Scores, signature

__all__ = [
    "AnswerRow",
    "BothSides",
    "LostPair",
    "QuestionDetail",
    "Share",
    "both_sides",
    "examine_labels",
    "explain_question",
    "human_order",
    "question_language",
    "questions_by_language",
    "score",
    "score_against_run",
    "score_runs",
]


def score(run: Run, labels: Labels, rubrics: Rubrics | None = None, policy: Policy | None = None) -> Scores:
    """Score one run; see `score_runs`.

    >>> from aeollm import read_labels, read_run
    >>> labels = read_labels("tests/cases/labels.csv")
    >>> round(score(read_run("tests/cases/base_run.txt"), labels).mean("insight", "kendall").mean, 4)
    0.5053
    """
    return score_runs([run], labels, rubrics, policy)[0]


def score_runs(
    runs: Sequence[Run], labels: Labels, rubrics: Rubrics | None = None, policy: Policy | None = None
) -> list[Scores]:
    """Score several runs together, which costs far less than one after the other.

    Parameters
    ----------
    runs : runs with the dimensions of the labels.
    labels : labels with human scores.
    rubrics : dimension weights of every labelled question; None weighs all dimensions alike.
    policy : ties, undefined questions, coverage; the paper's by default.

    Raises
    ------
    RunError
        If a run does not cover the labels, has unknown answers, or other dimensions.
    LabelsError
        If the labels hold no human scores.
    RubricsError
        If a labelled question has no weights.
    """
    policy = policy or Policy()
    if not labels.labelled:
        raise LabelsError(labels.name, [_no_scores(labels)])
    placed = [_place(run, labels, policy) for run in runs]
    batches: dict[bytes, list[int]] = {}
    for number, places in enumerate(placed):
        batches.setdefault((places >= 0).tobytes(), []).append(number)
    results: dict[int, Scores] = {}
    for members in batches.values():
        found = placed[members[0]] >= 0
        reference = _reference(labels, rubrics, found.tobytes(), policy.min_answers)
        scored = reference.score([runs[m] for m in members], [placed[m] for m in members], policy)
        shared = _shared(labels, policy, int(found.sum()))
        for member, arrays in zip(members, scored, strict=True):
            run = runs[member]
            partial = shared["coverage"][0] < len(labels)
            signed = signature(labels.signed, reference.weights.signed, policy, run.digest, partial=partial)
            known_as: dict[str, Any] = {"name": run.name, "digest": run.digest, "signature": signed}
            results[member] = _with_findings(Scores(problems=run.problems, **known_as, **shared, **arrays))
    return [results[number] for number in range(len(runs))]


@lru_cache(maxsize=4)
def _reference(labels: Labels, rubrics: Rubrics | None, found: bytes, min_answers: int) -> Reference:
    """Prepare the labels, or take what was prepared lately for the same labels object and coverage.

    People score one run after the other against the same labels, whose ranks are half of the work.
    """
    covered = np.frombuffer(found, dtype=np.bool_)
    return Reference(labels, weigh(labels, rubrics), lay_out(labels, covered, min_answers))


def _with_findings(scores: Scores) -> Scores:
    found = run_findings(scores)
    return replace(scores, problems=(*scores.problems, *found)) if found else scores


def _shared(labels: Labels, policy: Policy, found: int) -> dict[str, Any]:
    """Give the fields that runs with the same coverage have in common."""
    coverage = (found, len(labels))
    named = {"views": labels.views, "questions": labels.question_order}
    return {"policy": policy, "coverage": coverage, "demo": labels.demo, **named}


def _no_scores(labels: Labels) -> Problem:
    message = f"{labels.name} lists {len(labels)} answers without human scores, so that there is nothing to agree with."
    remedy = "Check the run's format and coverage instead, or choose other labels."
    return Problem("error", "no_scores", message, remedy)


def _place(run: Run, labels: Labels, policy: Policy) -> NDArray[np.intp]:
    """Find the run's row for every label row; -1 where the run has none.

    Refuses misfits for callers that come without the door's check; messages with lines come from
    `aeollm.files`.
    """
    if run.dimensions != labels.dimensions:
        message = f"the run scores {', '.join(run.dimensions)}; the labels {', '.join(labels.dimensions)}."
        raise RunError(run.name, [Problem("error", "header", message, "Score the dimensions of the labels.")])
    if run.questions == labels.questions and run.answers == labels.answers:
        return np.arange(len(labels))
    places = np.full(len(labels), -1, dtype=np.intp)
    known = [(label, row) for row, label in enumerate(map(labels.index.get, run.keys())) if label is not None]
    if known:
        label, row = np.array(known, dtype=np.intp).T
        places[label] = row
    _refuse_gaps(run, len(run) - len(known), int((places < 0).sum()), policy)
    return places


def _refuse_gaps(run: Run, unknown: int, missing: int, policy: Policy) -> None:
    problems = []
    if unknown and not policy.inner_join:
        message = f"{unknown} answers are not in the labels."
        problems.append(Problem("error", "unknown_answer", message, "Remove them."))
    if missing and not policy.partial:
        message = f"{missing} answers are missing."
        problems.append(Problem("error", "missing_answers", message, "Add them, or ask for a partial score."))
    if problems:
        raise RunError(run.name, problems)


def score_against_run(run: Run, other: Run, labels: Labels, rubrics: Rubrics | None = None) -> Scores:
    """Score a run against another run in the place of people: how alike the two order the answers.

    Parameters
    ----------
    run, other : two runs for the same labels; answers that either leaves out do not count.
    labels, rubrics : give questions, views and weights.
    """
    partial = Policy(partial=True)
    places = _place(other, labels, partial)
    stand_in = replace(
        labels,
        name=other.name,
        revision=None,
        digest=other.digest,
        scores=Decimals(other.scores.units[places], other.scores.exponent),
        given=np.repeat((places >= 0)[:, None], len(labels.dimensions), axis=1),
    )
    return score(run, stand_in, rubrics, partial)


def examine_labels(labels: Labels, rubrics: Rubrics | None = None) -> list[Problem]:
    """Note blank cells, questions that people scored alike, and near ties of the labels."""
    everything = np.ones(len(labels), dtype=bool)
    reference = _reference(labels, rubrics, everything.tobytes(), Policy().min_answers)
    return label_findings(labels, *reference.ties_of_labels())


def human_order(labels: Labels, rubrics: Rubrics | None = None, policy: Policy | None = None) -> NDArray[np.float64]:
    """Give every human score's place among the distinct ones of its question, from 0, the lowest.

    The array has shape (views, questions, answers). Equal numbers are exact ties, in the weighted overall too; nan
    is where there is no answer, or too few for the policy.

    >>> from aeollm import read_labels
    >>> human_order(read_labels("tests/cases/labels.csv"))[1, :2].tolist()
    [[3.0, 1.0, 2.0, 0.0], [2.0, 1.0, 1.0, 0.0]]
    """
    everything = np.ones(len(labels), dtype=bool)
    return _reference(labels, rubrics, everything.tobytes(), (policy or Policy()).min_answers).human_order()


def both_sides(run: Run, labels: Labels, rubrics: Rubrics | None = None, policy: Policy | None = None) -> BothSides:
    """Put a run's scores beside the human ones, answer by answer; parameters and errors as for `score_runs`."""
    policy = policy or Policy()
    places = _place(run, labels, policy)
    found = (places >= 0).tobytes()
    return _reference(labels, rubrics, found, policy.min_answers).both_sides(run, places)
