"""``calibrate`` as people call it: JSON of the documented shape, files written, refusals, exit codes."""

import csv
import io
import json

import pytest

from aeollm.calibration import load_calibrator
from aeollm.files import read_run
from aeollm.sources import DEMO_FOLDER
from tests.commands import call, loaded_by, process

OPINIONS, ANSWERS = DEMO_FOLDER / "llm-rubric" / "opinions.tsv", DEMO_FOLDER / "llm-rubric" / "answers.tsv"
FILES = ("--opinions", OPINIONS, "--answers", ANSWERS)
RUN = ("--run", DEMO_FOLDER / "runs" / "good_judge.txt", "--labels", DEMO_FOLDER)
SCORES = {"rmse", "pearson", "spearman", "kendall", "nll"}
QUICK = ("--model", "ridge", "--seeds", 1, "--folds", 3, "--baselines", "raw")


def asked(capsys, *arguments):
    code, out, err = call(capsys, "calibrate", *arguments, "--json")
    return code, json.loads(out), err


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """Run the command as a process once, with everything it can write."""
    folder = tmp_path_factory.mktemp("calibrated")
    written = ("--save", folder / "calibrator.json", "--predictions", folder / "predictions.csv")
    done = process(
        "calibrate", *FILES, "--target", "Q0", "--model", "ridge", "--seeds", 2, "--folds", 3, *written, "--json"
    )
    assert (done.returncode, done.stderr) == (0, b"")
    return json.loads(done.stdout), folder


def test_the_documented_object(demo):
    found, _ = demo
    assert list(found)[:9] == [
        "protocol",
        "model",
        "n_train",
        "n_test",
        "seeds",
        "scores",
        "per_seed",
        "baselines",
        "smece",
    ]
    assert (found["protocol"], found["model"], found["seeds"], found["target"]) == ("folds", "ridge", 2, "Q0")
    assert found["n_test"] == 360
    assert set(found["scores"]) == SCORES
    assert [set(seed) for seed in found["per_seed"]] == [SCORES | {"seed"}] * 2
    assert [seed["seed"] for seed in found["per_seed"]] == [0, 1]
    assert set(found["baselines"]) == {"raw", "argmax", "constant", "judge_mean"}
    assert all(set(scores) == SCORES for scores in found["baselines"].values())
    assert set(found["smece"]) == {"1", "2", "3", "4"}
    assert found["demo"] is True
    # The mean of seeds is reported, not the best.
    for score in SCORES:
        mean = sum(seed[score] for seed in found["per_seed"]) / 2
        assert found["scores"][score] == pytest.approx(mean, abs=1e-12)


def test_calibration_helps_where_people_were_simulated_to_differ(demo):
    """The demo's card says how: the judge is too kind, and people's strictness is even from mild to strict."""
    found, _ = demo
    assert found["scores"]["rmse"] < found["baselines"]["judge_mean"]["rmse"] < found["baselines"]["raw"]["rmse"]
    order = list(found["effects"])
    assert order.index("judge_12") < 4 < 8 <= order.index("judge_01")


def test_files_are_written(demo):
    found, folder = demo
    calibrator = load_calibrator((folder / "calibrator.json").read_bytes())
    assert (calibrator.model, calibrator.target, calibrator.n_train) == ("ridge", "Q0", 360)
    rows = list(csv.DictReader(io.StringIO((folder / "predictions.csv").read_text("utf-8-sig"))))
    assert [row["kind"] for row in rows] == ["out of sample"] * 360 + ["shared"] * 120
    apart = rows[:360]
    # Seed 0's scores are those of the predictions written.
    errors = [(float(row["expected"]) - float(row["answered"])) ** 2 for row in apart]
    assert (sum(errors) / 360) ** 0.5 == pytest.approx(found["per_seed"][0]["rmse"], abs=1e-9)
    assert {row["signature"] for row in rows} == {found["signature"]}
    assert all("DEMO" in row["data_are"] for row in rows)
    shares = [sum(float(row[f"answer{k}_prob"]) for k in range(1, 5)) for row in apart]
    assert shares == pytest.approx([1] * 360)


