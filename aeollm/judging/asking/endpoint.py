"""Where a judge is asked: the address, the model, the key; and asking it once."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlsplit

import httpx2
from huggingface_hub import AsyncInferenceClient
from huggingface_hub.errors import HfHubHTTPError, InferenceTimeoutError, OfflineModeIsEnabled

from aeollm.errors import JudgingError, Problem, printable
from aeollm.judging.asking.completions import reply_of
from aeollm.judging.asking.failures import Redact, http_failure, redacting, withholding
from aeollm.judging.messages import Ask, AskFailed, Message, Options, Reply, Token

_LOOPBACK = {"127.0.0.1", "localhost", "::1"}
_KEY = re.compile(r"[!-~]+")
_NO_HOST = re.compile(r"[\s\x00-\x20\x7f<>\"'{}|\\^`*(),;!$&+=]")
# Recursion: the client's types compare without end on NaN, which is unequal to itself.
_FAILURES = (httpx2.HTTPError, AskFailed, OSError, ValueError, TypeError, KeyError, AttributeError, HfHubHTTPError,
             InferenceTimeoutError, OfflineModeIsEnabled, RecursionError)  # fmt: skip
_FORMAT = "aeollm_response_format"
"""Where a schema travels past the Hub's client, which would rewrite ``response_format``."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An OpenAI-compatible address, or a Hugging Face provider.

    With a ``base_url`` the key is sent only if it is given: the Hub login saved on the machine is never sent to
    another address. Without one it is asked through Hugging Face, and the saved login is used where none is given.
    ``timeout`` is in seconds, for a whole call.
    """

    base_url: str | None = None
    provider: str | None = None
    token: str | None = field(default=None, repr=False)
    timeout: float = 600.0

    def __post_init__(self) -> None:
        """Refuse what cannot be an address, keys in it, which would be logged, and what cannot be a key.

        Raises
        ------
        JudgingError
            For the address or the key, which is not told.
        """
        if self.token is not None:
            object.__setattr__(self, "token", _key(self.token))
        if self.base_url is None:
            return
        wrong = _wrong_address(self.base_url)
        if wrong is not None:
            raise _usage(wrong, "Write it such as http://127.0.0.1:8000/v1, and the key apart.")
        scheme, colon, rest = self.base_url.partition(":")
        # The Hub's client knows addresses by a small http, and would take another one for a model of the Hub.
        object.__setattr__(self, "base_url", scheme.lower() + colon + rest)

    @property
    def place(self) -> str:
        """Say where is asked."""
        return self.base_url or f"the Hugging Face provider {self.provider or 'auto'}"


def _usage(message: str, remedy: str) -> JudgingError:
    return JudgingError("endpoint", [Problem("error", "usage", message, remedy)])


def _key(token: str) -> str:
    """Take a key without the blanks around it, as files and clipboards give it.

    Raises
    ------
    JudgingError
        If it holds what no header can, and would be quoted in what goes wrong then.
    """
    key = token.strip()
    if not key or not _KEY.fullmatch(key):
        message = "the key is empty, or holds blanks, control characters or letters that no key has."
        raise _usage(message, "Copy it anew: one line of plain letters, digits and signs.")
    return key


def _wrong_address(address: str) -> str | None:
    try:
        parts = urlsplit(address)
        host, port = parts.hostname, parts.port
        httpx2.URL(address)
    except (ValueError, httpx2.InvalidURL):
        return "the address cannot be read."
    if parts.scheme not in {"http", "https"} or not host or port == 0:
        return "the address does not start with http:// or https:// and a host."
    if _NO_HOST.search(host) or not all(host.rstrip(".").split(".")):
        return "the address names no host that there can be."
    if parts.username or parts.password or parts.query or parts.fragment:
        return "the address holds a name, a password or a query."
    return None


class _AddressClient(AsyncInferenceClient):
    """The Hub's client, made to send to an address what an OpenAI-compatible endpoint expects there.

    For a URL the Hub's client takes the endpoint for one of its own: it adds the saved login, does not ask where
    ``HF_HUB_OFFLINE`` is set, and rewrites a JSON schema into a dialect that vLLM and llama.cpp read as "any JSON".
    """

    async def _get_async_client(self) -> httpx2.AsyncClient:
        if self._async_client is None:
            # A proxy cannot reach this machine's own addresses.
            address = urlsplit(self.model or "")
            client = httpx2.AsyncClient(
                trust_env=address.hostname not in _LOOPBACK,
                # Loading certificates takes a tenth of a second.
                verify=address.scheme == "https",
                timeout=None,
                limits=httpx2.Limits(max_connections=None),
                # A redirect is not followed: neither reports nor the key go where nobody has named.
                follow_redirects=False,
                event_hooks={"response": [_refuse_redirects]},
            )
            self._async_client = await self.exit_stack.enter_async_context(client)
        return self._async_client

    async def _inner_post(self, request_parameters: Any, *, stream: bool = False) -> Any:  # noqa: ANN401  the parent's
        body = request_parameters.json
        if self.token is None:
            request_parameters.headers.pop("authorization", None)
        if _FORMAT in body:
            body["response_format"] = body.pop(_FORMAT)
        return await super()._inner_post(request_parameters, stream=stream)


async def _refuse_redirects(response: httpx2.Response) -> None:
    if response.is_redirect:
        place = printable(response.headers.get("location", ""), 200)
        raise AskFailed("not_found", f"HTTP {response.status_code}: the address sends elsewhere ({place})")


def _client(endpoint: Endpoint) -> AsyncInferenceClient:
    if endpoint.base_url is not None:
        return _AddressClient(base_url=endpoint.base_url, token=endpoint.token, timeout=endpoint.timeout)
    # A name that the Hub's client checks itself.
    provider: Any = endpoint.provider
    return AsyncInferenceClient(provider=provider, token=endpoint.token, timeout=endpoint.timeout)


def _without(reply: Reply, withhold: Redact) -> Reply:
    """Take the key out of whatever an endpoint may have put it in: replies are kept on disk."""
    tokens = reply.tokens and tuple(
        Token(withhold(own.text), own.logprob, tuple((withhold(text), logprob) for text, logprob in own.top))
        for own in reply.tokens
    )
    return replace(
        reply,
        text=withhold(reply.text),
        model=withhold(reply.model),
        finish_reason=reply.finish_reason and withhold(reply.finish_reason),
        reasoning=reply.reasoning and withhold(reply.reasoning),
        tokens=tokens,
    )


@asynccontextmanager
async def connect(endpoint: Endpoint, *others: str | None) -> AsyncIterator[Ask]:
    """Open connections to an endpoint and give the function that asks it once, without trying again.

    ``others`` are keys of other endpoints: nothing that comes from this one tells them either.
    """
    client = _client(endpoint)
    redact, withhold = redacting(endpoint.token, *others), withholding(endpoint.token, *others)
    to_address = endpoint.base_url is not None

    async def ask(messages: tuple[Message, ...], options: Options) -> Reply:
        try:
            async with asyncio.timeout(endpoint.timeout):
                completion = await client.chat_completion(**_arguments(messages, options, to_address=to_address))
            return _without(reply_of(completion, messages, options), withhold)
        except _FAILURES as error:
            # From None: what the client raised holds the request with its headers.
            raise _failure(error, endpoint, redact) from None

    async with client:
        yield ask


def _failure(error: Exception, endpoint: Endpoint, redact: Redact) -> AskFailed:
    """Sort what went wrong by what can be done about it."""
    if isinstance(error, AskFailed):
        strange = error.kind == "not_an_endpoint"
        words = _strange(endpoint, error.words) if strange else error.words
        return AskFailed(error.kind, printable(redact(words), 300))
    if isinstance(error, TimeoutError | InferenceTimeoutError):
        return AskFailed("timeout", f"no reply within {endpoint.timeout:g} s")
    if isinstance(error, HfHubHTTPError):
        return http_failure(error, redact)
    if isinstance(error, OfflineModeIsEnabled | httpx2.HTTPError | OSError):
        return _cut_off(error, endpoint.place, redact)
    return _unusable(error, endpoint, redact)


def _cut_off(error: Exception, place: str, redact: Redact) -> AskFailed:
    """Tell what was never sent from what was cut off on the way, which may have been paid for."""
    if isinstance(error, OfflineModeIsEnabled):
        return AskFailed("offline", "HF_HUB_OFFLINE is set, and a provider is asked through the Hub")
    if isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout):
        return AskFailed("unreachable", f"nothing answers at {place} ({_words(error, redact)})")
    return AskFailed("connection", _words(error, redact))


def _unusable(error: Exception, endpoint: Endpoint, redact: Redact) -> AskFailed:
    """Tell a missing login, or a provider that does not have the model, from an answer of another form."""
    if isinstance(error, json.JSONDecodeError | UnicodeDecodeError):
        body = error.doc.lstrip()[:1] if isinstance(error, json.JSONDecodeError) else "\0"
        if body == "{":
            return AskFailed("malformed", "the endpoint's answer is not JSON to its end")
        what = {"<": "a web page", "": "nothing at all"}.get(body, "something that is not JSON")
        return AskFailed("not_an_endpoint", redact(_strange(endpoint, what)))
    words = _words(error, redact)
    if isinstance(error, ValueError) and re.search(r"(?i)api.key", words):
        return AskFailed("unauthorised", words)
    if isinstance(error, ValueError) and "provider" in words.lower():
        return AskFailed("not_found", words)
    return AskFailed("malformed", f"the endpoint's answer has another form ({words})")


def _strange(endpoint: Endpoint, what: str) -> str:
    return f"no OpenAI-compatible endpoint answers at {endpoint.place}: {what} came in place of a reply"


def _words(error: Exception, redact: Redact) -> str:
    return printable(redact(str(error) or type(error).__name__), 300)


def _sendable(text: str) -> str:
    """Give a text as UTF-8 can carry it: half characters, which JSON files can hold, become question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _arguments(messages: tuple[Message, ...], options: Options, *, to_address: bool) -> Mapping[str, Any]:
    extra: dict[str, object] = json.loads(options.extra) if options.extra else {}
    if options.schema is not None:
        schema = {"name": "reply", "strict": True, "schema": json.loads(options.schema)}
        extra[_FORMAT if to_address else "response_format"] = {"type": "json_schema", "json_schema": schema}
    return {
        "messages": [{"role": message.role, "content": _sendable(message.content)} for message in messages],
        "model": options.model,
        "max_tokens": options.max_tokens,
        "temperature": options.sent_temperature,
        "seed": options.sent_seed,
        "logprobs": True if options.top_logprobs is not None else None,
        "top_logprobs": options.top_logprobs,
        "extra_body": extra or None,
    }
