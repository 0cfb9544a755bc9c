"""What the Judge tab's notices are put together of."""

from __future__ import annotations

from collections.abc import Sequence

from aeollm.errors import Problem, group_problems
from aeollm.judging import Price, Spent
from aeollm.methods import in_units
from aeollm.reporting.html import Html, joined, scrolling, tag, titled
from aeollm.ui.words import both

_MOST_OPEN = 12
"""Lines of warnings that are shown at once."""


def said(key: str) -> str:
    """Say one sentence in both languages."""
    return tag("p", both(key), class_="ae-note", role="status")


def boxed(key: str) -> str:
    """Say one sentence in a box."""
    return tag("section", tag("p", both(key)), class_="ae-box ae-note", role="status")


def problems(found: Sequence[Problem]) -> str:
    """List problems by kind, the worst first; notes are folded, and so are very many warnings."""
    boxes = []
    for severity in ("error", "warning", "note"):
        groups = group_problems(problem for problem in found if problem.severity == severity)
        if groups:
            items = [tag("li", line) for group in groups for line in group.lines()]
            lines = tag("ul", *items)
            title = titled(severity, both(f"j_{severity}"))
            if severity == "error":
                boxes.append(tag("section", tag("h2", title), lines, class_="ae-box ae-error", role="alert"))
            else:
                count = sum(group.count for group in groups)
                summary = tag("summary", title, f" ({count:,})")
                shown = {"open": ""} if severity == "warning" and len(items) <= _MOST_OPEN else {}
                boxes.append(tag("section", tag("details", summary, lines, **shown), class_=f"ae-box ae-{severity}"))
    return joined(boxes)


def stacked(heads: Sequence[str], rows: Sequence[Sequence[str]], label: str) -> Html:
    """Write a table whose every cell can name its column, for pages too narrow for a table."""
    named = [[row[0], *map(_cell, heads[1:], row[1:])] for row in rows]
    return scrolling(heads, named, label, "ae-j-stacked")


def _cell(title: str, value: str) -> Html:
    return joined([tag("span", title, " ", class_="ae-j-column"), tag("span", value)])


def listed(parts: Sequence[str], between: str = " · ") -> Html:
    """Put parts one after the other, with something between them."""
    return joined([piece for part in parts for piece in (between, part)][1:])


def spent(found: Spent, price: Price) -> Html:
    """Tell calls, tokens and, where there is a price, money."""
    tokens = found.usage.prompt + found.usage.completion
    money = f" ({found.money:,.4g})" if price != Price() else ""
    return both("j_spent", calls=both("j_calls", n=found.calls), tokens=both("j_tokens", n=tokens), money=money)


def duration(seconds: float) -> Html:
    """Write a time in its two largest units, in both languages."""
    return listed([both(f"j_unit_{unit}", n=count) for unit, count in in_units(seconds).items()], " ")
