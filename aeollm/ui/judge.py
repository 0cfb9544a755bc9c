"""The Judge tab: from reports to a run, by asking a model, after an estimate and a trial."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import gradio as gr

from aeollm.sources import ASSETS
from aeollm.ui.calibrate import Calibrating
from aeollm.ui.callbacks import Callbacks
from aeollm.ui.judge_access import Access
from aeollm.ui.judge_calls import Judging
from aeollm.ui.judge_desk import Desk
from aeollm.ui.judge_fields import fields_of
from aeollm.ui.judge_handing import Handing
from aeollm.ui.judge_runs import Runs
from aeollm.ui.score import Scoring
from aeollm.ui.words import both, say

_READING_AT_ONCE, _WATCHING_AT_ONCE = 2, 16
_TICK = 0.5
_PRIVATE: dict[str, Any] = {"api_visibility": "private", "preprocess": False}
_SETUP: dict[str, Any] = {**_PRIVATE, "concurrency_id": "judge-setup", "concurrency_limit": _READING_AT_ONCE}
_WATCH: dict[str, Any] = {
    **_PRIVATE,
    "concurrency_id": "judge-watch",
    "concurrency_limit": _WATCHING_AT_ONCE,
    "show_progress": "hidden",
}
_SMALL: dict[str, Any] = {"size": "sm", "scale": 0, "min_width": 130}
_CALLS = """
element.addEventListener('click', event => {
  const call = event.target.closest('[data-call]');
  if (call) trigger('click', {call: call.dataset.call});
});
"""


class Handed(NamedTuple):
    """What is handed in, and what was found in it."""

    files: gr.File
    recipe: gr.Dropdown
    own: gr.UploadButton
    told: gr.HTML
    found: gr.HTML


class Work(NamedTuple):
    """What can be pressed, and how far it is."""

    estimate: gr.HTML
    progress: gr.HTML
    trial: gr.Button
    run: gr.Button
    pause: gr.Button
    resume: gr.Button
    cancel: gr.Button
    timer: gr.Timer


class Outcome(NamedTuple):
    """What came of it."""

    result: gr.HTML
    take_run: gr.DownloadButton
    replies: gr.DownloadButton
    report: gr.DownloadButton
    recipe: gr.DownloadButton
    whole: gr.DownloadButton
    to_score: gr.Button
    to_build: gr.Button
    to_calibrate: gr.Button


class Others(NamedTuple):
    """What is handed things: the row of tabs, the Build tab's drop zone, the Calibrate tab."""

    tabs: gr.Tabs
    building: gr.File
    calibrating: Calibrating


class Look(NamedTuple):
    """One call, looked into."""

    fold: gr.Accordion
    ask: gr.Dropdown
    number: gr.Number
    before: gr.Button
    after: gr.Button
    show: gr.Button
    shown: gr.HTML


class Laid(NamedTuple):
    """The tab as it is laid out: what has to know when a page is closed, and what other tabs are handed things from."""

    judging: Judging
    desk: gr.State
    outcome: Outcome


def build(tab: gr.Tab, calls: Callbacks, session: gr.State, scoring: Scoring, access: Access) -> Laid:
    """Lay the tab out and wire its events, but for those that need the other tabs."""
    judging = Judging(calls, access)
    desk: gr.State = gr.State(None, delete_callback=_close)
    gr.HTML(f'<p class="ae-note">{both("j_intro" if access.local else "j_intro_hosted")}</p>')
    handed = _handed(judging)
    fields, token = fields_of(access)
    work, outcome, look = _work(), _outcome(), _look()
    wired = _Wiring(judging, desk, [scoring.picker, session, handed.recipe, *fields], handed, work, look)
    wired.inputs(tab, fields)
    wired.running(Runs(judging), token, outcome)
    wired.looking(outcome)
    return Laid(judging, desk, outcome)


