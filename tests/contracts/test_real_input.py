"""Real data beside the repository: scipy's numbers for seven metrics, and published rubrics that have to read."""

import csv
import json
import math
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
from scipy import stats

from aeollm import Policy, read_labels, read_rubrics, read_run, score_runs
from tests import oracle
from tests.small_files import DIMENSIONS, labels_csv

ROOT = Path(__file__).resolve().parents[2]
RUNS = ("bartscore", "bertscore", "factcc", "ppl", "questeval", "rouge_l", "summaqa")
EQUAL = ("1",) * 4


def quietly(coefficient, run, labels):
    """Give scipy's coefficient, nan for a constant side, of which scipy warns."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", stats.ConstantInputWarning)
        return float(coefficient(run, labels).statistic)


@pytest.fixture(scope="module")
def folder(shared_data):
    return shared_data / "dialsummeval"


@pytest.fixture(scope="module")
def sides(folder):
    """Give the runs by name, and the labels; each a mapping from (question, answer) to the scores as text."""
    with (folder / "labels.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    gold = {(row["questionId"], row["answerId"]): tuple(row[f"{name}_score"] for name in DIMENSIONS) for row in rows}
    found = {}
    for name in RUNS:
        rows = [line.split() for line in (folder / f"run_{name}.txt").read_text("utf-8").splitlines()]
        found[name] = {(row[1], row[2]): tuple(row[3:]) for row in rows}
    return found, gold


def by_scipy(run, gold, coefficient):
    """Give, by view, the coefficient of every question over the same floats; overall by left-to-right sums."""
    questions = list(dict.fromkeys(question for question, _ in gold))
    keys = {question: [key for key in gold if key[0] == question] for question in questions}
    columns = {name: lambda cells, place=place: float(cells[place]) for place, name in enumerate(DIMENSIONS)}
    columns["overall"] = lambda cells: oracle.float_total(cells, EQUAL)
    return {
        view: [
            quietly(coefficient, *([number(side[key]) for key in keys[q]] for side in (run, gold))) for q in questions
        ]
        for view, number in columns.items()
    }


def scored(folder, ties):
    policy = Policy(ties=ties)
    labels = read_labels(folder / "labels.csv")
    runs = [read_run(folder / f"run_{name}.txt", labels, policy) for name in RUNS]
    return dict(zip(RUNS, score_runs(runs, labels, policy=policy), strict=True))


@pytest.fixture(scope="module")
def exact(folder):
    return scored(folder, "exact")


@pytest.fixture(scope="module")
def floats(folder):
    return scored(folder, "float64")


@pytest.mark.parametrize("measure", ["kendall", "spearman"])
@pytest.mark.parametrize("name", RUNS)
def test_means_are_scipys(name, measure, sides, exact, floats):
    judged, gold = sides
    wanted = by_scipy(judged[name], gold, {"kendall": stats.kendalltau, "spearman": stats.spearmanr}[measure])
    for view, values in wanted.items():
        defined = [value for value in values if not math.isnan(value)]
        for scores in (floats,) if view == "overall" else (exact, floats):
            mean = scores[name].mean(view, measure)
            assert mean.mean == pytest.approx(math.fsum(defined) / len(defined), abs=1e-12)
            assert (mean.defined, mean.undefined) == (len(defined), len(values) - len(defined))


def test_the_figures_of_the_issue(exact):
    rouge = exact["rouge_l"]
    assert rouge.mean("comprehensiveness", "kendall").mean == pytest.approx(0.157, abs=5e-4)
    assert rouge.mean("readability", "kendall").mean == pytest.approx(0.242, abs=5e-4)
    undefined = {name: scores.mean("overall", "kendall").undefined for name, scores in exact.items()}
    assert undefined["factcc"] > 0
    assert undefined["summaqa"] > 0


@pytest.mark.parametrize("name", ["factcc", "rouge_l"])
def test_pairs_are_those_of_counting_them(name, sides, exact):
    judged, gold = sides
    found = exact[name].to_json(per_question=True)["questions"]
    wanted = oracle.questions((judged[name], gold), DIMENSIONS)
    for ours, theirs in zip(found, wanted, strict=True):
        for view in exact[name].views:
            assert (ours[view]["answers"], ours[view]["pairs"]) == (14, theirs[view]["pairs"])
            assert ours[view]["accuracy"] == theirs[view]["accuracy"]


def test_where_floats_differ_is_said(sides, exact, floats):
    judged, gold = sides
    for name in ("rouge_l", "factcc"):
        run = judged[name]
        one, other = (oracle.questions((run, gold), DIMENSIONS, floats=mode) for mode in (False, True))
        differ = [a["question"] for a, b in zip(one, other, strict=True) if a["overall"] != b["overall"]]
        assert list(exact[name].float64.questions if exact[name].float64 else []) == differ
        change = floats[name].mean("overall", "accuracy").mean - exact[name].mean("overall", "accuracy").mean
        assert (exact[name].float64.mean_change["accuracy"] if differ else 0.0) == change


def test_the_command_line_of_the_issue(folder, exact):
    runs = sorted(map(str, folder.glob("run_*.txt")))
    command = [sys.executable, "-m", "aeollm", "score", *runs, "--labels", str(folder / "labels.csv"), "--json"]
    done = subprocess.run(command, capture_output=True, check=True, timeout=60, cwd=ROOT)
    found = json.loads(done.stdout)
    assert [run["name"] for run in found["runs"]] == [f"run_{name}.txt" for name in RUNS]
    assert (found["labels"]["questions"], found["labels"]["answers"]) == (100, 1400)
    for name, run in zip(RUNS, found["runs"], strict=True):
        assert run["scores"] == exact[name].to_json()["scores"]
        assert "weights=equal" in run["signature"]


def test_published_rubrics_read_without_an_error(shared_data):
    folder = shared_data / "rubrics"
    files = {path.stem.removeprefix("criterion"): path for path in folder.glob("criterion*.json")}
    assert len(files) == 10
    labels = read_labels(labels_csv([(question, f"Doc_{n:03d}", n) for question in files for n in range(3)]))
    rubrics = read_rubrics(folder, labels)
    assert [problem.kind for problem in rubrics.problems if problem.severity == "error"] == []
    assert set(rubrics.weights) == set(files)
    for question, path in files.items():
        plain = json.loads(path.read_text("utf-8"), parse_float=str)
        assert rubrics.prompts[question] == plain["prompt"]
        for name in DIMENSIONS:
            weight = rubrics.weights[question][name]
            assert float(weight) == float(plain["dimension_weight"][name])
            criteria = [(criterion["criterion"], float(criterion["weight"])) for criterion in plain["criterions"][name]]
            assert [(own.text, float(own.weight)) for own in rubrics.criteria[question][name]] == criteria
