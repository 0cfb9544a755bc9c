"""Pieces of HTML. Whatever is put in as text is escaped here and nowhere else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from html.parser import HTMLParser
from typing import TYPE_CHECKING

from aeollm.errors import printable
from aeollm.exports import number as plain_number
from aeollm.figures import figure_json

if TYPE_CHECKING:
    from plotly.graph_objects import Figure


SIGNS = {"error": "✗", "warning": "!", "note": "i", "done": "✓"}
"""How a box says of what kind it is, besides its colour; the worst first."""


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


def text(value: str) -> Html:
    """Escape text; HTML stays as it is."""
    return value if isinstance(value, Html) else Html(escape(printable(value, max(len(value), 1))))


class _Spoken(HTMLParser):
    """Collects the text of HTML, without what it says again in Chinese."""

    def __init__(self, content: str) -> None:
        super().__init__()
        self.said, self._hidden = "", [False]
        self.feed(content)
        self.close()

    def handle_starttag(self, _tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._hidden.append(self._hidden[-1] or ("lang", "zh") in attrs)

    def handle_endtag(self, _tag: str) -> None:
        self._hidden.pop()

    def handle_data(self, data: str) -> None:
        self.said += "" if self._hidden[-1] else data


def spoken(content: str) -> str:
    """Give the text of HTML for an attribute, in English; other text as it is."""
    return _Spoken(content).said if isinstance(content, Html) else content


def joined(parts: Iterable[str]) -> Html:
    """Put pieces one after the other."""
    return Html("".join(text(part) for part in parts))


def tag(name: str, *content: str, **attributes: str) -> Html:
    """Write an element; ``class_`` and ``aria_label`` stand for ``class`` and ``aria-label``."""
    pairs = {key.rstrip("_").replace("_", "-"): value for key, value in attributes.items()}
    written = "".join(f' {key}="{text(value)}"' for key, value in pairs.items())
    return Html(f"<{name}{written}>{joined(content)}</{name}>")


def titled(kind: str, title: str) -> Html:
    """Give a title behind the sign of its kind."""
    return joined([tag("span", SIGNS[kind], aria_hidden="true"), " ", title])


def number(value: float | None, digits: int = 3) -> str:
    """Write decimals without the leading zero, with a typographic minus; undefined as a dash."""
    return plain_number(value, digits).replace("-", "−")


def signed(value: float) -> str:
    """Write a difference with its sign."""
    return ("+" if value > 0 else "") + number(value)


def with_interval(mean: float, low: float, high: float) -> Html:
    """Write a number with its interval, small, where it has one."""
    interval = joined([" ", tag("small", f"[{number(low)}, {number(high)}]")]) if low == low else ""
    return joined([number(mean), interval])


def short_name(name: str, longest: int = 34) -> Html:
    """Cut a file name in the middle, so that its ending stays; the whole is its title."""
    safe = printable(name, 1_000)
    if len(safe) <= longest:
        return text(safe)
    return tag("span", f"{safe[: longest - 16]}…{safe[-15:]}", title=safe)


def prompt_cell(prompt: str, longest: int = 80) -> Html:
    """Write the start of a prompt, in its own direction, into a table's cell."""
    return tag("span", printable(prompt, longest), class_="ae-text", dir="auto")


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], caption: str) -> Html:
    """Write a table under its caption."""
    return joined([tag("p", caption, class_="ae-caption"), scrolling(heads, rows, spoken(caption))])


def scrolling(heads: Sequence[str], rows: Iterable[Sequence[str]], label: str, *classes: str) -> Html:
    """Write a table in a box that scrolls by itself; the first cell of a row names it."""
    head = tag("thead", tag("tr", *(tag("th", title, scope="col") if title else tag("td") for title in heads)))
    body = [tag("tr", tag("th", row[0], scope="row"), *(tag("td", cell) for cell in row[1:])) for row in rows]
    whole = tag("table", head, tag("tbody", *body), class_="ae-table")
    named = " ".join(("ae-scroll", *classes))
    return tag("div", whole, class_=named, tabindex="0", role="region", aria_label=label)


def figure(drawn: Figure, name: str, caption: str) -> Html:
    """Write a figure that the page's script draws; ``name`` is an id of its own."""
    holder = tag("div", class_="ae-plot", id=f"figure-{name}", role="img", aria_label=caption)
    content = tag("script", Html(figure_json(drawn)), type="application/json")
    return tag("figure", tag("figcaption", caption), holder, content)


def folded(summary: str, *content: str) -> Html:
    """Write what is shown on demand."""
    return tag("details", tag("summary", summary), *content)


def section(name: str, title: str, *content: str) -> Html:
    """Write a part of the report, which its table of contents can point to."""
    return tag("section", tag("h2", title), *content, id=name)
