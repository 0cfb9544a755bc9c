"""What is told beside scores: reference judges, ceilings, a run's scale and ties, annotators by dimension."""

import math

import numpy as np
import pytest

from aeollm import Policy, read_labels, read_rubrics, read_run, score
from aeollm.diagnosis import annotator_agreement, ceiling, diagnose, reference_means
from aeollm.files import read_annotations
from aeollm.scoring import both_sides, human_order
from aeollm.sources import LabelSet, demo_set
from tests.small_files import labels_csv, rubric, run_text

NAN = math.nan
# q1 ties two of three answers; q2 has a blank.
GOLD = [("q1", "A", 7), ("q1", "B", 7), ("q1", "C", 8), ("q2", "A", 1), ("q2", "B", 2), ("q2", "C", "")]
RUN = [("q1", "A", 8.1), ("q1", "B", 7.9), ("q1", "C", 9), ("q2", "A", 3), ("q2", "B", 3), ("q2", "C", 1)]


@pytest.fixture
def label_set():
    return LabelSet(read_labels(labels_csv(GOLD), name="set"), None)


@pytest.fixture
def run(label_set):
    return read_run(run_text(RUN), label_set.labels, name="run")


def test_human_order_numbers_distinct_scores(label_set):
    order = human_order(label_set.labels)
    assert order.shape == (5, 2, 3)
    for view in order:
        np.testing.assert_array_equal(view, [[0, 0, 1], [0, 1, NAN]])


def test_human_order_ties_weighted_totals_exactly():
    """In float64 .3 * 3 + .7 * 2 is not .3 * 10 + .7 * -1, though both are 2.3."""
    labels = read_labels(labels_csv([("q", "A", 3, 2, 0, 0), ("q", "B", 10, -1, 0, 0), ("q", "C", 9)]))
    rubrics = read_rubrics({"criterionq.json": rubric("q", ("0.3", "0.7", "0", "0"))}, labels)
    assert human_order(labels, rubrics)[0].tolist() == [[0, 0, 1]]


def test_human_order_leaves_short_questions_out(label_set):
    order = human_order(label_set.labels, None, Policy(min_answers=3))
    assert np.isnan(order[:, 1]).all()
    assert not np.isnan(order[:, 0]).any()


def test_both_sides_stand_beside_each_other(label_set, run):
    sides = both_sides(run, label_set.labels)
    np.testing.assert_array_equal(sides.run[1], [[8.1, 7.9, 9], [3, 3, NAN]])
    np.testing.assert_array_equal(sides.human[1], [[7, 7, 8], [1, 2, NAN]])
    np.testing.assert_array_equal(sides.human_order, human_order(label_set.labels))
    np.testing.assert_allclose(sides.run[0], sides.run[1])


def test_both_sides_of_a_partial_run(label_set):
    policy = Policy(partial=True)
    part = read_run(run_text(RUN[1:]), label_set.labels, policy)
    sides = both_sides(part, label_set.labels, None, policy)
    np.testing.assert_array_equal(sides.run[2], [[7.9, 9, NAN], [3, 3, NAN]])
    np.testing.assert_array_equal(sides.human[2], [[7, 8, NAN], [1, 2, NAN]])


def test_reference_means_by_hand(label_set):
    """q1 ties 1 of 3 pairs; q2 none of its one: chance (1/3 + 1/2) / 2, constant (1/3 + 0) / 2."""
    means = reference_means(label_set)
    for v in range(5):
        assert means["random"]["accuracy"][v] == pytest.approx((1 / 3 + 1 / 2) / 2)
        assert means["constant"]["accuracy"][v] == pytest.approx(1 / 6)
        assert means["tie_free_maximum"]["accuracy"][v] == pytest.approx((2 / 3 + 1) / 2)
        assert means["random"]["kendall"][v] == 0
        assert math.isnan(means["constant"]["spearman"][v])


