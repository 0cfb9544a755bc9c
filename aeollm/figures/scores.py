"""Figures of scores: all runs by views and measures, and one run question by question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

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
from aeollm.tables import DIMENSIONS, MEASURES, OVERALL, Scores


def dimensions_by_measure(
    scored: Sequence[Scores],
    names: Sequence[str],
    *,
    bounds: NDArray[np.float64] | None = None,
    demo: bool = False,
) -> go.Figure:
    """Draw every view's mean in three panels, one a measure, with one marker a run.

    Parameters
    ----------
    scored : scores of the runs, with the same views.
    names : what to call each.
    bounds : ends of the means' intervals, shape (runs, views, measures, 2), drawn as thin lines.
    demo : mark the figure as drawn from simulated labels.
    """
    views = list(scored[0].views) if scored else [OVERALL, *DIMENSIONS]
    apart = min(0.16, 0.8 / max(len(scored), 1))
    traces = []
    for place, (scores, name) in enumerate(zip(scored, names, strict=True)):
        shape = SHAPES[place % len(SHAPES)]
        shift = (place - (len(scored) - 1) / 2) * apart
        markers = [_view_markers(scores, panel, (name, shape, shift)) for panel in range(len(MEASURES))]
        if bounds is not None:
            for panel, trace in enumerate(markers):
                trace["error_x"] = _whiskers(trace["x"], bounds[place, :, panel].tolist())
        traces += markers
        marker = {"symbol": shape, "size": 9, "color": INK}
        traces.append({"x": [None], "y": [None], "mode": "markers", "marker": marker, "name": label(name)})
    ticks = [label(view_title(view)).replace(" ", "<br>", 1) for view in views]
    panels = _panels(views, ticks, traces)
    # Markers of one view stand ten pixels apart, as far as a page can be long.
    row = max(52, min(10 * len(scored) + 12, 160))
    height = max(HEIGHT, 110 + row * len(views) + 20 * min(-(-len(scored) // 2), 10))
    return figure(traces, panels, height, demo=demo)


def _panels(views: Sequence[str], ticks: Sequence[str], traces: Sequence[Spec]) -> Spec:
    width, gap = 1 / len(MEASURES), 0.02
    layout: Spec = {"shapes": [], "showlegend": True}
    for panel, measure in enumerate(MEASURES):
        number = _axis_number(panel)
        layout[f"xaxis{number}"] = {
            "domain": [panel * width + (gap if panel else 0), (panel + 1) * width - (gap if panel < 2 else 0)],
            "title": {"text": measure, "standoff": 6, "font": {"size": 12}},
            "tickformat": ".2~f",
            "tickangle": 0,
            "tickvals": _few_ticks([trace for trace in traces if trace.get("xaxis") == f"x{number}"], CHANCE[measure]),
            "anchor": "y",
        }
        ends = {"x0": CHANCE[measure], "x1": CHANCE[measure], "y0": 0, "y1": 1}
        layout["shapes"].append(line(ends, xref=f"x{number}", yref="y domain"))
    layout["yaxis"] = {
        "tickvals": list(range(len(views))),
        "ticktext": list(ticks),
        "range": [len(views) - 0.5, -0.5],
    }
    return layout


def _few_ticks(traces: Sequence[Spec], chance: float) -> list[float]:
    """Choose the chance level and one round number to the wider side: a panel is 80 pixels wide on a telephone."""
    values = [value for trace in traces for value in trace["x"] if value is not None]
    below, above = chance - min([chance, *values]), max([chance, *values]) - chance
    width = max(below, above)
    step = next((step for step in (0.8, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.05) if step <= width), None)
    return [chance] if step is None else [chance, round(chance + (step if above >= below else -step), 2)]


def _whiskers(means: Sequence[float | None], ends: Sequence[Sequence[float]]) -> Spec:
    """Draw from each mean to its interval's ends; nothing where there is none."""
    known = [mean is not None and low == low for mean, (low, _) in zip(means, ends, strict=True)]
    parts = [
        (mean or 0.0, low, high) if k else (0.0, 0.0, 0.0)
        for k, mean, (low, high) in zip(known, means, ends, strict=True)
    ]
    return {
        "type": "data",
        "symmetric": False,
        "array": [max(high - mean, 0.0) for mean, _, high in parts],
        "arrayminus": [max(mean - low, 0.0) for mean, low, _ in parts],
        "thickness": 1,
        "width": 0,
        "color": INK,
    }


def _axis_number(panel: int) -> str:
    return "" if panel == 0 else str(panel + 1)


