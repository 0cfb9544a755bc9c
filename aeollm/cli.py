"""The command line: ``score``, ``check``, ``demo``."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from aeollm.errors import AeollmError, Problem, group_problems, printable
from aeollm.evaluation import Evaluation, Result, evaluate, failed_json
from aeollm.files import inspect_run
from aeollm.sources import DEMO_FOLDER, LabelSet, Settings, find_labels
from aeollm.tables import MEASURES, PAIR_KINDS, Mean, Policy, Scores
from aeollm.version import __version__

SCORED, REFUSED, UNUSABLE = 0, 1, 2
_TEXT_COLUMNS = 2
_SIGNS = {"error": "error:  ", "warning": "warning:", "note": "note:   "}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; give the exit code."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]
    options = _parser().parse_args(arguments)
    try:
        code: int = options.command(options)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader has seen enough (`| head`); without this Python complains once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return SCORED
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="aeollm", description="Agreement of automatic judges with people.")
    parser.add_argument("--version", action="version", version=f"aeollm {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    score = commands.add_parser("score", help="score run files against human labels")
    _add_inputs(score)
    _add_policy(score)
    score.add_argument("--per-question", action="store_true", help="every question as well")
    score.set_defaults(command=_score)
    check = commands.add_parser("check", help="validate run files only")
    _add_inputs(check)
    _add_policy(check)
    check.set_defaults(command=_check, per_question=False)
    demo = commands.add_parser("demo", help="write the demo labels and runs to a folder")
    demo.add_argument("folder", nargs="?", default="aeollm-demo", type=Path, metavar="FOLDER")
    demo.set_defaults(command=_demo)
    return parser


def _add_inputs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "runs", nargs="+", metavar="RUN", help="run file: seven white-space separated columns, or a zip"
    )
    parser.add_argument(
        "--labels", type=Path, metavar="PATH", help="labels CSV, or a folder with it and rubric_dataset/"
    )
    parser.add_argument("--rubrics", type=Path, metavar="FOLDER", help="folder of criterion<questionId>.json")
    parser.add_argument("--labels-set", metavar="NAME", help="label set by name; `demo` is the bundled one")
    parser.add_argument("--repo", metavar="OWNER/NAME", help="Hub data set (AEOLLM_REPO)")
    parser.add_argument("--revision", metavar="REVISION", help="branch, tag or commit of it (AEOLLM_REVISION)")
    parser.add_argument("--folders", metavar="NAME,…", help="its folders with label sets (AEOLLM_FOLDERS)")
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")


def _add_policy(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--policy", choices=("paper", "official"), default="paper", help="default: paper")
    parser.add_argument("--ties", choices=("exact", "float64"), help="how weighted totals are compared")
    parser.add_argument("--undefined", choices=("skip", "zero", "strict"), help="what undefined questions do to a mean")
    parser.add_argument("--score-range", type=_range, metavar="LOW,HIGH", help="refuse scores outside of it")
    parser.add_argument("--partial", action="store_true", help="score runs that leave answers out, marked partial")


def _range(text: str) -> tuple[float, float]:
    try:
        low, high = (float(part) for part in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not LOW,HIGH, such as 0,10") from None
    if not low < high:
        raise argparse.ArgumentTypeError(f"{text!r}: LOW must be below HIGH")
    return low, high


def _policy(options: argparse.Namespace) -> Policy:
    policy = Policy.official() if options.policy == "official" else Policy()
    chosen = {"ties": options.ties, "undefined": options.undefined, "score_range": options.score_range}
    named = {name: value for name, value in chosen.items() if value is not None}
    return replace(policy, partial=policy.partial or options.partial, **named)


def _settings(options: argparse.Namespace) -> Settings:
    settings = Settings.from_environment()
    if options.repo or options.revision or options.folders or options.labels_set == "demo":
        # What is named comes before what the environment says.
        settings = replace(settings, labels=None)
    return replace(
        settings,
        labels=options.labels or settings.labels,
        repo=options.repo or settings.repo,
        revision=options.revision or settings.revision,
        folders=tuple(options.folders.split(",")) if options.folders else settings.folders,
    )


def _score(options: argparse.Namespace) -> int:
    try:
        label_set = find_labels(_settings(options), options.labels_set, options.rubrics)
    except AeollmError as error:
        return _no_labels(options, error)
    evaluation = evaluate([(path, None) for path in options.runs], label_set, _policy(options))
    if options.json:
        _print_json(evaluation.to_json(per_question=options.per_question))
    else:
        _print_lines(_report(evaluation, per_question=options.per_question))
    return _code(evaluation) if label_set.labels.labelled else UNUSABLE


def _check(options: argparse.Namespace) -> int:
    settings = _settings(options)
    if settings.labels is None and not (options.labels_set or options.repo or options.revision or options.folders):
        return _check_form(options)
    try:
        label_set = find_labels(settings, options.labels_set, options.rubrics)
    except AeollmError as error:
        return _no_labels(options, error)
    evaluation = evaluate([(path, None) for path in options.runs], label_set, _policy(options), scored=False)
    if options.json:
        _print_json(evaluation.to_json())
    else:
        _print_lines(_report(evaluation, per_question=False))
    return _code(evaluation)


def _check_form(options: argparse.Namespace) -> int:
    """Check form alone where no labels are named: that needs no network."""
    policy = _policy(options)
    results = [Result(inspect_run(path, None, policy), None, "") for path in options.runs]
    message = "no labels are named, so that only the form was checked, not ids and coverage."
    note = Problem("note", "no_labels", message, "Name them with --labels or --labels-set.")
    if options.json:
        runs = [result.to_json() for result in results]
        _print_json(failed_json(policy, "none", "none", [note]) | {"runs": runs})
    else:
        _print_lines([f"{_SIGNS['note']} {note}", "", *(line for result in results for line in _verdict(result))])
    return SCORED if all(result.accepted for result in results) else REFUSED


def _no_labels(options: argparse.Namespace, error: AeollmError) -> int:
    if options.json:
        name = options.labels_set or (options.labels.name if options.labels else "labels")
        _print_json(failed_json(_policy(options), name, error.source, error.problems))
    _complain(str(error))
    return UNUSABLE


def _code(evaluation: Evaluation) -> int:
    return SCORED if all(result.accepted for result in evaluation.results) else REFUSED


def _print_json(content: dict[str, object]) -> None:
    print(json.dumps(content, ensure_ascii=False, allow_nan=False, indent=1))  # noqa: T201  the command line's own voice


def _print_lines(lines: Iterable[str]) -> None:
    for line in lines:
        print(_shown(line).rstrip())  # noqa: T201  the command line's own voice


def _complain(text: str) -> None:
    print("\n".join(map(_shown, text.split("\n"))), file=sys.stderr)  # noqa: T201  the command line's own voice


def _shown(text: str) -> str:
    """Escape what would steer the terminal: names and ids come from users."""
    return printable(text, len(text))


def _report(evaluation: Evaluation, *, per_question: bool) -> list[str]:
    labels = evaluation.label_set.labels
    demo = "   DEMO: simulated labels, not human ones" if labels.demo else ""
    counts = f"{len(labels.question_order)} questions, {len(labels)} answers"
    lines = [f"labels   {labels.signed}  ({counts}){demo}", f"weights  {_weights(evaluation.label_set)}"]
    lines += [f"         {evaluation.label_set.notice}"] if evaluation.label_set.notice else []
    lines += [*_problem_lines(evaluation.label_problems), ""]
    scored = [result.scores for result in evaluation.results if result.scores is not None]
    lines += [*_table(_score_rows(scored)), "(mean over questions, and questions defined of all)"] if scored else []
    for result in evaluation.results:
        lines += _verdict(result)
    if per_question:
        lines += [line for scores in scored for line in ["", scores.name, *_table(_question_rows(scores))]]
    return [*lines, "", *(f"signature  {scores.signature}" for scores in scored)]


def _weights(label_set: LabelSet) -> str:
    return label_set.weights_signed if label_set.rubrics else "equal (no rubrics given)"


def _verdict(result: Result) -> list[str]:
    found, of = result.inspection.coverage
    if of and result.accepted:
        partial = "PARTIAL, " if found < of else ""
        said = f"{'scored' if result.scores is not None else 'accepted'}, {partial}{found} of {of} answers"
    else:
        said = "accepted" if result.accepted else "REFUSED"
    return ["", f"{result.name}: {said}", *_problem_lines(result.problems), *_tie_lines(result.scores)]


def _tie_lines(scores: Scores | None) -> list[str]:
    if scores is None or scores.float64 is None:
        return []
    change = ", ".join(f"{name} {_signed(by)}" for name, by in scores.float64.mean_change.items())
    where = ", ".join(scores.float64.questions)
    return [f"  {_SIGNS['note']} float64 sums would change the overall means: {change} (question {where})."]


def _signed(change: float | None) -> str:
    return "undefined" if change is None else f"{change:+.4f}"


def _problem_lines(problems: Iterable[Problem]) -> list[str]:
    lines = []
    for group in group_problems(problems):
        first, *others = group.lines()
        lines += [f"  {_SIGNS[group.severity]} {first}", *(f"  {'':8} {line}" for line in others)]
    return lines


def _table(rows: list[list[str]]) -> list[str]:
    """Align columns: the first two to the left, numbers to the right."""
    rows = [[_shown(cell) for cell in row] for row in rows]
    widths = [max(map(_width, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(_padded(cell, widths[c], left=c < _TEXT_COLUMNS) for c, cell in enumerate(row)) for row in rows]


def _width(text: str) -> int:
    """Count terminal cells: Chinese letters take two."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def _padded(cell: str, width: int, *, left: bool) -> str:
    blanks = " " * (width - _width(cell))
    return cell + blanks if left else blanks + cell


