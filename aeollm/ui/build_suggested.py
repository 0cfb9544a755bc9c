"""A sensible first list of steps for what was handed in, so that there is a result at once."""

from __future__ import annotations

from dataclasses import dataclass, field

from aeollm.aggregation.pairwise import pairs_of
from aeollm.errors import AeollmError
from aeollm.files import read_judgments
from aeollm.recipes import REPORTS, Step, Value, step_of
from aeollm.tables import DIMENSIONS, Labels
from aeollm.ui.build_inputs import Given, Handed

OUTCOMES = {
    "run": "taken",
    "criteria": "scored",
    "judges": "joined",
    "pairwise": "compared",
    "dimensions": "mixed",
    "ties": "untied",
    "length": "corrected",
    "structure": "blended",
    "rescale": "rescaled",
}
"""What a step's outcome is called."""
_LENGTH_BIASED = DIMENSIONS[2]
LEAST_QUESTIONS = 3
"""Labelled questions that steps need to learn from."""


@dataclass
class _List:
    taken: set[str]
    steps: list[Step] = field(default_factory=list)

    def add(self, do: str, sources: tuple[str, ...], **options: Value) -> str:
        """Add a step; give the name of its outcome."""
        name = free_name(do, self.taken)
        self.taken.add(name)
        self.steps.append(step_of(do, sources, name=name, **options))
        return name


def free_name(do: str, taken: set[str]) -> str:
    """Name a step's outcome, with a number where the name is taken.

    >>> free_name("ties", {"untied"})
    'untied 2'
    """
    number, name = 1, OUTCOMES[do]
    while name in taken:
        number += 1
        name = f"{OUTCOMES[do]} {number}"
    return name


def suggested(handed: Handed, labels: Labels) -> tuple[Step, ...]:
    """Give steps that use everything: criteria to scores, scores joined, comparisons drawn to them, length corrected.

    Empty where no judge's output was handed in.
    """
    if not handed.inputs:
        return ()
    made = _List({*handed.inputs, REPORTS})
    scores = [made.add("criteria", (name,)) for name in handed.of("criterion scores")]
    scores += handed.of("run")
    base = _joined(made, scores)
    compared = [_compared(made, handed.inputs[name], base) for name in handed.of("pairwise judgments")]
    base = _joined(made, compared) or base
    if base is not None and handed.reports is not None and learnable(labels) and _LENGTH_BIASED in labels.dimensions:
        base = made.add("length", (base,), dimension=_LENGTH_BIASED)
    if base is not None and not made.steps:
        made.add("run", (base,))
    return tuple(made.steps)


def learnable(labels: Labels) -> bool:
    """Say whether steps can learn from these labels."""
    return labels.labelled and len(labels.question_order) >= LEAST_QUESTIONS


def _joined(made: _List, scores: list[str]) -> str | None:
    if len(scores) > 1:
        return made.add("judges", tuple(scores), missing="renormalise")
    return scores[0] if scores else None


def _compared(made: _List, given: Given, anchor: str | None) -> str:
    scale = "win-share" if anchor is None else "anchors"
    return made.add("pairwise", (given.name,), anchor=anchor, scale=scale, orders=_orders(given))


def _orders(given: Given) -> str:
    """Take pairs in any order where none was judged in both; what cannot be read is told when it is built."""
    try:
        complete = bool(pairs_of(read_judgments(given.path, name=given.file)).complete.any())
    except AeollmError:
        return "both"
    return "both" if complete else "any"
