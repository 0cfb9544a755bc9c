"""The documented JSON objects as files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from aeollm.evaluation import Evaluation
from aeollm.tables import Comparison


def json_bytes(content: Mapping[str, Any]) -> bytes:
    """Write an object as UTF-8 JSON; a name that is no Unicode keeps its bytes as escapes."""
    return json.dumps(content, ensure_ascii=False, allow_nan=False, indent=1).encode(errors="backslashreplace")


def scores_json(evaluation: Evaluation) -> bytes:
    """Write the documented JSON object with all questions."""
    return json_bytes(evaluation.to_json(per_question=True))


def comparison_json(comparison: Comparison) -> bytes:
    """Write the comparison as `Comparison.from_json` takes it back."""
    return json_bytes(comparison.to_json())
