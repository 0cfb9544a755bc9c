"""Several judges behind one function that asks: every model where it is served."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager

from aeollm.errors import JudgingError, Problem, printable
from aeollm.judging import Ask, Message, Options, Reply
from aeollm.judging.asking import Endpoint, connect
from aeollm.methods.method import Judge


@asynccontextmanager
async def connect_judges(judges: Mapping[str, Judge], token: str | None, timeout: float) -> AsyncIterator[Ask]:
    """Open connections to all judges' endpoints, and give the function that asks each model at its own.

    Raises
    ------
    JudgingError
        For addresses that are none, and for one model at two places, whose replies could not be told apart.
    """
    places = places_of(judges)
    async with AsyncExitStack() as stack:
        opened = {
            place: await stack.enter_async_context(connect(endpoint))
            for place, endpoint in endpoints_of(judges, token, timeout).items()
        }

        async def ask(messages: tuple[Message, ...], options: Options) -> Reply:
            return await opened[places[options.model]](messages, options)

        yield ask


def endpoints_of(
    judges: Mapping[str, Judge], token: str | None, timeout: float
) -> dict[tuple[str | None, str | None], Endpoint]:
    """Give the endpoints by address and provider, each once.

    Raises
    ------
    JudgingError
        For addresses and keys that are none, and for one model at two places.
    """
    places = dict.fromkeys(places_of(judges).values())
    return {place: Endpoint(*place, token=token, timeout=timeout) for place in places}


def places_of(judges: Mapping[str, Judge]) -> dict[str, tuple[str | None, str | None]]:
    """Map every model to its address and provider.

    Raises
    ------
    JudgingError
        For one model at two places.
    """
    places: dict[str, tuple[str | None, str | None]] = {}
    for judge in judges.values():
        place = (judge.base_url, judge.provider)
        if places.setdefault(judge.model, place) != place:
            message = f"the model {printable(judge.model)} is named at two places."
            remedy = "Name one place for each model, or serve it under another name."
            raise JudgingError("judges", [Problem("error", "usage", message, remedy)])
    return places
