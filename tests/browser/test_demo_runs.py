"""The demo runs, the broken one among them; taking files away again."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.conftest import RUNS
from tests.browser.score_tab import blank, from_disk, means, same

WHOLE = ("good_judge.txt", "coarse_judge.txt", "length_biased_judge.txt")
BROKEN = "broken_run.txt"


def test_the_broken_run_is_refused_with_all_its_problems(tab, demo_scores):
    tab.page.locator("#demo-runs").click()
    tab.shows(*WHOLE, BROKEN)
    errors = [problem for problem in demo_scores[BROKEN]["problems"] if problem["severity"] == "error"]
    assert len(errors) == 6

    box = tab.report.locator("section", has_text=BROKEN)
    expect(box.locator("h2")).to_contain_text("refused: 6 problems")
    items, opened = box.locator("li"), box.locator("summary")
    expect(opened).to_have_text("and 1 more", use_inner_text=True)
    assert [item.is_visible() for item in items.all()] == [True] * 5 + [False]
    opened.click()
    expect(items.last).to_be_visible()
    shown = sorted(blank(item.inner_text()) for item in items.all())
    line = {None: ""} | {problem["line"]: f"line {problem['line']} " for problem in errors if problem["line"]}
    told = sorted(blank(f"error {line[e['line']]}{e['message']} {e['remedy']}") for e in errors)
    assert shown == told
    assert all(problem["remedy"] for problem in errors)

    expect(tab.row(BROKEN)).to_contain_text("refused, not scored")
    assert BROKEN not in {trace["name"] for trace in tab.points("overview")}
    for name in WHOLE:
        assert same(tab.numbers(name), means(demo_scores[name], "spearman"))
    tab.page.locator("#run input").click()
    expect(tab.page.get_by_role("option")).to_have_count(len(WHOLE))
    expect(tab.page.get_by_role("option", name="broken")).to_have_count(0)


def test_a_broken_run_alone_leaves_no_figures_of_others(tab):
    tab.drop(from_disk(RUNS / BROKEN))
    expect(tab.report).to_contain_text("broken_run.txt refused: 6 problems")
    for elem_id in ("overview", "by-question", "questions", "as-csv"):
        expect(tab.page.locator(f"#{elem_id}")).to_be_hidden()
    expect(tab.page.get_by_text("good_judge")).to_have_count(0)


def test_the_problems_can_be_copied(tab):
    tab.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    tab.drop(from_disk(RUNS / BROKEN))
    tab.report.get_by_role("button", name="copy").click()
    expect(tab.report.get_by_role("button", name="copied")).to_be_visible()
    lines = tab.page.evaluate("navigator.clipboard.readText()").splitlines()
    assert len(lines) == 1 + 6
    assert "refused: 6 problems" in lines[0]


def test_files_are_taken_away_one_by_one_and_at_once(tab):
    tab.page.locator("#demo-runs").click()
    tab.shows(*WHOLE, BROKEN)
    expect(tab.listed).to_have_count(4)
    first = tab.zone.locator("tr.file", has_text="broken_run")
    first.get_by_role("button", name="Remove this file").click()
    tab.shows(*WHOLE)
    expect(tab.report).not_to_contain_text(BROKEN)
    tab.zone.locator("tr.file", has_text="good_judge").get_by_role("button", name="Remove this file").click()
    tab.shows(*WHOLE[1:])
    tab.zone.get_by_role("button", name="Clear").click()
    tab.shows(*WHOLE)
    expect(tab.page.locator("#scores")).to_contain_text("This is an example")
    expect(tab.zone.get_by_role("button", name="Click to upload or drop files")).to_be_visible()
