"""What a calibrator says of rows: distributions, means, intervals, and what to know about them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aeollm.calibration.examples import NOBODY, Examples, Floats
from aeollm.calibration.models import Answered
from aeollm.calibration.quality import Quality, measure
from aeollm.calibration.scale import Scale
from aeollm.errors import Problem

Bools = NDArray[np.bool_]

_DIGITS = 12
"""Beyond these, digits depend on what else is predicted at once: equal predictions are to be equal numbers."""


@dataclass(frozen=True, eq=False)
class Predictions:
    """What a calibrator says of rows, in their order.

    ``probabilities``, shape (n, K), are those of ``values``, nan where the model gives none; ``expected`` is the mean;
    between ``low`` and ``high`` lies at least ``level`` of the probability. ``known`` is False where the judge gave no
    answer in training, so that the shared part speaks; ``seen`` is True where the text was trained on.
    """

    texts: tuple[str, ...]
    groups: tuple[str, ...]
    judges: tuple[str, ...]
    scale: Scale
    probabilities: Floats
    expected: Floats
    low: Floats
    high: Floats
    level: float
    known: Bools
    seen: Bools
    problems: tuple[Problem, ...]

    def __len__(self) -> int:
        """Count the rows."""
        return len(self.texts)

    @property
    def values(self) -> Floats:
        """Give the answers that probabilities are of."""
        return self.scale.values

    def likelihoods(self, answers: Floats) -> Floats:
        """Give the probability that was given to each answer, nan without answer or probability."""
        classes = self.scale.classes(answers)
        given = self.probabilities[np.arange(len(classes)), np.maximum(classes, 0)]
        return np.where(classes >= 0, given, np.nan)


def predictions_of(
    cases: Examples, scale: Scale, answered: Answered, marks: tuple[Bools, Bools], level: float
) -> Predictions:
    """Add intervals and warnings to answers; ``marks`` are ``known`` and ``seen``.

    Raises
    ------
    ValueError
        For a level outside (0, 1).
    """
    if not 0 < level < 1:
        raise ValueError(f"a level lies between 0 and 1, not {level!r}")
    known, seen = marks
    low, high = _interval(answered.probabilities, scale.values, level)
    return Predictions(
        texts=cases.texts,
        groups=cases.groups,
        judges=cases.judges,
        scale=scale,
        probabilities=answered.probabilities,
        expected=np.round(answered.expected, _DIGITS),
        low=low,
        high=high,
        level=level,
        known=known,
        seen=seen,
        problems=tuple(_warnings(cases, known, seen)),
    )


def measure_predictions(predictions: Predictions, examples: Examples) -> Quality:
    """Measure predictions against the answers of the same rows."""
    answers = examples.answered
    return measure(predictions.expected, answers, predictions.likelihoods(answers))


def pool(several: Sequence[Predictions], order: NDArray[np.intp]) -> Predictions:
    """Put predictions end to end, then in the order given; of one scale, or of bins that differ.

    Bins differ from fold to fold, so that their probabilities cannot be laid side by side: they are left out.
    """
    first, places = several[0], order.tolist()
    if len(several) == 1:
        return first

    def named(columns: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
        laid = [name for column in columns for name in column]
        return tuple(laid[place] for place in places)

    def laid(columns: Iterable[Floats]) -> Floats:
        return np.concatenate(list(columns))[order]

    def marked(columns: Iterable[Bools]) -> Bools:
        return np.concatenate(list(columns))[order]

    exact = first.scale.exact
    absent = np.full((len(order), len(first.scale)), np.nan)
    return Predictions(
        texts=named(one.texts for one in several),
        groups=named(one.groups for one in several),
        judges=named(one.judges for one in several),
        scale=first.scale,
        probabilities=laid(one.probabilities for one in several) if exact else absent,
        expected=laid(one.expected for one in several),
        low=laid(one.low for one in several),
        high=laid(one.high for one in several),
        level=first.level,
        known=marked(one.known for one in several),
        seen=marked(one.seen for one in several),
        problems=(),
    )


def _interval(probabilities: Floats, values: Floats, level: float) -> tuple[Floats, Floats]:
    """Give the values at which each tail still holds no more than half of what is left out."""
    tail = (1 - level) / 2
    absent = np.isnan(probabilities.sum(axis=1))
    below = np.cumsum(np.where(absent[:, None], 0.0, probabilities), axis=1)
    low = values[np.minimum((below <= tail + 1e-12).sum(axis=1), len(values) - 1)]
    high = values[np.minimum((below < 1 - tail - 1e-12).sum(axis=1), len(values) - 1)]
    return np.where(absent, np.nan, low), np.where(absent, np.nan, high)


def _warnings(cases: Examples, known: Bools, seen: Bools) -> list[Problem]:
    found = []
    strangers = sorted({judge for judge, there in zip(cases.judges, known, strict=True) if not there} - {NOBODY})
    if strangers:
        some = ", ".join(strangers[:10]) + (", …" if len(strangers) > 10 else "")
        found.append(
            Problem(
                "warning",
                "unseen_judges",
                f"{len(strangers)} judges gave no answer in training ({some}): what all judges share speaks for them.",
                "A dozen answers of a judge are worth collecting.",
            )
        )
    if seen.any():
        found.append(
            Problem(
                "warning",
                "in_sample",
                f"{int(seen.sum())} of {len(seen)} rows are of texts that the calibrator was trained on: "
                "agreement with people on them is too good to be true.",
                "Judge a calibrator by folds or by other texts.",
            )
        )
    return found
