"""One question looked into: its answers on both sides, the pairs that cost points, what each dimension weighs."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from aeollm.measures import rank
from aeollm.scoring.weights import weigh
from aeollm.tables import OVERALL, Labels, Rubrics, Run

Loss = Literal["discordant", "tied in run", "tied in labels"]


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """One answer: scores and ranks on both sides; rank 1 is best, ties share the average."""

    answer: str
    human: float
    run: float
    human_rank: float
    run_rank: float


@dataclass(frozen=True, slots=True)
class LostPair:
    """A pair whose order disagrees: people score ``better`` at least as high as ``worse``.

    Gaps are score(better) - score(worse) on either side; for a pair tied in the labels only,
    ``better`` is what the run puts first.
    """

    better: str
    worse: str
    human_gap: float
    run_gap: float
    loss: Loss


@dataclass(frozen=True, slots=True)
class Share:
    """How a dimension enters the overall: its weight, and its part of the overall's variance.

    The parts of a side sum to one over the dimensions; None where that side's overall is constant.
    """

    dimension: str
    weight: float
    human: float | None
    run: float | None


@dataclass(frozen=True, slots=True)
class QuestionDetail:
    """A question in one view: answers by human rank, lost pairs by human gap, shares of the dimensions."""

    question: str
    view: str
    answers: tuple[AnswerRow, ...]
    lost: tuple[LostPair, ...]
    shares: tuple[Share, ...]


def explain_question(
    run: Run, labels: Labels, rubrics: Rubrics | None, question: str, view: str = OVERALL
) -> QuestionDetail:
    """Look into one question of a run.

    Parameters
    ----------
    run, labels, rubrics : as for `score`.
    question : one of the labels' questions.
    view : ``overall`` or a dimension.

    Raises
    ------
    KeyError
        For a question or view that the labels do not have.
    """
    if question not in labels.question_order or view not in labels.views:
        raise KeyError((question, view))
    place = {key: row for row, key in enumerate(run.keys())}
    members = labels.grid[labels.question_order.index(question)]
    members = members[members >= 0]
    needed = labels.given if view == OVERALL else labels.given[:, [labels.dimensions.index(view)]]
    rows = [row for row in members.tolist() if needed[row].all() and (question, labels.answers[row]) in place]
    mine = [place[question, labels.answers[row]] for row in rows]
    weights = weigh(labels, rubrics)
    number = labels.question_order.index(question)
    sides = [
        _Side.of(table.scores.units[kept], table.scores.values[kept], weights.units[number], weights.shares[number])
        for table, kept in ((labels, rows), (run, mine))
    ]
    v = labels.views.index(view)
    ids = [labels.answers[row] for row in rows]
    return QuestionDetail(
        question, view, _answers(ids, sides, v), _lost(ids, sides, v), _shares(labels, sides, weights.shares[number])
    )


@dataclass(frozen=True, slots=True)
class _Side:
    """Exact keys and floats of a question's answers, shape (answers, views)."""

    keys: NDArray[Any]
    values: NDArray[np.float64]

    @classmethod
    def of(
        cls,
        units: NDArray[Any],
        values: NDArray[np.float64],
        weights: NDArray[Any],
        shares: NDArray[np.float64],
    ) -> _Side:
        exact = units.astype(object)
        totals = (exact * weights.astype(object)).sum(axis=1, keepdims=True)
        floats = (values * shares).sum(axis=1, keepdims=True)
        return cls(np.concatenate([totals, exact], axis=1), np.concatenate([floats, values], axis=1))

    def ranks(self, v: int) -> list[float]:
        """Give ranks from 1 for the best, ties averaged."""
        numbers = {key: place for place, key in enumerate(sorted(set(self.keys[:, v].tolist())))}
        keys = np.array([numbers[key] for key in self.keys[:, v].tolist()], dtype=np.int64)
        return [float(place) for place in (len(keys) + 1 - rank(keys).centred) / 2]


def _answers(ids: Sequence[str], sides: Sequence[_Side], v: int) -> tuple[AnswerRow, ...]:
    human, run = sides
    columns = (ids, human.values[:, v].tolist(), run.values[:, v].tolist(), human.ranks(v), run.ranks(v))
    rows = [AnswerRow(*row) for row in zip(*columns, strict=True)]
    return tuple(sorted(rows, key=lambda row: (row.human_rank, row.run_rank, row.answer)))


def _lost(ids: Sequence[str], sides: Sequence[_Side], v: int) -> tuple[LostPair, ...]:
    human, run = sides
    found = []
    for i, j in itertools.combinations(range(len(ids)), 2):
        gold, mine = (_sign(side.keys[i, v], side.keys[j, v]) for side in (human, run))
        if gold == mine:
            continue
        first, second = (i, j) if (gold or mine) > 0 else (j, i)
        gaps = [float(side.values[first, v] - side.values[second, v]) for side in (human, run)]
        loss: Loss = "tied in labels" if gold == 0 else "tied in run" if mine == 0 else "discordant"
        found.append(LostPair(ids[first], ids[second], gaps[0], gaps[1], loss))
    return tuple(sorted(found, key=lambda pair: (-pair.human_gap, pair.run_gap, pair.better, pair.worse)))


def _sign(x: Any, y: Any) -> int:  # noqa: ANN401  whole numbers of any size
    return int(x > y) - int(x < y)


def _shares(labels: Labels, sides: Sequence[_Side], weights: NDArray[np.float64]) -> tuple[Share, ...]:
    parts = [_variance_parts(side, weights) for side in sides]
    return tuple(
        Share(dimension, float(weights[d]), *(None if part is None else float(part[d]) for part in parts))
        for d, dimension in enumerate(labels.dimensions)
    )


def _variance_parts(side: _Side, weights: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Split the overall's variance: cov(weight x dimension, overall) / var(overall)."""
    if len(side.values) < 2 or len(set(side.keys[:, 0].tolist())) < 2:
        return None
    centred = side.values - side.values.mean(axis=0)
    covariance = (centred[:, 1:] * weights * centred[:, :1]).sum(axis=0)
    return np.asarray(covariance / covariance.sum())
