"""Comparison files: one row a reply of a judge that compared two answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from aeollm.errors import JudgmentsError, Problem, printable
from aeollm.files.kinds import RowReader, open_table
from aeollm.files.tabular import Aliases, Cells, checked
from aeollm.tables import ORDERS, OVERALL, Judgments, Winner

NEEDED: Aliases = {
    "questionId": ("questionId",),
    "left": ("left", "firstAnswer"),
    "right": ("right", "secondAnswer"),
    "winner": ("winner", "verdict"),
}
OPTIONAL: Aliases = {"dimension": ("dimension",), "judge": ("judge",), "order": ("order",), "repeat": ("repeat",)}

_WORDS: dict[str, Winner] = {
    **dict.fromkeys(("left", "first", "a"), "left"),
    **dict.fromkeys(("right", "second", "b"), "right"),
    **dict.fromkeys(("tie", "draw", "equal", "="), "tie"),
}
_EXCHANGED: dict[Winner | None, Winner | None] = {"left": "right", "right": "left", "tie": "tie", None: None}
_MOST_SHOWN = 5


@dataclass(frozen=True, slots=True)
class _Reply:
    """One row; ``order`` as written, empty without the column."""

    line: int
    question: str
    dimension: str
    left: str
    right: str
    winner: Winner | None
    judge: str
    repeat: str
    order: str

    @property
    def shown(self) -> tuple[str, ...]:
        """Tell what the judge was shown, apart from the order written."""
        return (self.question, self.dimension, self.left, self.right, self.judge, self.repeat)

    def exchanged(self) -> _Reply:
        """Give the same reply with left and right exchanged."""
        kept = (self.judge, self.repeat, self.order)
        return _Reply(self.line, self.question, self.dimension, self.right, self.left, _EXCHANGED[self.winner], *kept)


def read_judgments(path: str | Path | bytes, *, name: str | None = None) -> Judgments:
    """Read a CSV, TSV or JSON lines with one row a reply.

    Columns in any order, others are ignored: ``questionId``, ``left`` (or ``firstAnswer``, shown first), ``right`` (or
    ``secondAnswer``), ``winner`` (or ``verdict``): left, right or tie, also first, second, a, b, the winner's id.
    Optional ``dimension`` (whole answers without it), ``judge``, ``repeat``, and ``order`` (original or reversed):
    where both orders of a pair name the same left answer, ``order`` says which was shown first, and rows in reversed
    order are turned round. A winner that is none of these was not read: kept, counted, nobody's win.

    Raises
    ------
    JudgmentsError
        With every problem: no table, missing columns, empty ids, an answer against itself, the same presentation
        twice, no winner read at all, no rows.
    """
    opened = open_table(path, "pairwise judgments", (NEEDED, OPTIONAL), name=name)
    return _Reader.of(opened).noun(opened.name, opened.digest)


@dataclass
class _Reader(RowReader):
    replies: list[_Reply] = field(default_factory=list)
    unread: list[tuple[int, str]] = field(default_factory=list)

    def finish(self) -> None:
        """Say what can be said of all rows only."""
        self._as_shown()
        self.problems += [*_repeated(self.replies), *self._not_read()]

    def row(self, cells: Cells) -> None:
        """Read one row."""
        before = len(self.problems)
        question, left, right = (cells.id(column) for column in ("questionId", "left", "right"))
        dimension = cells.needed("dimension") if "dimension" in self.places else OVERALL
        if left and left == right:
            message = f"{printable(left)} is compared with itself."
            cells.wrong("same_answer", message, "Name two answers.", "right", right)
        order = self._order(cells)
        winner = self._winner(cells, left, right)
        if len(self.problems) == before:
            rest = (winner, cells.text("judge"), cells.text("repeat"), order)
            self.replies.append(_Reply(cells.line, question, dimension, left, right, *rest))

    def _order(self, cells: Cells) -> str:
        text = cells.text("order").lower()
        if "order" in self.places and text not in ORDERS:
            message = f"order is {printable(text)!r}, not {' or '.join(ORDERS)}."
            cells.wrong("unknown_order", message, f"Write {' or '.join(ORDERS)}.", "order", text)
        return text

    def _winner(self, cells: Cells, left: str, right: str) -> Winner | None:
        text = cells.text("winner")
        if text and text == left:
            return "left"
        if text and text == right:
            return "right"
        winner = _WORDS.get(text.lower())
        if winner is None:
            self.unread.append((cells.line, text))
        return winner

    def _as_shown(self) -> None:
        """Turn rows in reversed order round where left and right name the pair, not the places."""
        orders: dict[tuple[str, ...], set[str]] = {}
        for reply in self.replies:
            orders.setdefault(reply.shown, set()).add(reply.order)
        if not any(len(own) > 1 for own in orders.values()):
            return
        self.replies = [reply.exchanged() if reply.order == ORDERS[1] else reply for reply in self.replies]
        message = "left and right name the pair and order says which was shown first; reversed rows were turned round."
        self.problems.append(Problem("note", "order_column", message))

    def _not_read(self) -> Iterator[Problem]:
        for line, text in self.unread[:_MOST_SHOWN]:
            message = f"winner is {printable(text, 60)!r}, not left, right or tie: counted as not read."
            yield Problem("warning", "unread_winner", message, "", line, "winner", text)
        if len(self.unread) > _MOST_SHOWN:
            message = f"{len(self.unread)} of {len(self.unread) + self._read()} winners were not read."
            yield Problem("warning", "unread_winner", message)
        if self.unread and not self._read():
            message = "no winner of the file can be read."
            yield Problem("error", "unread_winner", message, "Write left, right or tie.", self.unread[0][0], "winner")

    def _read(self) -> int:
        return sum(reply.winner is not None for reply in self.replies)

    def noun(self, name: str, digest: str) -> Judgments:
        """Build the noun.

        Raises
        ------
        JudgmentsError
            If any problem is an error.
        """
        problems = checked(name, self.problems, rows=bool(self.replies), error=JudgmentsError)
        replies = self.replies
        return Judgments(
            name,
            digest,
            questions=tuple(reply.question for reply in replies),
            dimensions=tuple(reply.dimension for reply in replies),
            left=tuple(reply.left for reply in replies),
            right=tuple(reply.right for reply in replies),
            winners=tuple(reply.winner for reply in replies),
            lines=tuple(reply.line for reply in replies),
            judges=tuple(reply.judge for reply in replies) if "judge" in self.places else None,
            repeats=tuple(reply.repeat for reply in replies) if "repeat" in self.places else None,
            problems=problems,
        )


def _repeated(replies: Sequence[_Reply]) -> Iterator[Problem]:
    seen: dict[tuple[str, ...], int] = {}
    for reply in replies:
        first = seen.setdefault(reply.shown, reply.line)
        if first != reply.line:
            message = f"{printable(reply.left)} before {printable(reply.right)} again; first on line {first}."
            remedy = "Keep one row a presentation; tell repeats apart by a column repeat, judges by a column judge."
            yield Problem("error", "duplicate_key", message, remedy, reply.line, "left", reply.left, reply.question)
