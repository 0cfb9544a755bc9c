"""Structure of a report, counted from Markdown or plain text, in English and Chinese."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field, fields
from itertools import pairwise

from aeollm.tables import Features, Key

_CHINESE = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_ONE_WORD_EACH = _CHINESE + "\u3040-\u30ff"
_OPENING, _CLOSING = "\\[\uff3b【", "\\]\uff3d】"

# Patterns meet lines without blanks around them, and repeat nothing without bound next to its like, so that no text
# takes more than linear time.
_FENCE = re.compile(r"(`{3,}|~{3,})\s*([\w-]*)")
_MARKED = re.compile(r"(#{1,6})(?:\s|$)")
_UNDERLINE = re.compile(r"(?:=+|-{2,})$")
_RULE = re.compile(r"([-*_])(?:\s*\1){2,}$")
_BOLD = re.compile(r"(?:\*\*|__)([^*_]{1,80})(?:\*\*|__)[:：]?$")
_NUMBERED = re.compile(r"(\d{1,2}(?:\.\d{1,2}){1,4})\.?\s")
_CHAPTER = re.compile(r"第[一二三四五六七八九十百\d]{1,4}([章节部篇])")
_COUNTED = re.compile(r"[一二三四五六七八九十]{1,3}、\s?\S|[（(][一二三四五六七八九十]{1,3}[）)]")
_ITEM = re.compile(
    r"[-*+•·●▪‣◦]\s|(?:\d{1,3}[.)]|[a-z][.)]|[A-Z]\))\s|\d{1,3}[、\uff0e](?=\S)|[①-⑳❶-❿]"
    r"|[（(]\d{1,3}[）)]|[一二三四五六七八九十]{1,3}、(?=\S)"
)
_QUOTE = re.compile(r"^>+\s?")
_DASHES = re.compile(r":?-+:?")
_DEFINITION = re.compile(r"\[[^\]]{1,100}\]:")
_REFERENCE = re.compile(rf"[{_OPENING}]\d{{1,3}}[{_CLOSING}](?!\()\s?\S")
_TARGET = re.compile(
    r"!?\[([^\[\]]{0,500})\]\([^()\s]{0,2000}(?:\([^()\s]{0,500}\)[^()\s]{0,500})?(?:\s\"[^\"]{0,300}\")?\)"
)
_TARGET_BY_NAME = re.compile(r"(?<!!)\[[^\[\]]{1,500}\]\[[^\[\]]{1,100}\]")
_ADDRESS = re.compile(r"(?:https?://|www\.)[^\s<>\[\]()（），。；、\"'”’]+", re.IGNORECASE)
_MARK = re.compile(
    r"\[\^[^\]\s]{1,30}\](?!:)"
    rf"|[{_OPENING}]\s?\d{{1,3}}(?:\s?[,，;；、–-]\s?\d{{1,3}})*(?:[†:：][^{_CLOSING}]{{0,40}})?\s?[{_CLOSING}]"
    r"|[（(][^（）()\d]{2,80}[,，]\s?(?:19|20)\d\d[a-z]?(?:\s?[;；][^（）()]{2,200})?[）)]"
)
_WORD = re.compile(rf"[{_ONE_WORD_EACH}]|[^\W_{_ONE_WORD_EACH}]+(?:['’.-][^\W_{_ONE_WORD_EACH}]+)*")
_CHINESE_LETTER = re.compile(f"[{_CHINESE}]")
_SENTENCE_END = re.compile(r"[.!?]{1,9}(?=[\s\"'”’)\]]|$)|[。！？；…]{1,9}")
_NO_HEADING_END = tuple(".!?。！？；;,，")

_SHORT = 80
_CHAPTER_LEVELS = {"部": 1, "篇": 1, "章": 1, "节": 2}
_BOLD_LEVEL, _COUNTED_LEVEL = 7, 8
_LEAST_TABBED = 2
_PHRASE, _CHINESE_PHRASE, _MOSTLY = 5, 8, 0.5


@dataclass(frozen=True, slots=True)
class Structure:
    """What is counted in a report.

    Attributes
    ----------
    words : of letters and digits, every Chinese character being one; addresses and Markdown's marks are none.
    sentences : of paragraphs and list items, where each ends at the latest.
    paragraphs : of running text; a paragraph ends at a blank line, a heading, a list or a table.
    headings : lines marked by ``#`` or underlined, wholly bold lines, ``1.2 …``, ``第一章 …``, ``一、…``.
    heading_levels : how many different kinds of these there are.
    list_items : lines that begin with a bullet or a number, also ``1. …``.
    tables, table_rows : of Markdown, or at least three lines with tabs; headers are no rows.
    citations : marks such as ``[3]``, ``[1, 2]``, ``[^a]``, ``【4】``, ``(Name, 2020)``; the entries of a list of
        references, which begin with their mark, are none.
    links : of Markdown, and bare addresses; pictures are none.
    chinese_share : of the letters; nan without letters.
    repeated_phrases : share of runs of words (5, or 8 in mostly Chinese text) that stood before in the text.
    repeated_sentences : share of sentences that stood before.
    """

    words: float
    sentences: float
    paragraphs: float
    headings: float
    heading_levels: float
    list_items: float
    tables: float
    table_rows: float
    citations: float
    links: float
    chinese_share: float
    repeated_phrases: float
    repeated_sentences: float


FEATURES: tuple[str, ...] = tuple(one.name for one in fields(Structure))
SHARES = ("chinese_share", "repeated_phrases", "repeated_sentences")
"""The features that are shares; all others are counts."""


def structure_of(text: str) -> Structure:
    r"""Count the structure of a report.

    Code between fences counts as words and nothing else; a fence of Markdown around the report is no code. Any text
    has a structure; an empty one has none of anything.

    Examples
    --------
    >>> found = structure_of("# Wind\n\nIt blows [1]. It turns.\n\n- one\n- two\n")
    >>> found.headings, found.list_items, found.citations, found.sentences
    (1, 2, 1, 4)
    """
    lines = _Lines()
    lines.read(list(_outside_fences(text.splitlines())))
    plain = _without_targets(text)
    words = [word.casefold() for word in _WORD.findall(plain)]
    letters = sum(map(str.isalpha, plain))
    share = len(_CHINESE_LETTER.findall(plain)) / letters if letters else float("nan")
    phrase = _CHINESE_PHRASE if share >= _MOSTLY else _PHRASE
    sentences = [sentence for block in lines.blocks for sentence in _sentences(block)]
    citing = "\n".join(lines.citing)
    return Structure(
        words=len(words),
        sentences=len(sentences),
        paragraphs=lines.paragraphs,
        headings=len(lines.levels),
        heading_levels=len(set(lines.levels)),
        list_items=lines.items,
        tables=lines.tables,
        table_rows=lines.rows,
        # A number that is itself a link is a citation too, so that only its address is taken out.
        citations=len(_MARK.findall(_TARGET.sub(r"[\1] ", citing))),
        links=_links(citing),
        chinese_share=share,
        repeated_phrases=_repeated([tuple(words[at : at + phrase]) for at in range(len(words) - phrase + 1)]),
        repeated_sentences=_repeated(sentences),
    )


def feature_row(text: str) -> tuple[float, ...]:
    """Give a report's structure in the order of `FEATURES`."""
    return astuple(structure_of(text))


