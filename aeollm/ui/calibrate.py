"""The Calibrate tab: learn from people's answers what each of them would answer, and see how well that works."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import gradio as gr

from aeollm.calibration import MODELS
from aeollm.ui.calibrate_inputs import EXAMPLE, FILES, RUN
from aeollm.ui.calibrating import BESIDE, MODEL, Bench, Calibrations
from aeollm.ui.downloads import Downloads
from aeollm.ui.words import both, say

_FITTING_AT_ONCE = 2
_PRIVATE: dict[str, Any] = {"api_visibility": "private", "preprocess": False, "show_progress": "hidden"}
_QUICK: dict[str, Any] = {**_PRIVATE, "concurrency_id": "scoring"}
_SLOW: dict[str, Any] = {**_PRIVATE, "concurrency_id": "calibrating", "concurrency_limit": _FITTING_AT_ONCE}
_SMALL: dict[str, Any] = {"size": "sm", "scale": 0, "min_width": 170}
_SOURCES = {EXAMPLE: "cal_example", FILES: "cal_files", RUN: "cal_run"}


class Inputs(NamedTuple):
    """What is handed in."""

    source: gr.Radio
    files: gr.File
    more: gr.Accordion
    tests: gr.File
    renames: gr.Textbox
    run: gr.Dropdown
    found: gr.HTML


class Wanted(NamedTuple):
    """What is asked for."""

    target: gr.Dropdown
    model: gr.Dropdown
    beside: gr.Dropdown
    protocol: gr.Dropdown
    folds: gr.Number
    seeds: gr.Number


class Running(NamedTuple):
    """The work that goes on."""

    fit: gr.Button
    cancel: gr.Button
    progress: gr.HTML


class Outputs(NamedTuple):
    """What is shown."""

    whole: gr.Column
    table: gr.HTML
    shown: gr.Dropdown
    reliability: gr.Plot
    predicted: gr.Plot
    strictness: gr.Plot
    details: gr.HTML
    criteria: gr.Button
    make_run: gr.Button
    curve_figure: gr.Plot
    all_criteria: gr.HTML


class TakeAway(NamedTuple):
    """What is made on demand, and the files to take away."""

    curve: gr.Button
    make_report: gr.Button
    predictions: gr.DownloadButton
    calibrator: gr.DownloadButton
    run: gr.DownloadButton
    report: gr.DownloadButton


class Calibrating(NamedTuple):
    """What other tabs hand things to: the callbacks, what is handed in, and all that is filled when it is."""

    calls: Calibrations
    bench: gr.State
    source: gr.Radio
    files: gr.File
    chosen: list[Any]


def build(tab: gr.Tab, session: gr.State, downloads: Downloads) -> Calibrating:
    """Lay the tab out and wire its events; the example is fitted when it is opened for the first time."""
    calls = Calibrations(downloads)
    bench = gr.State(Bench())
    gr.HTML(f'<p class="ae-note">{both("cal_intro")}</p>')
    inputs, wanted, running = _inputs(), _wanted(), _running()
    outputs, take = _outputs()
    wired = _Wiring(calls, bench, wanted, running, outputs, take)
    chosen = wired.inputs(tab, session, inputs)
    wired.work()
    return Calibrating(calls, bench, inputs.source, inputs.files, chosen)


def _inputs() -> Inputs:
    choices = [(say(word), source) for source, word in _SOURCES.items()]
    source = gr.Radio(choices, value=EXAMPLE, label=say("cal_source"), elem_id="cal-source")
    files = gr.File(label=say("cal_drop"), file_count="multiple", height=130, elem_id="cal-files", visible=False)
    with gr.Accordion(say("cal_more"), open=False, elem_id="cal-more", visible=False) as more:
        tests = gr.File(label=say("cal_drop_test"), file_count="multiple", height=130, elem_id="cal-tests")
        renames = gr.Textbox(label=say("cal_rename"), placeholder="Q1=Q2 Q2=Q1", elem_id="cal-rename", max_lines=1)
    run = gr.Dropdown([], label=say("cal_which_run"), elem_id="cal-run", visible=False)
    return Inputs(source, files, more, tests, renames, run, gr.HTML(elem_id="cal-found"))


def _wanted() -> Wanted:
    models = [(say(f"cal_model_{name}"), name) for name in MODELS]
    with gr.Row(elem_id="cal-wanted"):
        target = gr.Dropdown([], label=say("cal_target"), elem_id="cal-target", min_width=130)
        model = gr.Dropdown(models, value=MODEL, label=say("cal_model"), elem_id="cal-model", min_width=240)
        protocol = gr.Dropdown(
            [(say("cal_protocol_folds"), "folds")],
            value="folds",
            label=say("cal_protocol"),
            elem_id="cal-protocol",
            min_width=190,
        )
        folds = gr.Number(
            5, label=say("cal_folds"), minimum=2, maximum=50, precision=0, elem_id="cal-folds", min_width=80
        )
        seeds = gr.Number(
            3, label=say("cal_seeds"), minimum=1, maximum=20, precision=0, elem_id="cal-seeds", min_width=80
        )
    beside = gr.Dropdown(
        models, value=list(BESIDE), multiselect=True, label=say("cal_beside"), elem_id="cal-beside", min_width=300
    )
    return Wanted(target, model, beside, protocol, folds, seeds)


def _running() -> Running:
    with gr.Row(elem_id="cal-actions"):
        fit = gr.Button(say("cal_fit"), variant="primary", elem_id="cal-fit", interactive=False, scale=0, min_width=170)
        cancel = gr.Button(say("cal_cancel"), elem_id="cal-cancel", visible=False, scale=0, min_width=120)
        progress = gr.HTML(elem_id="cal-progress", min_width=260)
    return Running(fit, cancel, progress)


def _outputs() -> tuple[Outputs, TakeAway]:
    with gr.Column(visible=False, elem_id="cal-results") as whole:
        table = gr.HTML(elem_id="cal-table")
        with gr.Row(elem_id="cal-take"):
            predictions = gr.DownloadButton(say("cal_take_predictions"), elem_id="cal-predictions", **_SMALL)
            calibrator = gr.DownloadButton(say("cal_take_calibrator"), elem_id="cal-calibrator", **_SMALL)
            make_report = gr.Button(say("cal_make_report"), elem_id="cal-make-report", **_SMALL)
            report = gr.DownloadButton(say("cal_take_report"), elem_id="cal-report", visible=False, **_SMALL)
        shown = gr.Dropdown([], label=say("cal_shown"), elem_id="cal-shown")
        with gr.Row(elem_id="cal-figures"):
            reliability = gr.Plot(label=say("cal_reliability"), elem_id="cal-reliability", min_width=340)
            predicted = gr.Plot(label=say("cal_predicted"), elem_id="cal-predicted", min_width=340)
        strictness = gr.Plot(label=say("cal_strictness"), elem_id="cal-strictness")
        details = gr.HTML(elem_id="cal-details")
        with gr.Row(elem_id="cal-demand"):
            curve = gr.Button(say("cal_curve"), elem_id="cal-curve", **_SMALL)
            criteria = gr.Button(say("cal_criteria"), elem_id="cal-criteria", **_SMALL)
            make_run = gr.Button(say("cal_make_run"), elem_id="cal-make-run", visible=False, **_SMALL)
            run = gr.DownloadButton(say("cal_take_run"), elem_id="cal-take-run", visible=False, **_SMALL)
        curve_figure = gr.Plot(label=say("cal_curve"), elem_id="cal-curve-figure", visible=False)
        all_criteria = gr.HTML(elem_id="cal-all-criteria")
    figures = (reliability, predicted, strictness, details, criteria, make_run, curve_figure, all_criteria)
    take = TakeAway(curve, make_report, predictions, calibrator, run, report)
    return Outputs(whole, table, shown, *figures), take


class _Wiring(NamedTuple):
    """Everything that events touch."""

    calls: Calibrations
    bench: gr.State
    wanted: Wanted
    running: Running
    outputs: Outputs
    take: TakeAway

    @property
    def buttons(self) -> list[gr.Button]:
        """Give what must not be pressed while work goes on, then what may."""
        return [self.running.fit, self.take.curve, self.outputs.criteria, self.outputs.make_run, self.running.cancel]

    def inputs(self, tab: gr.Tab, session: gr.State, inputs: Inputs) -> list[Any]:
        """Read what is handed in; on the first visit fit the example. Give what is filled when it is read."""
        calls, bench, wanted = self.calls, self.bench, self.wanted
        taken = [bench, inputs.found, wanted.target, wanted.protocol, wanted.model, self.running.fit]
        # Its change starts the first fit, and nothing when the tab is opened again: perhaps in the middle of another.
        first = gr.State("")
        opening = [*taken, inputs.run, self.running.progress, self.running.cancel, first]
        tab.select(calls.opened, [bench, inputs.source, inputs.run, session], opening, **_QUICK)
        self._show(first.change(calls.fitted, [bench, *wanted], [bench, self.running.progress], **_SLOW))
        changed = [
            inputs.source.input,
            inputs.files.change,
            inputs.tests.change,
            inputs.renames.submit,
            inputs.run.input,
        ]
        handed = [bench, inputs.source, inputs.files, inputs.tests, inputs.renames, inputs.run, session]
        visible = [inputs.files, inputs.more, inputs.run]
        told = [*visible, *taken, self.running.progress, self.outputs.whole]
        gr.on(changed, calls.chosen, handed, told, trigger_mode="always_last", **_QUICK)
        return told

    def work(self) -> None:
        """Fit, cancel, make what is wanted on demand."""
        calls, bench, take, shown = self.calls, self.bench, self.take, self.outputs
        began = [bench, self.running.progress, *self.buttons]
        state = [bench, self.running.progress]
        started = self.running.fit.click(calls.begun, [bench], began, **_QUICK)
        self._show(started.then(calls.fitted, [bench, *self.wanted], state, **_SLOW))
        for button, kind in ((take.curve, "curve"), (shown.criteria, "criteria"), (shown.make_run, "run")):
            begun = button.click(calls.begun, [bench], began, **_QUICK)
            made = begun.then(partial(calls.made, kind), [bench], state, **_SLOW)
            extras = [shown.curve_figure, shown.all_criteria, take.run]
            made.then(calls.extras, [bench], extras, **_QUICK).then(calls.finished, None, self.buttons, **_QUICK)
        self.running.cancel.click(
            calls.cancelled, [bench], [self.running.progress, *self.buttons], concurrency_limit=None, **_PRIVATE
        )
        looked = [shown.reliability, shown.predicted, shown.details]
        shown.shown.input(calls.looked_at, [bench, shown.shown], looked, trigger_mode="always_last", **_QUICK)
        take.make_report.click(calls.report_to_take, [bench], [take.report], **_QUICK)

    def _show(self, fitted: Any) -> None:  # noqa: ANN401  gradio does not name the type of an event
        """Show what came of a fit, and offer its files."""
        calls, bench, take, o = self.calls, self.bench, self.take, self.outputs
        figures = [o.reliability, o.predicted, o.strictness]
        contents = [o.whole, o.table, o.shown, *figures, o.details, o.criteria, o.make_run]
        contents += [o.curve_figure, o.all_criteria, take.run]
        shown = fitted.then(calls.shown, [bench, o.shown], contents, **_QUICK)
        done = shown.then(calls.finished, None, self.buttons, **_QUICK)
        done.then(calls.files_to_take, [bench], [take.predictions, take.calibrator], **_QUICK)
