"""Tables to plotly figures: no files, no state, no computing beyond picking rows.

Colours: overall in a grey that is legible on light and dark, the AEOLLM dimensions from the Okabe-Ito
set, other dimensions in turn. Runs differ by the marker's shape first. Undefined values are a gap.
Figures are written as plain plotly.js specifications and validated once, which is several times
faster than adding trace by trace.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from aeollm.errors import printable
from aeollm.tables import DIMENSIONS, OVERALL

INK = "#767676"
_OKABE_ITO = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442")
SHAPES = ("circle", "square", "diamond", "triangle-up", "cross", "x", "star", "hexagon", "pentagon", "bowtie")
TITLES = {"spearman": "Spearman ρ", "kendall": "Kendall τ-b", "accuracy": "accuracy"}
CHANCE = {"spearman": 0.0, "kendall": 0.0, "accuracy": 0.5}
_CLEAR = "rgba(0,0,0,0)"
_GRID = "rgba(128,128,128,0.25)"
_LONGEST_NAME = 28
_LONGEST_TITLE = 60
MANY_QUESTIONS = 40
HEIGHT = 430

Spec = dict[str, Any]


def view_colour(view: str, views: Sequence[str]) -> str:
    """Give the one colour that a view has everywhere."""
    if view == OVERALL:
        return INK
    order = [*DIMENSIONS, *(name for name in views if name not in DIMENSIONS and name != OVERALL)]
    return _OKABE_ITO[order.index(view) % len(_OKABE_ITO)]


def view_title(view: str) -> str:
    """Give a view's name in words, cut in the middle; names of others' making keep their underscores."""
    title = view.replace("_", " ") if view in DIMENSIONS else view
    return title if len(title) <= _LONGEST_TITLE else f"{title[: _LONGEST_TITLE - 16]}…{title[-15:]}"


def level(height: float, **look: str) -> Spec:
    """Draw a thin horizontal line across the figure."""
    return line({"x0": 0, "x1": 1, "y0": height, "y1": height}, xref="paper", **look)


def line(ends: Spec, xref: str = "x", yref: str = "y", **look: str) -> Spec:
    """Draw a thin line between two ends."""
    return {"type": "line", "xref": xref, "yref": yref, "line": {"width": 1, "color": INK} | look} | ends


def label(text: str, longest: int = _LONGEST_NAME) -> str:
    """Cut a user's text, show what is invisible, and keep plotly from reading it as markup or as a placeholder."""
    return html.escape(printable(text, longest)).replace("%{", "%&#123;")


def figure(traces: list[Spec], layout: Spec, height: int, *, demo: bool, badge_shift: int = 0) -> go.Figure:
    """Add what all figures share: no background, small margins, legend below, the demo's badge.

    The badge stands ``badge_shift`` pixels above the plot; below it where that is negative.
    """
    axis = {"zeroline": False, "automargin": True, "gridcolor": _GRID, "fixedrange": True}
    axes = {name: axis | own for name, own in layout.items() if name.startswith(("xaxis", "yaxis"))}
    shared: Spec = {
        "template": "none",
        "paper_bgcolor": _CLEAR,
        "plot_bgcolor": _CLEAR,
        "height": height,
        "margin": {"l": 10, "r": 12, "t": 30, "b": 10},
        "font": {"size": 12},
        "legend": {
            "orientation": "h",
            "yanchor": "top",
            "y": -0.14,
            "x": 0,
            "itemclick": False,
            "itemdoubleclick": False,
        },
        "hoverlabel": {"align": "left"},
        "dragmode": False,
    }
    annotations = [*layout.get("annotations", [])]
    if demo:
        place = {
            "xref": "paper",
            "yref": "paper",
            "x": 1,
            "y": 1 if badge_shift >= 0 else 0,
            "xanchor": "right",
            "yanchor": "bottom" if badge_shift >= 0 else "top",
            "yshift": badge_shift,
        }
        annotations.append({"text": "DEMO: simulated labels", "showarrow": False, "bordercolor": INK, **place})
    whole = shared | layout | axes | {"annotations": annotations}
    return go.Figure({"data": [{"type": "scatter"} | trace for trace in traces], "layout": whole})
