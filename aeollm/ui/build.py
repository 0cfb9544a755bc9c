"""The Build tab: from what a judge said to a run, and what every step on the way brings."""

from __future__ import annotations

from typing import Any, NamedTuple

import gradio as gr

from aeollm.sources import ASSETS
from aeollm.tables import MEASURES
from aeollm.ui.build_calls import Builds
from aeollm.ui.build_steps import Bench
from aeollm.ui.callbacks import Callbacks
from aeollm.ui.score import Scoring
from aeollm.ui.words import both, say

_BUILDING_AT_ONCE = 2
_MEASURES = [(say(measure), measure) for measure in MEASURES]
_PRIVATE: dict[str, Any] = {"api_visibility": "private", "preprocess": False}
_QUICK: dict[str, Any] = {**_PRIVATE, "concurrency_id": "scoring", "show_progress": "hidden"}
_SLOW: dict[str, Any] = {
    **_PRIVATE,
    "concurrency_id": "building",
    "concurrency_limit": _BUILDING_AT_ONCE,
    "trigger_mode": "always_last",
}
# Each change counts, in its order: gradio's "always_last" would send the first one's data again.
_CHANGE: dict[str, Any] = {
    **_PRIVATE,
    "show_progress": "hidden",
    "concurrency_id": "changing",
    "concurrency_limit": 1,
    "trigger_mode": "multiple",
}
_SMALL: dict[str, Any] = {"size": "sm", "scale": 0, "min_width": 150}


class Parts(NamedTuple):
    """The tab's components."""

    files: gr.File
    demo: gr.Button
    found: gr.HTML
    steps: gr.HTML
    measure: gr.Radio
    result: gr.HTML
    figure: gr.Plot
    details: gr.HTML


class TakeAway(NamedTuple):
    """What is taken away: files, and the way to the Score tab."""

    run: gr.DownloadButton
    recipe: gr.DownloadButton
    as_json: gr.DownloadButton
    to_score: gr.Button
    told: gr.HTML


def build(tab: gr.Tab, calls: Callbacks, session: gr.State, scoring: Scoring, tabs: gr.Tabs) -> gr.File:
    """Lay the tab out and wire its events; steps are carried out as soon as files or steps change.

    Give the drop zone, into which other tabs put files: it says that it has changed.
    """
    builds = Builds(calls)
    bench, held = gr.State(Bench()), gr.State(None)
    parts, take = _parts()
    labels = [scoring.picker, session]
    # The files go first: who sees other steps must not be able to take what the former ones gave.
    changed = [bench, *take[:-1], parts.found, parts.steps]
    shown = [parts.result, parts.figure]
    events = [
        tab.select(builds.opened, [bench, parts.files, *labels], changed, **_QUICK),
        parts.files.change(builds.dropped, [bench, parts.files, *labels], changed, **_QUICK),
        parts.steps.click(builds.edited, [bench, parts.files, *labels], changed, **_CHANGE),
    ]
    for event in events:
        event.then(
            builds.built,
            [bench, held, *labels, parts.measure],
            [held, *shown, parts.details, *take],
            show_progress="minimal",
            show_progress_on=[parts.result],
            **_SLOW,
        )
    parts.demo.click(builds.demo, None, [parts.files], **_QUICK)
    parts.measure.input(builds.looked_at, [held, parts.measure], shown, trigger_mode="always_last", **_QUICK)
    # One after the other: the zone that says it has changed would still name the labels chosen before.
    chosen = take.to_score.click(builds.labels_to_score, [held, *labels], scoring.labels, **_QUICK)
    chosen.then(builds.to_score, [held, scoring.files], [scoring.files, tabs], **_QUICK)
    return parts.files


def _parts() -> tuple[Parts, TakeAway]:
    gr.HTML(f'<p class="ae-note">{both("build_intro")}</p>')
    files = gr.File(label=say("build_drop"), file_count="multiple", height=160, elem_id="b-files")
    with gr.Row(elem_id="b-actions"):
        demo = gr.Button(say("build_try"), elem_id="b-demo", **_SMALL)
    found = gr.HTML(elem_id="b-found")
    steps = gr.HTML(elem_id="b-steps", js_on_load=(ASSETS / "build.js").read_text(encoding="utf-8"))
    with gr.Row(elem_id="b-measure-row"):
        measure = gr.Radio(_MEASURES, value=MEASURES[0], label=say("measure"), elem_id="b-measure", container=False)
        run = gr.DownloadButton(say("build_take_run"), elem_id="b-run", interactive=False, **_SMALL)
        recipe = gr.DownloadButton(say("build_take_recipe"), elem_id="b-recipe", interactive=False, **_SMALL)
        as_json = gr.DownloadButton(say("build_take_json"), elem_id="b-json", interactive=False, **_SMALL)
        to_score = gr.Button(say("build_to_score"), elem_id="b-to-score", interactive=False, **_SMALL)
    result = gr.HTML(elem_id="b-result")
    figure = gr.Plot(label=say("build_figure"), elem_id="b-figure", visible=False)
    details, told = gr.HTML(elem_id="b-details"), gr.HTML(elem_id="b-repeat")
    shown = Parts(files, demo, found, steps, measure, result, figure, details)
    return shown, TakeAway(run, recipe, as_json, to_score, told)
