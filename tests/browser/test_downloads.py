"""What people take away: the scores as JSON, the questions as CSV."""

from __future__ import annotations

import csv
import io
import json

from tests.browser.conftest import RUNS
from tests.browser.serving import score_by_cli

FORMULA = "=1+1.txt"


def take(tab, elem_id):
    """Click a download and give its name and bytes."""
    with tab.page.expect_download() as taken:
        tab.page.locator(f"#{elem_id}").click()
    return taken.value.suggested_filename, taken.value.path().read_bytes()


def upside_down(text):
    """Turn a run's scores round, so that it disagrees with everybody."""
    rows = [line.split() for line in text.splitlines()]
    return "".join(" ".join([*row[:3], *(f"{10 - float(score):.3f}" for score in row[3:])]) + "\n" for row in rows)


def test_the_json_is_the_command_lines_object(tab):
    tab.page.locator("#demo-runs").click()
    tab.shows("good_judge.txt", "coarse_judge.txt", "length_biased_judge.txt", "broken_run.txt")
    name, content = take(tab, "as-json")
    assert name == "scores.json"
    assert json.loads(content) == score_by_cli(*sorted(RUNS.glob("*.txt")), "--labels-set", "demo")


def test_the_csv_has_every_number_and_no_formula(tab, tmp_path):
    run = tmp_path / FORMULA
    run.write_text(upside_down((RUNS / "good_judge.txt").read_text("utf-8")), "utf-8")
    tab.drop([(FORMULA, run.read_bytes())])
    tab.shows(FORMULA)
    name, content = take(tab, "as-csv")
    assert name == "questions.csv"
    rows = list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"))))
    [scored] = score_by_cli(run, "--labels-set", "demo")["runs"]
    assert scored["name"] == FORMULA
    exact = {
        (view, question["question"]): question[view] for question in scored["questions"] for view in scored["scores"]
    }
    assert len(rows) == len(exact) == 5 * 8
    for row in rows:
        found = exact.pop((row["view"], row["question"]))
        assert row["run"] == f"'{FORMULA}"
        assert int(row["answers"]) == found["answers"]
        assert {name: float(row[name]) for name in ("spearman", "kendall", "accuracy")} == {
            name: found[name] for name in ("spearman", "kendall", "accuracy")
        }
        assert {kind: int(row[kind]) for kind in found["pairs"]} == found["pairs"]
        assert row["signature"] == scored["signature"]
        assert "DEMO" in row["labels_are"]
    assert all(row["spearman"].startswith("-") for row in rows)


def test_the_example_can_be_taken_too_and_says_what_it_is(tab):
    _, content = take(tab, "as-json")
    taken = json.loads(content)
    assert [run["name"] for run in taken["runs"]] == ["coarse_judge.txt", "good_judge.txt", "length_biased_judge.txt"]
    assert taken["labels"]["name"] == "demo"
    assert taken["signature"].startswith("labels=demo@")
    _, content = take(tab, "as-csv")
    assert content.count(b"DEMO (simulated)") == 3 * 5 * 8


def test_what_is_taken_follows_the_files(tab):
    for judge in ("good_judge.txt", "coarse_judge.txt"):
        tab.drop([(judge, (RUNS / judge).read_bytes())])
        tab.shows(judge)
        [run] = json.loads(take(tab, "as-json")[1])["runs"]
        assert run["name"] == judge
        tab.zone.get_by_role("button", name="Clear").click()
        tab.shows("good_judge.txt", "coarse_judge.txt", "length_biased_judge.txt")
