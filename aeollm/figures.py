"""Tables to plotly figures: no files, no state, no computing beyond picking rows.

Colours: overall in a grey that is legible on light and dark, the AEOLLM dimensions from the Okabe-Ito
set, other dimensions in turn. Runs differ by the marker's shape first. Undefined values are a gap.
Figures are written as plain plotly.js specifications and validated once, which is several times
faster than adding trace by trace.
"""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from aeollm.tables import DIMENSIONS, MEASURES, OVERALL, Scores

INK = "#767676"
_OKABE_ITO = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442")
_SHAPES = ("circle", "square", "diamond", "triangle-up", "cross", "x", "star", "hexagon", "pentagon", "bowtie")
_TITLES = {"spearman": "Spearman ρ", "kendall": "Kendall τ-b", "accuracy": "accuracy"}
_CHANCE = {"spearman": 0.0, "kendall": 0.0, "accuracy": 0.5}
_CLEAR = "rgba(0,0,0,0)"
_GRID = "rgba(128,128,128,0.25)"
_LONGEST_NAME = 28
_MANY_QUESTIONS = 40
_HEIGHT = 430

Spec = dict[str, Any]


def view_colour(view: str, views: Sequence[str]) -> str:
    """Give the one colour that a view has everywhere."""
    if view == OVERALL:
        return INK
    order = [*DIMENSIONS, *(name for name in views if name not in DIMENSIONS and name != OVERALL)]
    return _OKABE_ITO[order.index(view) % len(_OKABE_ITO)]


def view_title(view: str) -> str:
    """Give a view's name in words."""
    return view.replace("_", " ")


def dimensions_by_measure(scored: Sequence[Scores], names: Sequence[str], *, demo: bool = False) -> go.Figure:
    """Draw every view's mean in three panels, one a measure, with one marker a run.

    Parameters
    ----------
    scored : scores of the runs, with the same views.
    names : what to call each.
    demo : mark the figure as drawn from simulated labels.
    """
    views = list(scored[0].views) if scored else [OVERALL, *DIMENSIONS]
    apart = min(0.16, 0.8 / max(len(scored), 1))
    traces = []
    for place, (scores, name) in enumerate(zip(scored, names, strict=True)):
        shape = _SHAPES[place % len(_SHAPES)]
        shift = (place - (len(scored) - 1) / 2) * apart
        traces += [_view_markers(scores, panel, (name, shape, shift)) for panel in range(len(MEASURES))]
        marker = {"symbol": shape, "size": 9, "color": INK}
        traces.append({"x": [None], "y": [None], "mode": "markers", "marker": marker, "name": _label(name)})
    ticks = [_label(view_title(view)).replace(" ", "<br>", 1) for view in views]
    panels = _panels(views, ticks)
    # Markers of one view stand ten pixels apart, as far as a page can be long.
    row = max(52, min(10 * len(scored) + 12, 160))
    height = max(_HEIGHT, 110 + row * len(views) + 20 * min(-(-len(scored) // 2), 10))
    return _figure(traces, panels, height, demo=demo)


def _panels(views: Sequence[str], ticks: Sequence[str]) -> Spec:
    width, gap = 1 / len(MEASURES), 0.02
    layout: Spec = {"shapes": [], "showlegend": True}
    for panel, measure in enumerate(MEASURES):
        number = _axis_number(panel)
        layout[f"xaxis{number}"] = {
            "domain": [panel * width + (gap if panel else 0), (panel + 1) * width - (gap if panel < 2 else 0)],
            "title": {"text": measure, "standoff": 6, "font": {"size": 12}},
            "tickformat": ".2~f",
            "tickangle": 0,
            "nticks": 4,
            "anchor": "y",
        }
        ends = {"x0": _CHANCE[measure], "x1": _CHANCE[measure], "y0": 0, "y1": 1}
        layout["shapes"].append(_line(ends, xref=f"x{number}", yref="y domain"))
    layout["yaxis"] = {
        "tickvals": list(range(len(views))),
        "ticktext": list(ticks),
        "range": [len(views) - 0.5, -0.5],
    }
    return layout


def _axis_number(panel: int) -> str:
    return "" if panel == 0 else str(panel + 1)


def _view_markers(scores: Scores, panel: int, look: tuple[str, str, float]) -> Spec:
    name, shape, shift = look
    measure = MEASURES[panel]
    means = [scores.mean(view, measure) for view in scores.views]
    shown = [f"{mean.mean:.3f}" if mean.mean is not None else "undefined" for mean in means]
    counts = [f"{mean.defined} of {mean.defined + mean.undefined} questions" for mean in means]
    titles = [_label(view_title(view)) for view in scores.views]
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
        "hovertemplate": f"{_label(name)}<br>%{{customdata[0]}} {_TITLES[measure]} %{{customdata[1]}}"
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
    named = len(order) <= _MANY_QUESTIONS
    low = min([0.0, *(value for value in values if value == value)])
    layout: Spec = {
        "xaxis": {
            "title": {"text": f"question, by {_TITLES[measure]} ({_label(view_title(view))})"},
            "tickvals": list(range(len(order))) if named else [],
            "ticktext": [_label(scores.questions[q], 12) for q in order] if named else [],
            "range": [-0.6, len(order) - 0.4],
            "showgrid": False,
        },
        "yaxis": {"title": {"text": _TITLES[measure]}, "range": [low - 0.05, 1.05], "tickformat": ".2~f"},
        "shapes": [_level(_CHANCE[measure])],
        "annotations": [],
        "showlegend": False,
    }
    _mark_mean(layout, scores.mean(view, measure).mean, view_colour(view, scores.views))
    _mark_gap(layout, len(order), sum(value != value for value in values))
    dots = _question_dots(scores, values, order, prompts or {})
    dots["marker"] = {"size": 9 if named else 6, "color": view_colour(view, scores.views)}
    return _figure([dots], layout, _HEIGHT, demo=demo)


def _question_dots(scores: Scores, values: list[float], order: list[int], prompts: Mapping[str, str]) -> Spec:
    told = [[_label(scores.questions[q]), _label(prompts.get(scores.questions[q], ""), 60)] for q in order]
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
    layout["shapes"].append(_level(mean, dash="dash", color=colour))
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


def _level(height: float, **line: str) -> Spec:
    return _line({"x0": 0, "x1": 1, "y0": height, "y1": height}, xref="paper", **line)


def _line(ends: Spec, xref: str = "x", yref: str = "y", **line: str) -> Spec:
    return {"type": "line", "xref": xref, "yref": yref, "line": {"width": 1, "color": INK} | line} | ends


def _label(text: str, longest: int = _LONGEST_NAME) -> str:
    """Cut a user's text and keep plotly from reading it as markup or as a placeholder."""
    cut = text if len(text) <= longest else text[: longest - 1] + "…"
    return html.escape(cut).replace("%{", "%&#123;")


def _figure(traces: list[Spec], layout: Spec, height: int, *, demo: bool) -> go.Figure:
    """Add what all figures share: no background, small margins, legend below, the demo's badge."""
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
        place = {"xref": "paper", "yref": "paper", "x": 1, "y": 1, "xanchor": "right", "yanchor": "bottom"}
        annotations.append({"text": "DEMO: simulated labels", "showarrow": False, "bordercolor": INK, **place})
    whole = shared | layout | axes | {"annotations": annotations}
    return go.Figure({"data": [{"type": "scatter"} | trace for trace in traces], "layout": whole})