def _view_markers(scores: Scores, panel: int, look: tuple[str, str, float]) -> Spec:
    name, shape, shift = look
    measure = MEASURES[panel]
    means = [scores.mean(view, measure) for view in scores.views]
    shown = [f"{mean.mean:.3f}" if mean.mean is not None else "undefined" for mean in means]
    counts = [f"{mean.defined} of {mean.defined + mean.undefined} questions" for mean in means]
    titles = [label(view_title(view)) for view in scores.views]
    return {
        "x": [mean.mean for mean in means],
        "y": [place + shift for place in range(len(means))],
        "xaxis": f"x{_axis_number(panel)}",
        "mode": "markers",
        "marker": {
            "symbol": shape,
            "size": 9,
            "color": [view_colour(view, scores.views) for view in scores.views],
            "line": {"width": 0.8, "color": INK},
        },
        "customdata": [list(told) for told in zip(titles, shown, counts, strict=True)],
        "hovertemplate": f"{label(name)}<br>%{{customdata[0]}} {TITLES[measure]} %{{customdata[1]}}"
        "<br>%{customdata[2]}<extra></extra>",
        "showlegend": False,
    }


def per_question(
    scores: Scores, measure: str, view: str = OVERALL, *, prompts: Mapping[str, str] | None = None, demo: bool = False
) -> go.Figure:
    """Draw one dot a question, sorted by value, with the mean as a line; undefined questions are a gap.

    Parameters
    ----------
    scores : one run's scores.
    measure, view : what to draw.
    prompts : question texts to show on hover.
    demo : mark the figure as drawn from simulated labels.
    """
    values = scores.values(measure)[scores.views.index(view)].tolist()
    order = sorted(range(len(values)), key=lambda q: (values[q] != values[q], values[q], q))
    named = len(order) <= MANY_QUESTIONS
    low = min([0.0, *(value for value in values if value == value)])
    layout: Spec = {
        "xaxis": {
            "title": {"text": f"question, by {TITLES[measure]} ({label(view_title(view))})"},
            "tickvals": list(range(len(order))) if named else [],
            "ticktext": [label(scores.questions[q], 12) for q in order] if named else [],
            "range": [-0.6, len(order) - 0.4],
            "showgrid": False,
        },
        "yaxis": {"title": {"text": TITLES[measure]}, "range": [low - 0.05, 1.05], "tickformat": ".2~f"},
        "shapes": [level(CHANCE[measure])],
        "annotations": [],
        "showlegend": False,
    }
    _mark_mean(layout, scores.mean(view, measure).mean, view_colour(view, scores.views))
    _mark_gap(layout, len(order), sum(value != value for value in values))
    dots = _question_dots(scores, values, order, prompts or {})
    dots["marker"] = {"size": 9 if named else 6, "color": view_colour(view, scores.views)}
    return figure([dots], layout, HEIGHT, demo=demo)


def _question_dots(scores: Scores, values: list[float], order: list[int], prompts: Mapping[str, str]) -> Spec:
    told = [[label(scores.questions[q]), label(prompts.get(scores.questions[q], ""), 60)] for q in order]
    return {
        "x": list(range(len(order))),
        "y": [values[q] if values[q] == values[q] else None for q in order],
        "mode": "markers",
        "customdata": told,
        "hovertemplate": "question %{customdata[0]}: %{y:.3f}<br>%{customdata[1]}<extra></extra>",
    }


def _mark_mean(layout: Spec, mean: float | None, colour: str) -> None:
    if mean is None:
        return
    layout["shapes"].append(level(mean, dash="dash", color=colour))
    place = {"x": 0, "xref": "paper", "xanchor": "left", "y": mean, "yanchor": "bottom"}
    layout["annotations"].append({"text": f"mean {mean:.3f}", "showarrow": False, **place})


def _mark_gap(layout: Spec, questions: int, undefined: int) -> None:
    """Shade the places of undefined questions, which stand last."""
    if not undefined:
        return
    ends = {"x0": questions - undefined - 0.5, "x1": questions - 0.5, "y0": 0, "y1": 1}
    shade = {"type": "rect", "yref": "paper", "fillcolor": INK, "opacity": 0.12, "line": {"width": 0}}
    layout["shapes"].append(ends | shade)
    place = {"x": questions - undefined / 2 - 0.5, "y": 0.02, "yref": "paper", "yanchor": "bottom", "textangle": -90}
    layout["annotations"].append({"text": f"{undefined} undefined", "showarrow": False, **place})
