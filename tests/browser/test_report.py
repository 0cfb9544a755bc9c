"""The HTML report in a browser without network: it asks nobody, and can be read in both themes, wide and narrow."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from aeollm.evaluation import evaluate
from aeollm.reporting import html_report
from aeollm.sources import demo_set, read_set
from aeollm.tables import Plan
from tests.browser.serving import ROOT
from tests.small_files import labels_csv, rubric, run_text

CONTRAST = Path(__file__).with_name("contrast.js").read_text("utf-8")
RUNS = sorted((ROOT / "assets" / "demo" / "runs").glob("*.txt"))
FEW = Plan(resamples=200)
LEGIBLE = 4.5
"""WCAG 2.2, 1.4.3: contrast of text of ordinary size."""
WIDE, NARROW = {"width": 1200, "height": 900}, {"width": 390, "height": 844}
HOSTILE = "</script><img src=x onerror=alert(1)>\"'&%{x}\u202e"
DRAWN = "() => document.querySelectorAll('.ae-plot .main-svg').length"
STICKING_OUT = """() => [...document.querySelectorAll('body *')].filter(element => {
  const box = element.getBoundingClientRect();
  if (!box.width || !box.height || (box.right <= innerWidth + 1 && box.left >= -1)) return false;
  return !element.closest('.ae-scroll, .js-plotly-plot, #js-plotly-tester') && element.checkVisibility();
}).map(element => `${element.tagName} ${element.id} ${element.className}`)"""

Opener = Callable[..., Page]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the report of the demo runs, the broken one among them."""
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_bytes(html_report(evaluate([(run, None) for run in RUNS], demo_set()), FEW))
    return path


@pytest.fixture
def opened(browser: Browser) -> Iterator[Opener]:
    """Open a file in a browser that is offline; nothing may be asked for, fail, or pop up."""
    contexts: list[BrowserContext] = []
    found: list[str] = []

    def open_file(path: Path, theme: str = "light", size: dict[str, int] = WIDE) -> Page:
        context = browser.new_context(viewport=size, color_scheme=theme, offline=True)  # type: ignore[arg-type]
        contexts.append(context)
        page = context.new_page()
        page.on("request", lambda request: request.url == path.as_uri() or found.append(request.url))
        page.on("pageerror", lambda error: found.append(str(error)))
        page.on("console", lambda message: message.type in ("error", "warning") and found.append(message.text))
        page.on("dialog", lambda dialog: (found.append(dialog.message), dialog.dismiss()))
        page.goto(path.as_uri())
        return page

    yield open_file
    for context in contexts:
        context.close()
    assert found == []


def unfold(page: Page) -> None:
    """Open everything that is folded, and wait for its figures."""
    page.evaluate("document.querySelectorAll('details').forEach(fold => { fold.open = true; })")
    figures = page.locator(".ae-plot").count()
    page.wait_for_function(
        "n => [...document.querySelectorAll('.ae-plot')].filter(p => p.querySelector('.main-svg')).length === n",
        arg=figures,
    )


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_can_be_read(demo: Path, opened: Opener, theme: str) -> None:
    page = opened(demo, theme)
    unfold(page)
    # But for the numbers on a matrix's coloured cells, which are a picture.
    texts = [text for text in page.evaluate(CONTRAST) if not re.fullmatch(r"[−-]?\d\.\d\d", text["text"])]
    shown = " ".join(text["text"] for text in texts)
    for expected in ("DEMO: simulated labels", "broken_run.txt refused: 6", "Kendall τ-b", "question, by"):
        assert expected in shown
    assert [text for text in texts if text["ratio"] < LEGIBLE] == []
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (dark == "rgb(20, 23, 28)") is (theme == "dark")


@pytest.mark.parametrize("size", [WIDE, NARROW])
def test_nothing_sticks_out(demo: Path, opened: Opener, size: dict[str, int]) -> None:
    page = opened(demo, "light", size)
    unfold(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
    assert page.evaluate(STICKING_OUT) == []
    for figure in page.locator(".ae-plot .main-svg:first-child").all():
        box = figure.bounding_box()
        assert box is not None
        assert box["width"] <= size["width"]


def test_a_wide_table_scrolls_in_its_box_and_keeps_the_run(demo: Path, opened: Opener) -> None:
    page = opened(demo, "light", NARROW)
    box = page.locator("#results .ae-scroll").first
    name = box.locator("tbody th").first
    inside, visible = box.evaluate("box => [box.scrollWidth, box.clientWidth]")
    assert inside > visible
    before = name.bounding_box()
    box.evaluate("box => box.scrollTo(120, 0)")
    after = name.bounding_box()
    assert before is not None
    assert after is not None
    assert after["x"] == pytest.approx(before["x"])


def test_figures_are_drawn_when_they_are_unfolded(demo: Path, opened: Opener) -> None:
    page = opened(demo)
    before = page.evaluate(DRAWN)
    fold = page.locator("#questions details").first
    expect(fold.locator(".main-svg").first).to_have_count(0)
    fold.locator("summary").click()
    expect(fold.locator(".ae-plot .main-svg").first).to_be_visible()
    assert page.evaluate(DRAWN) > before


def test_a_point_tells_what_it_is(demo: Path, opened: Opener) -> None:
    page = opened(demo)
    plot = page.locator("#figure-forest-accuracy")
    plot.scroll_into_view_if_needed()
    box = plot.locator(".point").first.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(plot.locator(".hoverlayer .hovertext")).to_contain_text("good_judge.txt")


def test_contents_lead_to_their_sections(demo: Path, opened: Opener) -> None:
    page = opened(demo)
    page.get_by_role("navigation", name="Contents").get_by_role("link", name="Diagnostics").click()
    expect(page.get_by_role("heading", name="Diagnostics")).to_be_in_viewport()


def test_tables_have_names_and_heads(demo: Path, opened: Opener) -> None:
    page = opened(demo)
    unfold(page)
    named = page.get_by_role("region", name="Overall: mean over 8 questions")
    expect(named.get_by_role("columnheader", name="Spearman ρ")).to_be_visible()
    expect(named.get_by_role("rowheader", name="good_judge.txt")).to_be_visible()
    assert page.locator("table:not([class])").count() == 0


def test_tables_are_there_without_scripts(demo: Path, browser: Browser) -> None:
    context = browser.new_context(java_script_enabled=False, offline=True)
    page = context.new_page()
    page.goto(demo.as_uri())
    expect(page.get_by_role("rowheader", name="good_judge.txt").first).to_be_visible()
    context.close()


def test_hostile_texts_do_nothing(tmp_path: Path, opened: Opener) -> None:
    gold = [(q, f"<i>{rank}", rank) for q in ("q<b>", "=2", "问题") for rank in range(4)]
    (tmp_path / "labels.csv").write_bytes(labels_csv(gold))
    (tmp_path / "rubric_dataset").mkdir()
    for q in ("q<b>", "=2", "问题"):
        content = json.loads(rubric(q)) | {"prompt": HOSTILE * 3}
        (tmp_path / "rubric_dataset" / f"criterion{q}.json").write_text(json.dumps(content), encoding="utf-8")
    runs = [(run_text(gold), HOSTILE), (run_text([(q, a, 3 - rank) for q, a, rank in gold]), "n" * 300)]
    path = tmp_path / "report.html"
    path.write_bytes(html_report(evaluate(runs, read_set(tmp_path)), FEW))
    page = opened(path, "dark", NARROW)
    unfold(page)
    assert page.locator("img, i, b").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
    expect(page.get_by_text("</script><img").first).to_be_visible()
