"""The Judge tab's events: which component tells which callback what."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import gradio as gr

from aeollm.ui.judge_calls import Judging
from aeollm.ui.judge_looks import Looks
from aeollm.ui.judge_runs import Runs

_READING_AT_ONCE, _WATCHING_AT_ONCE = 2, 16
_PRIVATE: dict[str, Any] = {"api_visibility": "private", "preprocess": False}
_SETUP: dict[str, Any] = {**_PRIVATE, "concurrency_id": "judge-setup", "concurrency_limit": _READING_AT_ONCE}
WATCH: dict[str, Any] = {
    **_PRIVATE,
    "concurrency_id": "judge-watch",
    "concurrency_limit": _WATCHING_AT_ONCE,
    "show_progress": "hidden",
}
"""Of events that take no time."""


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
    """What came of it, and of what it came."""

    came_of: gr.HTML
    result: gr.HTML
    take_run: gr.DownloadButton
    replies: gr.DownloadButton
    report: gr.DownloadButton
    recipe: gr.DownloadButton
    whole: gr.DownloadButton
    to_score: gr.Button
    to_build: gr.Button
    to_calibrate: gr.Button


class Look(NamedTuple):
    """One call, looked into."""

    fold: gr.Accordion
    ask: gr.Dropdown
    number: gr.Number
    before: gr.Button
    after: gr.Button
    show: gr.Button
    shown: gr.HTML


class Wiring(NamedTuple):
    """Everything that events touch; ``setup`` begins with the labels chosen on the Score tab and the session."""

    calls: Judging
    desk: gr.State
    setup: list[Any]
    handed: Handed
    work: Work
    outcome: Outcome
    look: Look

    @property
    def measured(self) -> list[Any]:
        """Give what tells what is there, and what depends on it."""
        work = self.work
        return [self.handed.found, work.estimate, work.progress, work.trial, work.run, self.outcome.came_of]

    @property
    def described(self) -> list[Any]:
        """Give what begins anew besides."""
        return [*self.measured, self.look.ask, self.look.number, self.look.shown]

    @property
    def following(self) -> list[Any]:
        """Give what tells how far it is."""
        work = self.work
        return [work.progress, work.trial, work.run, work.pause, work.resume, work.cancel, work.timer]

    def inputs(self, tab: gr.Tab, fields: list[Any]) -> None:
        """Read what is handed in, and estimate what it takes."""
        calls, desk, handed, setup = self.calls, self.desk, self.handed, self.setup
        told = [desk, *self.described]
        shown: dict[str, Any] = {**_SETUP, "show_progress": "minimal", "show_progress_on": [handed.found]}
        tab.select(calls.opened, [desk, *setup], told, **shown)
        handed.files.change(calls.dropped, [desk, handed.files, *setup], told, **shown)
        own = [desk, handed.own, *setup]
        taken = handed.own.upload(calls.own_recipe, own, [desk, handed.recipe, handed.told], **_SETUP)
        again: dict[str, Any] = {"trigger_mode": "always_last", "show_progress": "hidden"}
        handed.recipe.input(calls.described, [desk, *setup], self.described, **_SETUP, **again)
        changed = [
            *(field.input for field in fields if isinstance(field, gr.Checkbox | gr.Radio | gr.Dropdown)),
            *(field.submit for field in fields if isinstance(field, gr.Number | gr.Textbox)),
            *(field.blur for field in fields if isinstance(field, gr.Number | gr.Textbox)),
        ]
        gr.on(changed, calls.measured, [desk, *setup], self.measured, **_SETUP, **again)
        taken.then(calls.described, [desk, *setup], self.described, **_SETUP)

    def running(self, runs: Runs, token: gr.Textbox | None) -> None:
        """Start, follow, steer."""
        calls, desk, work = self.calls, self.desk, self.work
        following, came_of, outcome = self.following, self.outcome.came_of, list(self.outcome[1:])
        asked = [desk, *([] if token is None else [token]), *self.setup]
        trial, run = (runs.trial_hosted, runs.run_hosted) if token is None else (runs.trial_here, runs.run_here)
        began, begun = {**_SETUP, "show_progress": "hidden"}, [desk, *following, *outcome, came_of]
        for button, starts in ((work.trial, trial), (work.run, run)):
            pressed = button.click(starts, asked, begun, **began)
            # From now on it is no longer true that nothing has been sent.
            pressed.then(calls.measured, [desk, *self.setup], self.measured, **began)
        for button, does in ((work.pause, runs.paused), (work.resume, runs.resumed)):
            button.click(does, [desk], [*following, self.outcome.result, self.outcome.replies], **WATCH)
        work.cancel.click(runs.cancelled, [desk], following, **WATCH)
        # Its change, once a run is over, tells what is on disk now.
        over = gr.State("")
        work.timer.tick(runs.ticked, [desk], [*following, *outcome, over], **WATCH)
        over.change(calls.measured, [desk, *self.setup], self.measured, show_progress="hidden", **_SETUP)

    def looking(self) -> None:
        """Look into one call."""
        calls, look = Looks(self.calls), self.look
        known, shown = [self.desk, look.ask, look.number, *self.setup], [look.number, look.shown]
        quiet = {**_SETUP, "show_progress": "hidden"}
        clicked = self.outcome.result.click(calls.clicked, [self.desk], [look.fold, look.ask, look.number], **WATCH)
        events: list[tuple[Any, int]] = [
            (look.show.click, 0),
            (look.fold.expand, 0),
            (look.ask.input, 0),
            (look.number.submit, 0),
            (look.before.click, -1),
            (look.after.click, 1),
            (clicked.then, 0),
        ]
        for event, by in events:
            event(partial(calls.looked, by), known, shown, **quiet)
