"""``score``: run files against human labels."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from aeollm.cli.options import add_inputs, add_json, add_policy, labels_of, policy_of
from aeollm.cli.terminal import DONE, REFUSED, UNUSABLE, complain, print_json, print_lines
from aeollm.cli.text_tables import aligned, label_lines, number, verdict
from aeollm.errors import AeollmError
from aeollm.evaluation import Evaluation, distinct, distinct_files, evaluate, failed_json
from aeollm.tables import MEASURES, PAIR_KINDS, Mean, Scores


def add(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add_inputs(parser)
    add_json(parser)
    add_policy(parser)
    parser.add_argument("--per-question", action="store_true", help="every question as well")


def run(options: argparse.Namespace, *, scored: bool = True) -> int:
    """Score the runs, or only validate them, and print what came of it."""
    try:
        label_set = labels_of(options)
    except AeollmError as error:
        return unusable(options, error)
    evaluation = evaluate(told_apart(options.runs), label_set, policy_of(options), scored=scored)
    if options.json:
        print_json(evaluation.to_json(per_question=options.per_question))
    else:
        print_lines(_report(evaluation, per_question=options.per_question))
    if scored and not label_set.labels.labelled:
        return UNUSABLE
    return DONE if all(result.accepted for result in evaluation.results) else REFUSED


def told_apart(paths: Sequence[str]) -> list[tuple[str | Path | bytes, str | None]]:
    """Name runs of the same file name by their folders, the very same file by a number, others by their own name."""
    shown = zip(paths, distinct(distinct_files(paths)), strict=True)
    return [(path, None if name == Path(path).name else name) for path, name in shown]


def unusable(options: argparse.Namespace, error: AeollmError) -> int:
    """Say why nothing can be done, with --json in the object that scores would come in."""
    if options.json:
        name = options.labels_set or (options.labels.name if options.labels else "labels")
        print_json(failed_json(policy_of(options), name, error.source, error.problems))
    complain(str(error))
    return UNUSABLE


def _report(evaluation: Evaluation, *, per_question: bool) -> list[str]:
    lines = [*label_lines(evaluation), ""]
    scored = [result.scores for result in evaluation.results if result.scores is not None]
    lines += [*aligned(_score_rows(scored)), "(mean over questions, and questions defined of all)"] if scored else []
    for result in evaluation.results:
        lines += verdict(result)
    if per_question:
        lines += [line for scores in scored for line in ["", scores.name, *aligned(_question_rows(scores))]]
    return [*lines, "", *(f"signature  {scores.signature}" for scores in scored)]


def _score_rows(scored: Sequence[Scores]) -> list[list[str]]:
    rows = [["run", "measure", *scored[0].views]]
    for scores in scored:
        name = scores.name + (" (partial)" if scores.partial else "")
        for measure in MEASURES:
            means = [scores.mean(view, measure) for view in scores.views]
            rows.append([name, measure, *map(_mean, means)])
            name = ""
        if any(mean.pooled_differs for mean in means):
            rows.append(["", "  pooled", *(number(mean.pooled) for mean in means)])
    return rows


def _mean(mean: Mean) -> str:
    """Give the mean with the questions defined, of all."""
    return f"{number(mean.mean)} {mean.defined}/{mean.defined + mean.undefined}"


def _question_rows(scores: Scores) -> list[list[str]]:
    rows = [["question", "view", "answers", *MEASURES, *PAIR_KINDS]]
    for q, question in enumerate(scores.questions):
        for v, view in enumerate(scores.views):
            values = [number(float(scores.values(measure)[v, q])) for measure in MEASURES]
            counts = map(str, scores.pairs[v, q].tolist())
            rows.append([question, view, str(scores.answers[v, q]), *values, *counts])
    return rows
