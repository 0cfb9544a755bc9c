"""One of a few allowed answers: the winner of a pair, an option of a question."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from aeollm.decimals import Decimal, parse_decimal
from aeollm.judging.messages import Reader, Reply, Unread
from aeollm.judging.reading.collecting import Piece, Values, read_fields
from aeollm.judging.reading.fields import ANSWER, Field
from aeollm.judging.reading.numbers import Scale, number_at, same_number
from aeollm.judging.reading.visible import plain

Outcome = Literal["A", "B", "tie"]

_WHAT = r"(?:report|answer|response|assistant|text|option|报告|回答|文本)?"
_BETTER = r"(?:is (?:clearly |slightly |much )?better|wins?|is stronger|is preferred|更好|较好|更优|更佳|胜出?|优)?"
_SIDE = re.compile(rf"(?i)(?:the\s+)?{_WHAT}\s*[\[(<\"'*]*([ab])[\])>\"'*]*\s*{_BETTER}")
_SIGN = re.compile(r"(?i)\[*a\s*(>{1,2}|<{1,2}|=|≈)\s*b\]*")
_TIE = re.compile(
    r"(?i)[\[(]*(?:tied?|draw|equal(?:ly good)?|same|no (?:difference|preference)|both|neither"
    r"|平局|平手|打平|平|相当|相同|一样|持平|不分上下|无差异)[\])]*"
)
_STOP = re.compile(r"[\n\r,;。，；|]|\.(?:\s|$)|\s[-–—]\s|\s*\(")


def outcome_of(text: str) -> Outcome | None:
    """Read who wins; None where nobody is named.

    >>> [outcome_of(text) for text in ("Report B", "[[A]]", "A<B", "平局", "Both A and B")]
    ['B', 'A', 'B', 'tie', None]
    """
    shown = plain(text).strip(" \t*_`\"'“”‘’.。!:")
    if sign := _SIGN.fullmatch(shown):
        return "A" if sign[1].startswith(">") else "B" if sign[1].startswith("<") else "tie"
    if _TIE.fullmatch(shown):
        return "tie"
    side = _SIDE.fullmatch(shown)
    return None if side is None else "A" if side[1] in "aA" else "B"


def option_of(text: str, options: Sequence[str]) -> str | None:
    r"""Read one of the options, by its own spelling or, for numbers, as the same number.

    >>> [option_of(text, ("1", "2", "3")) for text in ("3", " \uff13.", "(2)", "三", "4", "two")]
    ['3', '3', '2', '3', None, '2']
    """
    shown = plain(text).strip(" \t\n\r*_`\"'“”‘’.。!:()[]{}<>「」【】,")
    for option in options:
        if plain(option).casefold() == shown.casefold():
            return option
    number = number_at(shown, 0, _ANY) if shown else None
    if number is None or isinstance(number.value, str) or number.end != len(shown):
        return None
    return next((option for option in options if _same(option, number.value)), None)


_ANY = Scale(Decimal(-(10**9), 0), Decimal(10**9, 0))


def _same(option: str, number: Decimal) -> bool:
    own = parse_decimal(plain(option).strip())
    return not isinstance(own, str) and same_number(own, number)


def _read(
    reply: Reply, fields: Sequence[Field], read: Callable[[str], str | None], *, loose: bool
) -> Mapping[str, str] | Unread:
    def of_json(value: object) -> Piece[str]:
        taken = read(value) if isinstance(value, str) else None
        return Piece(taken, None if taken else "not_an_answer", str(value))

    def at(text: str, start: int) -> Piece[str] | None:
        stop = _STOP.search(text, start)
        written = text[start : stop.start() if stop else len(text)]
        taken = read(written)
        if taken is None and not written.strip():
            return None
        return Piece(taken, None if taken else "not_an_answer", written)

    return read_fields(reply, fields, Values(of_json, at, loose))


def read_outcomes(reply: Reply, fields: Sequence[Field]) -> Mapping[str, str] | Unread:
    """Give ``A``, ``B`` or ``tie`` for every field, or why there is none."""
    return _read(reply, fields, outcome_of, loose=False)


def read_choice(reply: Reply, options: Sequence[str], field: Field = ANSWER) -> str | Unread:
    """Give the option a reply chooses, or why none."""
    loose = any(one != other and other.startswith(one) for one in options for other in options)
    chosen = _read(reply, [field], lambda text: option_of(text, options), loose=loose)
    return chosen if isinstance(chosen, Unread) else chosen[field.name]


def outcomes_reader(fields: Sequence[Field]) -> Reader[Mapping[str, str]]:
    """Give `read_outcomes` with its arguments, as a session wants it."""
    return lambda reply: read_outcomes(reply, fields)


def choice_reader(options: Sequence[str], field: Field = ANSWER) -> Reader[str]:
    """Give `read_choice` with its arguments, as a session wants it."""
    return lambda reply: read_choice(reply, options, field)
