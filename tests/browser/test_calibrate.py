"""The Calibrate tab: the example, files of one's own, a run; cancelling; two visitors at once."""

from __future__ import annotations

import csv
import io
import json
import time
from pathlib import Path

import pytest
from gradio_client import Client, handle_file
from playwright.sync_api import Page, expect

from tests.browser.conftest import RUNS
from tests.browser.score_tab import ScoreTab, from_disk
from tests.browser.serving import ROOT
from tests.browser.test_look import fits_and_is_legible

FOLDER = ROOT / "assets" / "demo" / "llm-rubric"
FITTED = 60_000
"""Milliseconds until a fit that does not end has failed."""


class CalibrateTab:
    """One visitor's tab."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.found = page.locator("#cal-found")
        self.progress = page.locator("#cal-progress")
        self.rows = page.locator("#cal-table tbody tr")

    def open(self) -> CalibrateTab:
        """Open it and wait for the example."""
        self.page.get_by_role("tab", name="Calibrate").click()
        expect(self.rows).to_have_count(4, timeout=FITTED)
        return self

    def source(self, title: str) -> None:
        """Choose what is calibrated."""
        self.page.locator("#cal-source label", has_text=title).click()

    def hand_in(self, *files: Path) -> None:
        """Drop files of one's own."""
        self.source("My two files")
        self.page.locator("#cal-files input[type=file]").set_input_files(list(files))

    def choose(self, elem_id: str, option: str) -> None:
        """Choose an option of a dropdown by its text."""
        self.page.locator(f"#{elem_id} input").click()
        self.page.get_by_role("option", name=option, exact=True).click()

    def fit(self, *, wait: bool = True, seeds: int = 1, signed: str = "") -> None:
        """Press the button, with one seed, and wait for an outcome that is signed so."""
        self.page.locator("#cal-seeds input").fill(str(seeds))
        self.page.locator("#cal-seeds input").press("Tab")
        expect(self.page.locator("#cal-fit")).to_be_enabled()
        self.page.locator("#cal-fit").click()
        if wait:
            self.done(signed or f"seeds=0..{seeds - 1}")

    def done(self, signed: str) -> None:
        """Wait until the outcome is shown."""
        expect(self.page.locator("#cal-table .ae-signatures code")).to_contain_text(signed, timeout=FITTED)
        expect(self.progress).to_contain_text("Done", timeout=FITTED)
        expect(self.page.locator("#cal-fit")).to_be_enabled(timeout=FITTED)

    def scores(self) -> dict[str, list[str]]:
        """Give the rows of the table of models, the numbers without intervals."""
        cells = [[cell.split()[0] for cell in row.locator("td").all_inner_texts()] for row in self.rows.all()]
        return dict(zip((row.locator("th").inner_text() for row in self.rows.all()), cells, strict=True))

    def take(self, elem_id: str) -> bytes:
        """Download a file."""
        expect(self.page.locator(f"#{elem_id}")).to_be_enabled()
        with self.page.expect_download() as taken:
            self.page.locator(f"#{elem_id}").click()
        return Path(taken.value.path()).read_bytes()


@pytest.fixture
def calibrate(tab):
    """Give the tab with the example fitted."""
    return CalibrateTab(tab.page).open()


def workers(app):
    """Count the processes that fit."""
    children = Path(f"/proc/{app.process.pid}/task").glob("*/children")
    pids = [pid for path in children for pid in path.read_text().split()]
    commands = [Path(f"/proc/{pid}/cmdline") for pid in pids]
    return sum(b"aeollm.trials.worker" in path.read_bytes() for path in commands if path.exists())


def test_the_example_is_there_at_once(calibrate):
    page = calibrate.page
    expect(calibrate.found).to_contain_text("360 answers · 120 texts · 12 people")
    expect(page.locator("#cal-table .ae-badge")).to_contain_text("DEMO")
    scores = calibrate.scores()
    assert list(scores) == ["ridge, own slopes", "judge's own mean", "each person's mean", "ridge, own intercepts"]
    assert float(scores["ridge, own slopes"][0]) < float(scores["judge's own mean"][0])
    expect(page.locator("#cal-reliability .js-plotly-plot")).to_be_visible()
    expect(page.locator("#cal-predicted .point").first).to_be_visible()
    expect(page.locator("#cal-strictness .point")).to_have_count(12)
    expect(page.locator("#cal-details")).to_contain_text("no prediction that correlates")
    expect(page.locator("#cal-details")).to_contain_text("only these say what it is worth")
    expect(page.locator("#cal-details")).to_contain_text("the floor is what answers drawn from the predictions")