def test_a_saved_calibrator_predicts_for_other_texts(capsys, demo, tmp_path):
    _, folder = demo
    calibrator, written = folder / "calibrator.json", tmp_path / "new.csv"
    lines = OPINIONS.read_text("utf-8").replace("T001", "new_text").splitlines()
    few = tmp_path / "few.tsv"
    few.write_text("\n".join([lines[0], *(line for line in lines if line.startswith("new_text"))]), "utf-8")
    arguments = ("--use", calibrator, "--opinions", few, "--judges", "judge_01", "judge_12", "stranger")
    code, found, _ = asked(capsys, *arguments, "--predictions", written)
    assert code == 0
    mild, strict, stranger = found["predictions"]
    assert mild["expected"] > stranger["expected"] > strict["expected"]
    assert [row["known"] for row in found["predictions"]] == [True, True, False]
    assert sum(stranger["probabilities"]) == pytest.approx(1)
    assert [problem["kind"] for problem in found["problems"]] == ["unseen_judges"]
    rows = list(csv.DictReader(io.StringIO(written.read_text("utf-8-sig"))))
    assert [float(row["expected"]) for row in rows] == [row["expected"] for row in found["predictions"]]
    code, out, _ = call(capsys, "calibrate", "--use", calibrator, "--opinions", few)
    assert (code, "(anybody)" in out) == (0, True)
    code, found, _ = asked(capsys, "--use", OPINIONS, "--opinions", few)
    assert (code, found["scores"]) == (1, None)
    code, _, err = asked(capsys, "--use", calibrator, *FILES)
    assert (code, "--answers" in err) == (2, True)


def test_text_says_the_same(capsys, demo):
    found, _ = demo
    code, out, err = call(capsys, "calibrate", *FILES, "--target", "Q0", *QUICK)
    assert (code, err) == (0, "")
    assert "DEMO: simulated data" in out
    assert f"{found['per_seed'][0]['rmse']:.3f}".removeprefix("0") in out
    assert "no prediction that correlates" in out
    assert f"signature  {found['signature'].replace('seeds=0..1', 'seeds=0..0')}" in out


def test_train_and_test_files(capsys, tmp_path):
    rows = ANSWERS.read_text("utf-8").splitlines()
    parts = {"train": rows[:1] + rows[1:241], "test": rows[:1] + rows[241:]}
    for name, lines in parts.items():
        (tmp_path / f"{name}.tsv").write_text("\n".join(lines) + "\n", "utf-8")
    files = ("--opinions", OPINIONS, "--answers", tmp_path / "train.tsv")
    test = ("--test-opinions", OPINIONS, "--test-answers", tmp_path / "test.tsv")
    code, found, _ = asked(capsys, *files, *test, "--target", "Q0", *QUICK)
    assert (code, found["protocol"], found["n_train"], found["n_test"]) == (0, "test", 240, 120)
    code, found, err = asked(capsys, *files, *test[:2], "--target", "Q0")
    assert (code, found["scores"], found["problems"][0]["kind"]) == (2, None, "usage")
    assert "belong together" in err


def test_renaming_is_told(capsys):
    exchange = ("--rename", "Q1=Q3", "Q3=Q1")
    code, found, _ = asked(capsys, *FILES, "--target", "Q1", *QUICK, *exchange)
    assert code == 0
    [note] = [problem for problem in found["problems"] if problem["kind"] == "renamed"]
    assert "Q1 is read as Q3, Q3 is read as Q1" in note["message"]
    # They are those of the column Q3, which does not apply to all texts.
    assert found["n_test"] == sum(line.split("\t")[5] != "0" for line in ANSWERS.read_text("utf-8").splitlines()[1:])


def test_runs(capsys, tmp_path):
    written = tmp_path / "calibrated.txt"
    code, found, _ = asked(capsys, *RUN, "--target", "insight", *QUICK, "--calibrated", written)
    assert code == 0
    assert (found["protocol"], found["target"], found["n_test"], found["smece"]) == ("questions", "insight", 128, {})
    assert found["scores"]["rmse"] < found["baselines"]["raw"]["rmse"]
    run = read_run(written)
    assert (len(run), len(run.dimensions)) == (128, 4)
    assert written.read_text("utf-8").splitlines()[0].split("\t")[:3] == ["taskId", "questionId", "answerId"]
    code, out, _ = call(capsys, "check", written, "--labels", DEMO_FOLDER)
    assert code == 0, out


