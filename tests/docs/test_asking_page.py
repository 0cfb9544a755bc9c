"""The page of all keys that a judge recipe may have says what the program knows; so do the recipes' comments."""

import re
from pathlib import Path

import pytest

from aeollm.judging import read_template
from aeollm.methods import ASKS, bundled_recipes, read_method
from aeollm.methods.values import _WHOLE

FOLDER = Path(__file__).parents[2] / "assets" / "recipes"
PAGE = (FOLDER / "asking.md").read_text(encoding="utf-8")
KEYS = re.compile(r"^# ([a-z_]+ = .+)$", re.MULTILINE)


def toml(value):
    """Write a default as a recipe would."""
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, tuple):
        return f"[{', '.join(map(toml, value))}]"
    return f"{value:g}" if value < 1e6 else f"{value:.0f}"


def form(key, option):
    """Say what a value may be: whole numbers have a least value of their own."""
    if key not in _WHOLE:
        return option.form
    least, most = max(option.within[0], _WHOLE[key]), option.within[1]
    return f"{'0, or ' if least and not _WHOLE[key] else ''}a whole number from {least:g} to {most:,.0f}"


def rows_of(kind):
    """Give the table's rows of a way of asking."""
    for key, option in kind.options.items():
        default = "must be named" if option.required else "" if option.default is None else f"`{toml(option.default)}`"
        told = option.told.replace("<prompt>.<language>.md", "`<prompt>.<language>.md`")
        yield f"| `{key}` | {default} | {told} | {form(key, option)} |"


@pytest.mark.parametrize("do", ASKS)
def test_every_way_of_asking_has_a_table_of_all_its_keys(do):
    section = PAGE.split(f"### `{do}`\n", 1)[1].split("\n##", 1)[0]
    assert ASKS[do].told in section
    assert ASKS[do].gives in section
    table = [line for line in section.splitlines() if line.startswith("| `")]
    assert table == list(rows_of(ASKS[do]))


def test_slots_are_those_of_the_bundled_prompts():
    told = {name: set(re.findall(r"\{\{([a-z_]+)\}\}", slots)) for name, slots in
            re.findall(r"^\| `([a-z-]+)` \| ((?:`\{\{[a-z_]+\}\}`,? ?)+)\|$", PAGE, re.MULTILINE)}  # fmt: skip
    names = {str(kind.options["prompt"].default) for kind in ASKS.values()} | {"optimise"}
    assert told.keys() == names
    for name in names:
        for language in ("en", "zh"):
            assert read_template(name, language).slots == told[name]


@pytest.mark.parametrize("name", bundled_recipes())
def test_keys_in_comments_are_the_defaults(name):
    path = bundled_recipes()[name]
    text = path.read_text(encoding="utf-8")
    keys = KEYS.findall(text)
    assert keys
    assert "asking.md" in text
    plain = KEYS.sub(lambda match: match[1], text)
    assert read_method(plain.encode()) == read_method(path)