def _score_rows(scored: Sequence[Scores]) -> list[list[str]]:
    rows = [["run", "measure", *scored[0].views]]
    for scores in scored:
        name = scores.name + (" (partial)" if scores.partial else "")
        for measure in MEASURES:
            means = [scores.mean(view, measure) for view in scores.views]
            rows.append([name, measure, *map(_mean, means)])
            name = ""
        if any(mean.pooled_differs for mean in means):
            rows.append(["", "  pooled", *(_number(mean.pooled) for mean in means)])
    return rows


def _mean(mean: Mean) -> str:
    """Give the mean with the questions defined, of all."""
    return f"{_number(mean.mean)} {mean.defined}/{mean.defined + mean.undefined}"


def _number(number: float | None) -> str:
    return "–" if number is None or number != number else f"{number:.4f}"


def _question_rows(scores: Scores) -> list[list[str]]:
    rows = [["question", "view", "answers", *MEASURES, *PAIR_KINDS]]
    for q, question in enumerate(scores.questions):
        for v, view in enumerate(scores.views):
            values = [_number(float(scores.values(measure)[v, q])) for measure in MEASURES]
            counts = map(str, scores.pairs[v, q].tolist())
            rows.append([question, view, str(scores.answers[v, q]), *values, *counts])
    return rows


def _demo(options: argparse.Namespace) -> int:
    folder: Path = options.folder
    try:
        empty = folder.is_dir() and not any(folder.iterdir())
        shutil.copytree(DEMO_FOLDER, folder, dirs_exist_ok=empty)
    except OSError as error:
        _complain(f"{folder} cannot be written: {error.strerror or error}. Name a new or an empty folder.")
        return UNUSABLE
    said = f"Demo labels and four runs are in {folder} (simulated, for trying out)."
    _print_lines([said, f"Next: python -m aeollm score {folder}/runs/good_judge.txt --labels {folder}"])
    return SCORED
