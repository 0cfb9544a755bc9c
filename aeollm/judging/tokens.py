"""How many tokens a text will be, before any model has seen it."""

from __future__ import annotations

from collections.abc import Iterable

from aeollm.judging.messages import Message

_A_LETTER = 0.3
_A_CHINESE_CHARACTER = 0.6
A_MESSAGE = 8
"""Tokens of a message's frame."""


def estimate_tokens(text: str) -> int:
    """Estimate tokens from letters: 0.3 an English character, 0.6 a Chinese one (DeepSeek's published rates).

    Rough: every model cuts text in its own way, and tables of digits take more. The replies say what it really was.

    >>> estimate_tokens("a" * 100), estimate_tokens("评" * 100), estimate_tokens("")
    (30, 60, 0)
    """
    return tokens_of(len(text), len(text.encode("utf-8", "surrogatepass")))


def tokens_of(letters: int, octets: int) -> int:
    """Estimate tokens of a text of so many letters, which UTF-8 takes so many bytes for.

    >>> tokens_of(100, 300)
    60
    """
    # UTF-8 takes three bytes for a Chinese character and one for a letter.
    wide = (octets - letters) / 2
    return round(_A_LETTER * (letters - wide) + _A_CHINESE_CHARACTER * wide)


def prompt_tokens(messages: Iterable[Message]) -> int:
    """Estimate the tokens of a conversation, with a few a message for its frame."""
    return sum(estimate_tokens(message.content) + A_MESSAGE for message in messages)
