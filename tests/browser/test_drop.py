"""A run is dropped: the numbers, the figures, the questions, and looking at others of them."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import RUNS
from tests.browser.score_tab import from_disk, means, same

GOOD, COARSE = "good_judge.txt", "coarse_judge.txt"


def per_question(scored, view):
    """Give what the table shows of a view, by question: answers, measures, pairs lost and counted."""
    table = {}
    for question in scored["questions"]:
        found = question[view]
        pairs = found["pairs"]
        lost = pairs["discordant"] + pairs["tied_run"] + pairs["tied_labels"]
        measures = [found[name] for name in ("spearman", "kendall", "accuracy")]
        table[question["question"]] = (found["answers"], measures, [lost, *pairs.values()])
    return table


def shows_questions(tab, scored, view):
    """Say whether the table of questions shows a view of a run."""
    exact, shown = per_question(scored, view), tab.questions()
    lost = [int(row[6]) for row in shown]
    return (
        sorted(row[0] for row in shown) == sorted(exact)
        and lost == sorted(lost, reverse=True)
        and all(
            int(row[2]) == exact[row[0]][0]
            and same([float(cell) for cell in row[3:6]], exact[row[0]][1])
            and [int(cell) for cell in row[6:12]] == exact[row[0]][2]
            for row in shown
        )
    )


def test_a_dropped_run_is_scored_as_by_the_command_line(tab, demo_scores):
    tab.drop(from_disk(RUNS / GOOD))
    tab.shows(GOOD)
    scored = demo_scores[GOOD]
    assert same(tab.numbers(GOOD), means(scored, "spearman"))
    expect(tab.row(GOOD)).to_contain_text("128/128")
    expect(tab.page.locator("#scores")).not_to_contain_text("This is an example")

    tab.page.get_by_text("signatures", exact=True).click()
    expect(tab.signatures).to_have_text([scored["signature"]])

    expect(tab.page.locator("#overview .point")).to_have_count(15)
    drawn = {trace["name"] for trace in tab.points("overview")}
    assert GOOD in drawn
    expect(tab.page.locator("#by-question .point")).to_have_count(8)
    assert shows_questions(tab, scored, "overall")
    assert tab.report.locator("section").count() == 0


def test_another_measure_and_view_are_shown_on_choice(tab, demo_scores):
    tab.drop(from_disk(RUNS / COARSE))
    tab.shows(COARSE)
    scored = demo_scores[COARSE]
    for title, measure in (("Kendall", "kendall"), ("Pairwise accuracy", "accuracy"), ("Spearman", "spearman")):
        tab.measure(title)
        axis = tab.page.locator("#by-question .ytitle")
        expect(axis).to_have_text(re.compile(title.split()[-1], re.IGNORECASE))
        assert same(tab.numbers(COARSE), means(scored, measure))
    tab.choose("view", "instruction following")
    expect(tab.page.locator("#by-question .xtitle")).to_contain_text("instruction following")
    assert shows_questions(tab, scored, "instruction_following")
    exact = [question["instruction_following"]["spearman"] for question in scored["questions"]]
    assert tab.points("by-question")[0]["y"] == sorted(exact)


@pytest.mark.parametrize("way", ["click", "Enter", "menu"])
def test_a_run_is_chosen_by_its_name(tab, demo_scores, way):
    tab.drop(from_disk(RUNS / GOOD, RUNS / COARSE))
    tab.shows(GOOD, COARSE)
    chosen = tab.page.locator("#run input")
    expect(chosen).to_have_value(GOOD)
    name = tab.page.get_by_role("button", name=COARSE)
    if way == "click":
        name.click()
    elif way == "Enter":
        name.focus()
        tab.page.keyboard.press("Enter")
    else:
        tab.choose("run", COARSE)
    expect(chosen).to_have_value(COARSE)
    mean = demo_scores[COARSE]["scores"]["overall"]["spearman"]["mean"]
    expect(tab.page.locator("#by-question .annotation", has_text="mean")).to_have_text(f"mean {mean:.3f}")
    assert shows_questions(tab, demo_scores[COARSE], "overall")


@pytest.mark.parametrize("place", ["the zone", "the list of files", "elsewhere"])
def test_a_drop_by_hand_lands(tab, place):
    """Chromium's own drag, which asks what lies under the pointer; a second drop joins the first."""
    tab.drop(from_disk(RUNS / GOOD)) if place == "the list of files" else None
    expect(tab.listed).to_have_count(1 if place == "the list of files" else 0)
    target = tab.page.locator("#figures" if place == "elsewhere" else "#runs")
    target.scroll_into_view_if_needed()
    box = target.bounding_box()
    devtools = tab.page.context.new_cdp_session(tab.page)
    carried = {"items": [], "files": [str(RUNS / COARSE)], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        at = {"x": box["x"] + box["width"] / 3, "y": box["y"] + box["height"] / 2}
        devtools.send("Input.dispatchDragEvent", {"type": kind, "data": carried} | at)
    tab.shows(*([GOOD, COARSE] if place == "the list of files" else [COARSE]))
    devtools.detach()


def test_files_can_be_chosen_instead_of_dropped(tab):
    with tab.page.expect_file_chooser() as asked:
        tab.zone.get_by_role("button", name="Click to upload or drop files").click()
    assert asked.value.is_multiple()
    asked.value.set_files([RUNS / GOOD, RUNS / COARSE])
    tab.shows(GOOD, COARSE)
