"""What is read of single replies, by name, to be looked at beside them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aeollm.judging import Reader, Reply, Request, Unread
from aeollm.judging.reading import choice_reader, option_probabilities
from aeollm.methods.calls import Asking, Row, Rows
from aeollm.methods.collecting import CALLS, requests_of
from aeollm.methods.opinions import opinion_requests

Values = tuple[tuple[Row, str], ...]
"""Names (a dimension, with the number of a criterion of it; the number of an answer) with what was read.

That is a score, a probability, or the answer that won; empty where neither did.
"""


def calls_with_values(asking: Asking) -> Iterator[tuple[Request, Reader[Values] | None]]:
    """Give every request with what reads its replies; None where no reply says anything by itself."""
    gives = asking.ask.kind.gives
    if gives == "opinions":
        yield from ((request, _opinion(question.numbers)) for question, request in opinion_requests(asking))
    elif gives == "prompt":
        yield from ((request, None) for request in requests_of(asking))
    else:
        for call in CALLS[asking.ask.do](asking):
            yield call.request, _of_rows(call.read, asking)


def _opinion(options: Sequence[str]) -> Reader[Values]:
    """Read probabilities, or the answer of a sample, which has none."""
    choose = choice_reader(options)

    def read(reply: Reply) -> Values | Unread:
        if reply.tokens is None:
            chosen = choose(reply)
            return chosen if isinstance(chosen, Unread) else (((chosen,), "1"),)
        found = option_probabilities(reply, options)
        if isinstance(found, Unread):
            return found
        return tuple(((option,), f"{share:.3f}") for option, share in found.values.items())

    return read


def _of_rows(read: Reader[Rows], asking: Asking) -> Reader[Values]:
    def named(reply: Reply) -> Values | Unread:
        found = read(reply)
        return found if isinstance(found, Unread) else tuple(pair for row in found for pair in _pairs(row, asking))

    return named


def _pairs(row: Row, asking: Asking) -> Values:
    """Name what a row of a table holds."""
    if asking.ask.kind.gives == "scores":
        _, _, _, *scores = row
        return tuple(((name,), score) for name, score in zip(asking.dimensions, scores, strict=True))
    if asking.ask.kind.gives == "criterion scores":
        _, _, dimension, criterion, score, *_ = row
        return (((dimension, criterion), score),)
    _, dimension, left, right, winner, _ = row
    return (((dimension,), {"left": left, "right": right}.get(winner, "")),)
