"""A Judge tab whose page is loaded anew, or loses its connection in mid-run: what was paid for is kept, and goes on."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress

import pytest
from playwright.sync_api import expect

from tests.browser.score_tab import SLOW, ScoreTab
from tests.browser.test_judge import DONE, REPORTS, JudgeTab, asked_in_all, gated, says, stays_asked
from tests.judging.scripted import SCORES, Answer, ScriptedJudge

KEY = "sk-secret-of-the-first-page"


class Cable:
    """A way to the app that can be cut."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._whole = threading.Event()
        self._whole.set()
        self._ends: list[socket.socket] = []
        self._door = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._door.getsockname()[1]}"
        threading.Thread(target=self._listen, daemon=True).start()

    def cut(self) -> None:
        self._whole.clear()
        for end in self._ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def mend(self) -> None:
        self._whole.set()

    def close(self) -> None:
        self.cut()
        self._door.close()

    def _listen(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._door.accept()
                if not self._whole.is_set():
                    near.close()
                    continue
                far = socket.create_connection(("127.0.0.1", self._port))
                self._ends += [near, far]
                for source, target in ((near, far), (far, near)):
                    threading.Thread(target=_carry, args=(source, target), daemon=True).start()


def _carry(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while content := source.recv(65_536):
            target.sendall(content)
    for end in (source, target):
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)


@pytest.fixture
def judge():
    with ScriptedJudge() as judge:
        judge.reset(Answer(SCORES))
        yield judge


@pytest.fixture
def cable(app):
    cable = Cable(int(app.url.rsplit(":", 1)[1]))
    yield cable
    cable.close()


@pytest.fixture
def tab(browser, cable):
    context = browser.new_context(accept_downloads=True)
    context.set_default_timeout(SLOW)
    page = context.new_page()
    ScoreTab(page, cable.url).open()
    yield JudgeTab(page).open()
    context.close()


def half_way(tab, judge):
    """Begin a run, and let it stand after the trial's three calls and one more."""
    tab.at(judge.address, key=KEY, concurrency="1").done("The trial is done", "trial")
    gate = gated(judge)
    tab.press("run")
    asked_in_all(judge, 4)
    # The page tells every few seconds that it is there; one look is enough for it to be known.
    tab.page.wait_for_timeout(5_500)
    return gate


def test_a_page_loaded_anew_finds_its_run(tab, judge):
    page, gate = tab.page, half_way(tab, judge)
    page.reload()
    expect(page.get_by_role("tab", name="Judge")).to_have_attribute("aria-selected", "true", timeout=DONE)
    expect(tab.progress.locator("[role=progressbar]")).to_be_visible(timeout=DONE)
    expect(page.locator("#j-models input")).to_have_value("judge-1")
    expect(page.locator("#j-address input")).to_have_value(judge.address)
    expect(page.locator("#j-key input")).to_have_value("")
    gate.set()
    says(tab.result, "The run is complete")
    stays_asked(judge, REPORTS)
    # It goes on with the key that it was begun with, which the page no longer has.
    assert {seen.authorization for seen in judge.seen} == {f"Bearer {KEY}"}
    assert len(tab.take("run").splitlines()) == 1 + REPORTS


def test_a_break_of_the_connection_costs_nothing(tab, judge, cable):
    page, gate = tab.page, half_way(tab, judge)
    cable.cut()
    page.wait_for_timeout(1_000)
    cable.mend()
    # gradio cannot go on with the page; it loads it anew as soon as the server answers.
    expect(page.get_by_role("tab", name="Judge")).to_have_attribute("aria-selected", "true", timeout=DONE)
    says(tab.progress, "Running")
    gate.set()
    says(tab.result, "The run is complete")
    stays_asked(judge, REPORTS)
