"""The command line. Each command is a module with ``add`` (its options) and ``run`` (an exit code)."""

from __future__ import annotations

import argparse
import errno
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from aeollm.cli.terminal import INTERRUPTED, UNUSABLE, complain, print_json, stop_printing
from aeollm.errors import Problem
from aeollm.evaluation import failed_json
from aeollm.tables import Policy
from aeollm.version import __version__

_COMMANDS = {
    "score": "score run files against human labels",
    "check": "validate run files only",
    "compare": "compare runs: intervals, paired tests, what the questions can show",
    "agreement": "agreement of the annotators behind the labels",
    "calibrate": "learn people's answers from a judge's opinions or scores, person by person, and validate it",
    "report": "write one HTML file about runs, to read and to pass on",
    "build": "build a run from a judge's outputs by a recipe",
    "aggregate": "build a run, or labels, in one step: criteria, pairwise, judges, ties, annotators",
    "judge": "ask an LLM judge about reports by a recipe, and build a run of its answers",
    "merge": "make one run of the parts that judge --shard gave",
    "jobs": "run the parts of a judge run as Hugging Face Jobs beside a vLLM server",
    "preferences": "turn human scores into preference data to fine-tune a judge with",
    "demo": "write the demo labels and runs to a folder",
    "deploy": "create or update a Space on the Hub with this project",
}
_ANSWER_IN_JSON = ("score", "check", "compare")
"""Commands whose JSON object has a place for wrong usage."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; give the exit code."""
    _open_streams()
    if sys.stdout is None:
        complain("standard output is closed: there is nowhere to answer.")
        return UNUSABLE
    code = UNUSABLE
    try:
        options = _options(sys.argv[1:] if arguments is None else arguments)
        code = int(options.run(options))
        sys.stdout.flush()
    except KeyboardInterrupt:
        complain("interrupted.")
        return INTERRUPTED
    except BrokenPipeError:
        stop_printing()
    except OSError as error:
        if error.errno not in {errno.ENOSPC, errno.EIO}:
            raise
        stop_printing()
        complain(f"standard output cannot be written: {error.strerror}.")
        return UNUSABLE
    return code


def _open_streams() -> None:
    """Make what is printed UTF-8, and a closed standard error one that nobody reads."""
    if sys.stderr is None:
        # Else the next file opened would be standard error to whatever writes there.
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    arguments = _joined(arguments)
    chosen = next((argument for argument in arguments if argument in _COMMANDS), None)
    try:
        return _parser(chosen).parse_args(arguments)
    except SystemExit as stop:
        if stop.code and "--json" in arguments and chosen in _ANSWER_IN_JSON:
            problem = Problem("error", "usage", "wrong usage; standard error says what is.", "See --help.")
            print_json(failed_json(Policy(), "none", "none", [problem]))
        elif stop.code and "--json" in arguments and chosen == "calibrate":
            import_module("aeollm.cli.calibrate").wrong_usage()
        raise


def _joined(arguments: Sequence[str]) -> list[str]:
    """Put a range that starts with a minus behind its option's name, as argparse would take it for an option."""
    joined: list[str] = []
    for argument in arguments:
        if joined and joined[-1] == "--score-range":
            joined[-1] += f"={argument}"
        else:
            joined.append(argument)
    return joined


def _parser(chosen: str | None) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="aeollm", description="Agreement of automatic judges with people.")
    parser.add_argument("--version", action="version", version=f"aeollm {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for name, told in _COMMANDS.items():
        command = commands.add_parser(name, help=told, description=f"{told[0].upper()}{told[1:]}.")
        if name == chosen:
            # Only the command asked for is loaded: `score` does not wait for what `report` needs.
            module = import_module(f"aeollm.cli.{name}")
            module.add(command)
            command.set_defaults(run=module.run)
    return parser
