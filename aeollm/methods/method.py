"""The nouns: a judging method as a recipe says it, the judges it asks, and what is asked about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from aeollm.methods.kinds import ASKS, AskKind
from aeollm.recipes import Recipe, Step

SUFFIXES = {
    "scores": ".txt",
    "criterion scores": ".tsv",
    "pairwise judgments": ".tsv",
    "opinions": ".tsv",
    "prompt": ".log.jsonl",
}
COUNTS = "counts.tsv"
"""The file of what was counted in the reports, for steps that need them."""


@dataclass(frozen=True, slots=True)
class Judge:
    """One judge: its name in the recipe, the model, and where that is asked (see `judging.asking.Endpoint`)."""

    name: str
    model: str
    base_url: str | None = None
    provider: str | None = None


@dataclass(frozen=True, slots=True)
class Sampling:
    """How every judge is asked; ``extra`` is a JSON object as text with what one endpoint knows alone."""

    temperature: float = 0.0
    seed: int | None = 0
    extra: str | None = None


@dataclass(frozen=True, slots=True)
class RubricQuestion:
    """A question that a text is asked alone, in one or two languages, with its answers 1, 2, … in words."""

    name: str
    text: Mapping[str, str]
    options: Mapping[str, tuple[str, ...]]

    @property
    def numbers(self) -> tuple[str, ...]:
        """Give the allowed answers."""
        return tuple(str(number + 1) for number in range(len(next(iter(self.options.values())))))

    def language(self, wanted: str) -> str:
        """Give the language to ask in: the one wanted, or the only one there is."""
        return wanted if wanted in self.text else next(iter(self.text))


@dataclass(frozen=True, slots=True)
class Ask:
    """One way of asking, under options that are all named."""

    do: str
    name: str
    options: Mapping[str, Any]

    @property
    def kind(self) -> AskKind:
        """Give what is known of its kind."""
        return ASKS[self.do]

    @property
    def judges(self) -> tuple[str, ...]:
        """Name the judges it asks."""
        named = [self.options[key] for key in ("judge", "reviser") if self.options.get(key)]
        return tuple(dict.fromkeys((*named, *self.options.get("judges", ()))))

    @property
    def builds_on(self) -> str | None:
        """Name the scores that say what is to be asked."""
        found: str | None = self.options.get("near") or self.options.get("of")
        return found

    @property
    def file(self) -> str:
        """Name the file that it gives."""
        return self.name + SUFFIXES[self.kind.gives]


@dataclass(frozen=True)
class Method:
    """What a recipe for a judge says: whom to ask what, and the steps from there to a run.

    ``judges`` maps names to what is known of each, which may come from elsewhere; ``made`` is what a recipe written
    by a run says about it (answers, labels), so that the run can be repeated.
    """

    name: str
    asks: tuple[Ask, ...]
    steps: tuple[Step, ...] = ()
    questions: tuple[RubricQuestion, ...] = ()
    judges: Mapping[str, Judge] = field(default_factory=dict)
    sampling: Sampling = field(default_factory=Sampling)
    made: Mapping[str, Any] = field(default_factory=dict)

    @property
    def roles(self) -> tuple[str, ...]:
        """Name all judges that are asked."""
        return tuple(dict.fromkeys(name for ask in self.asks for name in ask.judges))

    @property
    def makes(self) -> frozenset[str]:
        """Name the prompts that it makes itself, which lie nowhere before."""
        return frozenset(ask.name for ask in self.asks if ask.kind.gives == "prompt")

    @property
    def together(self) -> bool:
        """Tell whether a question's answers have to be judged in one place."""
        return any(ask.kind.together or ask.builds_on for ask in self.asks)

    def recipe(self, until: str | None = None) -> Recipe:
        """Give the steps as a recipe over the files that asking gives, up to the one named."""
        inputs = {ask.name: ask.file for ask in self.asks if ask.kind.feeds_steps}
        names = [step.name for step in self.steps]
        steps = self.steps if until is None else self.steps[: names.index(until) + 1]
        recipe = Recipe(self.name, inputs, steps)
        used = {name: file for name, file in inputs.items() if name in recipe.needed}
        counts = COUNTS if any(step.kind.reports for step in steps) else None
        return replace(recipe, inputs=used, reports=counts)
