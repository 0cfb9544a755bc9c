"""Fitting and predicting: what must not matter, what must be recovered, what is said of judges not seen."""

from dataclasses import replace

import numpy as np
import pytest

from aeollm.calibration import (
    MODELS,
    NOBODY,
    Cancelled,
    Settings,
    cases_for,
    fit,
    fit_models,
    from_opinions,
    judge_effects,
    measure_predictions,
)
from aeollm.errors import UsageError
from aeollm.tables import Answers
from tests.calibrated import decimals, made_answers, made_opinions

STRICTNESS = {"mild": 0.8, "strict": -0.8, "usual": 0.0}
OPINIONS = made_opinions(40)
ANSWERS = made_answers(OPINIONS, STRICTNESS)
EXAMPLES = from_opinions(OPINIONS, ANSWERS, "Q0")
QUICK = Settings(members=1)
LEARNT = [name for name in MODELS if name not in {"raw", "argmax", "constant"}]


@pytest.fixture(scope="module")
def fitted():
    return fit_models(EXAMPLES, MODELS, QUICK)


@pytest.mark.parametrize("model", MODELS)
def test_every_model_gives_a_distribution_a_mean_and_an_interval(fitted, model):
    found = fitted[model].predict(EXAMPLES)
    assert found.probabilities.shape == (120, 4)
    np.testing.assert_allclose(found.probabilities.sum(axis=1), 1)
    assert np.all(found.probabilities >= 0)
    np.testing.assert_allclose(found.probabilities @ found.values, found.expected, atol=0.02)
    assert np.all((found.low <= found.high) & (found.low >= 1) & (found.high <= 4))


@pytest.mark.parametrize("model", ["raw", "judge_mean", "ridge_slopes", "ordinal_slopes", "net"])
def test_neither_the_order_of_rows_nor_the_rest_of_the_batch_matters(fitted, model):
    shuffled = EXAMPLES.take(np.random.default_rng(1).permutation(len(EXAMPLES)))
    again = fit(shuffled, model, QUICK)
    assert again.digest == fitted[model].digest
    first = fitted[model].predict(EXAMPLES)
    assert np.array_equal(again.predict(EXAMPLES).expected, first.expected)
    alone = fitted[model].predict(EXAMPLES.take([7]))
    np.testing.assert_allclose(alone.probabilities[0], first.probabilities[7], atol=1e-9)


@pytest.mark.parametrize("model", ["judge_mean", "ridge_slopes", "ordinal_slopes", "net"])
def test_what_judges_are_called_does_not_matter(fitted, model):
    # In the other order of the alphabet: mild, strict, usual become 3, 2, 1.
    names = {"mild": "3", "strict": "2", "usual": "1"}
    renamed = replace(EXAMPLES, judges=tuple(names[judge] for judge in EXAMPLES.judges))
    found = fit(renamed, model, QUICK).predict(renamed)
    # The sums are taken in another order, and an optimiser of few steps carries that on.
    np.testing.assert_allclose(found.expected, fitted[model].predict(EXAMPLES).expected, atol=1e-3)


def test_a_seed_decides_everything(fitted):
    again = fit(EXAMPLES, "mix", QUICK).predict(EXAMPLES)
    assert np.array_equal(again.probabilities, fitted["mix"].predict(EXAMPLES).probabilities)
    other = fit(EXAMPLES, "mix", Settings(seed=1, members=1)).predict(EXAMPLES)
    assert not np.array_equal(again.probabilities, other.probabilities)


@pytest.mark.parametrize("model", ["judge_mean", "ridge", "ridge_slopes", "ordinal", "ordinal_slopes", "net", "mix"])
def test_strictness_is_recovered(fitted, model):
    effects = judge_effects(fitted[model], EXAMPLES)
    assert [effect.judge for effect in effects] == ["strict", "usual", "mild"]
    assert {effect.answers for effect in effects} == {40}
    # Rounding and the ends of the scale shrink the made 0.8 to what the answers themselves show.
    answered, judges = EXAMPLES.answered, np.array(EXAMPLES.judges)
    for effect in effects:
        shown = answered[judges == effect.judge].mean() - answered.mean()
        assert effect.effect == pytest.approx(shown, abs=0.2)


@pytest.mark.parametrize("model", ["ridge", "ordinal", "net", "mix"])
def test_people_are_predicted_better_than_by_the_judge_itself(fitted, model):
    fresh = made_opinions(40, seed=9)
    fresh = replace(fresh, texts=tuple(f"new{text}" for text in fresh.texts))
    test = from_opinions(fresh, made_answers(fresh, STRICTNESS, seed=9), "Q0")
    ours, raw = (measure_predictions(fitted[name].predict(test), test) for name in (model, "raw"))
    assert ours.rmse < raw.rmse - 0.1
    assert ours.pearson > raw.pearson + 0.1
    assert ours.nll < raw.nll


