"""The task pages: nine addresses, two languages, both themes, nothing from outside."""

from __future__ import annotations

import csv
import re
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import TimeoutError, expect

from aeollm.leaderboard import formal_run
from aeollm.ui.pages_text import read_pages
from tests.browser.conftest import WIDE, watch_for
from tests.browser.score_tab import SLOW
from tests.browser.test_look import CONTRAST, LEGIBLE, NARROW, STICKING_OUT

PATHS = [page.path for page in read_pages()]
TITLES = {page.path: page.title for page in read_pages()}
TEAMS = [row.team for row in formal_run()]


def opened(page, app, path, theme="light"):
    """Open a task page and wait until it is all there."""
    page.goto(f"{app.url}/{path}?__theme={theme}")
    expect(page.locator("#pages h1")).to_be_visible(timeout=SLOW)
    expect(page.locator(".ae-text, #l-board").first).to_be_visible(timeout=SLOW)
    if path == "leaderboard":
        expect(page.locator("#l-figure .point").first).to_be_visible(timeout=SLOW)
    if path == "evaluation-metrics":
        expect(page.locator(".katex-display").first).to_be_visible(timeout=SLOW)
    return page


@pytest.fixture
def visitor(browser, app):
    """Give a function that makes a page in a browser of some language."""
    contexts, watch = [], watch_for(app)

    def make(locale):
        contexts.append(browser.new_context(viewport=WIDE, locale=locale))
        contexts[-1].set_default_timeout(SLOW)
        page = contexts[-1].new_page()
        watch.over(page)
        return page

    yield make
    for context in contexts:
        context.close()
    assert watch.all() == []


@pytest.fixture
def board(offline_page, app):
    """Open the leaderboard."""
    return opened(offline_page, app, "leaderboard")


def names(page):
    return page.locator("#l-board tbody tr[data-place]:visible th").all_inner_texts()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("path", PATHS)
def test_every_page_is_legible_and_fits(offline_page, app, path, theme):
    page = opened(offline_page, app, path, theme)
    with suppress(TimeoutError):  # gradio fades what is being filled
        page.wait_for_function(f"({CONTRAST})().every(text => text.ratio >= {LEGIBLE})", timeout=3_000)
    assert [text for text in page.evaluate(CONTRAST) if text["ratio"] < LEGIBLE] == []
    for size in (WIDE, NARROW):
        page.set_viewport_size(size)
        if path == "leaderboard":
            page.wait_for_function(
                "width => document.querySelector('#l-figure .main-svg').getBoundingClientRect().width <= width",
                arg=size["width"],
            )
        assert page.evaluate(STICKING_OUT) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]


def test_pages_lead_to_each_other_and_back(offline_page, app):
    page = opened(offline_page, app, PATHS[0], theme="dark")
    for path in PATHS[1:]:
        page.locator("#pages nav").get_by_role("link", name=TITLES[path]["en"]).click()
        expect(page.locator("#pages h1")).to_have_text(TITLES[path]["en"] + TITLES[path]["zh"], timeout=SLOW)
        expect(page).to_have_title(f"{TITLES[path]['en']} · AEOLLM")
        # The theme goes with the visitor, which a Space hands over in the address alone.
        assert page.url == f"{app.url}/{path}?__theme=dark"
        expect(page.locator("#pages [aria-current=page]")).to_contain_text(TITLES[path]["en"])
    page.locator("#pages nav").get_by_role("link", name="Score a judge").click()
    expect(page.get_by_role("tab", name="Score")).to_be_visible(timeout=SLOW)
    expect(page.locator(".nav-holder")).to_be_hidden()
    page.locator("#pages nav").get_by_role("link", name="Datasets").click()
    expect(page.locator("#pages h1")).to_be_visible(timeout=SLOW)


def test_links_of_a_text_stay_in_the_tab_unless_they_lead_away(offline_page, app):
    page = opened(offline_page, app, "introduction")
    page.get_by_role("link", name="the measures").click()
    expect(page).to_have_title("Evaluation Metrics · AEOLLM")
    assert len(page.context.pages) == 1
    opened(page, app, "references")
    away = page.get_by_role("link", name="arXiv 2610.11598")
    assert away.get_attribute("target") == "_blank"
    assert "noopener" in away.get_attribute("rel")


def test_introduction_shows_tables_1_and_3(offline_page, app):
    page = opened(offline_page, app, "introduction")
    lengths, runs = page.locator("table.ae-file").all()
    expect(lengths.locator("tbody tr")).to_have_count(7)
    expect(lengths).to_contain_text("RewardBench 2 (Malik et al., 2025)")
    expect(runs.locator("tbody tr").last).to_have_text("Total583391")


def test_formulas_are_drawn_with_the_wheels_own_means(offline_page, app):
    page = opened(offline_page, app, "evaluation-metrics")
    expect(page.locator(".katex-display")).to_have_count(4)
    expect(page.locator(".katex-error")).to_have_count(0)
    expect(page.locator(".prose.ae-text")).not_to_contain_text("$")
    assert page.evaluate("document.fonts.ready.then(() => document.fonts.check('16px KaTeX_Math'))")


