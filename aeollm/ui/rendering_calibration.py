"""Figures of the Calibrate tab."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from aeollm.figures.calibration import Series, learning_curve, reliability
from aeollm.reporting.calibrated import effects_figure, panels, predicted_figure

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from aeollm.trials import Trial
    from aeollm.validation import Point


def figures_of(trial: Trial, name: str) -> list[Figure | None]:
    """Draw reliability and predictions of a model, and the judges' strictness."""
    shown = panels(trial, name)
    return [
        reliability(shown, demo=trial.material.demo) if shown else None,
        predicted_figure(trial, name),
        effects_figure(trial) if trial.effects else None,
    ]


def curve_figure(trial: Trial, points: Sequence[Point]) -> Figure:
    """Draw how much the chosen model gains from further answers of every judge."""
    name = trial.choices.model
    found = [point.validation.models[name] for point in points]
    series = Series(
        name,
        [point.mean for point in points],
        [one.quality.pearson for one in found],
        [one.low.pearson for one in found],
        [one.high.pearson for one in found],
    )
    return learning_curve([series], measure="Pearson r on held-out texts", demo=trial.material.demo)