@pytest.mark.parametrize("model", LEARNT)
def test_a_judge_not_seen_gets_the_shared_part_and_is_told(fitted, model):
    stranger, nobody = (fitted[model].predict(cases_for(OPINIONS, "Q0", name)) for name in ("stranger", NOBODY))
    assert np.array_equal(stranger.probabilities, nobody.probabilities)
    assert not stranger.known.any()
    kinds = [[problem.kind for problem in one.problems] for one in (stranger, nobody)]
    assert kinds == [["unseen_judges", "in_sample"], ["in_sample"]]
    assert "stranger" in stranger.problems[0].message
    for name in ("mild", "strict"):
        known = fitted[model].predict(cases_for(OPINIONS, "Q0", name))
        assert known.known.all()
        assert (known.expected - nobody.expected).mean() * STRICTNESS[name] > 0


@pytest.mark.parametrize("model", ["judge_mean", "ridge_slopes", "ordinal_slopes", "net"])
def test_the_fewer_answers_a_judge_gave_the_nearer_to_the_shared_part(model):
    judges = np.array(EXAMPLES.judges)
    rows = np.flatnonzero(judges != "strict")
    few = np.flatnonzero(judges == "strict")[:1]
    shifts = []
    for kept in (rows, np.concatenate([rows, few]), np.arange(len(EXAMPLES))):
        calibrator = fit(EXAMPLES.take(np.sort(kept)), model, QUICK)
        own, shared = (calibrator.predict(cases_for(OPINIONS, "Q0", name)).expected for name in ("strict", NOBODY))
        shifts.append(abs((own - shared).mean()))
    assert shifts[0] == 0
    assert shifts[1] < 0.7 * shifts[2]


def test_inputs_are_standardised_by_the_training_texts_alone():
    half = EXAMPLES.take([row for row, text in enumerate(EXAMPLES.texts) if text < "t020"])
    features = fit(half, "ridge").fitted.features
    expected = OPINIONS.expected()[:20]
    np.testing.assert_allclose(features.means, expected.mean(axis=0))
    np.testing.assert_allclose(features.factors, 1 / expected.std(axis=0))


def test_training_texts_are_marked():
    half = EXAMPLES.take([row for row, text in enumerate(EXAMPLES.texts) if text < "t020"])
    found = fit(half, "ridge").predict(EXAMPLES)
    assert np.array_equal(found.seen, np.array(EXAMPLES.texts) < "t020")


def test_one_judge_alone_is_the_shared_part():
    only = EXAMPLES.take([row for row, judge in enumerate(EXAMPLES.judges) if judge == "mild"])
    for model in ("judge_mean", "ridge_slopes", "ordinal_slopes", "net"):
        calibrator = fit(only, model, QUICK)
        own, shared = (calibrator.predict(cases_for(OPINIONS, "Q0", name)).expected for name in ("mild", NOBODY))
        assert np.array_equal(own, shared), model


def test_without_personal_parameters_judges_are_alike():
    for model in ("judge_mean", "ridge_slopes", "ordinal_slopes", "net"):
        calibrator = fit(EXAMPLES, model, replace(QUICK, personal=False))
        assert all(effect.effect == 0 for effect in judge_effects(calibrator, EXAMPLES)), model


def test_constant_predictions_have_no_correlation():
    found = measure_predictions(fit(EXAMPLES, "constant").predict(EXAMPLES), EXAMPLES)
    assert np.isnan([found.pearson, found.spearman, found.kendall]).all()
    assert found.rmse == pytest.approx(np.nanstd(EXAMPLES.answered))
    assert found.to_json()["pearson"] is None


def test_a_judge_mean_is_shrunk_towards_all():
    calibrator = fit(EXAMPLES, "judge_mean")
    judges = np.array(EXAMPLES.judges)
    for name in STRICTNESS:
        own = EXAMPLES.answered[judges == name].mean()
        predicted = calibrator.predict(cases_for(OPINIONS, "Q0", name)).expected[0]
        assert min(own, EXAMPLES.answered.mean()) <= predicted <= max(own, EXAMPLES.answered.mean())