def test_a_run_of_criterion_scores(capsys, tmp_path):
    """Columns that the labels do not have serve as inputs; the judge then has no opinion on the target itself."""
    lines = (DEMO_FOLDER / "runs" / "good_judge.txt").read_text("utf-8").splitlines()
    header = "taskId questionId answerId a_score b_score c_score d_score"
    (tmp_path / "criteria.txt").write_text("\n".join([header, *lines]), "utf-8")
    run = ("--run", tmp_path / "criteria.txt", "--labels", DEMO_FOLDER, "--target", "insight")
    code, found, _ = asked(capsys, *run, "--model", "ridge", "--seeds", 1, "--baselines", "raw,constant")
    assert (code, set(found["skipped"]), set(found["baselines"])) == (0, {"raw"}, {"constant"})
    assert found["scores"]["rmse"] < found["baselines"]["constant"]["rmse"]


def test_wrong_files_are_told_in_json_too(capsys, tmp_path):
    bad = tmp_path / "bad.tsv"
    bad.write_text("text_id\tcriterion\tp1\tp2\nT001\tQ0\t0.9\t0.9\nT002\tQ0\tnan\t1\n", "utf-8")
    code, found, err = asked(capsys, "--opinions", bad, "--answers", ANSWERS, "--target", "Q0")
    assert code == 1
    assert [(problem["kind"], problem["line"]) for problem in found["problems"]] == [
        ("sum_above_one", 2),
        ("non_finite", 3),
    ]
    assert found["scores"] is None
    assert "line 2" in err
    code, found, _ = asked(capsys, "--opinions", ANSWERS, "--answers", OPINIONS, "--target", "Q0")
    assert [problem["kind"] for problem in found["problems"]] == ["other_kind", "other_kind"]


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        ((*FILES, "--target", "Q9"), "unknown_target"),
        (FILES, "usage"),
        ((*FILES, "--target", "Q0", "--train-rename", "Q1=Q2"), "usage"),
        ((*FILES, *RUN), "usage"),
        ((*FILES, "--target", "Q0", "--calibrated", "x.txt", *QUICK), "usage"),
        ((*FILES, "--target", "Q0", "--model", "guess"), "usage"),
        ((*FILES, "--target", "Q0", "--folds", "1"), "usage"),
        ((*FILES, "--target", "Q0", "--rename", "Q1"), "usage"),
        ((*FILES, "--target", "Q0", "--rename", "Q1=Q0", "Q1=Q2"), "usage"),
        ((*FILES, "--target", "Q0", "--options", "Q0=4", "Q0=5"), "usage"),
        ((*FILES, "--target", "Q0", "--options", "Q1=11"), "usage"),
        ((*FILES, "--target", "Q0", "--options", "Q99=3"), "unknown_criterion"),
    ],
)
def test_wrong_usage(capsys, arguments, kind):
    code, found, err = asked(capsys, *arguments)
    assert code == 2
    assert found["problems"][0]["kind"] == kind
    assert found["scores"] is None
    assert err


def test_the_same_input_gives_the_same_numbers(capsys, demo):
    """In another process, and beside fewer models."""
    found, _ = demo
    _, again, _ = asked(capsys, *FILES, "--target", "Q0", *QUICK)
    assert again["scores"] == {name: found["per_seed"][0][name] for name in SCORES}
    assert again["effects"] == found["effects"]


def test_other_commands_do_not_load_it():
    loaded = loaded_by("score", DEMO_FOLDER / "runs" / "good_judge.txt", "--labels", DEMO_FOLDER)
    assert not {name for name in loaded if name.startswith(("aeollm.calibration", "aeollm.trials", "scipy"))}


def test_the_public_data(capsys, shared_data):
    folder = shared_data / "llm_rubric"
    files = (
        *("--opinions", folder / "gpt-3.5-turbo-16k_synth_evaluations_FIXED.tsv"),
        *("--answers", folder / "human_judges_synth_all_FIXED_ANON.tsv"),
        *("--test-opinions", folder / "gpt-3.5-turbo-16k_real_evaluations_FIXED.tsv"),
        *("--test-answers", folder / "human_judges_real_convs_FIXED_ANON.tsv"),
    )
    code, found, _ = asked(capsys, *files, "--target", "Q0", "--model", "ridge", "--seeds", 1)
    assert (code, found["n_train"], found["n_test"]) == (0, 662, 223)
    # The official scripts' expected_llm on the real data (reference: .919 / .177 / .087 / .066).
    raw = found["baselines"]["raw"]
    assert [round(raw[name], 3) for name in ("rmse", "pearson", "spearman", "kendall")] == [0.919, 0.177, 0.087, 0.066]
    assert {"exchanged", "dropped_text", "dropped_answer"} <= {problem["kind"] for problem in found["problems"]}
