"""The Compare tab: what a difference between runs is worth, and what can be taken away."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import LABELS, RUNS
from tests.browser.score_tab import SLOW, ScoreTab, from_disk
from tests.browser.serving import ROOT, clean_environment
from tests.browser.test_look import fits_and_is_legible
from tests.browser.test_questions import choose

NAMES = ("good_judge.txt", "coarse_judge.txt", "length_biased_judge.txt")


@pytest.fixture
def opened(offline_page, app, request):
    """Open the tab on the demo runs, which are scored while nothing else is."""
    page = ScoreTab(offline_page, app.url).open(__theme=getattr(request, "param", "light")).page
    return compare_tab(page)


def compare_tab(page):
    page.get_by_role("tab", name="Compare").click()
    expect(page.locator("#c-paired .js-plotly-plot .point").first).to_be_visible(timeout=SLOW)
    return page


@pytest.fixture(scope="module")
def compared():
    """Compare the same runs by the command line, whose JSON the page has to agree with."""
    arguments = [sys.executable, "-m", "aeollm", "compare", *(str(RUNS / name) for name in NAMES)]
    arguments += ["--labels", str(LABELS), "--json"]
    done = subprocess.run(arguments, cwd=ROOT, env=clean_environment(), capture_output=True, check=True)
    return json.loads(done.stdout)


def shown(value):
    """Write a number as the page does: three decimals, no leading zero, a real minus sign."""
    text = f"{abs(value):.3f}".removeprefix("0")
    return f"−{text}" if value < 0 and text.strip("0.") else text


def download(page, elem_id):
    button = page.locator(f"#{elem_id}")
    expect(button).to_be_enabled()
    with page.expect_download() as taken:
        button.click()
    return taken.value.path().read_bytes()


def test_runs_with_intervals_and_clusters(opened, compared):
    table = opened.locator("#c-table .ae-table tbody tr")
    expect(table).to_have_count(3)
    for row, name in zip(table.all(), NAMES, strict=True):
        [run] = [run for run in compared["runs"] if run["name"] == name]
        cell = run["overall"]["spearman"]
        texts = row.locator("th, td").all_inner_texts()
        assert texts[0] == name
        assert texts[1] == str(cell["cluster"])
        assert texts[2] == f"{shown(cell['mean'])} [{shown(cell['low'])}, {shown(cell['high'])}]"
    expect(opened.locator("#c-forest .point")).to_have_count(3)


def test_a_pair_in_words_and_figures(opened, compared):
    opened.locator("#c-measure label", has_text="Pairwise accuracy").click()
    choose(opened, "c-first", NAMES[1])
    choose(opened, "c-second", NAMES[2])
    [pair] = [pair for pair in compared["pairs"] if {pair["a"], pair["b"]} == set(NAMES[1:])]
    cell = pair["overall"]["accuracy"]
    words = opened.locator("#c-words")
    expect(words).to_contain_text(f"{NAMES[1]} is ahead of {NAMES[2]} by {shown(abs(cell['difference']))} accuracy")
    expect(words).to_contain_text(f"about {cell['questions_needed']} questions")
    row = opened.locator("#c-pair tr", has=opened.locator("th", has_text="overall")).nth(2)
    expect(row).to_contain_text(f"{cell['wins']} / {cell['ties']} / {cell['losses']}")
    expect(row).to_contain_text(shown(cell["difference"]))
    expect(opened.locator("#c-paired .point")).to_have_count(cell["questions"])


def test_corrections_and_repeats_are_choices(opened):
    expect(opened.locator("#c-table")).to_contain_text("Tukey HSD, randomised over 3 pairs", use_inner_text=True)
    choose(opened, "c-correction", "Holm")
    expect(opened.locator("#c-table")).to_contain_text("Holm over 3 pairs", use_inner_text=True)
    for name in NAMES[1:]:
        choose(opened, "c-repeats", name)
    expect(opened.locator("#c-table")).to_contain_text("mean of 2 repeats")
    expect(opened.locator("#c-table")).to_contain_text("Standard deviations of mean of 2 repeats")
    expect(opened.locator("#c-forest .point")).to_have_count(2)


def test_one_run_is_told_that_two_are_needed(tab):
    tab.drop(from_disk(RUNS / NAMES[0]))
    tab.shows(NAMES[0])
    tab.page.get_by_role("tab", name="Compare").click()
    expect(tab.page.locator("#c-table")).to_contain_text("Two runs are needed")


def test_what_is_taken_away_is_what_the_command_line_gives(opened, compared):
    taken = json.loads(download(opened, "c-json"))
    assert {run["name"] for run in taken["runs"]} == set(NAMES)
    assert taken["signature"] == compared["signature"]
    for run in compared["runs"]:
        [same] = [other for other in taken["runs"] if other["name"] == run["name"]]
        assert same["overall"] == run["overall"]
    rows = list(csv.reader(io.StringIO(download(opened, "c-csv").decode("utf-8-sig"))))
    assert len(rows) > 15
    assert any("DEMO" in cell for cell in rows[1])
    latex = download(opened, "c-latex").decode()
    assert "\\toprule" in latex
    assert "DEMO" in latex


def test_the_report_is_made_on_demand(opened):
    opened.locator("#c-make").click()
    report = download(opened, "c-report").decode()
    assert report.startswith("<!DOCTYPE html>")
    assert "DEMO" in report
    assert all(name in report for name in NAMES)


def test_published_results_are_context_only(opened):
    opened.locator("#c-published").get_by_text("Published formal run").click()
    box = opened.locator("#c-published")
    expect(box).to_contain_text("A score on other questions is not comparable")
    expect(box.locator("tbody tr")).to_have_count(14)
    expect(box).to_contain_text(".707")  # RSLIR's overall Spearman, overview paper, Table 4


def test_chance_and_diagnostics_are_told(opened):
    opened.locator("#c-labels").get_by_text("Chance, ceiling").click()
    expect(opened.locator("#c-labels")).to_contain_text("orders at random has accuracy .500")
    expect(opened.locator("#c-labels")).to_contain_text("None of this enters a score")


@pytest.mark.parametrize("opened", ["light", "dark"], indirect=True)
def test_it_fits_and_is_legible(opened):
    fits_and_is_legible(opened)


def test_seven_real_runs(tab, shared_data):
    folder = shared_data / "dialsummeval"
    runs = sorted(folder.glob("run_*.txt"))
    tab.own_labels(("labels.csv", (folder / "labels.csv").read_bytes()))
    expect(tab.status).to_contain_text("1,400 answers")
    tab.drop(from_disk(*runs))
    expect(tab.names).to_have_count(7)
    page = compare_tab(tab.page)
    expect(page.locator("#c-table .ae-table tbody tr")).to_have_count(7)
    expect(page.locator("#c-table")).to_contain_text("over 21 pairs", use_inner_text=True)
    expect(page.locator("#c-paired .point")).to_have_count(100)
    page.get_by_role("tab", name="Questions").click()
    expect(page.locator("#q-slopes .js-plotly-plot .point").first).to_be_visible(timeout=SLOW)
    expect(page.locator("#q-table [role=grid]")).to_have_attribute("aria-rowcount", "101")
