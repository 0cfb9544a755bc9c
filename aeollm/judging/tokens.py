"""How many tokens a text will be, before any model has seen it."""

from __future__ import annotations

from collections.abc import Iterable

from aeollm.judging.messages import Message

_A_LETTER = 0.3
_A_CHINESE_CHARACTER = 0.6
_A_MESSAGE = 8


def estimate_tokens(text: str) -> int:
    """Estimate tokens from letters: 0.3 an English character, 0.6 a Chinese one (DeepSeek's published rates).

    Rough: every model cuts text in its own way, and tables of digits take more. The replies say what it really was.

    >>> estimate_tokens("a" * 100), estimate_tokens("评" * 100), estimate_tokens("")
    (30, 60, 0)
    """
    # UTF-8 takes three bytes for a Chinese character and one for a letter.
    wide = (len(text.encode("utf-8", "surrogatepass")) - len(text)) / 2
    return round(_A_LETTER * (len(text) - wide) + _A_CHINESE_CHARACTER * wide)


def prompt_tokens(messages: Iterable[Message]) -> int:
    """Estimate the tokens of a conversation, with a few a message for its frame."""
    return sum(estimate_tokens(message.content) + _A_MESSAGE for message in messages)
