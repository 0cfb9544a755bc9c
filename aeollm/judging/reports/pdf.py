"""PDF to Markdown: headings told by their size, lists by their marks, ruled tables, links."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Any

from aeollm.judging.reports.characters import ordinary
from aeollm.judging.reports.decoding import Unusable, picture_only

if TYPE_CHECKING:
    from pdfplumber.page import Page

_MOST_PAGES = 500
_HEADING = 1.15
_LONGEST_HEADING = 150
_DEEPEST_HEADING = 4
_SAME_LINE = 0.5
# Shares of the letters' size: what a line may stand lower than the usual one of its paragraph, how low it may stand in
# any case and at most, and how far its beginning may be indented.
_LOWER, _LOW, _LOWEST, _INDENT = 0.3, 1.9, 2.3, 0.8
_FULL, _BLANK = 0.8, 0.12
# A bullet that a font has no character for comes as its number, or from where symbol fonts have theirs.
_BULLET = re.compile(r"^(?:(?:[•·●○▪◦‣■□\uf000-\uf0ff]|\(cid:\d+\))\s*|[–*-]\s+)(?=\S)")
_NUMBER = re.compile(r"^\d{1,3}[.)、]\s")
# A bullet that is drawn: its least and greatest size, and how far before the text it may stand.
_SENTENCE_ENDS = re.compile(r"[.!?。！？：:][\"'”’)）」』]*\Z")
_LEAST_DOT, _LARGEST_DOT, _BEFORE_TEXT = 0.15, 0.7, 3.5
_NUMBERS = re.compile(r"\d+")
_NAMELESS = re.compile(r"\(cid:\d+\)")
_WIDE = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uff60]")
_WIDE_MARK = re.compile(r"[\u3001-\u301f\uff01-\uff0f\uff1a-\uff1f]")

Word = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a page: its text as Markdown, the size of its letters, and where it stands.

    Places are points from the page's top and left; ``opening`` is the width of its first word, ``margin`` where the
    page's text ends.
    """

    text: str
    size: float
    letters: int
    left: float
    top: float
    right: float
    opening: float = 0
    table: bool = False
    page: int = 0
    margin: float = 0

    @property
    def item(self) -> bool:
        """Tell whether it begins an item of a list."""
        return bool(_BULLET.match(self.text) or _NUMBER.match(self.text))

    def no_room_for(self, line: Line) -> bool:
        """Tell whether another line's first word, or Chinese character with a mark, did not fit on this one."""
        return self.right + line.opening + line.size > self.margin


def markdown_of_pdf(content: bytes) -> str:
    """Convert a PDF document of one column; two columns are read across.

    Raises
    ------
    Unusable
        If it is damaged, protected, too long, or holds pictures only.
    """
    import pdfplumber  # noqa: PLC0415  not needed for text, and not installed with the app

    try:
        with pdfplumber.open(io.BytesIO(content)) as document:
            if len(document.pages) > _MOST_PAGES:
                raise Unusable("too_long", f"has more than {_MOST_PAGES} pages.", "Check that it is the report alone.")
            lines: list[Line] = []
            pictures = 0
            for number, page in enumerate(document.pages):
                own = list(_lines(page))
                margin = max((line.right for line in own), default=0.0)
                lines += [replace(line, page=number, margin=margin) for line in own]
                pictures += len(page.images)
                page.close()
    except Unusable:
        raise
    except Exception as error:  # noqa: BLE001  whatever a damaged document makes the library raise
        if "password" in f"{error!r} {error.__context__!r}".lower():
            raise Unusable("password", "is protected by a password.", "Save it without one.") from None
        raise Unusable("damaged", f"is a damaged PDF document ({type(error).__name__}).", "Save it anew.") from None
    if pictures and not lines:
        raise picture_only()
    return ordinary(_written(lines))


