"""The figure of what every step of a recipe brings."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from aeollm.figures.style import CHANCE, SHAPES, TITLES, Spec, figure, label, line, view_colour, view_title
from aeollm.recipes import Stage
from aeollm.tables import OVERALL

_ROW = 34
_LONGEST = 24
_BESIDE = 0.16
_ABOVE, _BELOW = 95, 110
_BADGE = 68


def what_steps_bring(stages: Sequence[Stage], measure: str, *, demo: bool) -> go.Figure:
    """Draw the mean of every stage, the first on top: overall large, dimensions small, in sample hollow.

    A thin line leads from the overall of the stage that a step is compared with to its own.

    Parameters
    ----------
    stages : those of a recipe that was carried out; ones without any score have an empty row.
    measure : what to draw.
    demo : the labels are simulated.
    """
    views = list(dict.fromkeys(view for stage in stages if stage.scores for view in stage.scores.views))
    views.sort(key=lambda view: view != OVERALL)
    rows = {stage.name: row for row, stage in enumerate(stages)}
    traces = [_dots(stages, view, place, views, measure) for place, view in enumerate(views)]
    seen = [stage for stage in stages if stage.in_sample is not None]
    if seen:
        traces.append(_in_sample(seen, rows, measure))
    layout: Spec = {
        "xaxis": {"title": {"text": TITLES[measure], "standoff": 6}, "side": "top"},
        "margin": {"l": 10, "r": 12, "t": _ABOVE, "b": 10},
        "yaxis": {
            "tickvals": list(rows.values()),
            "ticktext": [
                label(stage.name if stage.base or stage.label == stage.name else stage.label, _LONGEST)
                for stage in stages
            ],
            "range": [len(stages) - 0.4, -0.6],
            "showgrid": False,
        },
        "shapes": [
            line({"x0": CHANCE[measure], "x1": CHANCE[measure], "y0": 0, "y1": 1}, yref="paper"),
            *_steps(stages, rows, measure),
        ],
    }
    height = _ABOVE + _BELOW + _ROW * len(stages)
    return figure(traces, layout, height, demo=demo, badge_shift=_BADGE)


def _dots(stages: Sequence[Stage], view: str, place: int, views: Sequence[str], measure: str) -> Spec:
    """Draw one view of all stages; dimensions lie a little below the overall."""
    shown = [
        (row, stage, value) for row, stage in enumerate(stages) if (value := stage.value(view, measure)) is not None
    ]
    return {
        "name": label(view_title(view)),
        "x": [value for *_, value in shown],
        "y": [row + (0 if view == OVERALL else _BESIDE) for row, *_ in shown],
        "mode": "markers",
        "marker": {
            "size": 12 if view == OVERALL else 8,
            "color": view_colour(view, views),
            "symbol": SHAPES[place % len(SHAPES)],
        },
        "customdata": [[label(stage.name), " (held out)" if stage.learned else ""] for _, stage, _ in shown],
        "hovertemplate": f"%{{customdata[0]}}<br>{label(view_title(view))} %{{x:.3f}}%{{customdata[1]}}<extra></extra>",
    }


def _in_sample(stages: Sequence[Stage], rows: dict[str, int], measure: str) -> Spec:
    told = [
        (rows[stage.name], stage.name, stage.in_sample.mean(OVERALL, measure).mean)
        for stage in stages
        if stage.in_sample is not None and stage.tells(OVERALL)
    ]
    return {
        "name": "overall in sample",
        "x": [value for *_, value in told],
        "y": [row for row, *_ in told],
        "mode": "markers",
        "marker": {"size": 12, "color": view_colour(OVERALL, ()), "symbol": "circle-open"},
        "customdata": [[label(name)] for _, name, _ in told],
        "hovertemplate": "%{customdata[0]}<br>overall %{x:.3f} in sample<extra></extra>",
    }


def _steps(stages: Sequence[Stage], rows: dict[str, int], measure: str) -> list[Spec]:
    values = {stage.name: stage.value(OVERALL, measure) for stage in stages}
    found = []
    for stage in stages:
        value, before = values[stage.name], values.get(stage.base or "")
        if value is not None and before is not None and stage.base is not None:
            ends = {"x0": before, "y0": rows[stage.base], "x1": value, "y1": rows[stage.name]}
            found.append(line(ends) | {"layer": "below"})
    return found
