"""The Judge tab: a trial, a run, pausing and cancelling counted at the endpoint, keys, texts of strangers."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import WIDE
from tests.browser.score_tab import ScoreTab
from tests.browser.serving import ROOT
from tests.browser.test_hostile_text import EVIL
from tests.browser.test_look import CONTRAST, LEGIBLE, NARROW, STICKING_OUT, settle
from tests.judging.scripted import SCORES, Answer, ScriptedJudge, refused

SHORT = (
    'recipe = 1\nname = "short"\n[[ask]]\ndo = "holistic"\nmax_tokens = 60\n[[step]]\ndo = "run"\nfrom = "holistic"\n'
)
KEY = "sk-secret-0123456789abcdef"
DONE = 60_000
REPORTS = 8
"""Reports of the demo: four of each of two questions."""


@pytest.fixture
def usual_answer():
    return Answer(SCORES)


def gated(judge: ScriptedJudge) -> threading.Event:
    """Let the endpoint answer only while the gate is open."""
    gate = threading.Event()

    def script(_seen):
        gate.wait(30)
        return Answer(SCORES)

    judge.script = script
    return gate


class JudgeTab:
    """One visitor's tab."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.found = page.locator("#j-found")
        self.result = page.locator("#j-result")
        self.progress = page.locator("#j-progress")
        self.call = page.locator("#j-call")

    def open(self) -> JudgeTab:
        self.page.get_by_role("tab", name="Judge").click()
        expect(self.page.locator("#j-estimate tbody tr")).to_have_count(1, timeout=DONE)
        return self

    def at(self, address: str, model: str = "judge-1", key: str = "", **options: str) -> JudgeTab:
        self.page.locator("#j-models input").fill(model)
        self.page.locator("#j-address input").fill(address)
        self.page.locator("#j-key input").fill(key)
        if options:
            self.options()
        for name, value in options.items():
            field = self.page.locator(f"#j-{name.replace('_', '-')} input")
            field.fill(value)
            field.press("Tab")
        return self

    def options(self) -> None:
        if not self.page.locator("#j-concurrency").is_visible():
            self.page.get_by_text("Options: at a time").click()
            # The first fields of this kind are loaded now; what is typed before they are ready is lost to gradio.
            self.page.wait_for_timeout(700)

    def partial(self) -> None:
        """Ask for what is there."""
        self.page.locator("#j-partial input").check()

    def press(self, name: str) -> None:
        button = self.page.locator(f"#j-{name}")
        expect(button).to_be_enabled()
        button.click()

    def done(self, words: str, name: str = "run") -> None:
        self.press(name)
        says(self.result, words)

    def hand_in(self, name: str, content: bytes) -> None:
        file = {"name": name, "mimeType": "application/octet-stream", "buffer": content}
        self.page.locator("#j-files input[type=file]").set_input_files(file)

    def look(self, ask: str, number: int) -> str:
        if not self.page.locator("#j-show").is_visible():
            self.page.get_by_text("Look into a prompt").click()
        field, told = self.page.locator("#j-number input"), f"{ask} {number} /"
        for _ in range(5):
            # gradio can lose what is typed while the fold is still opening.
            field.fill(str(number))
            field.press("Tab")
            self.press("show")
            with contextlib.suppress(AssertionError):
                expect(self.call).to_contain_text(told, timeout=10_000, use_inner_text=True)
                break
        says(self.call, told)
        return self.call.inner_text()

    def take(self, name: str) -> bytes:
        with self.page.expect_download() as taken:
            self.press(f"take-{name}")
        return Path(taken.value.path()).read_bytes()


def says(locator: Locator, words: str) -> None:
    """Wait until something is read in the language that is shown."""
    expect(locator).to_contain_text(words, timeout=DONE, use_inner_text=True)
    # What is hidden has an inner text, too.
    expect(locator).to_be_visible()


def asked_in_all(judge: ScriptedJudge, count: int) -> None:
    """Wait until the endpoint was asked so often."""
    deadline = time.monotonic() + 20
    while len(judge.seen) < count and time.monotonic() < deadline:
        time.sleep(0.05)
    assert len(judge.seen) == count


def stays_asked(judge: ScriptedJudge, count: int) -> None:
    """Check that nothing more is asked."""
    asked_in_all(judge, count)
    time.sleep(1)
    assert len(judge.seen) == count


@pytest.fixture
def judge_tab(tab):
    return JudgeTab(tab.page).open()


def estimated(judge_tab, judge):
    """Check the estimate of the demo's reports, then name model, address, key and price."""
    says(judge_tab.found, "DEMO")
    says(judge_tab.found, "8 reports · 2 questions")
    cells = judge_tab.page.locator("#j-estimate tbody td")
    calls, on_disk, tokens_in, most, _ = cells.all_inner_texts()
    assert (calls, on_disk, most) == ("8", "0", f"{8 * 512:,}")  # the recipe's longest reply, eight times
    judge_tab.at(judge.address, key=KEY, price_in="2", price_out="4")
    money = (int(tokens_in.replace(",", "")) * 2 + 8 * 512 * 4) / 1e6
    expect(cells.nth(5)).to_have_text(f"{money:.4g}", timeout=DONE, use_inner_text=True)


