"""A calibration tried out: models under one protocol, the chosen one fitted on everything there is to learn from."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from aeollm.calibration import (
    MODELS,
    Calibrator,
    Examples,
    JudgeEffect,
    Predictions,
    Quality,
    Settings,
    Watch,
    cases_for,
    cases_for_run,
    fit,
    judge_effects,
    measure_predictions,
)
from aeollm.errors import Problem, UsageError
from aeollm.trials.material import Material
from aeollm.validation import (
    Plan,
    Point,
    Validated,
    Validation,
    cross_validate,
    learning_curve,
    leave_one_question_out,
    train_test,
)
from aeollm.version import __version__

Floats = NDArray[np.float64]
Protocol = Literal["folds", "test", "questions"]
BASELINES = ("raw", "argmax", "constant", "judge_mean", "ridge")
"""What every model is shown beside: cheap, and each a way of not needing it."""
REFERENCE = "raw"
_NOTHING = 1e-9
_FITTING = 0.15
"""The share of the work that comes after the validation."""
_COUNTS = (2, 5, 10, 20, 40, 80)
_MOST = {"folds": 50, "seeds": 100}


@dataclass(frozen=True, slots=True)
class Choices:
    """What is tried, and how.

    Attributes
    ----------
    model : the one to be used; ``beside`` are compared with it.
    protocol : "folds" over texts, "test" on other files, "questions" left out one by one (runs).
    folds : how many, for "folds".
    seeds : how often, from ``first_seed`` on: folds are drawn anew, or networks start anew.
    settings : of the fits.

    Raises
    ------
    UsageError
        For a model or a protocol that does not exist, and numbers out of range.
    """

    model: str
    protocol: Protocol = "folds"
    beside: tuple[str, ...] = BASELINES
    folds: int = 5
    seeds: int = 3
    first_seed: int = 0
    settings: Settings = field(default_factory=Settings)

    def __post_init__(self) -> None:
        """Refuse what cannot be done."""
        for name in (self.model, *self.beside):
            if name not in MODELS:
                raise _refused("unknown_model", f"there is no model {name!r}.", f"Known are {', '.join(MODELS)}.")
        if self.protocol not in get_args(Protocol):
            known = ", ".join(get_args(Protocol))
            raise _refused("unknown_protocol", f"there is no protocol {self.protocol!r}.", f"Known are {known}.")
        for name, least in (("folds", 2), ("seeds", 1)):
            if not least <= getattr(self, name) <= _MOST[name]:
                message = f"{getattr(self, name)} {name}: {least} to {_MOST[name]} are possible."
                raise _refused("usage", message, "Choose another number.")

    @property
    def models(self) -> tuple[str, ...]:
        """Name all models once, the chosen one first."""
        return tuple(dict.fromkeys((self.model, *self.beside)))


@dataclass(frozen=True, eq=False)
class Trial:
    """What came of it.

    ``fitted`` is the chosen model, fitted on all rows to learn from; ``in_sample`` its quality on those very rows,
    which is too good to be true. ``skipped`` names models that cannot do this target, with the reason.
    """

    material: Material
    choices: Choices
    validation: Validation
    fitted: Calibrator
    in_sample: Quality
    effects: tuple[JudgeEffect, ...]
    skipped: tuple[tuple[str, str], ...]

    @property
    def target(self) -> str:
        """Name what is predicted."""
        return self.material.train.target

    @property
    def chosen(self) -> Validated:
        """Give how the chosen model did."""
        return self.validation.models[self.choices.model]

    @property
    def rows(self) -> Examples:
        """Give the rows that were scored, in the order of all predictions."""
        return self.validation.rows

    @property
    def signature(self) -> str:
        """Say how every number here was made."""
        c = self.choices
        how = f"{c.protocol}={c.folds}" if c.protocol == "folds" else f"protocol={c.protocol}"
        seeds = f"seeds={c.first_seed}..{c.first_seed + c.seeds - 1}"
        parts = [self.material.signed, f"target={self.target}", f"model={c.model}", how, seeds]
        return "|".join([*parts, f"members={c.settings.members}", f"aeollm={__version__}"])


def try_out(material: Material, choices: Choices, watch: Watch) -> Trial:
    """Validate the models under the protocol and fit the chosen one.

    Raises
    ------
    UsageError
        If the protocol does not fit the material, or the chosen model the target.
    """
    _check(material, choices)
    usable, skipped = _usable(material, choices)
    validated = partial(_part, watch, (0.0, 1.0 - _FITTING))
    validation = _validate(material, replace(choices, beside=usable[1:]), validated)
    fitted = fit(material.train, choices.model, choices.settings, partial(_part, watch, (1.0 - _FITTING, 1.0)))
    answered = material.train.take([r for r, value in enumerate(material.train.answered.tolist()) if value == value])
    in_sample = measure_predictions(fitted.predict(answered), answered)
    effects = tuple(one for one in judge_effects(fitted, answered) if math.isfinite(one.effect))
    # A model without effects of its own, such as the judge as it is, has nothing to say of people.
    effects = effects if any(abs(one.effect) > _NOTHING for one in effects) else ()
    return Trial(material, choices, validation, fitted, in_sample, effects, skipped)


def try_out_in_full(material: Material, choices: Choices, watch: Watch) -> Trial:
    """Try out, and compute every model's reliability as well, where that keeps nobody waiting."""
    trial = try_out(material, choices, watch)
    for found in trial.validation.models.values():
        # Computed when first asked for, and kept.
        _ = (found.smece, found.floors, found.curves)
    return trial


