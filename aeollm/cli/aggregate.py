"""``aggregate``: a run in one step, by the recipe of that step."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Sequence
from pathlib import Path

from aeollm.cli import annotators
from aeollm.cli.built import add_outcome, carry_out
from aeollm.cli.options import from_zero
from aeollm.evaluation import distinct, distinct_files
from aeollm.recipes import STEPS, Option, Recipe, step_of

_FORMS = {"criteria": "criterion scores", "pairwise": "pairwise judgments"}


def add(parser: argparse.ArgumentParser) -> None:
    """Add a command a step, with the step's options."""
    ways = parser.add_subparsers(title="steps", required=True, metavar="STEP", dest="way")
    for do, shown in _FORMS.items():
        way = _way(ways, do)
        way.add_argument("files", nargs=1, type=Path, metavar="FILE", help=f"{shown}: CSV, TSV or JSON lines")
        if do == "pairwise":
            way.add_argument("--anchor", type=Path, metavar="RUN", help=STEPS[do].options["anchor"].told)
    judges = _way(ways, "judges")
    judges.add_argument("files", nargs="+", type=Path, metavar="RUN", help="the judges' run files")
    ties = _way(ways, "ties")
    ties.add_argument("files", nargs=1, type=Path, metavar="PRIMARY", help="the run whose ties are broken")
    ties.add_argument("second", type=Path, metavar="SECONDARY", help="the run that decides between tied answers")
    annotators.add(ways)


def _way(ways: argparse._SubParsersAction[argparse.ArgumentParser], do: str) -> argparse.ArgumentParser:
    told = STEPS[do].told
    way = ways.add_parser(do, help=told, description=f"{told[0].upper()}{told[1:]}.")
    for key, option in STEPS[do].options.items():
        if option.kind != "name":
            _add_option(way, key, option)
    add_outcome(way)
    return way


def _add_option(way: argparse.ArgumentParser, key: str, option: Option) -> None:
    if option.kind == "choice":
        way.add_argument(f"--{key}", choices=option.choices, default=option.default, help=_told(option))
    elif option.kind == "number":
        way.add_argument(f"--{key}", type=_within(option), default=option.default, metavar="N", help=_told(option))
    elif option.kind == "numbers":
        way.add_argument(f"--{key}", type=_numbers, default=(), metavar="N,…", help=_told(option))
    else:
        way.add_argument(f"--{key}", type=_names, default=(), metavar="NAME,…", help=_told(option))


def _told(option: Option) -> str:
    default = f" (default: {option.default})" if option.default not in (None, ()) else ""
    return f"{option.told}{default}".replace("%", "%%")


def _within(option: Option) -> Callable[[str], float]:
    def read(text: str) -> float:
        number = float(from_zero(text))
        if not option.takes(number):
            raise argparse.ArgumentTypeError(f"{text!r} is not {option.form}")
        return number

    return read


def _numbers(text: str) -> tuple[float, ...]:
    return tuple(float(from_zero(part)) for part in text.split(","))


def _names(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def run(options: argparse.Namespace) -> int:
    """Build a run by the recipe of one step."""
    do = options.way
    if do == annotators.WAY:
        return annotators.run(options)
    second = options.anchor if do == "pairwise" else options.second if do == "ties" else None
    paths = [*options.files, *([second] if second is not None else [])]
    names = distinct(distinct_files(paths), taken=[do])
    named = {key: getattr(options, key) for key, option in STEPS[do].options.items() if option.kind != "name"}
    if second is not None:
        named["anchor" if do == "pairwise" else "by"] = names[-1]
    sources = tuple(names[: len(options.files)])
    start = options.save_recipe.parent if options.save_recipe is not None else Path()
    inputs = dict(zip(names, _from(start, paths), strict=True))
    rubrics = None if options.rubrics is None else _from(start, [options.rubrics])[0]
    recipe = Recipe(options.output.stem, inputs, (step_of(do, sources, **named),), rubrics)
    return carry_out(options, recipe, dict(zip(names, paths, strict=True)), None)


def _from(start: Path, paths: Sequence[Path]) -> list[str]:
    """Write paths as seen from the recipe's folder."""
    return [Path(os.path.relpath(path, start)).as_posix() for path in paths]
