"""Judge recipes: TOML to a Method, with every problem at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from aeollm.errors import Problem, RecipeError, printable
from aeollm.judging.prompts import LANGUAGES
from aeollm.methods.kinds import ASKS
from aeollm.methods.method import Ask, Judge, Method, RubricQuestion, Sampling
from aeollm.methods.values import MADE, MOST_SEED, NAME, unfit, wrong_extra
from aeollm.recipes import Step
from aeollm.recipes.kinds import Option
from aeollm.recipes.lines import Lines
from aeollm.recipes.options import read_option
from aeollm.recipes.reading import Written, read_toml, recipe_of
from aeollm.recipes.recipe import VERSION

RECIPES = Path(__file__).parents[2] / "assets" / "recipes"
_TOP = {"recipe", "name", "ask", "step", "question", "judge", "judging"}
_OWN = {"do", "name"}
_JUDGE = {"model", "base_url", "provider"}
_SAMPLING = {"temperature", "seed", "extra"}
_MOST_ASKS = 20
_OPTIONS = range(2, 11)
_RESERVED = {"run", "report", "build", "recipe", "replies", "counts"}


def bundled_recipes() -> dict[str, Path]:
    """Map the names of the bundled recipes to their files."""
    return {path.stem: path for path in sorted(RECIPES.glob("*.toml"))}


def read_method(path: str | Path | bytes, *, name: str | None = None) -> Method:
    """Read a judge recipe: a file, or the name of a bundled one.

    Raises
    ------
    RecipeError
        With every problem: no TOML, unknown ways of asking, options or steps, values and names that do not fit.
    """
    if not isinstance(path, bytes):
        path = bundled_recipes().get(str(path), path)
    written = read_toml(path, name=name)
    reader = _Reader(written)
    method = reader.method()
    if reader.problems:
        raise RecipeError(written.name, reader.problems)
    return method


@dataclass
class _Reader:
    written: Written
    problems: list[Problem] = field(default_factory=list)
    known: set[str] = field(default_factory=set)
    lines: Lines = field(init=False)
    entry: int | None = None

    def __post_init__(self) -> None:
        self.lines = Lines(self.written.text, "ask")

    def wrong(self, kind: str, key: str, message: str, remedy: str, value: object = None) -> None:
        """Note an error."""
        shown = None if value is None else str(value)
        self.problems.append(Problem("error", kind, message, remedy, self.lines.of(key, self.entry), key, shown))

    def method(self) -> Method:
        """Read the whole."""
        found = self.written.found
        self.unknown(found, _TOP, "a judge recipe")
        if "step" not in found:
            # Steps are read as a recipe of their own, which checks this.
            self.head(found)
        asks = self.asks(found.get("ask"))
        self.entry = None
        steps = self.steps(asks)
        method = Method(str(found.get("name") or "recipe"), asks, steps)
        self.builds_on(method)
        judges, judging = found.get("judge", {}), found.get("judging", {})
        if not isinstance(judges, dict) or not isinstance(judging, dict):
            self.wrong("no_table", "judge", "judge and judging are tables.", "Write [judge.NAME] and [judging].")
            return method
        self.unknown(judging, _SAMPLING | MADE.keys(), "[judging]")
        made = {key: value for key, value in judging.items() if key in MADE}
        for key in [key for key, value in made.items() if not MADE[key](value)]:
            self.wrong("option", key, f"{key} is not what a run writes there.", "Take it out.", made.pop(key))
        return replace(
            method,
            questions=self.questions(found.get("question", []), asks),
            judges={name: judge for name, own in judges.items() if (judge := self.judge(name, own)) is not None},
            sampling=self.sampling(judging),
            made=made,
        )

    def head(self, found: Mapping[str, Any]) -> None:
        """Check the version and the name."""
        version, name = found.get("recipe"), found.get("name", "")
        if type(version) is not int or version != VERSION:
            self.wrong("version", "recipe", f"recipe = {VERSION} is missing.", "Write it as the first line.")
        if not isinstance(name, str):
            self.wrong("no_text", "name", "name is no text.", 'Write it in "quotation marks".')

    def unknown(self, found: Mapping[str, Any], known: set[str], where: str) -> None:
        """Note keys that mean nothing."""
        for key in sorted(found.keys() - known):
            remedy = f"There is {', '.join(sorted(known))}."
            self.wrong("unknown_key", key, f"{printable(key)} is no key of {where}.", remedy)

    def asks(self, listed: object) -> tuple[Ask, ...]:
        """Read what is asked."""
        if not isinstance(listed, list) or not listed or not all(isinstance(own, dict) for own in listed):
            self.wrong("no_asks", "ask", "nothing is asked.", "Write [[ask]] and below it do = …")
            return ()
        if len(listed) > _MOST_ASKS:
            self.wrong("too_many_asks", "ask", f"{len(listed)} ways of asking.", f"{_MOST_ASKS} at most.")
        found: list[Ask] = []
        for number, own in enumerate(listed[:_MOST_ASKS]):
            self.entry = number
            found += self.ask(own)
        return tuple(found)

    def ask(self, found: Mapping[str, Any]) -> list[Ask]:
        """Read one; none where it cannot be told what to do."""
        do = found.get("do")
        kind = ASKS.get(do) if isinstance(do, str) else None
        if kind is None or not isinstance(do, str):
            told = "do is missing" if do is None else f"{printable(str(do))!r} is no way of asking"
            self.wrong("unknown_ask", "do", f"{told}.", f"There is {', '.join(ASKS)}.", do)
            return []
        self.unknown(found, _OWN | set(kind.options), do)
        name = found.get("name", do)
        if not isinstance(name, str) or not NAME.fullmatch(name) or name in _RESERVED | self.known:
            remedy = "Give everything another name, of letters, digits and hyphens."
            self.wrong("name", "name", f"the name {printable(str(name))!r} is taken or cannot be a file's.", remedy)
            name = f"{do}-{len(self.known)}"
        self.known.add(name)
        return [Ask(do, name, {key: self.option(found, key, option) for key, option in kind.options.items()})]

    def option(self, found: Mapping[str, Any], key: str, option: Option) -> object:
        """Read one option, its default where it is not named."""
        read, wrong = read_option(found, key, option)
        wrong = wrong or unfit(key, read)
        if wrong is not None:
            self.wrong(wrong[0], key, *wrong[1:], found.get(key))
        return read

    def steps(self, asks: tuple[Ask, ...]) -> tuple[Step, ...]:
        """Read the steps as those of a recipe whose inputs are what asking gives."""
        found = self.written.found
        if "step" not in found:
            if asks and all(ask.kind.feeds_steps for ask in asks):
                self.wrong("no_steps", "step", "there are no steps to a run.", "Write [[step]] and below it do = …")
            return ()
        if not asks:
            # What the steps lack then is no news.
            return ()
        inputs = {ask.name: ask.file for ask in asks if ask.kind.feeds_steps}
        own = {"recipe": found.get("recipe"), "name": found.get("name"), "inputs": inputs, "step": found["step"]}
        recipe, problems = recipe_of(Written(self.written.name, self.written.text, own))
        self.problems += problems
        taken = {ask.name: ask.kind.gives for ask in asks}
        for name, takes in recipe.needed.items():
            if not problems and taken[name] != takes:
                self.wrong("other_kind", name, f"{name} gives {taken[name]}, not {takes}.", "Take it by another step.")
        return recipe.steps

    def builds_on(self, method: Method) -> None:
        """Check that what an ask builds on is there before it, and made of earlier asks only."""
        places = {ask.name: number for number, ask in enumerate(method.asks)}
        steps = {step.name for step in method.steps}
        for number, ask in enumerate(method.asks):
            self.entry = number
            name = ask.builds_on
            if name is None:
                continue
            needed = {name} if name in places else set()
            if name in steps:
                needed = set(method.recipe(until=name).needed)
            gives_scores = name in steps or (name in places and method.asks[places[name]].kind.gives == "scores")
            if not gives_scores or any(places[other] >= number for other in needed):
                key = "near" if ask.options.get("near") else "of"
                message = f"{printable(name)!r} is no step, or scores, made of what is asked before."
                self.wrong("unknown_name", key, message, "Name an earlier ask that gives scores, or a step.", name)
        self.entry = None

    def judge(self, name: str, found: object) -> Judge | None:
        """Read one judge."""
        if not isinstance(found, dict) or not all(isinstance(value, str) for value in found.values()):
            self.wrong("no_table", name, f"{printable(name)} is no judge.", "Write [judge.NAME] and model = …")
            return None
        self.unknown(found, _JUDGE, f"[judge.{name}]")
        if not found.get("model"):
            self.wrong("no_model", name, f"{printable(name)} has no model.", "Write model = …")
            return None
        return Judge(name, found["model"], found.get("base_url"), found.get("provider"))

    def sampling(self, found: Mapping[str, Any]) -> Sampling:
        """Read temperature, seed and what one endpoint knows alone."""
        temperature, seed, extra = found.get("temperature", 0.0), found.get("seed", 0), found.get("extra")
        number = isinstance(temperature, int | float) and not isinstance(temperature, bool)
        if not number or not 0 <= temperature <= 2:
            self.wrong("option", "temperature", "temperature is no number from 0 to 2.", "Write one.", temperature)
            temperature = 0.0
        if isinstance(seed, bool) or not isinstance(seed, int) or abs(seed) > MOST_SEED:
            self.wrong("option", "seed", "seed is no whole number.", "Write one.", seed)
            seed = 0
        told = None if extra is None else wrong_extra(extra)
        if told is not None:
            self.wrong("option", "extra", f"extra is wrong: {told}.", "Write such as '{\"top_k\": 1}'.", extra)
            extra = None
        return Sampling(float(temperature), seed, extra)

    def questions(self, listed: object, asks: tuple[Ask, ...]) -> tuple[RubricQuestion, ...]:
        """Read the rubric's questions."""
        if not isinstance(listed, list) or not all(isinstance(own, dict) for own in listed):
            self.wrong("no_table", "question", "question is no list of tables.", "Write [[question]].")
            return ()
        if any(ask.kind.gives == "opinions" for ask in asks) and not listed:
            self.wrong("no_questions", "question", "there are no rubric questions.", "Write [[question]].")
        found: list[RubricQuestion] = []
        lines, self.lines = self.lines, Lines(self.written.text, "question")
        for self.entry, own in enumerate(listed):
            read = self.question(self.entry, own)
            found += [read] if read is not None else []
        self.lines, self.entry = lines, None
        names = [own.name for own in found]
        for name in {name for name in names if names.count(name) > 1}:
            self.wrong("name_taken", "question", f"two questions are called {printable(name)}.", "Rename one.")
        return tuple(found)

    def question(self, number: int, found: Mapping[str, Any]) -> RubricQuestion | None:
        """Read one question: ``name``, ``text`` and ``options`` by language."""
        name, text, options = found.get("name"), found.get("text"), found.get("options")
        self.unknown(found, {"name", "text", "options"}, "a question")
        if isinstance(name, str) and name and name.isprintable() and _are_worded(text, options):
            texts: dict[str, str] = dict(text or {})
            return RubricQuestion(name, texts, {key: tuple(own) for key, own in (options or {}).items()})
        remedy = 'Write name, text = {en = "…"} and options = {en = ["…", "…"]}, 2 to 10, as many in each language.'
        self.wrong("question", "question", f"question {number + 1} cannot be read.", remedy)
        return None


def _are_worded(text: object, options: object) -> bool:
    """Tell whether a question and its answers are in the same languages, with as many answers in each."""
    if not isinstance(text, dict) or not isinstance(options, dict):
        return False
    languages = bool(text) and text.keys() == options.keys() and text.keys() <= set(LANGUAGES)
    texts = all(isinstance(own, str) and own for own in text.values()) and all(map(_are_texts, options.values()))
    return (
        languages and texts and len(counts := {len(own) for own in options.values()}) == 1 and counts <= set(_OPTIONS)
    )


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(own, str) and own for own in value)
