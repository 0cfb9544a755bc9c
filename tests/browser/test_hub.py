"""Labels from the Hub: the page opens at once, takes them when they come, and says so when they do not."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import RUNS, WIDE, Watch, watch_for
from tests.browser.score_tab import SLOW, ScoreTab, from_disk, means, same
from tests.browser.serving import ROOT, App, score_by_cli, serve
from tests.hub.fake_hub import FAULTS, FakeHub, Handler

CASES = ROOT / "tests" / "cases"
REPO = "THUIR/AEOLLM"
TOKEN = "hf_" + "notForAnybodysEyes"
TRAIN, TEST = "aeollm-2-train", "aeollm-2-test"
KEYS = b"questionId,answerId\n1,A1\n1,A2\n"
FILES = {
    f"{TRAIN}/train_deepresearch.csv": (CASES / "labels.csv").read_bytes(),
    **{f"{TRAIN}/rubric_dataset/{path.name}": path.read_bytes() for path in sorted((CASES / "rubric").glob("*.json"))},
    f"{TEST}/test_deepresearch.csv": KEYS,
}
TROUBLE = {
    "down": ("cannot be reached", {}),
    "gated": ("access", {}),
    "rate_limited": ("try again", {}),
    "revision_missing": ("revision", {"AEOLLM_REVISION": "f" * 40}),
}
"""Words that tell the scenarios apart, and what the app is started with."""


class SlowHandler(Handler):
    """Names commits at once; begins to give files, and goes on when it is let."""

    def send_response(self, code: int, message: str | None = None) -> None:
        super().send_response(code, message)
        # A header now and then keeps a client from giving up.
        while "/resolve/" in self.path and not self.server.gate.wait(1):
            self.send_header("X-Slow", "yes")
            self.flush_headers()


class SlowHub(FakeHub):
    """A Hub with a gate before its files."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = threading.Event()
        self.RequestHandlerClass = SlowHandler


@pytest.fixture(scope="module")
def hub() -> Iterator[SlowHub]:
    with SlowHub() as started:
        started.publish(REPO, FILES)
        yield started
        started.gate.set()


def with_hub(folder: Path, endpoint: str, **variables: str) -> AbstractContextManager[App]:
    """Start an app that asks a Hub, with a token that must not leak."""
    return serve(folder, HF_HUB_OFFLINE="0", HF_TOKEN=TOKEN, HF_ENDPOINT=endpoint, **variables)


@pytest.fixture(scope="module")
def slow_app(hub: SlowHub, tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """Serve with a Hub that has named the commit and keeps its files to itself."""
    with with_hub(tmp_path_factory.mktemp("slow"), hub.endpoint) as app:
        app.wait()
        deadline = time.monotonic() + 20
        while not any("/resolve/" in seen.path for seen in hub.seen) and time.monotonic() < deadline:
            time.sleep(0.1)
        yield app


@pytest.fixture(scope="module")
def apps(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, App]]:
    """Start an app for every trouble at once: each takes seconds to import gradio, and reads its variables then."""
    with ExitStack() as stack:
        started = {}
        for name, (_, variables) in TROUBLE.items():
            hub = FakeHub()
            hub.publish(REPO, FILES)
            hub.fault = FAULTS.get(name)
            if name == "down":
                hub.server_close()
            else:
                stack.enter_context(hub)
            started[name] = stack.enter_context(with_hub(tmp_path_factory.mktemp(name), hub.endpoint, **variables))
        yield {name: app.wait() for name, app in started.items()}


@contextmanager
def visit(browser, app):
    """Give a page of an app of its own."""
    watch: Watch = watch_for(app)
    context = browser.new_context(viewport=WIDE)
    context.set_default_timeout(SLOW)
    page = context.new_page()
    watch.over(page)
    yield ScoreTab(page, app.url)
    context.close()
    assert watch.all() == []


def keeps_the_token(app, tab):
    """Say whether the token is nowhere a visitor or a reader of the log can see it."""
    pages = [app.get(path) for path in ("/", "/config", "/gradio_api/info")]
    return all(TOKEN not in text for text in [*pages, tab.page.content(), app.log.read_text("utf-8")])


@dataclass(frozen=True)
class Waiting:
    """Two visitors who came before the labels: what they saw, and the one who dropped a run at once."""

    idle: ScoreTab
    busy: ScoreTab
    status: str
    chosen: str


