"""Second thoughts: a verdict that the judge takes back further on is not taken, and the new one is not guessed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice

from aeollm.judging.reading.fields import Field
from aeollm.judging.reading.pieces import Piece, V, Values

_AGAIN = re.compile(
    r"(?i)\b(?:second\s+thoughts?|(?:up)?on\s+(?:(?:further|closer|more|careful|second)\s+)*"
    r"(?:reflection|consideration|inspection|review|reading|look)"
    r"|(?:thinking|looking|reading)\s+(?:(?:about|at)\s+it\s+)?(?:again|more|twice|closer|it\s+over|it\s+through)"
    r"|actually|in\s+fact|wait|hold\s+on|hm+|nope|no(?=\s*[,;:!–—-]|\s+(?:wait|make|actually|rather)\b)"
    r"|(?:edit|update|amendment|revision|erratum)(?=\s*:)|(?:chang|lower|rais)ed\s+to|take\s+(?:it|that)\s+back"
    r"|correction|to\s+correct|i\s+now|scratch\s+that|strike\s+that|never\s?mind|(?:ignore|disregard)\s+(?:that|this|the\s+above)"
    r"|my\s+(?:mistake|bad|error)|oops|whoops|sorry|apologies|i\s+(?:meant?|misspoke)|rather|make\s+(?:it|that)"
    r"|chang(?:e|ed|ing)\s+my\s+mind|let\s+me\s+(?:re\w+|correct|change|adjust|raise|lower)"
    r"|re-?(?:consider|think|assess|evaluat|read|check)\w*|(?:revis|correct|adjust|amend|updat)ed"
    r"|i(?:\s+(?:would|will|have|must|should|now)|\s+am|[’'](?:d|ll|m|ve))?\s+(?:(?:now|rather|then)\s+)?"
    r"(?:rais|lower|chang|revis|adjust|correct|reduc|increas|amend|upgrad|downgrad)(?:e|ed|ing)?"
    r"|(?:it|that|this|score|rating|grade|mark|winner|verdict|answer)\s+(?:(?:really|rather)\s+)?"
    r"(?:should|ought\s+to)\s+(?:(?:really|rather)\s+)?(?:be|have\s+been))\b"
    r"|不对|不(?:是)?(?=[，,：:；;])|不不|等等|等一下|等下|且慢|慢着|[更纠修改订]正|勘误|收回|或者说|[修更]改(?=[：:为成])|重新|再(?:想|考虑|思考|看|三)|想了想|细想|仔细"
    r"|转念|反思|三思|其实|实际上|事实上|[准确][确切][地来]?说|应(?:该|当)?(?:改|调|更)?(?:为|成|是)|改[为成到给判打]"
    r"|[调降][整低]?[为至到成]|[上下]调|抱歉|口误|笔误|说错|写错|还是|改主意"
)
_FINAL = re.compile(r"(?i)\bfinal(?:ly)?\b|最终|最后")
"""Words that call a value the last one; what has no name behind them may be a sum of the others."""
_FILLER = re.compile(
    r"(?i)[\s,.:;…!?–—=→\"'“”‘’*_`$(\[{<（【「，。：；！？、-]|\\boxed"
    r"|\b(?:(?:this|that|the|another)\s+one|i|d|ll|m|ve|s|it|that|this|the|an?|my|me|is|be|been|am|was|to|as|at|of|for|by"
    r"|on|up|down|with|have|has|would|will|should|could|must|now|then|so|just|only|rather|more|much|like|closer|nearer"
    r"|really|probably|likely|think|believe|feel|find|sa(?:y|id)|giv(?:e|ing)|gave|rat(?:e|ed|ing)|scor(?:e|ed|ing)"
    r"|grade|mark|award|assign|mak(?:e|ing)|go(?:ing)?|put|set|chang(?:e|ed|ing)|lower(?:ed|ing)?|rais(?:e|ed|ing)"
    r"|revis(?:e|ed|ing)|adjust(?:ed|ing)?|correct(?:ed|ing)?|updat(?:e|ed|ing)|reduced?|increased?|drop|bump|settle"
    r"|lean(?:ing)?|towards?|take|choos(?:e|ing)|pick|prefer|favou?r|winner|verdict|answer|option|choice|result"
    r"|report|response|final|deserves?|gets?|worth|fair(?:er)?|value|let|better|even|actually|wait|no|sorry|second|third"
    r"|thoughts?|reflection|mind|myself|back|or|maybe|perhaps|possibly|instead)\b"
    r"|[我认为觉得想应该当给打改成是到至判评定它其的个只能更合适理准确说后分数总选这那份篇本报告答案结论胜者调整降低了哦]"
)
_TRAILED = re.compile(
    r"(?i)[0-9][0-9./]*(?=\s+(?:is|would\s+be|seems|feels)\s+(?:(?:more|a|the|much)\s+)*"
    r"(?:fair(?:er)?|right|better|appropriate|justified|accurate|correct)\b)"
    r"|[\w./*\[\]]{1,20}(?=\s+(?:actually|instead|then|after\s+all)\s*(?:[.,;!?\n]|\Z))"
)
"""``8 is fairer``, ``B instead``: what a value's place alone would not read as one."""
_MOST_WORDS, _MOST_FILLERS = 100, 40
_MOST_LOOKED_BACK = 2_000
_REACH = 200
"""Characters behind a word of revision in which a field's name, or a sentence that gives a value, is looked for."""
_TROUBLES = {"range", "other_scale"}
_LINE_BEGINS = re.compile(r"\n[\s*_`\"'“‘$(\[>#]{0,12}(?:\\boxed\{)?")
_LINE_ENDS = re.compile(r"[^\w\n]*(?:\n|\Z)")
_SENTENCE_ENDS = re.compile(r"\s*(?:[.,;!?)\]。，；！？）\n]|\Z)")

