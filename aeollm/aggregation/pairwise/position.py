"""What the place of an answer does to a judge's verdict: flips, who leans which way, with interval and tests."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aeollm.aggregation.pairwise.pairs import Floats, Ints, Pairs, numbered

_LEAST_QUESTIONS = 2
_MOST_PARTS = 100
_MOST_EXACT = 1_000
_NUMBERS = 2_000_000


class Count(NamedTuple):
    """So many out of so many."""

    found: int
    of: int

    @property
    def share(self) -> float | None:
        """Divide; None out of nothing."""
        return self.found / self.of if self.of else None


class Interval(NamedTuple):
    """A share's interval; None where nothing can be said."""

    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class PositionBias:
    """How a judge, or several, treat the place shown first.

    Attributes
    ----------
    judge, dimension : what is told of; None for all together.
    complete, incomplete : pairs with a reply read in both orders, and the others.
    consistent : pairs with one verdict in both orders, out of the complete ones.
    flips : pairs with opposite winners in the two orders, out of the complete ones.
    first_share : replies won by the answer shown first, out of those with a winner, over complete pairs; an even-handed
        judge has one half here, whatever the answers are worth.
    first_share_all : the same over all replies, where an order that is missing tilts it.
    first_share_interval : by resampling questions (percentiles); None for fewer than two questions.
    leaning_first : complete pairs whose two orders together favour the place shown first, out of those that favour
        either place. A flip leans, and so does a win beside a tie.
    leaning_interval : Clopper and Pearson's, as if pairs were independent.
    p_pairs : exact two-sided sign test of the leaning pairs, as if they were independent.
    p_questions : exact two-sided test that changes the sign of whole questions: it allows for pairs of one question
        being alike, and cannot fall below 2 / 2**questions. None where no pair leans; normal beyond 1,000 questions.
    questions : those with a complete pair.
    unread : replies that could not be read.
    """

    judge: str | None
    dimension: str | None
    complete: int
    incomplete: int
    consistent: Count
    flips: Count
    first_share: Count
    first_share_all: Count
    first_share_interval: Interval
    leaning_first: Count
    leaning_interval: Interval
    p_pairs: float | None
    p_questions: float | None
    questions: int
    unread: int


def position_bias(pairs: Pairs, *, rng: np.random.Generator, resamples: int = 2_000) -> tuple[PositionBias, ...]:
    """Report on all pairs, then on every judge and dimension where there are several (and at most 100).

    Parameters
    ----------
    pairs : of `pairs_of`.
    rng : draws the questions of the intervals.
    resamples : draws of questions for each interval.

    Examples
    --------
    >>> from aeollm.aggregation.pairwise.pairs import pairs_of
    >>> from aeollm.tables.judgments import Judgments
    >>> replies = Judgments.of([("1", "insight", "a", "b", "left"), ("1", "insight", "b", "a", "left")])
    >>> bias = position_bias(pairs_of(replies), rng=np.random.default_rng(0))[0]
    >>> bias.flips, bias.first_share
    (Count(found=1, of=1), Count(found=2, of=2))
    """
    return tuple(_report(part, rng, resamples) for part in _parts(pairs))


class _Part(NamedTuple):
    pairs: Pairs
    judge: str | None
    dimension: str | None
    rows: NDArray[np.intp]


def _parts(pairs: Pairs) -> list[_Part]:
    members: dict[tuple[str, str], list[int]] = {}
    for row, key in enumerate(zip(pairs.judges, pairs.dimensions, strict=True)):
        members.setdefault(key, []).append(row)
    parts = [_Part(pairs, None, None, np.arange(len(pairs)))]
    if 1 < len(members) <= _MOST_PARTS:
        parts += [_Part(pairs, *key, np.array(rows, dtype=np.intp)) for key, rows in members.items()]
    return parts


