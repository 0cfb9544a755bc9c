"""Human scores to preferences between two answers, from which a judge of pairs can be trained."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Literal

import numpy as np

from aeollm.tables import Labels

Verdict = Literal["A", "B", "tie"]
Orders = Literal["balanced", "both"]
Per = Literal["dimension", "pair"]

_EXCHANGED: Mapping[Verdict, Verdict] = {"A": "B", "B": "A", "tie": "tie"}


@dataclass(frozen=True, slots=True)
class Preference:
    """Two answers of a question in the order they are shown, and which is better in each dimension."""

    question: str
    first: str
    second: str
    verdicts: tuple[tuple[str, Verdict], ...]

    def exchanged(self) -> Preference:
        """Give the same preference with the answers in the other order."""
        verdicts = tuple((dimension, _EXCHANGED[verdict]) for dimension, verdict in self.verdicts)
        return Preference(self.question, self.second, self.first, verdicts)


def preferences_of_labels(
    labels: Labels,
    *,
    margin: Fraction = Fraction(0),
    per: Per = "dimension",
    orders: Orders = "balanced",
    rng: np.random.Generator,
) -> list[Preference]:
    """Compare all pairs of answers of a question by their human scores.

    Parameters
    ----------
    labels : pairs with a blank cell are left out of that dimension.
    margin : scores that differ by no more than this are a tie.
    per : one preference a dimension, or one a pair with the verdicts of all dimensions.
    orders : "balanced" shows each pair once, and the better answer first as often as second, in every question and
        dimension as nearly as it can be; "both" shows each pair in both orders.
    rng : draws the order of pairs, and which answer is shown first where balance does not decide.

    Raises
    ------
    ValueError
        For a margin below 0.
    """
    if margin < 0:
        raise ValueError("a margin is 0 or more")
    found: list[Preference] = []
    for question in labels.question_order:
        pairs = _pairs(labels, question, margin)
        groups = [pairs] if per == "pair" else _by_dimension(pairs, labels.dimensions)
        for group in groups:
            ordered = [group[place] for place in rng.permutation(len(group)).tolist()]
            if orders == "both":
                found += [one for preference in ordered for one in (preference, preference.exchanged())]
            else:
                found += _balanced(ordered, rng)
    return found


def _pairs(labels: Labels, question: str, margin: Fraction) -> list[Preference]:
    scale = Fraction(10) ** labels.scores.exponent
    rows = [row for row, own in enumerate(labels.questions) if own == question]
    units, given = labels.scores.units, labels.given
    found = []
    for one, other in combinations(rows, 2):
        verdicts: list[tuple[str, Verdict]] = []
        for d, dimension in enumerate(labels.dimensions):
            if given[one, d] and given[other, d]:
                lead = (int(units[one, d]) - int(units[other, d])) * scale
                verdicts.append((dimension, "tie" if abs(lead) <= margin else "A" if lead > 0 else "B"))
        if verdicts:
            found.append(Preference(question, labels.answers[one], labels.answers[other], tuple(verdicts)))
    return found


def _by_dimension(pairs: Sequence[Preference], dimensions: Sequence[str]) -> list[list[Preference]]:
    return [
        [
            Preference(pair.question, pair.first, pair.second, ((name, verdict),))
            for pair in pairs
            for name, verdict in pair.verdicts
            if name == dimension
        ]
        for dimension in dimensions
    ]


def _balanced(pairs: Iterable[Preference], rng: np.random.Generator) -> list[Preference]:
    """Show each pair in the order that brings wins of A and B nearest to each other in all its dimensions."""
    lead: Counter[str] = Counter()
    found = []
    for pair in pairs:
        ways = [pair, pair.exchanged()]
        far = [sum((lead[d] + _sign(v)) ** 2 for d, v in way.verdicts) for way in ways]
        chosen = ways[int(rng.integers(2)) if far[0] == far[1] else int(far[1] < far[0])]
        lead.update({dimension: _sign(verdict) for dimension, verdict in chosen.verdicts})
        found.append(chosen)
    return found


def _sign(verdict: Verdict) -> int:
    return {"A": 1, "B": -1, "tie": 0}[verdict]


def split_questions(questions: Sequence[str], share: float, *, rng: np.random.Generator) -> tuple[list[str], list[str]]:
    """Split whole questions into those to train on and those held out, both in their order.

    Parameters
    ----------
    share : of questions held out; from two questions on, both sides get one at least where it is above 0.

    Raises
    ------
    ValueError
        For a share that is not from 0 to below 1.
    """
    if not 0 <= share < 1:
        raise ValueError("the share of questions held out is from 0 to below 1")
    most = len(questions) - 1
    count = min(max(round(share * len(questions)), 1), most) if share and most > 0 else 0
    held = {questions[place] for place in rng.permutation(len(questions))[:count].tolist()}
    return [q for q in questions if q not in held], [q for q in questions if q in held]
