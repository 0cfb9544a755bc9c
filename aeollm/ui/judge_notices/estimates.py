"""What is to be judged, and what it takes."""

from __future__ import annotations

from collections.abc import Sequence

from aeollm.errors import Problem
from aeollm.judging import Price
from aeollm.methods import Estimated, Material, Method
from aeollm.reporting.html import Html, joined, tag, titled
from aeollm.ui.judge_notices.blocks import duration, listed, problems, stacked
from aeollm.ui.words import both


def found(material: Material, *, demo: bool) -> str:
    """Say what is to be judged."""
    tokens = sum(report.tokens for report in material.reports)
    counts = [
        both("j_reports", n=len(material.reports)),
        both("n_questions", n=len(material.questions)),
        joined(["~", both("j_tokens", n=tokens)]),
    ]
    badge = [tag("span", both("j_demo_badge"), class_="ae-badge"), " "] if demo else []
    return tag("p", *badge, listed(counts), class_="ae-status", role="status")


def other_labels(name: str, told: Sequence[Problem]) -> str:
    """Say that no report is one of the chosen labels'; what that brings is folded below."""
    head = tag("h2", titled("error", both("j_other_labels", name=name)))
    remedy = tag("ul", tag("li", both("j_other_labels_remedy")))
    every = tag("details", tag("summary", both("j_each")), Html(problems(told)))
    return tag("section", head, remedy, every, class_="ae-box ae-error", role="alert")


def estimate(
    method: Method, rows: Sequence[Estimated], seconds: tuple[float, str], price: Price, *, sent: bool = False
) -> str:
    """Tell calls, tokens, time and money; seconds with the word for how they are known."""
    on_disk = sum(own.on_disk for own in rows)
    roles = [" ", both("j_roles"), f" {', '.join(method.roles)}."] if len(method.roles) > 1 else []
    if on_disk and not any(own.calls for own in rows):
        return tag("p", both("j_nothing_left", n=on_disk), *roles, class_="ae-status", role="status")
    priced = price != Price()
    heads = ["j_asked", "j_to_ask", "j_on_disk", "j_tokens_in", "j_tokens_out", "j_longest"]
    titles = [both(key) for key in [*heads, *(["j_money_most"] if priced else [])]]
    shown = [_estimated(own, priced=priced) for own in rows]
    if len(rows) > 1:
        total = [sum(getattr(own, key) for own in rows) for key in ("calls", "on_disk", "prompt", "completion")]
        longest, money = max(own.longest for own in rows), sum(own.money for own in rows)
        cells = [f"{count:,}" for count in (*total, longest)]
        shown.append([tag("strong", both("j_together")), *cells, *([f"{money:,.4g}"] if priced else [])])
    told, time_key = seconds
    line = tag("p", both(time_key, time=duration(told)), *roles, class_="ae-note")
    unsent = [] if sent else [" ", both("j_nothing_sent")]
    caption = tag("p", both("j_estimate_caption"), *unsent, class_="ae-caption")
    return joined([caption, stacked(titles, shown, "estimate"), *map(_sampling, rows), line])


def small_whole(material: Material) -> str:
    """Say what a trial takes of a recipe by which a prompt learns."""
    words = both("j_small_whole", n=len(material.reports), questions=len(material.questions))
    return tag("p", words, class_="ae-note")


def _sampling(own: Estimated) -> str:
    """Say what depends on whether the endpoint gives token probabilities."""
    if not own.samples:
        return ""
    if own.instead:
        return tag("p", both("j_maybe_sampled", n=own.instead, samples=own.samples), class_="ae-note")
    return tag("p", both("j_sampled", n=own.samples), class_="ae-note")


def _estimated(own: Estimated, *, priced: bool) -> list[str]:
    calls: list[str] = [both("j_at_most"), " "] if own.at_most else []
    cells = [f"{count:,}" for count in (own.on_disk, own.prompt, own.completion, own.longest)]
    return [own.name, joined([*calls, f"{own.calls:,}"]), *cells, *([f"{own.money:,.4g}"] if priced else [])]
