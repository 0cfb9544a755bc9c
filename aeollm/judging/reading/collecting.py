"""Looking for the wanted fields in a reply: in its JSON first, else behind their labels, else the bare value."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Generic, NamedTuple

from aeollm.judging.messages import Reply, Unread
from aeollm.judging.reading.fields import Field, fold
from aeollm.judging.reading.layouts import in_sections, without_tables
from aeollm.judging.reading.objects import Pairs, find_objects
from aeollm.judging.reading.pieces import NAME_KEYS, VALUE_KEYS, Piece, V, Values
from aeollm.judging.reading.revising import taken_back
from aeollm.judging.reading.visible import no_verdict, plain, visible_text

_DEEPEST = 6
_FINAL = re.compile(
    r"(?i)\b(?:final|revised?|corrected|adjusted|updated|reconsider(?:ing|ed)?)\b"
    r"|最终|最后的?评|修正后|更正后|调整后|重新考虑|重新评"
)
"""What announces a verdict that stands for the drafts before it; a mere second thought leaves both in doubt."""
_BEFORE = 80

_WORDS = {
    "not_a_number": "{value} is no number",
    "out_of_range": "{value} is not on the scale",
    "range": "{value} is a range, not one value",
    "other_scale": "{value} is on another scale",
    "not_an_answer": "{value} is none of the answers allowed",
}


def read_fields(reply: Reply, fields: Sequence[Field], values: Values[V]) -> Mapping[str, V] | Unread:
    """Give every field's value, or why the reply does not give all of them; a value is never guessed."""
    text = visible_text(reply)
    if isinstance(text, Unread):
        return text
    # As written first: plain characters may turn what a reason quotes into marks of JSON.
    found = _in_json(text, fields, values)
    if not any(found.pieces.values()) and not text.isascii():
        text = plain(text)
        found = _in_json(text, fields, values)
    if not any(found.pieces.values()):
        if found.unended:
            return Unread("truncated", "the reply's JSON does not end")
        found = _in_text(text, reply.cut, fields, values)
    if not any(found.pieces.values()):
        return no_verdict(reply, text)
    settled = _settled(found.pieces, cut=reply.cut or found.unended)
    if not isinstance(settled, Unread) and (again := taken_back(found.around, found.pieces, fields, values)):
        return Unread("ambiguous", f"the reply takes {again[0]} back: {again[1][:80]}", again[0])
    return settled


class _Found(NamedTuple, Generic[V]):
    """What every field was given, the text around it, place for place, and whether an object in it never ends."""

    pieces: dict[str, list[Piece[V]]]
    around: str
    unended: bool = False


def _settled(pieces: Mapping[str, list[Piece[V]]], *, cut: bool) -> Mapping[str, V] | Unread:
    """Take each field's one value; name the first field that has none, or several."""
    taken: dict[str, V] = {}
    for name, found in pieces.items():
        if not found:
            kind = "truncated" if cut else "missing_dimension"
            return Unread(kind, f"the reply gives no value for {name}", name)
        if len({(piece.value, piece.trouble) for piece in found}) > 1:
            shown = ", ".join(dict.fromkeys(piece.written for piece in found))
            return Unread("ambiguous", f"the reply gives {name} several values: {shown[:80]}", name)
        value, trouble, written, _ = found[0]
        if value is None:
            words = _WORDS[trouble or "not_a_number"].format(value=repr(written[:40]))
            return Unread(trouble or "not_a_number", f"{name}: {words}", name)
        taken[name] = value
    return taken


def _in_json(text: str, fields: Sequence[Field], values: Values[V]) -> _Found[V]:
    """Collect from all objects, a last one that calls itself final alone; and tell whether one never ends."""
    objects, unended = find_objects(text)
    by_object = []
    around, position, place = [], 0, 0
    for found in objects:
        raw: dict[str, list[object]] = {field.name: [] for field in fields}
        _gather(found.value, fields, raw, 0)
        around.append(f"{plain(text[position : found.start])} ")
        position, place = found.end, place + len(around[-1])
        by_object.append(
            {name: [values.of_json(item)._replace(end=place) for item in own] for name, own in raw.items()}
        )
    outside = "".join([*around, plain(text[position:])])
    holding = [place for place, pieces in enumerate(by_object) if any(pieces.values())]
    if len(holding) > 1:
        last, start = by_object[holding[-1]], objects[holding[-1]].start
        if all(last.values()) and _FINAL.search(text, max(start - _BEFORE, objects[holding[-2]].end), start):
            return _Found(last, outside, unended)
    every = {field.name: [piece for pieces in by_object for piece in pieces[field.name]] for field in fields}
    return _Found(every, outside, unended)


def _gather(value: object, fields: Sequence[Field], raw: Mapping[str, list[object]], depth: int) -> None:
    if depth > _DEEPEST or not isinstance(value, Pairs | list):
        return
    named = _named(value, fields) if isinstance(value, Pairs) else None
    if named is not None:
        raw[named[0]].append(named[1])
        return
    for key, item in value if isinstance(value, Pairs) else (("", item) for item in value):
        field = _field(key, fields)
        if field is not None:
            raw[field.name].append(_scalar(item))
        else:
            _gather(item, fields, raw, depth + 1)