def test_labels_speak_the_browsers_language(visitor, app):
    page = opened(visitor("zh-CN"), app, "leaderboard")
    expect(page).to_have_title("排行榜 · AEOLLM")
    nav = page.locator("#pages nav")
    assert [text.strip() for text in nav.locator("a").all_inner_texts()] == [
        "为评判器打分",
        *(TITLES[path]["zh"] for path in PATHS),
    ]
    assert "维度" in page.locator("#l-views").inner_text()
    assert page.get_by_role("checkbox", name="全面性").is_checked()
    heads = page.locator("#l-board thead").inner_text()
    assert "综合" in heads
    assert "overall" not in heads
    assert page.locator("#l-board .ae-take").inner_text() == "下载表格 (CSV)"
    # Texts stay English, and say so.
    assert page.locator(".ae-text > * [lang=en], .ae-text [lang=en]").count() > 0


def test_the_language_can_be_changed_while_the_page_is_open(visitor, app):
    page = opened(visitor("en-US"), app, "important-dates")
    assert page.locator("#pages h1").inner_text().strip() == "Important Dates"
    page.get_by_role("button", name="Settings").click()
    page.get_by_label("Language").last.click()
    page.get_by_role("option", name=re.compile("简体中文")).click()
    expect(page.locator("#pages h1 .ae-zh")).to_be_visible()
    expect(page.locator("#pages h1 .ae-en")).to_be_hidden()


def test_the_board_is_the_published_table(board):
    assert names(board) == TEAMS
    cells = board.locator("#l-board tr[data-place]").first.locator("td").all_inner_texts()
    assert cells[:3] == [".7071", ".5592", ".7796"]
    assert len(cells) == 15
    weight = board.locator("#l-board strong").first.evaluate("cell => getComputedStyle(cell).fontWeight")
    assert weight == "700"


def test_sorting_keeps_participants_and_baselines_apart(board):
    button = board.locator("#l-board [data-sort=readability_spearman]")
    button.click()
    rows = {row.team: row for row in formal_run()}
    best_first = sorted(TEAMS, key=lambda team: (rows[team].baseline, -rows[team].values["readability"]["spearman"]))
    assert names(board) == best_first
    expect(board.locator("#l-board th:has([data-sort=readability_spearman])")).to_have_attribute(
        "aria-sort", "descending"
    )
    button.press("Enter")
    assert names(board)[:8] == best_first[:8][::-1]
    button.press("Enter")
    assert names(board) == TEAMS


def test_teams_are_found_and_choices_outlive_a_new_table(board):
    board.locator("#l-board [data-sort=overall_accuracy]").click()
    board.locator("#l-board [data-sort=overall_accuracy]").click()
    board.locator("#l-search input").fill("lab")
    assert names(board) == ["LINKLab", "ISLab"]
    board.get_by_role("checkbox", name="readability").uncheck()
    board.get_by_role("checkbox", name="Spearman").uncheck()
    expect(board.locator("#l-board thead tr").last.locator("th")).to_have_count(8)
    assert names(board) == ["LINKLab", "ISLab"]
    board.locator("#l-search input").fill("nobody")
    expect(board.get_by_text("No team has this in its name.")).to_be_visible()
    board.locator("#l-search input").fill("")
    expect(board.get_by_text("No team has this in its name.")).to_be_hidden()
    assert len(names(board)) == 14


def test_the_table_can_be_taken_along(board):
    board.get_by_role("checkbox", name="insight").uncheck()
    expect(board.locator("#l-board thead tr").last.locator("th")).to_have_count(12)
    with board.expect_download() as taken:
        board.get_by_role("link", name="Table (CSV)").click()
    assert taken.value.suggested_filename == "aeollm2_formal_run.csv"
    rows = list(csv.reader(Path(taken.value.path()).read_text("utf-8-sig").splitlines()))
    assert len(rows[0]) == 14
    assert [row[1] for row in rows[1:]] == TEAMS


def test_the_figure_follows_the_measure(board):
    expect(board.locator("#l-figure .scatterlayer .point")).to_have_count(14 * 5)
    board.get_by_role("radio", name="accuracy").check()
    expect(board.locator("#l-figure .xtitle")).to_have_text("accuracy")


def test_the_board_is_worked_with_keys_alone(board):
    reached = []
    for _ in range(60):
        board.keyboard.press("Tab")
        reached.append(board.evaluate("document.activeElement.dataset.sort || document.activeElement.className"))
        if reached[-1] == "overall_kendall":
            break
    assert reached[-1] == "overall_kendall"
    style = board.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert style == "solid"
    board.keyboard.press("Space")
    expect(board.locator("#l-board th:has([data-sort=overall_kendall])")).to_have_attribute("aria-sort", "descending")
    board.keyboard.press("Tab")
    board.keyboard.press("Shift+Tab")
    assert board.evaluate("document.activeElement.dataset.sort") == "overall_kendall"


def test_pages_add_no_public_endpoint(app):
    named = re.findall(r'"(/[^"]+)":', app.get("/gradio_api/info").split('"unnamed_endpoints"')[0])
    assert [name for name in named if not name.startswith("/score")] == []
