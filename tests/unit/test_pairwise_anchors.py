"""Strengths drawn to anchors: stated, or learned from labels with every question held out."""

import math
from dataclasses import asdict, replace
from fractions import Fraction

import numpy as np
import pytest

from aeollm.aggregation.pairwise import (
    Comparisons,
    Trial,
    comparisons_of,
    fit_anchored,
    fit_learned_anchors,
    fit_stated_anchors,
    fitted_slope,
)
from aeollm.decimals import Decimals, decimal_of
from aeollm.errors import JudgmentsError, UsageError
from aeollm.measures import kendall
from aeollm.tables import AnswerScores, Labels
from aeollm.tables.judgments import Judgments

QUESTIONS, ANSWERS = 8, 6


class World:
    """Judgments, anchors and labels of one truth, each with noise of its own."""

    def __init__(self, anchor_noise=1.0, verdict_noise=1.0, slope=1.0):
        rng = np.random.default_rng(7)
        truth = rng.normal(size=(QUESTIONS, ANSWERS))
        rows, anchors = [], {}
        for q in range(QUESTIONS):
            for i in range(ANSWERS):
                score = 5 + slope * (truth[q, i] + anchor_noise * rng.normal())
                anchors[(str(q), f"d{i}"), "insight"] = Fraction(round(score, 3)).limit_denominator(1000)
                for j in range(i):
                    apart = truth[q, i] - truth[q, j] + verdict_noise * rng.logistic()
                    winner = "tie" if abs(apart) < 0.3 else "left" if apart > 0 else "right"
                    rows.append((str(q), "insight", f"d{i}", f"d{j}", winner))
        self.comparisons = comparisons_of(Judgments.of(rows), orders="any")
        self.anchors = AnswerScores.of_cells("anchors", ("insight",), anchors)
        self.scores = (5 + truth + 0.2 * rng.normal(size=truth.shape)).round(2)

    def labels(self, questions=QUESTIONS, changed=()):
        scores = self.scores[:questions].copy()
        scores[list(changed)] *= -1
        keys = [(str(q), f"d{i}") for q in range(questions) for i in range(ANSWERS)]
        decimals = Decimals.of([decimal_of(score) for score in scores.ravel().tolist()], (len(keys), 1))
        return Labels(
            "made", "frame", None, "", *map(tuple, zip(*keys, strict=True)), ("insight",), decimals,
            np.ones((len(keys), 1), dtype=bool),
        )  # fmt: skip


@pytest.fixture(scope="module")
def world():
    return World()


def test_a_stated_anchor_is_the_documented_penalty(world):
    strengths = fit_stated_anchors(world.comparisons, world.anchors, 2.0, 0.5)
    centre = []
    for q, answers in zip(world.comparisons.questions, world.comparisons.answers, strict=True):
        own = [float(world.anchors.get((q, answer), "insight")) for answer in answers]
        centre += [0.5 * (score - sum(own) / len(own)) for score in own]
    assert strengths.centre == pytest.approx(centre)
    assert strengths.values == pytest.approx(fit_anchored(world.comparisons, centre, 2.0).values)


def test_a_labelled_question_is_chosen_for_without_its_labels(world):
    before, choice = fit_learned_anchors(world.comparisons, world.anchors, world.labels())
    after, turned = fit_learned_anchors(world.comparisons, world.anchors, world.labels(changed=[3]))
    assert before.of("3", "insight") == after.of("3", "insight")
    assert choice[0].by_question["3"] == turned[0].by_question["3"]
    # What is chosen elsewhere does depend on question 3.
    assert choice[0].tried != turned[0].tried
    assert turned[0].held_out < choice[0].held_out


def test_a_new_question_gets_the_choice_made_on_all(world):
    strengths, (choice,) = fit_learned_anchors(world.comparisons, world.anchors, world.labels(questions=5))
    assert choice.by_question.keys() == set("01234")
    group = world.comparisons.questions.index("6")
    assert strengths.penalty[group] == choice.strength
    start = world.comparisons.starts[group]
    alone = fit_stated_anchors(world.comparisons, world.anchors, choice.strength, choice.slope)
    assert strengths.values[start : start + ANSWERS] == pytest.approx(alone.values[start : start + ANSWERS])


