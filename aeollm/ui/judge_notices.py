"""HTML of the Judge tab. Reports, prompts and replies are texts of others: the builders escape them."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Sequence

from aeollm.errors import Problem, group_problems
from aeollm.judging import Price, Reply, Spent
from aeollm.methods import Estimated, Judged, Material, Method
from aeollm.reporting.html import Html, joined, number, tag
from aeollm.tables import MEASURES
from aeollm.ui.judge_desk import Job
from aeollm.ui.judge_looking import Looked
from aeollm.ui.words import both, both_view, known

_READS, _WRITES = 1_500, 40
"""Tokens a second that a call is assumed to read and write, until a trial has measured it."""
_LONGEST_SHOWN = 60_000
_SHORT, _MINUTE, _HOUR = 9.95, 60, 3_600
_SIGNS = {"error": "✗", "warning": "!", "note": "i"}


def said(key: str) -> str:
    """Say one sentence in both languages."""
    return tag("p", Html(both(key)), class_="ae-note", role="status")


def problems(found: Sequence[Problem]) -> str:
    """List problems by kind, the worst first; folded where there is nothing but notes."""
    boxes = []
    for severity in ("error", "warning", "note"):
        groups = group_problems(problem for problem in found if problem.severity == severity)
        if groups:
            lines = tag("ul", *(tag("li", line) for group in groups for line in group.lines()))
            sign = tag("span", _SIGNS[severity], aria_hidden="true")
            title = joined([sign, " ", Html(both(f"j_{severity}"))])
            if severity == "error":
                boxes.append(tag("section", tag("h2", title), lines, class_="ae-box ae-error", role="alert"))
            else:
                count = sum(group.count for group in groups)
                summary = tag("summary", title, f" ({count:,})")
                boxes.append(tag("section", tag("details", summary, lines), class_=f"ae-box ae-{severity}"))
    return joined(boxes)


def badge() -> Html:
    """Mark the demo's reports."""
    return tag("span", Html(both("j_demo_badge")), class_="ae-badge")


def found(material: Material, *, demo: bool) -> str:
    """Say what is to be judged."""
    tokens = sum(report.tokens for report in material.reports)
    counts = [
        joined([f"{len(material.reports):,} ", Html(both("j_reports"))]),
        joined([f"{len(material.questions):,} ", Html(both("j_questions"))]),
        joined([f"~{tokens:,} ", Html(both("j_tokens"))]),
    ]
    line = [part for count in counts for part in (" · ", count)][1:]
    return tag("p", *([badge(), " "] if demo else []), *line, class_="ae-status", role="status")


def estimate(method: Method, rows: Sequence[Estimated], seconds: tuple[float, bool], price: Price) -> str:
    """Tell calls, tokens, time and money, before anything is sent; seconds with whether they were measured."""
    heads = ["j_asked", "j_calls", "j_on_disk", "j_tokens_in", "j_tokens_out", "j_longest"]
    priced = price != Price()
    shown = [_estimated(own, priced=priced) for own in rows]
    if len(rows) > 1:
        total = [sum(getattr(own, key) for own in rows) for key in ("calls", "on_disk", "prompt", "completion")]
        longest, money = max(own.longest for own in rows), sum(own.money for own in rows)
        cells = [f"{count:,}" for count in (*total, longest)]
        shown.append([tag("strong", Html(both("j_together"))), *cells, *([f"{money:,.4g}"] if priced else [])])
    titles = [Html(both(key)) for key in [*heads, *(["j_money_most"] if priced else [])]]
    told, measured = seconds
    time_key = "j_time_measured" if measured else "j_time_assumed"
    roles = [" ", Html(both("j_roles")), " ", ", ".join(method.roles), "."] if len(method.roles) > 1 else []
    line = tag("p", Html(both("j_time")), f" {duration(told)} ", Html(both(time_key)), *roles, class_="ae-note")
    caption = tag("p", Html(both("j_estimate_caption")), class_="ae-caption")
    return joined([caption, _table(titles, shown, "estimate"), line])


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]], label: str) -> Html:
    head = tag("thead", tag("tr", *(tag("th", title, scope="col") for title in heads)))
    body = [tag("tr", tag("th", row[0], scope="row"), *(tag("td", cell) for cell in row[1:])) for row in rows]
    whole = tag("table", head, tag("tbody", *body), class_="ae-table")
    return tag("div", whole, class_="ae-scroll", tabindex="0", role="region", aria_label=label)


