"""Texts of the task pages: ``assets/pages/*.md`` -> pages. No gradio here.

A page is one Markdown file, whose name is its address. It starts with TOML between lines of ``+++`` (``order``, and
``title`` in both languages). A line ``{{block}}``, ``{{block argument}}`` or ``{{block argument: caption}}`` is a place
for something that is not text.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from aeollm.errors import Problem, UsageError
from aeollm.sources import ASSETS
from aeollm.ui.words import LANGUAGES

FOLDER = ASSETS / "pages"
TEXT = "text"
_FENCE = "+++"
_ADDRESS = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_BLOCK = re.compile(r"\{\{\s*(?P<name>\w+)(?:\s+(?P<argument>[^\s:{}]+))?(?:\s*:\s*(?P<caption>[^{}]*?))?\s*\}\}")


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a page: Markdown, or a named block with its argument and caption."""

    block: str
    text: str = ""
    argument: str = ""


@dataclass(frozen=True, slots=True)
class TaskPage:
    """One page: its address below the app's, its title by language, its pieces."""

    path: str
    order: float
    title: Mapping[str, str]
    parts: tuple[Part, ...]


@cache
def read_pages(folder: Path = FOLDER) -> tuple[TaskPage, ...]:
    """Read all pages of a folder, by their order.

    Raises
    ------
    UsageError
        If a page has no usable front matter, or a name that is no address.
    """
    found = [_read(path) for path in sorted(folder.glob("*.md"))]
    return tuple(sorted(found, key=lambda page: (page.order, page.path)))


def _read(path: Path) -> TaskPage:
    if not _ADDRESS.fullmatch(path.stem):
        raise _refused(path, "the name of the file is the page's address", "Use a-z, 0-9 and hyphens.")
    lines = path.read_text(encoding="utf-8-sig").splitlines()
    if not lines or lines[0].strip() != _FENCE or _FENCE not in (line.strip() for line in lines[1:]):
        raise _refused(
            path, "there is no front matter", f"Start with a line {_FENCE}, order, title, and {_FENCE} again."
        )
    end = next(number for number, line in enumerate(lines) if number and line.strip() == _FENCE)
    try:
        head = tomllib.loads("\n".join(lines[1:end]))
    except tomllib.TOMLDecodeError as error:
        raise _refused(path, f"the front matter is no TOML: {error}", "Lines count from the one after +++.") from None
    order, title = head.get("order"), head.get("title")
    if not isinstance(order, int | float) or not isinstance(title, dict) or not set(LANGUAGES) <= set(title):
        raise _refused(path, "order or title is missing", 'Write order = 1 and title = {en = "…", zh = "…"}.')
    names = {tag: str(title[tag]) for tag in LANGUAGES}
    return TaskPage(path.stem, order, names, tuple(_parts(lines[end + 1 :])))


def _parts(lines: list[str]) -> Iterator[Part]:
    text: list[str] = []
    for line in [*lines, None]:
        block = _BLOCK.fullmatch(line.strip()) if line is not None else None
        if line is not None and block is None:
            text.append(line)
            continue
        if any(part.strip() for part in text):
            yield Part(TEXT, "\n".join(text).strip())
        text = []
        if block is not None:
            yield Part(block["name"], block["caption"] or "", block["argument"] or "")


def _refused(path: Path, message: str, remedy: str) -> UsageError:
    return UsageError(path.name, [Problem("error", "task_page", f"{message}.", remedy)])
