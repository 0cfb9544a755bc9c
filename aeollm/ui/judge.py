"""The Judge tab: from reports to a run, by asking a model, after an estimate and a trial."""

from __future__ import annotations

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
from aeollm.ui.judge_recipes import bundled
from aeollm.ui.judge_runs import Runs
from aeollm.ui.judge_wiring import WATCH, Handed, Look, Outcome, Wiring, Work
from aeollm.ui.score import Scoring
from aeollm.ui.words import both, say

_TICK = 0.5
_SMALL: dict[str, Any] = {"size": "sm", "scale": 0, "min_width": 130}
_CALLS = """
element.addEventListener('click', event => {
  const call = event.target.closest('[data-call]');
  if (call) trigger('click', {call: call.dataset.call});
});
"""


class Others(NamedTuple):
    """What is handed things: the row of tabs, the Build tab's drop zone, the Calibrate tab."""

    tabs: gr.Tabs
    building: gr.File
    calibrating: Calibrating


class Laid(NamedTuple):
    """The tab as it is laid out: what has to know when a page is closed, and what other tabs are handed things from."""

    wired: Wiring
    runs: Runs
    desk: gr.State
    outcome: Outcome


def build(tab: gr.Tab, calls: Callbacks, session: gr.State, scoring: Scoring, access: Access) -> Laid:
    """Lay the tab out and wire its events, but for those that need the other tabs."""
    judging = Judging(calls, access)
    desk: gr.State = gr.State(None, delete_callback=_close)
    gr.HTML(f'<p class="ae-note">{both("j_intro" if access.local else "j_intro_hosted")}</p>', elem_classes="ae-j")
    handed = _handed()
    fields, token = fields_of(access)
    work, outcome, look = _work(), _outcome(), _look()
    runs = Runs(judging)
    wired = Wiring(judging, desk, [scoring.picker, session, handed.recipe, *fields], handed, work, outcome, look)
    wired.inputs(tab, fields)
    wired.running(runs, token)
    wired.looking()
    return Laid(wired, runs, desk, outcome)


def hand_over(laid: Laid, session: gr.State, scoring: Scoring, others: Others) -> None:
    """Wire what hands over to the other tabs, all of which are laid out by now."""
    desk, outcome, to = laid.desk, laid.outcome, Handing(laid.wired.calls, others.calibrating.calls)
    labels = [desk, session], [session, *scoring.labels]
    # One after the other: the zone that says it has changed would still name the labels chosen before.
    chosen = outcome.to_score.click(to.labels, *labels, **WATCH)
    chosen.then(to.to_score, [desk, scoring.files], [scoring.files, others.tabs], **WATCH)
    chosen = outcome.to_build.click(to.labels, *labels, **WATCH)
    chosen.then(to.to_build, [desk, others.building], [others.building, others.tabs], **WATCH)

    chosen = outcome.to_calibrate.click(to.labels_to_calibrate, *labels, **WATCH)
    handed = chosen.then(to.run_to_calibrate, [desk, scoring.files], [scoring.files], **WATCH)
    scored = handed.then(to.scored, [desk, *scoring.again], scoring.contents, **WATCH)
    there = others.calibrating
    known, filled = [desk, there.files, there.bench, session], [there.source, *there.chosen]
    # The tab is opened last: with the example chosen it would begin to fit that.
    scored.then(to.to_calibrate, known, filled, **WATCH).then(
        to.show_calibrate, [desk, session], [others.tabs], **WATCH
    )


def stay(app: gr.Blocks, laid: Laid, session: gr.State, scoring: Scoring, tabs: gr.Tabs) -> None:
    """Know when a page's connection breaks, take its signs of life, and give a page loaded anew what it held."""
    calls, wired, desk = laid.wired.calls, laid.wired, laid.desk
    app.unload(calls.left)
    page = gr.HTML("", visible="hidden", elem_id="j-alive", js_on_load=(ASSETS / "alive.js").read_text("utf-8"))
    found, held = gr.State(""), [session, *scoring.labels, *wired.setup[2:]]
    page.click(calls.alive, [desk], [desk, found, tabs], **WATCH)
    # Under load the page's own start can come last, and choose its labels anew.
    scoring.loaded.then(calls.loaded, [desk], [found], **WATCH)
    again = found.change(calls.found_again, [desk, session], held, **WATCH)
    filled = again.then(calls.opened, [desk, *wired.setup], [desk, *wired.described], **WATCH)
    filled.then(laid.runs.status, [desk], wired.following, **WATCH)


def _close(desk: Desk | None) -> None:
    """Give a desk up whose session is over, unless a page loaded anew has it."""
    if desk is not None:
        desk.leave()


def _handed() -> Handed:
    with gr.Row(elem_id="j-choose"):
        with gr.Column(scale=3, min_width=300):
            files = gr.File(label=say("j_drop"), file_count="multiple", height=190, elem_id="j-files")
            gr.HTML(
                f'<button type="button" class="ae-j-folder">{both("j_folder")}</button>'
                '<input type="file" webkitdirectory multiple hidden>',
                elem_id="j-folder",
                js_on_load=(ASSETS / "folder.js").read_text(encoding="utf-8"),
            )
        with gr.Column(scale=2, min_width=300):
            recipe = gr.Dropdown(bundled(), value="holistic", label=say("j_recipe"), elem_id="j-recipe")
            own = gr.UploadButton(say("j_own_recipe"), elem_id="j-own", file_count="multiple", **_SMALL)
            told = _notice("j-told")
            found = _notice("j-found")
    return Handed(files, recipe, own, told, found)


def _notice(name: str) -> gr.HTML:
    return gr.HTML(elem_id=name, elem_classes="ae-j")


def _work() -> Work:
    estimate = _notice("j-estimate")
    with gr.Row(elem_id="j-actions"):
        trial = gr.Button(say("j_trial"), variant="primary", elem_id="j-trial", scale=0, min_width=190)
        run = gr.Button(say("j_run"), elem_id="j-run", scale=0, min_width=170)
        pause = gr.Button(say("j_pause"), elem_id="j-pause", visible=False, scale=0, min_width=110)
        resume = gr.Button(say("j_resume"), elem_id="j-resume", visible=False, scale=0, min_width=110)
        cancel = gr.Button(say("j_cancel"), elem_id="j-cancel", visible=False, scale=0, min_width=110)
    progress = _notice("j-progress")
    return Work(estimate, progress, trial, run, pause, resume, cancel, gr.Timer(_TICK, active=False))


def _outcome() -> Outcome:
    came_of = _notice("j-came-of")
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
        return Outcome(came_of, result, run, replies, report, recipe, whole, *ways)


def _look() -> Look:
    with gr.Accordion(say("j_look"), open=False, elem_id="j-look") as fold:
        with gr.Row(elem_id="j-look-row"):
            ask = gr.Dropdown([], label=say("j_asked"), elem_id="j-ask", min_width=160)
            number = gr.Number(1, label=say("j_number"), minimum=1, precision=0, elem_id="j-number", min_width=110)
            before = gr.Button("←", elem_id="j-before", scale=0, min_width=50)
            after = gr.Button("→", elem_id="j-after", scale=0, min_width=50)
            show = gr.Button(say("j_show"), elem_id="j-show", scale=0, min_width=120)
        shown = gr.HTML(elem_id="j-call")
    return Look(fold, ask, number, before, after, show, shown)
