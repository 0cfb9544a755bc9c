"""The Score tab: drop runs, see how well they agree with people, or what is wrong with them."""

from __future__ import annotations

from typing import Any, NamedTuple

import gradio as gr

from aeollm.figures import view_title
from aeollm.sources import ASSETS
from aeollm.tables import MEASURES, OVERALL
from aeollm.ui import notices
from aeollm.ui.callbacks import Callbacks
from aeollm.ui.rendering import (
    Look,
    overview,
    question_columns,
    questions_figure,
    questions_table,
)
from aeollm.ui.session import Session

_MEASURES = [("Spearman ρ", "spearman"), ("Kendall τ-b", "kendall"), ("Pairwise accuracy", "accuracy")]
_ROW_BUTTONS = """
element.addEventListener('click', event => {
  const run = event.target.closest('[data-run]');
  if (run) trigger('click', {run: run.dataset.run});
});
"""
_PRIVATE: dict[str, Any] = {"api_visibility": "private", "preprocess": False, "concurrency_id": "scoring"}
_QUIET: dict[str, Any] = {**_PRIVATE, "show_progress": "hidden"}


class Inputs(NamedTuple):
    """What is handed in."""

    picker: gr.Dropdown
    status: gr.HTML
    own: gr.UploadButton
    files: gr.File
    demo: gr.Button
    template: gr.DownloadButton


class Outputs(NamedTuple):
    """What is shown."""

    report: gr.HTML
    shown: gr.Column
    measure: gr.Radio
    as_json: gr.DownloadButton
    as_csv: gr.DownloadButton
    table: gr.HTML
    run: gr.Dropdown
    view: gr.Dropdown
    overview: gr.Plot
    by_question: gr.Plot
    questions: gr.Dataframe


def build(page: gr.Blocks, calls: Callbacks, session: gr.State) -> Inputs:
    """Lay the tab out in a page and wire its events; give what is handed in, which other tabs build on."""
    timer = gr.Timer(1.0, active=bool(calls.catalogue.offer().pending))
    inputs = _inputs(calls)
    outputs = _outputs(calls.example)
    _wire(page, calls, (session, timer), inputs, outputs)
    return inputs


def _small(label: str, elem_id: str, kind: type[Any] = gr.DownloadButton, **options: Any) -> Any:  # noqa: ANN401  each kind of button
    return kind(label, elem_id=elem_id, size="sm", scale=0, min_width=150, **options)


def _inputs(calls: Callbacks) -> Inputs:
    offer = calls.catalogue.offer()
    with gr.Row(elem_id="labels-row", equal_height=True):
        picker = gr.Dropdown(list(offer.sets), value=offer.default, label="Labels", elem_id="labels", min_width=220)
        status = gr.HTML(calls.chosen(offer.default, calls.example)[0], elem_id="status")
        own = _small("Own labels…", "own-labels", gr.UploadButton, file_count="single")
    files = gr.File(label="Drop run files here, or click to choose", file_count="multiple", height=150, elem_id="runs")
    with gr.Row(elem_id="actions"):
        demo = _small("Try the demo runs", "demo-runs", gr.Button)
        template = _small("Template run", "template")
        gr.HTML((ASSETS / "format.html").read_text(encoding="utf-8"), elem_id="format")
    return Inputs(picker, status, own, files, demo, template)


def _outputs(first: Session) -> Outputs:
    names = [name for name, _ in first.scored]
    views = [(view_title(view), view) for view in first.evaluation.label_set.labels.views]
    look = Look(names[0], OVERALL, MEASURES[0])
    report = gr.HTML(notices.report(first), elem_id="report")
    with gr.Column(elem_id="results") as shown:
        with gr.Row(elem_id="measure-row"):
            measure = gr.Radio(_MEASURES, value=MEASURES[0], label="Measure", elem_id="measure", container=False)
            as_json = _small("Scores (JSON)", "as-json", interactive=False)
            as_csv = _small("Questions (CSV)", "as-csv", interactive=False)
        table = gr.HTML(notices.results(first, MEASURES[0]), elem_id="scores", js_on_load=_ROW_BUTTONS)
        with gr.Row(elem_id="question-row"):
            run = gr.Dropdown(names, value=names[0], label="Run", elem_id="run", min_width=160)
            view = gr.Dropdown(views, value=OVERALL, label="View", elem_id="view", min_width=160)
        with gr.Row(elem_id="figures"):
            all_runs = gr.Plot(overview(first), label="All runs", elem_id="overview", min_width=340)
            dots = gr.Plot(questions_figure(first, look), label="Questions", elem_id="by-question", min_width=340)
        questions = _questions(first, look)
    return Outputs(report, shown, measure, as_json, as_csv, table, run, view, all_runs, dots, questions)


def _questions(first: Session, look: Look) -> gr.Dataframe:
    table = questions_table(first, look)
    return gr.Dataframe(
        table,
        headers=table["headers"],
        label="Questions, most pairs lost first",
        elem_id="questions",
        interactive=False,
        show_search="search",
        pinned_columns=1,
        max_height=420,
        **question_columns(table),
    )


def _wire(page: gr.Blocks, calls: Callbacks, kept: tuple[gr.State, gr.Timer], inputs: Inputs, outputs: Outputs) -> None:
    session, timer = kept
    picker, status, own, files, demo, template = inputs
    o = outputs
    look, questions = [o.run, o.view, o.measure], [o.questions, o.by_question]
    described = [picker, status, template]
    taken = [o.as_json, o.as_csv]
    contents = [session, o.report, o.table, o.overview, o.run, o.view, o.shown, *questions, *taken]

    # Not `delete`: for files that the server put there it comes with the list from before.
    dropped = [files.change]
    again = [files, picker, session, *look]
    picked = picker.input(calls.chosen, [picker, session], [status, template], **_QUIET)
    changed = [
        gr.on(dropped, calls.dropped, again, contents, **_PRIVATE),
        picked.then(calls.scored, again, contents, **_PRIVATE),
        demo.click(calls.demo_runs, [session, *look], [files, *described, *contents], **_PRIVATE),
        own.upload(calls.own_labels, [own, *again], [*described, *contents], **_PRIVATE),
        page.load(calls.opened, [session], [*described, timer, o.view, o.measure, o.table, *questions], **_QUIET),
    ]
    for event in changed:
        event.then(calls.files_to_take, [session], taken, **_QUIET)
    looked = [o.run.input, o.view.input, o.measure.input]
    gr.on(looked, calls.looked_at, [session, *look], [o.table, *questions], trigger_mode="always_last", **_QUIET)
    o.table.click(calls.clicked_run, [session, o.view, o.measure], [o.run, *questions], **_QUIET)
    timer.tick(calls.refreshed, [files, picker, session], [*described, timer], **_QUIET)