def _estimated(own: Estimated, *, priced: bool) -> list[str]:
    calls: list[str] = [Html(both("j_at_most")), " "] if own.at_most else []
    cells = [f"{count:,}" for count in (own.on_disk, own.prompt, own.completion, own.longest)]
    return [own.name, joined([*calls, f"{own.calls:,}"]), *cells, *([f"{own.money:,.4g}"] if priced else [])]


def seconds_of(rows: Sequence[Estimated], concurrency: int, pace: float | None) -> float:
    """Give the time that calls take, several at once: at the pace measured, or as assumed."""
    calls = sum(own.calls for own in rows)
    assumed = sum(own.prompt / _READS + own.completion / _WRITES for own in rows)
    whole = assumed if pace is None else calls * pace
    return whole / max(min(concurrency, calls), 1)


def duration(seconds: float) -> str:
    """Write a time in its two largest units.

    >>> duration(7.24), duration(75), duration(7_300)
    ('7.2 s', '1 min 15 s', '2 h 1 min')
    """
    whole = round(seconds)
    if seconds < _SHORT:
        return f"{seconds:.1f} s"
    if whole < _MINUTE:
        return f"{whole} s"
    if whole < _HOUR:
        return f"{whole // _MINUTE} min {whole % _MINUTE} s"
    return f"{whole // _HOUR} h {whole % _HOUR // _MINUTE} min"


def progress(job: Job) -> str:
    """Show how far a run is: done, missing, spent, left."""
    if job.waiting:
        return said("j_waiting")
    now = job.progress
    done, missing = (now.done, now.missing) if now is not None else (0, 0)
    left = max(job.total - done - missing, 0)
    share = (done + missing) / job.total if job.total else 0.0
    percent = f"{100 * min(share, 1.0):.0f}"
    values = {"aria_valuenow": percent, "aria_valuemin": "0", "aria_valuemax": "100", "aria_label": "progress"}
    bar = tag("div", class_="ae-j-bar", style=f"width: {percent}%")
    track = tag("div", bar, class_="ae-j-progress", role="progressbar", **values)
    told = [_counted(done, "j_done"), _counted(missing, "j_missing"), _counted(left, "j_left")]
    if now is not None:
        told += [_spent(now.spent, job), _counted(now.from_disk, "j_from_disk")]
    state = _state(job, now.waiting if now is not None else None)
    line = [part for own in (state, *told) for part in (" · ", own)][1:]
    return joined([track, tag("p", *line, _time_left(job, left), class_="ae-note", role="status")])


def _state(job: Job, waiting: str | None) -> Html:
    if job.control.cancelled:
        return Html(both("j_cancelling"))
    if job.control.paused:
        return Html(both("j_paused"))
    if waiting is not None:
        return Html(both("j_turned_away"))
    title = "j_trial_runs" if job.trial else "j_run_runs"
    return joined([Html(both(title)), f" ({job.asking})"]) if job.asking else Html(both(title))


def _counted(count: int, key: str) -> Html:
    return joined([f"{count:,} ", Html(both(key))])


def _spent(spent: Spent, job: Job) -> Html:
    whole = spent.usage.prompt + spent.usage.completion
    money = f" ({spent.money:,.4g})" if job.price != Price() else ""
    words = Html(both("j_spent"))
    return joined([words, f" {spent.calls:,} ", Html(both("j_calls")), f", {whole:,} ", Html(both("j_tokens")), money])


def _time_left(job: Job, left: int) -> str:
    now = job.progress
    if now is None or job.began is None or not now.spent.calls or not left or job.control.paused:
        return ""
    seconds = (time.monotonic() - job.began) / now.spent.calls * left
    return joined([" · ~", duration(seconds)])


def result(job: Job, lost: Sequence[tuple[str, str, int | None]]) -> str:
    """Tell what came of a run; calls without a value come with their numbers, to be looked into."""
    judged = job.judged
    if judged is None:
        return problems(job.problems) if job.problems else said("j_cancelled")
    title = ("j_trial_done" if job.trial else "j_run_done") if judged.complete else "j_incomplete"
    sign = "✓" if judged.complete else "!"
    head = tag("h2", tag("span", sign, aria_hidden="true"), " ", Html(both(title)))
    spent = judged.spent
    calls = sum(own.calls for own in judged.collected)
    lines = [
        joined([_counted(len(judged.task.material.reports), "j_reports"), ", ", _counted(calls, "j_answers_wanted")]),
        joined([_counted(judged.lost, "j_missing"), *_reasons(judged)]),
        joined([_spent(spent, job), f"; {duration(judged.seconds)}; ", _counted(judged.from_disk, "j_from_disk")]),
    ]
    if judged.stopped is not None:
        lines.append(joined([Html(both("j_stopped")), f" {judged.stopped.words}. ", Html(both("j_goes_on"))]))
    if judged.lacking:
        lines.append(joined([Html(both("j_not_offered")), " ", ", ".join(sorted(judged.lacking)), "."]))
    kind = "note" if judged.complete else "warning"
    box = tag("section", head, tag("ul", *(tag("li", line) for line in lines)), class_=f"ae-box ae-{kind}")
    above = {*judged.task.material.problems}
    told = [problem for problem in judged.problems if problem.kind != "missing_values" and problem not in above]
    return joined([box, _lost(lost, judged.lost), Html(problems(told)), Html("" if job.trial else _agreement(judged))])