def test_raw_and_argmax_are_the_judge_itself():
    raw, certain = (fit(EXAMPLES, name).predict(EXAMPLES) for name in ("raw", "argmax"))
    own = EXAMPLES.own
    np.testing.assert_allclose(raw.expected, (own * [1, 2, 3, 4]).sum(axis=1) / own.sum(axis=1), atol=1e-11)
    np.testing.assert_allclose(certain.expected, own.argmax(axis=1) + 1)
    assert measure_predictions(certain, EXAMPLES).nll == np.inf


def test_models_that_need_the_judges_own_opinion_say_so():
    for model in ("raw", "argmax", "net_own"):
        with pytest.raises(UsageError, match="no opinion of its own"):
            fit(EXAMPLES.without(["Q0"]), model, QUICK)
    assert len(fit(EXAMPLES.without(["Q0"]), "ridge").predict(EXAMPLES)) == 120


def test_inputs_that_training_used_must_be_there():
    calibrator = fit(EXAMPLES, "ridge")
    with pytest.raises(UsageError, match="Q1"):
        calibrator.predict(EXAMPLES.without(["Q1"]))


@pytest.mark.parametrize("model", MODELS)
def test_too_few_answers_are_refused(model):
    with pytest.raises(UsageError, match="Fewer than two texts"):
        fit(EXAMPLES.take([0, 40]), model)


@pytest.mark.parametrize("model", MODELS)
def test_two_texts_with_missing_opinions_are_enough(model):
    rows = [0, 1, 41]
    bare = EXAMPLES.take(rows)
    holes = bare.expected.copy()
    holes[:, 1] = np.nan
    found = fit(replace(bare, expected=holes), model, QUICK).predict(bare)
    assert np.isfinite(found.expected).all()


def test_a_model_must_exist():
    with pytest.raises(UsageError, match="no model 'forest'"):
        fit(EXAMPLES, "forest")


@pytest.mark.parametrize("model", ["net", "ordinal_slopes", "mix"])
def test_a_fit_can_be_ended_midway(model):
    told = []

    def watch(share, step):
        told.append((share, step))
        if len(told) == 5:
            raise Cancelled

    with pytest.raises(Cancelled):
        fit(EXAMPLES, model, QUICK, watch)
    assert len(told) == 5
    assert all(0 <= share < 1 for share, _ in told)


def test_progress_rises_to_the_end():
    told = []
    fit_models(EXAMPLES, ("constant", "ordinal", "mix"), QUICK, lambda share, step: told.append((share, step)))
    shares = [share for share, _ in told]
    assert shares == sorted(shares)
    assert shares[-1] == 1
    assert len(told) > 50


def test_answers_to_other_criteria_train_the_network_only_before():
    # Rows without an answer to the target change the network (they pretrain it) and nothing else.
    values = np.array(ANSWERS.values)
    values[80:, 0] = 0
    missing = from_opinions(OPINIONS, Answers("m", "", ANSWERS.texts, ANSWERS.judges, ANSWERS.criteria, values), "Q0")
    dropped = missing.take(np.arange(80))
    for model, alike in {"ridge": True, "ordinal": True, "net": False}.items():
        found = [fit(examples, model, QUICK).predict(EXAMPLES).expected for examples in (missing, dropped)]
        assert np.allclose(*found, atol=1e-6) is alike, model


def test_no_mass_goes_to_an_answer_that_does_not_exist():
    for model in ("raw", "constant", "ridge_slopes", "ordinal", "net"):
        found = fit(EXAMPLES.aimed_at("Q1"), model, QUICK).predict(EXAMPLES.aimed_at("Q1"))
        assert found.probabilities.shape == (120, 3)


@pytest.mark.parametrize("model", ["raw", "constant", "ridge", "ordinal", "net"])
def test_decimals_are_predicted_as_decimals(model):
    examples = decimals()
    calibrator = fit(examples, model, QUICK)
    found = calibrator.predict(examples)
    assert found.probabilities.shape[1] <= 10
    if model == "raw":
        assert np.array_equal(found.expected, np.round(examples.expected[:, 0], 12))
        assert np.isnan(found.probabilities).all()
        assert np.isnan(found.low).all()
    elif model != "constant":
        assert np.corrcoef(found.expected, examples.answered)[0, 1] > 0.85
        # Little is learnt of ten bins from sixty answers, least by the network, which stays near their mean.
        assert measure_predictions(found, examples).rmse < np.std(examples.answered) * (1.0 if model == "net" else 0.6)


def test_settings_are_checked():
    for wrong in ({"members": 0}, {"bins": 1}, {"bins": 11}, {"seed": -1}, {"pretrain": False, "finetune": False}):
        with pytest.raises(ValueError, match=r"\d|trained"):
            Settings(**wrong)
