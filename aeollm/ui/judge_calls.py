"""What the Judge tab's events call: plain values in, component values out."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import gradio as gr

from aeollm.errors import AeollmError, Problem, UsageError
from aeollm.judging import Price, ReplyStore
from aeollm.methods import Estimated, Running, Task, bundled_recipes, estimated, read_method
from aeollm.sources import LabelSet
from aeollm.ui import judge_notices as notices
from aeollm.ui.callbacks import Callbacks, label_sets
from aeollm.ui.judge_access import Access, wrong_key
from aeollm.ui.judge_desk import REPLIES, Desk, Job
from aeollm.ui.judge_inputs import DEMO_REPORTS, reports_of, uploaded_files
from aeollm.ui.judge_looking import look_into, numbers_of
from aeollm.ui.judge_outcome import Taken, labels_of_run, to_take
from aeollm.ui.judge_setup import Setup, Wanted, place_of
from aeollm.ui.notices import shown_name
from aeollm.ui.session import Session
from aeollm.ui.uploads import Upload, named_files
from aeollm.ui.words import say

_RUNS_AT_ONCE = {True: 2, False: 8}
"""By whether the page belongs to the machine's own user."""
_MOST_LOST = 20
_BUTTONS = 5


class Judging:
    """The callbacks, and the places for work that goes on; nobody else's events wait for it."""

    def __init__(self, score: Callbacks, access: Access) -> None:
        self.score, self.access = score, access
        self.places = threading.Semaphore(_RUNS_AT_ONCE[access.local])
        # By session, only to know whose page was closed; the desks themselves are in the sessions' state.
        self._desks: weakref.WeakValueDictionary[str, Desk] = weakref.WeakValueDictionary()

    def opened(self, request: gr.Request, desk: Desk | None, *setup: Any) -> list[Any]:  # noqa: ANN401  as gradio gives them
        """Offer the demo's reports while nothing is handed in."""
        desk = self._desk(desk, request)
        if desk.reports is None and not desk.problems:
            self._take_demo(desk)
        return [desk, *self.described(desk, *setup)]

    def dropped(
        self,
        request: gr.Request,
        desk: Desk | None,
        uploads: Sequence[Upload] | None,
        *setup: Any,  # noqa: ANN401
    ) -> list[Any]:
        """Read the reports that lie in the drop zone."""
        desk = self._desk(desk, request)
        if uploads:
            self._take(desk, uploads)
        else:
            self._take_demo(desk)
        return [desk, *self.described(desk, *setup)]

    def own_recipe(self, request: gr.Request, desk: Desk | None, upload: Upload) -> list[Any]:
        """Take a recipe of the visitor's own, and choose it."""
        desk = self._desk(desk, request)
        try:
            [(path, given)] = named_files([upload])
            name = f"own: {shown_name(Path(given).stem, 40)}"
            desk.recipes[name] = read_method(path.read_bytes(), name=given)
        except AeollmError as error:
            return [desk, gr.skip(), notices.problems(error.problems)]
        return [desk, gr.update(choices=[*self.recipes(), *desk.recipes], value=name), ""]

    def recipes(self) -> list[str]:
        """Name the bundled recipes, the simplest first."""
        first = ["holistic", "one-dimension", "one-call", "per-criterion", "pairwise", "tie-break"]
        return [*first, *(name for name in bundled_recipes() if name not in first)]

    def described(self, desk: Desk, *setup: Any) -> list[Any]:  # noqa: ANN401
        """Tell what is there and what it would take: found, estimate, calls to look into, the first of them."""
        if desk is None or desk.reports is None:
            told = notices.problems(desk.problems) if desk is not None else ""
            return [told, "", gr.update(choices=[], value=None), gr.update(value=1), ""]
        try:
            made, wanted, task = self._task(desk, setup)
            rows = self._rows(desk, task, wanted)
            pace = desk.pace.get(task.method.name)
            seconds = notices.seconds_of(rows, wanted.limits.concurrency, pace), pace is not None
            told = notices.estimate(task.method, rows, seconds, wanted.price)
        except AeollmError as error:
            return [notices.problems(error.problems), "", gr.update(choices=[], value=None), gr.update(value=1), ""]
        found = notices.found(task.material, demo=made.demo) + notices.problems(task.material.problems)
        names = [ask.name for ask in task.method.asks]
        return [found, told, gr.update(choices=names, value=names[0]), gr.update(value=1), ""]

    def looked(self, desk: Desk | None, ask: str, number: float, *setup: Any) -> str:  # noqa: ANN401
        """Show one call: what is sent, and what came back."""
        if desk is None or desk.reports is None:
            return notices.said("j_no_call")
        try:
            _, wanted, task = self._task(desk, setup)
            asks = [own for own in task.method.asks if own.name == ask] or list(task.method.asks[:1])
            attempts = wanted.limits.attempts
            at = int(number) if isinstance(number, int | float) and 0 < number < 1e9 else 1
            call = look_into(task, asks[0].name, at, desk.replies(place_of(task)), attempts)
            total = next(own.calls for own in estimated(task, Price()) if own.name == asks[0].name)
        except AeollmError as error:
            return notices.problems(error.problems)
        return notices.looked(call, total)

    def stepped(self, by: int, number: float | None) -> int:
        """Go to the next call, or the one before."""
        at = int(number) if isinstance(number, int | float) else 1
        return max(at + by, 1)

    def clicked(self, event: gr.EventData) -> list[Any]:
        """Choose the call whose number was clicked."""
        ask, _, number = str(event._data.get("call", "")).rpartition(":")
        return [ask, int(number)] if number.isdecimal() else [gr.skip(), gr.skip()]

    def started(self, desk: Desk, token: str | None, setup: Sequence[Any], *, trial: bool) -> list[Any]:
        """Start asking, unless something is going on already."""
        if desk.job is not None and desk.job.going:
            return [desk, *self.status(desk)]
        try:
            made, wanted, task = self._task(desk, setup, named=True)
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
        return self.started(self._desk(desk, request), _typed(token), setup, trial=True)

    def run_here(self, request: gr.Request, desk: Desk | None, token: str, *setup: Any) -> list[Any]:  # noqa: ANN401
        """Ask about all reports with the key that was typed."""
        return self.started(self._desk(desk, request), _typed(token), setup, trial=False)

    def trial_hosted(
        self,
        request: gr.Request,
        login: gr.OAuthToken | None,
        desk: Desk | None,
        *setup: Any,  # noqa: ANN401
    ) -> list[Any]:
        """Try the first reports with the visitor's own login."""
        return self._with_login(self._desk(desk, request), login, setup, trial=True)

    def run_hosted(
        self,
        request: gr.Request,
        login: gr.OAuthToken | None,
        desk: Desk | None,
        *setup: Any,  # noqa: ANN401
    ) -> list[Any]:
        """Ask about all reports with the visitor's own login."""
        return self._with_login(self._desk(desk, request), login, setup, trial=False)

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
        self._desk(desk, request)
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

    def left(self, request: gr.Request) -> None:
        """Stop asking for somebody whose page is closed."""
        desk = self._desks.get(str(request.session_hash))
        if desk is not None:
            desk.leave()

    def to_score(self, desk: Desk | None, uploads: Sequence[Upload] | None, name: str, session: Session) -> list[Any]:
        """Put the run beside those of the Score tab, with the labels of the answers that it judges."""
        judged = None if desk is None or desk.job is None else desk.job.judged
        if desk is None or judged is None or judged.built is None or desk.told is None:
            return [gr.skip()] * 6
        path = desk.write(f"{judged.task.method.name}_run.txt".replace("/", "_"), judged.built.text.encode())
        there = [str(own) for own, _ in named_files(uploads)]
        session, value = labels_of_run(judged, desk.demo, name, session, self.score.catalogue.demo)
        described = self.score.chosen(value, session)
        picker = self.score.picker(session, value)
        return [session, [*there, str(path)], picker, *described, gr.update(selected="score")]

    def _desk(self, desk: Desk | None, request: gr.Request) -> Desk:
        """Give the visitor's desk, a new one for the first time or where the old one was cleared."""
        if desk is None or desk.closed:
            desk = Desk()
        desk.come_back()
        self._desks[str(request.session_hash)] = desk
        return desk

    def _take_demo(self, desk: Desk) -> None:
        files = [(path, f"{path.parent.name}/{path.name}") for path in sorted(DEMO_REPORTS.glob("*/*.md"))]
        desk.reports, desk.problems, desk.demo = reports_of(files, desk.new_folder()), (), True

    def _take(self, desk: Desk, uploads: Sequence[Upload]) -> None:
        desk.reports, desk.problems, desk.demo = None, (), False
        try:
            files = uploaded_files(uploads)
            desk.remember(path for path, _ in files)
            desk.reports = reports_of(files, desk.new_folder())
        except AeollmError as error:
            desk.problems = error.problems

    def _task(self, desk: Desk, setup: Sequence[Any], *, named: bool = False) -> tuple[Setup, Wanted, Task]:
        """Make the task of what is chosen; where models may be missing, under a name that stands for them."""
        name, session, *fields = setup
        if desk.reports is None:
            raise UsageError("judge", desk.problems or [Problem("error", "no_reports", "there are no reports.", "")])
        made = Setup(self.access, desk.reports, self._labels(desk, name, session), desk.recipes, desk.demo)
        wanted = Wanted(*fields)
        try:
            return made, wanted, made.task(wanted)
        except UsageError:
            if named:
                raise
            return made, wanted, made.task(wanted, named=False)

    def _labels(self, desk: Desk, name: str, session: Session) -> LabelSet:
        """Give the labels chosen on the Score tab; the demo's for the demo's reports."""
        if desk.demo:
            return self.score.catalogue.demo
        offer = self.score.catalogue.offer()
        sets = label_sets(session, offer)
        return sets.get(name) or sets[offer.default]

    def _rows(self, desk: Desk, task: Task, wanted: Wanted) -> tuple[Estimated, ...]:
        path = desk.replies(place_of(task)) / REPLIES
        if not path.is_file():
            return estimated(task, wanted.price)
        with ReplyStore(path) as store:
            return estimated(task, wanted.price, store)

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
