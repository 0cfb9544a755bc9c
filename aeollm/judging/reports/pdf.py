"""PDF to Markdown: headings told by their size, lists by their marks, ruled tables, links."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from aeollm.judging.reports.decoding import Unusable, picture_only

if TYPE_CHECKING:
    from pdfplumber.page import Page

_MOST_PAGES = 500
_HEADING = 1.15
_LONGEST_HEADING = 150
_DEEPEST_HEADING = 4
_SAME_LINE = 0.5
_SAME_PARAGRAPH, _WIDER = 0.9, 0.3
_FULL = 0.8
# A bullet that a font has no character for comes as its number.
_BULLET = re.compile(r"^(?:[•·●○▪◦‣■□–*-]|\(cid:\d+\))\s*(?=\S)|^(?=\d{1,3}[.)、]\s)")
_NAMELESS = re.compile(r"\(cid:\d+\)")
_WIDE = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uff60]")

Word = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a page: its text as Markdown, the size of its letters, and where it stands.

    Places are points from the page's top and left.
    """

    text: str
    size: float
    letters: int
    top: float
    bottom: float
    right: float
    table: bool = False


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
            pages = []
            pictures = 0
            for page in document.pages:
                pages.append(list(_lines(page)))
                pictures += len(page.images)
                page.close()
    except Unusable:
        raise
    except Exception as error:  # noqa: BLE001  whatever a damaged document makes the library raise
        if "password" in f"{error!r} {error.__context__!r}".lower():
            raise Unusable("password", "is protected by a password.", "Save it without one.") from None
        raise Unusable("damaged", f"is a damaged PDF document ({type(error).__name__}).", "Save it anew.") from None
    if pictures and not any(pages):
        raise picture_only()
    return _written(pages)


def _lines(page: Page) -> Iterator[Line]:
    """Give a page's lines and tables from top to bottom."""
    tables = page.find_tables()
    boxes = [table.bbox for table in tables]
    words = [word for word in page.extract_words(extra_attrs=["size"]) if not _inside(word, boxes)]
    links = [link for link in page.hyperlinks if link.get("uri")]
    lines = [_line(row, links) for row in _rows(words)]
    lines += [Line(_table(table.extract()), 0, 0, *table.bbox[1::2], table.bbox[2], table=True) for table in tables]
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


def _line(row: Sequence[Word], links: Sequence[Word]) -> Line:
    parts: list[tuple[str | None, str]] = []
    for word in row:
        uri = next((link["uri"] for link in links if _inside(word, [_box(link)])), None)
        if parts and parts[-1][0] == uri:
            parts[-1] = (uri, _joined(parts[-1][1], word["text"]))
        else:
            parts.append((uri, word["text"]))
    text = ""
    for uri, words in parts:
        text = _joined(text, f"[{words}]({uri})" if uri else words)
    sizes = Counter[float]()
    for word in row:
        sizes[round(word["size"] * 2) / 2] += len(_NAMELESS.sub("•", word["text"]))
    top, bottom = min(word["top"] for word in row), max(word["bottom"] for word in row)
    return Line(text, sizes.most_common(1)[0][0], sum(sizes.values()), top, bottom, row[-1]["x1"])


def _box(link: Word) -> tuple[float, float, float, float]:
    return link["x0"], link["top"], link["x1"], link["bottom"]


def _joined(before: str, after: str) -> str:
    """Join with a blank, but not between Chinese characters."""
    if not before or (_WIDE.match(before[-1]) and _WIDE.match(after[0])):
        return before + after
    return f"{before} {after}"


def _table(rows: Sequence[Sequence[str | None]]) -> str:
    cells = [[" ".join((cell or "").split()).replace("|", "\\|") for cell in row] for row in rows]
    lines = ["| " + " | ".join(row) + " |" for row in cells]
    return "\n".join([*lines[:1], "|" + " --- |" * len(cells[0]), *lines[1:]]) if cells else ""


def _written(pages: Sequence[Sequence[Line]]) -> str:
    sizes = Counter[float]()
    for line in (line for page in pages for line in page):
        sizes[line.size] += line.letters
    body = sizes.most_common(1)[0][0] if sizes else 0.0
    larger = sorted((size for size in sizes if size >= _HEADING * body), reverse=True)
    gap = _usual_gap(pages)
    blocks: list[str] = []
    for page in pages:
        right = max((line.right for line in page), default=0.0)
        before: Line | None = None
        for line in page:
            level = min(larger.index(line.size) + 1, _DEEPEST_HEADING) if line.size in larger else 0
            heading = level if not line.table and len(line.text) <= _LONGEST_HEADING else 0
            full = before is not None and (bool(heading) or before.right >= _FULL * right)
            if before is not None and full and _goes_on(before, line, gap):
                blocks[-1] = _joined(blocks[-1], line.text)
            else:
                mark = "#" * heading + " " if heading else ""
                blocks.append(mark + (line.text if line.table or heading else _BULLET.sub("- ", line.text, count=1)))
            before = line
    return _spaced(blocks)


def _usual_gap(pages: Sequence[Sequence[Line]]) -> float:
    """Give the space between lines of a paragraph, as a share of their height: the lesser ones of all spaces."""
    pairs = [pair for page in pages for pair in pairwise(page)]
    gaps = sorted(_gap(before, line) for before, line in pairs if before.size == line.size and not line.table)
    return gaps[len(gaps) // 4] if gaps else 0.0


def _gap(before: Line, line: Line) -> float:
    return (line.top - before.bottom) / max(line.bottom - line.top, 1.0)


def _goes_on(before: Line, line: Line, gap: float) -> bool:
    """Tell whether a line continues the paragraph, item or heading of the one before."""
    if before.table or line.table or before.size != line.size or _BULLET.match(line.text):
        return False
    return _gap(before, line) <= min(gap + _WIDER, _SAME_PARAGRAPH)


def _spaced(blocks: Iterable[str]) -> str:
    """Set blocks apart by an empty line, items of a list by none."""
    text = ""
    item = False
    for block in blocks:
        now = bool(re.match(r"- |\d{1,3}[.)、]\s", block))
        text += ("\n" if item and now else "\n\n") * bool(text) + block
        item = now
    return text
