"""The Compare tab: whether one run is really better than another on this many questions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from html import escape
from typing import Any, NamedTuple, cast, get_args

import gradio as gr

from aeollm.errors import AeollmError
from aeollm.exports import comparison_csv, comparison_json, comparison_latex
from aeollm.figures import forest, paired_differences
from aeollm.reporting import (
    chance_section,
    deciding_questions,
    diagnostics_section,
    html_report,
    net_pairs,
    pair_table,
)
from aeollm.tables import MEASURES, OVERALL, Plan
from aeollm.tables.plan import Correction, Interval
from aeollm.ui import compare_notices as notices
from aeollm.ui.compared import Compared, asked, compare
from aeollm.ui.door import guarded
from aeollm.ui.downloads import Downloads
from aeollm.ui.notices import nothing_scored, shown_name
from aeollm.ui.session import Session
from aeollm.ui.words import both, say, say_measures, say_view

_CORRECTIONS, _INTERVALS = get_args(Correction), get_args(Interval)
_PRIVATE: dict[str, Any] = {"api_visibility": "private", "preprocess": False, "concurrency_id": "scoring"}
_QUIET: dict[str, Any] = {**_PRIVATE, "show_progress": "hidden"}
_SMALL: dict[str, Any] = {"size": "sm", "scale": 0, "min_width": 180}


class Parts(NamedTuple):
    """The tab's components."""

    runs: gr.Dropdown
    repeats: gr.Dropdown
    correction: gr.Dropdown
    interval: gr.Dropdown
    view: gr.Dropdown
    measure: gr.Radio
    table: gr.HTML
    forest: gr.Plot
    first: gr.Dropdown
    second: gr.Dropdown
    words: gr.HTML
    paired: gr.Plot
    pair: gr.HTML


class TakeAway(NamedTuple):
    """The files to take away."""

    as_json: gr.DownloadButton
    as_csv: gr.DownloadButton
    as_latex: gr.DownloadButton
    make: gr.Button
    report: gr.DownloadButton


def compared(
    session: Session, held: Compared | None, chosen: Sequence[str] | None, repeats: Sequence[str] | None, *look: str
) -> list[Any]:
    """Compare the chosen runs (all of the session at first) and fill the tab."""
    correction, interval, view, measure, first, second = look
    scored = [name for name, _ in session.scored]
    kept = [name for name in chosen or [] if name in scored]
    kept = kept if len(kept) > 1 or (chosen and not set(chosen) - set(scored)) else scored
    again = [name for name in repeats or [] if name in kept]
    # Plan refuses any other value, which no choice of the page is.
    correction = correction if correction in _CORRECTIONS else _CORRECTIONS[0]
    interval = interval if interval in _INTERVALS else _INTERVALS[0]
    plan = Plan(correction=cast("Any", correction), interval=cast("Any", interval))
    try:
        if held is None or held.asked != asked(session, kept, again, plan):
            held = compare(session, kept, again, plan)
        shown = looked_at(session, held, view, measure, first, second)
    except AeollmError as error:
        held, shown = None, [f'<p lang="en">{escape(str(error))}</p>', *[None] * 6]
    choices = [(shown_name(name), name) for name in scored]
    views = [(say_view(name), name) for name in session.evaluation.label_set.labels.views]
    view = view if view in [name for _, name in views] else OVERALL
    return [
        held,
        gr.update(choices=choices, value=kept),
        gr.update(choices=[(shown_name(name), name) for name in kept], value=again),
        gr.update(choices=views, value=view),
        *shown,
        # What there was to take is of the comparison before.
        *[gr.update(interactive=False)] * 3,
        gr.update(visible=False),
    ]


def looked_at(session: Session, held: Compared | None, *look: str) -> list[Any]:
    """Show another view, measure or pair (``look``) of a comparison that is there already."""
    view, measure, first, second = look
    if held is None:
        return [_few(session), None, gr.update(choices=[], value=None), gr.update(choices=[], value=None), "", None, ""]
    comparison = held.comparison
    view = view if view in comparison.views else OVERALL
    measure = measure if measure in MEASURES else MEASURES[0]
    names = list(comparison.names)
    first = first if first in names else names[0]
    second = second if second in names and second != first else next(name for name in names if name != first)
    choices = [(shown_name(name), name) for name in names]
    return [
        notices.runs_table(comparison, view, measure) + _repeats(held),
        forest(comparison, view, measure),
        gr.update(choices=choices, value=first),
        gr.update(choices=choices, value=second),
        *_pair(session, held, (first, second), view, measure),
    ]


def _few(session: Session) -> str:
    """Say what is missing for a comparison."""
    return nothing_scored(session) if not session.scored else f"<p>{both('two_needed')}</p>"


def _pair(session: Session, held: Compared, pair: tuple[str, str], view: str, measure: str) -> list[Any]:
    comparison = held.comparison
    ordered = pair if pair in comparison.pair_names else pair[::-1]
    place = comparison.pair_names.index(ordered)
    rubrics = session.evaluation.label_set.rubrics
    prompts = rubrics.prompts if rubrics is not None else {}
    net = net_pairs(held.scores[ordered[0]], held.scores[ordered[1]])
    between = held.between(session, ordered)
    told = [
        pair_table(comparison, place, net, both),
        deciding_questions(comparison, place, prompts, (view, measure), both),
        notices.between_runs(between, ordered) if between is not None else "",
    ]
    return [
        notices.pair_words(comparison, pair, view, measure),
        paired_differences(comparison, place, view, measure),
        "".join(f'<div class="ae-block">{part}</div>' for part in told if part),
    ]


