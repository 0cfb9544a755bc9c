"""How much a judge's scores depend on the order of the criteria, against how much they vary by themselves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from aeollm.tables import ORDERS, CriterionScores

_BOTH = len(ORDERS)


@dataclass(frozen=True, slots=True)
class OrderEffect:
    """Variance components of a criterion's scores, or, with ``criterion`` None, of a dimension's.

    Of scores of one answer: ``order`` is the variance between the two orders beyond noise, floored at 0, ``repeat``
    the variance of repeats in one order, ``f`` the ratio of their mean squares with ``degrees`` of freedom. Without
    repeats all three are None and ``both`` is order and noise together. ``shift`` is the mean of reversed less
    original. ``answers`` counts the answers (of each judge) scored in both orders.
    """

    dimension: str
    question: str | None
    criterion: str | None
    answers: int
    shift: float | None
    both: float | None
    order: float | None
    repeat: float | None
    f: float | None
    degrees: tuple[int, int]


@dataclass(slots=True)
class _Squares:
    """Sums over answers; all add up over criteria."""

    between: float = 0.0
    within: float = 0.0
    df_between: int = 0
    df_within: int = 0
    size: float = 0.0
    shift: float = 0.0

    def add(self, by_order: Mapping[str, list[float]]) -> None:
        """Take the scores of one answer."""
        groups = [np.array(by_order[order]) for order in ORDERS if order in by_order]
        self.within += sum(float(((own - own.mean()) ** 2).sum()) for own in groups)
        self.df_within += sum(len(own) - 1 for own in groups)
        if len(groups) < _BOTH:
            return
        counts = np.array([len(own) for own in groups])
        means = np.array([own.mean() for own in groups])
        grand = float((counts * means).sum() / counts.sum())
        self.between += float((counts * (means - grand) ** 2).sum())
        self.df_between += 1
        self.size += float(counts.sum() - (counts**2).sum() / counts.sum())
        self.shift += float(means[1] - means[0])

    def __add__(self, other: _Squares) -> _Squares:
        """Pool two criteria."""
        return _Squares(
            self.between + other.between,
            self.within + other.within,
            self.df_between + other.df_between,
            self.df_within + other.df_within,
            self.size + other.size,
            self.shift + other.shift,
        )

    def effect(self, dimension: str, question: str | None, criterion: str | None) -> OrderEffect:
        """Turn sums into variance components (one-way, answers of unequal numbers of repeats pooled)."""
        n, degrees = self.df_between, (self.df_between, self.df_within)
        noise = self.within / self.df_within if self.df_within else None
        if not n:
            return OrderEffect(dimension, question, criterion, 0, None, None, None, noise, None, degrees)
        mean_square, size = self.between / n, self.size / n
        order = None if noise is None else max((mean_square - noise) / size, 0.0)
        f = mean_square / noise if noise else None
        both = None if noise is not None else mean_square / size
        return OrderEffect(dimension, question, criterion, n, self.shift / n, both, order, noise, f, degrees)


def order_effects(scores: CriterionScores) -> tuple[OrderEffect, ...]:
    """Give the effect of the criterion order for every dimension, then for every criterion of a question.

    Empty where no criterion was scored in both orders and none again in one.
    """
    if scores.orders is None:
        return ()
    squares: dict[tuple[str, str, str], _Squares] = {}
    for (dimension, question, criterion), answers in _answers(scores).items():
        own = squares.setdefault((dimension, question, criterion), _Squares())
        for by_order in answers:
            own.add(by_order)
    pooled: dict[str, _Squares] = {}
    for (dimension, _, _), own in squares.items():
        pooled[dimension] = pooled.get(dimension, _Squares()) + own
    found = [own.effect(dimension, None, None) for dimension, own in pooled.items()]
    found += [own.effect(*place) for place, own in squares.items()]
    return tuple(effect for effect in found if effect.answers or effect.repeat is not None)


def _answers(scores: CriterionScores) -> Mapping[tuple[str, str, str], Iterable[Mapping[str, list[float]]]]:
    """Group the scores by criterion, then by answer and judge, then by order."""
    orders = scores.orders or ()
    judges = scores.judges or ("",) * len(scores)
    found: dict[tuple[str, str, str], dict[tuple[str, str], dict[str, list[float]]]] = {}
    for row, value in enumerate(scores.scores.values.tolist()):
        place = (scores.dimensions[row], scores.questions[row], scores.criteria[row])
        answer = found.setdefault(place, {}).setdefault((scores.answers[row], judges[row]), {})
        answer.setdefault(orders[row], []).append(value)
    return {place: answers.values() for place, answers in found.items()}
