"""A recipe as a TOML file, the same recipe as the same bytes."""

from __future__ import annotations

import json

from aeollm.recipes.kinds import Value
from aeollm.recipes.recipe import VERSION, Recipe, Step


def write_recipe(recipe: Recipe) -> str:
    """Write all that a recipe says, defaults included, so that later defaults change nothing."""
    lines = [f"recipe = {VERSION}", f"name = {toml_text(recipe.name)}"]
    lines += [
        f"{key} = {toml_text(value)}"
        for key, value in (("rubrics", recipe.rubrics), ("reports", recipe.reports))
        if value
    ]
    lines += ["", "[inputs]", *(f"{toml_text(name)} = {toml_text(file)}" for name, file in recipe.inputs.items())]
    for step in recipe.steps:
        lines += ["", *step_lines(step)]
    return "\n".join(lines) + "\n"


def step_lines(step: Step) -> list[str]:
    """Write one step, every option named."""
    sources = step.sources if step.kind.several else step.sources[0]
    own = {"do": step.do, "name": step.name, "from": sources}
    named = {**own, **{key: step.options[key] for key in step.kind.options}}
    return ["[[step]]", *(f"{key} = {_value(value)}" for key, value in named.items() if value is not None)]


def _value(value: Value) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_value, value))}]"
    return toml_text(value) if isinstance(value, str) else repr(value)


def toml_text(text: str) -> str:
    """Quote as TOML's basic strings, whose escapes are JSON's but for one character."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