def _reasons(judged: Judged) -> list[str]:
    counts = Counter(lost.missing.kind for own in judged.collected for lost in own.lost)
    told = ", ".join(f"{kind} {count}" for kind, count in counts.most_common())
    return [f" ({told}); ", Html(both("j_never_zero"))] if counts else []


def _lost(lost: Sequence[tuple[str, str, int | None]], whole: int) -> Html:
    if not lost:
        return Html("")
    items = []
    for ask, words, at in lost:
        button = tag("button", f"{ask} {at}", type="button", class_="ae-run", data_call=f"{ask}:{at}") if at else ask
        items.append(tag("li", button, " ", words))
    more = [tag("li", f"… {whole - len(lost)} ", Html(both("j_more")))] if whole > len(lost) else []
    summary = tag("summary", Html(both("j_lost")))
    return tag("section", tag("details", summary, tag("ul", *items, *more)), class_="ae-box ae-warning")


def _agreement(judged: Judged) -> str:
    """Show how the run agrees with the labels, where that can be said already."""
    if judged.built is None:
        return ""
    stage = next((own for own in reversed(judged.built.stages) if own.scores is not None), None)
    if stage is None or stage.scores is None:
        return ""
    scores = stage.scores
    views = scores.views
    rows = [[measure, *(number(scores.mean(view, measure).mean) for view in views)] for measure in MEASURES]
    heads = ["", *map(both_view, views)]
    caption = tag("p", Html(both("j_agreement")), f" {stage.name}", class_="ae-caption")
    part = [tag("p", Html(both("j_few")), class_="ae-note")] if scores.partial else []
    named = [[Html(both(row[0])) if known(row[0]) else row[0], *row[1:]] for row in rows]
    return joined([caption, _table(heads, named, "agreement"), *part])


def looked(call: Looked | None, total: int) -> str:
    """Show one call: messages and replies as text, whatever is in them."""
    if call is None:
        return said("j_no_call")
    parts: list[str] = [
        tag("p", tag("strong", f"{call.ask} {call.number:,} / {total:,}"), f" · {call.place}", class_="ae-status"),
        tag("p", f"{call.request.prompt} · temperature {call.request.options.temperature:g}", class_="ae-note"),
    ]
    for message in call.request.messages:
        parts.append(_block(joined([Html(both("j_sent")), f" ({message.role})"]), message.content))
    for place, reply in enumerate(call.replies, start=1):
        parts += _reply(place, reply)
    if not call.replies:
        parts.append(said("j_not_asked"))
    return joined(parts)


def _reply(place: int, reply: Reply) -> list[str]:
    usage = f"{reply.usage.prompt:,} + {reply.usage.completion:,}"
    head = [f" {place}: {reply.model} · {usage} ", Html(both("j_tokens")), f" · {reply.finish_reason or '–'}"]
    parts: list[str] = [_block(joined([Html(both("j_reply")), *head]), reply.text)]
    if reply.reasoning:
        parts.append(_block(Html(both("j_thoughts")), reply.reasoning))
    if reply.tokens:
        told = " · ".join(f"{text!r} {math.exp(logprob):.3f}" for text, logprob in reply.tokens[0].top[:8])
        parts.append(tag("p", Html(both("j_first_token")), f" {told}", class_="ae-note"))
    return parts


def _block(title: str, content: str) -> Html:
    cut = content if len(content) <= _LONGEST_SHOWN else content[:_LONGEST_SHOWN] + "…"
    # Not `printable`: line ends are kept, so that the prompt is seen as it was sent.
    lines = [Html(tag("span", line)) for line in cut.split("\n")]
    whole = Html("\n".join(lines))
    return joined(
        [tag("p", title, class_="ae-caption"), tag("pre", whole, class_="ae-j-text", dir="auto", tabindex="0")]
    )
