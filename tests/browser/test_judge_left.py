"""A page with a Judge tab that is closed: nobody is asked any more, and nothing of the visitor's stays on the disk."""

from __future__ import annotations

import io
import threading
import time
import zipfile

import pytest
from playwright.sync_api import expect

from tests.browser.score_tab import SLOW, ScoreTab
from tests.browser.serving import serve
from tests.browser.test_judge import DONE, JudgeTab, asked_in_all, stays_asked
from tests.judging.scripted import SCORES, Answer, ScriptedJudge

MARK = "a-heat-pump-nobody-else-writes-about"
GONE = 60
"""Seconds until files that stay have failed: gradio looks every 15 seconds whether a page is still there."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("left")


@pytest.fixture(scope="module")
def forgetful(folder):
    temporary = folder / "temporary"
    temporary.mkdir()
    with serve(folder, "tests.browser.app_that_forgets_soon", TMPDIR=str(temporary)) as started:
        yield started.wait()


def holding(folder, mark):
    """Name the files that hold a text."""
    return [path for path in folder.rglob("*") if path.is_file() and mark.encode() in path.read_bytes()]


def reports():
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for number in range(1, 6):
            archive.writestr(f"Report5/Doc_00{number}.md", f"About {MARK}: report {number}.")
    return content.getvalue()


@pytest.fixture
def gate():
    """Let the judge answer only while it is open."""
    gate = threading.Event()
    gate.set()
    return gate


@pytest.fixture
def judge(gate):
    def answer(_seen):
        gate.wait(GONE)
        return Answer(f'{SCORES[:-1]}, "reason": "{MARK}"}}')

    with ScriptedJudge() as judge:
        judge.script = answer
        yield judge


@pytest.fixture
def page(browser, forgetful):
    context = browser.new_context(accept_downloads=True)
    context.set_default_timeout(SLOW)
    page = context.new_page()
    ScoreTab(page, forgetful.url).open()
    yield page
    context.close()


def try_and_score(tab, judge):
    """Make a trial, take its replies away and score it, so that there are copies."""
    tab.at(judge.address, concurrency="1").hand_in("reports.zip", reports())
    tab.partial()
    tab.done("The trial is done", "trial")
    assert MARK.encode() in tab.take("replies")
    tab.press("to-score")
    expect(tab.page.locator("#labels input")).to_have_value("own: 3 of 128 answers of demo", timeout=DONE)
    # The way to the Score tab ends with its being shown: who opened another before would be taken there.
    expect(tab.page.get_by_role("tab", name="Score", exact=True)).to_have_attribute("aria-selected", "true")


def test_a_page_that_is_closed_leaves_nothing(page, judge, gate, forgetful, folder):
    tab = JudgeTab(page).open()
    try_and_score(tab, judge)
    assert len(holding(folder, MARK)) > 3  # the zip, what was in it, the replies, their copies
    page.get_by_role("tab", name="Judge").click()
    gate.clear()
    # That the trial was scored by the labels of three answers does not make those the labels of the run.
    tab.press("run")
    expect(tab.progress.locator("[role=progressbar]")).to_be_visible(timeout=DONE)
    asked_in_all(judge, 4)
    page.close()
    deadline = time.monotonic() + GONE
    while (found := holding(folder, MARK)) and time.monotonic() < deadline:
        time.sleep(0.2)
    assert found == []
    gate.set()
    stays_asked(judge, 4)  # three of the trial, and the one that was under way
    assert not any((folder / "temporary").glob("aeollm-judge-*"))
    assert MARK not in forgetful.log.read_text("utf-8")
