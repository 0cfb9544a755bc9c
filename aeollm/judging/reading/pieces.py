"""What is found in a reply before it is settled: values, or trouble, and how values of one kind are read."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

from aeollm.judging.reading.fields import fold

V = TypeVar("V", bound=Hashable)

NAME_KEYS = frozenset(
    fold(key)
    for key in (
        *("criterion", "criteria", "dimension", "name", "id", "criterion_id", "key", "field", "item"),
        *("aspect", "metric", "category", "title", "label"),
        *("标准", "维度", "名称", "编号"),
    )
)
VALUE_KEYS = frozenset(
    fold(key)
    for key in (
        *("score", "rating", "value", "grade", "mark", "points", "winner", "verdict", "choice", "answer", "final"),
        *("评分", "得分", "分数", "打分", "分值", "结论", "选择"),
    )
)


class Piece(NamedTuple, Generic[V]):
    """A value, or the kind of trouble with it, what was written, and the place in the text behind it."""

    value: V | None
    trouble: str | None
    written: str
    end: int = 0

    def moved(self, by: int) -> Piece[V]:
        """Give it as a piece of the text whose part, from ``by``, it was found in."""
        return self._replace(end=self.end + by)


@dataclass(frozen=True, slots=True)
class Values(Generic[V]):
    """How values of one kind are read: from a JSON value, from a place in a text, and from sentences of a text.

    ``loose`` tells whether a value cut at the reply's end may be another one (``1`` of ``10``).
    """

    of_json: Callable[[object], Piece[V]]
    at: Callable[[str, int], Piece[V] | None]
    said: Callable[[str], list[Piece[V]]]
    loose: bool = True
