"""Runs that cover the same answers, scored in one pass over all views and questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aeollm.decimals import weighted_sum
from aeollm.measures import Floats, Ints, Ranking, accuracy_of, compare, kendall_of, rank, spearman_of
from aeollm.scoring.near import SHARE, near_pairs
from aeollm.scoring.weights import Weights
from aeollm.tables import MEASURES, Labels, Policy, Run, TieChange

_APART = 2**50
_SUBNORMAL = -300


@dataclass(frozen=True, slots=True)
class Layout:
    """Which label rows stand where, shape (views, questions, answers).

    ``rows`` has the valid ones in front, ``sizes`` of them; ``valid`` is in the places of `Labels.grid`;
    ``matched`` is what ``sizes`` was before questions with too few answers were emptied.
    """

    rows: NDArray[np.intp]
    valid: NDArray[np.bool_]
    sizes: Ints
    matched: Ints


@dataclass(frozen=True, slots=True)
class _Side:
    """One side of the comparison, shapes (runs, label rows, views or dimensions), and its ranks by view.

    ``exponent`` is the smallest power of ten of the scores.
    """

    table: NDArray[Any]
    totals: Floats
    values: Floats
    ranking: Ranking
    exponent: int

    @property
    def rounded_views(self) -> int:
        """Count the leading views in which float64 may see other ties than there are.

        Integers below 2**50 stay apart as floats of one power of ten, unless they are subnormal; weighted
        sums never have to.
        """
        whole = self.table.dtype == np.int64 and self.exponent > _SUBNORMAL
        small = whole and np.abs(self.table[..., 1:]).max(initial=0) < _APART
        return 1 if small else self.table.shape[-1]


@dataclass(frozen=True, slots=True)
class _Agreement:
    """Measures of a batch of runs, shape (runs, views, questions), and pair counts, (…, 5)."""

    spearman: Floats
    kendall: Floats
    accuracy: Floats
    pairs: Ints

    def of(self, r: int) -> dict[str, Any]:
        """Give one run's arrays."""
        measures = {"spearman": self.spearman[r], "kendall": self.kendall[r], "accuracy": self.accuracy[r]}
        return measures | {"pairs": self.pairs[r]}


def lay_out(labels: Labels, found: NDArray[np.bool_], min_answers: int) -> Layout:
    """Place the answers that are labelled in each view and found in the run."""
    grid = labels.grid
    given = np.concatenate([labels.given.all(axis=1, keepdims=True), labels.given], axis=1).T
    valid = (grid >= 0) & given[:, grid] & found[grid]
    rows = np.broadcast_to(grid, valid.shape)
    if not valid.all():
        front = np.argsort(~valid, axis=-1, kind="stable")
        rows = np.take_along_axis(rows, front, axis=-1)
    matched = valid.sum(axis=-1)
    return Layout(rows, valid, np.where(matched < min_answers, 0, matched), matched)


@dataclass(frozen=True, slots=True)
class BothSides:
    """A run's and people's scores of the same answers, shape (views, questions, answers); nan is none.

    ``human_order`` numbers a question's distinct human scores from 0, the lowest; weighted totals tie exactly there.
    """

    run: Floats
    human: Floats
    human_order: Floats


