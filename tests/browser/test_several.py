"""Several runs at once, and the names people give them."""

from __future__ import annotations

import json

from playwright.sync_api import expect

from tests.browser.conftest import RUNS
from tests.browser.score_tab import from_disk, means, same
from tests.browser.serving import ROOT

CASES = ROOT / "tests" / "cases"
C44 = CASES / "dev" / "C44"


def test_two_runs_of_one_name_are_told_apart(tab, demo_scores):
    good, coarse = (RUNS / f"{judge}.txt" for judge in ("good_judge", "coarse_judge"))
    tab.drop([("run.txt", good.read_bytes()), ("run.txt", coarse.read_bytes())])
    tab.shows("run.txt", "run.txt (2)")
    rows = [tab.page.locator("#scores tbody tr").nth(place).locator("td").all_inner_texts() for place in range(2)]
    for row, name in zip(rows, ("good_judge.txt", "coarse_judge.txt"), strict=True):
        assert same([float(cell.split()[0]) for cell in row[:5]], means(demo_scores[name], "spearman"))
    tab.page.get_by_role("button", name="run.txt (2)").click()
    expect(tab.page.locator("#run input")).to_have_value("run.txt (2)")


def test_seven_uploads_with_colliding_names_stay_seven(tab, demo_scores):
    """C44's names, all of one visitor; every one is scored under the name it was given."""
    names = [upload["orig_name"] for upload in json.loads((C44 / "uploads.json").read_text("utf-8"))]
    assert {"RUN.TXT", "run", "run【1】.txt", "run1.txt"} < set(names)
    content = (RUNS / "good_judge.txt").read_bytes()
    tab.drop([(name, content) for name in names])
    expect(tab.names).to_have_count(7)
    shown = tab.names.all_inner_texts()
    assert sorted(shown) == sorted([*set(names), "run.txt (2)"])
    exact = means(demo_scores["good_judge.txt"], "spearman")
    assert all(same(tab.numbers(name), exact) for name in ("RUN.TXT", "run【1】.txt", "run1.txt", "run.tsv"))
    expect(tab.listed).to_have_count(7)


def test_a_second_drop_joins_the_first(tab):
    tab.drop(from_disk(RUNS / "coarse_judge.txt"))
    tab.shows("coarse_judge.txt")
    tab.drop(from_disk(RUNS / "good_judge.txt"))
    tab.shows("good_judge.txt", "coarse_judge.txt")
