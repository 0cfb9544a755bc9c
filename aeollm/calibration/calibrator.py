"""Fit by name, predict with a distribution, a mean and an interval."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from aeollm.calibration.examples import Examples, Floats
from aeollm.calibration.features import Judges, judges_of
from aeollm.calibration.fitting import RECIPES, Training
from aeollm.calibration.models import Model
from aeollm.calibration.predictions import Predictions, predictions_of
from aeollm.calibration.scale import Scale, scale_of
from aeollm.calibration.settings import Settings, Watch
from aeollm.errors import Problem, UsageError

MODELS = tuple(RECIPES)
DEFAULT_MODEL = "mix"
"""Least log-loss and least RMSE of all in five-fold cross-validation on LLM-Rubric's synthetic dialogues, five seeds
(`benchmarks/llm_rubric.py C`); chosen by that alone, before any of these models saw a real dialogue."""


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
        counts = self.judges
        known = np.array([counts.get(judge, 0) > 0 for judge in cases.judges], dtype=bool)
        seen = np.array([text in self.trained_on for text in cases.texts], dtype=bool)
        answered = self.fitted.answer(cases, self.people.rows(cases.judges), self.scale)
        return predictions_of(cases, self.scale, answered, (known, seen), level)


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
    return fit_models(examples, (model,), settings, watch)[model]


def fit_models(
    examples: Examples, models: Sequence[str], settings: Settings | None = None, watch: Watch | None = None
) -> dict[str, Calibrator]:
    """Fit several models to the same rows, as `fit` does each; what they have in common is fitted once."""
    chosen, tell = settings or Settings(), watch or _silent
    for name in models:
        if name not in RECIPES:
            raise _unusable("unknown_model", f"There is no model {name!r}.", f"Known are: {', '.join(MODELS)}.")
    every = examples.take(_one_order(examples))
    rows = every.take(np.flatnonzero(~np.isnan(every.answered)))
    if len(set(rows.groups)) < 2:
        raise _unusable(
            "too_few_answers",
            f"Fewer than two texts have answers to {examples.target!r}: nothing can be learnt from them.",
            "Give more answers; a dozen of every judge are a good start.",
        )
    scale = scale_of(rows.answered, rows.options[rows.place], chosen.bins)
    training = Training(every, rows, scale, judges_of(every), chosen, _nothing)
    digest = _digest(every)
    weights = [_COSTS.get(name, 1.0) for name in models]
    found = {}
    for place, name in enumerate(models):
        before, part = sum(weights[:place]) / sum(weights), weights[place] / sum(weights)
        tell(before, name)
        step = partial(_part, tell, name, (before, part))
        found[name] = _calibrator(replace(training, step=step), name, digest)
    tell(1.0, "fitted")
    return found


_COSTS = {"net": 30.0, "net_own": 30.0, "ordinal": 2.0, "ordinal_slopes": 10.0, "mix": 40.0}
"""Roughly, against a ridge regression."""


def _part(tell: Watch, name: str, ends: tuple[float, float], share: float) -> None:
    tell(ends[0] + ends[1] * share, name)


def _calibrator(training: Training, name: str, digest: str) -> Calibrator:
    return Calibrator(
        model=name,
        target=training.every.target,
        settings=training.settings,
        scale=training.scale,
        people=training.judges,
        trained_on=frozenset(training.every.texts),
        n_train=len(training.rows),
        digest=digest,
        fitted=training.model(name),
    )


def _nothing(_share: float) -> None:
    return


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
