"""A chat completion as an endpoint sends it, read as a reply."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import cast

from aeollm.judging.messages import AskFailed, Message, Options, Reply, Token, Usage
from aeollm.judging.tokens import estimate_tokens, prompt_tokens

Json = Mapping[str, object]

_MOST_TOKENS = 10**9
_ROUNDING = 0.01
_LEAST = -1000.0
"""The log-probability that stands for minus infinity, which JSON has no number for."""


def reply_of(completion: object, messages: tuple[Message, ...], options: Options) -> Reply:
    """Read a completion.

    Raises
    ------
    AskFailed
        ``malformed``, if it has no choice with a message.
    """
    body = _object(completion)
    choices = _part(completion, "choices")
    choice = _object(choices[0]) if isinstance(choices, list) and choices else {}
    message = _object(_part(choice, "message"))
    if not message:
        said = _object(body.get("error")).get("message") or body.get("error") or "no choice with a message"
        raise AskFailed("malformed", f"the endpoint answered with {said}")
    text = _text(message.get("content")) or _text(message.get("refusal"))
    reasoning = _text(message.get("reasoning_content")) or _text(message.get("reasoning"))
    model = body.get("model")
    finish = choice.get("finish_reason")
    return Reply(
        text=text,
        model=model if isinstance(model, str) and model else options.model,
        finish_reason=finish if isinstance(finish, str) else None,
        usage=_usage(body.get("usage"), messages, text + reasoning),
        tokens=_tokens(choice.get("logprobs")),
        reasoning=reasoning or None,
    )


def _part(value: object, name: str) -> object:
    """Give what lies in an object of the Hub's client, or a plain one, with all that the endpoint told.

    As attributes the client's objects keep what it does not know, such as ``reasoning_content`` and ``refusal``; as
    dicts they have lost it.
    """
    return getattr(value, name, None) or _object(value).get(name)


def _object(value: object) -> Json:
    return cast("Json", value) if isinstance(value, Mapping) else {}


def _text(content: object) -> str:
    """Give a message's text, which some endpoints send in parts."""
    if isinstance(content, list):
        return "".join(_text(_object(part).get("text")) for part in content)
    return content if isinstance(content, str) else ""


def _usage(value: object, messages: tuple[Message, ...], written: str) -> Usage:
    usage = _object(value)
    prompt, completion = usage.get("prompt_tokens"), usage.get("completion_tokens")
    if _is_count(prompt) and _is_count(completion):
        return Usage(cast("int", prompt), cast("int", completion))
    return Usage(prompt_tokens(messages), estimate_tokens(written), estimated=True)


def _is_count(value: object) -> bool:
    """Tell whether that can be a number of tokens: a budget must neither grow by a call nor overflow."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST_TOKENS


def _tokens(value: object) -> tuple[Token, ...] | None:
    content = _object(value).get("content")
    if not isinstance(content, list) or not content:
        return None
    tokens = [token for entry in content if (token := _token(_object(entry))) is not None]
    told = [token.logprob for token in tokens] + [logprob for token in tokens for _, logprob in token.top]
    if any(logprob > _ROUNDING for logprob in told):
        # Whatever these numbers are, logarithms of probabilities they are not.
        return None
    return tuple(tokens) or None


def _token(entry: Json) -> Token | None:
    pair = _pair(entry)
    if pair is None:
        return None
    top = entry.get("top_logprobs")
    pairs = [_pair(_object(other)) for other in top] if isinstance(top, list) else []
    return Token(*pair, tuple(other for other in pairs if other is not None))


def _pair(entry: Json) -> tuple[str, float] | None:
    text, logprob = entry.get("token"), entry.get("logprob")
    if not isinstance(text, str) or isinstance(logprob, bool) or not isinstance(logprob, int | float):
        return None
    if isinstance(logprob, float) and math.isnan(logprob):
        return text, _LEAST
    # Whole numbers may be larger than a float can be.
    return text, float(min(max(logprob, _LEAST), -_LEAST))
