"""``preferences``: human scores as training data for a judge that compares two reports."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np

from aeollm.aggregation.preferences import Preference, preferences_of_labels, split_questions
from aeollm.cli.options import add_json, add_labels, from_zero, labels_of
from aeollm.cli.terminal import DONE, UNUSABLE, complain, print_json, print_lines, write_file
from aeollm.cli.text_tables import aligned
from aeollm.errors import AeollmError, LabelsError, Problem
from aeollm.exports.preferences_jsonl import preferences_jsonl
from aeollm.files import read_texts
from aeollm.sources import LabelSet

_PARTS = ("train", "validation")


def add(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add = parser.add_argument
    told = "reports: a folder Report<questionId>/<answerId>.md, or a table questionId, answerId, text"
    add("--texts", type=Path, required=True, metavar="PATH", help=told)
    add("-o", "--output", type=Path, required=True, metavar="FOLDER", help="gets train.jsonl and validation.jsonl")
    add("--margin", type=from_zero, default=Fraction(0), metavar="M", help="scores this near are a tie (default: 0)")
    add(
        "--per", choices=("dimension", "pair"), default="dimension", help="one reply a dimension, or one a pair for all"
    )
    told = "each pair once with the better one first as often as second, or each in both orders"
    add("--orders", choices=("balanced", "both"), default="balanced", help=told)
    add("--validation", type=_share, default=0.2, metavar="SHARE", help="of questions held out whole (default: 0.2)")
    add("--seed", type=int, default=0, metavar="N", help="what random draws start from (default: 0)")
    add_json(parser)
    add_labels(parser)


def _share(text: str) -> float:
    share = float(from_zero(text))
    if share >= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a share below 1")
    return share


def run(options: argparse.Namespace) -> int:
    """Write the preferences of the labels' pairs, split by question."""
    try:
        label_set, texts = _labelled(labels_of(options)), read_texts(options.texts)
        parts = _parts(options, label_set)
        tasks = label_set.rubrics.prompts if label_set.rubrics is not None else {}
        files = {name: preferences_jsonl(own, tasks, texts) for name, own in parts.items()}
    except AeollmError as error:
        complain(str(error))
        return UNUSABLE
    try:
        options.output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        complain(f"{options.output} cannot be made: {error.strerror}.")
        return UNUSABLE
    for name, lines in files.items():
        if not write_file(options.output / f"{name}.jsonl", "".join(f"{line}\n" for line in lines).encode()):
            return UNUSABLE
    counts = {name: _counts(own) for name, own in parts.items()}
    if options.json:
        print_json({"seed": options.seed, **counts})
    else:
        print_lines(_report(parts, counts))
    return DONE


def _labelled(label_set: LabelSet) -> LabelSet:
    """Refuse a list of keys.

    Raises
    ------
    LabelsError
    """
    if not label_set.labels.labelled:
        message = "the labels hold no human scores."
        raise LabelsError(label_set.labels.name, [Problem("error", "no_scores", message, "Choose others.")])
    return label_set


def _parts(options: argparse.Namespace, label_set: LabelSet) -> dict[str, list[Preference]]:
    """Split by question first, so that what one part draws does not depend on the other's size."""
    split, draw = np.random.default_rng(options.seed).spawn(2)
    sides = split_questions(label_set.labels.question_order, options.validation, rng=split)
    way = {"margin": options.margin, "per": options.per, "orders": options.orders}
    found = preferences_of_labels(label_set.labels, **way, rng=draw)
    return {
        name: [preference for preference in found if preference.question in set(side)]
        for name, side in zip(_PARTS, sides, strict=True)
    }


def _counts(preferences: Sequence[Preference]) -> dict[str, dict[str, int]]:
    counts: dict[str, Counter[str]] = {}
    for preference in preferences:
        for dimension, verdict in preference.verdicts:
            counts.setdefault(dimension, Counter())[verdict] += 1
    return {dimension: {verdict: own[verdict] for verdict in ("A", "B", "tie")} for dimension, own in counts.items()}


def _report(parts: dict[str, list[Preference]], counts: dict[str, dict[str, dict[str, int]]]) -> list[str]:
    rows = [["part", "dimension", "A", "B", "tie"]]
    for name, own in counts.items():
        rows += [[name, dimension, *map(str, found.values())] for dimension, found in own.items()]
    told = ", ".join(
        f"{name}.jsonl: {len(own)} from {len({p.question for p in own})} questions" for name, own in parts.items()
    )
    return [told, "", *aligned(rows), "(questions are split whole; A is the report shown first)"]
