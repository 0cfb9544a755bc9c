"""Looking into one call: what is sent, and what came back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from aeollm.judging import Reply, ReplyStore, Request, Unread
from aeollm.judging.sampling import samples_of
from aeollm.methods import Task
from aeollm.methods.collecting import requests_of
from aeollm.methods.running import REPLIES
from aeollm.methods.showing import Values, calls_with_values

_MOST_SHOWN = 5


@dataclass(frozen=True)
class Looked:
    """One call: its place in words, the request, the replies that came, in order, and what is read of each.

    Nothing is read of a reply that says nothing by itself.
    """

    ask: str
    number: int
    request: Request
    replies: tuple[Reply, ...]
    values: tuple[Values | Unread | None, ...]

    @property
    def place(self) -> str:
        """Name the judge, the question, and what else tells the call from others."""
        return " · ".join(self.request.place[1:])


def look_into(task: Task, name: str, number: int, folder: Path, attempts: int) -> Looked | None:
    """Give the call of that number, from 1; None where there is no such call."""
    ask = next((own for own in task.method.asks if own.name == name), None)
    if ask is None or number < 1:
        return None
    call = next(islice(calls_with_values(task.asking(ask)), number - 1, None), None)
    if call is None:
        return None
    request, read = call
    path = folder / REPLIES
    if not path.is_file():
        return Looked(name, number, request, (), ())
    with ReplyStore(path) as store:
        found = (store.get(own) for own in _asked(request, attempts))
        replies = tuple(islice((reply for reply in found if reply), _MOST_SHOWN))
    return Looked(name, number, request, replies, tuple(None if read is None else read(own) for own in replies))


def numbers_of(task: Task, name: str, places: Sequence[tuple[str, ...]]) -> dict[tuple[str, ...], int]:
    """Find the numbers of the calls at some places."""
    ask = next((own for own in task.method.asks if own.name == name), None)
    wanted, found = set(places), dict[tuple[str, ...], int]()
    for number, request in enumerate(requests_of(task.asking(ask)) if ask and wanted else (), start=1):
        if request.place in wanted:
            found[request.place] = number
            if len(found) == len(wanted):
                break
    return found


def _asked(request: Request, attempts: int) -> Iterator[Request]:
    """Give everything that may have been asked for one call: again, and as samples."""
    for attempt in range(attempts):
        yield request.asked(request.options.again(attempt))
    if request.options.top_logprobs is not None:
        for sample in samples_of(request, _MOST_SHOWN):
            yield sample
            yield replace(sample, options=sample.options.again(1))
