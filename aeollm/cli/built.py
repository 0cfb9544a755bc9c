"""What the commands that build a run share: writing it, and telling what came of it."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from aeollm.aggregation.orders import OrderEffect
from aeollm.aggregation.pairwise import Count, PositionBias
from aeollm.cli.options import add_json, add_labels, add_policy, add_seed, asked_labels, labels_of, policy_of
from aeollm.cli.terminal import (
    DONE,
    REFUSED,
    UNUSABLE,
    complain,
    print_json,
    print_lines,
    refuse_overwriting,
    write_file,
)
from aeollm.cli.text_tables import aligned, number, problem_lines
from aeollm.errors import AeollmError, Problem
from aeollm.exports.build_json import build_json, refused_build
from aeollm.files import read_rubrics
from aeollm.recipes import Built, Gain, Recipe, Stage, build, read_materials, write_recipe
from aeollm.sources import LabelSet
from aeollm.tables import MEASURES, OVERALL, Rubrics


def add_outcome(parser: argparse.ArgumentParser) -> None:
    """Add where the run goes, the labels that tell what each step brings, and how it is told."""
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="RUN", help="the run file to write")
    parser.add_argument("--save-recipe", type=Path, metavar="FILE", help="write the recipe that repeats this")
    parser.add_argument("--measure", choices=MEASURES, default="kendall", help="of the steps' table (default: kendall)")
    add_seed(parser)
    add_json(parser)
    add_labels(parser)
    add_policy(parser)


@dataclass(frozen=True, slots=True)
class Reference:
    """Labels where they are named, and rubrics."""

    label_set: LabelSet | None
    rubrics: Rubrics | None


def reference_of(options: argparse.Namespace) -> Reference:
    """Load labels and rubrics as far as they are named.

    Raises
    ------
    AeollmError
        If they cannot be had.
    """
    if asked_labels(options):
        found = labels_of(options)
        return Reference(found, found.rubrics)
    return Reference(None, read_rubrics(options.rubrics) if options.rubrics is not None else None)


def carry_out(options: argparse.Namespace, recipe: Recipe, files: Mapping[str, Path], folder: Path | None) -> int:
    """Build a run by a recipe, write it and tell what came of it; give the exit code."""
    try:
        refuse_overwriting(_outputs(options), [*files.values(), *_named(options)])
        reference = reference_of(options)
    except AeollmError as error:
        return failed(options, recipe.name, error, UNUSABLE)
    labels = None if reference.label_set is None else reference.label_set.labels
    try:
        materials = read_materials(recipe, files, labels=labels, rubrics=reference.rubrics, folder=folder)
        built = build(recipe, materials, policy=policy_of(options), seed=options.seed, as_far=True)
    except AeollmError as error:
        return failed(options, recipe.name, error, REFUSED)
    texts = {options.save_recipe: write_recipe(recipe), options.output: built.text}
    for path, text in texts.items():
        if path is not None and not write_file(path, text.encode()):
            if options.json:
                problem = Problem(
                    "error", "not_written", "the file cannot be written.", "Name another.", value=str(path)
                )
                print_json(refused_build(recipe.name, [problem]))
            return UNUSABLE
    if built.instead is not None:
        complain(instead_told(built))
    if options.json:
        print_json(build_json(built))
    else:
        print_lines(report(built, options.measure, str(options.output)))
    accepted = built.inspection.run is not None or built.in_part
    return DONE if accepted and built.instead is None else REFUSED


def instead_told(built: Built) -> str:
    """Say that the recipe's end was not reached, why, and what the run holds."""
    errors = "".join(f"\n  {problem}" for problem in built.problems if problem.severity == "error")
    return f"the last step could not be carried out: the run holds the scores of {built.instead}.{errors}"


def _outputs(options: argparse.Namespace) -> list[Path]:
    return [path for path in (options.save_recipe, options.output) if path is not None]


def _named(options: argparse.Namespace) -> list[Path]:
    """Give the other files that are read: the labels, and of `build` the recipe."""
    return [Path(path) for path in (options.labels, getattr(options, "recipe", None)) if path is not None]


