"""Calibration tried out: what is read and joined, which models are possible, and what is said of the numbers."""

import csv
import io
import json
import math
import pickle
from functools import partial

import numpy as np
import pytest

from aeollm.errors import UsageError
from aeollm.exports.calibration_json import predictions_csv, refused_trial_json, trial_json
from aeollm.exports.calibration_words import notes, protocol_in_words
from aeollm.exports.run_file import run_file
from aeollm.files import read_annotations, read_labels, read_run
from aeollm.reporting.calibrated import calibration_report, models_table, targets_table
from aeollm.trials import (
    DEMO_PAIR,
    Choices,
    Reading,
    calibrated_scores,
    curve,
    every_target,
    of_annotated_run,
    of_pairs,
    of_run,
    predicted,
    read_pairs,
    try_out,
)
from tests.small_files import labels_csv, run_text

QUICK = Choices("ridge", beside=("raw", "judge_mean"), folds=3, seeds=2)
OPINIONS = "text_id\tcriterion\tp1\tp2\tp3\n"


def silent(_share, _doing):
    return


@pytest.fixture(scope="module")
def material():
    return of_pairs(read_pairs(DEMO_PAIR, None, Reading())[0], None, "Q0")


@pytest.fixture(scope="module")
def trial(material):
    return try_out(material, QUICK, silent)


@pytest.fixture(scope="module")
def run_material():
    """Give six questions with four answers; people add 1 to the judge's score, less on the second dimension."""
    rng = np.random.default_rng(0)
    names = ("x", "y")
    keys = [(f"q{question}", f"a{answer}") for question in range(6) for answer in range(4)]
    scores = rng.uniform(2, 8, (len(keys), 2)).round(2)
    labels = labels_csv(
        [(*key, one + 1, two / 2) for key, (one, two) in zip(keys, scores.tolist(), strict=True)], names
    )
    rows = run_text([(*key, *row) for key, row in zip(keys, scores.tolist(), strict=True)])
    run = read_run(b"taskId questionId answerId x_score y_score\n" + rows + b"0 q9 a1 5 5\n")
    return of_run(run, read_labels(labels), "x"), scores


def files(tmp_path, *contents):
    names = ("opinions.tsv", "answers.tsv", "test_opinions.tsv", "test_answers.tsv")
    made = []
    for name, content in zip(names, contents, strict=False):
        (tmp_path / name).write_text(content, "utf-8")
        made.append((tmp_path / name, name))
    return (made[0], made[1]), (made[2], made[3]) if len(made) > 2 else None


def test_all_files_are_told_of_at_once(tmp_path):
    broken = OPINIONS + "a\tQ0\t.9\t.9\t0\n"
    named = files(tmp_path, broken, "text_id\tjudge\tQ0\na\tA\t7x\nb\tA\t2\n", broken, "text_id\tjudge\tQ0\n")
    with pytest.raises(UsageError) as caught:
        read_pairs(*named, Reading())
    errors = [problem for problem in caught.value.problems if problem.severity == "error"]
    assert [(problem.message.split(":")[0], problem.kind) for problem in errors] == [
        ("opinions.tsv", "sum_above_one"),
        ("answers.tsv", "not_an_answer"),
        ("test_opinions.tsv", "sum_above_one"),
        ("test_answers.tsv", "no_rows"),
    ]


def test_a_test_has_the_options_of_what_was_learnt_from(tmp_path):
    train = OPINIONS + "a\tQ0\t.2\t.2\t.6\nb\tQ0\t.2\t.2\t.6\n"
    test = OPINIONS + "c\tQ0\t.5\t.5\t0\n"
    answers = ("text_id\tjudge\tQ0\na\tA\t3\nb\tA\t1\n", "text_id\tjudge\tQ0\nc\tA\t3\n")
    first, second = read_pairs(*files(tmp_path, train, answers[0], test, answers[1]), Reading())
    assert first.opinions.n_options == second.opinions.n_options == (3,)
    assert of_pairs(first, second, "Q0").test.answered.tolist() == [3]


