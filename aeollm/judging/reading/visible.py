"""The part of a reply that is meant as the answer: no thoughts, no channels, the answer tag's content."""

from __future__ import annotations

import re
import unicodedata

from aeollm.judging.messages import Reply, Unread
from aeollm.judging.reading.objects import object_end

MOST_READ = 200_000
"""Characters of a reply that are read, from its end: the verdict is at the end where there is more."""

_NAMES = r"(?:seed:)?(?:think(?:ing)?|thoughts?|reason(?:ing)?|reflection|analysis|scratchpad)"
_TAG = re.compile(rf"(?i)<\s*(?P<close>/?)\s*{_NAMES}(?:\s[^<>]*)?>|\[(?P<bracket>/?)THINK\]|◁(?P<kimi>/?)think▷")
_ANSWER = re.compile(r"(?is)<\s*(answer|final_answer|verdict|output)\s*>(.*?)(?:</\s*\1\s*>|\Z)")
_FINAL = re.compile(r"<\|channel\|>\s*final\b.*?<\|message\|>", re.DOTALL)
_CHANNEL = re.compile(r"<\|channel\|>")
_MARK = re.compile(r"<\|[a-z_]{1,30}\|>")
_REFUSAL = re.compile(
    r"(?i)\b(?:i(?:'|’)?m sorry|i apologi[sz]e|i (?:can(?:no|'|’)t|can not|am (?:not able|unable)|won(?:'|’)t|will not)"
    r"|i(?:'|’)m (?:not able|unable)|unable to (?:rate|score|evaluate|assess|assist|comply|provide)|as an ai\b)"
    r"|抱歉|对不起|无法(?:评|提供|打分|给出|完成|协助)|不能(?:评|提供|打分|给出)|我拒绝|作为(?:一个)?(?:AI|人工智能)"
)
_THOUGHT = Unread("truncated", "the reply ends inside of a thought")
# What NFKC would join to the number before it (8² -> 82) or spell in two (½).
_HALVES = {"½": ".5", "¼": ".25", "¾": ".75"}
_JOINED = re.compile(r"[\u00b2\u00b3\u00b9\u2070-\u209f\u2150-\u215e\u2189]")


def visible_text(reply: Reply) -> str | Unread:
    """Give the text to look for a verdict in, or say why there is none."""
    text = reply.text[-MOST_READ:]
    if not text.strip():
        return no_verdict(reply, "")
    shown = _without_thoughts(_final_channel(text))
    if shown is None:
        return _THOUGHT
    if not shown.strip():
        return no_verdict(reply, "")
    answers = list(_ANSWER.finditer(shown))
    return _MARK.sub(" ", "\n".join(answer[2] for answer in answers) or shown)


def in_thought(reply: Reply) -> bool:
    """Tell whether a reply has not come further than its thoughts, which some endpoints send apart."""
    return visible_text(reply) == _THOUGHT


def thoughts_end(text: str) -> int:
    """Give the place where a reply's last closed thought or channel ends; 0 without one."""
    ends = [match.end() for match in _TAG.finditer(text) if "/" in match.groups(default="")]
    return max([*ends, *(match.end() for match in _FINAL.finditer(text)), 0])


def plain(text: str) -> str:
    r"""Write full-width and other compatibility characters as plain ones, without changing a number's value.

    >>> plain("\uff18\uff0e\uff15\uff0f\uff11\uff10："), plain("8½")
    ('8.5/10:', '8.5')
    """
    if text.isascii():
        return text
    for half, decimal in _HALVES.items():
        text = re.sub(rf"(?<=[0-9\uff10-\uff19]){half}", decimal, text).replace(half, "0" + decimal)
    return unicodedata.normalize("NFKC", _JOINED.sub("\ufffd", text))


def no_verdict(reply: Reply, text: str) -> Unread:
    """Say why a reply without any verdict has none."""
    if reply.finish_reason == "content_filter":
        return Unread("refusal", "the endpoint's content filter held the reply back")
    if reply.cut and reply.reasoning and not text.strip():
        return _THOUGHT
    if reply.cut:
        return Unread("truncated", "the reply was cut before a verdict")
    if _REFUSAL.search(text):
        return Unread("refusal", "the judge declined")
    return Unread("no_answer", "the reply holds no verdict" if text.strip() else "the reply is empty")


def _final_channel(text: str) -> str:
    """Take the last final channel; other channels alone are a thought that was cut."""
    finals = list(_FINAL.finditer(text))
    if finals:
        return text[finals[-1].end() :]
    return "<think>" if _CHANNEL.search(text) else text


def _without_thoughts(text: str) -> str | None:
    """Leave out thoughts; None if the last one does not end.

    A closing tag without an opening one closes a thought that began with the reply, as chat templates that write the
    opening tag into the prompt make it. Tags inside of a JSON object are words of the judge.
    """
    kept: list[str] = []
    start = position = 0
    thinking = False
    while tag := _TAG.search(text, position):
        closes = "/" in tag.groups(default="")
        end = None if thinking else object_end(text, position, tag.start())
        if end is not None:
            position = end
            continue
        position = tag.end()
        if thinking and not closes:
            continue
        kept = [*kept, text[start : tag.start()]] if not closes and not thinking else kept if thinking else []
        thinking, start = not closes, tag.end()
    return None if thinking else "".join([*kept, text[start:]])
