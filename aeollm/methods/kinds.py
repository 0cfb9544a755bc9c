"""The ways of asking a judge that a recipe may have: what each gives, and its few options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from aeollm.recipes import Option

Gives = Literal["scores", "criterion scores", "pairwise judgments", "opinions", "prompt"]
JUDGE = "judge"
"""The name of the judge where a recipe names none."""


@dataclass(frozen=True, slots=True)
class AskKind:
    """What a way of asking gives, and its options in their order.

    ``rubrics`` marks those that need the criteria; ``together`` those that need all answers of a question at once.
    """

    gives: Gives
    told: str
    options: Mapping[str, Option]
    rubrics: bool = False
    together: bool = False

    @property
    def feeds_steps(self) -> bool:
        """Tell whether it gives a table that the steps to a run can take."""
        return self.gives not in ("opinions", "prompt")


_TOKENS = (1.0, 1e6)
_SCALE = Option("numbers", (0.0, 10.0), "lowest and highest score")
_DIMENSIONS = Option("names", (), "these dimensions only; all where none is named")
_ORDERS = Option("choice", "both", "order of the criteria", ("both", "original", "reversed"))
_PAIR_ORDERS = Option("choice", "both", "which report stands first", ("both", "once"))
_YES_NO = ("yes", "no")
_ONE = Option("word", JUDGE, "the judge, by the name it has in this recipe")
_SEVERAL = Option("names", (JUDGE,), "the judges, by the names they have in this recipe")


def _prompt(name: str) -> Option:
    return Option("word", name, "template <prompt>.<language>.md beside the recipe, else the bundled one")


def _most(tokens: int) -> Option:
    return Option("number", float(tokens), "most tokens of a reply, thoughts included", within=_TOKENS)


ASKS: Mapping[str, AskKind] = {
    "holistic": AskKind(
        "scores",
        "one call a report, a score for every dimension",
        {
            "judge": _ONE,
            "prompt": _prompt("holistic"),
            "dimensions": _DIMENSIONS,
            "scale": _SCALE,
            "max_tokens": _most(512),
        },
    ),
    "one-dimension": AskKind(
        "criterion scores",
        "one call a report and dimension, a score for each of its criteria",
        {
            "judges": _SEVERAL,
            "prompt": _prompt("one-dimension"),
            "orders": _ORDERS,
            "dimensions": _DIMENSIONS,
            "scale": _SCALE,
            "max_tokens": _most(512),
        },
        rubrics=True,
    ),
    "one-call": AskKind(
        "criterion scores",
        "one call a report, a score for every criterion of all dimensions",
        {
            "judges": _SEVERAL,
            "prompt": _prompt("one-call"),
            "orders": Option("choice", "original", "order of the criteria", ("both", "original", "reversed")),
            "dimensions": _DIMENSIONS,
            "scale": _SCALE,
            "max_tokens": _most(1024),
        },
        rubrics=True,
    ),
    "per-criterion": AskKind(
        "criterion scores",
        "one call a report and criterion",
        {
            "judges": _SEVERAL,
            "prompt": _prompt("per-criterion"),
            "dimensions": _DIMENSIONS,
            "scale": _SCALE,
            "max_tokens": _most(256),
        },
        rubrics=True,
    ),
    "pairwise": AskKind(
        "pairwise judgments",
        "one call a pair and order, the winner in every dimension",
        {
            "judges": _SEVERAL,
            "prompt": _prompt("pairwise"),
            "orders": _PAIR_ORDERS,
            "dimensions": _DIMENSIONS,
            "near": Option("name", None, "only pairs that these scores put near each other in a dimension asked for"),
            "within": Option("number", 1.0, "points that are near"),
            "max_tokens": _most(256),
        },
        together=True,
    ),
    "tie-break": AskKind(
        "pairwise judgments",
        "one call a tied pair, dimension and order, by the dimension's criteria",
        {
            "judges": _SEVERAL,
            "prompt": _prompt("tie-break"),
            "of": Option("name", None, "the scores whose exact ties are to be broken", required=True),
            "orders": _PAIR_ORDERS,
            "dimensions": _DIMENSIONS,
            "max_tokens": _most(256),
        },
        rubrics=True,
        together=True,
    ),
    "llm-rubric": AskKind(
        "opinions",
        "one call a report and rubric question, probabilities of the allowed answers",
        {
            "judge": _ONE,
            "prompt": _prompt("llm-rubric"),
            "request": Option("choice", "yes", "show the request above the report, where there is one", _YES_NO),
            "samples": Option("number", 20.0, "times to ask where there are no token probabilities", within=(1, 1000)),
            "top_logprobs": Option("number", 20.0, "likeliest tokens to be told", within=(1, 200)),
            "max_tokens": _most(8),
        },
    ),
    "optimise": AskKind(
        "prompt",
        "a scoring prompt revised from its errors on labelled questions; others decide what is kept",
        {
            "judge": _ONE,
            "reviser": Option("word", None, "who revises, by its name in this recipe; the judge itself where unnamed"),
            "prompt": _prompt("holistic"),
            "dimensions": _DIMENSIONS,
            "scale": _SCALE,
            "max_tokens": _most(512),
            "rounds": Option("number", 4.0, "revisions to try", within=(1, 100)),
            "prune": Option("choice", "yes", "take out paragraphs that do not help, after every round", _YES_NO),
            "loss": Option("choice", "order", "1 less Kendall's tau-b, or root mean squared error", ("order", "error")),
            "errors": Option("number", 6.0, "reports that the reviser is shown at a time", within=(1, 50)),
            "excerpt": Option("number", 1500.0, "characters of each that it is shown", within=(100, 100_000)),
            "held_out": Option("number", 0.3, "share of questions that decide what is kept", within=(0.01, 0.9)),
            "untouched": Option("number", 0.2, "share of questions kept out of everything", within=(0.01, 0.9)),
            "split_seed": Option("number", 0.0, "deals the questions out another way"),
            "calls": Option("number", 10_000.0, "calls after which no more is tried", within=(1, 1e9)),
        },
        together=True,
    ),
}
