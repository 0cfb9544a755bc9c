"""Figures of a calibration: reliability, predicted against human, judges' strictness, learning curve."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from aeollm.figures.style import HEIGHT, INK, SHAPES, Spec, figure, label, line

_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
_MOST_POINTS = 1_500
_GOLDEN = 0.6180339887498949
"""Multiples of it, without their whole part, lie evenly and look drawn: points are shifted, the same way always."""
_ROW = 22
_MOST_JUDGES = 60
_BESIDE = 2
_STEPS = 128
_TOO_FEW = 0.05
"""Where forecasts are less dense than this share of their peak, the observed frequency is a matter of chance."""
_GAP = 0.08
_BELOW = 0.3
_SPREAD = 0.7
_BAND = "rgba(128,128,128,0.28)"

Floats = NDArray[np.float64]


class Panel(NamedTuple):
    """How often an answer was given (``observed``) where it was forecast (``at``), and how densely forecasts lie there.

    ``note`` is a figure of the panel, such as its smooth calibration error.
    """

    title: str
    at: Floats
    observed: Floats
    density: Floats
    note: str


def reliability(panels: Sequence[Panel], *, demo: bool = False) -> go.Figure:
    """Draw an answer's observed frequency over its forecast probability, one panel each; the diagonal is calibrated.

    The grey area is the density of the forecasts; where there are next to none, no curve is drawn.
    """
    across = min(len(panels), _BESIDE) or 1
    down = -(-len(panels) // across)
    traces: list[Spec] = []
    layout: Spec = {"showlegend": False, "shapes": [], "annotations": []}
    for place, panel in enumerate(panels):
        x, y = _axes(place, (across, down), layout)
        top = float(np.nanmax(panel.density)) if panel.density.size else 1.0
        step = max(1, len(panel.at) // _STEPS)
        at, density = panel.at[::step], panel.density[::step]
        observed = np.where(density >= _TOO_FEW * top, panel.observed[::step], np.nan)
        area: Spec = {
            "x": at.tolist(),
            "y": (0.3 * density / (top or 1.0)).tolist(),
            "fill": "tozeroy",
            "mode": "lines",
            "line": {"width": 0},
            "fillcolor": _BAND,
            "hoverinfo": "skip",
        }
        curve: Spec = {
            "x": at.tolist(),
            "y": observed.tolist(),
            "mode": "lines",
            "line": {"color": _COLOURS[place % len(_COLOURS)], "width": 2.5},
            "hovertemplate": "forecast %{x:.2f}<br>observed %{y:.2f}<extra></extra>",
        }
        traces += [trace | {"xaxis": x, "yaxis": y} for trace in (area, curve)]
        layout["shapes"].append(line({"x0": 0, "x1": 1, "y0": 0, "y1": 1}, x, y, dash="dot"))
        layout["annotations"].append(_title(panel, x, y))
    layout["margin"] = {"l": 10, "r": 12, "t": 74, "b": 10}
    return figure(traces, layout, 84 + 215 * down, demo=demo, badge_shift=22)


def _axes(place: int, grid: tuple[int, int], layout: Spec) -> tuple[str, str]:
    """Add a panel's axes to the layout and name them."""
    across, down = grid
    column, row = place % across, place // across
    number = "" if place == 0 else str(place + 1)
    gap = _BELOW / down
    wide, high = (1 - _GAP * (across - 1)) / across, (1 - gap * (down - 1)) / down
    left, top = column * (wide + _GAP), 1 - row * (high + gap)
    ticks: Spec = {"range": [-0.02, 1.02], "tickvals": [0, 0.5, 1], "tickformat": ".1~f"}
    below = {"title": {"text": "forecast"}} if row == down - 1 else {}
    layout[f"xaxis{number}"] = ticks | below | {"domain": [left, left + wide], "anchor": f"y{number}"}
    beside = {"title": {"text": "observed"}} if column == 0 else {"showticklabels": False}
    layout[f"yaxis{number}"] = ticks | beside | {"domain": [max(top - high, 0), top], "anchor": f"x{number}"}
    return f"x{number}", f"y{number}"


def _title(panel: Panel, x: str, y: str) -> Spec:
    place = {"xref": f"{x} domain", "yref": f"{y} domain", "x": 0, "y": 1, "xanchor": "left", "yanchor": "bottom"}
    return {"text": f"{label(panel.title)} · {label(panel.note)}", "showarrow": False, "font": {"size": 11}} | place