def _report(part: _Part, rng: np.random.Generator, resamples: int) -> PositionBias:
    pairs, rows = part.pairs, part.rows
    complete = rows[pairs.complete[rows]]
    leans = pairs.leans[complete]
    leaning = Count(int((leans > 0).sum()), int((leans != 0).sum()))
    numbers = numbered([pairs.questions[row] for row in complete])
    of_pair = np.array([numbers[pairs.questions[row]] for row in complete], dtype=np.intp)
    replies = pairs.counts[complete].sum(axis=1)
    won = np.stack([np.bincount(of_pair, replies[:, kind], len(numbers)) for kind in (0, 2)], axis=-1).astype(
        np.float64
    )
    return PositionBias(
        judge=part.judge,
        dimension=part.dimension,
        complete=len(complete),
        incomplete=len(rows) - len(complete),
        consistent=Count(int(pairs.consistent[rows].sum()), len(complete)),
        flips=Count(int(pairs.flips[rows].sum()), len(complete)),
        first_share=_first_share(pairs.counts[complete]),
        first_share_all=_first_share(pairs.counts[rows]),
        first_share_interval=_resampled(won, rng, resamples),
        leaning_first=leaning,
        leaning_interval=_clopper_pearson(leaning),
        p_pairs=_sign_test(leaning),
        p_questions=_flip_test(np.bincount(of_pair, leans, len(numbers)).astype(np.int64)) if leaning.of else None,
        questions=len(numbers),
        unread=int(pairs.counts[rows, :, 3].sum()),
    )


def _first_share(counts: Ints) -> Count:
    won, lost = int(counts[..., 0].sum()), int(counts[..., 2].sum())
    return Count(won, won + lost)


def _resampled(won: Floats, rng: np.random.Generator, resamples: int) -> Interval:
    """Give the 95 % interval of the share of wins of the first place, shape of ``won`` (questions, 2)."""
    questions = len(won)
    if questions < _LEAST_QUESTIONS:
        return Interval(None, None)
    # As many draws at once as take little memory.
    together = max(1, _NUMBERS // questions)
    alike = np.full(questions, 1 / questions)
    sizes = [min(together, resamples - done) for done in range(0, resamples, together)]
    drawn = np.concatenate([rng.multinomial(questions, alike, size=size) @ won for size in sizes])
    decided = drawn.sum(axis=-1)
    shares = drawn[decided > 0, 0] / decided[decided > 0]
    if not len(shares):
        return Interval(None, None)
    low, high = np.quantile(shares, [0.025, 0.975]).tolist()
    return Interval(low, high)


def _clopper_pearson(found: Count) -> Interval:
    if not found.of:
        return Interval(None, None)
    from scipy import special  # noqa: PLC0415  scoring does not wait for scipy

    count, rest = found.found, found.of - found.found
    low = float(special.betaincinv(count, rest + 1, 0.025)) if count else 0.0
    high = float(special.betaincinv(count + 1, rest, 0.975)) if rest else 1.0
    return Interval(low, high)


def _sign_test(found: Count) -> float | None:
    """Give the exact two-sided p of a fair coin."""
    if not found.of:
        return None
    from scipy import special  # noqa: PLC0415  as above

    fewer = min(found.found, found.of - found.found)
    return min(1.0, 2 * float(special.bdtr(fewer, found.of, 0.5)))


def _flip_test(totals: NDArray[np.int64]) -> float:
    """Give the two-sided p of a sum whose terms change sign, one a question.

    The sums are whole numbers, so that their distribution is built term by term; of very many questions it is normal.
    """
    if np.count_nonzero(totals) > _MOST_EXACT:
        return math.erfc(abs(int(totals.sum())) / math.sqrt(2 * float((totals**2).sum())))
    reach = int(np.abs(totals).sum())
    chances = np.zeros(2 * reach + 1)
    chances[reach] = 1.0
    for step in np.abs(totals[totals != 0]).tolist():
        chances = (np.roll(chances, step) + np.roll(chances, -step)) / 2
    sums = np.arange(-reach, reach + 1)
    return min(1.0, float(chances[np.abs(sums) >= abs(int(totals.sum()))].sum()))
