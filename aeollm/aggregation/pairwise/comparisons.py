"""Comparisons ready for a model: one weighted outcome a pair of answers, all questions and dimensions together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aeollm.aggregation.pairwise.pairs import Bools, Floats, Pairs, numbered, pairs_of
from aeollm.errors import JudgmentsError, Problem
from aeollm.tables.judgments import Judgments

Places = NDArray[np.intp]
Orders = Literal["both", "agreeing", "any"]

MOST_ANSWERS = 500
"""More answers to one question than this are refused: the models' cost grows with their cube."""
_MOST_WORK = 5_000_000_000
"""Cubes of the groups' sizes, summed; more is refused."""
MOST_CELLS = 2_000_000
"""Groups are fitted together while their matrices have no more numbers than this."""


@dataclass(frozen=True, eq=False)
class Comparisons:
    """Comparisons of answers, in groups that are fitted apart: one a question and dimension.

    ``questions`` and ``dimensions`` name the groups, ``answers`` the answers of each. ``group``, ``first`` and
    ``second`` have one entry a pair; the latter two are places in the group's answers. ``outcomes`` has shape
    (pairs, 3): the weight of wins of ``first``, of ties, of wins of ``second``, summed over judges; each judge's
    comparison weighs 1.
    """

    questions: tuple[str, ...]
    dimensions: tuple[str, ...]
    answers: tuple[tuple[str, ...], ...]
    group: Places
    first: Places
    second: Places
    outcomes: Floats
    problems: tuple[Problem, ...] = ()

    def __len__(self) -> int:
        """Count the groups."""
        return len(self.questions)

    @cached_property
    def sizes(self) -> Places:
        """Count the answers of every group."""
        return np.array([len(answers) for answers in self.answers], dtype=np.intp)

    @cached_property
    def starts(self) -> Places:
        """Give the place of each group's first answer among the answers of all groups, and their number."""
        return np.concatenate([[0], np.cumsum(self.sizes)]).astype(np.intp)

    @cached_property
    def of_answer(self) -> Places:
        """Give the group of every answer, in the order of ``answers``."""
        return np.repeat(np.arange(len(self)), self.sizes)

    @cached_property
    def flat_first(self) -> Places:
        """Give every pair's ``first`` as a place among the answers of all groups."""
        return self.starts[self.group] + self.first

    @cached_property
    def flat_second(self) -> Places:
        """Give every pair's ``second`` as a place among the answers of all groups."""
        return self.starts[self.group] + self.second

    def totals(self, of_pairs: Floats) -> Floats:
        """Sum a figure of pairs by group."""
        return np.bincount(self.group, weights=of_pairs, minlength=len(self)).astype(np.float64)

    def places(self) -> Mapping[tuple[str, str], int]:
        """Map (question, dimension) to the group."""
        return {key: number for number, key in enumerate(zip(self.questions, self.dimensions, strict=True))}

    def blocks(self, copies: int = 1) -> Iterator[Places]:
        """Give the groups in blocks of like size that fit in memory together, each ``copies`` times."""
        order = np.argsort(self.sizes, kind="stable")
        block: list[int] = []
        widest = 0
        for group in order.tolist():
            size = int(self.sizes[group])
            if block and ((len(block) + 1) * copies * (size + 1) ** 2 > MOST_CELLS or size > 2 * widest):
                yield np.array(block, dtype=np.intp)
                block = []
            widest = size if not block else widest
            block.append(group)
        if block:
            yield np.array(block, dtype=np.intp)

    @classmethod
    def of_counts(cls, wins: ArrayLike, ties: ArrayLike | None = None) -> Comparisons:
        """Take one table of counts: ``wins[i, j]`` of answer i over answer j, ``ties[i, j]`` = ``ties[j, i]``.

        Raises
        ------
        ValueError
            For tables that are not square, negative, unlike in shape, or ties that are not symmetric.
        """
        won = np.asarray(wins, dtype=np.float64)
        tied = np.zeros_like(won) if ties is None else np.asarray(ties, dtype=np.float64)
        if won.ndim != 2 or won.shape[0] != won.shape[1] or tied.shape != won.shape:
            raise ValueError("wins and ties are square tables of one shape")
        if not (won >= 0).all() or not (tied >= 0).all() or (tied != tied.T).any():
            raise ValueError("wins and ties are counts from 0, ties the same both ways")
        first, second = np.triu_indices(len(won), 1)
        outcomes = np.stack([won[first, second], tied[first, second], won[second, first]], axis=-1)
        compared = outcomes.sum(axis=-1) > 0
        names = tuple(str(number) for number in range(len(won)))
        group = np.zeros(int(compared.sum()), dtype=np.intp)
        return cls(("",), ("",), (names,), group, first[compared], second[compared], outcomes[compared])


