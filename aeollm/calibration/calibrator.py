"""Fit by name, predict with a distribution, a mean and an interval."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aeollm.calibration.examples import NOBODY, Examples, Floats
from aeollm.calibration.features import Judges, judges_of
from aeollm.calibration.fitting import RECIPES, Training
from aeollm.calibration.models import Model
from aeollm.calibration.scale import Scale, scale_of
from aeollm.calibration.settings import Settings, Watch
from aeollm.errors import Problem, UsageError

MODELS = tuple(RECIPES)
DEFAULT_MODEL = "mix"
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
    values: Floats
    probabilities: Floats
    expected: Floats
    low: Floats
    high: Floats
    level: float
    known: NDArray[np.bool_]
    seen: NDArray[np.bool_]
    problems: tuple[Problem, ...]

    def __len__(self) -> int:
        """Count the rows."""
        return len(self.texts)


@dataclass(frozen=True, eq=False)
class Calibrator:
    """A fitted model of one target, with who and what it was trained on.

    ``trained_on`` lists the texts; ``digest`` is a SHA-256 of the training rows.
    """

    model: str
    target: str
    settings: Settings
    scale: Scale
    people: Judges
    trained_on: frozenset[str]
    n_train: int
    digest: str
    fitted: Model

    @property
    def values(self) -> Floats:
        """Give the answers that probabilities are of."""
        return self.scale.values

    @property
    def judges(self) -> Mapping[str, int]:
        """Give how many answers every judge gave in training."""
        return dict(zip(self.people.names, self.people.counts, strict=True))

    @property
    def signed(self) -> str:
        """Give model, target, seed and training rows as a signature names them."""
        return f"{self.model}@{self.digest[:8]}|target={self.target.replace('|', '%7C')}|seed={self.settings.seed}"

    def predict(self, cases: Examples, level: float = 0.8) -> Predictions:
        """Answer for every row, for the judge that it names.

        Raises
        ------
        UsageError
            If inputs that training used are missing.
        ValueError
            For a level outside (0, 1).
        """
        if not 0 < level < 1:
            raise ValueError(f"a level lies between 0 and 1, not {level!r}")
        counts = self.judges
        known = np.array([counts.get(judge, 0) > 0 for judge in cases.judges], dtype=bool)
        seen = np.array([text in self.trained_on for text in cases.texts], dtype=bool)
        answered = self.fitted.answer(cases, self.people.rows(cases.judges), self.scale)
        low, high = _interval(answered.probabilities, self.values, level)
        return Predictions(
            texts=cases.texts,
            groups=cases.groups,
            judges=cases.judges,
            values=self.values,
            probabilities=answered.probabilities,
            expected=np.round(answered.expected, _DIGITS),
            low=low,
            high=high,
            level=level,
            known=known,
            seen=seen,
            problems=tuple(_warnings(cases, known, seen)),
        )


def _interval(probabilities: Floats, values: Floats, level: float) -> tuple[Floats, Floats]:
    """Give the values at which each tail still holds no more than half of what is left out."""
    tail = (1 - level) / 2
    absent = np.isnan(probabilities.sum(axis=1))
    below = np.cumsum(np.where(absent[:, None], 0.0, probabilities), axis=1)
    low = values[np.minimum((below <= tail + 1e-12).sum(axis=1), len(values) - 1)]
    high = values[np.minimum((below < 1 - tail - 1e-12).sum(axis=1), len(values) - 1)]
    return np.where(absent, np.nan, low), np.where(absent, np.nan, high)


def _warnings(cases: Examples, known: NDArray[np.bool_], seen: NDArray[np.bool_]) -> list[Problem]:
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


def fit(
    examples: Examples, model: str = DEFAULT_MODEL, settings: Settings | None = None, watch: Watch | None = None
) -> Calibrator:
    """Fit one model to people's answers.

    Penalties and the end of training are chosen by folds over the examples' own groups, nothing else. The result does
    not depend on the order of the rows, nor on how judges are named beyond their order as text.

    Parameters
    ----------
    examples : of which rows without an answer to the target serve the network's pretraining only.
    model : one of `MODELS`.
    settings : seed and choices.
    watch : told how far the fit is; what it raises ends it.

    Raises
    ------
    UsageError
        For an unknown model, or when fewer than two groups (texts; for runs questions) have answers to the target.
    """
    chosen, tell = settings or Settings(), watch or _silent
    if model not in RECIPES:
        raise _unusable("unknown_model", f"There is no model {model!r}.", f"Known are: {', '.join(MODELS)}.")
    every = examples.take(_one_order(examples))
    rows = every.take(np.flatnonzero(~np.isnan(every.answered)))
    if len(set(rows.groups)) < 2:
        raise _unusable(
            "too_few_answers",
            f"Fewer than two texts have answers to {examples.target!r}: nothing can be learnt from them.",
            "Give more answers; a dozen of every judge are a good start.",
        )
    scale = scale_of(rows.answered, rows.options[rows.place], chosen.bins)
    tell(0.0, model)
    training = Training(every, rows, scale, judges_of(every), chosen, lambda share: tell(share, model))
    fitted = RECIPES[model](training)
    tell(1.0, model)
    return Calibrator(
        model=model,
        target=examples.target,
        settings=chosen,
        scale=scale,
        people=training.judges,
        trained_on=frozenset(every.texts),
        n_train=len(rows),
        digest=_digest(every),
        fitted=fitted,
    )


def _silent(_share: float, _step: str) -> None:
    return


def _one_order(examples: Examples) -> list[int]:
    """Sort rows by judge, text and answers: float sums then come out alike however the file was ordered."""
    answers = np.nan_to_num(examples.answers, nan=0.0).tolist()
    keys = list(zip(examples.judges, examples.texts, answers, strict=True))
    return sorted(range(len(keys)), key=keys.__getitem__)


def _digest(rows: Examples) -> str:
    named = json.dumps([rows.target, rows.inputs, rows.targets, rows.options, rows.texts, rows.judges])
    digest = hashlib.sha256(named.encode("utf-8", "surrogatepass"))
    for numbers in (rows.expected, rows.answers):
        digest.update(np.ascontiguousarray(numbers, dtype="<f8").tobytes())
    return digest.hexdigest()


def _unusable(kind: str, message: str, remedy: str) -> UsageError:
    return UsageError("calibration", [Problem("error", kind, message, remedy)])


@dataclass(frozen=True, slots=True)
class JudgeEffect:
    """How much higher a judge answers than the shared part on the same texts: below 0 is strict."""

    judge: str
    answers: int
    effect: float


def judge_effects(calibrator: Calibrator, cases: Examples) -> tuple[JudgeEffect, ...]:
    """Compare every judge of training with the shared part over the texts of some cases, the strictest first."""
    _, rows = np.unique(np.array(cases.texts, dtype=np.str_), return_index=True)
    texts = cases.take(rows)
    shared = calibrator.fitted.answer(texts, np.full(len(texts), len(calibrator.people)), calibrator.scale).expected
    found = []
    for row, (name, count) in enumerate(calibrator.judges.items()):
        own = calibrator.fitted.answer(texts, np.full(len(texts), row), calibrator.scale).expected
        found.append(JudgeEffect(name, count, float(np.mean(own - shared))))
    return tuple(sorted(found, key=lambda one: (one.effect, one.judge)))
