"""The nouns of asking: what goes to a judge, what comes back, and why nothing did."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Generic, Literal, TypeVar

T = TypeVar("T")

Role = Literal["system", "user", "assistant"]
WARMER = 0.5
"""Least temperature when asking again: at 0 the same unreadable reply would come."""
_SAMPLES_APART = 1000


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class Options:
    """How to ask: everything besides the messages that can change a reply.

    ``schema`` is a JSON schema as JSON text, asked for where the endpoint offers it; ``top_logprobs``
    asks for token probabilities; ``extra`` is a JSON object as text with what one endpoint knows alone
    (``{"chat_template_kwargs": {"enable_thinking": false}}``). ``sample`` and ``attempt`` count from 0: another
    sample of the same, and asking again after a reply that could not be read, are requests of their own.
    """

    model: str
    temperature: float = 0.0
    seed: int | None = 0
    max_tokens: int = 1024
    top_logprobs: int | None = None
    schema: str | None = None
    extra: str | None = None
    sample: int = 0
    attempt: int = 0

    @property
    def sent_seed(self) -> int | None:
        """Give the seed that is sent: another one for every sample and attempt."""
        return None if self.seed is None else self.seed + _SAMPLES_APART * self.sample + self.attempt

    @property
    def sent_temperature(self) -> float:
        """Give the temperature that is sent: at least 0.5 when asking again."""
        return max(self.temperature, WARMER) if self.attempt else self.temperature

    def to_json(self) -> dict[str, object]:
        """Give the options by name."""
        return {option.name: getattr(self, option.name) for option in fields(self)}

    def again(self, attempt: int) -> Options:
        """Ask the same for the ``attempt``-th time."""
        return replace(self, attempt=attempt)

    def without(self, features: frozenset[str]) -> Options:
        """Leave out what the endpoint has said it does not offer."""
        schema = None if "schema" in features else self.schema
        top_logprobs = None if "top_logprobs" in features else self.top_logprobs
        seed = None if "seed" in features else self.seed
        return replace(self, schema=schema, top_logprobs=top_logprobs, seed=seed)


@dataclass(frozen=True)
class Request:
    """One call: where its reply belongs, what is asked, and the version of the prompt it was made from.

    ``place`` says to people and recipes what the call is for, such as (question, answer, dimension); it is no part
    of the key, so that two recipes that ask the very same share the reply.
    """

    place: tuple[str, ...]
    messages: tuple[Message, ...]
    options: Options
    prompt: str

    @cached_property
    def key(self) -> str:
        """Give the SHA-256 over all that can change the reply: messages, options, prompt version."""
        contents = [message.content.encode("utf-8", "surrogatepass") for message in self.messages]
        sizes = [[message.role, len(content)] for message, content in zip(self.messages, contents, strict=True)]
        head = {"messages": sizes, "options": self.options.to_json(), "prompt": self.prompt}
        whole = hashlib.sha256(json.dumps(head, sort_keys=True, separators=(",", ":")).encode("ascii"))
        for content in contents:
            whole.update(content)
        return whole.hexdigest()

    def asked(self, options: Options) -> Request:
        """Give the same request under other options."""
        return self if options == self.options else Request(self.place, self.messages, options, self.prompt)

    def without(self, features: frozenset[str]) -> Request:
        """Leave out what the endpoint does not offer; a system message then opens the first user message."""
        offered = self.asked(self.options.without(features))
        first, *others = self.messages
        if "system" not in features or first.role != "system" or not others:
            return offered
        joined = Message("user", f"{first.content}\n\n{others[0].content}")
        return Request(self.place, (joined, *others[1:]), offered.options, self.prompt)


@dataclass(frozen=True, slots=True)
class Token:
    """One token of a reply with its natural log-probability, and the likeliest tokens at its place."""

    text: str
    logprob: float
    top: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of a call; ``estimated`` where the endpoint did not say."""

    prompt: int
    completion: int
    estimated: bool = False

    def __add__(self, other: Usage) -> Usage:
        """Add up."""
        estimated = self.estimated or other.estimated
        return Usage(self.prompt + other.prompt, self.completion + other.completion, estimated)


