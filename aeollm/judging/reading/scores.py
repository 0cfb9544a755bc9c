"""Scores on a scale, in whatever way a judge wrote them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from aeollm.decimals import Decimal
from aeollm.judging.messages import Reader, Reply, Unread
from aeollm.judging.reading.collecting import read_fields
from aeollm.judging.reading.fields import Field
from aeollm.judging.reading.numbers import Scale, is_out_of, number_at
from aeollm.judging.reading.objects import Written
from aeollm.judging.reading.pieces import Piece, Values
from aeollm.judging.reading.visible import plain

_GIVES = re.compile(
    r"(?i)(?<!not )(?<!n't )(?<!never )(?<!cannot )"
    r"(?:\b(?:give|rate|score|award|grade|assign)[sd]?\b|打|给|得)[^.\n。!?0-9]{0,60}?(?=[0-9])"
    # Or nothing else: ``8 (out of 10)``.
    r"|\A\s*(?=[0-9])"
)
_WORDS = re.compile(r"[A-Za-z\u4e00-\u9fff ]{1,30}[,(:–—-]+\s*")
_LINE_END = re.compile(r"[ \t.)\]*_`]*(?:\n|\Z)")


def read_scores(reply: Reply, fields: Sequence[Field], scale: Scale) -> Mapping[str, Decimal] | Unread:
    """Give a score for every field, or why there is none: never 0, never the nearest number, never a rounded one.

    >>> read_scores(Reply('{"insight": "7.5/10"}', "m"), [Field("insight")], Scale())
    {'insight': Decimal(units=75, exponent=-1)}
    >>> read_scores(Reply("Insight: 7-8", "m"), [Field("insight")], Scale()).kind
    'range'
    """

    def of_json(value: object) -> Piece[Decimal]:
        if isinstance(value, str):
            written = plain(value).strip(" \t\n*_`").rstrip(".")
            found = _piece(written, 0, scale)
            rest = written[len(found.written) :] if found is not None else ""
            if found is not None and not (found.trouble is None and any(letter.isdigit() for letter in rest)):
                return found
        shown = (
            str(value)
            if isinstance(value, Written | str)
            else str(type(value).__name__ if value is not None else "null")
        )
        return Piece(None, "not_a_number", shown)

    def at(text: str, start: int) -> Piece[Decimal] | None:
        return _piece(text, start, scale) or _behind_words(text, start, scale)

    def said(text: str) -> list[Piece[Decimal]]:
        places = [match.end() for match in _GIVES.finditer(text) if is_out_of(text, match.end(), scale)]
        return [piece for place in places if (piece := _piece(text, place, scale)) is not None]

    return read_fields(reply, fields, Values(of_json, at, said))


def _behind_words(text: str, start: int, scale: Scale) -> Piece[Decimal] | None:
    """Read ``Good (8/10)``: a word or two, then the score as a share of the scale, which ends the line."""
    words = _WORDS.match(text, start)
    if words is None or not is_out_of(text, words.end(), scale):
        return None
    piece = _piece(text, words.end(), scale)
    if piece is None or piece.trouble is not None or not _LINE_END.match(text, words.end() + len(piece.written)):
        return None
    return piece


def _piece(text: str, start: int, scale: Scale) -> Piece[Decimal] | None:
    found = number_at(text, start, scale)
    if found is None:
        return None
    written = text[start : found.end]
    if isinstance(found.value, str):
        return Piece(None, found.value, written, found.end)
    return Piece(_least(found.value), None, written, found.end)


def _least(number: Decimal) -> Decimal:
    """Write equal numbers alike: 7.0 and 7 are one verdict."""
    units, exponent = number.units * 10 ** max(number.exponent, 0), min(number.exponent, 0)
    while exponent < 0 and units % 10 == 0:
        units, exponent = units // 10, exponent + 1
    return Decimal(units, exponent)


def scores_reader(fields: Sequence[Field], scale: Scale) -> Reader[Mapping[str, Decimal]]:
    """Give `read_scores` with its arguments, as a session wants it."""
    return lambda reply: read_scores(reply, fields, scale)
