"""axe-core on every page and tab, both themes, wide and narrow: nothing in our markup, of gradio's what is listed."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path

import axe_playwright_python
import pytest
from playwright.sync_api import Page, expect

from aeollm.ui.pages_text import read_pages
from tests.browser.conftest import WIDE
from tests.browser.score_tab import SLOW, settled
from tests.browser.test_look import NARROW

LISTED = tomllib.loads(Path(__file__).with_name("axe_gradio.toml").read_text("utf-8"))["finding"]
MOST_LISTED = 5
"""Lower this when the list got shorter."""
PATHS = [page.path for page in read_pages()] + ["health"]
DRAWN = ".js-plotly-plot .point"
TABS = {
    **{tab: f"{place} {DRAWN}" for tab, place in (("Score", "#by-question"), ("Questions", "#q-slopes"))},
    "Compare": f"#c-forest {DRAWN}",
    "Judge": "#j-files",
    "Build": "#b-run:enabled",
    "Calibrate": "#cal-table tbody tr",
}
AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text("utf-8")
# What depends on the theme, and on the width; all other rules see the same everywhere, and are asked once.
COLOURS = ["color-contrast", "link-in-text-block"]
SIZES = ["target-size", "scrollable-region-focusable"]
RULES = {("light", 1400): None, ("light", 390): SIZES, ("dark", 1400): COLOURS, ("dark", 390): SIZES}
RUN = """async ([rules, listed]) => {
  const options = {resultTypes: ['violations'], preload: false, iframes: false};
  options.runOnly = rules ? {type: 'rule', values: rules}
    : {type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']};
  const found = await axe.run(document, options);
  return found.violations.flatMap(rule => rule.nodes.map(node => {
    const at = document.querySelector(node.target.join(' '));
    const place = listed.findIndex(entry => entry.rule === rule.id && at?.matches(entry.selector));
    const ours = Boolean(at?.closest('[class*="ae-"]'));
    return {rule: rule.id, impact: rule.impact, html: node.html.slice(0, 200), place, ours};
  }));
}"""


def axe(page: Page, rules: list[str] | None = None) -> list[dict[str, object]]:
    """Give what axe-core finds on a page as it is."""
    if not page.evaluate("Boolean(window.axe)"):
        page.evaluate(AXE)
    page.evaluate("document.querySelectorAll('details').forEach(fold => { fold.open = true; })")
    settled(page)
    # What fades in is faint for a moment.
    page.wait_for_function("document.getAnimations().every(moving => moving.playState !== 'running')")
    return list(page.evaluate(RUN, [rules, LISTED]))


def open_tab(page: Page, name: str) -> None:
    """Open a tab, where there is no room for it from gradio's menu of those left."""
    tab = page.get_by_role("tab", name=name, exact=True)
    if tab.count() == 0:
        page.locator("#tabs .overflow-menu > button").first.click()
        page.locator("#tabs .overflow-dropdown").get_by_text(name, exact=True).click()
    else:
        tab.click()


def on_the_tabs(page: Page, url: str, theme: str) -> Iterator[tuple[str, list[dict[str, object]]]]:
    """Look at the tabs with the demo runs on them."""
    page.set_viewport_size(WIDE)
    page.goto(f"{url}/?__theme={theme}")
    expect(page.locator("#by-question .point").first).to_be_visible(timeout=SLOW)
    page.locator("#demo-runs").click()
    expect(page.locator("#scores tbody th")).to_have_count(4)
    for size in (WIDE, NARROW):
        page.set_viewport_size(size)
        for tab, drawn in TABS.items():
            open_tab(page, tab)
            expect(page.locator(drawn).first).to_be_visible(timeout=SLOW)
            if tab == "Calibrate":
                # Faint while it cannot be used, and a moment longer.
                expect(page.locator("#cal-fit")).to_have_css("opacity", "1", timeout=SLOW)
            if tab == "Compare" and size == WIDE:
                for name in ("Chance, ceiling", "Published formal run"):
                    page.get_by_role("button", name=name).click()
            yield f"{tab}, {theme}, {size['width']}", axe(page, RULES[theme, size["width"]])


def on_a_page(page: Page, url: str, path: str) -> Iterator[tuple[str, list[dict[str, object]]]]:
    """Look at a page light and wide, then dark and narrow."""
    for theme, size in (("light", WIDE), ("dark", NARROW)):
        page.emulate_media(color_scheme=theme)
        page.set_viewport_size(size)
        page.goto(f"{url}/{path}?__theme={theme}")
        expect(page.locator("h1").last).to_be_visible(timeout=SLOW)
        expect(page.locator(".ae-text, #l-board, .ae-table").first).to_be_visible(timeout=SLOW)
        # A figure on its way is an empty box of gradio's.
        expect(page.locator(".empty")).to_have_count(0, timeout=SLOW)
        yield f"{path}, {theme}, {size['width']}", axe(page, RULES[theme, 1400] and [*COLOURS, *SIZES])


@pytest.fixture(scope="module")
def found(browser, app):
    """Give all findings by page, theme and width."""
    context = browser.new_context(viewport=WIDE)
    context.set_default_timeout(SLOW)
    page = context.new_page()
    told = {}
    for theme in ("light", "dark"):
        told |= dict(on_the_tabs(page, app.url, theme))
    for path in PATHS:
        told |= dict(on_a_page(page, app.url, path))
    context.close()
    return told


def test_nothing_is_wrong_but_what_is_listed_of_gradio(found):
    assert len(found) == 4 * len(TABS) + 2 * len(PATHS)
    wrong = {name: [node for node in nodes if node["place"] < 0 or node["ours"]] for name, nodes in found.items()}
    assert {name: nodes for name, nodes in wrong.items() if nodes} == {}


def test_the_list_holds_only_what_is_still_found(found):
    places = {node["place"] for nodes in found.values() for node in nodes}
    assert [entry for place, entry in enumerate(LISTED) if place not in places] == []
    assert len(LISTED) <= MOST_LISTED
    assert all(set(entry) == {"rule", "selector", "why"} and "ae-" not in entry["selector"] for entry in LISTED)


def test_it_would_find_what_is_wrong(offline_page, app):
    """The check can fail: a picture without words, and faint text, in a page of ours."""
    offline_page.goto(f"{app.url}/health")
    wrong = '<img src="data:,"><p style="color:#ddd" class="ae-note">faint</p>'
    offline_page.evaluate("wrong => { document.querySelector('main').innerHTML += wrong; }", wrong)
    assert {"image-alt", "color-contrast"} <= {node["rule"] for node in axe(offline_page)}