def failed(options: argparse.Namespace, name: str, error: AeollmError, code: int) -> int:
    """Tell why nothing was built."""
    if options.json:
        print_json(refused_build(name, error.problems))
    complain(str(error))
    return code


def report(built: Built, measure: str, where: str) -> list[str]:
    """Tell what came of a recipe."""
    found, of = built.inspection.coverage
    covered = f", {found} of {of} labelled answers" if of else ""
    accepted = "" if built.inspection.run is not None else "  REFUSED by the labels' check"
    if built.in_part:
        accepted = "; not all dimensions of the labels, and scored on these only"
    lines = [f"{where}: {len(built.run)} answers, {', '.join(built.run.dimensions)}{covered}{accepted}"]
    lines += problem_lines((*built.problems, *built.inspection.problems))
    lines += ["", *_stages(built.stages, measure)]
    for name, effects in built.order_effects.items():
        lines += ["", *_order(name, effects)]
    for name, biases in built.position_bias.items():
        lines += ["", *_position(name, biases)]
    left = ", ".join(f"{view} {count}" for view, count in built.ties.items())
    return [*lines, "", f"tied pairs left: {left}"]


def _stages(stages: Iterable[Stage], measure: str) -> list[str]:
    shown = [stage for stage in stages if stage.scores is not None]
    if not shown:
        return ["(name labels with --labels to see what each step brings)"]
    views = list(dict.fromkeys(view for stage in shown for view in (stage.scores.views if stage.scores else ())))
    rows = [["step", "compared with", *views, "change", "95 % interval", "p"]]
    for stage in shown:
        own = [number(stage.value(view, measure)) for view in views]
        name = stage.name + (" (held out)" if stage.learned else "")
        rows.append([name, stage.base or "", *own, *_gain(stage.gains.get((OVERALL, measure)))])
        if stage.in_sample is not None:
            known = [number(stage.in_sample.mean(view, measure).mean) for view in stage.in_sample.views]
            rows.append(["  in sample", "", *known, *[""] * (len(views) - len(known)), "", "", ""])
    told = (
        f"({measure} on the labels, mean over questions; change in the overall, over resampled and flipped questions)"
    )
    if any(stage.learned for stage in shown):
        told += " (steps that learn: every question's scores come from a fit without its labels)"
    return [*aligned(rows), told]


def _gain(gain: Gain | None) -> list[str]:
    if gain is None:
        return ["", "", ""]
    interval = "–" if gain.low is None or gain.high is None else f"[{gain.low:+.3f}, {gain.high:+.3f}]"
    return [f"{round(gain.difference, 4) + 0.0:+.4f}", interval, number(gain.p)]


def _order(name: str, effects: Iterable[OrderEffect]) -> list[str]:
    rows = [["criterion order", "answers", "shift", "order variance", "repeat variance", "together", "F"]]
    for effect in effects:
        if effect.criterion is None:
            parts = [effect.shift, effect.order, effect.repeat, effect.both]
            f = "–" if effect.f is None else f"{effect.f:.2f}"
            rows.append([effect.dimension, str(effect.answers), *map(number, parts), f])
    told = f"({name}: of one criterion's score; shift is reversed less original; --json has every criterion)"
    return [*aligned(rows, 1), told]


def _position(name: str, biases: Iterable[PositionBias]) -> list[str]:
    rows = [["position", "pairs", "agree", "flips", "first wins", "95 % interval", "leaning first", "p (questions)"]]
    for bias in biases:
        who = " ".join(part for part in (bias.judge, bias.dimension) if part) or "all"
        shares = [_share(own) for own in (bias.consistent, bias.flips, bias.first_share, bias.leaning_first)]
        low, high = bias.first_share_interval
        interval = "–" if low is None or high is None else f"[{low:.3f}, {high:.3f}]"
        rows.append([who, str(bias.complete), *shares[:3], interval, shares[3], number(bias.p_questions)])
    told = f"({name}: pairs in both orders; an even-handed judge lets the answer shown first win half; interval over "
    told += "resampled questions)"
    return [*aligned(rows, 1), told]


def _share(count: Count) -> str:
    return "–" if count.share is None else f"{count.share:.3f}"
