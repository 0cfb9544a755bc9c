"""Figures of scores show the numbers of the tables, undefined ones as gaps, and strangers' texts as texts."""

import copy
import json

import pytest

from aeollm import DIMENSIONS, MEASURES, read_labels, read_run, score
from aeollm.figures import INK, dimensions_by_measure, per_question, view_colour, view_title
from aeollm.figures.style import label
from tests.small_files import labels_csv, run_text

# Question b is constant in the run, so that its coefficients are undefined; c goes the wrong way.
HUMAN = [("a", "1", 1), ("a", "2", 2), ("a", "3", 3), ("b", "1", 1), ("b", "2", 2), ("c", "1", 1), ("c", "2", 2)]
JUDGE = [("a", "1", 1), ("a", "2", 3), ("a", "3", 2), ("b", "1", 5), ("b", "2", 5), ("c", "1", 2), ("c", "2", 1)]
MARKUP = "<b>bold</b> %{x} <a href='javascript:x'>link</a>"


def scores_of(human=HUMAN, judge=JUDGE, name="judge.txt"):
    labels = read_labels(labels_csv(human), name="set")
    return score(read_run(run_text(judge), labels, name=name), labels)


@pytest.fixture
def scores():
    return scores_of()


def markers(figure, shown):
    """Give the traces that carry numbers."""
    return [trace for trace in figure.data if bool(trace.showlegend is not False) is not shown]


def texts(figure):
    return [note.text for note in figure.layout.annotations]


def whole(figure):
    """Give a figure as the browser gets it; fails for what is no JSON."""
    return json.loads(figure.to_json(), parse_constant=lambda name: pytest.fail(f"{name} in a figure"))


class TestColours:
    def test_every_official_view_has_its_own_for_ever(self):
        views = ("overall", *DIMENSIONS)
        colours = [view_colour(view, views) for view in views]
        assert len(set(colours)) == 5
        assert colours[0] == INK
        assert [view_colour(view, ("overall", view)) for view in views] == colours

    def test_other_dimensions_do_not_borrow_the_official_ones(self):
        views = ("overall", "warmth", "length")
        own = {view_colour(view, views) for view in views[1:]}
        assert len(own) == 2
        assert not own & {view_colour(view, DIMENSIONS) for view in DIMENSIONS}

    def test_many_dimensions_take_turns(self):
        views = ("overall", *(f"d{number}" for number in range(40)))
        assert all(view_colour(view, views).startswith("#") for view in views)


def test_titles_are_words():
    assert view_title("instruction_following") == "instruction following"


class TestLabels:
    def test_markup_and_placeholders_are_text(self):
        shown = label(MARKUP, 100)
        assert "<" not in shown
        assert "%{" not in shown
        assert "&lt;b&gt;bold&lt;/b&gt;" in shown

    def test_long_names_are_cut_before_they_are_escaped(self):
        assert label("<" * 50, 5) == "&lt;" * 4 + "…"
        assert label("12345", 5) == "12345"


class TestDimensionsByMeasure:
    def test_every_mean_is_a_marker(self, scores):
        figure = dimensions_by_measure([scores], ["judge"])
        panels = markers(figure, shown=True)
        assert len(panels) == len(MEASURES)
        for measure, panel in zip(MEASURES, panels, strict=True):
            assert list(panel.x) == [scores.mean(view, measure).mean for view in scores.views]
            assert [told[1] for told in panel.customdata] == [f"{mean:.3f}" for mean in panel.x]
        assert {told[2] for told in panels[0].customdata} == {"2 of 3 questions"}
        assert {told[2] for told in panels[2].customdata} == {"3 of 3 questions"}
        assert {panel.xaxis for panel in panels} == {"x", "x2", "x3"}

    def test_an_undefined_mean_is_a_gap(self):
        constant = scores_of(judge=[(question, answer, 5) for question, answer, _ in JUDGE])
        figure = dimensions_by_measure([constant], ["judge"])
        spearman, _, accuracy = markers(figure, shown=True)
        assert list(spearman.x) == [None] * 5
        assert {told[1] for told in spearman.customdata} == {"undefined"}
        assert None not in accuracy.x
        whole(figure)

    def test_runs_are_told_apart_by_shape_and_place(self, scores):
        names = [f"run {number}" for number in range(7)]
        figure = dimensions_by_measure([scores] * 7, names)
        legend = markers(figure, shown=False)
        assert [entry.name for entry in legend] == names
        assert len({entry.marker.symbol for entry in legend}) == 7
        first = [trace for trace in markers(figure, shown=True) if trace.xaxis == "x"]
        assert len({tuple(trace.y) for trace in first}) == 7
        for view in range(5):
            assert all(abs(trace.y[view] - view) < 0.5 for trace in first), "markers of one view stay in its row"

    def test_a_hundred_runs_stay_in_their_rows_and_in_reach(self, scores):
        figure = dimensions_by_measure([scores] * 100, [f"run {number}" for number in range(100)])
        places = [trace.y[0] for trace in markers(figure, shown=True)]
        assert max(map(abs, places)) < 0.5
        assert figure.layout.height < 2_000

    def test_nothing_to_draw_is_an_empty_figure(self):
        assert list(dimensions_by_measure([], []).data) == []

    def test_names_have_to_fit_the_runs(self, scores):
        with pytest.raises(ValueError, match="zip"):
            dimensions_by_measure([scores], ["one", "two"])

    def test_names_are_text(self, scores):
        figure = dimensions_by_measure([scores], [MARKUP])
        written = json.dumps(whole(figure))
        assert "<b>bold" not in written
        assert "%{x}" not in written