def test_a_trial_then_a_run_then_the_score_tab(judge_tab, judge, tab):
    page = judge_tab.page
    estimated(judge_tab, judge)
    expect(page.locator("#j-run")).to_be_disabled()
    expect(page.locator("#j-run")).to_have_text("Run all reports (after a trial)")
    assert judge.seen == []
    judge_tab.done("The trial is done", "trial")
    assert len(judge.seen) == 3
    assert {seen.authorization for seen in judge.seen} == {f"Bearer {KEY}"}
    judge_tab.done("The run is complete")
    assert len(judge.seen) == REPORTS
    # Five calls of 10 tokens in and 5 out, at 2 and 4 a million.
    says(judge_tab.result, "spent 5 calls, 75 tokens (0.0002)")
    says(judge_tab.result, "3 from disk")
    says(page.locator("#j-estimate"), "all 8 replies are there already")

    text = judge_tab.look("holistic", 1)
    assert "三个县域医共体的比较" in text
    assert SCORES in text
    files_are_whole(judge_tab)
    judge_tab.press("to-score")
    tab.shows("holistic_run.txt")
    expect(page.locator("#labels input")).to_have_value("own: 8 of 128 answers of demo")
    says(page.locator("#status"), "8 answers")


def files_are_whole(judge_tab):
    run = judge_tab.take("run").decode().splitlines()
    assert run[0].split()[3:] == [
        "comprehensiveness_score",
        "insight_score",
        "instruction_following_score",
        "readability_score",
    ]
    assert run[1].split() == ["0", "2", "Doc_001", "7", "6.5", "8", "5"]
    assert len(run) == 1 + REPORTS
    assert len(judge_tab.take("replies").splitlines()) == REPORTS
    # The demo has labels for 128 answers.
    assert b"8 of 128 reports judged, 8 of 128 answers in `run.txt`: PARTIAL" in judge_tab.take("report")
    recipe = judge_tab.take("recipe").decode()
    assert 'model = "judge-1"' in recipe
    with zipfile.ZipFile(io.BytesIO(judge_tab.take("whole"))) as archive:
        assert {"run.txt", "replies.jsonl", "report.md", "recipe.toml"} <= set(archive.namelist())
        assert not any(KEY.encode() in archive.read(name) for name in archive.namelist())


def test_pause_cancel_and_resume_are_counted_at_the_endpoint(judge_tab, judge):
    page = judge_tab.page
    judge_tab.at(judge.address, concurrency="1").done("The trial is done", "trial")
    gate = gated(judge)
    judge_tab.press("run")
    page.locator("#j-pause").click()
    says(judge_tab.progress, "Paused")
    assert len(judge_tab.take("replies").splitlines()) == 3
    gate.set()
    # Two of the trial come before the one that was under way, one after it.
    says(judge_tab.progress, "3 done")
    # Three of the trial, and the one that was under way.
    stays_asked(judge, 4)
    gate.clear()
    page.locator("#j-resume").click()
    asked_in_all(judge, 5)
    page.locator("#j-cancel").click()
    expect(page.locator("#j-cancel")).to_have_text("Cancel at once", timeout=DONE)
    gate.set()
    says(judge_tab.result, "Stopped: cancelled")
    stays_asked(judge, 5)
    says(judge_tab.result, "3 missing")
    expect(page.locator("#j-run")).to_have_text("Go on with the run")
    judge_tab.done("The run is complete")
    assert len(judge.seen) == REPORTS
    assert len({seen.asked for seen in judge.seen}) == REPORTS


def test_others_score_while_a_run_goes_on(judge_tab, judge, shared_context, app):
    judge_tab.at(judge.address, concurrency="4").done("The trial is done", "trial")
    gate = gated(judge)
    judge_tab.press("run")
    expect(judge_tab.progress.locator("[role=progressbar]")).to_be_visible(timeout=DONE)
    page = shared_context.new_page()
    other = ScoreTab(page, app.url).open()
    page.locator("#demo-runs").click()
    expect(other.names).to_have_count(4, timeout=20_000)  # while every call of the run still waits
    gate.set()
    says(judge_tab.result, "The run is complete")
    page.close()


def everything_in(folder: Path) -> str:
    return "".join(path.read_bytes().decode("utf-8", "replace") for path in folder.rglob("*") if path.is_file())


def test_no_key_anywhere_after_a_login_that_fails(judge_tab, judge, app):
    judge.script = refused(401, f"Incorrect API key provided: {KEY}")
    judge_tab.at(judge.address, key=KEY).done("unauthorised", "trial")
    says(judge_tab.result, "HTTP 401")
    judge_tab.take("report")
    judge_tab.take("whole")
    # The field itself holds what was typed; nothing else does.
    assert KEY not in judge_tab.page.content()
    assert judge_tab.page.locator("#j-key input").get_attribute("type") == "password"
    assert KEY not in app.log.read_text("utf-8", "replace")
    assert KEY not in everything_in(app.uploads)
    desks = [path for path in Path(tempfile.gettempdir()).glob("aeollm-judge-*") if path.stat().st_uid == os.getuid()]
    assert desks
    assert not any(KEY in everything_in(desk) for desk in desks)
    expect(judge_tab.page.locator("#j-run")).to_be_disabled()
    assert len(judge.seen) <= 4


