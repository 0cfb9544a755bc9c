"""What the Judge tab's buttons call: a run is started, followed and steered."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import gradio as gr

from aeollm.errors import AeollmError, Problem, UsageError
from aeollm.methods import Running, estimated
from aeollm.ui import judge_notices as notices
from aeollm.ui.judge_access import wrong_key
from aeollm.ui.judge_calls import Judging
from aeollm.ui.judge_desk import Desk, Job
from aeollm.ui.judge_looking import numbers_of
from aeollm.ui.judge_outcome import Taken, to_take
from aeollm.ui.judge_setup import place_of
from aeollm.ui.words import say

_RUNS_AT_ONCE = {True: 2, False: 8}
"""By whether the page belongs to the machine's own user."""
_MOST_LOST = 20
_BUTTONS = 5


class Runs:
    """The callbacks, and the places for work that goes on; nobody else's events wait for it."""

    def __init__(self, judging: Judging) -> None:
        self.judging = judging
        self.places = threading.Semaphore(_RUNS_AT_ONCE[judging.access.local])

    def started(self, desk: Desk, token: str | None, setup: Sequence[Any], *, trial: bool) -> list[Any]:
        """Start asking, unless something is going on already."""
        if desk.job is not None and desk.job.going:
            return [desk, *self.status(desk)]
        try:
            made, wanted, task = self.judging.task(desk, setup, named=True)
            if token:
                _refuse(wrong_key(token))
            signed = made.signed(task)
            if not trial and signed not in desk.tried:
                message = "there was no trial of these reports, recipe, models and address."
                raise UsageError("judge", [Problem("error", "trial", message, "Make a trial first.")])
            work = made.trial(task) if trial else task
            total = sum(own.calls + own.on_disk for own in estimated(work, wanted.price))
            job = Job(work, trial=trial, total=total, signed=signed)
            running = Running(token or None, wanted.seconds, wanted.limits)
            desk.job = job
            job.start(desk.replies(place_of(task)), running, self.places)
        except AeollmError as error:
            return [desk, notices.problems(error.problems), *buttons(desk), gr.update(active=False)]
        return [desk, *self.status(desk)]

    def trial_here(self, request: gr.Request, desk: Desk | None, token: str, *setup: Any) -> list[Any]:  # noqa: ANN401
        """Try the first reports with the key that was typed."""
        return self.started(self.judging.desk(desk, request), _typed(token), setup, trial=True)

    def run_here(self, request: gr.Request, desk: Desk | None, token: str, *setup: Any) -> list[Any]:  # noqa: ANN401
        """Ask about all reports with the key that was typed."""
        return self.started(self.judging.desk(desk, request), _typed(token), setup, trial=False)

    def trial_hosted(
        self,
        request: gr.Request,
        login: gr.OAuthToken | None,
        desk: Desk | None,
        *setup: Any,  # noqa: ANN401
    ) -> list[Any]:
        """Try the first reports with the visitor's own login."""
        return self._with_login(self.judging.desk(desk, request), login, setup, trial=True)

    def run_hosted(
        self,
        request: gr.Request,
        login: gr.OAuthToken | None,
        desk: Desk | None,
        *setup: Any,  # noqa: ANN401
    ) -> list[Any]:
        """Ask about all reports with the visitor's own login."""
        return self._with_login(self.judging.desk(desk, request), login, setup, trial=False)

    def _with_login(self, desk: Desk, login: gr.OAuthToken | None, setup: Sequence[Any], *, trial: bool) -> list[Any]:
        # Without a key the Hub's client would take the server's own.
        if login is None or not login.token:
            problem = Problem(
                "error", "login", "nobody is signed in.", "Sign in: judges are asked with your own login."
            )
            return [desk, notices.problems([problem]), *buttons(desk), gr.update(active=False)]
        return self.started(desk, login.token, setup, trial=trial)

    def status(self, desk: Desk) -> list[Any]:
        """Show how far it is, and what can be pressed: progress, buttons, timer."""
        job = desk.job
        if job is None:
            return ["", *buttons(desk), gr.update(active=False)]
        return [notices.progress(job), *buttons(desk), gr.update(active=True)]

    def ticked(self, request: gr.Request, desk: Desk | None) -> list[Any]:
        """Follow the work; where it is over, give what came of it, once."""
        if desk is None or desk.job is None or desk.closed:
            return [gr.skip(), *[gr.skip()] * _BUTTONS, gr.update(active=False), *[gr.skip()] * (Taken.COUNT + 2)]
        self.judging.desk(desk, request)
        if desk.job.going:
            return [*self.status(desk), *[gr.skip()] * (Taken.COUNT + 2)]
        job = desk.job
        if desk.told is not job:
            desk.told = job
            _learn(desk, job)
        taken = to_take(desk, job)
        shown = notices.result(job, self._lost(job))
        return ["", *buttons(desk), gr.update(active=False), shown, *taken.updates(), str(id(job))]

    def paused(self, desk: Desk | None) -> list[Any]:
        """Start no new call."""
        if desk is not None and desk.job is not None:
            desk.job.control.pause()
        return self.status(desk or Desk())

    def resumed(self, desk: Desk | None) -> list[Any]:
        """Go on."""
        if desk is not None and desk.job is not None:
            desk.job.control.resume()
        return self.status(desk or Desk())

    def cancelled(self, desk: Desk | None) -> list[Any]:
        """Start no new call at all; pressed again, give up those under way."""
        if desk is not None and desk.job is not None:
            desk.job.control.cancel(now=desk.job.control.cancelled)
        return self.status(desk or Desk())

    def _lost(self, job: Job) -> list[tuple[str, str, int | None]]:
        """Give the first calls without a value, in words, with their numbers among all calls."""
        if job.judged is None:
            return []
        found: list[tuple[str, str, int | None]] = []
        for own in job.judged.collected:
            first = own.lost[: _MOST_LOST - len(found)]
            numbers = numbers_of(job.task, own.name, [lost.place for lost in first])
            for lost in first:
                words = f"{' · '.join(lost.place[1:])}: {lost.missing.kind}, {lost.missing.words}"
                found.append((own.name, words, numbers.get(lost.place)))
        return found


def buttons(desk: Desk) -> list[Any]:
    """Say which can be pressed: trial, run, pause, resume, cancel."""
    job = desk.job
    going, over = job is not None and job.going, job is not None and not job.going
    paused = going and job is not None and job.control.paused
    stopped = over and job is not None and not job.trial and (job.judged is None or not job.judged.complete)
    ending = going and job is not None and job.control.cancelled
    return [
        gr.update(interactive=not going),
        gr.update(interactive=not going, value=say("j_go_on" if stopped else "j_run")),
        gr.update(visible=going and not paused and not ending),
        gr.update(visible=bool(paused)),
        gr.update(visible=going, value=say("j_give_up" if ending else "j_cancel")),
    ]


def _learn(desk: Desk, job: Job) -> None:
    """Note what was tried, if it gave anything, and how long its calls took."""
    judged = job.judged
    if judged is None:
        return
    if any(len(own.lost) < own.calls for own in judged.collected):
        desk.tried.add(job.signed)
    calls = judged.spent.calls
    if calls:
        at_once = min(job.at_once, calls)
        desk.pace[judged.task.method.name] = judged.seconds * at_once / calls


def _typed(token: Any) -> str | None:  # noqa: ANN401  what a browser sends
    return token.strip() or None if isinstance(token, str) else None


def _refuse(problem: Problem | None) -> None:
    if problem is not None:
        raise UsageError("judge", [problem])
