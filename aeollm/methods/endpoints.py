"""Several judges behind one function that asks: every model where it is served, with the key that belongs there."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager

from aeollm.errors import JudgingError, Problem, printable
from aeollm.judging import Ask, Message, Options, Reply
from aeollm.judging.asking import Endpoint, connect
from aeollm.methods.method import Judge


@asynccontextmanager
async def connect_judges(judges: Mapping[str, Judge], keys: Mapping[str, str], timeout: float) -> AsyncIterator[Ask]:
    """Open connections to all judges' endpoints, and give the function that asks each model at its own.

    Raises
    ------
    JudgingError
        For addresses and keys that are none, and for one model at two places, whose replies could not be told apart.
    """
    endpoints = endpoints_of(judges, keys, timeout)
    every = [endpoint.token for endpoint in endpoints.values()]
    async with AsyncExitStack() as stack:
        opened = {
            endpoint: await stack.enter_async_context(connect(endpoint, *every))
            for endpoint in dict.fromkeys(endpoints.values())
        }

        async def ask(messages: tuple[Message, ...], options: Options) -> Reply:
            return await opened[endpoints[options.model]](messages, options)

        yield ask


def endpoints_of(judges: Mapping[str, Judge], keys: Mapping[str, str], timeout: float) -> dict[str, Endpoint]:
    """Map every model to where it is asked; ``keys`` are by the judge's name, and go nowhere else.

    Raises
    ------
    JudgingError
        For addresses and keys that are none, and for one model at two places or with two keys.
    """
    found: dict[str, Endpoint] = {}
    for name, judge in judges.items():
        endpoint = Endpoint(judge.base_url, judge.provider, keys.get(name), timeout)
        other = found.setdefault(judge.model, endpoint)
        if other != endpoint:
            twice = "asked with two keys" if other.place == endpoint.place else "named at two places"
            message = f"the model {printable(judge.model)} is {twice}."
            remedy = "Name one place and key for each model, or serve it under another name."
            raise JudgingError("judges", [Problem("error", "usage", message, remedy)])
    return found