def test_renames_are_for_the_answers_that_are_scored(tmp_path):
    two = OPINIONS + "a\tQ0\t.2\t.2\t.6\na\tQ1\t.2\t.2\t.6\n"
    rows = "text_id\tjudge\tQ0\tQ1\na\tA\t3\t1\n"
    reading = Reading(rename={"Q0": "Q1", "Q1": "Q0"})
    first, second = read_pairs(*files(tmp_path, two, rows, two, rows), reading)
    assert (first.answers.criteria, second.answers.criteria) == (("Q0", "Q1"), ("Q1", "Q0"))
    assert second.how == "|renamed=Q0>Q1+Q1>Q0"
    both = of_pairs(first, second, "Q1")
    assert both.signed.endswith(second.how)
    assert both.without_test().test is None
    assert "test-opinions" not in both.without_test().signed
    alone, _ = read_pairs(files(tmp_path, two, rows)[0], None, reading)
    assert alone.answers.criteria == ("Q1", "Q0")
    swapped = Reading(train_rename={"Q0": "Q1", "Q1": "Q0"})
    first, second = read_pairs(*files(tmp_path, two, rows, two, rows), swapped)
    assert (first.answers.criteria, second.answers.criteria) == (("Q1", "Q0"), ("Q0", "Q1"))


def test_another_target_is_joined_anew(material):
    told = [problem.message for problem in material.aimed_at("Q3").problems]
    assert any("93 of 360 rows are left out: no answer to Q3" in message for message in told)


def test_what_is_tried_is_told(trial):
    assert trial.material.demo
    assert list(trial.validation.models) == ["ridge", "raw", "judge_mean"]
    assert trial.fitted.n_train == len(trial.rows) == 360
    assert protocol_in_words(trial).startswith("3 folds that keep a text together")
    for part in ("opinions=opinions.tsv@", "|target=Q0|model=ridge|folds=3|seeds=0..1|"):
        assert part in trial.signature
    told = " ".join(notes(trial))
    spread, r = float(np.std(trial.rows.answered)), trial.chosen.quality.pearson
    assert f"below {spread * math.sqrt(1 - r * r):.3f}".replace("0.", ".") in told
    assert trial.in_sample.rmse < trial.chosen.quality.rmse


def test_the_json_is_one_and_plain(trial):
    found = json.loads(json.dumps(trial_json(trial), allow_nan=False))
    assert set(refused_trial_json("folds", "ridge", [])) <= set(found)
    assert found["smece_floor"]["1"]["high"] > found["smece_floor"]["1"]["mean"] > 0
    assert (
        found["intervals"]["ridge"]["low"]["rmse"]
        < found["scores"]["rmse"]
        < found["intervals"]["ridge"]["high"]["rmse"]
    )


def test_nobody_in_particular_is_predicted_for_every_text(trial):
    cases, found = predicted(trial)
    assert len(cases) == len(found) == 120
    assert not found.known.any()
    rows = list(csv.reader(io.StringIO(predictions_csv(trial).decode("utf-8-sig"))))
    assert len(rows) == 1 + 360 + 120
    assert len({len(row) for row in rows}) == 1


def test_work_travels_between_processes(material, trial):
    sent = pickle.loads(pickle.dumps(partial(try_out, material, QUICK)))
    again = sent(silent)
    assert again.signature == trial.signature
    assert again.chosen.quality == trial.chosen.quality
    assert pickle.loads(pickle.dumps(trial)).chosen.smece == trial.chosen.smece


def test_progress_never_goes_back(material):
    shares = []
    try_out(material, Choices("ridge", beside=(), folds=2, seeds=1), lambda share, _: shares.append(share))
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1)


def test_every_target_and_the_learning_curve(material):
    quick = Choices("ridge", beside=("raw",), folds=2, seeds=1)
    found = every_target(material, quick, silent)
    assert [target for target, _ in found] == ["Q0", "Q1", "Q2", "Q3", "Q4"]
    assert [validation.n_test for _, validation in found] == [360, 360, 360, 267, 360]
    points = curve(material, quick, silent)
    assert [point.most for point in points] == [2, 5, 10, 20, 38]  # judge_01 and judge_07 gave 38 answers
    means = [point.mean for point in points]
    assert means == sorted(means)


def test_runs_are_calibrated_question_by_question(run_material):
    material, scores = run_material
    choices = Choices("ridge", "questions", beside=("raw", "constant", "argmax"), seeds=1)
    trial = try_out(material, choices, silent)
    # Labels are the scores plus 1: the judge as it is errs by 1 everywhere, a line by next to nothing.
    assert trial.validation.models["raw"].quality.rmse == pytest.approx(1)
    assert trial.chosen.quality.rmse < 0.1
    assert trial.skipped == (("argmax", "the judge gave no probabilities"),)
    assert trial.effects == ()
    assert trial.chosen.smece == {}
    assert "each question left out" in protocol_in_words(trial)
    assert [problem.kind for problem in material.problems if problem.severity == "note"][-1:] == ["dropped_text"]
    calibrated = calibrated_scores(material, choices, silent)
    assert calibrated.shape == (25, 2)
    np.testing.assert_allclose(calibrated[:24, 0], scores[:, 0] + 1, atol=0.3)
    np.testing.assert_allclose(calibrated[:24, 1], scores[:, 1] / 2, atol=0.3)
    assert calibrated[24].tolist() == pytest.approx([6, 2.5], abs=0.3)  # without a label, yet calibrated
    written = read_run(run_file(material.run, calibrated.tolist(), material.labels.dimensions))
    np.testing.assert_allclose(written.scores.values, calibrated, atol=1e-6)


