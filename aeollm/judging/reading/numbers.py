"""Numbers as judges write them: plain, as a fraction of the scale, in words, in Chinese; never a guess."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, NamedTuple

from aeollm.decimals import Decimal, parse_decimal

Trouble = Literal["not_a_number", "out_of_range", "range", "other_scale"]

_DIGITS = {
    "零": 0,
    "\u3007": 0,
    "一": 1,
    "二": 2,
    "两": 2,
    "三": 3,
    "四": 4,
    "五": 5,
    "六": 6,
    "七": 7,
    "八": 8,
    "九": 9,
}
_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_PLAIN = r"[-+−]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
_CHINESE = rf"[{''.join(_DIGITS)}十百]+(?:点[{''.join(_DIGITS)}]+)?"
_NUMBER = rf"(?:{_PLAIN}|(?:{'|'.join(_WORDS)})\b|{_CHINESE})"
_AT = re.compile(rf"(?i){_NUMBER}")
_RANGE = re.compile(rf"(?i)\s*(?:分\s*)?(?:[-–—−~±]|\.\.+|to\b|or\b|through\b|到|至|或)\s*{_NUMBER}")
_OF = re.compile(rf"(?i)[*_`]*\s*(?:points?\s+)?\(?(?:/|out\s+of|分?\s*/)\s*({_NUMBER})")
_SECOND_THOUGHT = re.compile(
    r"(?i)(?:[ \t,;:(–—-]*(?:\b(?:no|wait|actually|rather|make (?:it|that)|scratch that|correction|i mean"
    r"|maybe|perhaps|possibly)\b|不对|改为|应为|更正|也许|或许))+"
    rf"[ \t,;:–—-]*{_PLAIN}(?![0-9]|[ \t]+[a-z])"
)
"""Another number that takes the first one back: neither is taken."""
_UNIT = re.compile(r"(?i)\s*(?:points?\b|pts?\b|marks?\b|分(?!之|半|钟|析|布))")
_MARKUP = re.compile(r"[*_`\"'”’\])}>$】」]*")
_AFTER = re.compile(
    r"[ \t]*(?:$|[\n\r;,.!|(\[。，；、（<:吧]|[-–—](?=[^\d\s]|[ \t]+\S))|\s*\Z"
    # A reason, a comment, or the next label on the same line.
    r"|[ \t]+(?:(?:because|since|overall)\b|#|[A-Z][A-Za-z_ ]{1,40}[:=])"
)
_MORE_DIGITS = re.compile(r"[.,][0-9]")
_CHINESE_TENS = re.compile(rf"(?:([{''.join(_DIGITS)}]?)百)?(?:零?([{''.join(_DIGITS)}]?)十)?([{''.join(_DIGITS)}]?)")

_NOUGHT, _TEN = Decimal(0, 0), Decimal(10, 0)


@dataclass(frozen=True, slots=True)
class Scale:
    """The lowest and the highest score allowed, both inclusive."""

    low: Decimal = _NOUGHT
    high: Decimal = _TEN

    def holds(self, number: Decimal) -> bool:
        """Tell whether a score is on the scale."""
        exponent = min(self.low.exponent, number.exponent, self.high.exponent)
        low, units, high = (_units(part, exponent) for part in (self.low, number, self.high))
        return low <= units <= high


def same_number(one: Decimal, other: Decimal) -> bool:
    """Tell whether two decimals are the same number, such as 7 and 7.0."""
    exponent = min(one.exponent, other.exponent)
    return _units(one, exponent) == _units(other, exponent)


def _units(number: Decimal, exponent: int) -> int:
    return int(number.units * 10 ** (number.exponent - exponent))


class NumberAt(NamedTuple):
    """A number or why it cannot be taken, and the place after it."""

    value: Decimal | Trouble
    end: int


def number_at(text: str, start: int, scale: Scale) -> NumberAt | None:
    """Read the number that stands exactly at a place of a plain text; None if there is none.

    ``8``, ``8/10``, ``8 out of 10``, ``8分``, ``八点五``, ``eight`` are taken on a scale to 10. ``7-8`` is a range,
    ``80/100`` another scale, ``8 sources`` no score.
    """
    match = _AT.match(text, start)
    if match is None:
        return None
    more = _RANGE.match(text, match.end()) or _SECOND_THOUGHT.match(text, match.end())
    if more is not None:
        return NumberAt("range", _past(text, more.end()))
    number = _decimal(match[0])
    of = _OF.match(text, match.end())
    end = _past(text, of.end() if of else match.end())
    if text.startswith("%", end) or (of and not _is_whole(of[1], scale)):
        return NumberAt("other_scale", end + text.startswith("%", end))
    if not _AFTER.match(text, end) or _MORE_DIGITS.match(text, end):
        return NumberAt("not_a_number", end)
    off = not isinstance(number, str) and not scale.holds(number)
    return NumberAt("out_of_range" if off else number, end)


def is_out_of(text: str, start: int, scale: Scale) -> bool:
    """Tell whether the number at a place is given as a share of the scale, or in points: ``8/10``, ``8分``."""
    match = _AT.match(text, start)
    if match is None:
        return False
    of = _OF.match(text, match.end())
    return _is_whole(of[1], scale) if of else bool(_UNIT.match(text, match.end()))


def _is_whole(written: str, scale: Scale) -> bool:
    """Tell whether a score is given out of the scale's highest."""
    whole = _decimal(written)
    return not isinstance(whole, str) and same_number(whole, scale.high)


def _past(text: str, end: int) -> int:
    """Give the place after a unit and closing marks."""
    for pattern in (_UNIT, _MARKUP):
        if match := pattern.match(text, end):
            end = match.end()
    return end


def _decimal(token: str) -> Decimal | Trouble:
    if token.lower() in _WORDS:
        return Decimal(_WORDS.index(token.lower()), 0)
    if token[0] in _DIGITS or token[0] in "十百":
        return _chinese(token)
    number = parse_decimal(token.replace("−", "-"))
    return "not_a_number" if isinstance(number, str) else number


def _chinese(token: str) -> Decimal | Trouble:
    """Read a Chinese numeral below a thousand; 七八 (seven or eight) is none."""
    whole, _, part = token.partition("点")
    match = _CHINESE_TENS.fullmatch(whole)
    if match is None:
        return "not_a_number"
    hundreds, tens, ones = ((_DIGITS.get(digit or "", 1 if digit == "" else 0)) for digit in match.groups())
    ones = 0 if match[3] == "" else ones
    units = 100 * hundreds + 10 * tens + ones
    decimals = "".join(str(_DIGITS[digit]) for digit in part)
    return Decimal(int(f"{units}{decimals}"), -len(decimals))
