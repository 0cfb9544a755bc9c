"""``compare``: runs against each other on the same questions."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from aeollm.cli.options import add_inputs, add_json, add_plan, add_policy, labels_of, plan_of, policy_of
from aeollm.cli.saved import Saved
from aeollm.cli.score import unusable
from aeollm.cli.terminal import DONE, REFUSED, UNUSABLE, complain, print_json, print_lines, write_file
from aeollm.cli.text_tables import aligned, label_lines, problem_lines, verdict
from aeollm.errors import AeollmError, Problem, UsageError
from aeollm.evaluation import Evaluation, distinct, distinct_files, evaluate
from aeollm.exports import comparison_csv, comparison_latex
from aeollm.exports.chance import ceiling_in_words, chance_in_words
from aeollm.exports.wording import number, plan_in_words, ranked_runs, reach, told_pairs
from aeollm.resampling import compare_runs, pair_sentence
from aeollm.tables import MEASURES, Comparison, signature_parts


def add(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add_inputs(parser, runs="*")
    add_json(parser)
    add_policy(parser)
    add_plan(parser)
    told = "add the runs to a comparison that --json printed, under its seed and choices unless others are named"
    parser.add_argument("--extend", type=Path, metavar="SAVED.json", help=told)
    parser.add_argument("--latex", type=Path, metavar="FILE", help="write a LaTeX table (booktabs) as well")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="write all figures as CSV as well")


def run(options: argparse.Namespace) -> int:
    """Compare the runs, and print what can be said of their differences."""
    try:
        if not options.runs and options.extend is None:
            message = "there is no run to compare."
            problem = Problem("error", "usage", message, "Name two or more, or a saved comparison with --extend.")
            raise UsageError("compare", [problem])
        saved = Saved.read(options.extend) if options.extend is not None else None
        # What is saved can be shown again without labels.
        files = list(zip(options.runs, distinct_files(options.runs), strict=True))
        evaluation = evaluate(files, labels_of(options), policy_of(options)) if files else None
        if evaluation is not None and (refused := _refused(evaluation)):
            complain("\n".join(refused))
            if options.json:
                print_json(evaluation.to_json())
            return REFUSED if evaluation.label_set.labels.labelled else UNUSABLE
        comparison = _compare(evaluation, saved, options)
    except AeollmError as error:
        return unusable(options, error)
    if options.json:
        print_json(comparison.to_json())
    else:
        print_lines(_report(evaluation, comparison, options.reliability))
    return _written(comparison, options)


def _written(comparison: Comparison, options: argparse.Namespace) -> int:
    writers = ((options.latex, comparison_latex), (options.csv, comparison_csv))
    done = [write_file(path, write(comparison)) for path, write in writers if path is not None]
    return DONE if all(done) else UNUSABLE


def _refused(evaluation: Evaluation) -> list[str]:
    """Say why runs were refused; a comparison of the others would be of another family."""
    errors = [problem for problem in evaluation.label_problems if problem.severity == "error"]
    lines = [line for result in evaluation.results if not result.accepted for line in verdict(result)]
    return [*problem_lines(errors), *lines[1:]]


def _compare(evaluation: Evaluation | None, saved: Saved | None, options: argparse.Namespace) -> Comparison:
    results = evaluation.results if evaluation is not None else ()
    scored = [result.scores for result in results if result.scores is not None]
    if saved is None:
        return compare_runs(scored, distinct([scores.name for scores in scored]), plan_of(options))
    again = saved.known(scored)
    if again:
        complain(f"{', '.join(again)}: already in {options.extend}, not added again.")
    return saved.extended(scored, plan_of(options, saved.comparison.plan))


def _report(evaluation: Evaluation | None, comparison: Comparison, reliability: float | None) -> list[str]:
    files, chance = [], []
    if evaluation is not None:
        noted = [result for result in evaluation.results if result.problems]
        files = [*label_lines(evaluation), *(line for result in noted for line in verdict(result)), ""]
        chance = [chance_in_words(evaluation.label_set, evaluation.policy)]
        chance.append(ceiling_in_words(evaluation.label_set, reliability))
    elif comparison.demo:
        files = ["DEMO: simulated labels, not human ones", ""]
    return [
        *files,
        *_runs(comparison),
        plan_in_words(comparison.plan, len(comparison.pair_names)),
        "",
        *_pairs(comparison),
        *filter(None, [*chance, reach(comparison)]),
        "",
        f"signature  {comparison.signature}",
    ]


def _runs(comparison: Comparison) -> list[str]:
    """Give every view's runs with mean, interval and cluster, best overall first."""
    rows = [["view", "run", *(f"{measure} cluster" for measure in MEASURES)]]
    order = ranked_runs(comparison)
    for v, view in enumerate(comparison.views):
        for place, r in enumerate(order):
            cells = [_cell(comparison, r, v, m) for m in range(len(MEASURES))]
            partial = signature_parts(comparison.signatures[r]).get("partial") == "yes"
            name = comparison.names[r] + (" (partial)" if partial else "")
            rows.append([view if place == 0 else "", name, *cells])
    return [*aligned(rows), *_reasons(comparison, order)]


def _cell(comparison: Comparison, *place: int) -> str:
    figures = comparison.runs
    low, high = (number(float(table[place])) for table in (figures.low, figures.high))
    cluster = str(figures.cluster[place] or "–")
    return f"{number(float(figures.mean[place]))} [{low}, {high}] {cluster:>2}"


def _reasons(comparison: Comparison, order: Sequence[int]) -> list[str]:
    """Say why intervals are missing, or nothing to go by."""
    return [
        f"  {comparison.names[r]}: {reason}: {', '.join(where)}"
        for r in order
        for reason, where in _reasons_of(comparison, r).items()
    ]


def _reasons_of(comparison: Comparison, run: int) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for v, view in enumerate(comparison.views):
        for m, measure in enumerate(MEASURES):
            reason = comparison.run_reason(run, v, m)
            if reason is None and comparison.runs.degenerate[run, v, m]:
                reason = "one value on all questions, so that the interval says nothing"
            if reason is not None:
                found.setdefault(reason, []).append(f"{view} {measure}")
    return found


def _pairs(comparison: Comparison) -> list[str]:
    chosen = told_pairs(comparison)
    lines = [pair_sentence(comparison, pair) for pair in chosen]
    more = len(comparison.pair_names) - len(chosen)
    if more:
        lines.append(f"({more} more pairs: only those of the best run are told here; --json and --csv have all.)")
    return [*lines, ""] if lines else []
