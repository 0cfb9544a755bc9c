"""Protocols never score what was trained on; intervals and tests are those of a plain computation."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from aeollm.calibration import Cancelled, Settings, from_opinions, measure, smooth_ece
from aeollm.errors import UsageError
from aeollm.validation import (
    Plan,
    ablations,
    cross_validate,
    learning_curve,
    leave_one_question_out,
    protocols,
    train_test,
)
from aeollm.validation.paired import correlation_tests, mean_tests
from aeollm.validation.resampled import Scored, interval, replicates, resample_weights
from aeollm.validation.studies import thinned
from tests.calibrated import decimals, made_answers, made_opinions

OPINIONS = made_opinions(30)
EXAMPLES = from_opinions(OPINIONS, made_answers(OPINIONS, {"mild": 0.8, "strict": -0.8}), "Q0")
PLAN = Plan(seeds=(0, 1), settings=Settings(members=1), resamples=200)
CHEAP = ("raw", "argmax", "constant", "judge_mean", "ridge")


@pytest.fixture(scope="module")
def found():
    return cross_validate(EXAMPLES, CHEAP, PLAN)


@pytest.fixture
def fits(monkeypatch):
    """Record what is trained on and what is predicted."""
    seen, original = [], protocols.fit_models

    def recording(train, models, settings, watch):
        fitted = original(train, models, settings, watch)
        seen.append((train, settings.seed))
        return fitted

    monkeypatch.setattr(protocols, "fit_models", recording)
    return seen


def test_no_text_is_ever_on_both_sides(fits):
    found = cross_validate(EXAMPLES, ("ridge",), PLAN)
    assert len(fits) == 10
    for by_seed in found.models["ridge"].by_seed:
        assert not by_seed.seen.any()
        assert by_seed.texts == EXAMPLES.texts
    for seed in (0, 1):
        held = [set(EXAMPLES.texts) - set(train.texts) for train, one in fits if one == seed]
        assert sorted(text for texts in held for text in texts) == sorted(OPINIONS.texts)


def test_held_out_answers_do_not_reach_what_is_said_of_them():
    one = replace(PLAN, seeds=(0,))
    before = cross_validate(EXAMPLES, ("judge_mean", "ridge"), one)
    held = before.models["ridge"].predictions
    text = EXAMPLES.texts[0]
    rows = [row for row, name in enumerate(EXAMPLES.texts) if name == text]
    answers = EXAMPLES.answers.copy()
    answers[rows, 0] = 5 - answers[rows, 0]
    after = cross_validate(replace(EXAMPLES, answers=answers), ("judge_mean", "ridge"), one)
    for name in ("judge_mean", "ridge"):
        first, second = (run.models[name].predictions.expected for run in (before, after))
        assert np.array_equal(first[rows], second[rows])
        assert not np.array_equal(first, second)
    assert not held.seen.any()


def test_figures_are_means_over_seeds_of_the_pooled_rows(found):
    for name in CHEAP:
        one = found.models[name]
        each = [measure(seed.expected, EXAMPLES.answered).rmse for seed in one.by_seed]
        assert [quality.rmse for quality in one.per_seed] == each
        assert one.quality.rmse == pytest.approx(np.mean(each))
    assert (found.n_train, found.n_test, found.seeds) == (48, 60, (0, 1))


def test_intervals_hold_the_figures_and_differences_are_paired(found):
    for name in ("raw", "judge_mean", "ridge"):
        one = found.models[name]
        assert one.low.rmse < one.quality.rmse < one.high.rmse
        assert one.low.pearson < one.quality.pearson < one.high.pearson
    gap = found.models["ridge"].difference["rmse"]
    assert gap.value == pytest.approx(found.models["ridge"].quality.rmse - found.models["raw"].quality.rmse)
    assert gap.low < gap.value < gap.high
    apart = found.models["ridge"].high.rmse - found.models["ridge"].low.rmse
    assert gap.high - gap.low < 2 * apart
    assert found.models["raw"].difference == {}
    assert found.models["raw"].p == {}


def test_a_better_model_is_told_from_the_judge_itself(found):
    tests = found.compare("ridge", "raw")
    assert tests["rmse"] < 0.01
    assert tests["pearson"] < 0.05
    assert found.models["ridge"].p["rmse"] == tests["rmse"]
    assert set(tests) == {"rmse", "nll", "pearson", "spearman", "kendall"}
    # Certain of every answer: some that came had probability 0.
    assert np.isnan(found.models["argmax"].p["nll"])


def test_the_same_plan_gives_the_same_figures(found):
    again = cross_validate(EXAMPLES, CHEAP, PLAN)
    shuffled = cross_validate(EXAMPLES.take(np.random.default_rng(0).permutation(len(EXAMPLES))), CHEAP, PLAN)
    for name in CHEAP:
        for field in ("low", "high", "quality"):
            assert str(getattr(again.models[name], field)) == str(getattr(found.models[name], field))
        assert str(again.models[name].p) == str(found.models[name].p)
        assert shuffled.models[name].quality.rmse == pytest.approx(found.models[name].quality.rmse, abs=1e-12)


def test_every_answer_has_its_calibration_error_floor_and_curve(found):
    one = found.models["ridge"]
    assert list(one.smece) == list(one.floors) == list(one.curves) == [1, 2, 3, 4]
    assert all(0 <= value <= 1 for value in one.smece.values())
    first, second = one.by_seed
    shares = [smooth_ece(seed.probabilities[:, 2], EXAMPLES.answered == 3) for seed in (first, second)]
    assert one.smece[3.0] == pytest.approx(np.mean(shares))
    assert one.curves[3.0].error == pytest.approx(shares[0])


def test_transfer_scores_the_answered_rows_of_the_test():
    other = replace(OPINIONS, texts=tuple(f"new{text}" for text in OPINIONS.texts))
    answers = made_answers(other, {"strict": -0.8, "new": 0.0}, seed=4)
    values = answers.values.copy()
    values[:5, 0] = 0
    found = train_test(EXAMPLES, from_opinions(other, replace(answers, values=values), "Q0"), ("ridge",), PLAN)
    assert (found.n_train, found.n_test) == (60, 55)
    assert found.models["ridge"].predictions.known.sum() == 25


def test_texts_on_both_sides_are_refused():
    with pytest.raises(UsageError, match="30 texts are in the training and in the test"):
        train_test(EXAMPLES, EXAMPLES, ("ridge",), PLAN)
    with pytest.raises(UsageError, match="No row of the test"):
        train_test(EXAMPLES, EXAMPLES.aimed_at("Q1"), ("ridge",), PLAN)


def test_questions_are_left_out_one_by_one(fits):
    examples = decimals()
    found = leave_one_question_out(examples, ("raw", "ridge", "ordinal"), replace(PLAN, seeds=(0,)))
    assert sorted(set(examples.groups) - set(train.groups) for train, _ in fits) == [
        {f"q{q}"} for q in range(6)
    ] or all(len(set(examples.groups) - set(train.groups)) == 1 for train, _ in fits)
    assert found.n_test == 60
    ridge = found.models["ridge"]
    assert ridge.quality.pearson > 0.9
    # Bins are drawn anew in every fold, so that only the probability of the answer that came can be pooled.
    assert np.isnan(ridge.predictions.probabilities).all()
    assert np.isfinite(ridge.quality.nll)
    assert dict(ridge.smece) == {}


def test_too_few_texts_are_refused():
    with pytest.raises(UsageError, match="2 texts"):
        cross_validate(EXAMPLES.take([0, 1]), ("constant",), PLAN)


def test_a_protocol_can_be_ended_and_tells_how_far_it_is():
    told = []

    def watch(share, _step):
        told.append(share)
        if share > 0.5:
            raise Cancelled

    with pytest.raises(Cancelled):
        cross_validate(EXAMPLES, CHEAP, PLAN, watch)
    assert told == sorted(told)
    assert told[-1] < 0.6


def naive(rows, weights):
    copies = weights.astype(int)
    x, y = np.repeat(rows.expected, copies), np.repeat(rows.answers, copies)
    losses = -np.log(np.repeat(rows.likelihoods, copies))
    return [
        np.sqrt(np.mean((x - y) ** 2)),
        stats.pearsonr(x, y).statistic,
        stats.spearmanr(x, y).statistic,
        stats.kendalltau(x, y).statistic,
        losses.mean(),
    ]


def test_replicates_are_measures_of_the_rows_drawn():
    rng = np.random.default_rng(0)
    groups = [f"t{row // 2}" for row in range(40)]
    rows = Scored(np.round(rng.normal(2.5, 1, 40), 1), rng.integers(1, 5, 40).astype(float), rng.random(40))
    weights = resample_weights(groups, 8, rng)
    assert np.array_equal(weights[:, ::2], weights[:, 1::2])
    assert np.all(weights.sum(axis=1) == 40)
    np.testing.assert_allclose(replicates(rows, weights), [naive(rows, one) for one in weights], atol=1e-9)


def test_replicates_without_spread_are_undefined():
    rows = Scored(np.full(6, 2.0), np.arange(6.0), np.full(6, 0.5))
    found = replicates(rows, np.ones((3, 6)))
    assert np.isnan(found[:, 1:4]).all()
    assert np.isfinite(found[:, [0, 4]]).all()
    low, high = interval(found, 6)
    assert np.isnan(low).tolist() == np.isnan(high).tolist() == [False, True, True, True, False]


def test_sign_flips_are_counted_by_text():
    # Three texts of two rows. Squared errors differ by 1 - 4 = -3 in every row, so that every text's sum is -6 and
    # of eight patterns two are as extreme.
    answers = np.zeros(6)
    ours, theirs = Scored(np.ones(6), answers, np.full(6, 0.5)), Scored(np.full(6, 2.0), answers, np.full(6, 0.25))
    found = mean_tests([ours], [theirs], np.repeat([0, 1, 2], 2), np.random.default_rng(0))
    assert found == {"rmse": 0.25, "nll": 0.25}


def test_exchanging_predictions_text_by_text_is_the_exact_test():
    rng = np.random.default_rng(5)
    answers = rng.normal(size=16)
    x, z = answers + rng.normal(0, 0.5, 16), answers + rng.normal(0, 2.0, 16)
    groups = np.arange(16) // 2
    ours, theirs = (Scored(side, answers, np.ones(16)) for side in (x, z))
    # All 2**8 exchanges, with scipy; ours draws 999 of them, for which the error is about .015.
    exact = []
    for pattern in itertools.product([False, True], repeat=8):
        swap = np.array(pattern)[groups]
        first, second = np.where(swap, z, x), np.where(swap, x, z)
        exact.append(stats.spearmanr(first, answers).statistic - stats.spearmanr(second, answers).statistic)
    wanted = np.mean(np.abs(exact) >= abs(exact[0]) - 1e-12)
    found = correlation_tests([ours], [theirs], groups, rng, ("spearman",))["spearman"]
    assert found == pytest.approx(wanted, abs=0.05)
    same = correlation_tests([ours], [ours], groups, rng)
    assert same == {"pearson": 1.0, "spearman": 1.0, "kendall": 1.0}


def test_thinning_keeps_at_most_so_many_of_each_judge_and_less_is_part_of_more():
    few, more = (thinned(EXAMPLES, most, seed=3) for most in (4, 9))
    for examples, most in ((few, 4), (more, 9)):
        assert {judge: examples.judges.count(judge) for judge in ("mild", "strict")} == {"mild": most, "strict": most}
    assert set(zip(few.texts, few.judges, strict=True)) < set(zip(more.texts, more.judges, strict=True))
    shuffled = thinned(EXAMPLES.take(range(59, -1, -1)), 4, seed=3)
    assert set(zip(shuffled.texts, shuffled.judges, strict=True)) == set(zip(few.texts, few.judges, strict=True))


def test_a_learning_curve_scores_the_same_rows_everywhere():
    points = learning_curve(EXAMPLES, ("judge_mean", "ridge"), PLAN, counts=(2, 20))
    assert [(point.most, point.mean) for point in points] == [(2, 2.0), (20, 20.0)]
    assert [point.validation.n_test for point in points] == [60, 60]
    assert points[1].validation.models["ridge"].quality.rmse < points[0].validation.models["ridge"].quality.rmse


def test_ablations_start_with_the_whole_network():
    found = ablations(EXAMPLES, replace(PLAN, seeds=(0,), folds=2))
    assert [one.left_out for one in found] == ["", "judges' parameters", "pretraining", "fine-tuning", "Q0", "Q1"]
    whole, nobody, *_, own, other = found
    assert whole.p == {}
    # Made so: judges differ by 1.6, and answers come from the judge's own opinion on Q0.
    assert nobody.quality.rmse > whole.quality.rmse + 0.2
    assert nobody.p["rmse"] < 0.01
    assert own.quality.pearson < whole.quality.pearson - 0.05
    assert abs(other.quality.pearson - whole.quality.pearson) < 0.1
