"""Probabilities of the allowed answers, from token probabilities or from repeated samples."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from aeollm.judging.messages import Reader, Reply, Token, Unread
from aeollm.judging.reading.choices import option_of
from aeollm.judging.reading.visible import in_thought, thoughts_end

_LEAD = re.compile(
    r"(?i)[\s\W]*(?:(?:(?:the|my|final|correct|best|selected)\s+)*(?:answer|option|choice|rating|score)(?:\s+is)?"
    r"|(?:最终)?(?:答案|选项|选择|评分|我选择?)(?:是|为)?)?[\s\W]*"
)
_MOST_LEAD = 80
_SLACK = 1e-6
"""Rounding, as files of opinions allow it."""


@dataclass(frozen=True, slots=True)
class OptionProbabilities:
    """The probability of every allowed answer, not renormalised: ``mass`` is their sum, at most 1.

    ``source`` is ``logprobs`` (one token's distribution) or ``samples`` (shares of ``samples`` repeated replies).
    """

    values: Mapping[str, float]
    source: Literal["logprobs", "samples"]
    samples: int = 1

    @property
    def mass(self) -> float:
        """Give what the allowed answers hold together; the rest went to something else."""
        return min(math.fsum(self.values.values()), 1.0)


def option_probabilities(reply: Reply, options: Sequence[str]) -> OptionProbabilities | Unread:
    """Read the distribution of the token that answers.

    That is the first token that spells an option with nothing but a lead such as ``Answer:`` before it, else the
    reply's first visible token, whose distribution may hold the options all the same. The spellings of an option
    (``3``, `` 3``, a full-width 3, ``three``)
    are pooled. ``no_logprobs`` if there are none, or if an option begins
    another one (``1`` and ``10``), which one token cannot tell apart.
    """
    tokens = _tokens(reply, options)
    if isinstance(tokens, Unread):
        return tokens
    token = _answering(tokens, options)
    if token is None:
        return Unread("no_answer", "the reply has no visible token")
    values = dict.fromkeys(options, 0.0)
    for text, logprob in {token.text: token.logprob, **dict(token.top)}.items():
        option = option_of(text, options)
        if option is not None:
            values[option] += math.exp(min(logprob, 0.0))
    if math.fsum(values.values()) > 1 + _SLACK:
        return Unread("no_logprobs", "what the endpoint gives as probabilities sums to more than 1")
    if not any(values.values()):
        return Unread("no_answer", f"no option is among the likeliest tokens where the reply begins ({token.text!r})")
    return OptionProbabilities(values, "logprobs")


def _tokens(reply: Reply, options: Sequence[str]) -> Sequence[Token] | Unread:
    """Give the tokens to look for an answer in, or say why none of them can tell it."""
    if reply.tokens is None:
        return Unread("no_logprobs", "the endpoint gave no token probabilities")
    if not told_apart(options):
        return Unread("no_logprobs", "an option begins another one, so that one token does not tell them apart")
    if in_thought(reply):
        return Unread("truncated", "the reply ends inside of a thought, whose tokens are no opinion")
    return reply.tokens


def told_apart(options: Sequence[str]) -> bool:
    """Tell whether one token can tell the options apart: none begins another one.

    >>> told_apart(["1", "2"]), told_apart(["1", "10"])
    (True, False)
    """
    return not any(one != other and other.startswith(one) for one in options for other in options)


def _answering(tokens: Sequence[Token], options: Sequence[str]) -> Token | None:
    whole = "".join(token.text for token in tokens)
    shown = thoughts_end(whole)
    position, first = 0, None
    for token in tokens:
        if position >= shown and token.text.strip():
            first = first or token
            if option_of(token.text, options) is not None and _LEAD.fullmatch(whole[shown:position][:_MOST_LEAD]):
                return token
        position += len(token.text)
    return first


def sampled_probabilities(choices: Sequence[str | None], options: Sequence[str]) -> OptionProbabilities | Unread:
    """Give the share of samples that chose each option; samples that could not be read are mass lost."""
    if not any(choice is not None for choice in choices):
        return Unread("no_answer", f"none of {len(choices)} samples chose an option")
    values = {option: sum(choice == option for choice in choices) / len(choices) for option in options}
    return OptionProbabilities(values, "samples", len(choices))


def probabilities_reader(options: Sequence[str]) -> Reader[OptionProbabilities]:
    """Give `option_probabilities` with its arguments, as a session wants it."""
    return lambda reply: option_probabilities(reply, options)
