"""The part of a scoring prompt that may be changed: the paragraphs between dimensions and form of the answer."""

from __future__ import annotations

import re
from dataclasses import dataclass

from aeollm.errors import JudgingError, Problem
from aeollm.judging import Reply, Template, Unread
from aeollm.judging.reading.visible import visible_text

_DIMENSIONS, _FORMAT = re.compile(r"\{\{ ?dimensions ?\}\}"), re.compile(r"\{\{ ?format ?\}\}")
_REVISION = re.compile(r"<revision>(.*?)</revision>", re.DOTALL)
_ESCAPES = ("{{", "}}")
_HEADING = re.compile(r"^# (system|user)[ \t]*$", re.MULTILINE)
LONGEST = 8000
MOST_SEGMENTS = 12


@dataclass(frozen=True)
class Frame:
    """A template around its guidance, which may not be changed: what is shown, the scale's form, the fences."""

    version: str
    before: str
    after: str

    def with_guidance(self, segments: tuple[str, ...]) -> str:
        """Give the whole template's file with other guidance."""
        front = f'+++\nversion = "{self.version}"\n+++\n'
        return front + "\n\n".join((self.before, *segments, self.after)) + "\n"


def split_guidance(template: Template, low: str, high: str) -> tuple[Frame, tuple[str, ...]]:
    """Take a template apart: frame, and guidance as segments, which are paragraphs with the scale's ends filled in.

    Raises
    ------
    JudgingError
        If the template has no slots for dimensions and, behind that, for the form of the answer.
    """
    parts = [part.strip("\n") for part in re.split(r"\n[ \t]*\n", template.text) if part.strip()]
    shows = [number for number, part in enumerate(parts) if _DIMENSIONS.search(part)]
    forms = [number for number, part in enumerate(parts) if _FORMAT.search(part)]
    if not shows or not forms or forms[-1] - 1 <= shows[0]:
        message = "the prompt does not show dimensions, guidance and the form of the answer in this order."
        problem = Problem("error", "prompt", message, "Take the bundled holistic prompt for a model.")
        raise JudgingError(template.name_and_version, [problem])
    # The paragraph before the form introduces it and stays with it.
    start, end = shows[0] + 1, forms[-1] - 1
    filled = (_filled(part, low, high) for part in parts[start:end])
    frame = Frame(template.version, "\n\n".join(parts[:start]), "\n\n".join(parts[end:]))
    return frame, tuple(filled)


def _filled(part: str, low: str, high: str) -> str:
    return re.sub(r"\{\{ ?low ?\}\}", low, re.sub(r"\{\{ ?high ?\}\}", high, part))


def read_revision(reply: Reply) -> tuple[str, ...] | Unread:
    r"""Read a revised guidance as segments.

    >>> read_revision(Reply("Well. <revision>Be strict.\n\nBe fair.</revision>", "m"))
    ('Be strict.', 'Be fair.')
    """
    text = visible_text(reply)
    if isinstance(text, Unread):
        return text
    found = _REVISION.findall(text.replace("\r\n", "\n").replace("\r", "\n"))
    if not found:
        kind = "truncated" if reply.cut else "no_answer"
        return Unread(kind, "there is nothing between <revision> and </revision>")
    segments = tuple(part.strip() for part in re.split(r"\n[ \t]*\n", found[-1]) if part.strip())
    whole = "\n\n".join(segments)
    if not segments or len(whole) > LONGEST or len(segments) > MOST_SEGMENTS:
        return Unread("not_an_answer", f"the revision is empty, or longer than {LONGEST} characters in 12 paragraphs")
    if any(mark in whole for mark in _ESCAPES) or _HEADING.search(whole):
        return Unread("not_an_answer", "the revision holds slots or headings, which are not its to change")
    return segments
