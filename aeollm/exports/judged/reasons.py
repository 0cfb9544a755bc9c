"""Why a call has no value, and why a run stopped: what each kind means, and what to do about it."""

from __future__ import annotations

from collections.abc import Mapping

REASONS: Mapping[str, str] = {
    "no_answer": "the reply is empty, or nothing in it answers the question",
    "truncated": "the reply was cut at max_tokens before its answer",
    "refusal": "the judge declined to answer",
    "missing_dimension": "the reply leaves out a score that was asked for",
    "not_a_number": "what stands for a score is no number",
    "out_of_range": "the score lies outside the scale that the prompt states; it is never moved to its end",
    "range": "the reply gives a span such as 6-8 in place of one score",
    "other_scale": "the score is on another scale than the prompt's, such as 85/100",
    "not_an_answer": "the reply names something that was not among the answers allowed",
    "ambiguous": "the reply gives two answers",
    "no_logprobs": "the endpoint gives no token probabilities, and `samples = 0` forbids asking repeatedly",
    "rate_limited": "the endpoint kept saying that there are too many requests",
    "server_error": "the endpoint kept failing",
    "timeout": "no reply within --timeout",
    "unreachable": "nothing answers at the address",
    "not_an_endpoint": "what answers at the address is no OpenAI-compatible endpoint",
    "connection": "the connection broke before the reply was there",
    "malformed": "the endpoint's answer is no completion",
    "other_model": "another model answered than before",
    "unsupported": "the endpoint refuses an option of the request",
    "too_long": "the prompt is longer than the model's context",
    "refused_request": "the endpoint refused this request",
    "not_found": "the endpoint knows no such model or path",
    "unauthorised": "the endpoint did not accept the key",
    "payment": "the account has no credit or quota left",
    "offline": "nobody is asked, and there is no reply on disk",
    "budget": "the budget of this start was spent before its turn",
    "cancelled": "the run was stopped by hand before its turn",
    "unwritable_file": "replies could not be written, so that nothing more was asked",
}
"""Every kind of missing value in words."""

_MENDING: Mapping[str, str] = {
    "unauthorised": "Check the key (--token-env)",
    "not_found": "Check --model and --base-url, with its path such as /v1",
    "unreachable": "Check that the server runs, and --base-url",
    "not_an_endpoint": "Check --base-url: often /v1 is missing at its end",
    "server_error": "Look into the endpoint's own log, or allow fewer calls at a time (--concurrency)",
    "payment": "Look at the account",
    "offline": "Unset HF_HUB_OFFLINE, or name an address by --base-url",
    "unwritable_file": "Make room",
    "other_model": "Name one provider or version by --provider or --model",
}
_GOES_ON = "he same command goes on from here."


def going_on(kind: str) -> str:
    """Say how a run that stopped goes on: what has to be mended first, if anything.

    >>> going_on("cancelled"), going_on("payment")
    ('The same command goes on from here.', 'Look at the account; then the same command goes on from here.')
    """
    mending = _MENDING.get(kind)
    return f"T{_GOES_ON}" if mending is None else f"{mending}; then t{_GOES_ON}"
