"""``calibrate --use``: a saved calibrator on texts that nobody has answered yet."""

from __future__ import annotations

import argparse
from typing import Any

from aeollm.calibration import NOBODY, Calibrator, Predictions, cases_for, cases_for_run, load_calibrator
from aeollm.cli.terminal import DONE, UNUSABLE, print_json, print_lines, write_file
from aeollm.cli.text_tables import aligned, number, problem_lines
from aeollm.errors import Problem, UsageError
from aeollm.exports.calibration_json import new_predictions_csv, new_predictions_json
from aeollm.files import read_opinions, read_run

_SHOWN = 20
_TOGETHER = ("answers", "test_opinions", "test_answers", "save", "calibrated", "model", "annotations")


def use(options: argparse.Namespace) -> int:
    """Predict what each of the people named, or nobody in particular, would answer; print or write it.

    Raises
    ------
    AeollmError
        If the calibrator or the opinions cannot be used.
    """
    _check(options)
    try:
        content = options.use.read_bytes()
    except OSError as error:
        message = f"{options.use} cannot be opened: {error.strerror}."
        raise UsageError("calibrate", [Problem("error", "unreadable_file", message, "Check the path.")]) from None
    calibrator = load_calibrator(content, options.use.name)
    people = tuple(options.judges or (NOBODY,))
    if options.run_file is not None:
        found, digest = _of_run(options, calibrator)
    else:
        known = {calibrator.target: len(calibrator.values)} | dict(options.options or ())
        opinions = read_opinions(options.opinions, options=known if calibrator.scale.exact else None)
        found, digest = calibrator.predict(cases_for(opinions, calibrator.target, people)), opinions.digest
    signature = f"{calibrator.signed}|predicted={digest[:8]}"
    if options.json:
        print_json(new_predictions_json(calibrator, found, signature))
    else:
        print_lines(_lines(calibrator, found, signature))
    if options.predictions is not None and not write_file(options.predictions, new_predictions_csv(found, signature)):
        return UNUSABLE
    return DONE


def _of_run(options: argparse.Namespace, calibrator: Calibrator) -> tuple[Predictions, str]:
    run = read_run(options.run_file)
    return calibrator.predict(cases_for_run(run, calibrator.target)), run.digest


def _check(options: argparse.Namespace) -> None:
    if (options.opinions is None) == (options.run_file is None):
        raise _usage("--use needs --opinions or --run.", "Name the texts to predict for.")
    named = [name for name in _TOGETHER if getattr(options, name) is not None]
    if named:
        listed = ", ".join(f"--{name.replace('_', '-')}" for name in named)
        raise _usage(f"--use takes the calibrator as it is, without {listed}.", "Leave them out.")


def _usage(message: str, remedy: str) -> UsageError:
    return UsageError("calibrate", [Problem("error", "usage", message, remedy)])


def _lines(calibrator: Calibrator, found: Predictions, signature: str) -> list[str]:
    rows: list[list[str]] = [["text", "judge", "expected", f"{found.level:.0%} interval"]]
    columns: tuple[Any, ...] = (found.texts, found.judges, found.expected, found.low, found.high)
    for text, judge, expected, low, high in list(zip(*columns, strict=True))[:_SHOWN]:
        ends = f"{low:g} to {high:g}" if low == low else "–"
        rows.append([text.replace("\t", " "), judge or "(anybody)", number(expected, 3), ends])
    more = len(found) - _SHOWN
    return [
        f"target   {calibrator.target}, by {calibrator.model}, learnt from {calibrator.n_train} answers",
        *problem_lines(found.problems),
        "",
        *aligned(rows),
        *([f"({more} more rows: --predictions FILE and --json have all.)"] if more > 0 else []),
        "",
        f"signature  {signature}",
    ]
