"""A process that judges until it is killed: ``python driver.py ADDRESS STORE COUNT``, one name a finished request."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from aeollm.judging import Limits, Message, Options, ReplyStore, Request, Session
from aeollm.judging.asking import Endpoint, connect


async def main(address: str, path: str, count: int) -> None:
    requests = [Request((str(n),), (Message("user", str(n)),), Options("judge"), "test@1") for n in range(count)]
    with ReplyStore(Path(path)) as store:
        async with connect(Endpoint(address)) as ask:
            session = Session(ask, store, Limits(concurrency=4))
            async for answer in session.run(requests, lambda reply: reply.text):
                sys.stdout.write(f"{answer.request.place[0]} {answer.value}\n")
                sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
