"""A trial of a calibration as the documented JSON object, and as a spreadsheet of predictions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from aeollm.calibration import QUALITIES, Calibrator, Predictions, Quality
from aeollm.errors import Problem
from aeollm.exports.spreadsheets import Cell, csv_bytes
from aeollm.trials import Trial, predicted


def trial_json(trial: Trial) -> dict[str, Any]:
    """Give the documented object (README, "JSON")."""
    validation, chosen = trial.validation, trial.chosen
    others = {name: found for name, found in validation.models.items() if name != trial.choices.model}
    return {
        "protocol": trial.choices.protocol,
        "model": trial.choices.model,
        "n_train": trial.fitted.n_train,
        "n_test": validation.n_test,
        "seeds": len(validation.seeds),
        "scores": _scores(chosen.quality),
        "per_seed": [
            {"seed": seed} | _scores(quality) for seed, quality in zip(validation.seeds, chosen.per_seed, strict=True)
        ],
        "baselines": {name: _scores(found.quality) for name, found in others.items()},
        "smece": {_answer(answer): _plain(value) for answer, value in chosen.smece.items()},
        "smece_floor": {
            _answer(answer): {"mean": _plain(floor.mean), "high": _plain(floor.high)}
            for answer, floor in chosen.floors.items()
        },
        "intervals": {
            name: {"low": _scores(found.low), "high": _scores(found.high)} for name, found in validation.models.items()
        },
        "target": trial.target,
        "judges": dict(trial.fitted.judges),
        "effects": {effect.judge: _plain(effect.effect) for effect in trial.effects},
        "in_sample": _scores(trial.in_sample),
        "skipped": dict(trial.skipped),
        "demo": trial.material.demo,
        "problems": [problem.to_json() for problem in trial.material.problems],
        "signature": trial.signature,
    }


def refused_trial_json(protocol: str, model: str, problems: Sequence[Problem]) -> dict[str, Any]:
    """Give the same object for inputs that cannot be used: no numbers, and why."""
    return {
        "protocol": protocol,
        "model": model,
        "n_train": 0,
        "n_test": 0,
        "seeds": 0,
        "scores": None,
        "per_seed": [],
        "baselines": {},
        "smece": {},
        "problems": [problem.to_json() for problem in problems],
        "signature": None,
    }


def predictions_csv(trial: Trial) -> bytes:
    """Write every scored row with what was predicted for it out of sample, then what all texts would get.

    ``kind`` is "out of sample" for rows that were scored by a model that had not seen their text, else "shared": what
    the fitted model says of every text for nobody in particular.
    """
    values = trial.fitted.values.tolist()
    header = ["kind", "text_id", "judge", "answered", "expected", "low", "high"]
    header += [f"answer{value:g}_prob" for value in values] + ["data_are", "signature"]
    badge = "DEMO (simulated)" if trial.material.demo else "as named in the signature"
    return csv_bytes(header, ([*row, badge, trial.signature] for row in _rows(trial)))


def new_predictions_csv(found: Predictions, signature: str) -> bytes:
    """Write what a saved calibrator says of new texts."""
    header = ["text_id", "judge", "known", "expected", "low", "high"]
    header += [f"answer{value:g}_prob" for value in found.values.tolist()] + ["signature"]
    known = found.known.tolist()
    rows = _listed("", found, [math.nan] * len(found))
    return csv_bytes(header, ([*row[1:3], int(known[r]), *row[4:], signature] for r, row in enumerate(rows)))


def new_predictions_json(calibrator: Calibrator, found: Predictions, signature: str) -> dict[str, Any]:
    """Give what a saved calibrator says of new texts as one object."""
    columns = (found.expected, found.low, found.high, found.probabilities)
    rows = zip(found.texts, found.judges, found.known.tolist(), *(column.tolist() for column in columns), strict=True)
    return {
        "model": calibrator.model,
        "target": calibrator.target,
        "values": found.values.tolist(),
        "level": found.level,
        "predictions": [
            {
                "text_id": text,
                "judge": judge,
                "known": known,
                "expected": _plain(expected),
                "low": _plain(low),
                "high": _plain(high),
                "probabilities": [_plain(share) for share in shares],
            }
            for text, judge, known, expected, low, high, shares in rows
        ],
        "problems": [problem.to_json() for problem in found.problems],
        "signature": signature,
    }


def _rows(trial: Trial) -> Iterable[list[Cell]]:
    answered = trial.rows.answered.tolist()
    found = trial.chosen.predictions
    yield from _listed("out of sample", found, answered)
    cases, shared = predicted(trial)
    yield from _listed("shared", shared, [math.nan] * len(cases))


def _listed(kind: str, found: Predictions, answered: Sequence[float]) -> Iterable[list[Cell]]:
    columns = (found.expected.tolist(), found.low.tolist(), found.high.tolist(), found.probabilities.tolist())
    for r, (text, judge) in enumerate(zip(found.texts, found.judges, strict=True)):
        expected, low, high, shares = (column[r] for column in columns)
        yield [kind, text.replace("\t", " "), judge, answered[r], expected, low, high, *shares]


def _scores(quality: Quality) -> dict[str, float | int | None]:
    found = quality.to_json()
    return {name: found[name] for name in QUALITIES}


def _answer(value: float) -> str:
    return f"{value:g}"


def _plain(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
