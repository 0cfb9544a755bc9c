"""One reply to one request: from disk, or asked with patience, within the budget, and put on disk at once."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count

from aeollm.errors import JudgingError
from aeollm.judging.budget import Budget, Ledger, OverBudget
from aeollm.judging.control import Control
from aeollm.judging.messages import (
    HOPELESS,
    PASSING,
    PERHAPS_PAID,
    Ask,
    AskFailed,
    Missing,
    Reply,
    Request,
    Usage,
)
from aeollm.judging.room import Room
from aeollm.judging.store import LOGPROBS, ReplyStore
from aeollm.judging.tokens import prompt_tokens

_A_MOMENT = 0.05
_LOGPROBS = frozenset({LOGPROBS})
_UNLIMITED = Budget()
_FIRST_TRIES = {"unreachable": 2, "not_an_endpoint": 1}
"""Times to try again where nothing has ever answered as a judge does: a wrong address should be told soon."""
_EXACT = 10
_OF_THE_REQUEST = {"too_long", "unsupported"}
"""Kinds of failure that say nothing about the next request."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How many calls at a time, and how patient to be.

    ``retries`` follow a failure that may pass (429, 5xx, time-outs, closed connections), waiting ``backoff`` seconds,
    then twice as long, and so on, or what Retry-After says; an endpoint that asks to wait longer than
    ``longest_wait`` ends the session, and so does one that cannot be reached by then. An address at which nothing has
    ever answered as a judge does ends it soon. ``attempts`` is how often the same is asked in all when replies cannot
    be read. ``failures`` requests that fail in a row, however often retried, end the session too. ``budget`` is the
    most that a session may spend.
    """

    concurrency: int = 8
    retries: int = 5
    attempts: int = 3
    backoff: float = 1.0
    longest_wait: float = 300.0
    failures: int = 10
    budget: Budget = _UNLIMITED


class Stopped(Exception):
    """There is no reply on disk, and nothing is asked any more."""


class Caller:
    """Gives the reply to a request. One event loop, one store; everything a session counts is here."""

    def __init__(self, ask: Ask | None, store: ReplyStore, limits: Limits, control: Control) -> None:
        self.control = control
        self.ledger = Ledger(limits.budget)
        self.from_disk = 0
        self.stopped: Missing | None = None
        self.waiting: str | None = None
        self.trouble: str | None = None
        self.failures = 0
        self.room = Room()
        self._answered = False
        self._ask, self._store, self._limits = ask, store, limits
        self._locks: dict[str, asyncio.Lock] = {}
        self._users: Counter[str] = Counter()
        # Across all runs of a session, which may be nested.
        self._room = asyncio.Semaphore(max(limits.concurrency, 1))
        self._under_way: set[asyncio.Future[Reply]] = set()
        self._not_before = 0.0
        self._failed_in_a_row = 0

    async def reply(self, request: Request) -> Reply:
        """Give the reply to a request, leaving out options that the endpoint does not offer.

        Raises
        ------
        (AskFailed, Stopped)
            If there is none.
        """
        asked = request.options.model
        while True:
            lacking = self._store.lacking(asked)
            if LOGPROBS in lacking and request.options.top_logprobs is not None:
                # A reply without them would say nothing.
                raise AskFailed("unsupported", "the endpoint gives no token probabilities", features=_LOGPROBS)
            try:
                return await self._once(request.without(lacking), self._ask)
            except AskFailed as failure:
                if failure.kind != "unsupported" or failure.features <= lacking:
                    raise
                if not failure.features <= self._store.lacking(asked):
                    self._store.note_lacking(asked, failure.features)

    async def _once(self, request: Request, ask: Ask | None) -> Reply:
        """Look on disk and ask, while nobody else asks the very same."""
        kept = self._kept(request)
        if kept is not None:
            return kept
        if ask is None:
            raise AskFailed("offline", "there is no reply on disk, and nobody is asked")
        lock = self._locks.setdefault(request.key, asyncio.Lock())
        self._users[request.key] += 1
        try:
            async with lock:
                return self._kept(request) or await self._asked(request, ask)
        finally:
            self._users[request.key] -= 1
            if not self._users[request.key]:
                del self._users[request.key], self._locks[request.key]

    def _kept(self, request: Request) -> Reply | None:
        kept = self._store.get(request)
        self.from_disk += kept is not None
        return kept

    async def _asked(self, request: Request, ask: Ask) -> Reply:
        for retry in count():
            try:
                async with self._room:
                    await self._clearance(request)
                    reply = await self._paid(request, ask, retry)
            except AskFailed as failure:
                self.trouble, self.failures = failure.words, self.failures + 1
                if not self._may_pass(failure, retry):
                    raise
                await self._back_off(request, failure, retry)
            else:
                self._failed_in_a_row, self.failures, self._answered, self.trouble = 0, 0, True, None
                return reply
        raise Stopped

    @property
    def under_way(self) -> int:
        """Count the calls that wait for their reply."""
        return len(self._under_way)

    def give_up(self) -> None:
        """Abandon the calls under way."""
        for call in self._under_way:
            call.cancel()

    def _may_pass(self, failure: AskFailed, retry: int) -> bool:
        """Tell whether to try again; end the session where no other request would fare better."""
        if failure.kind in HOPELESS:
            self._stop(failure.kind, failure.words)
        elif (failure.wait or 0.0) > self._limits.longest_wait:
            self._stop(failure.kind, f"the endpoint asks to wait {failure.wait:.0f} s ({failure.words})")
        elif failure.kind in PASSING and retry < self._retries(failure):
            return True
        elif failure.kind == "unreachable" or self._never(failure):
            self._stop(failure.kind, failure.words)
        elif failure.kind not in _OF_THE_REQUEST:
            self._failed_in_a_row += 1
            if self._failed_in_a_row >= self._limits.failures:
                self._stop(failure.kind, f"{self._failed_in_a_row} requests failed in a row ({failure.words})")
        return False

    def _retries(self, failure: AskFailed) -> int:
        most = self._limits.retries
        return min(_FIRST_TRIES[failure.kind], most) if self._never(failure) else most

    def _never(self, failure: AskFailed) -> bool:
        """Tell whether the address may be wrong: nothing has ever answered there as a judge does."""
        return failure.kind in _FIRST_TRIES and not self._answered

    async def _back_off(self, request: Request, failure: AskFailed, retry: int) -> None:
        # A share of the request's own, so that a crowd turned away together does not come back together.
        share = 0.5 + int(request.key[:8], 16) / 2**33
        wait = min(self._limits.backoff * 2**retry * share, self._limits.longest_wait)
        wait = failure.wait if failure.wait is not None else wait
        until = time.monotonic() + wait
        shown = f"{wait:.1f}" if wait < _EXACT else f"{wait:.0f}"
        tries = f"try {retry + 2} of {self._retries(failure) + 1}"
        self.trouble = f"{failure.words}; trying again in {shown} s, {tries}"
        if failure.kind == "rate_limited":
            self._not_before = max(self._not_before, until)
        while time.monotonic() < until and not self.control.cancelled:
            await asyncio.sleep(min(_A_MOMENT, max(until - time.monotonic(), 0)))

    async def _clearance(self, request: Request) -> None:
        """Wait while paused, or while the endpoint has asked everybody to wait."""
        while True:
            if self.control.cancelled:
                self._stop("cancelled", "cancelled")
            if (futile := self.room.futile(request.options)) is not None:
                self._stop(futile.kind, futile.words)
            if self.stopped is not None:
                raise Stopped
            turned_away = time.monotonic() < self._not_before
            self.waiting = "paused" if self.control.paused else "rate_limited" if turned_away else None
            if self.waiting is None:
                return
            await asyncio.sleep(_A_MOMENT)

    async def _paid(self, request: Request, ask: Ask, retry: int) -> Reply:
        """Ask once, settle the cost, and put the reply on disk before anybody sees it."""
        try:
            held = await self.ledger.hold(request)
        except OverBudget as reason:
            self._stop("budget", str(reason))
            raise Stopped from None
        cost: Usage | None = Usage(prompt_tokens(request.messages), 0, estimated=True)
        start = time.monotonic()
        try:
            reply = await self._under_control(request, ask)
            cost = reply.usage
            self._keep(request, reply, {"seconds": round(time.monotonic() - start, 3), "retries": retry})
        except AskFailed as failure:
            if failure.kind not in PERHAPS_PAID:
                cost = None
            raise
        except JudgingError as error:
            # Whatever else is asked would be paid for and lost, too.
            self._stop("unwritable_file", error.problems[0].message.rstrip("."))
            raise Stopped from None
        finally:
            await self.ledger.settle(held, cost)
        return reply

    async def _under_control(self, request: Request, ask: Ask) -> Reply:
        call = asyncio.ensure_future(ask(request.messages, request.options))
        self._under_way.add(call)
        try:
            return await call
        except asyncio.CancelledError:
            if not self.control.given_up:
                raise
            self._stop("cancelled", "cancelled")
            raise Stopped from None
        finally:
            self._under_way.discard(call)

    def _keep(self, request: Request, reply: Reply, made: Mapping[str, object]) -> None:
        at = datetime.now(UTC).isoformat(timespec="seconds")
        self._store.add(request, reply, {"at": at, **made})
        served = self._store.served(request.options.model)
        if served != reply.model:
            words = f"{reply.model} answered where {served} had answered before: two models are not one judge"
            raise AskFailed("other_model", f"{words} (name one provider or version)")

    def _stop(self, kind: str, words: str) -> None:
        if self.stopped is None:
            self.stopped = Missing(kind, words)
