"""Figures of a calibration: what is drawn where, gaps for what is undefined, users' texts as text."""

import math

import numpy as np

from aeollm.figures.calibration import Panel, Series, learning_curve, predicted_against_human, reliability, strictness

AT = np.linspace(0, 1, 257)


def panel(number, density):
    return Panel(f"answer {number}", AT, AT**2, density, "ECE .1")


def test_reliability_has_a_panel_an_answer_and_a_gap_where_there_are_no_forecasts():
    density = np.where(AT < 0.5, 1.0, 0.0)
    drawn = reliability([panel(k, density) for k in range(1, 6)], demo=True)
    assert len(drawn.data) == 10
    axes = [(drawn.layout[f"xaxis{k}"].domain, drawn.layout[f"yaxis{k}"].domain) for k in ("", 2, 3, 4, 5)]
    assert all(0 <= low < high <= 1 for pair in axes for low, high in pair)
    assert len(set(axes)) == 5
    curve = drawn.data[1]
    assert [math.isnan(y) for y in curve.y] == [x >= 0.5 for x in curve.x]
    assert curve.y[10] == curve.x[10] ** 2
    texts = [annotation.text for annotation in drawn.layout.annotations]
    assert texts[:2] == ["answer 1 · ECE .1", "answer 2 · ECE .1"]
    assert any("DEMO" in text for text in texts)


def test_predictions_lie_over_their_answers_and_means_are_means():
    answers, expected = np.array([1.0, 1, 3, math.nan, 2]), np.array([1.5, 2.5, 2.75, 2.0, math.nan])
    drawn = predicted_against_human(expected, answers, np.array([1.0, 2, 3]), target="<b>Q</b>")
    dots, means = drawn.data
    assert list(dots.y) == [1.5, 2.5, 2.75]
    assert np.abs(np.array(dots.x) - [1, 1, 3]).max() <= 0.35
    assert list(dots.customdata) == [1, 1, 3]
    assert (list(means.x), list(means.y)) == ([1, 3], [2.0, 2.75])
    assert "<b>" not in drawn.layout.xaxis.title.text


def test_decimals_lie_where_they_are():
    drawn = predicted_against_human(np.array([5.5, 6]), np.array([5, 7.25]), np.array([]), target="insight")
    assert len(drawn.data) == 1
    assert list(drawn.data[0].x) == [5, 7.25]
    many = np.linspace(0, 10, 5000)
    assert len(predicted_against_human(many, many, np.array([]), target="x").data[0].x) <= 1500


def test_the_strictest_is_on_top():
    drawn = strictness(("mild", "strict", "<i>"), (0.5, -0.7, 0.1), (3, 4, 5), target="Q0")
    [bars] = drawn.data
    assert list(bars.x) == [-0.7, 0.1, 0.5]
    assert list(drawn.layout.yaxis.ticktext) == ["strict (4)", "&lt;i&gt; (5)", "mild (3)"]
    low, high = drawn.layout.yaxis.range
    assert low > high
    names = [f"j{n:03d}" for n in range(200)]
    assert len(strictness(names, range(200), range(200), target="Q0").data[0].x) == 60


def test_a_learning_curve_with_an_undefined_interval():
    drawn = learning_curve([Series("ridge", [2, 5], [0.1, 0.2], [0.0, math.nan], [0.3, math.nan])], measure="r")
    [line] = drawn.data
    assert list(line.error_y.array) == [0.3 - 0.1, 0]
    assert list(line.error_y.arrayminus) == [0.1, 0]


def test_nothing_to_draw_is_an_empty_figure():
    assert len(reliability([]).data) == 0
    assert len(predicted_against_human(np.array([]), np.array([]), np.array([]), target="x").data) == 1
