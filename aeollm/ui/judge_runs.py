"""What the Judge tab's buttons call: a run is started, followed and steered."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import gradio as gr

from aeollm.errors import AeollmError, Problem, UsageError
from aeollm.methods import Running, Task, estimated
from aeollm.methods.running import REPLIES
from aeollm.ui import judge_notices as notices
from aeollm.ui.identity import signed_in
from aeollm.ui.judge_access import wrong_key
from aeollm.ui.judge_calls import Judging, held
from aeollm.ui.judge_desk import Desk
from aeollm.ui.judge_job import Job, Made
from aeollm.ui.judge_looking import numbers_of
from aeollm.ui.judge_outcome import Taken, to_take
from aeollm.ui.judge_setup import Setup, Wanted, place_of, refuse, who_of
from aeollm.ui.judge_standing import buttons

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
        """Start asking, unless something is going on already; what came of earlier work makes room."""
        with desk.starting:
            if desk.going:
                return [desk, *self.status(desk), *[gr.skip()] * (Taken.COUNT + 2)]
            try:
                if token:
                    refuse(wrong_key(token))
                self._start(desk, token, setup, trial=trial)
            except AeollmError as error:
                return self._refused(desk, setup, error.problems)
        return [desk, *self.status(desk), "", *Taken().updates(), ""]

    def _start(self, desk: Desk, token: str | None, setup: Sequence[Any], *, trial: bool) -> None:
        made, wanted, task = self.judging.task(desk, setup, named=True)
        desk.signed = made.signed(task)
        if not trial and desk.signed not in desk.tried:
            message = "there was no trial of these reports, recipe, models and address."
            raise UsageError("judge", [Problem("error", "trial", message, "Make a trial first.")])
        # All judges are at the one place that was chosen: no recipe names another one.
        running = Running(dict.fromkeys(task.judges, token) if token else {}, wanted.seconds, wanted.limits)
        desk.job = self._job(desk, (made, wanted, task), trial=trial)
        desk.job.start(running)

    def _job(self, desk: Desk, chosen: tuple[Setup, Wanted, Task], *, trial: bool) -> Job:
        made, wanted, task = chosen
        work = made.trial(task) if trial else task
        rows = estimated(work, wanted.price)
        replies = desk.replies(place_of(task))
        about = Made(made.label_set, made.labels, made.demo, made.signed(task), replies, rows, trial)
        return Job(work, about, self.places)

    def _refused(self, desk: Desk, setup: Sequence[Any], problems: Sequence[Problem]) -> list[Any]:
        """Tell why it does not start, until something changes; what is told above already is not told twice."""
        desk.refused = held(desk, setup)
        told = notices.problems([problem for problem in problems if problem not in desk.wrong])
        return [desk, told, *buttons(desk), gr.update(active=False), *[gr.skip()] * (Taken.COUNT + 2)]

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
        return self._with_login(self._own(desk, request), login, setup, trial=True)

    def run_hosted(
        self,
        request: gr.Request,
        login: gr.OAuthToken | None,
        desk: Desk | None,
        *setup: Any,  # noqa: ANN401
    ) -> list[Any]:
        """Ask about all reports with the visitor's own login."""
        return self._with_login(self._own(desk, request), login, setup, trial=False)

    def _own(self, desk: Desk | None, request: gr.Request) -> Desk:
        """Give the desk, as that of the account that is signed in: nobody else finds its work again."""
        desk = self.judging.desk(desk, request)
        desk.account = signed_in(request)
        return desk

    def _with_login(self, desk: Desk, login: gr.OAuthToken | None, setup: Sequence[Any], *, trial: bool) -> list[Any]:
        # Without a key the Hub's client would take the server's own.
        if login is None or not login.token:
            remedy = "Sign in: judges are asked with your own login."
            return self._refused(desk, setup, [Problem("error", "login", "nobody is signed in.", remedy)])
        return self.started(desk, login.token, setup, trial=trial)

    def status(self, desk: Desk | None) -> list[Any]:
        """Show how far it is, and what can be pressed: progress, buttons, timer."""
        if desk is None or desk.job is None:
            return [gr.skip()] * (_BUTTONS + 2)
        told = notices.progress(desk.job) + notices.said("j_stay") if desk.going else ""
        return [told, *buttons(desk), gr.update(active=True)]

    def ticked(self, request: gr.Request, desk: Desk | None) -> list[Any]:
        """Follow the work; where it is over, give what came of it."""
        nothing = [gr.skip()] * (Taken.COUNT + 2)
        if desk is None or desk.job is None or desk.closed:
            gone = notices.said("j_gone") if desk is not None and desk.closed else gr.skip()
            return [gone, *[gr.skip()] * _BUTTONS, gr.update(active=False), *nothing]
        self.judging.desk(desk, request)
        if desk.going:
            return [*self.status(desk), *nothing]
        job = desk.job
        if desk.told is not job:
            desk.told = job
            _learn(desk, job)
        shown = notices.result(job, self._lost(job))
        return ["", *buttons(desk), gr.update(active=False), shown, *to_take(desk, job).updates(), str(id(job))]

    def paused(self, desk: Desk | None) -> list[Any]:
        """Start no new call, and offer the replies so far."""
        offered: list[Any] = [gr.skip()] * 2
        if desk is not None and desk.job is not None:
            desk.job.control.pause()
            path = desk.job.made.replies / REPLIES
            if path.is_file() and desk.going:
                there = desk.write(REPLIES, path.read_bytes())
                offered = [notices.boxed("j_replies_so_far"), gr.update(value=str(there), interactive=True)]
        return [*self.status(desk), *offered]

    def resumed(self, desk: Desk | None) -> list[Any]:
        """Go on, as soon as there is a place again."""
        if desk is not None and desk.job is not None:
            desk.job.control.resume()
        passed = [gr.skip()] * 2 if desk is None or not desk.going else ["", gr.update(value=None, interactive=False)]
        return [*self.status(desk), *passed]

    def cancelled(self, desk: Desk | None) -> list[Any]:
        """Start no new call at all; pressed again, give up those under way."""
        if desk is not None and desk.job is not None:
            desk.job.control.cancel(now=desk.job.control.cancelled)
        return self.status(desk)

    def _lost(self, job: Job) -> list[notices.LostCall]:
        """Give the first calls without a value, with their numbers among all calls."""
        if job.judged is None:
            return []
        found: list[notices.LostCall] = []
        for own in job.judged.collected:
            first = own.lost[: _MOST_LOST - len(found)]
            numbers = numbers_of(job.task, own.name, [lost.place for lost in first])
            for lost in first:
                found.append((own.name, " · ".join(lost.place[1:]), lost.missing, numbers.get(lost.place)))
        return found


def _learn(desk: Desk, job: Job) -> None:
    """Note what was tried, if it gave anything, and how long its calls took."""
    judged = job.judged
    if judged is None:
        return
    if any(len(own.lost) < own.calls for own in judged.collected):
        desk.tried.add(job.made.signed)
    if not job.control.disturbed:
        at_once = min(job.at_once, max(judged.spent.calls, 1))
        desk.pace.learn(who_of(job.task), job.task.method.name, judged.spent, judged.seconds * at_once)


def _typed(token: Any) -> str | None:  # noqa: ANN401  what a browser sends
    return token.strip() or None if isinstance(token, str) else None
