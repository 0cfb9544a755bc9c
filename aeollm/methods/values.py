"""What a value in a judge recipe has to be, besides being of the right kind."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping

from aeollm.errors import JudgingError, printable
from aeollm.judging import read_shard

NAME = re.compile(r"[^\W_][\w-]{0,60}")
"""Names of asks and templates, which are names of files."""
MOST_SEED = 2**63 - 1
_SENT = {"messages", "model", "stream", "n", "max_tokens", "temperature", "seed", "logprobs", "top_logprobs",
         "response_format"}  # fmt: skip
"""What a request already has: another value would go past the recipe, the report and the key of the reply."""
_WHOLE = {"max_tokens": 1, "top_logprobs": 1, "samples": 0, "rounds": 0, "errors": 1, "excerpt": 1, "split_seed": 0,
          "calls": 0}  # fmt: skip
"""Options that are whole numbers, and the least each can be."""


def unfit(key: str, value: object) -> tuple[str, str, str] | None:
    """Say what a value of the right kind does not do: kind, message, remedy."""
    if key == "scale" and not (isinstance(value, tuple) and len(value) == 2 and value[0] < value[1]):
        return "option", "scale is not from low to high.", "Write such as [0, 10]."
    if key in _WHOLE and isinstance(value, float) and (not value.is_integer() or value < _WHOLE[key]):
        return "option", f"{key} is no whole number from {_WHOLE[key]}.", "Write one."
    if key in ("judges", "dimensions") and isinstance(value, tuple) and len(set(value)) < len(value):
        return "option", f"{key} names something twice.", "Name each once."
    if key == "judges" and not value:
        return "option", "judges names nobody.", 'Write such as ["judge"].'
    if key == "prompt" and not NAME.fullmatch(str(value)):
        return "option", "prompt is no name of a template.", "Write the file's name before .en.md, without folders."
    return None


def _is_shard(value: object) -> bool:
    try:
        return isinstance(value, str) and bool(read_shard(value))
    except JudgingError:
        return False


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value) and "\0" not in value


MADE: Mapping[str, Callable[[object], bool]] = {
    **dict.fromkeys(("answers", "labels", "labels_set", "rubrics", "digest"), _is_text),
    "partial": lambda value: isinstance(value, bool),
    "trial": lambda value: type(value) is int and value > 0,
    "shard": _is_shard,
}
"""What a recipe that a run wrote says about it, and whether a value can be that."""


def wrong_extra(text: object) -> str | None:
    """Say why a text is not what may be sent besides: a JSON object without what this program sends itself."""
    try:
        found = json.loads(text, parse_constant=_no_constant) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        return f"{printable(str(text), 80)!r} is not a JSON object"
    own = sorted(found.keys() & _SENT)
    return f"{', '.join(own)}: sent by this program itself" if own else None


def _no_constant(name: str) -> None:
    raise ValueError(name)