def curve(material: Material, choices: Choices, watch: Watch) -> tuple[Point, ...]:
    """Validate the chosen model with a few, with more and with all answers of every judge to learn from."""
    judges = material.train.take(np.flatnonzero(~np.isnan(material.train.answered))).judges
    most = max(Counter(judges).values())
    counts = [*(count for count in _COUNTS if count < most), most]
    return learning_curve(material.train, (choices.model,), _plan(choices), counts, watch)


def every_target(material: Material, choices: Choices, watch: Watch) -> tuple[tuple[str, Validation], ...]:
    """Validate the chosen model and what it is shown beside for every target there is.

    Targets with too few answers are left out.
    """
    found = []
    targets = material.targets
    for place, target in enumerate(targets):
        part = partial(_part, watch, (place / len(targets), (place + 1) / len(targets)))
        aimed = material.aimed_at(target)
        try:
            usable, _ = _usable(aimed, choices)
            found.append((target, _validate(aimed, replace(choices, beside=usable[1:]), part)))
        except UsageError:
            continue
    return tuple(found)


def calibrated_scores(material: Material, choices: Choices, watch: Watch) -> Floats:
    """Calibrate every dimension of the labels, shape (rows of the run, dimensions of the labels).

    Answers with a label get what was predicted with their question left out; the others what all labels teach.

    Raises
    ------
    UsageError
        If a dimension has too few labels, or there is no run.
    """
    if material.run is None or material.labels is None:
        raise _refused("no_run", "there is no run to calibrate.", "Name a run and labels.")
    dimensions = material.labels.dimensions
    scores = np.full((len(material.run), len(dimensions)), np.nan)
    for d, dimension in enumerate(dimensions):
        part = partial(_part, watch, (d / len(dimensions), (d + 1) / len(dimensions)))
        aimed = material.aimed_at(dimension)
        cases = cases_for_run(material.run, dimension)
        scores[:, d] = fit(aimed.train, choices.model, choices.settings).predict(cases).expected
        apart = _validate(aimed, replace(choices, beside=(), seeds=1), part).models[choices.model].predictions
        known = dict(zip(apart.texts, apart.expected.tolist(), strict=True))
        scores[:, d] = [known.get(text, score) for text, score in zip(cases.texts, scores[:, d].tolist(), strict=True)]
    return scores


def predicted(trial: Trial) -> tuple[Examples, Predictions]:
    """Predict every row there is: (text, judge) where people answered, else what all judges share."""
    material = trial.material
    if material.run is not None:
        cases = cases_for_run(material.run, trial.target)
    elif material.pair is not None:
        cases = cases_for(material.pair.opinions, trial.target)
    else:
        cases = trial.rows
    return cases, trial.fitted.predict(cases)


def _plan(choices: Choices) -> Plan:
    seeds = tuple(range(choices.first_seed, choices.first_seed + choices.seeds))
    return Plan(folds=choices.folds, seeds=seeds, settings=choices.settings, reference=REFERENCE)


def _validate(material: Material, choices: Choices, watch: Watch) -> Validation:
    if material.test is not None:
        return train_test(material.train, material.test, choices.models, _plan(choices), watch)
    run = leave_one_question_out if choices.protocol == "questions" else cross_validate
    return run(material.train, choices.models, _plan(choices), watch)


def _check(material: Material, choices: Choices) -> None:
    if (choices.protocol == "test") != (material.test is not None):
        message = "test files are needed." if material.test is None else "there are test files: they are the protocol."
        raise _refused("protocol", message, "Name both test files, or choose folds.")
    if (choices.protocol == "questions") != (material.run is not None):
        message = "questions are left out one by one for a run, and for nothing else."
        raise _refused("protocol", message, "Choose folds for opinions, questions for a run.")


def _usable(material: Material, choices: Choices) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    """Leave out models to compare with that need the judge's own opinion on the target, where there is none."""
    train = material.train
    if train.target not in train.inputs:
        cannot = dict.fromkeys(("raw", "argmax", "net_own"), "the judge gave no opinion on the target itself")
    else:
        cannot = {} if train.probabilities is not None else {"argmax": "the judge gave no probabilities"}
    if len(set(train.judges)) == 1:
        cannot |= {"judge_mean": "there is one person only, whose mean is the constant"}
    skipped = tuple((name, cannot[name]) for name in choices.beside if name in cannot and name != choices.model)
    return tuple(name for name in choices.models if name not in dict(skipped)), skipped


def _part(watch: Watch, ends: tuple[float, float], share: float, doing: str) -> None:
    """Pass on a share of one part of the work as one of the whole."""
    low, high = ends
    watch(low + (high - low) * share, doing)


def _refused(kind: str, message: str, remedy: str) -> UsageError:
    return UsageError("calibrate", [Problem("error", kind, message, remedy)])