def features_of_texts(texts: Mapping[Key, str]) -> Features:
    """Count the structure of many reports."""
    return Features(FEATURES, {key: feature_row(text) for key, text in texts.items()})


@dataclass(slots=True)
class _Lines:
    """What is found line by line; ``blocks`` are paragraphs and items, ``citing`` is where marks may stand."""

    levels: list[int] = field(default_factory=list)
    items: int = 0
    tables: int = 0
    rows: int = 0
    paragraphs: int = 0
    blocks: list[str] = field(default_factory=list)
    citing: list[str] = field(default_factory=list)
    going_on: bool = False

    def read(self, lines: Sequence[str]) -> None:
        """Sort lines into headings, items, tables and running text."""
        place = 0
        while place < len(lines):
            line = _QUOTE.sub("", lines[place].strip()).strip()
            rows = _table_length(lines, place)
            if not line or _RULE.match(line):
                self.going_on = False
            elif rows:
                self._add_table(lines[place : place + rows])
            elif self._underlined(line, lines[place + 1 : place + 2]):
                self._add_heading(1 if lines[place + 1].strip().startswith("=") else 2, line)
                place += 1
            else:
                self._add_line(line)
            place += rows or 1

    def _underlined(self, line: str, ahead: Sequence[str]) -> bool:
        own = not self.going_on and not _ITEM.match(line) and _level(line) is None
        return own and bool(ahead) and bool(_UNDERLINE.match(ahead[0].strip()))

    def _add_table(self, lines: Sequence[str]) -> None:
        self.tables += 1
        self.rows += len(lines) - (2 if _delimits(lines[1]) else 1)
        self.citing += lines
        self.going_on = False

    def _add_heading(self, level: int, line: str) -> None:
        self.levels.append(level)
        self.citing.append(line)
        self.going_on = False

    def _add_line(self, line: str) -> None:
        level = _level(line)
        if level is not None:
            self._add_heading(level, line)
        elif _DEFINITION.match(line):
            self.going_on = False
        elif _REFERENCE.match(line) and not self.going_on:
            # An entry of a list of references: its own mark cites nothing, its address is a link.
            self.citing.append(_REFERENCE.sub("", line, count=1))
        else:
            self.citing.append(line)
            marker = _ITEM.match(line)
            self._add_running(line[marker.end() :] if marker else line, item=marker is not None)

    def _add_running(self, line: str, *, item: bool) -> None:
        self.items += item
        if item or not self.going_on:
            self.paragraphs += not item
            self.blocks.append(line)
        else:
            self.blocks[-1] += f"\n{line}"
        self.going_on = True


