"""Many requests to one judge: concurrent, in any order, every one answered or missing with its reason."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Container, Iterable, Iterator
from contextlib import aclosing

from aeollm.judging.calling import Caller, Limits, Stopped
from aeollm.judging.control import Control, OnProgress, Progress
from aeollm.judging.messages import Answer, Ask, AskFailed, Missing, Reader, Reply, Request, T, Unread
from aeollm.judging.room import CUTS
from aeollm.judging.store import LOGPROBS, ReplyStore

_TELL_EVERY = 0.25
_OF_THE_ENDPOINT = {"no_logprobs"}
"""Reasons that asking again does not mend."""


class Session:
    """Asks a judge under one budget; `run` may be called several times, as recipes of several steps do.

    Belongs to the event loop it is used in. With ``ask`` None nobody is asked: what is not on disk is missing.
    """

    def __init__(
        self,
        ask: Ask | None,
        store: ReplyStore,
        limits: Limits,
        control: Control | None = None,
        on_progress: OnProgress | None = None,
    ) -> None:
        self._limits = limits
        self._control = control or Control()
        self._store = store
        self._caller = Caller(ask, store, limits, self._control)
        self._on_progress = on_progress
        self._done = self._missing = self._instead = 0
        self._reasons: Counter[str] = Counter()
        self._temperatures: set[float] = set()

    @property
    def stopped(self) -> Missing | None:
        """Give why nothing is asked any more: ``budget``, ``cancelled``, a failure that all requests share."""
        return self._caller.stopped

    @property
    def temperatures(self) -> frozenset[float]:
        """Give the temperatures that replies were asked for at."""
        return frozenset(self._temperatures)

    @property
    def lacking(self) -> frozenset[str]:
        """Name the options that the endpoint has refused: ``schema``, ``top_logprobs``, ``seed``, ``system``."""
        return frozenset().union(*self._store.lacks.values())

    @property
    def under_way(self) -> int:
        """Count the calls that wait for their reply."""
        return self._caller.under_way

    @property
    def progress(self) -> Progress:
        """Give how far it is."""
        caller = self._caller
        return Progress(
            self._done,
            self._missing,
            caller.from_disk,
            caller.ledger.spent,
            caller.waiting,
            caller.trouble,
            caller.failures,
            dict(self._reasons),
            self._instead,
        )

    async def run(self, requests: Iterable[Request], read: Reader[T]) -> AsyncIterator[Answer[T]]:
        """Give every request's answer as it comes; requests are taken one by one, so that they may be made lazily.

        When the session stops, the rest is still answered from disk where it can be, and missing otherwise.
        """
        async with aclosing(self.run_each((request, read) for request in requests)) as answers:
            async for answer in answers:
                yield answer

    async def run_each(
        self, asked: Iterable[tuple[Request, Reader[T] | Missing]], instead: Container[str] = ()
    ) -> AsyncGenerator[Answer[T], None]:
        """Do the same for requests whose replies are not all read alike, or that are missing without being asked.

        What is missing for a reason among ``instead`` is no loss: something else is asked instead of it.
        """
        pending = iter(asked)
        answers: asyncio.Queue[Answer[T] | Exception | None] = asyncio.Queue(2 * self._limits.concurrency)
        working = max(self._limits.concurrency, 1)
        tasks = [asyncio.create_task(self._work(pending, answers)) for _ in range(working)]
        tasks.append(asyncio.create_task(self._watch()))
        try:
            while working:
                answer = await answers.get()
                if answer is None:
                    working -= 1
                elif isinstance(answer, Exception):
                    raise answer
                else:
                    self._count(answer, instead)
                    yield answer
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self._tell()

    async def one(self, request: Request, read: Reader[T]) -> Answer[T]:
        """Give the answer to a single request."""
        answers = [answer async for answer in self.run([request], read)]
        return answers[0]

    async def _work(
        self,
        pending: Iterator[tuple[Request, Reader[T] | Missing]],
        answers: asyncio.Queue[Answer[T] | Exception | None],
    ) -> None:
        try:
            for request, read in pending:
                await answers.put(await self._answer(request, read))
        except Exception as error:  # noqa: BLE001  raised again where the answers are taken
            await answers.put(error)
        await answers.put(None)

    async def _watch(self) -> None:
        """Tell the progress, and give up calls under way when asked to."""
        while True:
            await asyncio.sleep(_TELL_EVERY)
            self._tell()
            if self._control.given_up:
                self._caller.give_up()

    def _tell(self) -> None:
        if self._on_progress is not None:
            self._on_progress(self.progress)

    def _count(self, answer: Answer[T], instead: Container[str]) -> None:
        if answer.missing is None:
            self._done += 1
        elif answer.missing.kind in instead:
            self._instead += 1
            self._done += bool(answer.replies)
        else:
            self._missing += 1
            self._reasons[answer.missing.kind] += 1

    async def _answer(self, request: Request, read: Reader[T] | Missing) -> Answer[T]:
        if isinstance(read, Missing):
            return Answer(request, None, read)
        replies: list[Reply] = []
        missing, cuts = Missing("no_answer", "never asked"), 0
        for attempt in range(max(self._limits.attempts, 1)):
            asked = request.asked(request.options.again(attempt))
            try:
                reply = await self._caller.reply(asked)
            except AskFailed as failure:
                return Answer(request, None, _why(failure), tuple(replies))
            except Stopped:
                reason = missing if replies else self._caller.stopped
                return Answer(request, None, reason, tuple(replies))
            replies.append(reply)
            self._temperatures.add(asked.options.sent_temperature)
            value = read(reply)
            if not isinstance(value, Unread):
                self._caller.room.had(request.options)
                return Answer(request, value, None, tuple(replies))
            missing = Missing(value.kind, value.words, value.column)
            cuts += value.kind == "truncated"
            if value.kind in _OF_THE_ENDPOINT or cuts == CUTS:
                break
            if value.kind == "truncated":
                self._caller.room.lacked(request.options, reply)
            else:
                self._caller.room.had(request.options)
        return Answer(request, None, missing, tuple(replies))


def _why(failure: AskFailed) -> Missing:
    """Give the reason; an endpoint that refuses to be asked for token probabilities has none, as one without them."""
    return Missing("no_logprobs" if LOGPROBS in failure.features else failure.kind, failure.words)