def predicted_against_human(
    expected: Floats, answers: Floats, values: Floats, *, target: str, demo: bool = False
) -> go.Figure:
    """Draw every predicted mean over what the person answered; on the diagonal they agree.

    Parameters
    ----------
    expected, answers : shape (rows,), nan where undefined.
    values : the answers there are, where they are few; empty for decimals.
    target : what was answered.
    demo : mark the figure as drawn from simulated answers.
    """
    there = np.flatnonzero(~np.isnan(expected) & ~np.isnan(answers))
    shown = there[:: max(1, -(-len(there) // _MOST_POINTS))]
    spread = _SPREAD * ((np.arange(len(shown)) * _GOLDEN) % 1 - 0.5) if values.size else np.zeros(len(shown))
    dots: Spec = {
        "x": (answers[shown] + spread).tolist(),
        "y": expected[shown].tolist(),
        "mode": "markers",
        "marker": {"size": 5, "color": _COLOURS[0], "opacity": 0.45},
        "customdata": answers[shown].tolist(),
        "hovertemplate": "answered %{customdata:~g}<br>predicted %{y:.2f}<extra></extra>",
        "name": "one answer",
    }
    traces = [dots]
    given = [value for value in values.tolist() if (answers[there] == value).any()]
    if given:
        means = [float(expected[there][answers[there] == value].mean()) for value in given]
        marker = {"size": 11, "color": INK, "symbol": "line-ew", "line": {"width": 3, "color": _COLOURS[1]}}
        told = "mean prediction where %{x} was answered: %{y:.2f}<extra></extra>"
        traces.append(
            {"x": given, "y": means, "mode": "markers", "marker": marker, "hovertemplate": told, "name": "mean"}
        )
    ends = np.concatenate([expected[there], answers[there], values])
    low, high = (float(ends.min()), float(ends.max())) if ends.size else (0.0, 1.0)
    across: Spec = {"title": {"text": f"answered ({label(target)})"}}
    if values.size:
        across |= {"tickvals": values.tolist(), "ticktext": [f"{value:g}" for value in values.tolist()]}
    layout: Spec = {
        "xaxis": across,
        "yaxis": {"title": {"text": "predicted mean"}},
        "shapes": [line({"x0": low, "x1": high, "y0": low, "y1": high}, dash="dot")],
        "showlegend": False,
    }
    return figure(traces, layout, HEIGHT, demo=demo)


def strictness(
    judges: Sequence[str], effects: Sequence[float], answers: Sequence[int], *, target: str, demo: bool = False
) -> go.Figure:
    """Draw how much higher each judge answers than the part all share, the strictest on top.

    Of more than sixty judges only the thirty strictest and the thirty mildest are drawn.
    """
    order = sorted(range(len(judges)), key=lambda j: (effects[j], judges[j]))
    half = _MOST_JUDGES // 2
    shown = order if len(order) <= _MOST_JUDGES else order[:half] + order[-half:]
    names = [label(judges[j], 20) for j in shown]
    bars: Spec = {
        "type": "bar",
        "orientation": "h",
        "x": [effects[j] for j in shown],
        "y": list(range(len(shown))),
        "marker": {"color": [_COLOURS[1] if effects[j] < 0 else _COLOURS[0] for j in shown]},
        "customdata": [[name, answers[j]] for name, j in zip(names, shown, strict=True)],
        "hovertemplate": "%{customdata[0]}: %{x:+.2f}<br>%{customdata[1]} answers learnt from<extra></extra>",
    }
    layout: Spec = {
        "xaxis": {"title": {"text": f"← stricter   {label(target)}   milder →"}},
        "yaxis": {
            "tickvals": list(range(len(shown))),
            "ticktext": [f"{name} ({answers[j]})" for name, j in zip(names, shown, strict=True)],
            "range": [len(shown) - 0.4, -0.6],
            "showgrid": False,
        },
        "shapes": [line({"x0": 0, "x1": 0, "y0": 0, "y1": 1}, yref="paper")],
        "showlegend": False,
        "bargap": 0.35,
    }
    return figure([bars], layout, max(220, 90 + _ROW * len(shown)), demo=demo)


class Series(NamedTuple):
    """One line of a learning curve: a measure over the number of answers, with its spread."""

    name: str
    at: Sequence[float]
    means: Sequence[float]
    low: Sequence[float]
    high: Sequence[float]


def learning_curve(series: Sequence[Series], *, measure: str, demo: bool = False) -> go.Figure:
    """Draw a measure over the answers a judge gave: where it levels off, more answers add little."""
    traces: list[Spec] = []
    for place, one in enumerate(series):
        colour = _COLOURS[place % len(_COLOURS)]
        pairs = list(zip(one.means, one.high, one.low, strict=True))
        traces.append(
            {
                "x": list(one.at),
                "y": list(one.means),
                "mode": "lines+markers",
                "line": {"color": colour, "width": 2},
                "marker": {"size": 8, "symbol": SHAPES[place % len(SHAPES)], "color": colour},
                "error_y": {
                    "type": "data",
                    "symmetric": False,
                    "array": [_gap(high, mean) for mean, high, _ in pairs],
                    "arrayminus": [_gap(mean, low) for mean, _, low in pairs],
                    "thickness": 1.2,
                    "width": 4,
                    "color": colour,
                },
                "name": label(one.name),
                "hovertemplate": "%{x:.1f} answers a judge<br>" + label(measure) + " %{y:.3f}<extra></extra>",
            }
        )
    layout: Spec = {
        "xaxis": {"title": {"text": "answers learnt from, a judge (mean)"}, "rangemode": "tozero"},
        "yaxis": {"title": {"text": label(measure)}},
        "showlegend": len(series) > 1,
    }
    return figure(traces, layout, HEIGHT, demo=demo)


def _gap(larger: float, smaller: float) -> float:
    return max(larger - smaller, 0.0) if larger == larger and smaller == smaller else 0.0
