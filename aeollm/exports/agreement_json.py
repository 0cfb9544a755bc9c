"""Annotators' agreement as a JSON object."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from aeollm.agreement import ICC, RankingAgreement
from aeollm.diagnosis import AnnotatorAgreement
from aeollm.errors import Problem
from aeollm.tables import Annotations


def agreement_json(annotations: Annotations, found: Sequence[AnnotatorAgreement]) -> dict[str, Any]:
    """Give the documented JSON object (README, "Agreement of annotators")."""
    questions = annotations.questions
    return {
        "name": annotations.name,
        "file_sha256": annotations.digest,
        "annotators": list(annotations.annotators),
        "items": len(annotations.items),
        "questions": None if questions is None else len(set(questions)),
        "problems": [problem.to_json() for problem in annotations.problems],
        "dimensions": {own.dimension: _dimension(own, asked=questions is not None) for own in found},
    }


def refused_json(name: str, problems: Sequence[Problem]) -> dict[str, Any]:
    """Give the same object for a file that cannot be read."""
    nothing: dict[str, Any] = {"file_sha256": None, "annotators": [], "items": 0, "questions": None}
    return {"name": name, **nothing, "problems": [problem.to_json() for problem in problems], "dimensions": {}}


def _dimension(own: AnnotatorAgreement, *, asked: bool) -> dict[str, Any]:
    icc = own.icc
    return {
        "set_aside": list(own.set_aside),
        "raters": icc.raters,
        "items_used": icc.items_used,
        "items_total": icc.items_total,
        "icc": _forms(icc.forms),
        "reason": icc.reason,
        "unbalanced": {
            "items_used": icc.unbalanced_items,
            "mean_ratings": icc.mean_ratings,
            "icc": _forms(icc.unbalanced),
            "reason": icc.unbalanced_reason,
        },
        "ranking": None if own.ranking is None else _pairs(own.ranking, own.ranked, asked=asked),
    }


def _forms(forms: Mapping[str, ICC]) -> dict[str, Any]:
    return {name: {key: _finite(value) for key, value in asdict(form).items()} for name, form in forms.items()}


def _pairs(ranking: RankingAgreement, people: Sequence[str], *, asked: bool) -> list[dict[str, Any]]:
    pairs = []
    for k, (a, b) in enumerate(ranking.pairs):
        mean, defined = ranking.mean(k)
        values = [_finite(value) for value in ranking.kendall[k].tolist()]
        by_question = dict(zip(ranking.questions, values, strict=True)) if asked else None
        pairs.append({"a": people[a], "b": people[b], "kendall": mean, "defined": defined, "questions": by_question})
    return pairs


def _finite(value: Any) -> Any:  # noqa: ANN401  any cell of JSON
    return None if isinstance(value, float) and not math.isfinite(value) else value