def comparisons_of(
    judgments: Judgments,
    *,
    orders: Orders = "both",
    answers: Mapping[str, Sequence[str]] | None = None,
) -> Comparisons:
    """Make one comparison of every pair, judge, question and dimension.

    Parameters
    ----------
    judgments : replies of one or several judges, in one order or both. Several replies to one presentation are
        averaged, so that handing in everything twice changes nothing.
    orders : "both" takes the pairs judged in both orders, a flip being a tie and a win beside a tie half a win;
        "agreeing" only those of them with the same verdict in both orders; "any" takes pairs judged in one order too,
        with whatever the judge's taste for a place does to them.
    answers : the answers of a question, where some may never have been compared; by default those compared.

    Raises
    ------
    JudgmentsError
        For a question of more than `MOST_ANSWERS` answers, or too many such questions.
    ValueError
        For a misspelt ``orders``.
    """
    if orders not in get_args(Orders):
        raise ValueError(f"orders is one of {', '.join(get_args(Orders))}, not {orders!r}")
    pairs = pairs_of(judgments)
    kept = _kept(pairs, orders)
    outcomes = pairs.outcomes_of_any if orders == "any" else pairs.outcomes
    # Where every answer of a dimension is kept, also those whose pairs are all dropped.
    listed: dict[tuple[str, str], dict[str, int]] = {}
    for question, dimension, first, second in zip(
        pairs.questions, pairs.dimensions, pairs.first, pairs.second, strict=True
    ):
        if (question, dimension) not in listed:
            listed[question, dimension] = numbered(list((answers or {}).get(question, ())))
        of_group = listed[question, dimension]
        of_group.setdefault(first, len(of_group))
        of_group.setdefault(second, len(of_group))
    _refuse_too_many(judgments.name, listed)
    group_of = {key: number for number, key in enumerate(listed)}
    summed: dict[tuple[int, int, int], Floats] = {}
    for row in np.flatnonzero(kept).tolist():
        key = (pairs.questions[row], pairs.dimensions[row])
        place = (group_of[key], listed[key][pairs.first[row]], listed[key][pairs.second[row]])
        summed[place] = summed[place] + outcomes[row] if place in summed else outcomes[row]
    places = np.array(list(summed), dtype=np.intp).reshape(-1, 3).T
    return Comparisons(
        questions=tuple(question for question, _ in listed),
        dimensions=tuple(dimension for _, dimension in listed),
        answers=tuple(tuple(of_group) for of_group in listed.values()),
        group=places[0],
        first=places[1],
        second=places[2],
        outcomes=np.array(list(summed.values()), dtype=np.float64).reshape(-1, 3),
        problems=tuple(_told(pairs, orders)),
    )


def _kept(pairs: Pairs, orders: Orders) -> Bools:
    if orders == "any":
        return ~np.isnan(pairs.outcomes_of_any[:, 0])
    return pairs.consistent if orders == "agreeing" else pairs.complete


def _refuse_too_many(source: str, listed: Mapping[tuple[str, str], Mapping[str, int]]) -> None:
    found = [
        Problem(
            severity="error",
            kind="too_many_answers",
            message=f"{len(of_group):,} answers are compared under question {question}, {dimension}.",
            remedy=f"At most {MOST_ANSWERS} answers to a question can be compared.",
            question=question,
            column=dimension,
        )
        for (question, dimension), of_group in listed.items()
        if len(of_group) > MOST_ANSWERS
    ]
    work = sum(len(of_group) ** 3 for of_group in listed.values())
    if work > _MOST_WORK and not found:
        message = (
            f"{len(listed):,} questions and dimensions with up to {max(map(len, listed.values())):,} answers each."
        )
        remedy = "This is more than can be compared at once: hand in fewer questions at a time."
        found.append(Problem("error", "too_many_answers", message, remedy))
    if found:
        raise JudgmentsError(source, found)


def _told(pairs: Pairs, orders: Orders) -> Iterator[Problem]:
    """Say what was left out, and what a single order stands for."""
    incomplete = np.flatnonzero(~pairs.complete)
    if len(incomplete):
        row = int(incomplete[0])
        pair = f"{pairs.first[row]} and {pairs.second[row]} of question {pairs.questions[row]}"
        used = "taken as it stands" if orders == "any" else "left out"
        yield Problem(
            severity="warning",
            kind="one_order",
            message=f"{len(incomplete):,} of {len(pairs):,} pairs are not judged in both orders and {used}: "
            f"{pair} first ({pairs.reason(row)}).",
            remedy="Judge each pair in both orders: what a judge likes about a place shows only then."
            + ("" if orders == "any" else " Or take single orders too (orders any), with that in them."),
            question=pairs.questions[row],
        )
    contradictory = int(((pairs.counts[..., :3] > 0).sum(axis=-1) > 1).sum())
    if contradictory:
        yield Problem(
            severity="note",
            kind="contradictory",
            message=f"{contradictory:,} presentations of a pair have replies that contradict each other; their shares "
            "are taken, opposite verdicts cancelling to ties.",
        )
    disagreeing = int((pairs.complete & ~pairs.consistent).sum())
    if orders == "agreeing" and disagreeing:
        yield Problem(
            severity="note",
            kind="orders_disagree",
            message=f"{disagreeing:,} of {int(pairs.complete.sum()):,} pairs judged in both orders have two verdicts "
            "and are left out.",
        )
