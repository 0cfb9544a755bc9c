"""Recipes of the visitor's own: a TOML file, with its prompts beside it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePosixPath

from aeollm.errors import Problem, RecipeError, printable
from aeollm.files import Unreadable, is_zip, unpack
from aeollm.judging.prompts import LANGUAGES, PROMPTS, parse_template
from aeollm.methods import BUILD, Method, Prompts, Task, bundled_recipes, read_method

_MOST_FILES = 100
_PROMPT = re.compile(rf"([\w-]+)\.({'|'.join(LANGUAGES)})\.md")
_REMEDY = "Choose the recipe's .toml together with its prompts NAME.en.md and NAME.zh.md, or a zip of them."


@dataclass(frozen=True)
class Chosen:
    """A recipe that can be chosen: the method, the folder of its own prompts, and a digest of them."""

    method: Method
    folder: Path | None = None
    digest: str = ""

    @property
    def prompts(self) -> Prompts:
        """Give its prompts, before any is read."""
        return Prompts(self.folder)


def bundled() -> list[str]:
    """Name the bundled recipes, the simplest first."""
    first = ["holistic", "one-dimension", "one-call", "per-criterion", "pairwise", "tie-break"]
    return [*first, *(name for name in bundled_recipes() if name not in first)]


def read_own(files: Sequence[tuple[Path, str]], folder: Path) -> tuple[str, Chosen]:
    """Read a recipe and its prompts, which are kept in ``folder``; give its file's name, too.

    Raises
    ------
    AeollmError
        If there is no recipe among the files or several, or if it or a prompt cannot be read.
    """
    found = _contents(files)
    recipes = [name for name in found if name.lower().endswith(".toml") and name != BUILD]
    if len(recipes) != 1:
        message = f"there are {len(recipes)} recipes among the files." if recipes else "there is no recipe (.toml)."
        raise RecipeError("recipe", [Problem("error", "recipe", message, _REMEDY)])
    [name] = recipes
    method = read_method(found[name], name=name)
    prompts = {own: match for own in found if (match := _PROMPT.fullmatch(own))}
    for own, match in prompts.items():
        parse_template(found[own].decode("utf-8", "replace"), match[1], match[2])
    if not prompts:
        return name, Chosen(method)
    folder.mkdir(parents=True)
    for own in prompts:
        (folder / own).write_bytes(found[own])
    return name, Chosen(method, folder, sha256(repr(sorted((own, found[own]) for own in prompts)).encode()).hexdigest())


def _contents(files: Sequence[tuple[Path, str]]) -> dict[str, bytes]:
    """Give the files by their bare names, those of a zip among them."""
    found: dict[str, bytes] = {}
    for path, name in files:
        content = path.read_bytes()
        try:
            inside = unpack(content, _MOST_FILES) if is_zip(content) else {name: content}
        except Unreadable as error:
            told = f"{printable(name, 80)}: {error.problem.message}"
            raise RecipeError("recipe", [Problem("error", error.problem.kind, told, error.problem.remedy)]) from None
        found |= {PurePosixPath(own).name: text for own, text in inside.items()}
    return found


def refuse_missing_prompts(task: Task) -> None:
    """Refuse a task whose recipe asks by prompts that are not there, in the languages of its questions.

    Raises
    ------
    RecipeError
        Naming the files.
    """
    method, material, folder = task.method, task.material, task.prompts.folder
    languages = {material.language(question) for question in material.questions}
    folders = [PROMPTS, *([] if folder is None else [folder])]
    # A prompt that the run itself makes is not there yet.
    named = [ask for ask in method.asks if ask.options["prompt"] not in method.makes]
    asked = [(ask.name, f"{ask.options['prompt']}.{language}.md") for language in sorted(languages) for ask in named]
    lacking = [(ask, name) for ask, name in asked if not any((own / name).is_file() for own in folders)]
    problems = [
        Problem(
            "error", "prompt", f"{printable(ask)} asks by {printable(name)}, which is not among the files.", _REMEDY
        )
        for ask, name in lacking
    ]
    if problems:
        raise RecipeError(method.name, problems)
