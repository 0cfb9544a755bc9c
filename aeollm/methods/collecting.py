"""Carrying out one way of asking: every call's rows in the order of the calls, and what is missing, with reasons."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from aeollm.judging import Answer, Missing, Reader, Request, Session, Usage
from aeollm.methods.calls import Asking, Call, Calls, Row, Rows
from aeollm.methods.opinions import ask_opinions, opinion_columns, opinion_requests, opinion_row
from aeollm.methods.optimising import Optimised, Optimiser, log_lines, most_requests, setup_of
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
_ENOUGH = 16
"""Bytes of a request's key that tell it from all others."""
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

    ``usage`` is what the replies looked at took, whenever they were paid for, of ``replies`` in all; ``models`` are
    those that answered, by the judge's name. ``sampled`` counts opinions from repeated sampling. ``paid`` has every
    reply's usage by what it is a reply to, so that one which several calls share can be counted once.
    """

    asking: Asking
    columns: Row
    rows: tuple[Row, ...]
    calls: int
    lost: tuple[Lost, ...]
    usage: Usage
    replies: int
    models: Mapping[str, tuple[str, ...]]
    sampled: int = 0
    optimised: Optimised | None = None
    paid: Mapping[bytes, Usage] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Give the ask's name."""
        return self.asking.ask.name

    @property
    def content(self) -> bytes:
        """Write the table, the same rows as the same bytes; empty where no call has a value."""
        if self.optimised is not None:
            return log_lines(self.optimised.log)
        if not self.rows or len(self.lost) == self.calls:
            return b""
        if self.asking.ask.kind.gives == "scores":
            # A run file knows no quotation marks.
            lines = ("\t".join(row) for row in (self.columns, *self.rows))
            return "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass")
        out = io.StringIO()
        writer = csv.writer(out, delimiter="\t", lineterminator="\n")
        writer.writerows([self.columns, *self.rows])
        return out.getvalue().encode("utf-8", "surrogatepass")


class _Tally:
    """Counts what the replies took and who answered."""

    def __init__(self) -> None:
        self.usage = Usage(0, 0)
        self.replies = self.calls = 0
        self.models: dict[str, dict[str, None]] = {}
        self.paid: dict[bytes, Usage] = {}

    def add(self, answer: Answer[Any]) -> None:
        """Count one answer."""
        self.calls += 1
        key = bytes.fromhex(answer.request.key)[:_ENOUGH]
        for number, reply in enumerate(answer.replies):
            self.paid[key + number.to_bytes(2)] = reply.usage
            self.usage += reply.usage
            self.replies += 1
            self.models.setdefault(answer.request.place[1], {})[reply.model] = None

    def collected(
        self, asking: Asking, table: tuple[Row, Sequence[Row]], lost: Iterable[Lost], sampled: int
    ) -> Collected:
        """Give the whole."""
        models = {name: tuple(sorted(own)) for name, own in sorted(self.models.items())}
        columns, rows = table
        counts = (self.calls, tuple(lost), self.usage, self.replies)
        return Collected(asking, columns, tuple(rows), *counts, models, sampled, paid=self.paid)


async def collect(asking: Asking, session: Session) -> Collected:
    """Carry out one way of asking."""
    if asking.ask.kind.gives == "opinions":
        return await _opinions(asking, session)
    if asking.ask.kind.gives == "prompt":
        return await _prompt(asking, session)
    tally, rows, lost = _Tally(), dict[int, Rows](), dict[int, Lost]()
    places: dict[Row, tuple[int, Rows]] = {}
    async for answer in session.run_each(_numbered(CALLS[asking.ask.do](asking), places)):
        number, instead = places.pop(answer.request.place)
        tally.add(answer)
        rows[number] = answer.value if answer.value is not None else instead
        if answer.missing is not None:
            lost[number] = Lost(answer.request.place, answer.missing)
    ordered = [row for number in sorted(rows) for row in rows[number]]
    return tally.collected(asking, (_columns(asking), ordered), (lost[number] for number in sorted(lost)), 0)


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


async def _opinions(asking: Asking, session: Session) -> Collected:
    tally, rows, lost = _Tally(), dict[Row, Row](), dict[Row, Lost]()
    columns, sampled = opinion_columns(asking), 0
    width = sum(name.endswith("_prob") for name in columns)
    async for question, answer in ask_opinions(asking, session):
        tally.add(answer)
        row, place = opinion_row(question, answer, width), answer.request.place
        if row is not None:
            rows[place] = row
            sampled += answer.value is not None and answer.value.source == "samples"
        if answer.missing is not None:
            lost[place] = Lost(place, answer.missing)
    order = [request.place for own in asking.questions for request in opinion_requests(asking, own)]
    ordered = _by_report(order, asking)
    given = [rows[place] for place in ordered if place in rows]
    return tally.collected(asking, (columns, given), (lost[place] for place in ordered if place in lost), sampled)


async def _prompt(asking: Asking, session: Session) -> Collected:
    """Optimise a prompt; a reply that could not be read is missing only where the prompt kept lacks it."""
    tally, optimiser = _Tally(), Optimiser(setup_of(asking), session)
    optimised = await optimiser.run()
    lost = {}
    for answer in optimiser.answers:
        tally.add(answer)
        if answer.missing is not None:
            lost[answer.request.key] = Lost(answer.request.place, answer.missing)
    found = tally.collected(asking, ((), ()), lost.values(), 0)
    return replace(found, optimised=optimised)


def _by_report(places: Sequence[Row], asking: Asking) -> list[Row]:
    """Sort places by report, then question, as such files are written."""
    reports = {report.key: number for number, report in enumerate(asking.material.reports)}
    return sorted(places, key=lambda place: reports[place[2], place[3]])


def requests_of(asking: Asking) -> Iterator[Request]:
    """Give the requests alone, for an estimate."""
    if asking.ask.kind.gives == "opinions":
        for question in asking.questions:
            yield from opinion_requests(asking, question)
    elif asking.ask.kind.gives == "prompt":
        yield from most_requests(asking)
    else:
        yield from (call.request for call in CALLS[asking.ask.do](asking))
