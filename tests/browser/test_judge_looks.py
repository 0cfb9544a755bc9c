"""How the Judge tab looks and speaks: what cannot be reached, a trial's scores, one call, narrow and in Chinese."""

from __future__ import annotations

import socket

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import WIDE
from tests.browser.test_axe import axe
from tests.browser.test_judge import JudgeTab, says
from tests.browser.test_look import NARROW, STICKING_OUT, settle
from tests.judging.scripted import SCORES, Answer, ScriptedJudge

READ = ["comprehensiveness 7", "insight 6.5", "instruction following 8", "readability 5"]


@pytest.fixture(scope="module")
def judge():
    with ScriptedJudge() as judge:
        judge.reset(Answer(SCORES))
        yield judge


@pytest.fixture
def judge_tab(tab):
    return JudgeTab(tab.page).open()


@pytest.fixture
def deserted():
    """Give an address that nobody listens at."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}/v1"


def test_what_cannot_be_reached_is_told_while_and_after(judge_tab, deserted):
    estimate = judge_tab.page.locator("#j-estimate")
    says(estimate, "Nothing has been sent.")
    judge_tab.at(deserted).press("trial")
    says(judge_tab.progress, f"nothing answers at {deserted}")
    says(judge_tab.result, "No reply gave a value: trial of holistic")
    says(judge_tab.result, f"Stopped: the endpoint cannot be reached – nothing answers at {deserted}")
    says(judge_tab.result, "Check that the server is running")
    expect(judge_tab.page.locator("#j-result .ae-error")).to_have_count(1)
    expect(estimate).not_to_contain_text("Nothing has been sent.")
    expect(judge_tab.page.locator("#j-trial.primary")).to_be_enabled()


def words(locator):
    return [" ".join(text.split()) for text in locator.all_inner_texts()]


def test_a_trial_shows_its_scores_and_a_call_what_was_read(judge_tab, judge):
    page = judge_tab.page
    judge_tab.at(judge.address).done("The trial is done: holistic", "trial")
    rows = page.locator("#j-result tbody tr")
    assert words(rows) == [f"{answer} 7 6.5 8 5" for answer in ("2 · Doc_001", "2 · Doc_002", "5 · Doc_001")]
    expect(page.locator("#j-run.primary")).to_be_enabled()
    expect(page.locator("#j-trial.primary")).to_have_count(0)
    # Unfolded, the first call is there.
    page.get_by_text("Look into a prompt").click()
    says(judge_tab.call, "holistic 1 / 8")
    assert words(judge_tab.call.locator(".ae-j-read > div")) == READ
    assert [found for found in axe(page) if found["place"] < 0 or found["ours"]] == []
    page.set_viewport_size(NARROW)
    settle(page, f"!({STICKING_OUT})().length")
    assert page.evaluate(STICKING_OUT) == []
    # No table to scroll: every number behind what it is.
    assert words(page.locator("#j-estimate td"))[:2] == ["calls to make 5", "replies at hand 3"]
    box = page.locator("#j-estimate .ae-scroll")
    assert box.evaluate("box => box.scrollWidth <= box.clientWidth")
    page.set_viewport_size(WIDE)