def test_another_target_and_what_is_taken_away(calibrate):
    page = calibrate.page
    calibrate.choose("cal-target", "Q4")
    calibrate.fit(signed="target=Q4")
    expect(page.locator("#cal-table")).to_contain_text("Q4")
    rows = list(csv.DictReader(io.StringIO(calibrate.take("cal-predictions").decode("utf-8-sig"))))
    assert {row["kind"] for row in rows} == {"out of sample", "shared"}
    assert "answer3_prob" in rows[0]
    assert "answer4_prob" not in rows[0]
    apart = [row for row in rows if row["kind"] == "out of sample"]
    error = (sum((float(row["expected"]) - float(row["answered"])) ** 2 for row in apart) / len(apart)) ** 0.5
    assert calibrate.scores()["ridge, own slopes"][0] == f"{error:.3f}".removeprefix("0")
    calibrator = json.loads(calibrate.take("cal-calibrator"))
    assert (calibrator["format"], calibrator["target"]) == ("aeollm-calibrator", "Q4")
    page.locator("#cal-make-report").click()
    report = calibrate.take("cal-report").decode()
    assert report.startswith("<!DOCTYPE html>")
    assert "DEMO" in report
    page.locator("#cal-curve").click()
    expect(page.locator("#cal-curve-figure .point").first).to_be_visible(timeout=FITTED)
    calibrate.choose("cal-shown", "each person's mean")
    expect(page.locator("#cal-details")).to_contain_text("each person's mean: smooth")


def test_files_in_any_order(calibrate):
    calibrate.hand_in(FOLDER / "answers.tsv")
    expect(calibrate.found).to_contain_text("drop the other as well")
    calibrate.page.locator("#cal-files input[type=file]").set_input_files([FOLDER / "opinions.tsv"])
    expect(calibrate.found).to_contain_text("360 answers")
    expect(calibrate.page.locator("#cal-results")).to_be_hidden()
    calibrate.page.locator("#cal-folds input").fill("2")
    calibrate.fit(signed="folds=2")
    expect(calibrate.rows).to_have_count(4)
    calibrate.page.locator("#cal-criteria").click()
    rows = calibrate.page.locator("#cal-all-criteria tbody tr")
    expect(rows).to_have_count(5, timeout=FITTED)
    assert [row.locator("th").inner_text() for row in rows.all()] == ["Q0", "Q1", "Q2", "Q3", "Q4"]


def test_wrong_files_are_told_what_they_look_like(calibrate, tmp_path):
    calibrate.hand_in(FOLDER / "answers.tsv", RUNS / "good_judge.txt")
    expect(calibrate.found).to_contain_text("good_judge.txt looks like an AEOLLM run")
    expect(calibrate.page.locator("#cal-fit")).to_be_disabled()
    broken = tmp_path / "<b>broken<i>.tsv"
    broken.write_text("text_id\tcriterion\tp1\tp2\nT001\tQ0\t0.9\t0.9\nT002\tQ0\tnan\t1\n", "utf-8")
    calibrate.page.locator("#cal-files").get_by_role("button", name="Clear").click()
    expect(calibrate.found).to_have_text("")
    calibrate.hand_in(FOLDER / "answers.tsv", broken)
    expect(calibrate.found).to_contain_text("line 2")
    expect(calibrate.found).to_contain_text("line 3")
    expect(calibrate.found.locator("li")).to_have_count(2)
    calibrate.source("The example")
    expect(calibrate.found).to_contain_text("360 answers")


def test_a_run_and_its_labels(tab):
    tab.drop(from_disk(RUNS / "good_judge.txt"))
    tab.shows("good_judge.txt")
    calibrate = CalibrateTab(tab.page).open()
    calibrate.source("A run of the Score tab")
    expect(calibrate.found).to_contain_text("128 answers · 8 questions")
    expect(calibrate.page.locator("#cal-protocol input")).to_have_value("Leave one question out")
    calibrate.choose("cal-target", "insight")
    calibrate.fit()
    assert calibrate.scores()["judge's own mean"][4] == "–"  # decimals are no probabilities
    calibrate.page.locator("#cal-make-run").click()
    expect(calibrate.page.locator("#cal-take-run")).to_be_visible(timeout=FITTED)
    lines = calibrate.take("cal-take-run").decode().splitlines()
    assert lines[0].split() == ["taskId", "questionId", "answerId", *lines[0].split()[3:]]
    assert {len(line.split()) for line in lines} == {7}
    assert len(lines) == 129


