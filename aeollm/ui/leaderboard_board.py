"""The interactive part of the Leaderboard page: which views and measures, the table, the figure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import gradio as gr

from aeollm.figures.leaderboard import published_views
from aeollm.leaderboard import formal_run
from aeollm.sources import ASSETS
from aeollm.tables import DIMENSIONS, MEASURES, OVERALL
from aeollm.ui.door import guarded
from aeollm.ui.leaderboard_tables import board
from aeollm.ui.words import both, say

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

_VIEWS = (OVERALL, *DIMENSIONS)
_QUIET: dict[str, Any] = {"api_visibility": "private", "preprocess": False, "show_progress": "hidden"}
_SEARCH = f'<label>{both("search_teams")}<input type="search" autocomplete="off" spellcheck="false"></label>'


def shown(views: Sequence[str] | None, measures: Sequence[str] | None) -> str:
    """Write the table for what is chosen, in the official order; nothing chosen is everything."""
    return board(_chosen(views, _VIEWS), _chosen(measures, MEASURES))


def drawn(measure: str | None) -> Figure:
    """Draw the figure for a measure, the first for an unknown one."""
    return published_views(formal_run(), measure if measure in MEASURES else MEASURES[0])


def _chosen(asked: Sequence[str] | None, of: Sequence[str]) -> list[str]:
    return [name for name in of if name in (asked or [])] or list(of)


def build() -> None:
    """Lay out the published table with its choices, and the figure below it."""
    choices = [(say(measure), measure) for measure in MEASURES]
    with gr.Row(elem_id="l-choices"):
        views = gr.CheckboxGroup(
            [(say(view), view) for view in _VIEWS],
            value=list(_VIEWS),
            label=say("views"),
            elem_id="l-views",
            min_width=300,
        )
        measures = gr.CheckboxGroup(
            choices, value=list(MEASURES), label=say("measures"), elem_id="l-measures", min_width=300
        )
        gr.HTML(_SEARCH, elem_id="l-search", min_width=200)
    script = (ASSETS / "leaderboard.js").read_text(encoding="utf-8")
    table = gr.HTML(shown(None, None), elem_id="l-board", js_on_load=script)
    measure = gr.Radio(choices, value=MEASURES[0], label=say("measure"), elem_id="l-measure")
    figure = gr.Plot(drawn(None), label=say("formal_run_figure"), elem_id="l-figure")
    chosen = [views, measures]
    gr.on([views.input, measures.input], guarded(shown, chosen), chosen, table, trigger_mode="always_last", **_QUIET)
    measure.input(guarded(drawn, [measure]), measure, figure, trigger_mode="always_last", **_QUIET)
