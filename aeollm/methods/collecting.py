"""Carrying out one way of asking: every call's rows in the order of the calls, and what is missing, with reasons."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from aeollm.judging import Answer, Missing, Reader, Request, Session, Usage
from aeollm.methods.calls import Asking, Call, Calls, Row, Rows
from aeollm.methods.opinions import (
    Masses,
    ask_opinions,
    opinion_columns,
    opinion_places,
    opinion_requests,
    opinion_row,
)
from aeollm.methods.optimising import Optimised, log_lines, most_requests, optimise
from aeollm.methods.pairs import pairwise, tie_break
from aeollm.methods.pointwise import holistic, one_call, one_dimension, per_criterion
from aeollm.tables import KEY_COLUMNS, SCORE_SUFFIX

CALLS: Mapping[str, Calls] = {
    "holistic": holistic,
    "one-dimension": one_dimension,
    "one-call": one_call,
    "per-criterion": per_criterion,
    "pairwise": pairwise,
    "tie-break": tie_break,
}
_CRITERION = ("questionId", "answerId", "dimension", "criterion", "score", "order", "judge")
_PAIR = ("questionId", "dimension", "left", "right", "winner", "judge")


@dataclass(frozen=True, slots=True)
class Lost:
    """A call without a value: its place, and why."""

    place: Row
    missing: Missing


@dataclass(frozen=True)
class Collected:
    """What one way of asking gave.

    ``table`` is what its rows are as a file, the same rows as the same bytes; empty where no call has a value.
    ``usage`` is what the replies looked at took, whenever they were paid for, of ``replies`` in all; ``models`` are
    those that answered, by the judge's name. ``opinions`` tells what opinions rest on.
    """

    asking: Asking
    table: bytes
    calls: int
    lost: tuple[Lost, ...]
    usage: Usage
    replies: int
    models: Mapping[str, tuple[str, ...]]
    optimised: Optimised | None = None
    opinions: Masses | None = None

    @property
    def name(self) -> str:
        """Give the ask's name."""
        return self.asking.ask.name

    @property
    def sampled(self) -> int:
        """Count the opinions from repeated sampling."""
        return 0 if self.opinions is None else self.opinions.sources["samples"]

    @property
    def content(self) -> bytes:
        """Give the file that it writes: the table, or the log of an optimisation."""
        return self.table if self.optimised is None else log_lines(self.optimised.log)


class _Tally:
    """Counts what the replies took and who answered."""

    def __init__(self, paid: Paid) -> None:
        self.usage = Usage(0, 0)
        self.replies = self.calls = 0
        self.models: dict[str, dict[str, None]] = {}
        self._paid = paid

    def add(self, answer: Answer[Any]) -> None:
        """Count one answer."""
        self.calls += 1
        for number, reply in enumerate(answer.replies):
            self._paid.add(answer.request, number, reply.usage)
            self.usage += reply.usage
            self.replies += 1
            self.models.setdefault(answer.request.place[1], {})[reply.model] = None

    def collected(self, asking: Asking, table: tuple[Row, Iterable[bytes]], lost: Sequence[Lost]) -> Collected:
        """Give the whole, of a header and the rows as they are written."""
        models = {name: tuple(sorted(own)) for name, own in sorted(self.models.items())}
        columns, rows = table
        written = b"".join(rows) if len(lost) < self.calls else b""
        whole = _written(asking, [columns]) + written if written else b""
        return Collected(asking, whole, self.calls, tuple(lost), self.usage, self.replies, models)


class Paid:
    """What all replies of a run took, those that several answers share once."""

    def __init__(self) -> None:
        self.usage = Usage(0, 0)
        self._seen: set[int] = set()

    def add(self, request: Request, number: int, usage: Usage) -> None:
        """Count the reply to one of the attempts at a request."""
        # 64 bits of a key, and the attempt in them: small, for there may be millions.
        place = int(request.key[:16], 16) ^ number
        if place not in self._seen:
            self._seen.add(place)
            self.usage += usage


