"""Published results as a figure: teams by views."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from aeollm.figures.style import CHANCE, SHAPES, TITLES, Spec, figure, label, line, view_colour, view_title
from aeollm.leaderboard import DETECTABLE, PublishedResult
from aeollm.tables import OVERALL

_ROW = 30
_AROUND = 130
_BETWEEN = 0.6
"""Rows left free between participants and baselines."""
_SHADE = "rgba(128,128,128,0.16)"


def published_views(results: Sequence[PublishedResult], measure: str) -> go.Figure:
    """Draw a row a team, participants above baselines, and a marker a view.

    The shaded strip reaches from the best participant's overall value down by what 20 questions can be expected to
    show: an overall marker in it is not shown to be worse.
    """
    places = [place + (_BETWEEN if result.baseline else 0.0) for place, result in enumerate(results)]
    views = list(results[0].values)
    best = max(result.values[OVERALL][measure] for result in results if not result.baseline)
    ends = {"x0": best - DETECTABLE[measure], "x1": best, "y0": 0, "y1": 1}
    strip: Spec = {"type": "rect", "xref": "x", "yref": "y domain", "fillcolor": _SHADE, "line": {"width": 0}}
    chance = {"x0": CHANCE[measure], "x1": CHANCE[measure], "y0": 0, "y1": 1}
    layout: Spec = {
        "xaxis": {"title": {"text": TITLES[measure]}, "tickformat": ".2~f", "side": "bottom"},
        "yaxis": {
            "tickvals": places,
            "ticktext": [label(result.team) for result in results],
            "range": [places[-1] + 0.7, -0.7],
        },
        "shapes": [ends | strip | {"layer": "below"}, line(chance, yref="y domain")],
        "legend": {"orientation": "h", "yanchor": "bottom", "y": 1.01, "x": 0, "itemclick": False},
        "margin": {"l": 10, "r": 12, "t": 60, "b": 10},
        "showlegend": True,
    }
    traces = [_markers(results, places, views, number, measure) for number in range(len(views))]
    # The overall is drawn last, above the others.
    return figure([*traces[1:], traces[0]], layout, _AROUND + _ROW * len(results), demo=False)


def _markers(
    results: Sequence[PublishedResult], places: Sequence[float], views: Sequence[str], number: int, measure: str
) -> Spec:
    view = views[number]
    return {
        "x": [result.values[view][measure] for result in results],
        "y": list(places),
        "mode": "markers",
        "name": label(view_title(view)),
        "marker": {"symbol": SHAPES[number], "size": 10, "color": view_colour(view, views)},
        "customdata": [label(result.team) for result in results],
        "hovertemplate": f"%{{customdata}}<br>{label(view_title(view))} {TITLES[measure]} %{{x:.4f}}<extra></extra>",
    }
