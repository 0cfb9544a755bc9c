"""``check``: run files validated only, against labels or, without any, by form."""

from __future__ import annotations

import argparse

from aeollm.cli import score
from aeollm.cli.options import add_inputs, add_json, add_policy, asked_labels, policy_of
from aeollm.cli.terminal import DONE, REFUSED, print_json, print_lines
from aeollm.cli.text_tables import SIGNS, verdict
from aeollm.errors import Problem
from aeollm.evaluation import Result, failed_json
from aeollm.files import inspect_run


def add(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add_inputs(parser)
    add_json(parser)
    add_policy(parser)
    parser.set_defaults(per_question=False)


def run(options: argparse.Namespace) -> int:
    """Check the runs; without labels named, their form alone: that needs no network."""
    if asked_labels(options):
        return score.run(options, scored=False)
    policy = policy_of(options)
    results = [
        Result(inspect_run(path, None, policy, name=name), None, "") for path, name in score.told_apart(options.runs)
    ]
    message = "no labels are named, so that only the form was checked, not ids and coverage."
    note = Problem("note", "no_labels", message, "Name them with --labels or --labels-set.")
    if options.json:
        runs = [result.to_json() for result in results]
        print_json(failed_json(policy, "none", "none", [note]) | {"runs": runs})
    else:
        print_lines([f"{SIGNS['note']} {note}", "", *(line for result in results for line in verdict(result))])
    return DONE if all(result.accepted for result in results) else REFUSED