def test_a_model_that_needs_the_judges_own_opinion(run_material):
    material, _ = run_material
    with pytest.raises(UsageError) as caught:
        try_out(material, Choices("net_own", "folds"), silent)
    assert caught.value.problems[0].kind == "protocol"


def test_annotators_are_judges(run_material):
    material, scores = run_material
    run = material.run
    lines = ["questionId,answerId,annotator,x_score"]
    for (question, answer), (one, _) in zip(run.keys(), scores.tolist(), strict=False):
        lines += [f"{question},{answer},strict,{one - 1}", f"{question},{answer},mild,{one + 1}"]
    annotated = of_annotated_run(run, read_annotations("\n".join(lines).encode(), name="two"), "x")
    assert len(annotated.train) == 48
    trial = try_out(annotated, Choices("ridge", "questions", beside=("raw", "judge_mean"), seeds=1), silent)
    assert [effect.judge for effect in trial.effects] == ["strict", "mild"]
    assert trial.effects[1].effect - trial.effects[0].effect == pytest.approx(2, abs=0.3)
    assert trial.chosen.quality.rmse < 0.5 < trial.validation.models["raw"].quality.rmse
    with pytest.raises(UsageError):
        of_annotated_run(run, read_annotations(b"item,rater,score\nq0,A,1\n"), "score")


@pytest.mark.parametrize(
    ("choices", "kind"),
    [
        ({"model": "guess"}, "unknown_model"),
        ({"model": "ridge", "beside": ("guess",)}, "unknown_model"),
        ({"model": "ridge", "protocol": "luck"}, "unknown_protocol"),
        ({"model": "ridge", "folds": 1}, "usage"),
        ({"model": "ridge", "seeds": 0}, "usage"),
        ({"model": "ridge", "protocol": "test"}, "protocol"),
        ({"model": "ridge", "protocol": "questions"}, "protocol"),
    ],
)
def test_what_cannot_be_done_is_refused(material, choices, kind):
    with pytest.raises(UsageError) as caught:
        try_out(material, Choices(**choices), silent)
    assert [problem.kind for problem in caught.value.problems] == [kind]


def test_where_calibration_hurts_is_told(tmp_path):
    """The judge knows every answer; people's means do not."""
    sure = ["\t1\t0\t0", "\t0\t1\t0", "\t0\t0\t1"]
    opinions = OPINIONS + "".join(f"t{n}\tQ0{sure[n % 3]}\n" for n in range(30))
    answers = "text_id\tjudge\tQ0\n" + "".join(f"t{n}\tA{n % 2}\t{n % 3 + 1}\n" for n in range(30))
    pair, _ = read_pairs(files(tmp_path, opinions, answers)[0], None, Reading())
    material = of_pairs(pair, None, "Q0")
    choices = Choices("judge_mean", beside=("raw",), folds=2, seeds=1)
    found = try_out(material, choices, silent)
    assert found.validation.models["raw"].quality.rmse == 0
    told = targets_table(found, every_target(material, choices, silent))
    assert "Q0 (beyond chance)" in told


def test_the_report_holds_everything_and_escapes_names(trial, material, tmp_path):
    quick = Choices("ridge", beside=("raw",), folds=2, seeds=1)
    report = calibration_report(trial, every_target(material, quick, silent)[:1]).decode()
    for part in ("DEMO", "Reliability", "judge_12", "no prediction that correlates", trial.signature, "criterion"):
        assert part in report
    assert calibration_report(trial) == calibration_report(trial)
    hostile = "<img src=x onerror=alert(1)>"
    rows = [f"t{n}\tA\t{1 + n % 3}\nt{n}\t{hostile}\t{1 + n // 3 % 3}" for n in range(9)]
    opinions = OPINIONS + "".join(f"t{n}\t{hostile}\t.{n + 1}\t.05\t.05\n" for n in range(9))
    pair, _ = read_pairs(
        files(tmp_path, opinions, "\n".join([f"text_id\tjudge\t{hostile}", *rows]))[0], None, Reading()
    )
    hurt = try_out(of_pairs(pair, None, hostile), quick, silent)
    for html in (
        calibration_report(hurt).decode(),
        models_table(hurt),
        targets_table(hurt, [(hostile, hurt.validation)]),
    ):
        assert "<img" not in html