def _lines(page: Page) -> Iterator[Line]:
    """Give a page's lines and tables from top to bottom."""
    tables = page.find_tables()
    boxes = [table.bbox for table in tables]
    found = page.extract_words(extra_attrs=["size"], x_tolerance_ratio=_BLANK)
    words = [word for word in found if not _inside(word, boxes)]
    links = [link for link in page.hyperlinks if link.get("uri")]
    shapes = [*page.curves, *page.rects]
    lines = [_line(row, links, shapes) for row in _rows(words)]
    lines += [
        Line(_table(table.extract(x_tolerance_ratio=_BLANK)), 0, 0, *table.bbox[:3], table=True) for table in tables
    ]
    yield from sorted(lines, key=lambda line: line.top)


def _inside(word: Word, boxes: Iterable[tuple[float, float, float, float]]) -> bool:
    x, y = (word["x0"] + word["x1"]) / 2, (word["top"] + word["bottom"]) / 2
    return any(left <= x <= right and top <= y <= bottom for left, top, right, bottom in boxes)


def _rows(words: Iterable[Word]) -> list[list[Word]]:
    rows: list[list[Word]] = []
    for word in sorted(words, key=lambda word: (word["bottom"], word["x0"])):
        if rows and abs(word["bottom"] - rows[-1][0]["bottom"]) < _SAME_LINE * (word["bottom"] - word["top"]):
            rows[-1].append(word)
        else:
            rows.append([word])
    return [sorted(row, key=lambda word: word["x0"]) for row in rows]


def _line(row: Sequence[Word], links: Sequence[Word], shapes: Iterable[Word]) -> Line:
    parts: list[tuple[str | None, str, bool]] = []
    end = row[0]["x0"]
    for word in row:
        uri = next((link["uri"] for link in links if _inside(word, [_box(link)])), None)
        apart, end = word["x0"] - end > _BLANK * word["size"], word["x1"]
        if parts and parts[-1][0] == uri:
            parts[-1] = (uri, _joined(parts[-1][1], word["text"], apart=apart), parts[-1][2])
        else:
            parts.append((uri, word["text"], apart))
    text = ""
    for uri, words, apart in parts:
        text = _joined(text, f"[{words}]({uri})" if uri else words, apart=apart)
    sizes = Counter[float]()
    for word in row:
        sizes[round(word["size"] * 2) / 2] += len(_NAMELESS.sub("•", word["text"]))
    size, left, top = sizes.most_common(1)[0][0], row[0]["x0"], min(word["top"] for word in row)
    if any(_is_dot(shape, size) and _stands_before(shape, left, top, size) for shape in shapes):
        text = f"• {text}"
    opening = size if _WIDE.match(text) else row[0]["x1"] - left
    return Line(text, size, sum(sizes.values()), left, top, row[-1]["x1"], opening)


def _is_dot(shape: Word, size: float) -> bool:
    return all(_LEAST_DOT * size <= shape[side] <= _LARGEST_DOT * size for side in ("width", "height"))


def _stands_before(shape: Word, left: float, top: float, size: float) -> bool:
    middle, room = (shape["top"] + shape["bottom"]) / 2, left - shape["x1"]
    return bool(top <= middle <= top + 1.5 * size and 0 <= room <= _BEFORE_TEXT * size)


def _box(link: Word) -> tuple[float, float, float, float]:
    return link["x0"], link["top"], link["x1"], link["bottom"]


def _joined(before: str, after: str, *, apart: bool = True) -> str:
    """Join what stands apart with a blank, but not Chinese characters, nor a Chinese mark with anything."""
    if not before or not apart or (_WIDE.match(before[-1]) and _WIDE.match(after[0])):
        return before + after
    if _WIDE_MARK.match(before[-1]) or _WIDE_MARK.match(after[0]):
        return before + after
    return f"{before} {after}"


def _table(rows: Sequence[Sequence[str | None]]) -> str:
    cells = [[" ".join((cell or "").split()).replace("|", "\\|") for cell in row] for row in rows]
    lines = ["| " + " | ".join(row) + " |" for row in cells]
    return "\n".join([*lines[:1], "|" + " --- |" * len(cells[0]), *lines[1:]]) if cells else ""


