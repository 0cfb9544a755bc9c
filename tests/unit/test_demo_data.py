"""The demo data set is what its card says, and its script makes the same bytes again."""

import csv
import json
import math
import re
import subprocess
import sys
from collections import Counter
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import spearmanr

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts" / "make_demo.py"
DEMO = ROOT / "assets" / "demo"
TRAIN = DEMO / "aeollm-2-train"

DIMENSIONS = ("comprehensiveness", "insight", "instruction_following", "readability")
QUESTIONS = ("2", "3", "5", "6", "11", "16", "17", "21")
ANSWERS = tuple(f"Doc_{number:03d}" for number in range(1, 17))
KEYS = [(question, answer) for question in QUESTIONS for answer in ANSWERS]
HEADER = ["taskId", "questionId", "answerId", *(f"{name}_score" for name in DIMENSIONS)]
CHINESE = ("2", "3", "6", "16", "17")

# What other scripts make is theirs.
OTHERS = {DEMO / "judge", DEMO / "reports"}
MADE = sorted(path for path in DEMO.rglob("*") if path.is_file() and not OTHERS & set(path.parents))
RUBRICS = [
    json.loads(path.read_text("utf-8"), parse_float=Fraction)
    for path in (TRAIN / "rubric_dataset" / f"criterion{question}.json" for question in QUESTIONS)
]
CARD = (DEMO / "README.md").read_text("utf-8")


def label_rows():
    with (TRAIN / "train_deepresearch.csv").open(encoding="utf-8", newline="") as stream:
        return list(csv.reader(stream))


def run_rows(name):
    text = (DEMO / "runs" / name).read_text("utf-8")
    rows = [line.split() for line in text.splitlines()]
    return rows[1:] if rows[0] == HEADER else rows


def exact_scores(rows):
    """Give the scores as exact fractions, by question, with the overall score as the fifth."""
    scores = {question: [] for question in QUESTIONS}
    weights = {str(rubric["id"]): rubric["dimension_weight"] for rubric in RUBRICS}
    for _, question, _, *fields in rows:
        values = [Fraction(field) for field in fields]
        overall = sum(weights[question][name] * value for name, value in zip(DIMENSIONS, values, strict=True))
        scores[question].append([*values, overall])
    return scores


def tied_pairs(column):
    """Count the tied pairs of each question in one column of the labels."""
    return [
        sum(a[column] == b[column] for a, b in combinations(answers, 2))
        for answers in exact_scores(label_rows()[1:]).values()
    ]


def mean_spearman(name):
    """Give the mean over questions of the overall score's Spearman correlation with the labels."""
    gold, predicted = exact_scores(label_rows()[1:]), exact_scores(run_rows(name))
    coefficients = [spearmanr(places(gold[q]), places(predicted[q])).statistic for q in QUESTIONS]
    return float(np.mean(coefficients))


def places(answers):
    """Give the dense rank of the overall scores: exact totals that tie need not tie as floats."""
    totals = [scores[-1] for scores in answers]
    order = sorted(set(totals))
    return [order.index(total) for total in totals]


