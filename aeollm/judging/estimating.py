"""What asking will take, before anything is sent."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from aeollm.judging.budget import Price
from aeollm.judging.messages import Request, Usage
from aeollm.judging.store import ReplyStore
from aeollm.judging.tokens import prompt_tokens


@dataclass(frozen=True, slots=True)
class Estimate:
    """Calls to make, and those whose reply is on disk already.

    ``most`` is the prompts' estimated tokens and the most that may be written in reply; ``money`` is its price.
    ``longest`` is the largest estimate of one call, prompt and reply, which the model's context has to hold.
    """

    calls: int
    on_disk: int
    most: Usage
    longest: int
    money: float


def estimate(requests: Iterable[Request], price: Price, store: ReplyStore | None = None) -> Estimate:
    """Add up requests; asking again after unreadable replies comes on top."""
    calls = on_disk = longest = 0
    most = Usage(0, 0, estimated=True)
    seen: set[bytes] = set()
    for request in requests:
        key = bytes.fromhex(request.key)
        if key in seen:
            continue
        seen.add(key)
        if store is not None and store.get(request) is not None:
            on_disk += 1
            continue
        calls += 1
        cost = Usage(prompt_tokens(request.messages), request.options.max_tokens, estimated=True)
        longest = max(longest, cost.prompt + cost.completion)
        most += cost
    return Estimate(calls, on_disk, most, longest, price.of(most))
