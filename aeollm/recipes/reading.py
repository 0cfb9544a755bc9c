"""Recipe files: TOML to a Recipe, with every problem at once."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aeollm.errors import Problem, RecipeError, printable
from aeollm.files import Unreadable
from aeollm.files.decoding import decode, open_source, refuse
from aeollm.recipes.kinds import STEPS, Option, StepKind, Takes, Value
from aeollm.recipes.lines import Lines
from aeollm.recipes.options import read_option
from aeollm.recipes.recipe import REPORTS, VERSION, Recipe, Step

_TOP = {"recipe", "name", "inputs", "step", "rubrics", "reports"}
_OWN = {"do", "name", "from"}
_MOST_STEPS = 50
_LINE = re.compile(r"\(at line ([0-9]+), column [0-9]+\)")


@dataclass(frozen=True)
class Written:
    """A TOML file: the name to show, its text, and what it says."""

    name: str
    text: str
    found: Mapping[str, Any]


def read_recipe(path: str | Path | bytes, *, name: str | None = None) -> Recipe:
    """Read a recipe file.

    Raises
    ------
    RecipeError
        With every problem: no TOML, unknown steps or options, values that do not fit, names that are not there.
    """
    written = read_toml(path, name=name)
    recipe, problems = recipe_of(written)
    if problems:
        raise RecipeError(written.name, problems)
    return recipe


def read_toml(path: str | Path | bytes, *, name: str | None = None) -> Written:
    """Read a TOML file.

    Raises
    ------
    RecipeError
        If it is none.
    """
    shown = name or (Path(path).name if not isinstance(path, bytes) else "recipe")
    try:
        text = _text(open_source(path, shown).content)
        return Written(shown, text, tomllib.loads(text))
    except Unreadable as unreadable:
        raise RecipeError(shown, [unreadable.problem]) from None
    except (ValueError, RecursionError) as error:  # also numbers of more digits than Python reads
        place = _LINE.search(str(error))
        message = f"no TOML: {_LINE.sub('', str(error)).strip()}."
        line = int(place[1]) if place else None
        raise RecipeError(shown, [Problem("error", "toml", message, "Mend it there.", line)]) from None


def _text(content: bytes) -> str:
    """Decode a recipe, which may start with a bracket as JSON does; what is JSON is told to be no TOML.

    Raises
    ------
    Unreadable
    """
    if not content.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"[", b"{")):
        return decode(content).content
    try:
        return content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise refuse("encoding", "the recipe is not UTF-8.", "Save it as UTF-8.", line=line) from None


def recipe_of(written: Written) -> tuple[Recipe, list[Problem]]:
    """Take the recipe that a TOML file says, with all its problems."""
    reader = _Reader(Lines(written.text))
    return reader.recipe(written.found), reader.problems


@dataclass
class _Reader:
    lines: Lines
    problems: list[Problem] = field(default_factory=list)
    known: set[str] = field(default_factory=set)
    step: int | None = None
    uses: dict[str, Takes] = field(default_factory=dict)

    def recipe(self, found: Mapping[str, Any]) -> Recipe:
        """Read the whole."""
        for key in found.keys() - _TOP:
            self.wrong("unknown_key", key, f"{printable(key)} is no key of a recipe.", f"There is {_listed(_TOP)}.")
        version = found.get("recipe")
        if type(version) is not int or version != VERSION:
            self.wrong("version", "recipe", f"recipe = {VERSION} is missing.", "Write it as the first line.")
        name = self.text(found, "name") or "recipe"
        rubrics, reports = (self.text(found, key) for key in ("rubrics", "reports"))
        inputs = self.inputs(found.get("inputs", {}))
        self.known = set(inputs)
        listed = found.get("step", [])
        steps: list[Step] = []
        if not isinstance(listed, list) or not listed or not all(isinstance(own, dict) for own in listed):
            self.wrong("no_steps", "step", "there are no steps.", "Write [[step]] and below it do = …")
        else:
            for number, own in enumerate(listed[:_MOST_STEPS]):
                self.step = number
                steps += self.one(own, steps)
            if len(listed) > _MOST_STEPS:
                self.wrong("too_many_steps", "do", f"there are {len(listed)} steps.", f"{_MOST_STEPS} at most.")
        return Recipe(name, inputs, tuple(steps), rubrics, reports)

    def wrong(self, kind: str, key: str, message: str, remedy: str, value: object = None) -> None:
        """Note an error."""
        shown = None if value is None else str(value)
        self.problems.append(Problem("error", kind, message, remedy, self.lines.of(key, self.step), key, shown))

    def text(self, found: Mapping[str, Any], key: str) -> str | None:
        """Give a text, None where there is none."""
        value = found.get(key)
        if value is not None and not (isinstance(value, str) and value):
            self.wrong("no_text", key, f"{key} is no text.", 'Write it in "quotation marks".', value)
            return None
        return value

    def inputs(self, found: object) -> dict[str, str]:
        """Read the files by name."""
        if not isinstance(found, dict) or not found:
            self.wrong("no_inputs", "inputs", "there are no inputs.", 'Write [inputs] and below it name = "file".')
            return {}
        if REPORTS in found:
            message = f"no input can be called {REPORTS}."
            self.wrong("name_taken", REPORTS, message, f"Write {REPORTS} = … above [inputs], or rename it.")
        return {name: self.text(found, name) or "" for name in found}

    def one(self, found: Mapping[str, Any], before: Sequence[Step]) -> list[Step]:
        """Read one step; none where it cannot be told what to do."""
        do = found.get("do")
        kind = STEPS.get(do) if isinstance(do, str) else None
        if kind is None or not isinstance(do, str):
            told = "do is missing" if do is None else f"{printable(str(do))!r} is no step"
            self.wrong("unknown_step", "do", f"{told}.", f"There is {_listed(STEPS)}.", do)
            return []
        for key in found.keys() - _OWN - kind.options.keys():
            remedy = f"Its options: {_listed(kind.options)}." if kind.options else "It has no options."
            self.wrong("unknown_option", key, f"{printable(key)} is no option of {do}.", remedy)
        name = self.text(found, "name") or _free(do, self.known)
        sources = self.sources(found, kind, before)
        options = {key: self.option(found, key, option) for key, option in kind.options.items()}
        if name in self.known:
            self.wrong("name_taken", "name", f"{printable(name)!r} is taken.", "Give every step another name.", name)
        self.known.add(name)
        self.uses[name] = "scores"
        return [Step(do, name, sources, options)]

    def sources(self, found: Mapping[str, Any], kind: StepKind, before: Sequence[Step]) -> tuple[str, ...]:
        """Read ``from``; the step before is meant where a step takes scores and names none."""
        value = found.get("from")
        if value is None and kind.takes == "scores" and before:
            return (before[-1].name,)
        listed = value if isinstance(value, list) else [value]
        names = tuple(name for name in listed if isinstance(name, str))
        if not names or len(names) < len(listed) or (len(names) > 1 and not kind.several):
            many = "names in [brackets]" if kind.several else "one name"
            self.wrong("from", "from", f"from needs {many}: {kind.takes}.", f"There is {_listed(self.known)}.", value)
        for name in names:
            self.there(name, "from", kind.takes)
        return names or ("",)

    def there(self, name: str, key: str, takes: Takes) -> None:
        """Check that a name is that of an input, which is one kind of file, or of an earlier step, which has scores."""
        if name not in self.known:
            message = f"{printable(name)!r} is neither an input nor an earlier step."
            self.wrong("unknown_name", key, message, f"There is {_listed(self.known)}.", name)
            return
        holds = self.uses.setdefault(name, takes)
        if holds != takes:
            message = f"{printable(name)!r} holds {holds} and cannot be taken for {takes}."
            others = {other for other in self.known if self.uses.get(other, takes) == takes}
            self.wrong("other_kind", key, message, f"Name one of {_listed(others)}.", name)

    def option(self, found: Mapping[str, Any], key: str, option: Option) -> Value:
        """Read one option, its default where it is not named."""
        read, wrong = read_option(found, key, option)
        if wrong is not None:
            self.wrong(wrong[0], key, *wrong[1:], found.get(key))
            return read
        if found.get(key) is None:
            return read
        if option.kind == "name":
            self.there(str(read), key, "scores")
        return read


def _free(do: str, known: set[str]) -> str:
    """Name a step after what it does, with a number where that is taken."""
    number, name = 1, do
    while name in known:
        number += 1
        name = f"{do}-{number}"
    return name


def _listed(names: Mapping[str, object] | set[str]) -> str:
    return ", ".join(printable(name, 60) for name in sorted(names)) or "nothing yet"
