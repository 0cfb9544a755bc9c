"""The Questions tab: which questions, and which pairs of answers, cost points."""

from __future__ import annotations

from typing import Any, NamedTuple

import gradio as gr

from aeollm.errors import printable
from aeollm.figures import matrix, rank_slopes, score_scatter
from aeollm.scoring import explain_question, question_language
from aeollm.tables import MEASURES
from aeollm.ui.detail_notices import answers_and_pairs, by_language, question_head
from aeollm.ui.door import guarded, sent
from aeollm.ui.notices import nothing_scored, shown_name
from aeollm.ui.rendering import Look, loss_order, question_columns, questions_table
from aeollm.ui.session import Session
from aeollm.ui.words import both, say, say_measures, say_view

_PRIVATE: dict[str, Any] = {"api_visibility": "private", "preprocess": False, "concurrency_id": "scoring"}
_QUIET: dict[str, Any] = {**_PRIVATE, "show_progress": "hidden"}
# gr.Plot has no click event: plotly's own is handed on through a component that has one.
_CLICKS = """
const listen = () => {
  const plot = document.querySelector('#q-matrix .js-plotly-plot');
  if (!plot || plot.dataset.watched || !plot.on) return;
  plot.dataset.watched = 'yes';
  plot.on('plotly_click', event => trigger('click', {row: event.points[0].y}));
};
new MutationObserver(listen).observe(document.body, {childList: true, subtree: true});
listen();
"""


class Parts(NamedTuple):
    """The tab's components."""

    run: gr.Dropdown
    view: gr.Dropdown
    measure: gr.Radio
    question: gr.Dropdown
    matrix: gr.Plot
    table: gr.Dataframe
    languages: gr.HTML
    head: gr.HTML
    slopes: gr.Plot
    scatter: gr.Plot
    pairs: gr.HTML
    clicks: gr.HTML


def filled(session: Session, run: str, view: str, measure: str, question: str) -> list[Any]:
    """Fill the whole tab for a run, view and measure; the question stays where the labels have it."""
    look = Look(run, view, measure)
    found = look.resolve(session)
    if found is None:
        empty = gr.update(choices=[], value=None)
        return [empty, empty, empty, None, questions_table(session, look), "", nothing_scored(session), None, None, ""]
    name, scores, view, measure = found
    order = loss_order(scores, view)
    chosen = question if question in scores.questions else scores.questions[order[0]]
    table = questions_table(session, look, short=True)
    rubrics = session.evaluation.label_set.rubrics
    prompts = rubrics.prompts if rubrics is not None else {}
    return [
        gr.update(choices=[(shown_name(other), other) for other, _ in session.scored], value=name),
        gr.update(choices=[(say_view(other), other) for other in scores.views], value=view),
        gr.update(choices=[(printable(scores.questions[q], 60), scores.questions[q]) for q in order], value=chosen),
        matrix(scores, measure, order, demo=session.evaluation.label_set.labels.demo),
        gr.update(value=table, **question_columns(table)),
        by_language(scores, view, prompts),
        *looked_into(session, name, view, chosen),
    ]


def looked_into(session: Session, run: str, view: str, question: str) -> list[Any]:
    """Show one question: text and weights, rank slopes, scatter, answers and lost pairs."""
    found = Look(run, view).resolve(session)
    if found is None or question not in found[1].questions:
        return [nothing_scored(session), None, None, ""]
    name, scores, view, _ = found
    label_set = session.evaluation.label_set
    whole = session.run(name)
    prompt = label_set.rubrics.prompts.get(question, "") if label_set.rubrics is not None else ""
    detail = explain_question(whole, label_set.labels, label_set.rubrics, question, view)
    return [
        question_head(detail, scores, prompt, question_language(prompt)),
        rank_slopes(detail, scores.views) if detail.answers else None,
        score_scatter(detail, scores.views) if detail.answers else None,
        answers_and_pairs(detail),
    ]


def row_chosen(session: Session, run: str, view: str, event: gr.EventData) -> list[Any]:
    """Look into the question whose table row was chosen."""
    found = Look(run, view).resolve(session)
    row = sent(event, "row_value")
    cell = str(row[0]) if isinstance(row, list) and row else ""
    questions = found[1].questions if found else ()
    question = next((question for question in questions if printable(question) == cell), "")
    return [gr.update(value=question or None), *looked_into(session, run, view, question)]


def cell_chosen(session: Session, run: str, view: str, event: gr.EventData) -> list[Any]:
    """Look into the question whose row of the matrix was clicked."""
    found = Look(run, view).resolve(session)
    order = [found[1].questions[q] for q in loss_order(found[1], found[2])] if found else []
    row = sent(event, "row")
    question = order[row] if isinstance(row, int) and 0 <= row < len(order) else ""
    return [gr.update(value=question or None), *looked_into(session, run, view, question)]


def build(tab: gr.Tab, session: gr.State) -> None:
    """Lay the tab out and wire its events; it is filled whenever it is opened."""
    parts = _parts()
    look = [parts.run, parts.view, parts.measure, parts.question]
    detail = [parts.head, parts.slopes, parts.scatter, parts.pairs]
    everything = [parts.run, parts.view, parts.question, parts.matrix, parts.table, parts.languages, *detail]
    looking = [session, *look]
    tab.select(guarded(filled, looking), looking, everything, **_QUIET)
    changed = [parts.run.input, parts.view.input, parts.measure.input]
    gr.on(changed, guarded(filled, looking), looking, everything, trigger_mode="always_last", **_QUIET)
    asked = [session, parts.run, parts.view]
    named = [*asked, parts.question]
    parts.question.input(guarded(looked_into, named), named, detail, trigger_mode="always_last", **_QUIET)
    parts.table.select(guarded(row_chosen, asked), asked, [parts.question, *detail], **_QUIET)
    parts.clicks.click(guarded(cell_chosen, asked), asked, [parts.question, *detail], **_QUIET)


def _parts() -> Parts:
    with gr.Row():
        run = gr.Dropdown([], label=say("run_label"), elem_id="q-run", min_width=160)
        view = gr.Dropdown([], label=say("view_label"), elem_id="q-view", min_width=160)
        measure = gr.Radio(say_measures(), value=MEASURES[0], label=say("measure"), elem_id="q-measure", min_width=320)
    with gr.Row():
        heat = gr.Plot(label=say("questions_by_views"), elem_id="q-matrix", min_width=340)
        with gr.Column(min_width=340):
            table = gr.Dataframe(
                label=say("choose_question"),
                elem_id="q-table",
                interactive=False,
                show_search="search",
                pinned_columns=1,
                max_height=420,
            )
            languages = gr.HTML(elem_id="q-languages")
    question = gr.Dropdown([], label=say("question_label"), elem_id="q-question")
    head = gr.HTML(f"<p>{both('no_runs')}</p>", elem_id="q-head")
    with gr.Row():
        slopes = gr.Plot(label=say("ranks"), elem_id="q-slopes", min_width=340)
        scatter = gr.Plot(label=say("scores"), elem_id="q-scatter", min_width=340)
    pairs = gr.HTML(elem_id="q-pairs")
    clicks = gr.HTML("", visible="hidden", js_on_load=_CLICKS)
    return Parts(run, view, measure, question, heat, table, languages, head, slopes, scatter, pairs, clicks)
