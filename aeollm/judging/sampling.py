"""Probabilities of the allowed answers from an endpoint, whether it gives token probabilities or not."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import replace

from aeollm.judging.messages import Answer, Missing, Request, Unread
from aeollm.judging.reading.choices import choice_reader
from aeollm.judging.reading.probabilities import OptionProbabilities, probabilities_reader, sampled_probabilities
from aeollm.judging.session import Session

SAMPLED = 1.0
"""The temperature of repeated samples: shares of replies stand for probabilities at no other one."""


def samples_of(request: Request, count: int) -> list[Request]:
    """Give ``count`` requests for the same, at temperature 1 with seeds of their own, without token probabilities."""
    options = replace(request.options, top_logprobs=None, temperature=SAMPLED)
    return [request.asked(replace(options, sample=number)) for number in range(count)]


async def ask_probabilities(
    session: Session, requests: Iterable[Request], options: Sequence[str], samples: int
) -> AsyncIterator[Answer[OptionProbabilities]]:
    """Give the options' probabilities for every request, which asks for ``top_logprobs``.

    Where there are none, the same is asked ``samples`` times at temperature 1; the value's ``source`` says so. With
    ``samples=0`` such requests stay missing.
    """
    async for answer in session.run(requests, probabilities_reader(options)):
        if samples and answer.missing is not None and answer.missing.kind == "no_logprobs":
            yield await _sampled(session, answer.request, options, samples)
        else:
            yield answer


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