def _field(key: str, fields: Sequence[Field]) -> Field | None:
    folded = fold(key)
    return next((field for field in fields if folded in field.folded), None)


def _named(pairs: Pairs, fields: Sequence[Field]) -> tuple[str, object] | None:
    """Read ``{"criterion": "C1", "score": 7}``."""
    names = [item for key, item in pairs if fold(key) in NAME_KEYS and isinstance(item, str)]
    field = next((found for name in names if (found := _field(name, fields)) is not None), None)
    if field is None or any(_field(key, fields) is not None and fold(key) not in VALUE_KEYS for key, _ in pairs):
        return None
    given = [item for key, item in pairs if fold(key) in VALUE_KEYS]
    return (field.name, given[0]) if len(given) == 1 else None


def _scalar(value: object) -> object:
    """Take the value out of ``{"score": 8, "reason": "…"}``."""
    if isinstance(value, Pairs):
        given = [item for key, item in value if fold(key) in VALUE_KEYS]
        return given[0] if len(given) == 1 else value
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def _in_text(text: str, cut: bool, fields: Sequence[Field], values: Values[V]) -> _Found[V]:  # noqa: FBT001
    """Collect from tables and labels; what stands behind the last word such as "final" counts alone if it is whole."""
    text, found = without_tables(text, fields, values)
    whole = {name: [*own, *found[name]] for name, own in _labelled(text, cut, fields, values).items()}
    final = [match.start() for match in _FINAL.finditer(text)]
    if final and any(len({piece.value for piece in found}) > 1 for found in whole.values()):
        last = _labelled(text[final[-1] :], cut, fields, values)
        if all(last.values()):
            return _Found({name: [piece.moved(final[-1]) for piece in own] for name, own in last.items()}, text)
    if any(whole.values()):
        return _Found(_doubted(text[final[-1] :], whole, fields, values) if final else whole, text)
    if len(fields) > 1:
        return _Found(in_sections(text, fields, lambda part: _one(part, _ANY, cut, values)), text)
    return _Found({fields[0].name: _one(text, fields[0], cut, values)}, text)


def _one(text: str, field: Field, cut: bool, values: Values[V]) -> list[Piece[V]]:  # noqa: FBT001
    """Read one value that no label of its own names: alone on a line, behind other labels, in a sentence."""
    pieces = _bare(text, cut, values)
    if not pieces and field.further:
        labels = Field(field.name, field.further)
        pieces = _labelled(text, cut, [labels], values)[field.name]
    # A reply that was cut may have been about to say more.
    return pieces or ([] if cut else values.said(text))


_ANY = Field(
    "score",
    further=("score", "rating", "grade", "winner", "verdict", "better", "评分", "得分", "分数", "打分", "胜者", "结论"),
)
"""What a value is called under a heading that says what it is for."""


def _doubted(
    final: str, whole: dict[str, list[Piece[V]]], fields: Sequence[Field], values: Values[V]
) -> dict[str, list[Piece[V]]]:
    """Add what is said of a field behind a word such as "final" without a label: another value there is a doubt."""
    for field in fields:
        again = [values.at(final, match.end()) for match in field.mentioned.finditer(final)]
        whole[field.name] += [piece for piece in again if piece is not None and piece.trouble is None]
    return whole


def _labelled(text: str, cut: bool, fields: Sequence[Field], values: Values[V]) -> dict[str, list[Piece[V]]]:  # noqa: FBT001
    pieces: dict[str, list[Piece[V]]] = {}
    for field in fields:
        at = [_piece(text, match.end(), cut, values) for match in field.label.finditer(text)]
        inside = [(values.at(match[1], 0), match.end()) for match in field.bracketed.finditer(text)]
        whole = [piece._replace(end=end) for piece, end in inside if piece is not None and piece.trouble is None]
        pieces[field.name] = [*(piece for piece in at if piece is not None), *whole]
    return pieces


def _piece(text: str, start: int, cut: bool, values: Values[V]) -> Piece[V] | None:  # noqa: FBT001
    piece = values.at(text, start)
    if piece is not None and cut and values.loose and start + len(piece.written) >= len(text.rstrip()):
        return None
    return piece


_LEAD = re.compile(r"(?:[\s*_`\"'“”‘’\[({<$#>「【•]|-(?=\s))*(?:\\boxed\{)?")
_FENCE = re.compile(r"\s*(?:`{3,}|~{3,})\w*\s*")


def _bare(text: str, cut: bool, values: Values[V]) -> list[Piece[V]]:  # noqa: FBT001
    """Read a reply, or its first or last line, that is nothing but the value."""
    lines = [line for line in text.splitlines() if line.strip() and not _FENCE.fullmatch(line)]
    pieces = []
    for line in dict.fromkeys([*lines[:1], *lines[-1:]]):
        start = len(line) - len(_LEAD.sub("", line, count=1))
        last = line is lines[-1]
        piece = _piece(line, start, cut and last, values)
        place = text.rindex(line) if last else text.index(line)
        if piece is None or re.search(r"\w", line[start + len(piece.written) :]):
            continue
        if piece.trouble != "not_an_answer" or " " not in piece.written.strip():
            pieces.append(piece.moved(place))
    return pieces
