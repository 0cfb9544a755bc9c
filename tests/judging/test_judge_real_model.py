"""The judge recipes on a real model over real HTTP, end to end: it proves the plumbing, not the model's judgment."""

import csv
import json
import math
import subprocess
import sys
from pathlib import Path

import pytest

from aeollm.files import read_judgments, read_run
from tests.commands import call, process

SERVER = Path(__file__).with_name("model_server.py")
TEXTS = {
    ("1", "a"): "Water cools well, since it holds much heat.",
    ("1", "b"): "Air is cheap. It holds little heat.",
    ("2", "a"): "水的比热容很大，所以冷却效果好。",
}
PEOPLE = {"1/a": (4, 3), "1/b": (2, 1), "2/a": (3, 4)}
"""What two people, made up, answered to Q0."""
SHORT = {
    "holistic": 'recipe = 1\nname = "h"\n[[ask]]\ndo = "holistic"\nmax_tokens = 60\n[[step]]\ndo = "run"\n'
    'from = "holistic"\n',
    "pairwise": 'recipe = 1\nname = "p"\n[[ask]]\ndo = "pairwise"\nmax_tokens = 60\n[[step]]\ndo = "pairwise"\n'
    'from = "pairwise"\nmodel = "bradley-terry"\nridge = 0.1\n',
    "llm-rubric": 'recipe = 1\nname = "r"\n[[ask]]\ndo = "llm-rubric"\nname = "opinions"\ntop_logprobs = 50\n'
    'max_tokens = 3\n[[question]]\nname = "Q0"\ntext = { en = "Is it good?", zh = "好吗？" }\n'
    'options = { en = ["no", "hardly", "mostly", "yes"], zh = ["不", "不太", "比较", "很"] }\n',
}


@pytest.fixture(scope="module")
def address(small_model):
    command = [sys.executable, str(SERVER), str(small_model)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, text=True, **pipes) as server:
        yield f"{server.stdout.readline().strip()}/v1"
        server.kill()


@pytest.fixture
def judged(address, tmp_path, capsys):
    names = ("comprehensiveness", "insight", "instruction_following", "readability")
    header = ",".join(("questionId", "answerId", *(f"{name}_score" for name in names)))
    lines = [f"{question},{answer},{','.join(['7' if answer == 'a' else '4'] * 4)}" for question, answer in TEXTS]
    (tmp_path / "labels.csv").write_text("\n".join([header, *lines]) + "\n")
    rows = [{"questionId": q, "answerId": a, "text": text} for (q, a), text in TEXTS.items()]
    (tmp_path / "reports.jsonl").write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    (tmp_path / "rubric_dataset").mkdir()
    for question, prompt in (("1", "What cools well?"), ("2", "什么冷却效果好？")):
        criteria = {name: [{"criterion": "c", "explanation": "", "weight": 1}] for name in names}
        content = {"id": question, "prompt": prompt, "dimension_weight": dict.fromkeys(names, 0.25)}
        path = tmp_path / "rubric_dataset" / f"criterion{question}.json"
        path.write_text(json.dumps({**content, "criterions": criteria}, ensure_ascii=False))
    labels = ("--labels", tmp_path / "labels.csv", "--rubrics", tmp_path / "rubric_dataset")

    def run(name):
        recipe, out = tmp_path / f"{name}.toml", tmp_path / name
        recipe.write_text(SHORT[name], encoding="utf-8")
        where = ("--answers", tmp_path / "reports.jsonl", *labels, "--model", "judge", "--base-url", address)
        options = ("--concurrency", "2", "--attempts", "1", "--timeout", "120", "-o", out)
        code, told, complaint = call(capsys, "judge", recipe, *where, *options)
        assert code in (0, 1), complaint
        return out, told, labels

    return run


def test_holistic_gives_a_run_that_can_be_scored(judged):
    out, told, labels = judged("holistic")
    report = json.loads((out / "report.json").read_text())
    assert report["judges"]["judge"]["answered_as"] == ["smollm2-135m"]
    assert report["tokens"]["prompt"] > 600
    run = read_run(out / "run.txt")
    # What is not in the run is told as missing.
    assert len(run) + len(report["missing"]) == 3, told
    assert len(run) >= 1
    assert all(0 <= float(score) <= 10 for score in run.scores.values.ravel())
    scored = process("score", out / "run.txt", *labels, "--partial", "--json")
    assert scored.returncode == 0, scored.stderr
    assert json.loads(scored.stdout)["runs"][0]["accepted"]


def test_pairwise_gives_judgments_of_both_orders(judged):
    out, told, _ = judged("pairwise")
    table = read_judgments(out / "pairwise.tsv")
    # One question with two reports, two orders, four dimensions.
    assert len(table) == 8, told
    report = json.loads((out / "report.json").read_text())
    bias = report["built"]["position_bias"]["pairwise"][0]
    assert bias["complete"] + bias["incomplete"] == 4
    assert (out / "run.txt").exists()


def test_llm_rubric_gives_opinions_that_are_calibrated_to_people(judged, tmp_path):
    out, told, _ = judged("llm-rubric")
    with (out / "opinions.tsv").open(newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    assert [row["text_id"] for row in rows] == ["1/a", "1/b", "2/a"], told
    for row in rows:
        values = [float(row[f"answer{number}_prob"]) for number in (1, 2, 3, 4)]
        assert row["source"] == "logprobs"
        assert all(0 <= value <= 1 for value in values)
        # Not renormalised: other words have some of the mass.
        assert 0 < math.fsum(values) < 1
    answers, predictions = tmp_path / "answers.tsv", tmp_path / "predictions.csv"
    lines = [f"{text}\t{who}\t{answer}" for text, own in PEOPLE.items() for who, answer in zip("pq", own, strict=True)]
    answers.write_text("\n".join(["text_id\tannotator_id\tQ0", *lines]) + "\n")
    files = ("--opinions", out / "opinions.tsv", "--answers", answers, "--predictions", predictions)
    settings = ("--target", "Q0", "--model", "ridge", "--baselines", "raw", "--folds", "3", "--seeds", "1", "--json")
    done = process("calibrate", *files, *settings)
    assert done.returncode == 0, done.stderr
    with predictions.open(encoding="utf-8-sig", newline="") as file:
        found = [row for row in csv.DictReader(file) if row["kind"] == "out of sample"]
    # Each person's answer to each text, told beside what was predicted without it, on the scale of the answers.
    given = {(row["text_id"], row["judge"]): float(row["answered"]) for row in found}
    assert given == {(text, who): answer for text, own in PEOPLE.items() for who, answer in zip("pq", own, strict=True)}
    assert all(1 <= float(row["expected"]) <= 4 for row in found)