@dataclass(frozen=True)
class Reference:
    """Labels made ready for runs that cover the same answers of them."""

    labels: Labels
    weights: Weights
    layout: Layout

    @cached_property
    def gold(self) -> _Side:
        """Give the labels' own side."""
        scores = self.labels.scores
        return self._side(scores.units[None], scores.values[None], scores.exponent)

    @cached_property
    def gold_moved(self) -> bool:
        """Say whether float64 orders or ties any human scores unlike the exact numbers."""
        return bool(self._moved(self.gold)[0])

    @cached_property
    def _by_row(self) -> tuple[NDArray[Any], Floats]:
        of_row = self.labels.question_numbers
        return self.weights.units[of_row], self.weights.shares[of_row]

    def score(self, runs: Sequence[Run], placed: Sequence[NDArray[np.intp]], policy: Policy) -> list[dict[str, Any]]:
        """Give each run's arrays, as `Scores` names them."""
        units = np.stack([run.scores.units[places] for run, places in zip(runs, placed, strict=True)])
        values = np.stack([run.scores.values[places] for run, places in zip(runs, placed, strict=True)])
        side = self._side(units, values, min(run.scores.exponent for run in runs))
        exact = _agree(side.ranking, self.gold.ranking)
        moved = np.flatnonzero(self._moved(side) | self.gold_moved)
        floats = _agree(self._rank_floats(side, moved), self._rank_floats(self.gold)) if len(moved) else exact
        place = {r: m for m, r in enumerate(moved.tolist())}
        close = _may_be_close(side.table)
        scored = []
        for r in range(len(runs)):
            mine = exact.of(r)
            rough = floats.of(place[r]) if r in place else mine
            found = {
                "answers": self.layout.matched,
                "near_ties": self._near_pairs(side.table[r]) if close[r] else 0,
                "float64": self._tie_change(mine, rough, policy) if r in place else None,
            }
            scored.append((mine if policy.ties == "exact" else rough) | found)
        return scored

    def human_order(self) -> Floats:
        """Give every human score's place among the distinct ones of its question, from 0, the lowest."""
        return self._inside(self.gold.ranking.dense[0].astype(np.float64))

    def both_sides(self, run: Run, places: NDArray[np.intp]) -> BothSides:
        """Put a run's scores beside the human ones."""
        scores = run.scores
        side = self._side(scores.units[places][None], scores.values[places][None], scores.exponent)
        mine, human = (self._inside(self._floats(own, own.table.shape[-1])[0]) for own in (side, self.gold))
        return BothSides(mine, human, self.human_order())

    def _inside(self, table: Floats) -> Floats:
        """Blank the padding behind each question's answers."""
        return np.where(np.arange(table.shape[-1]) < self.layout.sizes[..., None], table, np.nan)

    def ties_of_labels(self) -> tuple[NDArray[np.bool_], int]:
        """Say where all human scores are equal, shape (views, questions), and count their near ties."""
        pairs = self.layout.sizes * (self.layout.sizes - 1) // 2
        near = self._near_pairs(self.gold.table[0]) if _may_be_close(self.gold.table)[0] else 0
        return (pairs > 0) & (self.gold.ranking.tied_pairs[0] == pairs), near

    def _near_pairs(self, table: NDArray[Any]) -> int:
        return near_pairs(table, self.labels.grid, self.layout.valid)

    def _side(self, units: NDArray[Any], values: Floats, exponent: int) -> _Side:
        """Weigh, lay out and rank scores of shape (runs, label rows, dimensions)."""
        weights, shares = self._by_row
        table = np.concatenate([weighted_sum(units, weights)[..., None], units], axis=-1)
        totals = np.zeros(values.shape[:-1])
        for d in range(values.shape[-1]):
            # Elementwise, left to right: never BLAS, whose last digits depend on the row's position.
            totals += shares[:, d] * values[..., d]
        keys = self._by_view(table if table.dtype == np.int64 else _integers_by_rank(table))
        ranking = rank(keys, np.broadcast_to(self.layout.sizes, keys.shape[:-1]))
        return _Side(table, totals, values, ranking, exponent)

    def _by_view(self, table: NDArray[Any]) -> NDArray[Any]:
        """Pick from (runs, label rows, leading views) into (runs, views, questions, answers)."""
        views = np.arange(table.shape[-1])[:, None, None]
        return np.asarray(table[:, self.layout.rows[: table.shape[-1]], views])

    def _floats(self, side: _Side, views: int) -> Floats:
        return self._by_view(np.concatenate([side.totals[..., None], side.values[..., : views - 1]], axis=-1))

    def _rank_floats(self, side: _Side, runs: NDArray[np.intp] | slice = slice(None)) -> Ranking:
        floats = self._floats(side, side.table.shape[-1])[runs]
        return rank(floats, np.broadcast_to(self.layout.sizes, floats.shape[:-1]))

    def _moved(self, side: _Side) -> NDArray[np.bool_]:
        """Say for which runs float64 orders or ties any answers unlike the exact numbers."""
        views = side.rounded_views
        order = side.ranking.order[:, :views]
        rises = np.diff(np.take_along_axis(side.ranking.dense[:, :views], order, axis=-1), axis=-1) > 0
        with np.errstate(over="ignore", invalid="ignore"):
            steps = np.diff(np.take_along_axis(self._floats(side, views), order, axis=-1), axis=-1)
        wrong = np.where(rises, steps <= 0, steps != 0)
        inside = np.arange(1, order.shape[-1]) < self.layout.sizes[:views, :, None]
        return np.asarray((inside & wrong).any(axis=(1, 2, 3)))

    def _tie_change(self, exact: dict[str, Any], floats: dict[str, Any], policy: Policy) -> TieChange | None:
        # Pair counts may agree where ranks do not.
        both = ~np.isnan(exact["spearman"]) & ~np.isnan(floats["spearman"])
        unlike = both & (exact["spearman"] != floats["spearman"])
        unlike |= (exact["pairs"] != floats["pairs"]).any(axis=-1)
        questions = np.flatnonzero(unlike.any(axis=0))
        if not len(questions):
            return None
        change = {name: _mean_change(exact[name][0], floats[name][0], policy) for name in MEASURES}
        return TieChange(change, tuple(self.labels.question_order[q] for q in questions))


def _mean_change(before: Floats, after: Floats, policy: Policy) -> float | None:
    """Give the change of a mean; None where either is undefined."""
    first, second = policy.average(before.tolist()), policy.average(after.tolist())
    return None if first is None or second is None else second - first


def _may_be_close(table: NDArray[Any]) -> NDArray[np.bool_]:
    """Say for which runs near ties are possible: whole numbers within SHARE of each other have none."""
    return np.asarray((table.max(axis=1) - table.min(axis=1) > SHARE).any(axis=-1), dtype=bool)


def _integers_by_rank(table: NDArray[Any]) -> Ints:
    """Replace numbers beyond int64 by their rank among all of a run's in that view."""
    ranks = np.empty(table.shape, dtype=np.int64)
    for r, v in np.ndindex(table.shape[0], table.shape[2]):
        numbers = table[r, :, v].tolist()
        places = {number: place for place, number in enumerate(sorted(set(numbers)))}
        ranks[r, :, v] = [places[number] for number in numbers]
    return ranks


def _agree(run: Ranking, labels: Ranking) -> _Agreement:
    counts = compare(run, labels)
    pairs = np.stack(counts, axis=-1)
    return _Agreement(spearman_of(run, labels), kendall_of(counts), accuracy_of(counts), pairs)
