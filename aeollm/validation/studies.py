"""Studies of one data set: how many answers are worth collecting, and what each part of the network is worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from aeollm.calibration import Examples, Quality, Watch
from aeollm.validation.protocols import Part, Task, folds_of, validate
from aeollm.validation.results import Plan, Validation


@dataclass(frozen=True, slots=True)
class Point:
    """A learning curve's point: at most ``most`` answers a judge were learnt from, ``mean`` on average."""

    most: int
    mean: float
    validation: Validation


def learning_curve(
    examples: Examples,
    models: Sequence[str],
    plan: Plan,
    counts: Sequence[int] = (2, 5, 10, 20),
    watch: Watch | None = None,
) -> tuple[Point, ...]:
    """Cross-validate with at most so many answers of each judge to learn from, drawn by the seed; all are scored.

    Raises
    ------
    UsageError
        As `cross_validate` does.
    """
    found = []
    for place, most in enumerate(counts):
        rows = np.flatnonzero(~np.isnan(examples.answered))
        parts = {
            seed: [
                Part(thinned(part.train, most, seed), part.test, part.places)
                for part in folds_of(examples, rows, plan.folds, seed)
            ]
            for seed in plan.seeds
        }
        task = Task(f"{plan.folds} folds, {most} answers a judge", parts, examples.take(rows))
        step = partial(_part, watch, (place, len(counts)))
        answers = [
            np.sum(~np.isnan(part.train.answered)) / len(set(part.train.judges)) for part in parts[plan.seeds[0]]
        ]
        found.append(Point(most, float(np.mean(answers)), validate(task, models, plan, step)))
    return tuple(found)


def thinned(examples: Examples, most: int, seed: int) -> Examples:
    """Keep at most so many rows of every judge that answer the target, drawn by the seed, and no others.

    Fewer answers are contained in more: a curve over them shows what further answers add.
    """
    answered = np.flatnonzero(~np.isnan(examples.answered)).tolist()
    rows = sorted(answered, key=lambda row: (examples.judges[row], examples.texts[row], examples.answered[row]))
    order = np.random.default_rng([seed, 2]).permutation(len(rows))
    kept: list[int] = []
    counts: dict[str, int] = {}
    for place in order.tolist():
        judge = examples.judges[rows[place]]
        if counts.get(judge, 0) < most:
            counts[judge] = counts.get(judge, 0) + 1
            kept.append(rows[place])
    return examples.take(sorted(kept))


@dataclass(frozen=True, slots=True)
class Ablation:
    """The network without one of its parts: how good it is, and two-sided p of the difference to the whole one."""

    left_out: str
    quality: Quality
    p: dict[str, float]


def ablations(examples: Examples, plan: Plan, watch: Watch | None = None) -> tuple[Ablation, ...]:
    """Cross-validate the network whole, then without judges' parameters, pretraining, fine-tuning, and each input.

    The first entry, with ``left_out`` empty, is the whole network.

    Raises
    ------
    UsageError
        As `cross_validate` does.
    """
    settings = plan.settings
    several = [name for name in examples.inputs if len(examples.inputs) > 1]
    cases = [
        ("", examples, settings),
        ("judges' parameters", examples, replace(settings, personal=False)),
        ("pretraining", examples, replace(settings, pretrain=False)),
        ("fine-tuning", examples, replace(settings, finetune=False)),
        *((name, examples.without([name]), settings) for name in several),
    ]
    found: list[tuple[str, Validation]] = []
    rows = np.flatnonzero(~np.isnan(examples.answered))
    for place, (name, some, chosen) in enumerate(cases):
        parts = {seed: list(folds_of(some, rows, plan.folds, seed)) for seed in plan.seeds}
        task = Task(f"{plan.folds} folds", parts, some.take(rows))
        step = partial(_part, watch, (place, len(cases)))
        found.append((name, validate(task, ("net",), replace(plan, settings=chosen), step)))
    whole = found[0][1].models["net"]
    return tuple(
        Ablation(name, one.models["net"].quality, one.tests_against(whole, "net") if name else {})
        for name, one in found
    )


def _part(watch: Watch | None, place: tuple[int, int], share: float, what: str) -> None:
    if watch is not None:
        watch((place[0] + share) / place[1], what)
