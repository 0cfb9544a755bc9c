"""A browser, an app, and a page that notes whatever it should not do."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Request

from tests.browser.score_tab import SLOW, ScoreTab
from tests.browser.serving import ROOT, App, score_by_cli, serve

BROWSER = os.environ.get("CHROMIUM", "/usr/bin/chromium")
WIDE = {"width": 1400, "height": 1000}
RUNS = ROOT / "assets" / "demo" / "runs"
LABELS = ROOT / "assets" / "demo"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    # Nothing but the app can be reached. `page.route` would do it too, but switches the browser's cache off.
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Take gradio's, its client's and Playwright's warnings as they come: they are not ours to mend.

    A test that fails is tried once more, and told as such: where two cores are shared with a browser and an app, a page
    may be slower than anybody's patience. What fails twice has failed.
    """
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.filterwarnings("default"))
            item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.fixture(scope="session")
def installed_browser() -> str:
    """Give the browser's path. Where there is none, skip, so that it is seen; where one is required, fail."""
    if Path(BROWSER).exists():
        return BROWSER
    reason = f"no browser at {BROWSER}: the page is not tested (CHROMIUM names another place)"
    if os.environ.get("AEOLLM_REQUIRE_BROWSER") == "1":
        return pytest.fail(reason, pytrace=False)
    return pytest.skip(reason)


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, object], installed_browser: str) -> dict[str, object]:
    return {**browser_type_launch_args, "executable_path": installed_browser, "args": FLAGS}


@pytest.fixture(scope="session")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """Serve the page offline, for all tests that need nothing else."""
    with serve(tmp_path_factory.mktemp("app")) as started:
        yield started.wait()


@dataclass
class Watch:
    """What a page did that it should not: requests to others, errors, dialogs."""

    allowed: tuple[str, ...]
    outside: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)

    def over(self, page: Page) -> None:
        """Note what the page does from now on."""
        page.on("request", self._request)
        page.on("websocket", lambda socket: self.outside.append(socket.url))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("dialog", lambda dialog: (self.dialogs.append(dialog.message), dialog.dismiss()))

    def _request(self, request: Request) -> None:
        if not request.url.startswith(self.allowed):
            self.outside.append(request.url)

    def all(self) -> list[str]:
        """Give everything noted."""
        return self.outside + self.errors + self.dialogs

    def clear(self) -> None:
        """Forget what was noted."""
        for noted in (self.outside, self.errors, self.dialogs):
            noted.clear()


def watch_for(app: App) -> Watch:
    """Watch a page of an app."""
    return Watch((f"{app.url}/", "data:", f"blob:{app.url}/"))


@pytest.fixture(scope="session")
def shared_context(browser: Browser) -> Iterator[BrowserContext]:
    """One visitor's browser with a warm cache, for tests that need no second visitor."""
    context = browser.new_context(viewport=WIDE, accept_downloads=True)
    context.set_default_timeout(SLOW)
    yield context
    context.close()


@pytest.fixture(scope="session")
def _shared(shared_context: BrowserContext, app: App) -> tuple[Page, Watch]:
    page, watch = shared_context.new_page(), watch_for(app)
    watch.over(page)
    return page, watch


@pytest.fixture
def offline_page(_shared: tuple[Page, Watch]) -> Iterator[Page]:
    """Give a page that calls nobody but the app, raises no errors, opens no dialogs.

    Tests share it, since a first load costs seconds; opening an address starts a new session of the app, and what the
    page keeps to find its work again is forgotten.
    """
    page, watch = _shared
    page.evaluate("if (location.protocol.startsWith('http')) sessionStorage.clear()")
    watch.clear()
    page.set_viewport_size(WIDE)
    yield page
    assert watch.all() == []


@pytest.fixture(scope="module")
def second_page(browser: Browser, app: App) -> Iterator[tuple[Page, Watch]]:
    """Give a page in another browser context, with what it did that it should not."""
    context = browser.new_context(viewport=WIDE)
    context.set_default_timeout(SLOW)
    watch, page = watch_for(app), context.new_page()
    watch.over(page)
    yield page, watch
    context.close()


@pytest.fixture
def tab(offline_page: Page, app: App) -> ScoreTab:
    """Open the Score tab, wide and light."""
    return ScoreTab(offline_page, app.url).open()


@pytest.fixture(scope="session")
def demo_scores() -> dict[str, dict[str, object]]:
    """Give what the command line says about the demo runs, by name."""
    scored = score_by_cli(*sorted(RUNS.glob("*.txt")), "--labels", LABELS)
    return {run["name"]: run for run in scored["runs"]}
