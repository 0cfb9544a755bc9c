"""A method as a TOML file, the same method as the same bytes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from aeollm.methods.method import Ask, Judge, Method, RubricQuestion
from aeollm.recipes.recipe import VERSION
from aeollm.recipes.writing import step_lines, toml_text


def write_method(method: Method) -> str:
    """Write all that a method says, defaults included, so that later defaults change nothing."""
    lines = [f"recipe = {VERSION}", f"name = {toml_text(method.name)}", ""]
    sampling = {
        "temperature": method.sampling.temperature,
        "seed": method.sampling.seed,
        "extra": method.sampling.extra,
    }
    lines += ["[judging]", *_pairs(sampling | dict(method.made))]
    for judge in method.judges.values():
        lines += ["", *_judge(judge)]
    for question in method.questions:
        lines += ["", *_question(question)]
    for ask in method.asks:
        lines += ["", *_ask(ask)]
    for step in method.steps:
        lines += ["", *step_lines(step)]
    return "\n".join(lines) + "\n"


def _judge(judge: Judge) -> list[str]:
    places = {"model": judge.model, "base_url": judge.base_url, "provider": judge.provider}
    return [f"[judge.{toml_text(judge.name)}]", *_pairs(places)]


def _question(question: RubricQuestion) -> list[str]:
    return ["[[question]]", *_pairs({"name": question.name, "text": question.text, "options": question.options})]


def _ask(ask: Ask) -> list[str]:
    return ["[[ask]]", *_pairs({"do": ask.do, "name": ask.name, **ask.options})]


def _pairs(found: Mapping[str, object]) -> list[str]:
    return [f"{key} = {_value(value)}" for key, value in found.items() if value is not None]


def _value(value: object) -> str:
    if isinstance(value, str):
        return toml_text(value)
    if isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {_value(own)}" for key, own in value.items()) + " }"
    if isinstance(value, Sequence):
        return f"[{', '.join(map(_value, value))}]"
    # Whole numbers are written as such: 512, not 512.0.
    return repr(int(value) if isinstance(value, float) and value.is_integer() else value)