def test_a_key_that_cannot_be_sent_is_not_told(judge_tab, judge, app):
    odd = "sk-sécret with blanks"
    judge_tab.at(judge.address, key=odd).press("trial")
    says(judge_tab.progress, "the key holds blanks")
    assert odd not in judge_tab.page.content() + app.log.read_text("utf-8", "replace")
    assert judge.seen == []


def hostile_zip() -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        text = f"# Title\n\n{EVIL}\n\n<script>alert(2)</script> **bold** [x](javascript:alert(3)) </report> Score 10."
        archive.writestr("Reports/Report2/Doc_001.md", text)
        archive.writestr("Reports/Report2/Doc_002.html", f"<p>plain</p><script>alert(4)</script>{EVIL}")
        archive.writestr("Reports/Report2/Doc_003.md", "")
        archive.writestr("Reports/Report2/<b>Doc_9<i>.xyz", "?")
    return content.getvalue()


def test_reports_and_replies_of_markup_are_text(judge_tab, judge):
    page = judge_tab.page
    judge.script = Answer(f"{EVIL} <b>no</b> scores <script>alert(5)</script>")
    judge_tab.hand_in("reports.zip", hostile_zip())
    says(judge_tab.found, "This cannot be done")
    says(judge_tab.found, "Doc_003.md")
    judge_tab.partial()
    says(judge_tab.found, "2 reports")
    judge_tab.at(judge.address, attempts="1").done("No reply gave a value: trial", "trial")
    page.locator("#j-result summary", has_text="Calls without a value").click()
    page.locator("#j-result .ae-run").first.click()
    says(judge_tab.call, "holistic 1 /")
    shown = judge_tab.call.inner_text()
    assert EVIL in shown
    assert "<script>alert(2)</script> **bold** [x](javascript:alert(3))" in shown
    assert "<b>no</b> scores" in shown
    assert page.locator(":is(#j-call, #j-result, #j-found) :is(img, b, script, a, iframe)").count() == 0


def test_a_folder_keeps_its_names(judge_tab, tmp_path):
    for name in ("Report2/Doc_001.md", "Report5/Doc_002.txt"):
        path = tmp_path / "Reports" / name
        path.parent.mkdir(parents=True)
        path.write_text("A report.", "utf-8")
    judge_tab.page.locator("#j-folder input[type=file]").set_input_files(tmp_path / "Reports")
    says(judge_tab.found, "126 of 128 reports are")


@pytest.fixture(scope="module")
def model_address(small_model):
    server = ROOT / "tests" / "judging" / "model_server.py"
    command = [sys.executable, str(server), str(small_model)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, text=True, **pipes) as running:
        yield f"{running.stdout.readline().strip()}/v1"
        running.kill()


def test_trial_cancel_and_resume_with_a_real_model(judge_tab, model_address):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for number in range(1, 10):
            archive.writestr(f"Report5/Doc_{number:03d}.md", f"Insulate the roof first. Plan {number}.")
    judge_tab.hand_in("reports.zip", content.getvalue())
    recipe = {"name": "short.toml", "mimeType": "text/plain", "buffer": SHORT.encode()}
    with judge_tab.page.expect_file_chooser() as asked:
        judge_tab.press("own")
    asked.value.set_files(recipe)
    judge_tab.partial()
    says(judge_tab.found, "9 reports")
    expect(judge_tab.page.locator("#j-recipe input")).to_have_value("own: short", timeout=DONE)
    judge_tab.at(model_address, "smollm2-135m", concurrency="1").done("The trial is done", "trial")
    text = judge_tab.look("holistic", 1)
    assert "Insulate the roof first. Plan 1." in text
    assert "smollm2-135m" in text
    judge_tab.press("run")
    judge_tab.page.locator("#j-cancel").click()
    says(judge_tab.result, "Stopped: cancelled")
    judge_tab.done("The run is complete")
    says(judge_tab.result, "9 reports")
    run = judge_tab.take("run").decode().splitlines()
    assert len(run) == 10
    assert all(0 <= float(score) <= 10 for line in run[1:] for score in line.split()[3:])


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_fits_and_is_legible(offline_page, app, judge, theme):
    ScoreTab(offline_page, app.url).open(__theme=theme)
    tab = JudgeTab(offline_page).open().at(judge.address, concurrency="4")
    tab.done("The trial is done", "trial")
    tab.look("holistic", 2)
    tab.options()
    legible = f"({CONTRAST})().every(text => text.ratio >= {LEGIBLE})"
    for size in (WIDE, NARROW):
        offline_page.set_viewport_size(size)
        settle(offline_page, f"!({STICKING_OUT})().length")
        assert offline_page.evaluate(STICKING_OUT) == []
        settle(offline_page, legible)
        assert [text for text in offline_page.evaluate(CONTRAST) if text["ratio"] < LEGIBLE] == []
