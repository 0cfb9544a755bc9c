"""Examples -> a fitted model, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from aeollm.calibration import linear, ordinal
from aeollm.calibration.examples import Examples, Floats
from aeollm.calibration.features import Features, Ints, Judges, Kind, features_of
from aeollm.calibration.folds import grouped_folds
from aeollm.calibration.models import (
    Argmax,
    LinearModel,
    Member,
    Mix,
    Model,
    NetworkModel,
    OrdinalModel,
    Raw,
    Weights,
    own_place,
)
from aeollm.calibration.network.loss import Reach
from aeollm.calibration.network.shape import Network, Shape
from aeollm.calibration.network.training import NetworkData, Plan, choose_courses, phases, train
from aeollm.calibration.scale import Scale, scale_of, shares, tilt_of
from aeollm.calibration.settings import Settings

_FOLDS = 5
_FEW_FOLDS = 3
"""For what takes longer to fit."""
HIDDEN = (15, 15)
_DIGITS = 6


@dataclass(frozen=True, eq=False)
class Training:
    """What every recipe starts from: rows in one order, the target's scale, judges, choices, and who is told.

    ``every`` holds all rows, ``rows`` those that answered the target.
    """

    every: Examples
    rows: Examples
    scale: Scale
    judges: Judges
    settings: Settings
    step: Callable[[float], None]
    done: dict[str, Model] = field(default_factory=dict)

    def model(self, name: str) -> Model:
        """Fit a model, or give it if it was fitted: a mix shares its parts with whoever wants them alone."""
        if name not in self.done:
            self.done[name] = RECIPES[name](self)
        return self.done[name]

    @cached_property
    def classes(self) -> Ints:
        """Give the answers' places."""
        return self.scale.classes(self.rows.answered)

    @cached_property
    def marginal(self) -> Floats:
        """Give the answers' shares."""
        return shares(self.classes, len(self.scale))

    @property
    def personal(self) -> bool:
        """Say whether judges get parameters: one judge alone is the shared part."""
        return self.settings.personal and len(self.judges) > 1

    def folds(self, rows: Examples, number: int) -> Ints:
        """Give the folds in which penalties are chosen."""
        return grouped_folds(rows.groups, number, self.settings.seed)


def _linear(training: Training, *, inputs: bool, effects: str) -> Model:
    features = features_of(training.rows, training.rows.inputs, "expected") if inputs else None
    x = np.zeros((len(training.rows), 0)) if features is None else features.of(training.rows)
    width = {"none": 0, "intercept": 1, "slopes": 1 + x.shape[1]}[effects if training.personal else "none"]
    rows = linear.Data(
        x, training.rows.answered, training.judges.rows(training.rows.judges), training.folds(training.rows, _FOLDS)
    )
    fitted = linear.fit_linear(rows, len(training.judges), width)
    tilt = tilt_of(training.scale.values, training.marginal, training.scale.clipped(fitted.unseen), training.classes)
    return LinearModel(features, fitted.model, tilt)


def _ordinal(training: Training, *, effects: str) -> Model:
    features = features_of(training.rows, training.rows.inputs, "expected")
    x = features.of(training.rows)
    width = {"intercept": 1, "slopes": 1 + x.shape[1]}[effects] if training.personal else 0
    rows = ordinal.Data(
        x, training.classes, training.judges.rows(training.rows.judges), training.folds(training.rows, _FEW_FOLDS)
    )
    shape = ordinal.Shape(len(training.scale), x.shape[1], len(training.judges), width)
    return OrdinalModel(features, ordinal.fit_ordinal(rows, shape, training.marginal, training.step)[0])


def _network(training: Training, *, own: bool) -> Model:
    every = training.every
    kind: Kind = "expected" if every.probabilities is None or not own else "probabilities"
    inputs = (every.inputs[own_place(every)],) if own else every.inputs
    features = features_of(every, inputs, kind)
    rows = _network_data(training, features)
    heads = tuple(len(marginal) for marginal in rows.marginals)
    shape = Shape(rows.x.shape[1], *HIDDEN, heads, len(training.judges), training.personal)
    settings = training.settings
    ends = phases(pretrain=settings.pretrain and len(heads) > 1, finetune=settings.finetune or len(heads) == 1)
    folds = training.folds(every, _FEW_FOLDS)
    plan = Plan(ends, folds, [settings.seed, 0], lambda share: training.step(0.7 * share))
    courses = choose_courses(rows, shape, plan)
    members = []
    for number in range(settings.members):
        share = 0.7 + 0.3 * number / settings.members
        course = courses[number % len(courses)]
        network = train(rows, shape, course, [settings.seed, 1, number], lambda at=share: training.step(at))  # type: ignore[misc]
        members.append(_member(network, course.penalty.reach))
    return NetworkModel(features, tuple(members))


def _network_data(training: Training, features: Features) -> NetworkData:
    """Put all targets that were answered on scales of their own; the wanted one's is the calibrator's."""
    every, columns, marginals = training.every, [], []
    targets = [name for place, name in enumerate(every.targets) if not np.isnan(every.answers[:, place]).all()]
    for name in targets:
        place = every.targets.index(name)
        answers = every.answers[:, place]
        scale = scale_of(answers, every.options[place], training.settings.bins)
        columns.append(scale.classes(answers))
        marginals.append(shares(columns[-1], len(scale)))
    judges = training.judges.rows(every.judges)
    return NetworkData(features.of(every), judges, np.stack(columns, axis=1), targets.index(every.target), marginals)


def _member(network: Network, reach: Reach) -> Member:
    """Keep judges' parameters as what they add."""
    if network.own is None:
        return Member(_rounded(*network.shared), None)
    own = [reach.weights * part for part in network.own]
    own[2][:, -1] *= reach.biases / reach.weights
    return Member(_rounded(*network.shared), _rounded(*own))


def _rounded(first: Floats, second: Floats, third: Floats) -> Weights:
    """Cut digits that change nothing that can be seen: a saved network is half as long."""
    return np.round(first, _DIGITS), np.round(second, _DIGITS), np.round(third, _DIGITS)


def _raw(training: Training) -> Model:
    own_place(training.rows)
    return Raw()


def _argmax(training: Training) -> Model:
    own_place(training.rows)
    return Argmax()


def _mix(training: Training) -> Model:
    parts = []
    for place, name in enumerate(MIXED):
        inner = replace(training, step=lambda share, at=place: training.step((at + share) / len(MIXED)))  # type: ignore[misc]
        parts.append(inner.model(name))
    return Mix(tuple(parts))


MIXED = ("ridge_slopes", "ordinal_slopes", "net")

RECIPES: dict[str, Callable[[Training], Model]] = {
    "raw": _raw,
    "argmax": _argmax,
    "constant": lambda training: _linear(training, inputs=False, effects="none"),
    "judge_mean": lambda training: _linear(training, inputs=False, effects="intercept"),
    "ridge": lambda training: _linear(training, inputs=True, effects="intercept"),
    "ridge_slopes": lambda training: _linear(training, inputs=True, effects="slopes"),
    "ordinal": lambda training: _ordinal(training, effects="intercept"),
    "ordinal_slopes": lambda training: _ordinal(training, effects="slopes"),
    "net": lambda training: _network(training, own=False),
    "net_own": lambda training: _network(training, own=True),
    "mix": _mix,
}