Pieces = Mapping[str, Sequence[Piece[V]]]


def taken_back(text: str, pieces: Pieces[V], fields: Sequence[Field], values: Values[V]) -> tuple[str, str] | None:
    """Give the first field whose verdict words of revision follow with another value, and both as they were written.

    Words of revision alone take nothing back, nor does what stands before the verdict: a value must follow them in
    the form of a verdict: directly, behind the field's name, in a sentence that gives it, or alone on a line.
    """
    taken = {name: max(own, key=lambda piece: piece.end) for name, own in pieces.items()}
    first = min(piece.end for piece in taken.values())
    for words, named_only in ((_AGAIN, False), (_FINAL, True)):
        for word in islice(words.finditer(text, first), _MOST_WORDS):
            given = {name: piece for name, piece in taken.items() if piece.end <= word.start()}
            named = _named(text, word, fields, values)
            unnamed = () if named_only else _unnamed(text, word, given, fields, values)
            for name, piece in chain(named, unnamed):
                if name in given and piece.value != given[name].value:
                    return name, f"{given[name].written}, {piece.written}"
    return None


def _named(
    text: str, word: re.Match[str], fields: Sequence[Field], values: Values[V]
) -> Iterator[tuple[str, Piece[V]]]:
    for field in fields:
        for mention in field.named.finditer(text, word.start(), word.end() + _REACH):
            piece = _behind(text, mention.end(), values)
            if piece is not None:
                yield field.name, piece


def _unnamed(
    text: str, word: re.Match[str], given: Mapping[str, Piece[V]], fields: Sequence[Field], values: Values[V]
) -> Iterator[tuple[str, Piece[V]]]:
    """Give what is said without a name: of the field named or judged last, or of all that an object judges."""
    last = max(piece.end for piece in given.values())
    about = [name for name, piece in given.items() if piece.end == last]
    stop = word.end() + _REACH
    if len(fields) > 1:
        nearest = max(last, word.start() - _MOST_LOOKED_BACK)
        before = [
            (name.end(), field.name) for field in fields for name in field.named.finditer(text, nearest, word.start())
        ]
        about = [max(before)[1]] if before else about
        after = (field.named.search(text, word.end(), stop) for field in fields)
        stop = min([stop, *(name.start() for name in after if name is not None)])
    for piece in _said(text, word.end(), stop, values):
        yield from ((name, piece) for name in about)


def _said(text: str, start: int, stop: int, values: Values[V]) -> Iterator[Piece[V]]:
    piece = _behind(text, start, values)
    if piece is not None:
        yield piece
    yield from (piece for piece in values.said(text[start:stop]) if piece.trouble is None)
    for line in _LINE_BEGINS.finditer(text, start, stop):
        piece = values.at(text, line.end())
        if piece is not None and _is_verdict(text, line.start(), line.end(), piece):
            yield piece


def _behind(text: str, start: int, values: Values[V]) -> Piece[V] | None:
    """Read a value that only words such as "make it", marks or line ends part from a place."""
    begin = start
    for _ in range(_MOST_FILLERS):
        trailed = _TRAILED.match(text, start)
        piece = values.at(trailed[0], 0) if trailed else values.at(text, start)
        if piece is not None and _is_verdict(text, begin, start, piece.moved(start if trailed else 0)):
            return piece
        filler = _FILLER.match(text, start)
        if filler is None:
            return None
        start = filler.end()
    return None


def _is_verdict(text: str, begin: int, start: int, piece: Piece[V]) -> bool:
    if piece.trouble is not None and not (piece.trouble in _TROUBLES and _SENTENCE_ENDS.match(text, piece.end)):
        return False
    # On another line it must be all there is: ``2. Readability`` is an item of a list.
    return "\n" not in text[begin:start] or _LINE_ENDS.match(text, piece.end) is not None
