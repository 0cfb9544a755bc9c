"""Figures of single questions: all of them at a glance, and one question's answers on both sides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from aeollm.figures.style import HEIGHT, INK, TITLES, Spec, figure, label, line, view_colour, view_title
from aeollm.scoring import QuestionDetail
from aeollm.tables import Scores

_ROW, _NARROW, _TALLEST = 22, 9, 900
_MANY_ROWS = 45
# Orange over grey to blue: white numbers are legible on all of it, in both themes and for the colour-blind.
_SCALE = [[0.0, "#A34F00"], [0.5, "#6f6f6f"], [1.0, "#0072B2"]]


def matrix(scores: Scores, measure: str, order: Sequence[int], *, demo: bool = False) -> go.Figure:
    """Draw every question in every view, coloured by the measure; undefined cells are hatched.

    Parameters
    ----------
    scores : one run's scores.
    measure : what the colour shows.
    order : the questions' places, first to be shown on top.
    demo : mark the figure as drawn from simulated labels.
    """
    values = scores.values(measure).tolist()
    views = [label(view_title(view)) for view in scores.views]
    named = len(order) <= _MANY_ROWS
    cells = [[None if row[q] != row[q] else row[q] for row in values] for q in order]
    low = 0.0 if measure == "accuracy" else -1.0
    heat: Spec = {
        "type": "heatmap",
        "z": cells,
        "x": list(range(len(views))),
        "y": list(range(len(order))),
        "zmin": low,
        "zmax": 1,
        "colorscale": _SCALE,
        "xgap": 2,
        "ygap": 1,
        "customdata": [[[label(scores.questions[q]), view] for view in views] for q in order],
        "text": [["" if cell is None else f"{cell:.2f}" for cell in row] for row in cells],
        "texttemplate": "%{text}" if named else "",
        "textfont": {"size": 11, "color": "#fff"},
        "hovertemplate": f"question %{{customdata[0]}}, %{{customdata[1]}}<br>{TITLES[measure]} %{{z:.3f}}"
        "<extra></extra>",
        "colorbar": {"title": {"text": TITLES[measure], "side": "right"}, "thickness": 10, "outlinewidth": 0},
    }
    layout: Spec = {
        "xaxis": {
            "tickvals": list(range(len(views))),
            "ticktext": views,
            "side": "top",
            "showgrid": False,
            "tickangle": -30,
            "tickfont": {"size": 11},
        },
        "yaxis": {
            "autorange": "reversed",
            "tickvals": list(range(len(order))) if named else [],
            "ticktext": [label(scores.questions[q], 12) for q in order] if named else [],
            "title": {"text": "question"},
            "showgrid": False,
        },
        "showlegend": False,
        "margin": {"l": 10, "r": 12, "t": 92, "b": 36 if demo else 10},
    }
    height = min(135 + (22 if demo else 0) + len(order) * (_ROW if named else _NARROW), _TALLEST)
    return figure([heat, _hatched(cells)], layout, height, demo=demo, badge_shift=-10)


def _hatched(cells: list[list[Any]]) -> Spec:
    """Mark undefined cells with a cross of lines, where a colour would be a number."""
    places = [(x, y) for y, row in enumerate(cells) for x, cell in enumerate(row) if cell is None]
    return {
        "x": [x for x, _ in places],
        "y": [y for _, y in places],
        "mode": "markers",
        "marker": {"symbol": "hash-open", "size": 9, "color": INK, "line": {"width": 1, "color": INK}},
        "hovertemplate": "undefined<extra></extra>",
    }


def rank_slopes(detail: QuestionDetail, views: Sequence[str]) -> go.Figure:
    """Draw a line from every answer's human rank to its run rank; crossing lines are lost pairs."""
    colour = view_colour(detail.view, views)
    worst = max((abs(row.run_rank - row.human_rank) for row in detail.answers), default=0)
    traces = []
    for row in detail.answers:
        far = worst > 0 and abs(row.run_rank - row.human_rank) >= 0.6 * worst
        told = f"{label(row.answer)}: human rank {row.human_rank:g}, run rank {row.run_rank:g}"
        traces.append(
            {
                "x": [0, 1],
                "y": [row.human_rank, row.run_rank],
                "mode": "lines+markers",
                "line": {"width": 2.5 if far else 1, "color": colour if far else INK},
                "marker": {"size": 6},
                "opacity": 1 if far else 0.55,
                "hovertemplate": f"{told}<extra></extra>",
            }
        )
    layout = {
        "xaxis": {
            "tickvals": [0, 1],
            "ticktext": ["people", "run"],
            "range": [-0.32, 1.32],
            "showgrid": False,
            "side": "top",
        },
        "yaxis": {"range": [len(detail.answers) + 0.7, 0.3], "title": {"text": "rank (1 is best)"}, "showgrid": False},
        "annotations": [*_ends(detail, 0), *_ends(detail, 1)],
        "showlegend": False,
    }
    return figure(traces, layout, max(HEIGHT, 60 + 20 * len(detail.answers)), demo=False)


def _ends(detail: QuestionDetail, side: int) -> list[Spec]:
    """Name the answers at one end of the slopes; tied ones share a line of text."""
    at: dict[float, list[str]] = {}
    for row in detail.answers:
        at.setdefault(row.run_rank if side else row.human_rank, []).append(label(row.answer, 14))
    place = {"x": side, "xanchor": "left" if side else "right", "xshift": 8 if side else -8, "showarrow": False}
    return [
        {"y": height, "text": ", ".join(names[:2]) + (f" +{len(names) - 2}" if len(names) > 2 else "")} | place
        for height, names in at.items()
    ]


def score_scatter(detail: QuestionDetail, views: Sequence[str]) -> go.Figure:
    """Draw human score against run score, one dot an answer."""
    dots = {
        "x": [row.human for row in detail.answers],
        "y": [row.run for row in detail.answers],
        "mode": "markers",
        "marker": {"size": 9, "color": view_colour(detail.view, views)},
        "customdata": [[label(row.answer)] for row in detail.answers],
        "hovertemplate": "%{customdata[0]}: human %{x:.3f}, run %{y:.3f}<extra></extra>",
    }
    every = [score for row in detail.answers for score in (row.human, row.run)]
    shared = bool(every) and max(every) - min(every) < 3 * _span([row.human for row in detail.answers])
    ends = {"x0": min(every), "x1": max(every), "y0": min(every), "y1": max(every)} if shared else None
    layout = {
        "xaxis": {"title": {"text": f"human score ({label(view_title(detail.view))})"}},
        "yaxis": {"title": {"text": "run score"}},
        # Equal scores lie on this line; it would only squeeze the dots of a run on another scale.
        "shapes": [line(ends, dash="dot")] if ends else [],
        "showlegend": False,
    }
    return figure([dots], layout, HEIGHT, demo=False)


def _span(numbers: Sequence[float]) -> float:
    return max(numbers) - min(numbers) if numbers else 0.0
