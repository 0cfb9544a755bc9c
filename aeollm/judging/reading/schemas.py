"""JSON schemas for endpoints that hold a judge to one."""

from __future__ import annotations

import json
from collections.abc import Sequence

from aeollm.judging.reading.fields import Field
from aeollm.judging.reading.numbers import Scale


def scores_schema(fields: Sequence[Field], scale: Scale, *, reason: bool = False) -> str:
    """Ask for a number on the scale in every field, with a reason before them if wanted."""
    number = {"type": "number", "minimum": float(scale.low), "maximum": float(scale.high)}
    return _schema({field.name: number for field in fields}, reason=reason)


def outcomes_schema(fields: Sequence[Field], *, reason: bool = False) -> str:
    """Ask for the winner in every field."""
    return _schema({field.name: {"type": "string", "enum": ["A", "B", "tie"]} for field in fields}, reason=reason)


def choice_schema(options: Sequence[str], field: Field, *, reason: bool = False) -> str:
    """Ask for one of the options."""
    return _schema({field.name: {"type": "string", "enum": list(options)}}, reason=reason)


def _schema(properties: dict[str, object], *, reason: bool) -> str:
    whole = {"reason": {"type": "string"}, **properties} if reason else properties
    schema = {"type": "object", "properties": whole, "required": list(whole), "additionalProperties": False}
    return json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
