"""Probabilities of the allowed answers from an endpoint, whether it gives token probabilities or not."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from dataclasses import replace

from aeollm.judging.messages import Answer, Missing, Reader, Request, Unread
from aeollm.judging.reading.choices import choice_reader
from aeollm.judging.reading.probabilities import (
    OptionProbabilities,
    probabilities_reader,
    sampled_probabilities,
    told_apart,
)
from aeollm.judging.session import Session

SAMPLED = 1.0
"""The temperature of repeated samples: shares of replies stand for probabilities at no other one."""
NO_LOGPROBS = "no_logprobs"
"""Why there is no value where the endpoint gives no token probabilities."""


def samples_of(request: Request, count: int) -> list[Request]:
    """Give ``count`` requests for the same, at temperature 1 with seeds of their own, without token probabilities."""
    options = replace(request.options, top_logprobs=None, temperature=SAMPLED)
    return [request.asked(replace(options, sample=number)) for number in range(count)]


async def ask_probabilities(
    session: Session, requests: Iterable[tuple[Request, Sequence[str]]], samples: int
) -> AsyncIterator[Answer[OptionProbabilities]]:
    """Give the probabilities of every request's options; it asks for ``top_logprobs``.

    Where there are none, the same is asked ``samples`` times at temperature 1; the value's ``source`` says so. With
    ``samples=0`` such requests stay missing. An endpoint that refuses to be asked for them is not asked so again, nor
    is any for options that no token tells apart. One that answers without them is, for every request: what is asked for
    a request depends on its own replies alone, the same in every part of a run and however often it was stopped.
    """
    allowed: dict[tuple[str, ...], Sequence[str]] = {}
    instead = frozenset({NO_LOGPROBS}) if samples else frozenset()
    async for answer in session.run_each(_noted(requests, allowed), instead=instead):
        options = allowed.pop(answer.request.place)
        if answer.missing is not None and answer.missing.kind in instead:
            yield await _sampled(session, answer.request, options, samples)
        else:
            yield answer


def _noted(
    requests: Iterable[tuple[Request, Sequence[str]]], allowed: dict[tuple[str, ...], Sequence[str]]
) -> Iterator[tuple[Request, Reader[OptionProbabilities] | Missing]]:
    """Give requests with their readers, or why they are not asked, and note every one's options."""
    for request, options in requests:
        allowed[request.place] = options
        read = probabilities_reader(options)
        yield request, read if told_apart(options) else Missing(NO_LOGPROBS, "no token tells the options apart")


async def _sampled(
    session: Session, request: Request, options: Sequence[str], samples: int
) -> Answer[OptionProbabilities]:
    answers = [answer async for answer in session.run(samples_of(request, samples), choice_reader(options))]
    replies = tuple(reply for answer in answers for reply in answer.replies)
    unasked = next((answer.missing for answer in answers if answer.missing and not answer.replies), None)
    if unasked is not None:
        return Answer(request, None, unasked, replies)
    value = sampled_probabilities([answer.value for answer in answers], options)
    if isinstance(value, Unread):
        return Answer(request, None, Missing(value.kind, value.words), replies)
    return Answer(request, value, None, replies)
