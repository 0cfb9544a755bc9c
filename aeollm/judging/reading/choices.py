"""One of a few allowed answers: the winner of a pair, an option of a question."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from aeollm.decimals import Decimal, parse_decimal
from aeollm.judging.messages import Reader, Reply, Unread
from aeollm.judging.reading.collecting import read_fields
from aeollm.judging.reading.fields import ANSWER, Field
from aeollm.judging.reading.numbers import Scale, number_at, same_number
from aeollm.judging.reading.pieces import Piece, Values
from aeollm.judging.reading.visible import plain

Outcome = Literal["A", "B", "tie"]

_WHAT = r"(?:the\s+)?(?:report|answer|response|assistant|text|option|报告|回答|文本|答案|回复)?[\s_-]*"
_MUCH = r"(?:(?:clearly|slightly|much|somewhat|far|significantly|marginally|overall)\s+)?"
_BETTER = (
    rf"(?:(?:is|was)\s+{_MUCH}(?:better|stronger|preferred|superior)|wins?|beats|outperforms"
    r"|更好|较好|更优|更佳|胜出?|优)"
)
_WORSE = rf"(?P<worse>(?:is|was)\s+{_MUCH}(?:worse|weaker|inferior)|loses|更差|较差|不如)"
_THAN = rf"\s*(?:(?:than|over|to)\s+)?{_WHAT}(?P<other>[ab])"
_SIDE = re.compile(
    rf"(?i)(?:选择?\s*|\\boxed\{{)?{_WHAT}[\[(<\"'*【]*(?P<side>[ab])[\])>\"'*】}}]*"
    rf"(?:\s*(?:{_BETTER}|{_WORSE})(?:{_THAN})?(?:\s+overall)?)?(?:\s*\({_MUCH}(?:better|stronger|preferred)?\s*\))?"
)
_SIGN = re.compile(r"(?i)\[*a\s*(>{1,2}|<{1,2}|=|≈)\s*b\]*")
_TIE = re.compile(
    r"(?i)[\[(]*(?:(?:it(?:'s|\s+is)\s+)?(?:an?\s+)?(?:tied?|draw)"
    r"|(?:(?:they|both|a and b|(?:the|both)\s+(?:two\s+)?(?:reports|answers))\s+(?:are\s+)?)?(?:about\s+|roughly\s+)?"
    r"(?:equal(?:ly good)?|tied|(?:the\s+)?same|comparable)"
    r"|no (?:clear )?(?:difference|preference|winner)|both|neither"
    r"|(?:(?:两者|二者|双方|两份(?:报告)?|两篇(?:报告)?)(?:质量|水平)?(?:大致|基本|差不多)?)?"
    r"(?:平局|平手|打平|平|相当|相同|一样|持平|不分上下|无差异))[\])]*"
)
_STOP = re.compile(r"[\n\r,;。，；|]|\.(?:\s|$)|\s[-–—]\s|\s*\(|</")
_LONGEST = 200
_PREFERS = re.compile(
    r"(?i)(?<!not )(?<!n't )(?:\bi\s+(?:would\s+)?(?:prefer|choose|pick|favou?r)\b"
    r"|\b(?:better|stronger|preferred|winning)\s+(?:report|answer|response|one)\s+is\b"
    r"|更好的(?:报告|回答|一份)?是|选择?)\s*:?\s*"
)


def outcome_of(text: str) -> Outcome | None:
    """Read who wins; None where nobody is named.

    >>> [outcome_of(text) for text in ("Report B", "[[A]]", "A<B", "平局", "Both A and B")]
    ['B', 'A', 'B', 'tie', None]
    """
    shown = " ".join(plain(text).strip(" \t*_`\"'“”‘’.。!:").split())
    if sign := _SIGN.fullmatch(shown):
        return "A" if sign[1].startswith(">") else "B" if sign[1].startswith("<") else "tie"
    if _TIE.fullmatch(shown):
        return "tie"
    named = _SIDE.fullmatch(shown)
    if named is None:
        return None
    side, other = named["side"].upper(), (named["other"] or "").upper()
    if side == other:
        return None
    return "A" if (side == "A") != bool(named["worse"]) else "B"


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
        end = min(start + _LONGEST, len(text))
        stop = _STOP.search(text, start, end)
        written = text[start : stop.start() if stop else end]
        taken = read(written)
        if taken is None and not written.strip():
            return None
        return Piece(taken, None if taken else "not_an_answer", written, start + len(written))

    def said(text: str) -> list[Piece[str]]:
        pieces = [at(text, match.end()) for match in _PREFERS.finditer(text)]
        return [piece for piece in pieces if piece is not None and piece.trouble is None]

    return read_fields(reply, fields, Values(of_json, at, said, loose))


def read_outcomes(reply: Reply, fields: Sequence[Field]) -> Mapping[str, str] | Unread:
    """Give ``A``, ``B`` or ``tie`` for every field, or why there is none."""
    return _read(reply, fields, outcome_of, loose=False)


def read_choice(reply: Reply, options: Sequence[str]) -> str | Unread:
    """Give the option a reply chooses, or why none."""
    loose = any(one != other and other.startswith(one) for one in options for other in options)
    chosen = _read(reply, [ANSWER], lambda text: option_of(text, options), loose=loose)
    return chosen if isinstance(chosen, Unread) else chosen[ANSWER.name]


def outcomes_reader(fields: Sequence[Field]) -> Reader[Mapping[str, str]]:
    """Give `read_outcomes` with its arguments, as a session wants it."""
    return lambda reply: read_outcomes(reply, fields)


def choice_reader(options: Sequence[str]) -> Reader[str]:
    """Give `read_choice` with its arguments, as a session wants it."""
    return lambda reply: read_choice(reply, options)
