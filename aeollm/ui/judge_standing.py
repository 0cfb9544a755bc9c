"""How things stand on the Judge tab: what can be pressed, and what the outcome that is shown came of."""

from __future__ import annotations

from typing import Any

import gradio as gr

from aeollm.reporting.html import joined, tag, titled
from aeollm.ui.judge_desk import Desk
from aeollm.ui.judge_job import Job
from aeollm.ui.words import both, say, untranslated


def buttons(desk: Desk) -> list[Any]:
    """Say which can be pressed: trial, run, pause, resume, cancel.

    All reports are judged only after a trial of just what is chosen.
    """
    job, going = desk.job, desk.going
    halted = going and job is not None and job.control.halted
    ending = going and job is not None and job.control.cancelled
    ready = desk.signed in desk.tried
    # What is to be pressed next stands out: after a trial that gave something, the run.
    first, then = ("secondary", "primary") if ready else ("primary", "secondary")
    return [
        gr.update(interactive=not going and not desk.wrong, value=say(_trial(desk)), variant=first),
        gr.update(interactive=not going and ready, value=say(_run(desk, ready=ready or going)), variant=then),
        gr.update(visible=going and not halted and not ending),
        gr.update(visible=halted and not ending),
        gr.update(visible=going, value=say("j_give_up" if ending else "j_cancel")),
    ]


def _trial(desk: Desk) -> str:
    return "j_trial_small_whole" if desk.small_whole else "j_trial"


def _run(desk: Desk, *, ready: bool) -> str:
    if not ready:
        return "j_run_after_trial"
    job = desk.job
    over = job is not None and not job.going and not job.trial and job.made.signed == desk.signed
    stopped = over and job is not None and (job.judged is None or not job.judged.complete)
    return "j_go_on" if stopped else "j_run"


def came_of(desk: Desk) -> str:
    """Mark the outcome that is shown where something else is chosen by now, and say what it came of."""
    job = desk.job
    if job is None or desk.told is not job or job.made.signed == desk.signed:
        return ""
    line = joined([both("j_came_of_other"), " ", untranslated(" · ".join(_made_of(job)))])
    return tag("section", tag("p", titled("warning", line)), class_="ae-box ae-warning", role="status")


def _made_of(job: Job) -> list[str]:
    judges = job.task.judges.values()
    models = dict.fromkeys(judge.model for judge in judges)
    places = dict.fromkeys(judge.base_url or judge.provider or "" for judge in judges)
    return [job.task.method.name, ", ".join(models), ", ".join(places), job.made.labels]
