"""``calibrate``: learn from people's answers what a person would answer, and say how well that works."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from aeollm.calibration import DEFAULT_MODEL, MODELS, Settings, Watch, save_calibrator
from aeollm.cli.calibrate_use import use
from aeollm.cli.calibrated_text import trial_lines
from aeollm.cli.options import add_json, add_labels, labels_of, whole_number
from aeollm.cli.terminal import DONE, REFUSED, UNUSABLE, complain, print_json, print_lines, shown, write_file
from aeollm.errors import AeollmError, Problem, UsageError
from aeollm.exports.calibration_json import predictions_csv, refused_trial_json, trial_json
from aeollm.exports.run_file import run_file
from aeollm.files import FEWEST_OPTIONS, MOST_OPTIONS, read_annotations, read_run
from aeollm.trials import (
    BASELINES,
    Choices,
    Files,
    Material,
    Protocol,
    Reading,
    Trial,
    calibrated_scores,
    of_annotated_run,
    of_pairs,
    of_run,
    read_pairs,
    try_out,
)

Said = TypeVar("Said", str, int)

_RUN_MODEL = "ridge"
_BETWEEN, _BETWEEN_LINES = 0.2, 10.0


def add(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add = parser.add_argument
    add("--opinions", type=Path, metavar="FILE", help="TSV or CSV of a judge's probabilities of answers")
    add("--answers", type=Path, metavar="FILE", help="TSV or CSV of people's answers")
    add("--target", metavar="NAME", help="the criterion (or dimension of the labels) to predict")
    add("--test-opinions", type=Path, metavar="FILE", help="score on these texts instead of on folds")
    add("--test-answers", type=Path, metavar="FILE", help="people's answers to these texts")
    add("--run", type=Path, metavar="FILE", dest="run_file", help="calibrate an AEOLLM run to --labels instead")
    told = "CSV of single annotators' ratings of the run's answers, instead of labels: everybody is calibrated to"
    add("--annotations", type=Path, metavar="FILE", help=told)
    add_labels(parser)
    _add_choices(parser)
    add_json(parser)


def _add_choices(parser: argparse.ArgumentParser) -> None:
    """Add what is fitted, how the files are read, and what is written."""
    add = parser.add_argument
    add("--model", choices=MODELS, metavar="NAME", help=f"one of {', '.join(MODELS)} (default: {DEFAULT_MODEL})")
    add("--baselines", type=_models, metavar="NAME,…", help=f"shown beside it (default: {','.join(BASELINES)})")
    add(
        "--seeds",
        type=whole_number(1, 100),
        default=3,
        metavar="N",
        help="how often, each with its own seed (default: 3)",
    )
    add("--folds", type=whole_number(2, 50), default=5, metavar="K", help="folds, grouped by text (default: 5)")
    add("--fold-seed", type=whole_number(0, 2**31), default=0, metavar="N", help="the first seed (default: 0)")
    add("--members", type=whole_number(1, 50), metavar="N", help="networks that are averaged (default: the model's)")
    told = "read a column of the scored answers as another criterion; the test's, where there is one"
    add("--rename", type=_pair, nargs="+", action="extend", metavar="COLUMN=CRITERION", help=told)
    told = "the same for the answers learnt from, where there is a test"
    add("--train-rename", type=_pair, nargs="+", action="extend", metavar="COLUMN=CRITERION", help=told)
    told = "how many options a criterion has (default: those that ever have a probability above 0)"
    add("--options", type=_count, nargs="+", action="extend", metavar="CRITERION=N", help=told)
    add(
        "--missing",
        default="0",
        metavar="CELL,…",
        help="cells that stand for no answer, beside empty ones (default: 0)",
    )
    told = "predict with a saved calibrator for --opinions (or --run) that nobody answered yet; nothing is fitted"
    add("--use", type=Path, metavar="CALIBRATOR", help=told)
    add("--judges", nargs="+", metavar="ID", help="whose answers --use predicts (default: nobody's in particular)")
    add("--save", type=Path, metavar="FILE", help="write the calibrator (JSON)")
    add("--predictions", type=Path, metavar="FILE", help="write every prediction (CSV)")
    add("--calibrated", type=Path, metavar="FILE", help="write the calibrated run (with --run)")


def run(options: argparse.Namespace) -> int:
    """Validate the model, print what came of it, and write what is asked for."""
    model = options.model or (_RUN_MODEL if options.run_file else DEFAULT_MODEL)
    watch = _progress()
    try:
        if options.use is not None:
            return use(options)
        material = _material(options)
        trial = try_out(material, _choices(options, model), watch)
        files = _files(options, trial, watch)
    except AeollmError as error:
        if options.json:
            print_json(refused_trial_json(_protocol(options), model, error.problems))
        complain(str(error))
        return UNUSABLE if isinstance(error, UsageError) else REFUSED
    if options.json:
        print_json(trial_json(trial))
    else:
        print_lines(trial_lines(trial))
    written = [write_file(path, content) for path, content in files]
    return DONE if all(written) else UNUSABLE


def wrong_usage() -> None:
    """Print the JSON object for options that cannot be read."""
    problem = Problem("error", "usage", "wrong usage; standard error says what is.", "See --help.")
    print_json(refused_trial_json("none", "none", [problem]))


def _protocol(options: argparse.Namespace) -> Protocol:
    if options.run_file is not None:
        return "questions"
    return "test" if options.test_opinions is not None or options.test_answers is not None else "folds"


def _choices(options: argparse.Namespace, model: str) -> Choices:
    members = {} if options.members is None else {"members": options.members}
    return Choices(
        model=model,
        protocol=_protocol(options),
        beside=BASELINES if options.baselines is None else options.baselines,
        folds=options.folds,
        seeds=options.seeds,
        first_seed=options.fold_seed,
        settings=Settings(seed=options.fold_seed, **members),
    )


def _material(options: argparse.Namespace) -> Material:
    """Read and join what the options name.

    Raises
    ------
    AeollmError
        With everything that is wrong with the files, or with what the options ask for.
    """
    tests = (options.test_opinions, options.test_answers)
    if options.run_file is not None:
        return _material_of_run(options)
    if options.calibrated is not None or options.annotations is not None:
        raise _usage("--calibrated and --annotations need --run.", "Use --predictions and --answers for texts.")
    if None in (options.opinions, options.answers, options.target):
        raise _usage("--opinions, --answers and --target are needed, or --run and --labels.", "See --help.")
    if (tests[0] is None) != (tests[1] is None):
        raise _usage("--test-opinions and --test-answers belong together.", "Name both, or none for folds.")
    if options.train_rename and tests[0] is None:
        raise _usage("--train-rename needs a test; --rename is for the answers that are scored.", "Use --rename.")
    reading = Reading(
        rename=_once("--rename", options.rename),
        train_rename=_once("--train-rename", options.train_rename),
        options=_once("--options", options.options),
        missing=tuple(cell.strip() for cell in options.missing.split(",")),
    )
    files = _shown(options.opinions, options.answers)
    train, test = read_pairs(files, None if tests[0] is None else _shown(*tests), reading)
    return of_pairs(train, test, options.target)


def _material_of_run(options: argparse.Namespace) -> Material:
    named = (options.opinions, options.answers, options.test_opinions, options.test_answers)
    if any(path is not None for path in named):
        raise _usage("--run takes --labels, not opinions and answers.", "Name either a run or opinions.")
    if options.annotations is None:
        labels = labels_of(options).labels
        return of_run(read_run(options.run_file), labels, options.target or next(iter(labels.dimensions), ""))
    if options.calibrated is not None:
        raise _usage("--calibrated needs labels: annotators differ.", "Use --labels, or --predictions.")
    annotations = read_annotations(options.annotations)
    return of_annotated_run(read_run(options.run_file), annotations, options.target or annotations.dimensions[0])


def _shown(opinions: Path, answers: Path) -> Files:
    return (opinions, opinions.name), (answers, answers.name)


def _files(options: argparse.Namespace, trial: Trial, watch: Watch) -> list[tuple[Path, bytes]]:
    """Make the files asked for."""
    made = []
    if options.save is not None:
        made.append((options.save, save_calibrator(trial.fitted)))
    if options.predictions is not None:
        made.append((options.predictions, predictions_csv(trial)))
    if options.calibrated is not None and trial.material.run is not None and trial.material.labels is not None:
        scores = calibrated_scores(trial.material, trial.choices, watch)
        dimensions = trial.material.labels.dimensions
        made.append((options.calibrated, run_file(trial.material.run, scores.tolist(), dimensions)))
    return made


def _progress() -> Watch:
    """Say on standard error how far the work is: on one line where somebody looks, else a line now and then."""
    looked_at = sys.stderr.isatty()
    between = _BETWEEN if looked_at else _BETWEEN_LINES
    last = time.monotonic()

    def watch(share: float, doing: str) -> None:
        nonlocal last
        whole = looked_at and share >= 1
        if whole or time.monotonic() - last >= between:
            last = time.monotonic()
            told, end = f"{share:4.0%} {shown(doing):<40.40}", "\n" if whole or not looked_at else ""
            print(f"\r{told}" if looked_at else told.rstrip(), end=end, file=sys.stderr, flush=True)  # noqa: T201

    return watch


def _models(text: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    if unknown := [name for name in names if name not in MODELS]:
        raise argparse.ArgumentTypeError(f"no model is called {unknown[0]!r}; there are {', '.join(MODELS)}")
    return names


def _pair(text: str) -> tuple[str, str]:
    old, sign, new = text.partition("=")
    if not (old and sign and new):
        raise argparse.ArgumentTypeError(f"{text!r} is not COLUMN=CRITERION, such as Q1=Q2")
    return old, new


def _once(option: str, pairs: Sequence[tuple[str, Said]] | None) -> dict[str, Said]:
    """Take an option's pairs, of which none may say the same name again.

    Raises
    ------
    UsageError
    """
    taken = dict(pairs or ())
    if len(taken) < len(pairs or ()):
        names = [name for name, _ in pairs or ()]
        twice = next(name for name in names if names.count(name) > 1)
        raise _usage(f"{option} names {twice} twice.", "Say once what it is.")
    return taken


def _count(text: str) -> tuple[str, int]:
    name, _, number = text.rpartition("=")
    if not name:
        raise argparse.ArgumentTypeError(f"{text!r} is not CRITERION=N, such as Q8=3")
    return name, whole_number(FEWEST_OPTIONS, MOST_OPTIONS)(number)


def _usage(message: str, remedy: str) -> UsageError:
    return UsageError("calibrate", [Problem("error", "usage", message, remedy)])
