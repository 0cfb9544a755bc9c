"""Fitted models as data: what each needs to answer, and how it does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from aeollm.calibration.examples import Examples, Floats
from aeollm.calibration.features import Features, Ints
from aeollm.calibration.linear import Linear
from aeollm.calibration.network.loss import batch_of, probabilities
from aeollm.calibration.network.shape import Shape
from aeollm.calibration.ordinal import Ordinal
from aeollm.calibration.scale import Scale, Tilt
from aeollm.errors import Problem, UsageError

Weights = tuple[Floats, Floats, Floats]


class Answered(NamedTuple):
    """Probabilities of the answers, shape (n, K), nan where a model gives none, and means, shape (n,)."""

    probabilities: Floats
    expected: Floats


class Model(Protocol):
    """What every fitted model does."""

    def answer(self, cases: Examples, judges: Ints, scale: Scale) -> Answered:
        """Answer for rows; ``judges`` are rows of the judge effects, the last row for those not seen in training."""
        ...


@dataclass(frozen=True, eq=False)
class Raw:
    """The automatic judge as it is: its own probabilities of the target's answers, or its own decimal score.

    Probabilities are divided by their sum: what lies outside the options takes no part.
    """

    def answer(self, cases: Examples, judges: Ints, scale: Scale) -> Answered:  # noqa: ARG002  one protocol
        """Give the judge's own answer, to everybody the same."""
        own = cases.own
        if own is None:
            expected = cases.expected[:, own_place(cases)]
            return Answered(np.full((len(cases), len(scale)), np.nan), expected)
        mass = own.sum(axis=1, keepdims=True)
        given = np.divide(own, mass, out=np.full(own.shape, np.nan), where=mass > 0)
        return Answered(given, given @ scale.values)


@dataclass(frozen=True, eq=False)
class Argmax:
    """The automatic judge's most probable answer, the lowest of several; certain of it."""

    def answer(self, cases: Examples, judges: Ints, scale: Scale) -> Answered:
        """Give the answer with all probability on it."""
        given = Raw().answer(cases, judges, scale).probabilities
        absent = np.isnan(given.sum(axis=1))
        chosen = np.argmax(np.where(absent[:, None], 0.0, given), axis=1)
        certain = np.eye(len(scale))[chosen]
        certain[absent] = np.nan
        return Answered(certain, certain @ scale.values)


@dataclass(frozen=True, eq=False)
class LinearModel:
    """A linear mean, and the `Tilt` that makes probabilities of it. Without ``features``: means only."""

    features: Features | None
    linear: Linear
    tilt: Tilt

    def answer(self, cases: Examples, judges: Ints, scale: Scale) -> Answered:
        """Give the mean, and the distribution with that mean."""
        x = np.zeros((len(cases), 0)) if self.features is None else self.features.of(cases)
        means = scale.clipped(self.linear.means(x, judges))
        return Answered(self.tilt.probabilities(means), means)


@dataclass(frozen=True, eq=False)
class OrdinalModel:
    """Cumulative-link regression on standardised inputs."""

    features: Features
    ordinal: Ordinal

    def answer(self, cases: Examples, judges: Ints, scale: Scale) -> Answered:
        """Give the distribution and its mean."""
        given = self.ordinal.probabilities(self.features.of(cases), judges)
        return Answered(given, given @ scale.values)


@dataclass(frozen=True, eq=False)
class Member:
    """One trained network, its target's head only: shared weights, and what judges add, shape (judges, rows, columns).

    ``own`` is None for a network without judges' parameters.
    """

    shared: Weights
    own: Weights | None

    def weights(self, judges: Ints) -> Weights:
        """Give the weights of some judges, in rising order; those of one not seen in training are the shared ones."""
        if self.own is None:
            first, second, third = (np.repeat(part[None], len(judges), axis=0) for part in self.shared)
            return first, second, third
        first, second, third = (_grown(*both, judges) for both in zip(self.shared, self.own, strict=True))
        return first, second, third


def _grown(shared: Floats, own: Floats, judges: Ints) -> Floats:
    strangers = int((judges >= len(own)).sum())
    grown: Floats = shared + np.concatenate([own[judges[judges < len(own)]], np.zeros((strangers, *shared.shape))])
    return grown


@dataclass(frozen=True, eq=False)
class NetworkModel:
    """Networks from several seeds; their probabilities are averaged."""

    features: Features
    members: tuple[Member, ...]

    def answer(self, cases: Examples, judges: Ints, scale: Scale) -> Answered:
        """Give the averaged distribution and its mean."""
        x = self.features.of(cases)
        # Rows are laid out judge by judge: of a thousand people only those asked for take room.
        asked, rows = np.unique(judges, return_inverse=True)
        shape = Shape(x.shape[1], 0, 0, (len(scale),), len(asked), personal=True)
        batch = batch_of(x, rows, np.full((len(cases), 1), -1), len(asked))
        found = [probabilities(member.weights(asked), shape, batch)[:, 0] for member in self.members]
        given = np.mean(found, axis=0)
        return Answered(given, given @ scale.values)


@dataclass(frozen=True, eq=False)
class Mix:
    """Several models' probabilities and means, averaged."""

    parts: tuple[Model, ...]

    def answer(self, cases: Examples, judges: Ints, scale: Scale) -> Answered:
        """Average the parts."""
        found = [part.answer(cases, judges, scale) for part in self.parts]
        return Answered(
            np.mean([one.probabilities for one in found], axis=0), np.mean([one.expected for one in found], axis=0)
        )


def own_place(cases: Examples) -> int:
    """Give the input that is the automatic judge's own opinion on the target.

    Raises
    ------
    UsageError
        If it gave none.
    """
    if cases.target not in cases.inputs:
        raise UsageError(
            "calibration",
            [
                Problem(
                    "error",
                    "no_own_opinion",
                    f"The automatic judge has no opinion of its own on {cases.target!r}.",
                    "Choose a model that predicts it from the other inputs, such as ridge.",
                )
            ],
        )
    return cases.inputs.index(cases.target)