def _written(lines: Sequence[Line]) -> str:
    body = _body(lines)
    lines = _without_running(lines, body)
    larger = sorted({line.size for line in lines if line.size >= _HEADING * body}, reverse=True)
    steps = _usual_steps(lines)
    blocks: list[str] = []
    first: Line | None = None
    before: Line | None = None
    for line in lines:
        level = min(larger.index(line.size) + 1, _DEEPEST_HEADING) if line.size in larger else 0
        heading = level if not line.table and len(line.text) <= _LONGEST_HEADING else 0
        # A heading is never full, and ends with its page.
        if (
            first is not None
            and before is not None
            and _follows(before, line, steps)
            and (before.page == line.page if heading else _goes_on(first, before, line))
        ):
            blocks[-1] = _joined(blocks[-1], line.text)
        else:
            mark = "#" * heading + " " if heading else ""
            blocks.append(mark + (line.text if line.table or heading else _BULLET.sub("- ", line.text, count=1)))
            first = line
        before = line
    return _spaced(blocks)


def _body(lines: Sequence[Line]) -> float:
    """Give the size of most letters."""
    sizes = Counter[float]()
    for line in lines:
        sizes[line.size] += line.letters
    return sizes.most_common(1)[0][0] if sizes else 0.0


def _without_running(lines: Sequence[Line], body: float) -> list[Line]:
    """Leave out what stands, but for its number, at the head or foot of half of the pages: it parts paragraphs."""
    pages = [list(own) for _, own in groupby(lines, key=lambda line: line.page)]
    edges = [_edges(page, body) for page in pages]
    seen = Counter(_running(line) for page in edges for line in page)
    dropped = {place for place, count in seen.items() if count > 1 and 2 * count >= len(pages) - 1}
    return [
        line
        for page, own in zip(pages, edges, strict=True)
        for line in page
        if line not in own or _running(line) not in dropped
    ]


def _edges(page: Sequence[Line], body: float) -> set[Line]:
    """Give a page's first and last line where they are smaller than the text, or set apart from it."""
    pairs = ((page[0], page[1]), (page[-1], page[-2])) if len(page) > 1 else ()
    return {
        edge
        for edge, inner in pairs
        if edge.size < body or (edge.size == body and abs(edge.top - inner.top) > _LOWEST * edge.size)
    }


def _running(line: Line) -> tuple[str, int]:
    return _NUMBERS.sub("", line.text), round(line.top)


def _usual_steps(lines: Sequence[Line]) -> Mapping[bool, float]:
    """Give how low a line of a paragraph stands below the one before, in sizes, by whether they hold Chinese.

    It is the lesser one of all steps; the two differ, since fonts do.
    """
    steps: Mapping[bool, list[float]] = {False: [], True: []}
    for before, line in pairwise(lines):
        if before.size == line.size and before.page == line.page and not (before.table or line.table):
            steps[_is_wide(before, line)].append((line.top - before.top) / line.size)
    return {wide: sorted(own)[len(own) // 4] if own else 0.0 for wide, own in steps.items()}


def _is_wide(before: Line, line: Line) -> bool:
    return bool(_WIDE.search(before.text) or _WIDE.search(line.text))


def _follows(before: Line, line: Line, steps: Mapping[bool, float]) -> bool:
    """Tell whether a line stands, and looks, as if it could be of the same paragraph, item or heading."""
    if before.table or line.table or before.size != line.size or line.item:
        return False
    if before.page != line.page:
        return before.no_room_for(line) or not _SENTENCE_ENDS.search(before.text)
    usual, step = steps[_is_wide(before, line)], (line.top - before.top) / line.size
    return step <= min(usual + _LOWER, _LOW) or (step <= min(usual + _LOWER, _LOWEST) and before.no_room_for(line))


def _goes_on(first: Line, before: Line, line: Line) -> bool:
    """Tell whether a line that follows continues the paragraph or item that begins with ``first``."""
    if line.left > before.left + _INDENT * line.size and not (before is first and first.item):
        return False
    return before.right >= _FULL * before.margin or before.no_room_for(line)


def _spaced(blocks: Iterable[str]) -> str:
    """Set blocks apart by an empty line, items of one list by none."""
    text = mark = ""
    for block in blocks:
        item = "-" if block.startswith("- ") else "1" if _NUMBER.match(block) else ""
        text += ("\n" if item and item == mark else "\n\n") * bool(text) + block
        mark = item
    return text