def make_demo(*arguments):
    return subprocess.run(
        [sys.executable, str(SCRIPT), *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )


def generated(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != "README.md" and not {"judge", "reports"} & set(path.parts)
    }


@pytest.fixture(scope="module")
def remade(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo")
    assert make_demo("--out", folder).returncode == 0
    return folder


def test_script_makes_the_committed_bytes(remade):
    assert generated(remade) == generated(DEMO)


def test_check_passes_on_the_committed_files():
    result = make_demo("--check")
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.parametrize("spoil", ["change", "remove", "add"])
def test_check_names_what_differs(spoil, tmp_path):
    make_demo("--out", tmp_path)
    run = tmp_path / "runs" / "good_judge.txt"
    if spoil == "change":
        run.write_bytes(run.read_bytes().replace(b"\n", b"\r\n"))
    elif spoil == "remove":
        run.unlink()
    else:
        run = tmp_path / "runs" / "stray.txt"
        run.write_bytes(b"")
    before = generated(tmp_path)
    result = make_demo("--check", "--out", tmp_path)
    assert result.returncode == 1
    assert result.stderr.splitlines()[1:] == [f"runs/{run.name}"]
    assert generated(tmp_path) == before


@pytest.mark.parametrize("path", MADE, ids=lambda path: path.name)
def test_files_are_utf8_with_line_feeds(path):
    content = path.read_bytes()
    text = content.decode("utf-8", errors="strict")
    assert text.endswith("\n")
    assert "\r" not in text
    assert not text.startswith("\ufeff")


def test_data_set_is_small():
    assert sum(path.stat().st_size for path in MADE) < 150_000


def test_labels_hold_every_answer_once_in_order():
    header, *rows = label_rows()
    assert header == HEADER
    assert [(question, answer) for _, question, answer, *_ in rows] == KEYS
    assert {row[0] for row in rows} == {"0"}


def test_labels_are_decimals_with_realistic_means():
    scores = np.array([row[3:] for row in label_rows()[1:]], dtype=float)
    assert scores.min() >= 0
    assert scores.max() <= 10
    assert np.all((scores.mean(axis=0) > 6) & (scores.mean(axis=0) < 7.5))


def test_dimensions_correlate_within_questions():
    scores = np.array([row[3:] for row in label_rows()[1:]], dtype=float).reshape(8, 16, 4)
    centred = (scores - scores.mean(axis=1, keepdims=True)).reshape(-1, 4)
    correlations = np.corrcoef(centred.T)[np.triu_indices(4, 1)]
    assert correlations.min() > 0.5
    assert correlations.max() < 0.8


@pytest.mark.parametrize(
    ("column", "low", "high"),
    [(0, 0.5, 1.1), (1, 2.3, 3.3), (2, 7.7, 9.1), (3, 0.3, 0.8), (4, 0, 0)],
    ids=[*DIMENSIONS, "overall"],
)
def test_shares_of_tied_pairs_are_near_the_train_set(column, low, high):
    share = Fraction(sum(tied_pairs(column)) * 100, 8 * 120)
    assert low <= share <= high


def test_one_question_ties_much_on_instruction_following():
    assert 20 <= max(tied_pairs(2)) / 120 * 100 <= 25


@pytest.mark.parametrize(("column", "name"), [*enumerate(DIMENSIONS), (4, "overall")])
def test_card_states_the_tied_pairs(column, name):
    cells = re.search(rf"^\| {name}\b[^|]*\|[^|]*\| +(\d+) +\| +(\d+) +\|$", CARD, re.MULTILINE)
    counts = tied_pairs(column)
    assert cells.groups() == (str(sum(counts)), str(max(counts)))


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        ("good_judge.txt", 0.75, 0.85),
        ("coarse_judge.txt", 0.55, 0.65),
        ("length_biased_judge.txt", 0.3, 0.4),
    ],
)
def test_sample_run_is_complete_and_in_its_band(name, low, high):
    rows = run_rows(name)
    assert {len(row) for row in rows} == {7}
    assert [(row[1], row[2]) for row in rows] == KEYS
    assert all(0 <= Fraction(field) <= 10 for row in rows for field in row[3:])
    spearman = mean_spearman(name)
    assert low <= spearman <= high
    assert re.search(rf"^\| `{name}` .*\| {spearman:.3f} +\|$", CARD, re.MULTILINE)


@pytest.mark.parametrize("name", ["coarse_judge.txt", "good_judge.txt", "length_biased_judge.txt"])
def test_no_judge_is_constant_on_a_question(name):
    columns = exact_scores(run_rows(name)).values()
    assert all(len(set(column)) > 1 for answers in columns for column in zip(*answers, strict=True))


def test_coarse_judge_gives_tied_whole_numbers():
    assert all(field.isdigit() for row in run_rows("coarse_judge.txt") for field in row[3:])
    totals = [[a[-1] for a in answers] for answers in exact_scores(run_rows("coarse_judge.txt")).values()]
    tied = sum(a == b for answers in totals for a, b in combinations(answers, 2))
    assert tied > 0.1 * 8 * 120


def test_only_the_length_biased_run_has_the_official_header():
    first = {path.name: path.read_text("utf-8").split("\n", 1)[0] for path in (DEMO / "runs").iterdir()}
    assert {name for name, line in first.items() if line == "\t".join(HEADER)} == {"length_biased_judge.txt"}
    assert sum("taskId" in line for line in first.values()) == 1


