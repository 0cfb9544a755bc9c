"""The steps that a recipe may have: what each takes, and its few options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from aeollm.aggregation.pairwise import LEAST_PENALTY, MOST_PENALTY

Value = str | float | int | tuple[str, ...] | tuple[float, ...] | None
OptionKind = Literal["choice", "number", "numbers", "name", "names", "word"]
Takes = Literal["scores", "criterion scores", "pairwise judgments"]
"""``scores`` are a run file or the outcome of an earlier step."""


_FORMS = {
    "numbers": "numbers from 0 in [brackets]",
    "name": 'a name in "quotation marks"',
    "names": 'names in ["brackets"]',
    "word": 'a text in "quotation marks"',
}


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a step: its default, and what it may be.

    ``within`` are the bounds of a number other than 0. A "name" is that of an input or an earlier step with scores; a
    "word" is any text; "numbers" are from 0.
    """

    kind: OptionKind
    default: Value
    told: str
    choices: tuple[str, ...] = ()
    within: tuple[float, float] = (0.0, 1e9)
    required: bool = False

    def takes(self, number: float) -> bool:
        """Say whether a number may be given: 0, or one within the bounds."""
        least, most = self.within
        return number == 0 or least <= number <= most

    @property
    def form(self) -> str:
        """Say in words what may be given."""
        if self.choices:
            return f"one of {', '.join(self.choices)}"
        least, most = self.within
        number = f"a number from 0 to {most:g}" if least == 0 else f"0, or a number from {least:g} to {most:g}"
        return number if self.kind == "number" else _FORMS[self.kind]


@dataclass(frozen=True, slots=True)
class StepKind:
    """What a step takes under ``from`` (several names where ``several``), and its options in their order.

    ``learns`` marks steps that need labels; ``reports`` those that need the reports.
    """

    takes: Takes
    told: str
    options: Mapping[str, Option] = field(default_factory=dict)
    several: bool = False
    learns: bool = False
    reports: bool = False


_PENALTIES = (LEAST_PENALTY, MOST_PENALTY)
_MISSING = ("renormalise", "undefined", "refuse")
_DIMENSIONS = Option("names", (), "these dimensions only; all where none is named")
_UNTAUGHT = Option("choice", "refuse", "what happens where labels teach nothing: too few, or none", ("refuse", "pass"))


def _of_reports(told: str, dimension: str) -> StepKind:
    """Make a step that learns from labels what counts of the reports do."""
    options = {"dimension": Option("word", dimension, "the one corrected"), "untaught": _UNTAUGHT}
    return StepKind("scores", f"{told}, learned from labels", options, learns=True, reports=True)


STEPS: Mapping[str, StepKind] = {
    "run": StepKind("scores", "take the scores of a run file"),
    "criteria": StepKind(
        "criterion scores",
        "criterion scores to dimension scores by the rubrics' weights",
        {
            "orders": Option("choice", "average", "which order of the criteria", ("average", "original", "reversed")),
            "missing": Option("choice", "renormalise", "what a criterion without a score does", _MISSING),
        },
    ),
    "judges": StepKind(
        "scores",
        "several judges to one",
        {
            "by": Option("choice", "mean", "mean, z-scores, Borda ranks, median", ("mean", "z", "borda", "median")),
            "weights": Option("numbers", (), "one a judge; alike where none is named"),
            "missing": Option("choice", "refuse", "what an answer that a judge left out does", _MISSING),
        },
        several=True,
    ),
    "pairwise": StepKind(
        "pairwise judgments",
        "comparisons to scores by a model of strengths",
        {
            "model": Option(
                "choice",
                "davidson",
                "Davidson's with ties, Bradley and Terry's, or counting",
                ("davidson", "bradley-terry", "win-rate", "copeland"),
            ),
            "orders": Option(
                "choice", "both", "pairs judged in both orders, agreeing in both, or any", ("both", "agreeing", "any")
            ),
            "ridge": Option(
                "number",
                0.01,
                "holds answers that nobody beat where no anchor does; 0 leaves them out",
                within=_PENALTIES,
            ),
            "anchor": Option("name", None, "scores that the strengths are drawn to, and that fill other dimensions"),
            "anchoring": Option(
                "choice", "stated", "strength and slope as below, or learned from labels", ("stated", "learned")
            ),
            "strength": Option(
                "number", 1.0, "how strongly they are drawn to the anchor; 0 not at all", within=_PENALTIES
            ),
            "slope": Option("number", 1.0, "strength that one point of the anchor is worth"),
            "scale": Option(
                "choice",
                "win-share",
                "10 x expected win share, or the anchor's mean and spread",
                ("win-share", "anchors"),
            ),
            "dimensions": _DIMENSIONS,
        },
    ),
    "dimensions": StepKind(
        "scores",
        "take some dimensions from other scores",
        {
            "of": Option("name", None, "where these dimensions come from", required=True),
            "dimensions": Option("names", (), "which", required=True),
        },
    ),
    "ties": StepKind(
        "scores",
        "break exact ties by a second signal",
        {"by": Option("name", None, "the second signal", required=True)},
    ),
    "length": _of_reports("correct what the length of a report does to a judge", "instruction_following"),
    "structure": _of_reports("blend what is counted in a report into a dimension", "readability"),
    "rescale": StepKind(
        "scores",
        "put scores on the people's scale, learned from labels; isotonic makes ties",
        {
            "by": Option("choice", "affine", "a straight line, or any rising curve", ("affine", "isotonic")),
            "dimensions": _DIMENSIONS,
            "untaught": _UNTAUGHT,
        },
        learns=True,
    ),
}