@dataclass(frozen=True, slots=True)
class Reply:
    """What a judge wrote.

    ``model`` is the name the endpoint answered under; ``tokens`` is None where token probabilities were not
    asked for or not given; ``reasoning`` is thought that came apart from the text and is never read for a score.
    """

    text: str
    model: str
    finish_reason: str | None = None
    usage: Usage = Usage(0, 0, estimated=True)
    tokens: tuple[Token, ...] | None = None
    reasoning: str | None = None

    @property
    def cut(self) -> bool:
        """Tell whether the reply ended because it was long enough, not because it was done."""
        return self.finish_reason in {"length", "max_tokens"}

    def to_json(self) -> dict[str, object]:
        """Give the fields for the store."""
        made: dict[str, object] = {
            "text": self.text,
            "model": self.model,
            "finish_reason": self.finish_reason,
            "usage": [self.usage.prompt, self.usage.completion, self.usage.estimated],
        }
        if self.tokens is not None:
            made["tokens"] = [[token.text, token.logprob, token.top] for token in self.tokens]
        if self.reasoning is not None:
            made["reasoning"] = self.reasoning
        return made

    @classmethod
    def from_json(cls, made: Mapping[str, object]) -> Reply:
        """Take back what `to_json` gives.

        Raises
        ------
        (KeyError, TypeError, ValueError)
            If it is something else.
        """
        text, model, finish = made["text"], made["model"], made["finish_reason"]
        prompt, completion, estimated = _sequence(made["usage"])
        if not isinstance(text, str) or not isinstance(model, str):
            raise TypeError("a reply's text and model are text")
        written, reasoning = made.get("tokens"), made.get("reasoning")
        tokens = None if written is None else tuple(_token(token) for token in _sequence(written))
        usage = Usage(int(str(prompt)), int(str(completion)), bool(estimated))
        thought = None if reasoning is None else str(reasoning)
        return cls(text, model, None if finish is None else str(finish), usage, tokens, thought)


def _sequence(value: object) -> Sequence[object]:
    if not isinstance(value, list | tuple):
        raise TypeError("not a list")
    return value


def _token(value: object) -> Token:
    text, logprob, top = _sequence(value)
    pairs = [_sequence(pair) for pair in _sequence(top)]
    return Token(str(text), float(str(logprob)), tuple((str(other), float(str(log))) for other, log in pairs))


Ask = Callable[[tuple[Message, ...], Options], Awaitable[Reply]]
"""The network as one argument; raises `AskFailed`."""


FailureKind = Literal[
    "rate_limited", "server_error", "timeout", "unreachable", "not_an_endpoint", "connection", "malformed",
    "other_model", "unsupported", "too_long", "refused_request", "not_found", "unauthorised", "payment", "offline",
]  # fmt: skip
PASSING: frozenset[str] = frozenset(
    {
        "rate_limited",
        "server_error",
        "timeout",
        "unreachable",
        "not_an_endpoint",
        "connection",
        "malformed",
        "other_model",
    }
)
"""Kinds of failure after which the same request may well succeed."""
HOPELESS: frozenset[str] = frozenset({"not_found", "unauthorised", "payment", "offline"})
"""Kinds of failure after which every other request fails as well."""
PERHAPS_PAID: frozenset[str] = frozenset({"timeout", "connection", "malformed", "other_model"})
"""Kinds of failure after which the endpoint may have done the work."""


class AskFailed(Exception):
    """A call without a usable reply.

    ``words`` say what happened and never hold a key; ``wait`` is what the endpoint asked to wait, in seconds;
    ``features`` are the options it does not offer.
    """

    def __init__(
        self,
        kind: FailureKind,
        words: str,
        *,
        wait: float | None = None,
        features: frozenset[str] = frozenset(),
    ) -> None:
        self.kind: FailureKind = kind
        self.words = words
        self.wait = wait
        self.features = features
        super().__init__(f"{kind}: {words}")


@dataclass(frozen=True, slots=True)
class Missing:
    """Why there is no value: a failure of asking, or the last reply's reason.

    ``kind`` is a `FailureKind`, a reader's reason (``no_answer``, ``truncated``, ``out_of_range``, …), ``budget`` or
    ``cancelled``.
    """

    kind: str
    words: str
    column: str | None = None


@dataclass(frozen=True)
class Answer(Generic[T]):
    """What became of a request: a value, or why it is missing; and every reply that was looked at, last one last."""

    request: Request
    value: T | None
    missing: Missing | None
    replies: tuple[Reply, ...] = ()


@dataclass(frozen=True, slots=True)
class Unread:
    """Why a reply gives no value.

    ``kind`` is ``no_answer``, ``truncated``, ``refusal``, ``missing_dimension``, ``not_a_number``, ``out_of_range``,
    ``range``, ``other_scale``, ``not_an_answer``, ``ambiguous`` or ``no_logprobs``; ``column`` is the field at
    fault.
    """

    kind: str
    words: str
    column: str | None = None


Reader = Callable[[Reply], "T | Unread"]
"""Reads a reply: a value, or why there is none."""
