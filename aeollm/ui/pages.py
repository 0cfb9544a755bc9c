"""The task pages: routes of the app, each with an address of its own, and the links between them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import gradio as gr

from aeollm.errors import AeollmError, Problem, UsageError
from aeollm.reporting.html import Html
from aeollm.sources import ASSETS
from aeollm.ui import leaderboard_board
from aeollm.ui.leaderboard_tables import file_table, first_edition, published_gaps, team_methods, tie_prices
from aeollm.ui.pages_text import TEXT, Part, TaskPage, read_pages
from aeollm.ui.words import both, english, spans

_HOME = ""
_BRAND = '<p class="ae-title"><a href="./">AEOLLM</a> <span>{}</span></p>'
_LATEX: list[dict[str, str | bool]] = [
    {"left": "$$", "right": "$$", "display": True},
    {"left": "$", "right": "$", "display": False},
]
_TABLES: dict[str, Callable[[], str]] = {
    "gaps": published_gaps,
    "ties": tie_prices,
    "methods": team_methods,
    "ntcir18": first_edition,
}


class Beside(NamedTuple):
    """What all pages show beside the task pages: links to further ones (address, words), and a line below them."""

    links: tuple[tuple[str, Html], ...] = ()
    below: Html = Html("")


NOTHING_BESIDE = Beside()


def navigation(current: str = _HOME, beside: Beside = NOTHING_BESIDE) -> None:
    """Lay out the links to all pages; on any but the first its title below them."""
    pages = read_pages()
    links = _link("./", both("home"), current=current == _HOME)
    links += "".join(_link(f"./{path}", words, current=path == current) for path, words in beside.links)
    links += "".join(_link(f"./{page.path}", spans(page.title), current=page.path == current) for page in pages)
    titles = "".join(f"<h1>{spans(page.title)}</h1>" for page in pages if page.path == current)
    titles += "".join(f"<h1>{words}</h1>" for path, words in beside.links if path == current)
    nav = f'<nav class="ae-nav" aria-label="{english("task_pages")}">{links}</nav>'
    script = (ASSETS / "links.js").read_text(encoding="utf-8")
    gr.HTML(
        f"{_BRAND.format(both('motto')) if titles else ''}{nav}{beside.below}{titles}",
        elem_id="pages",
        js_on_load=script,
    )


def build(app: gr.Blocks, beside: Beside = NOTHING_BESIDE) -> None:
    """Add the task pages to an app whose main page is laid out.

    Raises
    ------
    UsageError
        If a page's text cannot be used.
    """
    pages = read_pages()
    for page in pages:
        app.route(page.title["en"], page.path)
    # Leaving a context rebuilds the whole app, a fifth of a second each time: once is enough for all pages.
    with app:
        for page in pages:
            app.current_page = page.path
            navigation(page.path, beside)
            for part in page.parts:
                lay_out(page, part)
    app.current_page = _HOME


def lay_out(page: TaskPage, part: Part) -> None:
    """Add one piece of a page to the page being laid out.

    Raises
    ------
    UsageError
        If there is no such block, or the table it asks for cannot be read.
    """
    if part.block == TEXT:
        # The texts are English, whatever language the labels have.
        text = f'<div lang="en">\n\n{part.text}\n\n</div>'
        gr.Markdown(text, latex_delimiters=_LATEX, elem_classes="ae-text")
    elif part.block == "board":
        leaderboard_board.build()
    elif part.block in _TABLES:
        gr.HTML(_TABLES[part.block](), elem_classes="ae-part")
    elif part.block == "table":
        gr.HTML(_file_table(page, part), elem_classes="ae-part")
    else:
        known = ", ".join(["board", "table", *_TABLES])
        raise _refused(page, f"there is no block {part.block!r}", f"There are {known}.")


def _file_table(page: TaskPage, part: Part) -> str:
    try:
        return file_table(part.argument, part.text)
    except (OSError, ValueError) as error:
        raise _refused(page, f"{part.argument!r} is no table: {error}", "Name a CSV of assets/published.") from error


def _refused(page: TaskPage, message: str, remedy: str) -> AeollmError:
    return UsageError(f"{page.path}.md", [Problem("error", "task_page", f"{message}.", remedy)])


def _link(address: str, words: str, *, current: bool) -> str:
    return f'<a href="{address}"{" aria-current=page" if current else ""}>{words}</a>'