@pytest.fixture(scope="module")
def waiting(browser, slow_app, hub):
    with visit(browser, slow_app) as idle:
        assert not hub.gate.is_set()
        idle.open()
        seen = idle.status.inner_text(), idle.page.locator("#labels input").input_value()
        busy = ScoreTab(idle.page.context.new_page(), slow_app.url).open()
        busy.drop(from_disk(RUNS / "good_judge.txt"))
        busy.shows("good_judge.txt")
        yield Waiting(idle, busy, *seen)


@pytest.fixture(scope="module")
def arrived(waiting, hub):
    """Let the labels go, and wait until the idle visitor has them."""
    hub.gate.set()
    expect(waiting.idle.page.locator("#labels input")).to_have_value(TRAIN, timeout=SLOW)
    return waiting


def test_the_page_opens_at_once_with_the_demo(waiting):
    assert waiting.chosen == "demo"
    assert "DEMO: simulated labels" in waiting.status
    assert f"Loading {REPO} from the Hub" in waiting.status


def test_labels_that_come_are_chosen_by_themselves(arrived, hub):
    commit = hub.repos[REPO].branches["main"]
    status = arrived.idle.status
    expect(status).to_contain_text(
        f"3 questions · 12 answers · rubric weights · {REPO}@{commit[:8]}", use_inner_text=True
    )
    expect(status).not_to_contain_text("Loading")
    expect(status).not_to_contain_text("DEMO")


def test_scores_are_the_command_lines_and_every_set_is_offered(arrived, hub, tmp_path):
    tab, run = arrived.idle, CASES / "base_run.txt"
    tab.drop(from_disk(run))
    tab.shows(run.name)
    [scored] = score_by_cli(run, HF_ENDPOINT=hub.endpoint, HF_HUB_OFFLINE="0", HF_HOME=str(tmp_path))["runs"]
    assert same(tab.numbers(run.name), means(scored, "spearman"))
    tab.page.get_by_text("signatures", exact=True).click()
    expect(tab.signatures).to_have_text([scored["signature"]])
    assert hub.repos[REPO].branches["main"] in scored["signature"]

    tab.page.locator("#labels input").click()
    offered = [option.strip("✓ \n") for option in tab.page.get_by_role("option").all_inner_texts()]
    assert offered == [TRAIN, TEST, "demo"]
    tab.page.get_by_role("option", name=TEST).click()
    expect(tab.status).to_contain_text("keys only")
    expect(tab.report).to_contain_text("base_run.txt")


def test_what_was_scored_against_the_demo_stays_so_until_another_choice(arrived):
    tab = arrived.busy
    tab.page.locator("#labels input").click()
    expect(tab.page.get_by_role("option", name=TRAIN)).to_be_visible()
    expect(tab.page.locator("#labels input")).to_have_value("demo")
    tab.shows("good_judge.txt")
    tab.page.get_by_role("option", name=TRAIN).click()
    expect(tab.report).to_contain_text("good_judge.txt refused")


def test_the_token_is_nowhere_to_be_seen(arrived, slow_app):
    assert keeps_the_token(slow_app, arrived.idle)


@pytest.mark.usefixtures("arrived")
def test_the_demo_is_still_there_for_who_asks_for_it(browser, slow_app):
    with visit(browser, slow_app) as tab:
        tab.open()
        expect(tab.page.locator("#labels input")).to_have_value(TRAIN)
        tab.page.locator("#demo-runs").click()
        expect(tab.names).to_have_count(4)
        expect(tab.page.locator("#labels input")).to_have_value("demo")
        expect(tab.status).to_contain_text("DEMO")


@pytest.mark.parametrize("name", TROUBLE)
def test_a_hub_in_trouble_is_told_and_the_demo_offered(browser, apps, demo_scores, name):
    told, _ = TROUBLE[name]
    with visit(browser, apps[name]) as tab:
        tab.open()
        expect(tab.status).to_contain_text("The configured labels are not available", timeout=SLOW)
        expect(tab.status).to_contain_text(told)
        expect(tab.status).to_contain_text(REPO)
        expect(tab.status).to_contain_text("DEMO: simulated labels")
        others = [words for other, (words, _) in TROUBLE.items() if other != name and words != "access"]
        assert not [words for words in others if words in tab.status.inner_text()]
        tab.drop(from_disk(RUNS / "good_judge.txt"))
        tab.shows("good_judge.txt")
        assert same(tab.numbers("good_judge.txt"), means(demo_scores["good_judge.txt"], "spearman"))
        assert keeps_the_token(apps[name], tab)