class TestPerQuestion:
    def test_dots_are_sorted_and_undefined_ones_a_gap_at_the_end(self, scores):
        [dots] = per_question(scores, "spearman").data
        assert list(dots.y) == [-1.0, 0.5, None]
        assert [told[0] for told in dots.customdata] == ["c", "a", "b"]

    def test_the_gap_is_told(self, scores):
        assert "1 undefined" in texts(per_question(scores, "kendall"))
        assert not [text for text in texts(per_question(scores, "accuracy")) if "undefined" in text]

    def test_the_mean_and_chance_are_lines(self, scores):
        for measure, chance in (("spearman", 0.0), ("accuracy", 0.5)):
            figure = per_question(scores, measure)
            mean = scores.mean("overall", measure).mean
            heights = {shape.y0 for shape in figure.layout.shapes if shape.type == "line"}
            assert heights == {chance, mean}
            assert f"mean {mean:.3f}" in texts(figure)

    def test_an_undefined_mean_has_no_line(self):
        constant = scores_of(judge=[(question, answer, 5) for question, answer, _ in JUDGE])
        figure = per_question(constant, "spearman")
        assert texts(figure) == ["3 undefined"]
        assert list(figure.data[0].y) == [None] * 3
        whole(figure)

    def test_values_below_zero_are_on_the_axis(self, scores):
        low, high = per_question(scores, "spearman").layout.yaxis.range
        assert low < -1
        assert high > 1

    def test_questions_are_named_while_there_are_few(self):
        def ticks(count):
            rows = [(f"question{q:06}", answer, int(answer)) for q in range(count) for answer in "12"]
            return per_question(scores_of(rows, rows), "spearman").layout.xaxis.ticktext

        assert len(ticks(40)) == 40
        assert all(len(tick) <= 12 for tick in ticks(3))
        assert not ticks(41)

    def test_the_view_sets_colour_and_title(self, scores):
        figure = per_question(scores, "kendall", "instruction_following")
        assert figure.data[0].marker.color == view_colour("instruction_following", scores.views)
        assert "instruction following" in figure.layout.xaxis.title.text

    def test_prompts_and_ids_are_text_and_cut(self):
        rows = [(MARKUP.replace(" ", ""), "1", 1), (MARKUP.replace(" ", ""), "2", 2)]
        scores = scores_of(rows, rows)
        figure = per_question(scores, "spearman", prompts={scores.questions[0]: f"{MARKUP} {'long ' * 50}"})
        [[question, prompt]] = figure.data[0].customdata
        assert "<" not in question + prompt
        assert prompt.endswith("…")
        assert len(prompt) < 200

    def test_one_question_alone(self):
        rows = [("only", "1", 1), ("only", "2", 2)]
        figure = per_question(scores_of(rows, rows), "accuracy")
        assert list(figure.data[0].y) == [1.0]


@pytest.mark.parametrize(
    "draw",
    [
        lambda scores, **options: dimensions_by_measure([scores], ["judge"], **options),
        lambda scores, **options: per_question(scores, "spearman", **options),
    ],
)
class TestAll:
    def test_the_demo_is_marked_and_nothing_else_is(self, scores, draw):
        assert "DEMO: simulated labels" in texts(draw(scores, demo=True))
        assert "DEMO: simulated labels" not in texts(draw(scores))

    def test_backgrounds_are_clear_in_both_themes(self, scores, draw):
        layout = draw(scores).layout
        assert layout.paper_bgcolor == layout.plot_bgcolor == "rgba(0,0,0,0)"
        assert layout.title.text is None

    def test_scores_are_left_as_they_are(self, scores, draw):
        before = copy.deepcopy(scores.to_json(per_question=True))
        draw(scores, demo=True)
        assert scores.to_json(per_question=True) == before
