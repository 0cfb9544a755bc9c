"""Ids that the labels do not know: what was probably meant, and why the two differ."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cached_property
from typing import NamedTuple

_QUOTES = "\"'“”‘’«»`"
_ZEROS = re.compile(r"(?<![0-9])0+(?=[0-9])")
_NEAR = 0.6
_LONGEST_SEARCHED = 100
_HALF_WIDTH = {wide: wide - 0xFEE0 for wide in range(0xFF01, 0xFF5F)} | {0x3000: " ", 0x3002: "."}


class Guess(NamedTuple):
    """A known id, why it may be meant, and whether it is the same id but for spelling."""

    known: str
    why: str
    kind: str
    sure: bool


def code_points(text: str) -> str:
    """Name the characters that occur by code point: ``U+FF11, U+200B``."""
    return ", ".join(f"U+{ord(character):04X}" for character in dict.fromkeys(text))


def invisible(text: str) -> str:
    """Give the characters that show nothing: format, control and odd white space."""
    return "".join(c for c in text if unicodedata.category(c) in {"Cf", "Cc", "Zs", "Zl", "Zp"} and c != "\u3000")


def full_width(text: str) -> str:
    """Give the full-width forms of a Chinese or Japanese input method."""
    return "".join(c for c in text if ord(c) in _HALF_WIDTH)


def half_width(text: str) -> str:
    """Write full-width forms as plain characters, without invisible ones."""
    plain = text.translate(_HALF_WIDTH)
    return "".join(c for c in plain if unicodedata.category(c) not in {"Cf", "Cc"}).strip()


class KnownIds:
    """The ids that exist in one place, to look a misspelt one up in."""

    def __init__(self, ids: Iterable[str]) -> None:
        self.ids = tuple(ids)

    @cached_property
    def _folded(self) -> dict[str, str]:
        return {_fold(known): known for known in reversed(self.ids)}

    def guess(self, written: str, *, search: bool = True) -> Guess | None:
        """Give the id that was probably meant; ``search`` also among those that only look alike, which takes time."""
        known = self._folded.get(_fold(written))
        if known is not None:
            return Guess(known, *_difference(written, known), sure=True)
        near = self._nearest(written) if search and len(written) <= _LONGEST_SEARCHED else None
        return None if near is None else Guess(near, "the nearest known id", "unknown", sure=False)

    def _nearest(self, written: str) -> str | None:
        import difflib  # noqa: PLC0415  only wrong files pay for it

        near = difflib.get_close_matches(written, self.ids, n=1, cutoff=_NEAR)
        inside = [known for known in self.ids if written.startswith(known) or written.endswith(known)]
        return near[0] if near else max(inside, key=len, default=None)


def _fold(text: str) -> str:
    plain = unicodedata.normalize("NFKC", half_width(text))
    return _ZEROS.sub("", plain.strip().strip(_QUOTES).casefold())


def _difference(written: str, known: str) -> tuple[str, str]:
    """Say in words how two ids differ that fold to the same, and the kind of problem."""
    for text, other, whose in ((written, known, "it"), (known, written, "the id in the labels")):
        if wide := "".join(c for c in full_width(text) if c not in other):
            return f"{whose} holds the full-width {code_points(wide)}", "full_width"
        if hidden := "".join(c for c in invisible(text) if c not in other):
            return f"{whose} holds the invisible {code_points(hidden)}", "invisible_character"
    return _spelling(half_width(written), half_width(known)), "unknown"


def _spelling(written: str, known: str) -> str:
    if written.strip(_QUOTES) != written:
        return "it holds a quotation mark"
    if written.casefold() == known.casefold():
        return "the letter case differs" if written != known else "other code points for the same letters"
    if _ZEROS.sub("", written.casefold()) == _ZEROS.sub("", known.casefold()):
        return "the leading zeros differ"
    return "other code points for the same letters"
