"""Make the README's pictures: ``python -m scripts.screenshots`` (with requirements-dev.txt installed, and Chromium).

The app is started offline; what is shown are the demo runs, which are the same on every machine.
"""

from __future__ import annotations

import io
import json
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, expect, sync_playwright

from tests.browser.conftest import BROWSER, FLAGS, LABELS
from tests.browser.score_tab import SLOW, ScoreTab
from tests.browser.serving import ROOT, serve
from tests.judging.scripted import Answer, ScriptedJudge, Seen

FOLDER = ROOT / "assets" / "screenshots"
LARGEST = 300_000
RUNS = 4
HEIGHT, MARGIN = 2400, 16
PICTURES = {
    "score-light.png": ("light", 1400, "figures"),
    "score-dark.png": ("dark", 1400, "figures"),
    "score-narrow.png": ("light", 390, "scores"),
}
"""Theme, width, and the id of what stands at the bottom."""

JUDGE = "judge-light.png"
HOSTED = "hosted-light.png"
TEAMS = {"Team Ada": "coarse_judge.txt", "Demo team": "good_judge.txt"}


@contextmanager
def opened(**variables: str) -> Iterator[tuple[Page, str]]:
    """Start the app and a browser."""
    with (
        tempfile.TemporaryDirectory() as folder,
        serve(Path(folder) / "app", AEOLLM_HOST_STORE=f"{folder}/store", **variables) as app,
        sync_playwright() as playwright,
    ):
        app.wait()
        browser = playwright.chromium.launch(executable_path=BROWSER, args=FLAGS)
        page = browser.new_page(reduced_motion="reduce")
        page.set_default_timeout(SLOW)
        yield page, app.url
        browser.close()


def show(page: Page, url: str, theme: str, width: int) -> None:
    """Open the page in a theme and width, with the demo runs scored."""
    page.set_viewport_size({"width": width, "height": HEIGHT})
    tab = ScoreTab(page, url).open(__theme=theme)
    page.locator("#demo-runs").click()
    expect(tab.names).to_have_count(RUNS)
    # A moment for fades and for plotly, which draws after the table is there.
    page.mouse.move(0, 0)
    page.wait_for_timeout(1_500)


def submit(page: Page, url: str) -> None:
    """Submit a run for each team of the demo."""
    page.set_viewport_size({"width": 1400, "height": HEIGHT})
    page.goto(f"{url}/submit-run?__theme=light")
    for team, run in TEAMS.items():
        page.locator("#h-team input").click()
        page.get_by_role("option", name=team).click()
        page.locator("#h-file input[type=file]").set_input_files(LABELS / "runs" / run)
        expect(page.locator("#h-report")).to_contain_text("128 of 128 answers")
        page.locator("#h-send").click()
        expect(page.locator("#h-own tbody tr")).to_have_count(1)
    page.mouse.move(0, 0)
    page.wait_for_timeout(500)


def made_up(seen: Seen) -> Answer:
    """Score a report by nothing but its text, so that the picture is the same every time."""
    digits = zlib.crc32(seen.asked.encode())
    names = ("comprehensiveness", "insight", "instruction_following", "readability")
    return Answer(json.dumps({name: 4 + (digits >> 4 * place) % 11 / 2 for place, name in enumerate(names)}))


def try_judge(page: Page, url: str) -> None:
    """Try a judge that is made up on the demo's reports."""
    page.set_viewport_size({"width": 1400, "height": HEIGHT})
    ScoreTab(page, url).open(__theme="light")
    with ScriptedJudge() as judge:
        judge.script = made_up
        page.get_by_role("tab", name="Judge").click()
        expect(page.locator("#j-estimate tbody tr")).to_have_count(1)
        page.locator("#j-models input").fill("judge-1")
        page.locator("#j-address input").fill(judge.address)
        page.locator("#j-address input").press("Tab")
        page.locator("#j-trial").click()
        expect(page.locator("#j-result")).to_contain_text("What the trial gave")
        expect(page.locator("#j-estimate")).to_contain_text("at the pace of the calls so far")
    page.mouse.move(0, 0)
    page.wait_for_timeout(500)


def save(page: Page, path: Path, last: str) -> None:
    """Save the page down to an element, in 256 colours, which is all a page of text needs; tell the size."""
    box = page.locator(f"#{last}").bounding_box()
    if box is None or page.viewport_size is None:
        raise SystemExit(f"#{last} is not on the page")
    whole = page.screenshot(animations="disabled", caret="hide")
    picture = Image.open(io.BytesIO(whole)).convert("RGB")
    picture = picture.crop((0, 0, picture.width, round(box["y"] + box["height"]) + MARGIN))
    picture.quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)
    written = path.stat().st_size
    if written >= LARGEST:
        raise SystemExit(f"{path.name} has {written} bytes; at most {LARGEST} belong into the repository")
    print(f"{path.name}: {written} bytes")


def main() -> None:
    """Make all pictures."""
    FOLDER.mkdir(exist_ok=True)
    with opened(AEOLLM_LABELS=str(LABELS)) as (page, url):
        for name, (theme, width, last) in PICTURES.items():
            show(page, url, theme, width)
            save(page, FOLDER / name, last)
        try_judge(page, url)
        save(page, FOLDER / JUDGE, "j-hand-over")
    with opened(AEOLLM_HOST="demo") as (page, url):
        submit(page, url)
        save(page, FOLDER / HOSTED, "h-own")


if __name__ == "__main__":
    main()
