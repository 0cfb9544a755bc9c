"""Light and dark, wide and narrow: nothing sticks out, everything can be read."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import TimeoutError, expect

from tests.browser.conftest import WIDE
from tests.browser.score_tab import ScoreTab
from tests.browser.serving import ROOT

CASES = ROOT / "tests" / "cases"
CONTRAST = Path(__file__).with_name("contrast.js").read_text("utf-8")
NARROW = {"width": 390, "height": 844}
LEGIBLE = 4.5
"""WCAG 2.2, 1.4.3: contrast of text of ordinary size."""
# The container clips what sticks out, so that the page's own width says nothing.
STICKING_OUT = """() => [...document.querySelectorAll('.gradio-container *')].filter(element => {
  const box = element.getBoundingClientRect();
  if (!box.width || !box.height || (box.right <= innerWidth + 1 && box.left >= -1)) return false;
  for (let at = element.parentElement; at && !at.matches('.gradio-container'); at = at.parentElement) {
    if (/auto|scroll|hidden/.test(getComputedStyle(at).overflowX)) return false;
  }
  return element.checkVisibility();
}).map(element => `${element.tagName} ${element.id} ${element.className}`)"""


def fits_and_is_legible(page):
    """Look at a page wide and narrow; it is left wide."""
    for size in (WIDE, NARROW):
        page.set_viewport_size(size)
        page.wait_for_timeout(700)  # plotly follows a resize a moment later
        assert page.evaluate(STICKING_OUT) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
    assert [text for text in page.evaluate(CONTRAST) if text["ratio"] < LEGIBLE] == []
    page.set_viewport_size(WIDE)


@pytest.fixture
def full(offline_page, app, request):
    """Open the page in a theme, with the demo runs scored and everything unfolded."""
    tab = ScoreTab(offline_page, app.url).open(__theme=request.param)
    tab.page.locator("#demo-runs").click()
    expect(tab.names).to_have_count(4)
    expect(tab.page.locator("#by-question .xtitle")).to_contain_text("question, by")
    tab.page.evaluate("document.querySelectorAll('details').forEach(fold => { fold.open = true; })")
    return tab


def settle(page, expression):
    """Give fades, and figures that follow a new width, the time they take; what is then wrong stays wrong."""
    with suppress(TimeoutError):
        page.wait_for_function(expression, timeout=10_000)


def fits(tab, size):
    tab.page.set_viewport_size(size)
    for elem_id in ("overview", "by-question"):
        # plotly follows a resize a moment later.
        tab.page.wait_for_function(
            """([id, width]) => {
              const box = document.querySelector(`#${id} .main-svg`).getBoundingClientRect();
              return box.width <= width && box.width > width / 3;
            }""",
            arg=[elem_id, size["width"]],
        )
    settle(tab.page, f"!({STICKING_OUT})().length")
    assert tab.page.evaluate(STICKING_OUT) == []
    assert (
        tab.page.evaluate("Math.max(document.documentElement.scrollWidth, document.body.scrollWidth)") <= size["width"]
    )


@pytest.mark.parametrize("full", ["light", "dark"], indirect=True)
def test_text_is_legible_and_fits(full):
    fits(full, WIDE)
    settle(full.page, f"({CONTRAST})().every(text => text.ratio >= {LEGIBLE})")
    texts = full.page.evaluate(CONTRAST)
    shown = " ".join(text["text"] for text in texts)
    for expected in ("DEMO: simulated labels", "refused: 6 problems", "good_judge.txt", "Write 5.31", "question, by"):
        assert expected in shown
    assert [text for text in texts if text["ratio"] < LEGIBLE] == []

    fits(full, NARROW)
    box = full.page.locator("#scores .ae-scroll")
    inside, visible = box.evaluate("box => [box.scrollWidth, box.clientWidth]")
    assert inside > visible
    before = full.names.first.bounding_box()["x"]
    box.evaluate("box => box.scrollTo(200, 0)")
    assert full.names.first.bounding_box()["x"] == pytest.approx(before)
    assert full.row("good_judge.txt").locator("td").first.bounding_box()["x"] < before


@pytest.mark.parametrize("full", ["dark"], indirect=True)
def test_dark_figures_have_no_white_boxes(full):
    for elem_id in ("overview", "by-question"):
        behind = full.page.locator(f"#{elem_id} .main-svg").first.evaluate(
            "svg => getComputedStyle(svg).backgroundColor"
        )
        assert behind == "rgba(0, 0, 0, 0)"
        fills = full.page.locator(f"#{elem_id} .bg").evaluate_all(
            "boxes => boxes.map(box => [getComputedStyle(box).fill, getComputedStyle(box).fillOpacity])"
        )
        assert all(opacity == "0" or fill == "none" or "0)" in fill for fill, opacity in fills)


def test_the_page_keeps_its_width_whatever_is_on_it(tab):
    def widths(*elem_ids):
        return [tab.page.locator(f"#{elem_id}").bounding_box()["width"] for elem_id in elem_ids]

    shown = ("runs", "overview", "scores")
    before = widths(*shown)
    tab.own_labels(("s.csv", (CASES / "labels.csv").read_bytes()))
    expect(tab.page.locator("#labels input")).to_have_value("own: s")
    assert widths("runs") == before[:1]
    tab.drop([("r", (CASES / "base_run.txt").read_bytes())])
    tab.shows("r")
    assert widths(*shown) == before
    drawn = tab.page.locator("#overview .main-svg").first.bounding_box()["width"]
    assert drawn == pytest.approx(before[1], abs=4)


def test_the_order_is_one_column_when_narrow(tab):
    tab.page.set_viewport_size(NARROW)
    order = ("title", "labels", "status", "runs", "demo-runs", "scores", "run", "overview", "by-question", "questions")
    tops = [tab.page.locator(f"#{elem_id}").bounding_box()["y"] for elem_id in order]
    assert tops == sorted(tops)
    for elem_id in ("overview", "by-question", "runs", "questions"):
        assert tab.page.locator(f"#{elem_id}").bounding_box()["width"] > NARROW["width"] * 0.8