def test_held_out_and_in_sample_are_means_over_questions(world):
    trial = Trial(strengths=(0.1, 3.0), slope=1.0, measure="kendall")
    strengths, (choice,) = fit_learned_anchors(world.comparisons, world.anchors, world.labels(), trial)

    def agreement(fitted):
        values = []
        for q in range(QUESTIONS):
            own = fitted.of(str(q), "insight")
            values.append(float(kendall([own[f"d{i}"] for i in range(ANSWERS)], world.scores[q])))
        return values

    by_strength = {one: agreement(fit_stated_anchors(world.comparisons, world.anchors, one, 1.0)) for one in (0.1, 3.0)}
    means = {one: np.mean(values) for one, values in by_strength.items()}
    assert choice.tried == pytest.approx(means)
    assert choice.strength == max(means, key=means.get)
    assert choice.in_sample == pytest.approx(max(means.values()))
    assert choice.held_out == pytest.approx(np.mean(agreement(strengths)))
    for q in range(QUESTIONS):
        others = {one: np.mean(np.delete(values, q)) for one, values in by_strength.items()}
        # Of strengths that do equally well the strongest.
        best = max(others, key=lambda one, means=others: (round(means[one], 12), one))
        assert choice.by_question[str(q)] == (best, 1.0)


@pytest.mark.parametrize(("anchor_noise", "verdict_noise", "strong"), [(0.02, 6.0, True), (8.0, 0.3, False)])
def test_the_better_source_is_trusted(anchor_noise, verdict_noise, strong):
    world = World(anchor_noise, verdict_noise)
    _, (choice,) = fit_learned_anchors(world.comparisons, world.anchors, world.labels(), Trial(slope=1.0))
    assert (choice.strength >= 1) == strong
    assert choice.in_sample >= choice.held_out - 1e-12 or not strong


def test_the_fitted_slope_is_that_of_a_logistic_regression():
    # Anchors 2 apart and 3 wins to 1: log(3) / 2 a point. Ties do not count.
    compared = Comparisons.of_counts([[0, 3], [1, 0]], [[0, 5], [5, 0]])
    assert fitted_slope(compared, np.array([1.0, -1.0]), np.array([0])) == pytest.approx(math.log(3) / 2)
    # Anchors that contradict the verdicts, or do not differ, draw nothing.
    assert fitted_slope(compared, np.array([-1.0, 1.0]), np.array([0])) == pytest.approx(0, abs=1e-9)
    assert fitted_slope(compared, np.zeros(2), np.array([0])) == 0
    # Anchors that foresee every winner: held at the stated bound, 20 over a spread of 1.
    assert fitted_slope(Comparisons.of_counts([[0, 3], [0, 0]]), np.array([1.0, -1.0]), np.array([0])) == (
        pytest.approx(20)
    )


def test_the_slope_is_recovered():
    world = World(anchor_noise=0.0, verdict_noise=1.0, slope=0.5)
    _, (choice,) = fit_learned_anchors(world.comparisons, world.anchors, world.labels())
    # A truth t scored 5 + t/2 and verdicts of log-odds t: the slope is 2, within sampling (about 120 verdicts).
    assert choice.slope == pytest.approx(2, abs=0.6)
    slopes = [slope for _, slope in choice.by_question.values()]
    assert len(set(slopes)) == QUESTIONS


def test_what_cannot_be_learned_is_refused(world):
    with pytest.raises(UsageError, match="2 compared questions have labels of insight"):
        fit_learned_anchors(world.comparisons, world.anchors, world.labels(questions=2))
    other = replace(world.labels(), dimensions=("readability",))
    with pytest.raises(UsageError, match="0 compared questions"):
        fit_learned_anchors(world.comparisons, world.anchors, other)
    fewer = world.anchors.in_order(world.anchors.keys[:-1], ("insight",))
    with pytest.raises(JudgmentsError, match="Answer d5 of question 7"):
        fit_stated_anchors(world.comparisons, fewer, 1.0, 1.0)
    with pytest.raises(ValueError, match="at least one strength"):
        fit_learned_anchors(world.comparisons, world.anchors, world.labels(), Trial(strengths=()))


def test_constant_labels_are_counted_as_undefined(world):
    labels = world.labels()
    units = labels.scores.units.copy()
    units[:ANSWERS] = units[0]
    flat = replace(labels, scores=Decimals(units, labels.scores.exponent))
    _, (choice,) = fit_learned_anchors(world.comparisons, world.anchors, flat)
    assert choice.undefined == 1
    assert not any(math.isnan(value) for value in asdict(choice)["tried"].values())
    assert not math.isnan(choice.held_out)
