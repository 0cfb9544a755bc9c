"""The Score tab: drop runs, see how well they agree with people, or what is wrong with them."""

from __future__ import annotations

from typing import Any, NamedTuple

import gradio as gr

from aeollm.sources import ASSETS
from aeollm.tables import MEASURES, OVERALL
from aeollm.ui import notices
from aeollm.ui.callbacks import Callbacks
from aeollm.ui.door import guarded
from aeollm.ui.rendering import (
    Look,
    overview,
    question_columns,
    questions_figure,
    questions_table,
)
from aeollm.ui.session import Session
from aeollm.ui.words import say, say_measures, say_view

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


class Scoring(NamedTuple):
    """What other tabs hand runs to: labels with their description, the drop zone, what scoring takes and fills.

    ``loaded`` is the event of a page that was opened.
    """

    picker: gr.Dropdown
    status: gr.HTML
    template: gr.DownloadButton
    files: gr.File
    again: list[Any]
    contents: list[Any]
    loaded: Any

    @property
    def labels(self) -> list[Any]:
        """Give what is filled when other labels are chosen."""
        return [self.picker, self.status, self.template]


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


def build(page: gr.Blocks, calls: Callbacks, session: gr.State) -> Scoring:
    """Lay the tab out in a page and wire its events; give what other tabs build on."""
    timer = gr.Timer(1.0, active=bool(calls.catalogue.offer().pending))
    inputs = _inputs(calls)
    outputs = _outputs(calls.example)
    return _wire(page, calls, (session, timer), inputs, outputs)


def _small(key: str, elem_id: str, kind: type[Any] = gr.DownloadButton, **options: Any) -> Any:  # noqa: ANN401  each kind of button
    return kind(say(key), elem_id=elem_id, size="sm", scale=0, min_width=150, **options)


def _inputs(calls: Callbacks) -> Inputs:
    offer = calls.catalogue.offer()
    status_now, template_now = calls.chosen(offer.default, calls.example)
    with gr.Row(elem_id="labels-row", equal_height=True):
        picker = gr.Dropdown(
            list(offer.sets), value=offer.default, label=say("labels"), elem_id="labels", min_width=220
        )
        status = gr.HTML(status_now, elem_id="status")
        own = _small("own_labels", "own-labels", gr.UploadButton, file_count="single")
    files = gr.File(label=say("drop_runs"), file_count="multiple", height=150, elem_id="runs")
    with gr.Row(elem_id="actions"):
        demo = _small("try_demo", "demo-runs", gr.Button)
        template = _small("template_run", "template", value=template_now)
        gr.HTML((ASSETS / "format.html").read_text(encoding="utf-8"), elem_id="format")
    return Inputs(picker, status, own, files, demo, template)


def _outputs(first: Session) -> Outputs:
    names = [name for name, _ in first.scored]
    views = [(say_view(view), view) for view in first.evaluation.label_set.labels.views]
    look = Look(names[0], OVERALL, MEASURES[0])
    report = gr.HTML(notices.report(first), elem_id="report")
    with gr.Column(elem_id="results") as shown:
        with gr.Row(elem_id="measure-row"):
            measure = gr.Radio(
                say_measures(), value=MEASURES[0], label=say("measure"), elem_id="measure", container=False
            )
            as_json = _small("scores_json", "as-json", interactive=False)
            as_csv = _small("questions_csv", "as-csv", interactive=False)
        table = gr.HTML(notices.results(first, MEASURES[0]), elem_id="scores", js_on_load=_ROW_BUTTONS)
        with gr.Row(elem_id="question-row"):
            run = gr.Dropdown(names, value=names[0], label=say("run_label"), elem_id="run", min_width=160)
            view = gr.Dropdown(views, value=OVERALL, label=say("view_label"), elem_id="view", min_width=160)
        with gr.Row(elem_id="figures"):
            all_runs = gr.Plot(overview(first), label=say("all_runs"), elem_id="overview", min_width=340)
            dots = gr.Plot(questions_figure(first, look), label=say("questions"), elem_id="by-question", min_width=340)
        questions = _questions(first, look)
    return Outputs(report, shown, measure, as_json, as_csv, table, run, view, all_runs, dots, questions)


def _questions(first: Session, look: Look) -> gr.Dataframe:
    table = questions_table(first, look)
    return gr.Dataframe(
        table,
        headers=table["headers"],
        label=say("questions_by_loss"),
        elem_id="questions",
        interactive=False,
        show_search="search",
        pinned_columns=1,
        max_height=420,
        **question_columns(table),
    )


def _wire(
    page: gr.Blocks, calls: Callbacks, kept: tuple[gr.State, gr.Timer], inputs: Inputs, outputs: Outputs
) -> Scoring:
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
    picked = picker.input(guarded(calls.chosen, [picker, session]), [picker, session], [status, template], **_QUIET)
    handed, tried = [own, *again], [session, *look]
    changed = [
        gr.on(dropped, guarded(calls.dropped, again), again, contents, **_PRIVATE),
        picked.then(guarded(calls.scored, again), again, contents, **_PRIVATE),
        demo.click(guarded(calls.demo_runs, tried), tried, [files, *described, *contents], **_PRIVATE),
        own.upload(guarded(calls.own_labels, handed), handed, [*described, *contents], **_PRIVATE),
        page.load(calls.opened, [session], [*described, timer, o.view, o.measure, o.table, *questions], **_QUIET),
    ]
    for event in changed:
        event.then(calls.files_to_take, [session], taken, **_QUIET)
    looked, seen = [o.run.input, o.view.input, o.measure.input], [o.table, *questions]
    gr.on(looked, guarded(calls.looked_at, tried), tried, seen, trigger_mode="always_last", **_QUIET)
    clicked, waited = [session, o.view, o.measure], [files, picker, session]
    o.table.click(guarded(calls.clicked_run, clicked), clicked, [o.run, *questions], **_QUIET)
    timer.tick(guarded(calls.refreshed, waited), waited, [*described, timer], **_QUIET)
    return Scoring(picker, status, template, files, again, contents, changed[-1])