def test_broken_run_has_its_six_mistakes_and_no_other():
    rows = run_rows("broken_run.txt")
    blank = [row for row in rows if len(row) != 7]
    assert [row[:4] for row in blank] == [["0", "11", "Doc", "007"]]
    rows = [[*row[:2], "_".join(row[2:-4]), *row[-4:]] for row in rows]
    assert [f for row in rows for f in row if "," in f] == [rows[8][4]]
    assert [f for row in rows for f in row[3:] if f.isalpha()] == ["nan"]
    other_case = [row[2] for row in rows if row[2] not in ANSWERS]
    assert other_case == ["doc_004"]
    counts = Counter((question, answer.replace("doc", "Doc")) for _, question, answer, *_ in rows)
    assert [key for key, count in counts.items() if count > 1] == [("3", "Doc_002")]
    assert set(KEYS) - counts.keys() == {("21", "Doc_011")}
    assert not counts.keys() - set(KEYS)
    numbers = [float(field.replace(",", ".")) for row in rows for field in row[3:]]
    assert sum(math.isnan(number) for number in numbers) == 1
    assert all(0 <= number <= 10 for number in numbers if not math.isnan(number))


@pytest.mark.parametrize("rubric", RUBRICS, ids=QUESTIONS)
def test_rubric_weights_sum_to_one(rubric):
    assert list(rubric) == ["id", "prompt", "dimension_weight", "criterions"]
    assert set(rubric["dimension_weight"]) == set(rubric["criterions"]) == set(DIMENSIONS)
    criteria = rubric["criterions"].values()
    weights = [
        rubric["dimension_weight"].values(),
        *([c["weight"] for c in group] for group in criteria),
    ]
    assert [sum(group) for group in weights] == [1] * 5
    assert all(weight > 0 and 100 % weight.denominator == 0 for group in weights for weight in group)


@pytest.mark.parametrize("rubric", RUBRICS, ids=QUESTIONS)
def test_rubric_weights_are_in_realistic_ranges(rubric):
    ranges = {
        "comprehensiveness": (0.22, 0.35),
        "insight": (0.25, 0.42),
        "instruction_following": (0.14, 0.30),
        "readability": (0.10, 0.22),
    }
    weights = {name: float(weight) for name, weight in rubric["dimension_weight"].items()}
    assert all(low <= weights[name] <= high for name, (low, high) in ranges.items())


@pytest.mark.parametrize("rubric", RUBRICS, ids=QUESTIONS)
def test_rubric_criteria_are_told_in_full_and_in_one_language(rubric):
    criteria = [criterion for group in rubric["criterions"].values() for criterion in group]
    assert all(4 <= len(group) <= 6 for group in rubric["criterions"].values())
    assert all(list(c) == ["criterion", "explanation", "weight"] for c in criteria)
    assert len({c["criterion"] for c in criteria}) == len(criteria)
    texts = [rubric["prompt"], *(c[key] for c in criteria for key in ("criterion", "explanation"))]
    is_chinese = str(rubric["id"]) in CHINESE
    assert {bool(re.search(r"[\u4e00-\u9fff]", text)) for text in texts} == {is_chinese}
    assert all(text == text.strip() != "" for text in texts)


def test_rubric_folder_holds_one_file_a_question():
    names = {path.name for path in (TRAIN / "rubric_dataset").iterdir()}
    assert names == {f"criterion{question}.json" for question in QUESTIONS}
    assert [str(rubric["id"]) for rubric in RUBRICS] == list(QUESTIONS)


def test_rubric_key_orders_differ_in_some_file():
    assert any(list(r["dimension_weight"]) != list(r["criterions"]) for r in RUBRICS)


def test_card_says_simulated_and_names_the_train_split():
    front, body = CARD.removeprefix("---\n").split("\n---\n", 1)
    assert "license: mit" in front
    assert "language:\n- zh\n- en" in front
    assert "split: train\n    path: aeollm-2-train/train_deepresearch.csv" in front
    assert "SIMULATED" in body