def test_a_constant_run_scores_what_is_said_of_it():
    found = demo_set()
    keys = zip(found.labels.questions, found.labels.answers, strict=True)
    constant = read_run(run_text([(*key, 5) for key in keys]), found.labels)
    scores = score(constant, found.labels, found.rubrics)
    means = reference_means(found)["constant"]["accuracy"]
    for v, view in enumerate(found.labels.views):
        assert scores.mean(view, "accuracy").mean == pytest.approx(means[v], abs=1e-15)


def test_a_run_without_ties_that_follows_people_reaches_the_maximum():
    found = demo_set()
    labels = found.labels
    rows = []
    for row, key in enumerate(zip(labels.questions, labels.answers, strict=True)):
        rows.append((*key, *(f"{value + row / 10_000:.4f}" for value in labels.scores.values[row])))
    scores = score(read_run(run_text(rows), labels), labels, found.rubrics)
    most = reference_means(found)["tie_free_maximum"]
    for v, view in enumerate(labels.views[1:], start=1):
        for measure in ("spearman", "kendall", "accuracy"):
            assert scores.mean(view, measure).mean == pytest.approx(most[measure][v], abs=1e-12)


def test_ceilings():
    found = demo_set()
    view, simulated = ceiling(found)
    assert (view, simulated.reliability, simulated.questions) == ("readability", 0.76, 8)
    view, simulated = ceiling(found, 1.0)
    assert (view, simulated.perfect["kendall"].mean) == ("overall", 1.0)
    own = LabelSet(read_labels(labels_csv([("q", "A", 1), ("q", "B", 2)], ("truth",))), None)
    assert ceiling(own) is None
    assert ceiling(own, 0.5)[0] == "overall"
    alone = LabelSet(read_labels(labels_csv([("q", "A", 1)])), None)
    assert ceiling(alone) is None


def test_diagnosis_by_hand(label_set, run):
    scores = score(run, label_set.labels)
    found = diagnose(run, scores, label_set)
    for v in range(5):
        # Errors 1.1, .9, 1, 2, 1; the blank answer is left out.
        assert found.scale.answers[v] == 5
        assert found.scale.bias[v] == pytest.approx(6 / 5)
        assert found.scale.mae[v] == pytest.approx(6 / 5)
        assert found.scale.rmse[v] == pytest.approx(math.sqrt(8.02 / 5))
        assert (found.scale.distinct_run[v], found.scale.distinct_labels[v]) == (4, 4)
        # One of four pairs is tied by the run, another one by people.
        assert (found.ties.run_ties[v], found.ties.label_ties[v]) == (1 / 4, 1 / 4)
    # A grid of .2 rounds 8.1 and 7.9 to 8, so that A and B of q1 tie as people have it, and leaves C apart.
    [grid, *others] = found.grids
    assert grid.without == pytest.approx((2 / 3 + 0) / 2)
    assert (grid.grid, grid.accuracy) == (0.2, pytest.approx((1 + 0) / 2))
    assert len(others) == 4


ANNOTATIONS = b"""questionId,answerId,annotator,insight_score,truth_score
q,1,A,7,1
q,1,B,8,2
q,2,A,4,2
q,2,B,9,1
q,2,C,8,9
q,3,A,6,4
q,3,B,6,5
q,4,A,5,5
q,4,B,6,4
"""


def test_annotators_are_set_aside_by_dimension():
    insight, truth = annotator_agreement(read_annotations(ANNOTATIONS))
    assert (insight.dimension, insight.set_aside, insight.ranked) == ("insight", ("C",), ("A", "B"))
    # In truth, the others differ by 1 everywhere: nothing shows that C decided a dispute.
    assert (truth.set_aside, truth.ranked) == ((), ("A", "B", "C"))
    assert (insight.icc.raters, truth.icc.raters) == (2, 3)
    named = annotator_agreement(read_annotations(ANNOTATIONS), ["C"])
    assert [own.set_aside for own in named] == [("C",), ("C",)]
    assert [own.icc.raters for own in annotator_agreement(read_annotations(ANNOTATIONS), [])] == [3, 3]
