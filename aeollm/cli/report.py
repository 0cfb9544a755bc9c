"""``report``: one HTML file about runs."""

from __future__ import annotations

import argparse
from pathlib import Path

from aeollm.cli.options import add_inputs, add_plan, add_policy, labels_of, plan_of, policy_of
from aeollm.cli.score import told_apart
from aeollm.cli.terminal import DONE, REFUSED, UNUSABLE, complain, print_lines, write_file
from aeollm.cli.text_tables import label_lines, verdict
from aeollm.errors import AeollmError
from aeollm.evaluation import evaluate
from aeollm.reporting import html_report


def add(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add_inputs(parser)
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE", help="the HTML file to write")
    add_policy(parser)
    add_plan(parser)


def run(options: argparse.Namespace) -> int:
    """Write the report; refused runs are in it with their problems."""
    try:
        evaluation = evaluate(told_apart(options.runs), labels_of(options), policy_of(options))
        content = html_report(evaluation, plan_of(options), reliability=options.reliability)
    except AeollmError as error:
        complain(str(error))
        return UNUSABLE
    if not write_file(options.output, content):
        return UNUSABLE
    refused = [result for result in evaluation.results if not result.accepted]
    for result in refused:
        complain("\n".join(verdict(result)[1:]))
    print_lines([*label_lines(evaluation), f"Report of {len(evaluation.results)} files: {options.output}"])
    if not evaluation.label_set.labels.labelled:
        return UNUSABLE
    return REFUSED if refused else DONE
