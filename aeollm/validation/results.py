"""What comes of a protocol: every model's predictions of unseen rows, and how good they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from aeollm.calibration import (
    QUALITIES,
    Curve,
    Examples,
    Floor,
    Predictions,
    Quality,
    Settings,
    mean_quality,
    measure,
    reliability_curve,
    smooth_ece,
    smooth_ece_floor,
)
from aeollm.validation.paired import Floats, Ints, correlation_tests, mean_tests
from aeollm.validation.resampled import Scored, interval, replicates, resample_weights

_FLOOR_DRAWS = 200


@dataclass(frozen=True, slots=True)
class Plan:
    """How models are tried.

    ``folds`` groups of texts are held out in turn; every one of ``seeds`` draws them anew and starts the networks
    anew; ``settings`` say the rest (their seed is replaced). Intervals take ``resamples`` draws; models are compared
    with ``reference`` where it is among them.
    """

    folds: int = 5
    seeds: tuple[int, ...] = (0, 1, 2)
    settings: Settings = field(default_factory=Settings)
    resamples: int = 1_000
    reference: str = "raw"


@dataclass(frozen=True, slots=True)
class Difference:
    """A model's measure minus the reference's, with the interval of the paired difference."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Validated:
    """One model: figures averaged over seeds, with 95 % intervals over texts.

    ``p`` are two-sided paired tests against the reference by text, of the squared errors, of the losses and of
    Pearson's correlations; ``difference`` the measures' differences. Both are empty for the reference itself.
    ``by_seed`` holds every seed's predictions, in the order of the rows scored.
    """

    quality: Quality
    per_seed: tuple[Quality, ...]
    low: Quality
    high: Quality
    p: Mapping[str, float]
    difference: Mapping[str, Difference]
    by_seed: tuple[Predictions, ...]
    scored: tuple[Scored, ...]

    @property
    def predictions(self) -> Predictions:
        """Give the first seed's predictions: one honest set, not the average of several, which would be better."""
        return self.by_seed[0]

    @cached_property
    def smece(self) -> Mapping[float, float]:
        """Give every answer's smooth calibration error, averaged over seeds; empty without probabilities of options."""
        return {
            value: float(np.mean([smooth_ece(*self._forecasts(seed, value)) for seed in range(len(self.by_seed))]))
            for value in self._answers
        }

    @cached_property
    def floors(self) -> Mapping[float, Floor]:
        """Give what perfectly calibrated probabilities such as the first seed's would score."""
        return {
            value: smooth_ece_floor(self._forecasts(0, value)[0], seed=0, draws=_FLOOR_DRAWS) for value in self._answers
        }

    @cached_property
    def curves(self) -> Mapping[float, Curve]:
        """Give the first seed's reliability diagram of every answer."""
        return {value: reliability_curve(*self._forecasts(0, value)) for value in self._answers}

    @property
    def _answers(self) -> list[float]:
        given = self.predictions.scale.exact and not np.isnan(self.predictions.probabilities).any()
        values: list[float] = self.predictions.values.tolist()
        return values if given else []

    def _forecasts(self, seed: int, value: float) -> tuple[Floats, Floats]:
        found = self.by_seed[seed]
        place = found.values.tolist().index(value)
        # Rounding may leave a sum of probabilities a hair above 1.
        return np.clip(found.probabilities[:, place], 0.0, 1.0), (self.scored[seed].answers == value).astype(np.float64)


@dataclass(frozen=True, eq=False)
class Validation:
    """All models under one protocol. ``rows`` are those scored, in the order of all predictions."""

    protocol: str
    plan: Plan
    models: Mapping[str, Validated]
    rows: Examples
    n_train: int

    @property
    def n_test(self) -> int:
        """Count the rows scored."""
        return len(self.rows)

    @property
    def seeds(self) -> tuple[int, ...]:
        """Give the seeds."""
        return self.plan.seeds

    def compare(self, ours: str, theirs: str) -> dict[str, float]:
        """Test all five measures of two models, paired by text; two-sided p."""
        return self.tests_against(self.models[theirs], ours)

    def tests_against(self, other: Validated, name: str) -> dict[str, float]:
        """Test one of the models against one that predicted the same rows under another plan."""
        mine = self.models[name].scored
        groups, rng = numbered(self.rows.groups), np.random.default_rng([self.plan.seeds[0], 1])
        return mean_tests(mine, other.scored, groups, rng) | correlation_tests(mine, other.scored, groups, rng)


def numbered(groups: Sequence[str]) -> Ints:
    """Give the number of every row's group."""
    return np.asarray(np.unique(np.array(groups, dtype=np.str_), return_inverse=True)[1])


class Judged(NamedTuple):
    """Predictions, and the probability that they gave to each answer that came."""

    predictions: Predictions
    likelihoods: Floats


def summarise(found: Mapping[str, Sequence[Judged]], rows: Examples, plan: Plan) -> dict[str, Validated]:
    """Measure every model's predictions of the rows, one set a seed."""
    weights = resample_weights(rows.groups, plan.resamples, np.random.default_rng([plan.seeds[0], 0]))
    scored = {
        name: tuple(Scored(one.predictions.expected, rows.answered, one.likelihoods) for one in several)
        for name, several in found.items()
    }
    drawn = {name: np.mean([replicates(one, weights) for one in several], axis=0) for name, several in scored.items()}
    summary = _Summary(rows, plan, scored, drawn)
    return {name: summary.of(name, tuple(one.predictions for one in several)) for name, several in found.items()}


@dataclass(frozen=True, eq=False)
class _Summary:
    rows: Examples
    plan: Plan
    scored: Mapping[str, tuple[Scored, ...]]
    drawn: Mapping[str, Floats]

    def of(self, name: str, several: tuple[Predictions, ...]) -> Validated:
        per_seed = self._per_seed(name)
        low, high = (self._quality(ends) for ends in interval(self.drawn[name], self._groups))
        reference = self.plan.reference
        against = reference in self.scored and reference != name
        return Validated(
            quality=mean_quality(list(per_seed)),
            per_seed=per_seed,
            low=low,
            high=high,
            p=self._tests(name) if against else {},
            difference=self._differences(name) if against else {},
            by_seed=several,
            scored=self.scored[name],
        )

    @property
    def _groups(self) -> int:
        return len(set(self.rows.groups))

    def _per_seed(self, name: str) -> tuple[Quality, ...]:
        return tuple(measure(*one) for one in self.scored[name])

    def _quality(self, values: Floats) -> Quality:
        rmse, pearson, spearman, kendall, nll = values.tolist()
        return Quality(rmse, pearson, spearman, kendall, nll, len(self.rows))

    def _tests(self, name: str) -> dict[str, float]:
        mine, other = self.scored[name], self.scored[self.plan.reference]
        groups, rng = numbered(self.rows.groups), np.random.default_rng([self.plan.seeds[0], 1])
        return mean_tests(mine, other, groups, rng) | correlation_tests(mine, other, groups, rng, ("pearson",))

    def _differences(self, name: str) -> dict[str, Difference]:
        reference = self.plan.reference
        low, high = interval(self.drawn[name] - self.drawn[reference], self._groups)
        mine, other = (mean_quality(list(self._per_seed(one))) for one in (name, reference))
        return {
            measure_name: Difference(
                getattr(mine, measure_name) - getattr(other, measure_name), float(low[place]), float(high[place])
            )
            for place, measure_name in enumerate(QUALITIES)
        }
