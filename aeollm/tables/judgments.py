"""What a judge says before there is a run: scores of single criteria, and which of two answers is better."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from aeollm.decimals import Decimals
from aeollm.errors import Problem

Order = Literal["original", "reversed"]
ORDERS: tuple[Order, ...] = get_args(Order)
Winner = Literal["left", "right", "tie"]
WINNERS: tuple[Winner, ...] = get_args(Winner)

UNREAD = -128
"""An outcome that could not be read from the judge's reply."""
_OUTCOMES = {"left": 1, "right": -1, "tie": 0, None: UNREAD}


@dataclass(frozen=True, eq=False)
class CriterionScores:
    """A judge's scores of single criteria, one row a score, in the order of the file.

    ``criteria`` holds the criterion's text, or its number in the rubric counted from 1, as written. ``scores`` has
    shape (rows,). ``orders`` says in which order the judge saw the criteria; ``repeats`` and ``judges`` tell rows
    apart that agree in all else. Each of these three is None for files without the column. ``digest`` is the
    SHA-256 of the file; ``lines`` the line of every row.
    """

    name: str
    digest: str
    questions: tuple[str, ...]
    answers: tuple[str, ...]
    dimensions: tuple[str, ...]
    criteria: tuple[str, ...]
    scores: Decimals
    lines: tuple[int, ...]
    orders: tuple[Order, ...] | None = None
    repeats: tuple[str, ...] | None = None
    judges: tuple[str, ...] | None = None
    problems: tuple[Problem, ...] = ()

    def __len__(self) -> int:
        """Count the scores."""
        return len(self.answers)


@dataclass(frozen=True, eq=False)
class Judgments:
    """A judge's comparisons of two answers, one row a reply, in the order of the file.

    ``left`` is the answer shown first, ``right`` the one shown second; both orders of a pair are two rows with left
    and right exchanged. ``winners`` has None where the judge's reply could not be read. ``judges`` is None for files
    of one judge without a name; ``repeats`` tells further replies to the same presentation apart, None without the
    column. A file without a dimension compares whole answers, under the dimension ``overall``.
    """

    name: str
    digest: str
    questions: tuple[str, ...]
    dimensions: tuple[str, ...]
    left: tuple[str, ...]
    right: tuple[str, ...]
    winners: tuple[Winner | None, ...]
    lines: tuple[int, ...]
    judges: tuple[str, ...] | None = None
    repeats: tuple[str, ...] | None = None
    problems: tuple[Problem, ...] = ()

    def __len__(self) -> int:
        """Count the replies, read or not."""
        return len(self.winners)

    @cached_property
    def outcomes(self) -> NDArray[np.int8]:
        """Give 1 where left won, -1 where right did, 0 for a tie, `UNREAD` where nothing was read, shape (rows,)."""
        return np.array([_OUTCOMES[winner] for winner in self.winners], dtype=np.int8)

    @cached_property
    def question_order(self) -> tuple[str, ...]:
        """List the questions in the order of their first row."""
        return tuple(dict.fromkeys(self.questions))

    @cached_property
    def dimension_order(self) -> tuple[str, ...]:
        """List the dimensions in the order of their first row."""
        return tuple(dict.fromkeys(self.dimensions))

    @classmethod
    def of(cls, rows: Sequence[tuple[str, str, str, str, Winner | None]], name: str = "judgments") -> Judgments:
        """Take (question, dimension, left, right, winner) rows of one judge; lines count from 2, as below a header.

        >>> Judgments.of([("1", "insight", "a", "b", "left"), ("1", "insight", "b", "a", None)]).outcomes.tolist()
        [1, -128]
        """
        questions, dimensions, left, right, winners = zip(*rows, strict=True) if rows else ((),) * 5
        lines = tuple(range(2, len(rows) + 2))
        return cls(name, "", questions, dimensions, left, right, winners, lines)
