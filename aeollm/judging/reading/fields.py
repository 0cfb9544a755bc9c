"""What a reply is asked for: named fields, and the names judges write them by."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

_ASIDE = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_OTHER = re.compile(r"[^\w]|_")
_SCORE = r"(?:scores?|ratings?|marks?|points?|评分|得分|分数|打分)"
_SCORE_AT_END = re.compile(rf"(?<=.){_SCORE}\Z")
_MOST_LABEL = 200
_CHINESE = {
    "comprehensiveness": ("全面性", "完整性", "全面程度"),
    "insight": ("洞察力", "洞察", "洞见", "洞见性", "洞察性", "深刻性"),
    "instruction_following": ("指令遵循", "指令遵循度", "指令遵从", "遵循指令", "指令跟随", "指令依从"),
    "readability": ("可读性", "易读性"),
}


@dataclass(frozen=True)
class Field:
    """One value wanted: the name it is given back under, and how else it may be written.

    ``further`` are labels that may mean something else, too: they count where nothing else is found.
    """

    name: str
    spellings: tuple[str, ...] = ()
    further: tuple[str, ...] = ()

    @cached_property
    def folded(self) -> frozenset[str]:
        """Give all spellings as `fold` writes them."""
        return frozenset(fold(spelling) for spelling in (self.name, *self.spellings)) - {""}

    @cached_property
    def _names(self) -> str:
        spellings = sorted({self.name, *self.spellings}, key=len, reverse=True)
        return "|".join(_loose(spelling) for spelling in spellings if len(spelling) <= _MOST_LABEL)

    @cached_property
    def bracketed(self) -> re.Pattern[str]:
        """Match a spelling with the bracket that may hold its value, as in ``Insight (7/10): deep``."""
        label = rf"(?<![a-z0-9])(?:{self._names})(?:[\s_]{{0,4}}{_SCORE})?[ \t*_`]{{0,12}}"
        return re.compile(rf"(?i){label}[(\[]\s*([0-9.]+\s*/[^()\[\]\n]{{1,20}})[)\]]")

    @cached_property
    def label(self) -> re.Pattern[str]:
        """Match a spelling as the label of a line, with the separator and what may stand between."""
        # Bounded: what follows each other may match the same marks, of which a broken judge writes thousands.
        markup = r"[ \t*_`\"'”’\])}」】]{0,12}"
        aside = r"(?:\([^()\n]{0,60}\)|\[[^\[\]\n]{0,60}\])?"
        separator = r"(?:[:=|→]{1,6}|[-–—]{1,6}>?(?=\s)|(?:\bis\b|[为是])\s{0,4}:?)"
        opening = r"[\s*_`\"'“‘\[($]{0,20}(?:<(?=[0-9.]+>))?(?:\\boxed\{)?"
        gap = r"[\s*_`]{0,12}"
        heading = rf":?{gap}\n[\s*#>•-]{{0,20}}(?:{_SCORE}){gap}{aside}{gap}[:=]"
        pattern = (
            rf"(?:{self._names})(?:[\s_]{{0,4}}{_SCORE})?{markup}{aside}{markup}(?:{heading}|{separator}){opening}"
        )
        tag = rf"<\s{{0,4}}(?:{self._names})(?:[\s_]{{0,4}}{_SCORE})?\s{{0,4}}>{opening}"
        return re.compile(rf"(?i)(?<![a-z0-9])(?:{pattern}|{tag})")

    @cached_property
    def heading(self) -> re.Pattern[str]:
        """Match a spelling alone on a line, as the heading of what is said about it."""
        mark, aside = r"[ \t*_:]{0,9}", r"(?:\([^()\n]{0,60}\))?"
        start = r"^[ \t#*_>•-]{0,20}(?:[0-9]{1,3}[.)][ \t*_]{0,9})?"
        return re.compile(rf"(?im){start}(?:{self._names}){mark}{aside}{mark}$")

    @cached_property
    def named(self) -> re.Pattern[str]:
        """Match a spelling, or a further label, wherever it stands."""
        further = "".join(f"|{_loose(label)}" for label in self.further)
        return re.compile(rf"(?i)(?<![a-z0-9])(?:{self._names}{further})(?![a-z0-9])(?:[\s_]{{0,4}}{_SCORE})?")

    @cached_property
    def mentioned(self) -> re.Pattern[str]:
        """Match a spelling that a number may follow without any separator."""
        return re.compile(rf"(?i)(?<![a-z0-9])(?:{self._names})(?:[\s_]*{_SCORE})?[ \t*_:=]{{1,8}}(?=[0-9])")


def _loose(spelling: str) -> str:
    """Let blanks, underscores and hyphens stand for each other."""
    plain = unicodedata.normalize("NFKC", spelling)
    return r"[\s_-]*".join(re.escape(part) for part in re.split(r"[\s_-]+", plain) if part)


@lru_cache(1024)
def fold(text: str) -> str:
    """Fold a key to letters and digits, without asides and a trailing word for score.

    >>> fold("Instruction-Following Score (0-10)"), fold("可读性评分"), fold("score")
    ('instructionfollowing', '可读性', 'score')
    """
    plain = _ASIDE.sub("", unicodedata.normalize("NFKC", text)).casefold()
    return _SCORE_AT_END.sub("", _OTHER.sub("", plain))


def dimension_fields(dimensions: Iterable[str]) -> tuple[Field, ...]:
    """Give a field a dimension, with the Chinese names of the AEOLLM four."""
    return tuple(Field(name, _CHINESE.get(name, ())) for name in dimensions)


def criterion_fields(names: Sequence[str], texts: Sequence[str]) -> tuple[Field, ...]:
    """Give a field a criterion: its short name in the prompt (``C1``), and its text where a judge repeats that."""
    return tuple(Field(name, (text,)) for name, text in zip(names, texts, strict=True))


SCORE = Field(
    "score",
    ("final score", "overall score", "total score", "rating", "评分", "得分", "分数", "最终得分", "总分", "打分"),
    ("overall", "final", "final answer", "final verdict", "verdict", "grade", "mark", "给分", "总评", "评分结果"),
)
"""The field of a prompt that asks for one score only."""
WINNER = Field(
    "winner",
    ("better", "preferred", "preference", "verdict", "choice", "胜者", "更好", "结论", "选择"),
    ("final verdict", "final answer", "answer", "result", "final", "better report", "better answer"),
)
ANSWER = Field(
    "answer", ("option", "choice", "selected option", "final answer", "rating", "score", "答案", "选项", "选择", "评分")
)
