"""From the Judge tab to the others: its tables are built on, its run and its opinions are calibrated."""

from __future__ import annotations

import io
import math
import re
import zipfile
from zlib import crc32

import pytest
from playwright.sync_api import expect

from tests.browser.test_build import BUILT, BuildTab
from tests.browser.test_calibrate import FITTED, CalibrateTab
from tests.browser.test_judge import DONE, REPORTS, JudgeTab, says
from tests.judging.scripted import Answer, ScriptedJudge

PROBABILITIES = (0.1, 0.2, 0.3, 0.35)
"""Of the answers 1 to 4; the rest is the judge's mass outside of them."""


def scores(seen):
    """Score every report by something in it, so that hardly any two are tied."""
    at = crc32(seen.asked.encode()) % 90 / 10
    return Answer(f'{{"comprehensiveness": {at}, "insight": {9 - at}, "instruction_following": 5, "readability": 6.5}}')


def opinions(_seen):
    top = [{"token": str(number + 1), "logprob": math.log(share)} for number, share in enumerate(PROBABILITIES)]
    return Answer("4", logprobs={"content": [{**top[3], "top_logprobs": top}]})


def three_questions():
    """As many as calibrating needs at least."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for question in (2, 3, 5):
            for number in range(1, 5):
                archive.writestr(f"Report{question}/Doc_00{number}.md", f"Report {number} on question {question}.")
    return content.getvalue()


@pytest.fixture(scope="module")
def judge():
    with ScriptedJudge() as judge:
        yield judge


@pytest.fixture
def judge_tab(tab, judge):
    judge.reset(scores)
    return JudgeTab(tab.page).open().at(judge.address)


def hand_over(judge_tab, name):
    judge_tab.page.get_by_role("tab", name="Judge").click()
    judge_tab.press(f"to-{name}")


def run_it(judge_tab):
    judge_tab.done("The trial is done", "trial")
    judge_tab.done("The run is complete")


def test_its_tables_go_to_build(judge_tab, app):
    page, build = judge_tab.page, BuildTab(judge_tab.page, app.url)
    judge_tab.done("The trial is done", "trial")
    hand_over(judge_tab, "build")
    expect(build.result).to_contain_text("answers: 3/3", timeout=BUILT, use_inner_text=True)
    # What the trial gave makes room for what the run gives.
    page.get_by_role("tab", name="Judge").click()
    judge_tab.done("The run is complete")
    hand_over(judge_tab, "build")
    expect(build.result).to_contain_text(f"answers: {REPORTS}/{REPORTS}", timeout=BUILT, use_inner_text=True)
    expect(page.locator("#b-files tr.file")).to_have_text([re.compile("holistic"), re.compile("build")])
    expect(build.found.locator("tbody tr")).to_have_count(2)  # the scores, and the recipe's steps
    expect(build.steps).to_have_count(1)
    # It is the run that the Judge tab gives.
    with page.expect_download() as taken:
        page.locator("#b-run").click()
    built = taken.value.path().read_bytes()
    page.get_by_role("tab", name="Judge").click()
    assert built == judge_tab.take("run")
    # A second time changes nothing.
    hand_over(judge_tab, "build")
    expect(build.found.locator("tbody tr")).to_have_count(2)
    expect(build.result).to_contain_text(f"answers: {REPORTS}/{REPORTS}", timeout=BUILT, use_inner_text=True)


def test_its_run_is_calibrated_to_the_labels_it_was_judged_with(judge_tab, tab):
    page, calibrate = judge_tab.page, CalibrateTab(judge_tab.page)
    judge_tab.hand_in("reports.zip", three_questions())
    judge_tab.partial()
    says(judge_tab.found, "12 reports · 3 questions")
    run_it(judge_tab)
    hand_over(judge_tab, "calibrate")
    expect(page.get_by_role("tab", name="Calibrate")).to_have_attribute("aria-selected", "true", timeout=DONE)
    expect(page.locator("#cal-source input[value=run]")).to_be_checked()
    expect(page.locator("#cal-run input")).to_have_value("holistic_run.txt")
    says(calibrate.found, "12 answers · 3 questions")
    expect(page.locator("#cal-fit")).to_be_enabled(timeout=FITTED)
    calibrate.fit()
    page.get_by_role("tab", name="Score").click()
    tab.shows("holistic_run.txt")
    expect(page.locator("#labels input")).to_have_value("own: 12 of 128 answers of demo")


def test_its_opinions_are_calibrated_to_answers(judge_tab, judge, tmp_path):
    page, calibrate = judge_tab.page, CalibrateTab(judge_tab.page)
    judge.script = opinions
    page.locator("#j-recipe input").click()
    page.get_by_role("option", name="llm-rubric", exact=True).click()
    expect(page.locator("#j-estimate tbody td").first).to_have_text(str(6 * REPORTS), timeout=DONE, use_inner_text=True)
    run_it(judge_tab)
    expect(page.locator("#j-to-score")).to_be_disabled()
    expect(page.locator("#j-to-build")).to_be_disabled()
    hand_over(judge_tab, "calibrate")
    says(calibrate.found, "One file is there")
    expect(page.locator("#cal-files tr.file")).to_have_text(re.compile("opinions"))
    lines = ["text_id\tannotator_id\tQ0"]
    for place, text in enumerate(f"{question}/Doc_00{number}" for question in (2, 5) for number in range(1, 5)):
        lines += [f"{text}\t{person}\t{1 + (place + shift) % 4}" for shift, person in enumerate(("ann", "bo"))]
    answers = tmp_path / "answers.tsv"
    answers.write_text("\n".join(lines), "utf-8")
    zone = page.locator("#cal-files input[type=file]")
    zone.set_input_files([answers])
    says(calibrate.found, "8 texts")
    expect(page.locator("#cal-fit")).to_be_enabled(timeout=FITTED)
