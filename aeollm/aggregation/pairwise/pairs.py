"""What a judge said about every pair of answers, in both orders of presentation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from aeollm.tables.judgments import UNREAD, Judgments

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]

_KIND_OF_OUTCOME = {1: 0, 0: 1, -1: 2, UNREAD: 3}


@dataclass(frozen=True, eq=False)
class Pairs:
    """One row a pair of answers that one judge compared under one question and dimension.

    ``first`` and ``second`` name the two answers in the order in which the file first mentions them; no order of
    presentation is meant. ``counts`` has shape (pairs, 2, 4): replies while ``first`` was shown first, then while
    ``second`` was, of the kinds: won by the answer shown first, tie, won by the one shown second, not read. Judges
    of files without the column are all ``""``.
    """

    questions: tuple[str, ...]
    dimensions: tuple[str, ...]
    judges: tuple[str, ...]
    first: tuple[str, ...]
    second: tuple[str, ...]
    counts: Ints

    def __len__(self) -> int:
        """Count the pairs."""
        return len(self.first)

    @cached_property
    def verdicts(self) -> Floats:
        """Give the shares (won by ``first``, tie, won by ``second``) in each order, shape (pairs, 2, 3).

        Several replies to one presentation are averaged; nan where none was read.
        """
        read = self.counts[..., :3].astype(np.float64)
        total = read.sum(axis=-1, keepdims=True)
        shares = np.divide(read, total, out=np.full(read.shape, np.nan), where=total > 0)
        shares[:, 1] = shares[:, 1, ::-1]
        return np.asarray(shares)

    @cached_property
    def preferences(self) -> NDArray[np.float64]:
        """Give the sign of what each order prefers, shape (pairs, 2): 1 ``first``, 0 neither, -1 ``second``, or nan."""
        read = self.counts[..., :3].sum(axis=-1) > 0
        towards = (self.counts[..., 0] - self.counts[..., 2]) * np.array([1, -1])
        return np.asarray(np.where(read, np.sign(towards), np.nan))

    @cached_property
    def complete(self) -> Bools:
        """Say which pairs have a reply read in both orders."""
        return np.asarray((self.counts[..., :3].sum(axis=-1) > 0).all(axis=-1))

    @cached_property
    def consistent(self) -> Bools:
        """Say which complete pairs have the same verdict in both orders, a tie included."""
        return np.asarray(self.preferences[:, 0] == self.preferences[:, 1])

    @cached_property
    def flips(self) -> Bools:
        """Say which complete pairs have opposite winners in the two orders."""
        return np.asarray(self.preferences[:, 0] * self.preferences[:, 1] < 0)

    @cached_property
    def leans(self) -> Floats:
        """Give 1 where the two orders together favour the place shown first, -1 the second, 0 neither, or nan."""
        shares = self.counts[..., :3] / np.maximum(self.counts[..., :3].sum(axis=-1, keepdims=True), 1)
        total = (shares[..., 0] - shares[..., 2]).sum(axis=-1)
        return np.asarray(np.where(self.complete, np.sign(np.round(total, 12)), np.nan))

    @cached_property
    def outcomes(self) -> Floats:
        """Give one comparison a complete pair: shares (won by ``first``, tie, won by ``second``), nan elsewhere.

        Both orders weigh the same. Opposite verdicts cancel to a tie, so that a flip is a tie and a win beside a tie
        half a win; the two orders of a pair are one comparison, never two.

        Returns
        -------
        float array, shape (pairs, 3)
        """
        return _cancelled(self.verdicts.mean(axis=1))

    @cached_property
    def outcomes_of_any(self) -> Floats:
        """Give the same, taking the one order there is where the other is missing; nan without any reply."""
        known = ~np.isnan(self.verdicts[..., :1])
        total = np.where(known, self.verdicts, 0).sum(axis=1)
        orders = known.sum(axis=1)
        return _cancelled(np.divide(total, orders, out=np.full(total.shape, np.nan), where=orders > 0))

    def reason(self, row: int) -> str | None:
        """Say why a pair is not complete, None where it is."""
        if self.complete[row]:
            return None
        lacking = [order for order in range(2) if not self.counts[row, order, :3].any()]
        both = "both orders" if len(lacking) > 1 else "one order"
        return f"{both} not read" if self.counts[row, lacking, 3].all() else f"{both} missing"


def _cancelled(shares: Floats) -> Floats:
    opposed = np.minimum(shares[:, 0], shares[:, 2])
    return np.asarray(shares + opposed[:, None] * np.array([-1.0, 2.0, -1.0]))


def pairs_of(judgments: Judgments) -> Pairs:
    """Gather a judge's replies by pair of answers.

    Examples
    --------
    >>> rows = [("1", "insight", "a", "b", "left"), ("1", "insight", "b", "a", "left")]
    >>> pairs = pairs_of(Judgments.of(rows))
    >>> pairs.outcomes.tolist(), pairs.flips.tolist()
    ([[0.0, 1.0, 0.0]], [True])

    Raises
    ------
    ValueError
        For an answer compared with itself, which no reader lets through.
    """
    if any(left == right for left, right in zip(judgments.left, judgments.right, strict=True)):
        raise ValueError("an answer is compared with itself")
    place = numbered([answer for pair in zip(judgments.left, judgments.right, strict=True) for answer in pair])
    judges = judgments.judges or ("",) * len(judgments)
    keys: dict[tuple[str, str, str, str, str], int] = {}
    rows, exchanged = np.empty((2, len(judgments)), dtype=np.intp)
    columns = (judgments.questions, judgments.dimensions, judges, judgments.left, judgments.right)
    for row, (question, dimension, judge, left, right) in enumerate(zip(*columns, strict=True)):
        exchanged[row] = place[left] > place[right]
        first, second = (right, left) if exchanged[row] else (left, right)
        rows[row] = keys.setdefault((question, dimension, judge, first, second), len(keys))
    kinds = np.array([_KIND_OF_OUTCOME[outcome] for outcome in judgments.outcomes.tolist()], dtype=np.intp)
    counts = np.bincount(rows * 8 + exchanged * 4 + kinds, minlength=8 * len(keys)).reshape(-1, 2, 4)
    questions, dimensions, judges, first_answers, second_answers = zip(*keys, strict=True) if keys else ((),) * 5
    return Pairs(questions, dimensions, judges, first_answers, second_answers, counts)


def numbered(names: Sequence[str]) -> dict[str, int]:
    """Give each name a number, in the order of first places."""
    return {name: number for number, name in enumerate(dict.fromkeys(names))}