def _outside_fences(lines: Sequence[str]) -> Iterator[str]:
    """Leave out code between fences, but not a report that is itself fenced as Markdown."""
    fence, wrapped = "", ""
    for line in lines:
        found = _FENCE.match(line.strip())
        closing = found is not None and not found[2]
        if fence:
            fence = "" if found and closing and found[1].startswith(fence) else fence
        elif found is None:
            yield line
        elif wrapped and closing and found[1].startswith(wrapped):
            wrapped = ""
        elif found[2].casefold() in ("markdown", "md") and not wrapped:
            wrapped = found[1]
        else:
            fence = found[1]
            yield ""


def _level(line: str) -> int | None:
    """Give a heading's level; None for other lines."""
    marked = _MARKED.match(line)
    if marked is not None:
        return len(marked[1])
    bold = _BOLD.match(line)
    if len(line) > _SHORT or (bold[1] if bold else line).rstrip().endswith(_NO_HEADING_END):
        return None
    numbered, chapter = _NUMBERED.match(line), _CHAPTER.match(line)
    if numbered is not None:
        return numbered[1].count(".") + 1
    if chapter is not None:
        return _CHAPTER_LEVELS[chapter[1]]
    if bold is not None:
        return _BOLD_LEVEL
    return _COUNTED_LEVEL + line.startswith(("（", "(")) if _COUNTED.match(line) else None


def _delimits(line: str) -> bool:
    """Say whether a line is the one of dashes below the header of a Markdown table."""
    return "|" in line and all(_DASHES.fullmatch(cell.strip()) for cell in line.strip().strip("|").split("|"))


def _table_length(lines: Sequence[str], place: int) -> int:
    """Count the lines of a table that begins here; 0 where none does."""
    end = place
    if "|" in lines[place] and place + 1 < len(lines) and _delimits(lines[place + 1]):
        while end < len(lines) and "|" in lines[end]:
            end += 1
        return end - place
    while end < len(lines) and sum(bool(cell.strip()) for cell in lines[end].split("\t")) >= _LEAST_TABBED:
        end += 1
    return end - place if end - place > _LEAST_TABBED else 0


def _without_targets(text: str) -> str:
    """Leave what a reader reads: the words of links without their addresses."""
    return _ADDRESS.sub(" ", _TARGET.sub(r"\1", text))


def _links(text: str) -> int:
    rest, targets = _TARGET.subn(" ", text)
    pictures = sum(found[0].startswith("!") for found in _TARGET.finditer(text))
    return targets - pictures + len(_TARGET_BY_NAME.findall(rest)) + len(_ADDRESS.findall(rest))


def _sentences(block: str) -> Iterator[str]:
    """Give the sentences of a paragraph or item as their words alone, to be compared."""
    text = _without_targets(block)
    ends = [0, *(found.end() for found in _SENTENCE_END.finditer(text)), len(text)]
    for start, end in pairwise(ends):
        words = " ".join(_WORD.findall(text[start:end]))
        if words:
            yield words.casefold()


def _repeated(parts: Sequence[object]) -> float:
    return 1 - len(set(parts)) / len(parts) if parts else 0.0