def hand_over(laid: Laid, session: gr.State, scoring: Scoring, others: Others) -> None:
    """Wire what hands over to the other tabs, all of which are laid out by now."""
    desk, outcome, to = laid.desk, laid.outcome, Handing(laid.judging, others.calibrating.calls)
    labels = [desk, scoring.picker, session], [session, *scoring.labels]
    # One after the other: the zone that says it has changed would still name the labels chosen before.
    chosen = outcome.to_score.click(to.labels, *labels, **_WATCH)
    chosen.then(to.to_score, [desk, scoring.files], [scoring.files, others.tabs], **_WATCH)
    chosen = outcome.to_build.click(to.labels, *labels, **_WATCH)
    chosen.then(to.to_build, [desk, others.building], [others.building, others.tabs], **_WATCH)

    chosen = outcome.to_calibrate.click(to.labels_to_calibrate, *labels, **_WATCH)
    handed = chosen.then(to.run_to_calibrate, [desk, scoring.files], [scoring.files], **_WATCH)
    scored = handed.then(to.scored, [desk, *scoring.again], scoring.contents, **_WATCH)
    there = others.calibrating
    known, filled = [desk, there.files, there.bench, session], [there.source, *there.chosen]
    # The tab is opened last: with the example chosen it would begin to fit that.
    scored.then(to.to_calibrate, known, filled, **_WATCH).then(
        to.show_calibrate, [desk, session], [others.tabs], **_WATCH
    )


def _close(desk: Desk | None) -> None:
    if desk is not None:
        desk.close()


def _handed(judging: Judging) -> Handed:
    files = gr.File(label=say("j_drop"), file_count="multiple", height=150, elem_id="j-files")
    with gr.Row(elem_id="j-choose"):
        gr.HTML(
            f'<button type="button" class="ae-j-folder">{both("j_folder")}</button>'
            '<input type="file" webkitdirectory multiple hidden>',
            elem_id="j-folder",
            js_on_load=(ASSETS / "folder.js").read_text(encoding="utf-8"),
            min_width=150,
        )
        recipe = gr.Dropdown(judging.recipes(), value="holistic", label=say("j_recipe"), elem_id="j-recipe", scale=3)
        own = gr.UploadButton(say("j_own_recipe"), elem_id="j-own", file_count="single", **_SMALL)
    return Handed(
        files,
        recipe,
        own,
        gr.HTML(elem_id="j-told", elem_classes="ae-j"),
        gr.HTML(elem_id="j-found", elem_classes="ae-j"),
    )


def _work() -> Work:
    estimate = gr.HTML(elem_id="j-estimate", elem_classes="ae-j")
    with gr.Row(elem_id="j-actions"):
        trial = gr.Button(say("j_trial"), variant="primary", elem_id="j-trial", scale=0, min_width=190)
        run = gr.Button(say("j_run"), elem_id="j-run", scale=0, min_width=170)
        pause = gr.Button(say("j_pause"), elem_id="j-pause", visible=False, scale=0, min_width=110)
        resume = gr.Button(say("j_resume"), elem_id="j-resume", visible=False, scale=0, min_width=110)
        cancel = gr.Button(say("j_cancel"), elem_id="j-cancel", visible=False, scale=0, min_width=110)
    progress = gr.HTML(elem_id="j-progress", elem_classes="ae-j")
    return Work(estimate, progress, trial, run, pause, resume, cancel, gr.Timer(_TICK, active=False))


def _outcome() -> Outcome:
    result = gr.HTML(elem_id="j-result", elem_classes="ae-j", js_on_load=_CALLS)
    with gr.Row(elem_id="j-take"):
        run, replies, report, recipe, whole = (
            gr.DownloadButton(say(f"j_take_{name}"), elem_id=f"j-take-{name}", interactive=False, **_SMALL)
            for name in ("run", "replies", "report", "recipe", "whole")
        )
    with gr.Row(elem_id="j-hand-over"):
        ways = (
            gr.Button(say(f"j_to_{name}"), elem_id=f"j-to-{name}", interactive=False, **_SMALL)
            for name in ("score", "build", "calibrate")
        )
        return Outcome(result, run, replies, report, recipe, whole, *ways)