def test_cancelling_ends_the_work_and_keeps_what_was_there(calibrate, app):
    before = calibrate.scores()
    calibrate.choose("cal-model", "mix: ridge, ordinal, net")
    calibrate.fit(wait=False, seeds=20)
    expect(calibrate.progress.locator("[role=progressbar]")).to_be_visible(timeout=FITTED)
    assert workers(app) == 1
    started = time.monotonic()
    calibrate.page.locator("#cal-cancel").click()
    expect(calibrate.progress).to_contain_text("Cancelled")
    expect(calibrate.page.locator("#cal-fit")).to_be_enabled()
    assert time.monotonic() - started < 15
    assert workers(app) == 0
    assert calibrate.scores() == before


def test_scoring_does_not_wait_for_two_visitors_who_fit(calibrate, second_page, app):
    """Both fit for long at once, each for itself; a third one scores meanwhile."""
    page, watch = second_page
    ScoreTab(page, app.url).open()
    other = CalibrateTab(page).open()
    for visitor in (calibrate, other):
        visitor.choose("cal-model", "mix: ridge, ordinal, net")
        visitor.fit(wait=False, seeds=20)
    for visitor in (calibrate, other):
        expect(visitor.progress.locator("[role=progressbar]")).to_be_visible(timeout=FITTED)
    assert workers(app) == 2
    client = Client(app.url, verbose=False)
    started = time.monotonic()
    answer = client.predict([handle_file(str(RUNS / "good_judge.txt"))], "demo", api_name="/score")
    assert answer["runs"][0]["accepted"]
    assert time.monotonic() - started < 10
    assert workers(app) == 2
    for visitor in (calibrate, other):
        visitor.page.locator("#cal-cancel").click()
        expect(visitor.progress).to_contain_text("Cancelled")
    for visitor, target in ((calibrate, "Q1"), (other, "Q2")):
        visitor.choose("cal-model", "ridge, own intercepts")
        visitor.choose("cal-target", target)
        visitor.fit(wait=False)
    for visitor, target in ((calibrate, "Q1"), (other, "Q2")):
        visitor.done(f"target={target}")
        expect(visitor.page.locator("#cal-table strong").first).to_have_text(target)
    assert calibrate.scores() != other.scores()
    assert watch.all() == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_fits_and_is_legible(offline_page, app, theme):
    ScoreTab(offline_page, app.url).open(__theme=theme)
    page = CalibrateTab(offline_page).open().page
    expect(page.locator("#cal-strictness .point")).to_have_count(12)
    fits_and_is_legible(page)


def test_the_public_data(calibrate, shared_data):
    """Train on the synthetic dialogues, test on the real ones; the counts are those of the data's README."""
    folder = shared_data / "llm_rubric"
    files = {
        kind: [
            folder / f"gpt-3.5-turbo-16k_{kind}_evaluations_FIXED.tsv",
            folder / f"human_judges_{ {'synth': 'synth_all', 'real': 'real_convs'}[kind] }_FIXED_ANON.tsv",
        ]
        for kind in ("synth", "real")
    }
    calibrate.hand_in(*files["synth"])
    expect(calibrate.found).to_contain_text("670 answers · 225 texts · 24 people")
    calibrate.page.get_by_text("Test files, renamed columns").click()
    calibrate.page.locator("#cal-tests input[type=file]").set_input_files(files["real"])
    expect(calibrate.found).to_contain_text("223 answers to be scored on")
    expect(calibrate.found).to_contain_text("Q1 and Q2 look exchanged")
    calibrate.page.locator("#cal-rename textarea, #cal-rename input").fill("Q1=Q2 Q2=Q1")
    calibrate.page.locator("#cal-rename textarea, #cal-rename input").press("Enter")
    expect(calibrate.found).not_to_contain_text("look exchanged")
    expect(calibrate.found).to_contain_text("Q1 is read as Q2")
    calibrate.fit()
    expect(calibrate.page.locator("#cal-table")).to_contain_text("223 answers scored, 662 learnt from")
    # The official scripts' expected_llm (reference: RMSE .919, Pearson .177).
    assert calibrate.scores()["judge's own mean"][:2] == [".919", ".177"]