def _written(asking: Asking, rows: Iterable[Row]) -> bytes:
    """Write rows; of many thousands, what is written takes a fraction of the memory that rows do."""
    if asking.ask.kind.gives == "scores":
        # A run file knows no quotation marks.
        text = "".join("\t".join(row) + "\n" for row in rows)
    else:
        out = io.StringIO()
        csv.writer(out, delimiter="\t", lineterminator="\n").writerows(rows)
        text = out.getvalue()
    return text.encode("utf-8", "surrogatepass")


async def collect(asking: Asking, session: Session, paid: Paid) -> Collected:
    """Carry out one way of asking."""
    if asking.ask.kind.gives == "opinions":
        return await _opinions(asking, session, paid)
    if asking.ask.kind.gives == "prompt":
        return await _prompt(asking, session, paid)
    tally, rows, lost = _Tally(paid), dict[int, bytes](), dict[int, Lost]()
    places: dict[Row, tuple[int, Rows]] = {}
    async for answer in session.run_each(_numbered(CALLS[asking.ask.do](asking), places)):
        number, instead = places.pop(answer.request.place)
        tally.add(answer)
        rows[number] = _written(asking, answer.value if answer.value is not None else instead)
        if answer.missing is not None:
            lost[number] = Lost(answer.request.place, answer.missing)
    ordered = (rows[number] for number in sorted(rows))
    return tally.collected(asking, (_columns(asking), ordered), [lost[number] for number in sorted(lost)])


def _numbered(calls: Iterator[Call], places: dict[Row, tuple[int, Rows]]) -> Iterator[tuple[Request, Reader[Rows]]]:
    """Give requests with their readers, and note every one's number and what stands for it where it is lost."""
    for number, call in enumerate(calls):
        places[call.request.place] = (number, call.lost)
        yield call.request, call.read


def _columns(asking: Asking) -> Row:
    if asking.ask.kind.gives == "criterion scores":
        return _CRITERION
    if asking.ask.kind.gives == "pairwise judgments":
        return _PAIR
    return (*KEY_COLUMNS, *(name + SCORE_SUFFIX for name in asking.dimensions))


async def _opinions(asking: Asking, session: Session, paid: Paid) -> Collected:
    masses = Masses()
    tally, rows, lost = _Tally(paid), dict[Row, Row](), dict[Row, Lost]()
    columns = opinion_columns(asking)
    width = sum(name.endswith("_prob") for name in columns)
    places = {place: question for question, place in opinion_places(asking)}
    async for answer in ask_opinions(asking, session):
        tally.add(answer)
        place = answer.request.place
        row = opinion_row(places[place], answer, width)
        if row is not None:
            rows[place] = row
        if answer.value is not None:
            masses.add(answer.value)
        if answer.missing is not None:
            lost[place] = Lost(place, answer.missing)
    given = (_written(asking, [rows[place]]) for place in places if place in rows)
    missing = [lost[place] for place in places if place in lost]
    return replace(tally.collected(asking, (columns, given), missing), opinions=masses)


async def _prompt(asking: Asking, session: Session, paid: Paid) -> Collected:
    """Optimise a prompt; a reply that could not be read is missing only where the prompt kept lacks it."""
    tally, lost = _Tally(paid), dict[str, Lost]()
    optimised, answers = await optimise(asking, session)
    for answer in answers:
        tally.add(answer)
        if answer.missing is not None:
            lost[answer.request.key] = Lost(answer.request.place, answer.missing)
    found = tally.collected(asking, ((), ()), tuple(lost.values()))
    return replace(found, optimised=optimised)


def requests_of(asking: Asking) -> Iterator[Request]:
    """Give the requests alone, in the order in which they are asked."""
    if asking.ask.kind.gives == "opinions":
        yield from (request for _, request in opinion_requests(asking))
    elif asking.ask.kind.gives == "prompt":
        yield from most_requests(asking)
    else:
        yield from (call.request for call in CALLS[asking.ask.do](asking))
