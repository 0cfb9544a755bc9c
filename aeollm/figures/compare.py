"""Figures of a comparison: all runs with intervals, and one pair question by question."""

from __future__ import annotations

import math

import plotly.graph_objects as go

from aeollm.figures.style import (
    CHANCE,
    HEIGHT,
    INK,
    MANY_QUESTIONS,
    SHAPES,
    TITLES,
    Spec,
    figure,
    label,
    level,
    line,
    view_colour,
    view_title,
)
from aeollm.tables import Comparison

_ROW = 34
_AHEAD, _BEHIND = "#0072B2", "#D55E00"


def forest(comparison: Comparison, view: str, measure: str) -> go.Figure:
    """Draw every run's mean with its interval, best on top; thin lines part the clusters.

    Parameters
    ----------
    comparison : the runs' comparison.
    view, measure : what to draw.
    """
    v, m = comparison.place(view, measure)
    figures = comparison.runs
    means, clusters = figures.mean[:, v, m].tolist(), figures.cluster[:, v, m].tolist()
    order = sorted(range(len(means)), key=lambda r: (means[r] != means[r], -means[r] if means[r] == means[r] else 0))
    shown = [r for r in order if means[r] == means[r]]
    colour = view_colour(view, comparison.views)
    low, high = figures.low[:, v, m].tolist(), figures.high[:, v, m].tolist()
    told = [[label(comparison.names[r]), _interval(low[r], high[r]), str(clusters[r])] for r in shown]
    dots: Spec = {
        "x": [means[r] for r in shown],
        "y": [order.index(r) for r in shown],
        "mode": "markers",
        "marker": {"size": 9, "color": colour, "symbol": [SHAPES[r % len(SHAPES)] for r in shown]},
        "error_x": {
            "type": "data",
            "symmetric": False,
            "array": [_gap(high[r], means[r]) for r in shown],
            "arrayminus": [_gap(means[r], low[r]) for r in shown],
            "thickness": 1.2,
            "width": 4,
            "color": colour,
        },
        "customdata": told,
        "hovertemplate": "%{customdata[0]}<br>%{x:.3f} %{customdata[1]}<br>cluster %{customdata[2]}<extra></extra>",
    }
    borders = [place + 0.5 for place in range(len(shown) - 1) if clusters[shown[place]] != clusters[shown[place + 1]]]
    layout: Spec = {
        "xaxis": {"title": {"text": f"{TITLES[measure]} ({label(view_title(view))})"}},
        "yaxis": {
            "tickvals": list(range(len(order))),
            "ticktext": [label(comparison.names[r]) for r in order],
            "range": [len(order) - 0.4, -0.6],
            "showgrid": False,
        },
        "shapes": [
            line({"x0": CHANCE[measure], "x1": CHANCE[measure], "y0": 0, "y1": 1}, yref="paper"),
            *(level(border, dash="dot") for border in borders),
        ],
        "showlegend": False,
    }
    return figure([dots], layout, max(180, 100 + _ROW * len(order)), demo=comparison.demo)


def _interval(low: float, high: float) -> str:
    return "no interval" if math.isnan(low) else f"[{low:.3f}, {high:.3f}]"


def _gap(larger: float, smaller: float) -> float:
    return max(larger - smaller, 0.0) if larger == larger and smaller == smaller else 0.0


def paired_differences(comparison: Comparison, pair: int, view: str, measure: str) -> go.Figure:
    """Draw every question's difference between two runs, sorted, with the mean difference and its interval.

    Parameters
    ----------
    comparison : the runs' comparison.
    pair : the pair's place in `Comparison.pair_names`.
    view, measure : what to draw.
    """
    v, m = comparison.place(view, measure)
    a, b = (comparison.names.index(name) for name in comparison.pair_names[pair])
    gaps = (comparison.values[a, v, m] - comparison.values[b, v, m]).tolist()
    order = sorted((q for q in range(len(gaps)) if gaps[q] == gaps[q]), key=lambda q: (gaps[q], q))
    named = len(order) <= MANY_QUESTIONS
    first, second = (label(name, 22) for name in comparison.pair_names[pair])
    bars: Spec = {
        "type": "bar",
        "x": list(range(len(order))),
        "y": [gaps[q] for q in order],
        "marker": {"color": [_AHEAD if gaps[q] > 0 else _BEHIND for q in order]},
        "customdata": [[label(comparison.questions[q])] for q in order],
        "hovertemplate": "question %{customdata[0]}: %{y:+.3f}<extra></extra>",
    }
    mean = float(comparison.pairs.difference[pair, v, m])
    low, high = (float(table[pair, v, m]) for table in (comparison.pairs.low, comparison.pairs.high))
    layout: Spec = {
        "xaxis": {
            "title": {"text": "question, by difference"},
            "tickvals": list(range(len(order))) if named else [],
            "ticktext": [label(comparison.questions[q], 12) for q in order] if named else [],
            "showgrid": False,
        },
        "yaxis": {"title": {"text": f"difference in {TITLES[measure]} ({label(view_title(view))})"}},
        "shapes": [level(0.0), *_mean_band(mean, low, high)],
        "annotations": [_sides(first, second)],
        "showlegend": False,
        "bargap": 0.25,
    }
    return figure([bars], layout, HEIGHT, demo=comparison.demo)


def _mean_band(mean: float, low: float, high: float) -> list[Spec]:
    if math.isnan(mean):
        return []
    shapes = [level(mean, dash="dash")]
    if not math.isnan(low):
        band = {"type": "rect", "xref": "paper", "x0": 0, "x1": 1, "y0": low, "y1": high}
        shapes.append(band | {"fillcolor": INK, "opacity": 0.15, "line": {"width": 0}, "layer": "below"})
    return shapes


def _sides(first: str, second: str) -> Spec:
    """Say what above and below mean, where sorted bars leave room: on top at the left."""
    place = {"xref": "paper", "yref": "paper", "x": 0.02, "xanchor": "left", "y": 0.98, "yanchor": "top"}
    return {"text": f"above 0: {first} ahead<br>below 0: {second} ahead", "align": "left", "showarrow": False} | place
