"""What asking will take, before anything is sent."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from aeollm.judging.budget import Price
from aeollm.judging.messages import Request, Usage
from aeollm.judging.sizing import Sized
from aeollm.judging.store import ReplyStore
from aeollm.judging.tokens import prompt_tokens


@dataclass(slots=True)
class Counted:
    """What endpoints told about replies on disk: the tokens of their prompts beside the estimate, and seconds.

    Only replies whose endpoint counted are in ``estimated`` and ``real``.
    """

    estimated: int = 0
    real: int = 0
    replies: int = 0
    seconds: float = 0.0
    timed: int = 0

    def add(self, request: Request, store: ReplyStore) -> bool:
        """Count a request's reply, where there is one."""
        reply = store.get(request)
        if reply is None:
            return False
        if not reply.usage.estimated:
            self.estimated += prompt_tokens(request.messages)
            self.real += reply.usage.prompt
            self.replies += 1
        seconds = store.seconds(request)
        if seconds is not None:
            self.seconds += seconds
            self.timed += 1
        return True

    @property
    def scale(self) -> float | None:
        """Give how many real tokens an estimated one was; None where nothing was counted."""
        return self.real / self.estimated if self.estimated and self.real else None

    @property
    def pace(self) -> float | None:
        """Give the seconds that a call took; None where nothing was timed."""
        return self.seconds / self.timed if self.timed else None


@dataclass(frozen=True, slots=True)
class Estimate:
    """Calls to make, those whose reply is on disk already, and those whose reply another call brings.

    ``most`` is the prompts' estimated tokens and the most that may be written in reply; ``money`` is its price.
    ``longest`` is the largest estimate of one call, prompt and reply, which the model's context has to hold. ``probes``
    counts the calls to make that ask for token probabilities.
    """

    calls: int
    on_disk: int
    shared: int
    most: Usage
    longest: int
    money: float
    probes: int = 0


@dataclass(slots=True)
class Estimator:
    """Adds up requests of several ways of asking, whose replies may be the same."""

    store: ReplyStore | None = None
    counted: Counted = field(default_factory=Counted)
    _seen: set[bytes] = field(default_factory=set)

    def add_up(
        self, requests: Iterable[Request], price: Price, *, stand_ins: bool = False, samples: int = 0
    ) -> Estimate:
        """Add up requests; asking again after unreadable replies comes on top.

        With ``stand_ins`` they are no more than of the size of those to come, and share no reply with other ones. So
        many ``samples`` follow every call to make that asks for token probabilities in vain.
        """
        calls = on_disk = shared = longest = probes = 0
        prompts, completions, known = 0, 0, set() if stand_ins else self._seen
        for request in requests:
            key = request.digest if isinstance(request, Sized) else bytes.fromhex(request.key)
            probe = request.options.top_logprobs is not None
            times = 1 + samples * probe
            if key in known:
                shared += times
                continue
            known.add(key)
            if self.store is not None and self.counted.add(request, self.store):
                on_disk += 1
                continue
            calls += times
            probes += probe
            prompt = request.tokens if isinstance(request, Sized) else prompt_tokens(request.messages)
            longest = max(longest, prompt + request.options.max_tokens)
            prompts += times * prompt
            completions += times * request.options.max_tokens
        most = Usage(prompts, completions, estimated=True)
        return Estimate(calls, on_disk, shared, most, longest, price.of(most), probes)
