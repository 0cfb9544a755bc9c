"""Corrections that learn from labels: what they learn, and that a held-out question has no part in it."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from aeollm.calibration.corrections import blend_structure, correct_length, rescale, sample_of
from aeollm.calibration.corrections_held_out import Sample, learn
from aeollm.calibration.corrections_ridge import RIDGES, ridge_blend
from aeollm.calibration.corrections_scale import affine, isotonic
from aeollm.calibration.features import FEATURES, features_of_texts
from aeollm.decimals import Decimals, decimal_of
from aeollm.errors import JudgmentsError, UsageError
from aeollm.measures import kendall
from aeollm.tables import AnswerScores, Features, Labels

QUESTIONS, ANSWERS = 8, 10
DIMENSIONS = ("instruction_following", "readability")
KEYS = [(f"q{q}", f"d{i}") for q in range(QUESTIONS) for i in range(ANSWERS)]


def labels_of(scores, keys=KEYS):
    """Make labels of an array, shape (answers, dimensions); nan is a blank cell."""
    table = np.asarray(scores, dtype=float)
    given = ~np.isnan(table)
    decimals = Decimals.of([decimal_of(number) for number in np.nan_to_num(table).ravel().tolist()], table.shape)
    questions, answers = zip(*keys, strict=True)
    return Labels("made", "frame", None, "", questions, answers, DIMENSIONS, decimals, given)


def scores_of(table, keys=KEYS):
    cells = {
        (key, dimension): Fraction(repr(number))
        for key, row in zip(keys, table.tolist(), strict=True)
        for dimension, number in zip(DIMENSIONS, row, strict=True)
    }
    return AnswerScores.of_cells("judge", DIMENSIONS, cells)


class World:
    """A judge that likes length, and people who like headings in what they read."""

    def __init__(self, taste=0.8, headings=0.6, noise=0.3, seed=3):
        rng = np.random.default_rng(seed)
        words = rng.integers(20, 400, len(KEYS))
        marks = rng.integers(0, 6, len(KEYS))
        quality = rng.normal(6, 1, (len(KEYS), 2))
        judge = quality + noise * rng.normal(size=quality.shape)
        judge[:, 0] += taste * (np.log2(words) - 7)
        people = quality + 0.1 * rng.normal(size=quality.shape)
        people[:, 1] += headings * np.log1p(marks)
        self.people, self.words = people.round(2), words
        self.judge = judge.round(2)
        self.scores, self.labels = scores_of(self.judge), labels_of(self.people)
        texts = {
            key: "\n\n".join([*(f"# Part {n}" for n in range(m)), " ".join(f"word{n}" for n in range(w - 2 * m))])
            for key, w, m in zip(KEYS, words.tolist(), marks.tolist(), strict=True)
        }
        self.features = features_of_texts(texts)


@pytest.fixture(scope="module")
def world():
    return World()


def corrected(world, how, labels=None):
    labels = world.labels if labels is None else labels
    if how == "length":
        return correct_length(world.scores, labels, world.features)
    if how == "structure":
        return blend_structure(world.scores, labels, world.features)
    return rescale(world.scores, labels, "readability", how)


HOW = ("length", "structure", "affine", "isotonic")


def test_length_bias_is_found_and_taken_out(world):
    correction = corrected(world, "length")
    learned = correction.learned
    assert learned.held_out.kendall > learned.before.kendall + 0.1
    assert learned.held_out.accuracy > learned.before.accuracy
    # The judge gives .8 points too many for twice the words; what is taken off, for one point of judge.
    assert learned.learned["per_doubling"] / learned.learned["judge"] == pytest.approx(-0.8, abs=0.1)
    assert learned.in_sample.kendall == pytest.approx(learned.held_out.kendall, abs=0.03)
    assert correction.problems[0].kind == "learned_from_labels"
    assert "not the systems" in correction.problems[0].message


def test_structure_is_blended_in(world):
    learned = corrected(world, "structure").learned
    assert learned.held_out.kendall > learned.before.kendall + 0.02
    assert learned.learned["headings"] > 0
    assert set(learned.by_question) == {f"q{q}" for q in range(QUESTIONS)}


def test_without_a_bias_little_is_done():
    learned = corrected(World(taste=0.0), "length").learned
    assert abs(learned.learned["per_doubling"]) < 0.1
    assert learned.held_out.kendall > learned.before.kendall - 0.02


@pytest.mark.parametrize("how", HOW)
def test_a_question_has_no_part_in_its_own_correction(world, how):
    people = world.people.copy()
    own = slice(3 * ANSWERS, 4 * ANSWERS)
    people[own] = 10 - 3 * people[own][::-1]
    before, after = corrected(world, how), corrected(world, how, labels_of(people))
    rows = [row for row, key in enumerate(KEYS) if key[0] == "q3"]
    assert before.scores.values[rows].tolist() == after.scores.values[rows].tolist()
    assert before.learned.by_question["q3"] == after.learned.by_question["q3"]
    # All else did learn from it.
    assert before.in_sample.values[rows].tolist() != after.in_sample.values[rows].tolist()
    assert before.scores.values[:10].tolist() != after.scores.values[:10].tolist()


@pytest.mark.parametrize("how", HOW)
def test_held_out_is_what_is_learned_on_the_others_alone(world, how):
    """Labels of the question taken away altogether give it, as a new question, the same scores."""
    people = world.people.copy()
    people[:ANSWERS] = math.nan
    as_new = corrected(world, how, labels_of(people))
    held_out = corrected(world, how)
    assert as_new.scores.values[:ANSWERS].tolist() == held_out.scores.values[:ANSWERS].tolist()
    assert as_new.scores.values[:ANSWERS].tolist() == as_new.in_sample.values[:ANSWERS].tolist()
    assert "q0" not in as_new.learned.by_question


@pytest.mark.parametrize("how", HOW)
def test_other_dimensions_and_keys_stay(world, how):
    correction = corrected(world, how)
    other = 1 - DIMENSIONS.index(correction.dimension)
    assert correction.scores.keys == world.scores.keys
    assert correction.scores.values[:, other].tolist() == world.scores.values[:, other].tolist()
    assert correction.scores.missing == correction.in_sample.missing == 0


def test_tuning_and_weights_are_those_of_plain_ridge_regression():
    """Everything written out again: means off, ridge by lstsq on stacked rows, tuning by leaving questions out."""
    rng = np.random.default_rng(8)
    q = np.repeat(np.arange(5), 6)
    score, features = rng.normal(6, 2, 30), rng.normal(size=(30, 3)) * [1, 10, 0.1]
    labels = 5 + 0.3 * score + 0.8 * features[:, 0] + rng.normal(size=30)
    sample = Sample("d", tuple(map(str, q)), score, labels)
    found = learn(sample, ridge_blend(sample, features, ["a", "b", "c"]))
    x = np.column_stack([score, features])
    x0 = x - np.array([x[q == number].mean(axis=0) for number in q])
    y0 = labels - np.array([labels[q == number].mean() for number in q])

    def weights(rows, ridge):
        if math.isinf(ridge):
            return np.array([x0[rows, 0] @ y0[rows] / (x0[rows, 0] @ x0[rows, 0]), 0, 0, 0])
        penalty = np.diag(np.sqrt(ridge * (x0[rows] ** 2).sum(axis=0)) * [0, 1, 1, 1])
        return np.linalg.lstsq(np.vstack([x0[rows], penalty]), np.concatenate([y0[rows], np.zeros(4)]))[0]

    def tau(w, one):
        return stats.kendalltau((x0 @ w)[q == one], y0[q == one]).statistic

    def tuned(rows):
        def mean(ridge):
            return np.mean([tau(weights(rows & (q != one), ridge), one) for one in np.unique(q[rows])])

        best = max(map(mean, RIDGES))
        return max(ridge for ridge in RIDGES if mean(ridge) > best - 1e-12)

    for one in range(5):
        rows = q != one
        w = weights(rows, tuned(rows))
        assert w[0] > 0
        w *= np.sqrt((x0[rows, 0] ** 2).sum() / ((x0[rows] @ w) ** 2).sum())
        expected = score[q == one].mean() + x0[q == one] @ w
        assert found.values[q == one] == pytest.approx(expected)
        assert found.by_question[str(one)]["ridge"] == tuned(rows)


def test_the_judges_spread_and_means_stay(world):
    learned = corrected(world, "length").learned
    sample, _ = sample_of(world.scores, world.labels, "instruction_following")
    everywhere = np.ones(len(KEYS), dtype=bool)
    fitted, judge = (sample.centred(values, everywhere) for values in (learned.fitted, sample.scores))
    assert (fitted**2).sum() == pytest.approx((judge**2).sum())
    assert learned.fitted - fitted == pytest.approx(sample.scores - judge)


def tiny(scores, labels, questions="aabbcc"):
    return Sample("d", tuple(questions), np.array(scores, dtype=float), np.array(labels, dtype=float))


def test_a_straight_line_by_hand():
    # Twice the score less 3, exactly; the last question is new.
    sample = tiny([1, 2, 3, 4, 5, 6, 7, 8], [-1, 1, 3, 5, 7, 9, math.nan, math.nan], "aabbccdd")
    learned = learn(sample, affine(sample))
    assert learned.values == pytest.approx([-1, 1, 3, 5, 7, 9, 11, 13])
    assert learned.learned == pytest.approx({"slope": 2, "shift": -3})
    assert learned.held_out.rmse == pytest.approx(0, abs=1e-9)
    assert learned.before.rmse == pytest.approx(math.sqrt((4 + 1 + 0 + 1 + 4 + 9) / 6))
    assert learned.before.kendall == learned.held_out.kendall == 1


def test_a_falling_line_does_not_turn_the_judge_round():
    sample = tiny([1, 2, 3, 4, 5, 6], [6, 5, 4, 3, 2, 1])
    learned = learn(sample, affine(sample))
    assert learned.learned == {"slope": 1, "shift": 0}
    constant = tiny([5, 5, 5, 5, 5, 5], [1, 2, 3, 1, 2, 3])
    assert learn(constant, affine(constant)).fitted == pytest.approx([2] * 6)


def test_an_isotonic_curve_by_hand():
    # Pool adjacent violators: 3 and 2 become 2.5; between the scores given it is straight, beyond them level.
    sample = tiny([1, 2, 3, 4, 1, 2, 2.5, 3.5, 9], [1, 3, 2, 4, 1, 3, math.nan, math.nan, math.nan], "aabbccddd")
    learned = learn(sample, isotonic(sample))
    # Scores 1, 2, 3, 4 have mean labels 1, 3, 2, 4 and weights 2, 2, 1, 1: 2 and 3 pool to (6 + 2) / 3.
    pooled = 8 / 3
    assert learned.fitted[:4] == pytest.approx([1, pooled, pooled, 4])
    assert learned.values[6:] == pytest.approx([pooled, (pooled + 4) / 2, 4])
    assert learned.learned == {"steps": 3}


def test_isotonic_ties_are_counted_and_told():
    world = World(noise=2.0)
    correction = rescale(world.scores, world.labels, "readability", "isotonic")
    problem = next(problem for problem in correction.problems if problem.kind == "isotonic_ties")
    column = correction.scores.floats[:, 1].reshape(QUESTIONS, ANSWERS)
    judge = world.judge[:, 1].reshape(QUESTIONS, ANSWERS)
    pairs = [(i, j) for i in range(ANSWERS) for j in range(i)]
    made = sum(
        int(column[q, i] == column[q, j]) - (judge[q, i] == judge[q, j]) for q in range(QUESTIONS) for i, j in pairs
    )
    assert f"ties {made:,} pairs" in problem.message
    assert made > 0
    affine_problems = rescale(world.scores, world.labels, "readability").problems
    assert [problem.kind for problem in affine_problems] == ["learned_from_labels"]
    # It never turns an order round.
    for q in range(QUESTIONS):
        assert all((column[q, i] - column[q, j]) * (judge[q, i] - judge[q, j]) >= 0 for i, j in pairs)


def test_agreement_is_the_mean_over_questions(world):
    before = corrected(world, "affine").learned.before
    taus = [
        float(kendall(world.judge[q : q + ANSWERS, 1], world.people[q : q + ANSWERS, 1]))
        for q in range(0, len(KEYS), ANSWERS)
    ]
    assert before.kendall == pytest.approx(np.mean(taus))
    assert before.questions == QUESTIONS


def test_a_judge_against_the_labels_has_no_weight():
    turned = World()
    turned.judge = (12 - turned.people).round(2)
    turned.scores = scores_of(turned.judge)
    correction = blend_structure(turned.scores, turned.labels, turned.features)
    assert correction.learned.learned["judge"] == 0
    assert "judge_unused" in [problem.kind for problem in correction.problems]
    assert correction.learned.held_out.kendall > correction.learned.before.kendall
    # Without features that help either, the scores stay what they are.
    alone = correct_length(turned.scores, turned.labels, features_of_texts(dict.fromkeys(KEYS, "as many words")))
    assert alone.scores.values.tolist() == turned.scores.values.tolist()
    assert "nothing_learned" in [problem.kind for problem in alone.problems]


def test_answers_without_a_score_stay_without(world):
    cells = world.scores.values.copy()
    cells[5, 1] = cells[6, 1] = None
    for how in HOW[1:]:
        gap = World()
        gap.scores = replace(world.scores, values=cells)
        correction = corrected(gap, how)
        assert [row for row in range(len(KEYS)) if correction.scores.values[row, 1] is None] == [5, 6]


def test_what_cannot_be_corrected_is_refused(world):
    with pytest.raises(UsageError, match="2 questions have labels of readability"):
        rescale(world.scores, labels_of(np.where(np.arange(80)[:, None] < 20, world.people, math.nan)), "readability")
    with pytest.raises(UsageError, match="no dimension insight"):
        rescale(world.scores, world.labels, "insight")
    with pytest.raises(ValueError, match="affine, isotonic"):
        rescale(world.scores, world.labels, "readability", "spline")


def with_text(world, key, text):
    values = {**world.features.values, **features_of_texts({key: text}).values}
    return Features(FEATURES, values)


def test_features_that_cannot_be_used_are_refused(world):
    some = {key: row for key, row in world.features.values.items() if key not in (("q3", "d4"), ("q3", "d5"))}
    with pytest.raises(JudgmentsError, match=r"(?s)Answer d4 of question q3 has no features.*Answer d5") as refused:
        blend_structure(world.scores, world.labels, Features(FEATURES, some))
    assert len(refused.value.problems) == 2
    with pytest.raises(JudgmentsError, match="Answer d0 of question q0 has no words that could be used"):
        correct_length(world.scores, world.labels, with_text(world, ("q0", "d0"), "—"))
    with pytest.raises(JudgmentsError, match="has no chinese_share that could be used"):
        blend_structure(world.scores, world.labels, with_text(world, ("q0", "d0"), "2024"))
    other = Features(("headings",), dict.fromkeys(KEYS, (3.0,)))
    with pytest.raises(JudgmentsError, match="no column words, but headings"):
        correct_length(world.scores, world.labels, other)
    with pytest.raises(JudgmentsError, match="no features to blend"):
        blend_structure(world.scores, world.labels, Features((), dict.fromkeys(KEYS, ())))


def test_counts_made_elsewhere_serve_as_well(world):
    column = FEATURES.index("words")
    counts = Features(("pages", "words"), {key: (1.0, row[column]) for key, row in world.features.values.items()})
    found = correct_length(world.scores, world.labels, counts)
    assert found.scores.values.tolist() == corrected(world, "length").scores.values.tolist()


def test_names_and_order_do_not_matter(world):
    order = np.random.default_rng(1).permutation(len(KEYS)).tolist()
    keys = [KEYS[row] for row in order]
    shuffled = World()
    shuffled.scores = scores_of(world.judge[order], keys)
    for how in HOW:
        one, other = corrected(world, how), corrected(shuffled, how)
        column = DIMENSIONS.index(one.dimension)
        assert other.scores.floats[:, column] == pytest.approx(one.scores.floats[order, column], abs=1e-8)
