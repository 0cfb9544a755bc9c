"""What the commands about judges share: the task that options and recipe ask for, and telling what came of it."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from aeollm.cli.options import add_labels, labels_of, settings_of, whole_number
from aeollm.cli.terminal import DONE, REFUSED, print_lines
from aeollm.errors import JudgingError, Problem, UsageError, printable
from aeollm.exports.judged import going_on, judged_json, report_files
from aeollm.files import read_rubrics
from aeollm.judging import Price, read_shard
from aeollm.judging.reports import read_reports
from aeollm.methods import (
    Judge,
    Judged,
    Material,
    Method,
    Prompts,
    Task,
    bundled_recipes,
    files_of,
    material_of,
    read_method,
    trial_of,
    write_files,
)
from aeollm.methods.running import put_aside
from aeollm.methods.values import wrong_extra
from aeollm.sources import LabelSet
from aeollm.tables import Policy

_LABELS = ("labels", "labels_set", "rubrics")


def add_material(parser: argparse.ArgumentParser, told: str = "where everything goes", *, needed: bool = False) -> None:
    """Add what is judged, and where the result goes."""
    add = parser.add_argument
    add("--answers", type=Path, metavar="PATH", help="folder of Report<questionId>/, or a table (.jsonl, .csv)")
    add("--partial", action="store_true", help="judge what is there, although reports are missing or broken")
    add("-o", "--output", type=Path, required=needed, metavar="FOLDER", help=told)
    add_labels(parser)


def add_size(parser: argparse.ArgumentParser) -> None:
    """Add how long replies may be, and what one endpoint knows alone."""
    told = "most tokens of every reply, thoughts included (default: the recipe's)"
    parser.add_argument("--max-tokens", type=whole_number(1, 10**6), metavar="N", help=told)
    told = "what this endpoint knows alone, as a JSON object"
    parser.add_argument("--extra", type=_extra, metavar="JSON", help=told)


def _extra(text: str) -> str:
    wrong = wrong_extra(text)
    if wrong is not None:
        raise argparse.ArgumentTypeError(wrong)
    return text


def price(text: str) -> Price:
    """Read PROMPT,COMPLETION for argparse."""
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) != 2 or not all(0 <= number < float("inf") for number in numbers):
        raise argparse.ArgumentTypeError(f"{text!r} is not PROMPT,COMPLETION a million tokens, such as 0.27,1.10")
    return Price(*numbers)


def wrong(message: str, remedy: str = "See --help.") -> UsageError:
    """Make the error of a wrong call."""
    return UsageError("judge", [Problem("error", "usage", message, remedy)])


def recipe_of(text: str) -> Method:
    """Read a judge recipe: a file, or a bundled one's name.

    Raises
    ------
    AeollmError
        If there is no such recipe, or it cannot be read.
    """
    bundled = bundled_recipes()
    if text not in bundled and not Path(text).exists():
        near = get_close_matches(text, bundled, n=1)
        remedy = f"Did you mean {near[0]}? " if near else ""
        raise wrong(
            f"there is no recipe {printable(text)}: no such file, and none of the bundled ones.",
            f"{remedy}There are {', '.join(bundled)}.",
        )
    return read_method(text)


def with_made(options: argparse.Namespace, method: Method) -> argparse.Namespace:
    """Take from a recipe that a run wrote what the options do not name: answers, labels, part."""
    made = dict(method.made)
    chosen = argparse.Namespace(**vars(options))
    chosen.answers = options.answers or (Path(made["answers"]) if made.get("answers") else None)
    if not any(getattr(options, key) for key in (*_LABELS, "repo", "revision", "folders")):
        for key in _LABELS:
            value = made.get(key)
            setattr(chosen, key, Path(value) if value and key != "labels_set" else value)
    chosen.partial = options.partial or bool(made.get("partial"))
    for key in ("trial", "shard"):
        if getattr(chosen, key, None) is None:
            setattr(chosen, key, made.get(key))
    return chosen


def label_set_of(options: argparse.Namespace) -> LabelSet | None:
    """Load labels where they are named.

    Raises
    ------
    AeollmError
        If they cannot be had.
    """
    named = (options.labels_set, options.repo, options.revision, options.folders)
    return labels_of(options) if settings_of(options).labels is not None or any(named) else None


def material_for(options: argparse.Namespace, method: Method) -> Material:
    """Read the reports and what belongs to them, and take the part asked for.

    Raises
    ------
    AeollmError
        If they cannot be used.
    """
    if options.answers is None:
        raise wrong("there are no reports.", "Name them by --answers.")
    label_set = label_set_of(options)
    rubrics = None if label_set is None else label_set.rubrics
    if label_set is None and options.rubrics is not None:
        rubrics = read_rubrics(options.rubrics)
    labels = None if label_set is None else label_set.labels
    reports = read_reports(options.answers)
    known = method.made.get("digest")
    if known is not None and known != reports.digest:
        message = "the reports are not those of the recipe: their texts differ."
        raise JudgingError(reports.name, [Problem("error", "other_reports", message, "Take digest out to go on.")])
    material = material_of(method, reports, labels, rubrics, partial=options.partial)
    return material if options.shard is None else material.part(read_shard(options.shard), together=method.together)


def task_of(options: argparse.Namespace, method: Method, judges: Mapping[str, Judge], folder: Path | None) -> Task:
    """Put everything together.

    Raises
    ------
    AeollmError
        If something cannot be used.
    """
    policy = Policy(partial=True) if options.partial or options.shard is not None else None
    task = Task(method, material_for(options, method), judges, Prompts(folder), policy)
    return task if options.trial is None else trial_of(task, options.trial)


def repeated(options: argparse.Namespace, task: Task) -> Method:
    """Give the method as a recipe that repeats the run: judges, answers and labels named."""
    made: dict[str, Any] = {"answers": _place(options.answers), "digest": task.material.digest}
    made |= {key: _place(getattr(options, key)) for key in _LABELS}
    made |= {"partial": options.partial or None, "trial": options.trial, "shard": options.shard}
    return replace(task.method, judges=task.judges, made={key: value for key, value in made.items() if value})


def _place(value: object) -> object:
    return str(value.absolute()) if isinstance(value, Path) else value


def asked_as(options: argparse.Namespace, method: Method) -> Method:
    """Let judges be asked as options name it, and as the recipe says where they do not."""
    names = ("temperature", "seed", "extra")
    named = {name: own for name in names if (own := getattr(options, name, None)) is not None}
    room = {} if options.max_tokens is None else {"max_tokens": float(options.max_tokens)}
    asks = tuple(replace(ask, options={**ask.options, **room}) for ask in method.asks)
    return replace(method, asks=asks, sampling=replace(method.sampling, **named))


def refuse_parts(method: Method, parts: int, remedy: str) -> None:
    """Refuse to optimise a prompt in parts: each would come to another prompt, and they could not be merged.

    Raises
    ------
    UsageError
        If that is what would be done.
    """
    if method.makes and parts > 1:
        made = printable(", ".join(sorted(method.makes)))
        told = f"{made} is a prompt optimised on all questions at once: {parts} parts would come to {parts} prompts."
        raise wrong(told, f"{remedy} A recipe that asks by the prompt it wrote can then be judged in parts.")


def finish(options: argparse.Namespace, judged: Judged, cost: Price, *, timed: bool) -> int:
    """Write everything and tell what came of it; give the exit code."""
    files = files_of(judged, repeated(options, judged.task)) | report_files(judged_json(judged, cost, timed=timed))
    # Told first: where a disk is full, files are not written either.
    print_lines(_told(options, judged))
    write_files(files, options.output)
    aside = put_aside(files, options.output, (ask.file for ask in judged.task.method.asks))
    print_lines([f"written: {', '.join(sorted(files))}"])
    print_lines(f"put aside: {name}, of an earlier run" for name in aside)
    print_lines(_next(options, judged))
    # A part of a run may be none of its reports.
    return DONE if judged.complete and (judged.whole or not judged.task.material.reports) else REFUSED


def _next(options: argparse.Namespace, judged: Judged) -> list[str]:
    """Name the command that goes on from opinions."""
    return [
        f"next: python -m aeollm calibrate --opinions {options.output / own.asking.ask.file} --answers PEOPLE.tsv "
        f"--target {own.asking.questions[0].name}"
        for own in judged.collected
        if own.opinions is not None and own.opinions.rows
    ]


def _told(options: argparse.Namespace, judged: Judged) -> list[str]:
    calls = sum(own.calls for own in judged.collected)
    lines = [
        f"{options.output}: {len(judged.task.material.reports)} reports, {calls} answers wanted, {judged.lost} missing"
    ]
    lines += [f"  {own.name}: {own.calls} wanted, {len(own.lost)} missing" for own in judged.collected]
    spent = judged.spent
    usage = f"{spent.usage.prompt} + {spent.usage.completion} tokens"
    there = f"{judged.from_disk} answers from replies that were there already"
    lines.append(f"asked {spent.calls} times ({usage}) in {judged.seconds:.1f} s; {there}")
    lines += [f"{problem.severity}: {problem}" for problem in judged.problems if problem.severity != "note"]
    if judged.built is not None and not judged.whole:
        lines += [f"{problem.severity}: {problem}" for problem in judged.built.problems if problem.severity == "error"]
    if judged.stopped is not None:
        lines.append(f"stopped: {judged.stopped.words}. {going_on(judged.stopped.kind)}")
    return lines
