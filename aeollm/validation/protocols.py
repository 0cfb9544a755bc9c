"""Protocols: who is trained on what and scored on what, so that nothing is scored that was trained on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aeollm.calibration import Examples, Watch, fit_models, grouped_folds, pool
from aeollm.errors import Problem, UsageError
from aeollm.validation.results import Judged, Plan, Validation, summarise

Ints = NDArray[np.intp]


class Part(NamedTuple):
    """Rows to train on and rows to score, of which ``places`` says where they belong."""

    train: Examples
    test: Examples
    places: Ints


class Task(NamedTuple):
    """A protocol's name, its parts by seed, and all rows that are scored."""

    protocol: str
    parts: Mapping[int, Sequence[Part]]
    rows: Examples


def cross_validate(examples: Examples, models: Sequence[str], plan: Plan, watch: Watch | None = None) -> Validation:
    """Hold out folds of texts in turn and score the pooled predictions of all answered rows, for every seed.

    Raises
    ------
    UsageError
        For fewer than three texts with answers, or an unknown model.
    """
    return validate(_in_folds(f"{plan.folds} folds", examples, plan.folds, plan), models, plan, watch)


def leave_one_question_out(
    examples: Examples, models: Sequence[str], plan: Plan, watch: Watch | None = None
) -> Validation:
    """Hold out every group in turn: for runs, every question.

    Raises
    ------
    UsageError
        For fewer than three questions with answers, or an unknown model.
    """
    every = len(set(examples.groups))
    return validate(_in_folds("leave one question out", examples, every, plan), models, plan, watch)


def _in_folds(protocol: str, examples: Examples, folds: int, plan: Plan) -> Task:
    rows = np.flatnonzero(~np.isnan(examples.answered))
    # Two for training and one to be held out; models choose their penalties by folds of their own.
    _check_groups(examples.take(rows), 3)
    parts = {seed: list(folds_of(examples, rows, folds, seed)) for seed in plan.seeds}
    return Task(protocol, parts, examples.take(rows))


def train_test(
    train: Examples, test: Examples, models: Sequence[str], plan: Plan, watch: Watch | None = None
) -> Validation:
    """Train on some examples and score others, for every seed.

    Raises
    ------
    UsageError
        If the two name another target, no row of the test is answered, or a text is in both.
    """
    rows = test.take(np.flatnonzero(~np.isnan(test.answered)))
    if train.target != test.target or not len(rows):
        raise _refused("no_test", f"No row of the test answers {train.target!r}.", "Give a test with answers to it.")
    both = sorted(set(train.texts) & set(rows.texts))
    if both:
        some = ", ".join(both[:5]) + (", …" if len(both) > 5 else "")
        raise _refused(
            "leak",
            f"{len(both)} texts are in the training and in the test ({some}).",
            "Leave them out of one; or choose folds.",
        )
    parts = {seed: [Part(train, rows, np.arange(len(rows)))] for seed in plan.seeds}
    return validate(Task("train and test", parts, rows), models, plan, watch)


def folds_of(examples: Examples, rows: Ints, folds: int, seed: int) -> Iterator[Part]:
    """Give train and test of every fold; ``rows`` are those that are scored, places count among them."""
    fold = grouped_folds(examples.groups, folds, seed)
    for number in range(int(fold.max()) + 1):
        held = np.flatnonzero(fold[rows] == number)
        if len(held):
            yield Part(examples.take(np.flatnonzero(fold != number)), examples.take(rows[held]), held)


def validate(task: Task, models: Sequence[str], plan: Plan, watch: Watch | None) -> Validation:
    """Fit the models on every part, score what is left, and measure what is pooled."""
    tell = watch or _silent
    names = tuple(dict.fromkeys(models))
    found: dict[str, list[Judged]] = {name: [] for name in names}
    fits = sum(len(parts) for parts in task.parts.values())
    for number, (seed, parts) in enumerate(task.parts.items()):
        pieces: dict[str, list[Judged]] = {name: [] for name in names}
        for place, part in enumerate(parts):
            before = number * len(parts) + place

            def step(share: float, what: str, before: int = before) -> None:
                tell(min((before + share) / fits, 1.0), what)

            fitted = fit_models(part.train, names, replace(plan.settings, seed=seed), step)
            for name in names:
                predictions = fitted[name].predict(part.test)
                pieces[name].append(Judged(predictions, predictions.likelihoods(part.test.answered)))
        order = np.argsort(np.concatenate([part.places for part in parts]), kind="stable")
        for name in names:
            found[name].append(_pooled(pieces[name], order))
    first = next(iter(task.parts.values()))
    n_train = round(float(np.mean([np.sum(~np.isnan(part.train.answered)) for part in first])))
    return Validation(task.protocol, plan, summarise(found, task.rows, plan), task.rows, n_train)


def _silent(_share: float, _what: str) -> None:
    return


def _pooled(pieces: Sequence[Judged], order: Ints) -> Judged:
    """Put the predictions of all folds together, in the order of the rows scored."""
    predictions = pool([piece.predictions for piece in pieces], order)
    return Judged(predictions, np.concatenate([piece.likelihoods for piece in pieces])[order])


def _check_groups(examples: Examples, least: int) -> None:
    found = len(set(examples.groups))
    if found < least:
        raise _refused(
            "too_few_groups",
            f"{found} texts (for runs, questions) have answers to {examples.target!r}: {least} are needed.",
            "Give more answers, or test on other files.",
        )


def _refused(kind: str, message: str, remedy: str) -> UsageError:
    return UsageError("validation", [Problem("error", kind, message, remedy)])