def _look() -> Look:
    with gr.Accordion(say("j_look"), open=False, elem_id="j-look") as fold:
        with gr.Row(elem_id="j-look-row"):
            ask = gr.Dropdown([], label=say("j_asked"), elem_id="j-ask", min_width=160)
            number = gr.Number(1, label=say("j_number"), minimum=1, precision=0, elem_id="j-number", min_width=110)
            before = gr.Button("←", elem_id="j-before", size="sm", scale=0, min_width=50)
            after = gr.Button("→", elem_id="j-after", size="sm", scale=0, min_width=50)
            show = gr.Button(say("j_show"), elem_id="j-show", size="sm", scale=0, min_width=120)
        shown = gr.HTML(elem_id="j-call")
    return Look(fold, ask, number, before, after, show, shown)


class _Wiring(NamedTuple):
    """Everything that events touch."""

    calls: Judging
    desk: gr.State
    setup: list[Any]
    handed: Handed
    work: Work
    look: Look

    @property
    def described(self) -> list[Any]:
        """Give what tells what is there."""
        return [self.handed.found, self.work.estimate, self.look.ask, self.look.number, self.look.shown]

    def inputs(self, tab: gr.Tab, fields: list[Any]) -> None:
        """Read what is handed in, and estimate what it takes."""
        calls, desk, handed, setup = self.calls, self.desk, self.handed, self.setup
        told = [desk, *self.described]
        shown: dict[str, Any] = {**_SETUP, "show_progress": "minimal", "show_progress_on": [handed.found]}
        tab.select(calls.opened, [desk, *setup], told, **shown)
        handed.files.change(calls.dropped, [desk, handed.files, *setup], told, **shown)
        taken = handed.own.upload(calls.own_recipe, [desk, handed.own], [desk, handed.recipe, handed.told], **_SETUP)
        again: dict[str, Any] = {"trigger_mode": "always_last", "show_progress": "hidden"}
        handed.recipe.input(calls.described, [desk, *setup], self.described, **_SETUP, **again)
        changed = [
            *(field.input for field in fields if isinstance(field, gr.Checkbox | gr.Radio | gr.Dropdown)),
            *(field.submit for field in fields if isinstance(field, gr.Number | gr.Textbox)),
            *(field.blur for field in fields if isinstance(field, gr.Number | gr.Textbox)),
        ]
        gr.on(changed, calls.measured, [desk, *setup], self.described[:2], **_SETUP, **again)
        taken.then(calls.described, [desk, *setup], self.described, **_SETUP)

    def running(self, runs: Runs, token: gr.Textbox | None, outcome: Outcome) -> None:
        """Start, follow, steer."""
        calls, desk, work = self.calls, self.desk, self.work
        following = [work.progress, work.trial, work.run, work.pause, work.resume, work.cancel, work.timer]
        asked = [desk, *([] if token is None else [token]), *self.setup]
        trial, run = (runs.trial_hosted, runs.run_hosted) if token is None else (runs.trial_here, runs.run_here)
        began = {**_SETUP, "show_progress": "hidden"}
        work.trial.click(trial, asked, [desk, *following], **began)
        work.run.click(run, asked, [desk, *following], **began)
        for button, does in ((work.pause, runs.paused), (work.resume, runs.resumed), (work.cancel, runs.cancelled)):
            button.click(does, [desk], following, **_WATCH)
        # Its change, once a run is over, tells what is on disk now.
        over = gr.State("")
        work.timer.tick(runs.ticked, [desk], [*following, *outcome, over], **_WATCH)
        over.change(calls.measured, [desk, *self.setup], self.described[:2], show_progress="hidden", **_SETUP)

    def looking(self, outcome: Outcome) -> None:
        """Look into one call."""
        calls, look = self.calls, self.look
        shown = [self.desk, look.ask, look.number, *self.setup]
        quiet = {**_SETUP, "show_progress": "hidden"}
        events: list[Any] = [
            look.show.click,
            look.before.click(partial(calls.stepped, -1), [look.number], [look.number], **_WATCH).then,
            look.after.click(partial(calls.stepped, 1), [look.number], [look.number], **_WATCH).then,
            outcome.result.click(calls.clicked, None, [look.fold, look.ask, look.number], **_WATCH).then,
        ]
        for event in events:
            event(calls.looked, shown, [look.shown], **quiet)
