"""What a visitor sees who has done nothing yet."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import WIDE, Watch
from tests.browser.score_tab import ScoreTab, means, same

WHOLE = ("good_judge.txt", "coarse_judge.txt", "length_biased_judge.txt")


def test_the_page_says_what_it_is_and_where_to_drop(tab):
    expect(tab.page.locator("#title")).to_contain_text("score your judge against people")
    expect(tab.zone).to_contain_text("Drop run files here, or click to choose")
    expect(tab.page.get_by_role("tab", name="Score")).to_have_attribute("aria-selected", "true")
    expect(tab.page.locator("#demo-runs")).to_be_visible()
    for elem_id in ("title", "labels", "runs", "demo-runs"):
        box = tab.page.locator(f"#{elem_id}").bounding_box()
        assert box["y"] + box["height"] < WIDE["height"], f"#{elem_id} is below the first screen"


def test_the_demo_is_an_example_with_its_badge(tab, demo_scores):
    expect(tab.status).to_contain_text("DEMO: simulated labels")
    expect(tab.status).to_contain_text("8 questions · 128 answers", use_inner_text=True)
    expect(tab.page.locator("#scores .ae-caption")).to_contain_text(
        "DEMO: simulated labels This is an example", use_inner_text=True
    )
    tab.shows(*WHOLE)
    for name in WHOLE:
        assert same(tab.numbers(name), means(demo_scores[name], "spearman"))
    expect(tab.report.locator("section")).to_have_count(0)


def test_both_figures_are_drawn_with_the_badge(tab):
    points = tab.page.locator("#overview .point")
    # Three runs, five views, three measures; and a mark each in the legend.
    expect(points).to_have_count(3 * 5 * 3)
    expect(tab.page.locator("#by-question .point")).to_have_count(8)
    for elem_id in ("overview", "by-question"):
        expect(tab.page.locator(f"#{elem_id} .annotation", has_text="DEMO")).to_be_visible()
    assert len(tab.questions()) == 8


def test_unavailable_labels_are_explained(tab):
    expect(tab.status).to_contain_text("The configured labels are not available")
    expect(tab.status).to_contain_text("THUIR/AEOLLM@main")
    expect(tab.status).to_contain_text("use the demo")


def test_an_address_can_name_view_and_measure(offline_page, app, demo_scores):
    tab = ScoreTab(offline_page, app.url).open(view="insight", measure="kendall")
    expect(tab.page.locator("#view input")).to_have_value("insight")
    tab.shows(*WHOLE)
    assert same(tab.numbers(WHOLE[0]), means(demo_scores[WHOLE[0]], "kendall"))
    drawn = [question["insight"]["kendall"] for question in demo_scores[WHOLE[0]]["questions"]]
    assert tab.points("by-question")[0]["y"] == sorted(drawn)


@pytest.mark.parametrize("script", ["fetch('http://example.org/x').catch(() => 0)", "setTimeout(() => { throw 1 })"])
def test_the_watch_sees_what_it_is_for(browser, app, script):
    watch = Watch((f"{app.url}/",))
    page = browser.new_page()
    watch.over(page)
    page.goto(f"{app.url}/config")
    page.evaluate(script)
    page.wait_for_timeout(100)
    page.close()
    assert len(watch.all()) == 1
