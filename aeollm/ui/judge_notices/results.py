"""What came of a trial or a run."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence

from aeollm.judging import Missing
from aeollm.methods import Judge, Judged
from aeollm.reporting.html import Html, joined, number, scrolling, tag, titled
from aeollm.tables import MEASURES, Run
from aeollm.ui.judge_job import Job
from aeollm.ui.judge_notices.blocks import duration, listed, problems, said, spent
from aeollm.ui.judge_notices.reasons import (
    STOPPED_BY_HAND,
    advice,
    counted,
    detailed,
    reasons_of,
    told_of,
)
from aeollm.ui.words import both, both_view, known

_LONG_NUMBER = re.compile(r"-?\d+\.\d{4,}(?:e-?\d+)?")
LostCall = tuple[str, str, Missing, int | None]
"""A call without a value: way of asking, place in words, why, and its number among all calls."""
_MOST_ROWS = 12
"""Rows of a table that a trial shows, where there is no run."""


def result(job: Job, lost: Sequence[LostCall]) -> str:
    """Tell what came of a run; calls without a value come with their numbers, to be looked into."""
    judged = job.judged
    if judged is None:
        return problems(job.problems) if job.problems else said("j_cancelled")
    box = tag("section", _head(job, judged), _lines(job, judged), class_=f"ae-box ae-{_kind(judged)}")
    shown = _tried(judged) if job.trial else _agreement(judged)
    return joined([box, Html(shown), _lost(lost, judged.lost), Html(_problems(judged))])


def _done(judged: Judged) -> bool:
    """Tell whether nothing is missing, and the run is the one that the recipe is for."""
    return judged.complete and judged.whole


def _nothing(judged: Judged) -> bool:
    """Tell whether something was asked, and no reply gave a value."""
    return judged.lost > 0 and all(len(own.lost) == own.calls for own in judged.collected)


def _kind(judged: Judged) -> str:
    if _done(judged):
        return "done"
    by_hand = judged.stopped is not None and judged.stopped.kind in STOPPED_BY_HAND
    return "error" if _nothing(judged) and not by_hand else "warning"


def _head(job: Job, judged: Judged) -> Html:
    """Say what it was, how it ended, and of which recipe it is."""
    which = "trial" if job.trial else "run"
    ended = f"j_nothing_read_{which}" if _nothing(judged) else f"j_incomplete_{which}"
    ended = f"j_not_whole_{which}" if judged.complete else ended
    words = both(f"j_done_{which}" if _done(judged) else ended, recipe=judged.task.method.name)
    return tag("h2", titled(_kind(judged), words))


def _lines(job: Job, judged: Judged) -> Html:
    calls = sum(own.calls for own in judged.collected)
    counts = [both("j_reports", n=len(judged.task.material.reports)), both("j_answers_wanted", n=calls)]
    lines = [listed([*_asked(judged), *counts]), *_missing(judged)]
    on_disk = both("j_from_disk", n=judged.from_disk)
    lines.append(listed([spent(judged.spent, job.price), duration(judged.seconds), on_disk]))
    if judged.lacking:
        lines.append(joined([both("j_not_offered"), " ", ", ".join(sorted(judged.lacking)), "."]))
    return tag("ul", *(tag("li", line) for line in lines))


def _asked(judged: Judged) -> list[str]:
    """Name the models, and where they were asked."""
    judges = judged.task.judges
    models = {judge.model for judge in judges.values()}
    each = [f"{role}: {judge.model}" for role, judge in judges.items()] if len(models) > 1 else sorted(models)
    return [", ".join(each), listed(list(dict.fromkeys(map(_place, judges.values()))), ", ")]


def _place(judge: Judge) -> str:
    return judge.base_url or joined([both("j_provider"), f" {judge.provider or 'auto'}"])


def _missing(judged: Judged) -> list[str]:
    """Say how much is missing, why, and what can be done about it."""
    why, counts = told_of(judged), reasons_of(judged)
    alone = why is not None and set(counts) == {why[0]}
    reasons = [] if alone or not counts else [" (", counted(counts), ")"]
    missing = joined([both("j_missing", n=judged.lost), *reasons])
    lines: list[str] = [listed([missing, both("j_never_zero")]) if counts else missing]
    if why is None:
        return lines
    if judged.stopped is not None:
        lines.append(both("j_stopped", why=detailed(*why)))
    elif alone:
        lines.append(joined([detailed(*why), "."]))
    further = advice(why[0], at_address=any(judge.base_url for judge in judged.task.judges.values()))
    return lines if further is None else [*lines, further]


def _problems(judged: Judged) -> str:
    """List what else there is to say: not what was said of the reports, nor what follows of having no value at all."""
    above = {*judged.task.material.problems}
    told = [problem for problem in judged.problems if problem.kind != "missing_values" and problem not in above]
    if _nothing(judged):
        told = [problem for problem in told if problem.severity != "error"]
    return problems(told)


def _lost(lost: Sequence[LostCall], whole: int) -> Html:
    if not lost:
        return Html("")
    items = []
    for ask, place, missing, at in lost:
        button = tag("button", f"{ask} {at}", type="button", class_="ae-run", data_call=f"{ask}:{at}") if at else ask
        items.append(tag("li", button, f" {place}: ", detailed(missing.kind, missing.words)))
    more = [tag("li", "… ", both("j_more", n=whole - len(lost)))] if whole > len(lost) else []
    summary = tag("summary", both("j_lost"))
    return tag("section", tag("details", summary, tag("ul", *items, *more)), class_="ae-box ae-warning")


def _tried(judged: Judged) -> str:
    """Show what a trial gave: scores of its reports, or the first rows of a table where there is no run."""
    if judged.built is not None:
        heads, rows = _scores(judged.built.run)
    else:
        given = next((own.table for own in judged.collected if own.table), None)
        if given is None:
            return ""
        heads, *rows = csv.reader(given.decode("utf-8", "surrogatepass").splitlines(), delimiter="\t")
        rows = [[_short(cell) for cell in row] for row in rows]
    caption = tag("p", both("j_tried"), class_="ae-caption")
    more = len(rows) - _MOST_ROWS
    cut = [tag("p", "… ", both("j_more", n=more), class_="ae-note")] if more > 0 else []
    return joined([caption, scrolling(heads, rows[:_MOST_ROWS], "trial"), *cut])


def _short(cell: str) -> str:
    """Cut a number that a table has with all its digits."""
    return f"{float(cell):.3g}" if _LONG_NUMBER.fullmatch(cell) else cell


def _scores(run: Run) -> tuple[list[str], list[list[str]]]:
    """Give a run as a table: answers by dimensions."""
    heads: list[str] = [joined([both("question"), " · ", both("answer")]), *map(both_view, run.dimensions)]
    scores = run.scores.values.tolist()
    return heads, [
        [" · ".join(key), *(f"{own:.4g}" for own in row)] for key, row in zip(run.keys(), scores, strict=True)
    ]


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
    caption = tag("p", both("j_agreement"), f" {stage.name}", class_="ae-caption")
    part = [tag("p", both("j_few"), class_="ae-note")] if scores.partial else []
    named = [[both(row[0]) if known(row[0]) else row[0], *row[1:]] for row in rows]
    return joined([caption, scrolling(heads, named, "agreement"), *part])
