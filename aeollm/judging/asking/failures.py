"""What can go wrong on the way to a judge, in words that hold no key."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from html import escape
from urllib.parse import quote

from huggingface_hub.errors import HfHubHTTPError

from aeollm.errors import printable
from aeollm.judging.messages import AskFailed, FailureKind

Redact = Callable[[str], str]

_LONGEST = 300
_SHORTEST_KEY = 6
_KEYS = re.compile(r"(?i)\b(?:bearer\s+\S+|(?:hf|sk|gsk|xai|key)[-_][\w*.-]{8,})")
_KINDS: Mapping[int, FailureKind] = {
    400: "refused_request", 401: "unauthorised", 402: "payment", 403: "unauthorised", 404: "not_found",
    405: "not_found", 408: "timeout", 409: "server_error", 413: "too_long", 422: "refused_request", 425: "server_error",
    429: "rate_limited", 504: "timeout",
}  # fmt: skip
_SERVER = 500
_FEATURES = {
    "schema": ("response_format", "json_schema", "json schema", "structured output", "guided"),
    "top_logprobs": ("logprob",),
    "seed": ("seed",),
    # Chat templates such as Gemma's refuse a system message.
    "system": ("system role", "system message"),
}
_NOT_OFFERED = ("support", "unknown", "unrecognized", "unexpected", "not allowed", "not permitted", "not available",
                "invalid", "not implemented", "disabled", "extra inputs", "extra_forbidden")  # fmt: skip
_QUOTA = ("insufficient_quota", "exceeded your current quota", "insufficient balance", "billing", "credits")
_TOO_LONG = ("context length", "context_length", "context size", "context window", "maximum context",
             "too many tokens", "prompt is too long", "max_model_len", "exceeds the available")  # fmt: skip


def redacting(*keys: str | None) -> Redact:
    """Give a function that takes keys, however they are escaped, and whatever looks like one, out of a text."""
    without = withholding(*keys)
    return lambda text: _KEYS.sub("[key]", without(text))


def withholding(*keys: str | None) -> Redact:
    """Give a function that takes these keys alone out of a text; what is too short to be one stays (EMPTY, none, x)."""
    forms = {form for key in keys if key is not None and len(key) >= _SHORTEST_KEY for form in _forms(key)}
    if not forms:
        return str
    known = re.compile("|".join(map(re.escape, sorted(forms, key=len, reverse=True))))
    return lambda text: known.sub("[key]", text)


def _forms(key: str) -> set[str]:
    in_json = json.dumps(key)[1:-1]
    return {key, in_json, in_json.replace("/", "\\/"), quote(key), quote(key, safe=""), escape(key)}


def http_failure(error: HfHubHTTPError, redact: Redact) -> AskFailed:
    """Sort an HTTP error status by what can be done about it."""
    response = error.response
    status = response.status_code
    said = _said(response.text)
    words = f"HTTP {status}: {printable(redact(said), _LONGEST)}" if said else f"HTTP {status}"
    kind: FailureKind = _KINDS.get(status, "server_error" if status >= _SERVER else "refused_request")
    if kind in {"refused_request", "server_error", "too_long"} and any(phrase in said.lower() for phrase in _TOO_LONG):
        return AskFailed("too_long", words)
    if kind == "rate_limited" and any(phrase in response.text.lower() for phrase in _QUOTA):
        return AskFailed("payment", words)
    if kind == "refused_request" and (features := _not_offered(said.lower())):
        return AskFailed("unsupported", words, features=features)
    return AskFailed(kind, words, wait=retry_after(response.headers.get("retry-after"), datetime.now(UTC)))


def _said(body: str) -> str:
    """Give the message in an error's body, or a web page's title, or the first line."""
    match = re.search(r'"(?:message|detail|error)"\s*:\s*"((?:[^"\\]|\\.)*)"', body)
    if match is None:
        page = re.search(r"(?is)<title[^>]*>(.*?)</title", body)
        return " ".join(page[1].split()) if page is not None else body.strip().split("\n", 1)[0]
    try:
        return str(json.loads(f'"{match[1]}"', strict=False))
    except ValueError:
        return match[1]


def _not_offered(said: str) -> frozenset[str]:
    if not any(phrase in said for phrase in _NOT_OFFERED):
        return frozenset()
    return frozenset(name for name, words in _FEATURES.items() if any(word in said for word in words))


def retry_after(value: str | None, now: datetime) -> float | None:
    """Read a Retry-After header, seconds or a date, as seconds from now; None where there is none that can be used.

    No time, or one that is over by this machine's clock, says nothing: waiting is then as without it.

    >>> retry_after("2.5", datetime.now(UTC)), retry_after("soon", datetime.now(UTC))
    (2.5, None)
    """
    if value is None:
        return None
    try:
        return _ahead(float(value))
    except ValueError:
        pass
    try:
        at = parsedate_to_datetime(value)
    except (ValueError, OverflowError):
        return None
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    return _ahead((at - now).total_seconds())


def _ahead(seconds: float) -> float | None:
    return seconds if 0 < seconds < float("inf") else None
