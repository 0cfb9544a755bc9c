"""How far a run is, and what goes wrong meanwhile."""

from __future__ import annotations

import time

from aeollm.judging import Progress
from aeollm.reporting.html import Html, joined, tag, titled
from aeollm.ui.judge_job import Job
from aeollm.ui.judge_notices.blocks import duration, listed, said, spent
from aeollm.ui.judge_notices.reasons import counted
from aeollm.ui.words import both, untranslated


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
    told = [_state(job), both("j_done", n=done), _missing(missing, now), both("j_left", n=left)]
    if now is not None:
        told += [spent(now.spent, job.price), both("j_from_disk", n=now.from_disk)]
    line = tag("p", listed(told), _time_left(job, left), class_="ae-note", role="status")
    return joined([track, line, _trouble(now)])


def _state(job: Job) -> Html:
    if job.control.cancelled:
        return both("j_cancelling")
    if job.control.paused:
        return both("j_paused")
    if job.progress is not None and job.progress.waiting is not None:
        return both("j_turned_away")
    title = "j_trial_runs" if job.trial else "j_run_runs"
    return joined([both(title), ": ", job.task.method.name, f" ({job.asking})" if job.asking else ""])


def _missing(count: int, now: Progress | None) -> Html:
    words = both("j_missing", n=count)
    return joined([words, " (", counted(now.reasons), ")"]) if now is not None and now.reasons else words


def _trouble(now: Progress | None) -> Html:
    """Tell what goes wrong while it does: calls are tried again for a long time."""
    if now is None or now.trouble is None:
        return Html("")
    words = joined([both("j_trouble", n=now.failures), " ", untranslated(now.trouble)])
    return tag("p", titled("warning", words), class_="ae-j-trouble", role="status")


def _time_left(job: Job, left: int) -> str:
    now = job.progress
    if now is None or job.began is None or not now.spent.calls or not left or job.control.paused:
        return ""
    seconds = (time.monotonic() - job.began) / now.spent.calls * left
    return joined([" · ~", duration(seconds)])