def _repeats(held: Compared) -> str:
    if held.repeats is None:
        return ""
    name, spread = held.repeats
    return notices.spread_of_repeats(spread, name, held.comparison.views)


def files_to_take(downloads: Downloads, held: Compared | None) -> list[dict[str, Any]]:
    """Write the comparison as JSON, CSV and LaTeX; the buttons wait for it."""
    if held is None:
        return [dict(gr.update(interactive=False))] * 3
    comparison = held.comparison
    paths = [
        downloads.write("comparison.json", comparison_json(comparison)),
        downloads.write("comparison.csv", comparison_csv(comparison)),
        downloads.write("comparison.tex", comparison_latex(comparison)),
    ]
    return [dict(gr.update(value=path, interactive=True)) for path in paths]


def report_to_take(downloads: Downloads, session: Session, held: Compared | None) -> dict[str, Any]:
    """Write the report on everything scored, under the plan chosen here."""
    plan = held.comparison.plan if held is not None else None
    path = downloads.write("report.html", html_report(session.evaluation, plan))
    return dict(gr.update(value=path, visible=True))


def build(tab: gr.Tab, session: gr.State, downloads: Downloads) -> None:
    """Lay the tab out and wire its events; runs are compared whenever it is opened."""
    held = gr.State(None)
    parts, take, labels = _parts(), _take_away(), _context()
    chosen = [parts.runs, parts.repeats, parts.correction, parts.interval]
    look = [parts.view, parts.measure, parts.first, parts.second]
    shown = [parts.table, parts.forest, parts.first, parts.second, parts.words, parts.paired, parts.pair]
    files = [take.as_json, take.as_csv, take.as_latex]
    everything = [held, parts.runs, parts.repeats, parts.view, *shown, *files, take.report]
    changed = [parts.runs.input, parts.repeats.input, parts.correction.input, parts.interval.input]
    asked_for = [session, held, *chosen, *look]
    opened = tab.select(guarded(compared, asked_for), asked_for, everything, **_PRIVATE)
    again = gr.on(changed, guarded(compared, asked_for), asked_for, everything, trigger_mode="always_last", **_PRIVATE)
    for event in (opened, again):
        event.then(partial(files_to_take, downloads), [held], files, **_QUIET)
    opened.then(about_labels, [session], [labels], **_QUIET)
    take.make.click(partial(report_to_take, downloads), [session, held], [take.report], **_PRIVATE)
    looked = [parts.view.input, parts.measure.input, parts.first.input, parts.second.input]
    looking = [session, held, *look]
    gr.on(looked, guarded(looked_at, looking), looking, shown, trigger_mode="always_last", **_QUIET)


def about_labels(session: Session) -> str:
    """Say what the labels leave possible, and what is to be said of the runs' scale and ties."""
    if not session.scored:
        return ""
    runs = {name: (session.run(name), scores) for name, scores in session.scored}
    label_set = session.evaluation.label_set
    return chance_section(session.evaluation, None, both) + diagnostics_section(runs, label_set, both)


def _take_away() -> TakeAway:
    with gr.Row(elem_id="c-take"):
        return TakeAway(
            gr.DownloadButton(say("comparison_json"), elem_id="c-json", interactive=False, **_SMALL),
            gr.DownloadButton(say("comparison_csv"), elem_id="c-csv", interactive=False, **_SMALL),
            gr.DownloadButton(say("latex_table"), elem_id="c-latex", interactive=False, **_SMALL),
            gr.Button(say("make_report"), elem_id="c-make", **_SMALL),
            gr.DownloadButton(say("download_report"), elem_id="c-report", visible=False, **_SMALL),
        )


def _context() -> gr.HTML:
    with gr.Accordion(say("chance_diagnostics"), open=False, elem_id="c-labels"):
        labels = gr.HTML()
    with gr.Accordion(say("published_run"), open=False, elem_id="c-published"):
        gr.HTML(notices.published())
    return labels


def _choices(kind: str, names: Sequence[str]) -> list[tuple[str, str]]:
    return [(say(f"{kind}_{name.replace('-', '_')}"), name) for name in names]


def _parts() -> Parts:
    with gr.Row():
        runs = gr.Dropdown([], multiselect=True, label=say("runs"), elem_id="c-runs", scale=3, min_width=300)
        repeats = gr.Dropdown(
            [],
            multiselect=True,
            label=say("repeats"),
            elem_id="c-repeats",
            min_width=260,
        )
    with gr.Row():
        view = gr.Dropdown([], label=say("view_label"), elem_id="c-view", min_width=140)
        measure = gr.Radio(say_measures(), value=MEASURES[0], label=say("measure"), elem_id="c-measure", min_width=320)
        correction = gr.Dropdown(
            _choices("correction", _CORRECTIONS),
            value=_CORRECTIONS[0],
            label=say("correction"),
            elem_id="c-correction",
            min_width=160,
        )
        interval = gr.Dropdown(
            _choices("interval", _INTERVALS),
            value=_INTERVALS[0],
            label=say("interval"),
            elem_id="c-interval",
            min_width=160,
        )
    table = gr.HTML(f"<p>{both('two_needed')}</p>", elem_id="c-table")
    trees = gr.Plot(label=say("runs_with_intervals"), elem_id="c-forest")
    with gr.Row():
        first = gr.Dropdown([], label=say("compare_first"), elem_id="c-first", min_width=160)
        second = gr.Dropdown([], label=say("compare_with"), elem_id="c-second", min_width=160)
    words = gr.HTML(elem_id="c-words")
    paired = gr.Plot(label=say("difference_by_question"), elem_id="c-paired")
    pair = gr.HTML(elem_id="c-pair")
    return Parts(runs, repeats, correction, interval, view, measure, table, trees, first, second, words, paired, pair)
