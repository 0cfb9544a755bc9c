"""JSON schemas for endpoints that hold a judge to one."""

from __future__ import annotations

import json
from collections.abc import Sequence

from aeollm.judging.reading.fields import Field
from aeollm.judging.reading.numbers import Scale


def scores_schema(fields: Sequence[Field], scale: Scale) -> str:
    """Ask for a number on the scale in every field."""
    number = {"type": "number", "minimum": float(scale.low), "maximum": float(scale.high)}
    return _schema({field.name: number for field in fields})


def outcomes_schema(fields: Sequence[Field]) -> str:
    """Ask for the winner in every field."""
    return _schema({field.name: {"type": "string", "enum": ["A", "B", "tie"]} for field in fields})


def _schema(properties: dict[str, object]) -> str:
    schema = {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
    return json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
