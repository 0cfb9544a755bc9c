"""What came of a recipe as a JSON object."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, is_dataclass
from typing import Any

from aeollm.aggregation.pairwise import Strengths, standard_errors
from aeollm.errors import Problem
from aeollm.recipes import Built, Stage
from aeollm.tables import MEASURES, Scores


def build_json(built: Built) -> dict[str, Any]:
    """Give the documented JSON object (README, "Build a run")."""
    found, of = built.inspection.coverage
    return {
        "name": built.recipe.name,
        "accepted": built.inspection.run is not None,
        "in_part": built.in_part,
        "instead": built.instead,
        "inputs": {
            name: {"file": built.recipe.inputs[name], "sha256": digest} for name, digest in built.digests.items()
        },
        "run": {"answers": len(built.run), "dimensions": list(built.run.dimensions), "sha256": built.run.digest},
        "coverage": {"answers": found, "of": of},
        "problems": [problem.to_json() for problem in (*built.problems, *built.inspection.problems)],
        "stages": [_stage(stage) for stage in built.stages],
        "order_effects": {name: [plain(effect) for effect in own] for name, own in built.order_effects.items()},
        "position_bias": {name: [plain(bias) for bias in own] for name, own in built.position_bias.items()},
        "ties_left": built.ties,
        "ties_broken": {name: [plain(count) for count in own] for name, own in built.broken.items()},
        "spreads": _finite(built.spreads),
        "strengths": {name: _strengths(own) for name, own in built.strengths.items()},
    }


def refused_build(name: str, problems: Sequence[Problem]) -> dict[str, Any]:
    """Give the same object for a recipe that cannot be read or carried out."""
    return {
        "name": name,
        "accepted": False,
        "in_part": False,
        "instead": None,
        "inputs": {},
        "run": None,
        "coverage": {"answers": 0, "of": 0},
        "problems": [problem.to_json() for problem in problems],
        "stages": [],
        "order_effects": {},
        "position_bias": {},
        "ties_left": {},
        "ties_broken": {},
        "spreads": {},
        "strengths": {},
    }


def _stage(stage: Stage) -> dict[str, Any]:
    return {
        "name": stage.name,
        "label": stage.label,
        "base": stage.base,
        "learned": stage.learned,
        "reason": stage.reason or None,
        "answers": None if stage.scores is None else max(stage.scores.answers.sum(axis=1).tolist()),
        "gains": _gains(stage),
        "scores": _scores(stage, stage.scores),
        "in_sample": _scores(stage, stage.in_sample),
        "signature": None if stage.scores is None else stage.scores.signature,
    }


def _gains(stage: Stage) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for (view, measure), gain in stage.gains.items():
        found.setdefault(view, {})[measure] = plain(gain)
    return found


def _scores(stage: Stage, scores: Scores | None) -> dict[str, Any] | None:
    if scores is None:
        return None
    views = [view for view in scores.views if stage.tells(view)]
    return {view: {measure: _mean(scores, view, measure) for measure in MEASURES} for view in views}


def _mean(scores: Scores, view: str, measure: str) -> dict[str, Any]:
    mean = scores.mean(view, measure)
    return {"mean": mean.mean, "defined": mean.defined, "undefined": mean.undefined}


def _strengths(found: Strengths) -> list[dict[str, Any]]:
    """Give one entry a question and dimension; errors are those of strengths that sum to zero there."""
    columns = (found.values, standard_errors(found), found.win_shares)
    strengths, errors, shares = ([_finite(number) for number in column.tolist()] for column in columns)
    comparisons = found.comparisons
    return [
        {
            "question": comparisons.questions[group],
            "dimension": comparisons.dimensions[group],
            "nu": _finite(float(found.nu[group])),
            "answers": [
                {"answer": answer, "strength": strengths[at], "error": errors[at], "win_share": shares[at]}
                for at, answer in enumerate(answers, int(comparisons.starts[group]))
            ],
        }
        for group, answers in enumerate(comparisons.answers)
    ]


def plain(table: object) -> dict[str, Any]:
    """Give a table's fields, undefined numbers as null.

    Raises
    ------
    TypeError
        For what is no table.
    """
    if not is_dataclass(table) or isinstance(table, type):
        raise TypeError(f"not a table: {table!r}")
    return {key: _finite(value) for key, value in asdict(table).items()}


def _finite(value: Any) -> Any:  # noqa: ANN401  whatever a table's field holds
    if isinstance(value, Mapping):
        return {key: _finite(own) for key, own in value.items()}
    if hasattr(value, "_asdict"):
        return _finite(value._asdict())
    if isinstance(value, list | tuple):
        return [_finite(own) for own in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
