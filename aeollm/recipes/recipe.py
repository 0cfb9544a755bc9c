"""The noun: an ordered short list of steps from a judge's outputs to a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from aeollm.recipes.kinds import STEPS, StepKind, Takes, Value

VERSION = 1
REPORTS = "reports"
"""The name of the reports among a recipe's files; no input may have it."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step: what is done, to which inputs or earlier steps, under which options (all of them named)."""

    do: str
    name: str
    sources: tuple[str, ...]
    options: Mapping[str, Value]

    @property
    def kind(self) -> StepKind:
        """Give what is known of its kind."""
        return STEPS[self.do]

    @property
    def scores(self) -> tuple[str, ...]:
        """List the scores that it builds on: inputs or earlier steps."""
        named = [str(self.options[key]) for key, option in self.kind.options.items() if option.kind == "name"]
        own = self.sources if self.kind.takes == "scores" else ()
        return (*own, *(name for name in named if name != "None"))


@dataclass(frozen=True, slots=True)
class Recipe:
    """Inputs by name, each with its file, and steps in their order; the last one gives the run.

    ``rubrics`` is the folder of the rubric files and ``reports`` the reports (or a table of what was
    counted in them); None where the recipe names none.
    """

    name: str
    inputs: Mapping[str, str]
    steps: tuple[Step, ...]
    rubrics: str | None = None
    reports: str | None = None

    @property
    def needed(self) -> Mapping[str, Takes]:
        """Map every input that is used to what it has to hold."""
        found: dict[str, Takes] = {}
        for step in self.steps:
            found.update({name: step.kind.takes for name in step.sources if name in self.inputs})
            found.update({name: "scores" for name in step.scores if name in self.inputs})
        return found


def step_of(do: str, sources: tuple[str, ...], *, name: str | None = None, **options: Value) -> Step:
    """Make a step; options not named have their defaults.

    >>> step_of("judges", ("a.txt", "b.txt"), by="borda").options["missing"]
    'refuse'

    Raises
    ------
    KeyError
        For a step that does not exist.
    """
    defaults = {key: option.default for key, option in STEPS[do].options.items()}
    return Step(do, name or do, sources, defaults | options)
