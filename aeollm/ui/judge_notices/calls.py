"""One call, looked into: what was sent, what came back, and what was read of it."""

from __future__ import annotations

import math

from aeollm.judging import Reply, Unread
from aeollm.methods.showing import Values
from aeollm.reporting.html import Html, joined, tag
from aeollm.ui.judge_looking import Looked
from aeollm.ui.judge_notices.blocks import listed, said
from aeollm.ui.judge_notices.reasons import detailed
from aeollm.ui.words import both, both_view

_LONGEST_SHOWN = 60_000
_LIKELIEST = 8


def looked(call: Looked | None, total: int) -> str:
    """Show one call: messages and replies as text, whatever is in them."""
    if call is None:
        return said("j_no_call")
    head = tag("p", tag("strong", f"{call.ask} {call.number:,} / {total:,}"), f" · {call.place}", class_="ae-status")
    options = call.request.options
    note = tag("p", f"{call.request.prompt} · temperature {options.temperature:g}", class_="ae-note")
    sent = [_block(joined([both("j_sent"), f" ({own.role})"]), own.content) for own in call.request.messages]
    came: list[str] = []
    for place, (reply, values) in enumerate(zip(call.replies, call.values, strict=True), start=1):
        came += _reply(place, reply, values)
    if not came:
        came.append(said("j_not_asked"))
    return joined([head, note, tag("div", tag("div", *sent), tag("div", *came), class_="ae-j-call")])


def _reply(place: int, reply: Reply, values: Values | Unread | None) -> list[str]:
    usage = joined([f"{reply.usage.prompt:,} + ", both("j_tokens", n=reply.usage.completion)])
    head = listed([joined([both("j_reply"), f" {place}: {reply.model}"]), usage, reply.finish_reason or "–"])
    parts: list[str] = [_block(head, reply.text), _read(values)]
    if reply.reasoning:
        parts.append(_block(both("j_thoughts"), reply.reasoning))
    if reply.tokens:
        told = " · ".join(f"{text!r} {math.exp(logprob):.3f}" for text, logprob in reply.tokens[0].top[:_LIKELIEST])
        parts.append(tag("p", both("j_first_token"), f" {told}", class_="ae-note"))
    return parts


def _read(values: Values | Unread | None) -> Html:
    """Show what was read of a reply, as it goes into the table; or why nothing was."""
    if values is None:
        return Html("")
    if isinstance(values, Unread):
        return tag("p", both("j_read_nothing"), " ", detailed(values.kind, values.words), class_="ae-j-trouble")
    pairs = (tag("div", tag("dt", _named(name)), tag("dd", value)) for name, value in values)
    return joined([tag("p", both("j_read"), class_="ae-caption"), tag("dl", *pairs, class_="ae-j-read")])


def _named(name: tuple[str, ...]) -> Html:
    """Name a value: a dimension, with the number of a criterion of it, or an answer's number."""
    first, *rest = name
    return listed([both_view(first), *rest], " ")


def _block(title: str, content: str) -> Html:
    cut = content if len(content) <= _LONGEST_SHOWN else content[:_LONGEST_SHOWN] + "…"
    # Not `printable`: line ends are kept, so that the prompt is seen as it was sent.
    lines = [Html(tag("span", line)) for line in cut.split("\n")]
    whole = Html("\n".join(lines))
    return joined(
        [tag("p", title, class_="ae-caption"), tag("pre", whole, class_="ae-j-text", dir="auto", tabindex="0")]
    )
