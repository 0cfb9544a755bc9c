"""Options that commands share, and what they mean."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import get_args

from aeollm.errors import Problem, UsageError
from aeollm.sources import LabelSet, Settings, find_labels
from aeollm.tables import Plan, Policy
from aeollm.tables.plan import Correction, Interval

_LARGEST = 10**9
_MOST_RESAMPLES = 1_000_000
"""More tell nothing more, and would not fit into memory."""


def add_inputs(parser: argparse.ArgumentParser, runs: str = "+") -> None:
    """Add run files (as many as ``runs`` says) and where the labels are."""
    parser.add_argument(
        "runs", nargs=runs, metavar="RUN", help="run file: seven white-space separated columns, or a zip"
    )
    add_labels(parser)


def add_labels(parser: argparse.ArgumentParser) -> None:
    """Add where labels and rubrics are."""
    add = parser.add_argument
    add("--labels", type=Path, metavar="PATH", help="labels CSV, or a folder with it and rubric_dataset/")
    add("--rubrics", type=Path, metavar="FOLDER", help="folder of criterion<questionId>.json")
    add("--labels-set", metavar="NAME", help="label set by name; `demo` is the bundled one")
    add("--repo", metavar="OWNER/NAME", help="Hub data set (AEOLLM_REPO)")
    add("--revision", metavar="REVISION", help="branch, tag or commit of it (AEOLLM_REVISION)")
    add("--folders", metavar="NAME,…", help="its folders with label sets (AEOLLM_FOLDERS)")


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add the choice of JSON instead of text."""
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")


def add_policy(parser: argparse.ArgumentParser) -> None:
    """Add how scores are computed."""
    add = parser.add_argument
    add("--policy", choices=("paper", "official"), default="paper", help="default: paper")
    add("--ties", choices=("exact", "float64"), help="how weighted totals are compared")
    add("--undefined", choices=("skip", "zero", "strict"), help="what undefined questions do to a mean")
    add("--score-range", type=_range, metavar="LOW,HIGH", help="refuse scores outside of it")
    add("--partial", action="store_true", help="score runs that leave answers out, marked partial")


def _range(text: str) -> tuple[float, float]:
    try:
        low, high = (float(part) for part in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not LOW,HIGH, such as 0,10") from None
    if not low < high:
        raise argparse.ArgumentTypeError(f"{text!r}: LOW must be below HIGH")
    return low, high


def add_seed(parser: argparse.ArgumentParser) -> None:
    """Add what random draws start from."""
    told = "what random draws start from (default: 0)"
    parser.add_argument("--seed", type=whole_number(0, 2**62), default=0, metavar="N", help=told)


def from_zero(text: str) -> Fraction:
    """Read a number from 0 exactly, for argparse."""
    try:
        value = Fraction(text)
    except (ValueError, ZeroDivisionError):
        value = Fraction(-1)
    if not 0 <= value < _LARGEST:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0")
    return value


def policy_of(options: argparse.Namespace) -> Policy:
    """Give the policy that the options ask for."""
    policy = Policy.official() if options.policy == "official" else Policy()
    chosen = {"ties": options.ties, "undefined": options.undefined, "score_range": options.score_range}
    named = {name: value for name, value in chosen.items() if value is not None}
    return replace(policy, partial=policy.partial or options.partial, **named)


def settings_of(options: argparse.Namespace) -> Settings:
    """Give where to look for labels: what is named, else what the environment says."""
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


def asked_labels(options: argparse.Namespace) -> bool:
    """Say whether labels are named, by the options or the environment."""
    named = (options.labels_set, options.repo, options.revision, options.folders)
    return settings_of(options).labels is not None or any(named)


def labels_of(options: argparse.Namespace) -> LabelSet:
    """Load the label set that the options point to.

    Raises
    ------
    AeollmError
        If it cannot be had.
    """
    return find_labels(settings_of(options), options.labels_set, options.rubrics)


def add_plan(parser: argparse.ArgumentParser) -> None:
    """Add how runs are compared; what is not named is None."""
    add = parser.add_argument
    add("--seed", type=whole_number(0, 2**62), metavar="N", help="what random draws start from (default: 0)")
    add(
        "--resamples",
        type=whole_number(1, _MOST_RESAMPLES),
        metavar="N",
        help="bootstrap resamples, and shuffles of tests (default: 10000)",
    )
    add("--interval", choices=get_args(Interval), help="kind of interval (default: expanded-percentile)")
    add("--correction", choices=get_args(Correction), help="over all pairs in a view and measure (default: tukey)")
    add("--alpha", type=_share, metavar="LEVEL", help="level of tests; intervals hold 1 - LEVEL (default: 0.05)")
    told = "of the labels, for a simulated ceiling (default: .76 for readability alone, as published)"
    add("--reliability", type=_share, metavar="R", help=told)


def whole_number(least: int, most: int) -> Callable[[str], int]:
    """Give a reader of whole numbers from one bound to the other, for argparse."""

    def read(text: str) -> int:
        short = text.isascii() and text.isdigit() and len(text) <= len(str(most))
        if not (short and least <= int(text) <= most):
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from {least} to {most}")
        return int(text)

    return read


def _share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0 and up to 1")
    return value


def plan_of(options: argparse.Namespace, plan: Plan | None = None) -> Plan:
    """Give the plan that the options ask for; what they do not name is the given plan's.

    Raises
    ------
    UsageError
        If level and power do not fit, or a saved plan asks for more resamples than memory holds.
    """
    names = ("seed", "resamples", "interval", "correction", "alpha")
    named = {name: getattr(options, name) for name in names if getattr(options, name) is not None}
    try:
        chosen = replace(plan or Plan(), **named)
    except ValueError as error:
        raise UsageError("options", [Problem("error", "usage", f"{error}.", "See --help.")]) from None
    if chosen.resamples > _MOST_RESAMPLES:
        message = f"{chosen.resamples} resamples are too many."
        raise UsageError("options", [Problem("error", "usage", message, f"Ask for {_MOST_RESAMPLES} at most.")])
    return chosen
