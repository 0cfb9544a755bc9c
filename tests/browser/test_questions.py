"""The Questions tab: from a run to the pairs of answers that cost it points."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import LABELS, RUNS, WIDE
from tests.browser.score_tab import SLOW, ScoreTab
from tests.browser.serving import score_by_cli
from tests.browser.test_look import CONTRAST, LEGIBLE, NARROW, STICKING_OUT

COARSE = "coarse_judge.txt"


@pytest.fixture
def opened(offline_page, app, request):
    """Open the tab on the demo runs, which are scored while nothing else is."""
    page = ScoreTab(offline_page, app.url).open(__theme=getattr(request, "param", "light")).page
    page.get_by_role("tab", name="Questions").click()
    expect(page.locator("#q-slopes .js-plotly-plot .point").first).to_be_visible(timeout=SLOW)
    return page


def table(page, caption):
    """Give the cells of the table under a caption."""
    box = page.locator(f'.ae-scroll[aria-label^="{caption}"]')
    return [row.locator("th, td").all_inner_texts() for row in box.locator("tbody tr").all()]


def choose(page, elem_id, option):
    page.locator("#title").click()  # closes what another dropdown has open
    expect(page.get_by_role("option")).to_have_count(0)
    page.locator(f"#{elem_id} input").click()
    page.get_by_role("option", name=option, exact=True).click()


@pytest.fixture(scope="module")
def scored():
    """Give every question of the coarse judge, as the command line does."""
    [run] = score_by_cli(RUNS / COARSE, "--labels", LABELS, "--per-question")["runs"]
    return {entry["question"]: entry for entry in run["questions"]}


def lost(entry, view="overall"):
    pairs = entry[view]["pairs"]
    return pairs["discordant"] + pairs["tied_run"] + pairs["tied_labels"]


def test_the_question_that_costs_most_comes_first(opened, scored):
    choose(opened, "q-run", COARSE)
    worst = min(scored, key=lambda question: (-lost(scored[question]), question))
    head = opened.locator("#q-head")
    expect(head.locator("h2")).to_contain_text(f"Question {worst}")
    expect(head).to_contain_text(f"{lost(scored[worst])} pairs lost")
    expect(opened.locator("#q-table [role=gridcell]").first).to_have_text(worst)


def test_answers_and_lost_pairs_are_those_of_the_scores(opened, scored):
    choose(opened, "q-run", COARSE)
    choose(opened, "q-question", "11")
    expect(opened.locator("#q-head h2")).to_contain_text("Question 11")
    answers = table(opened, "Answers")
    assert len(answers) == scored["11"]["overall"]["answers"]
    humans = [float(row[1]) for row in answers]
    assert humans == sorted(humans, reverse=True)
    ranks = [float(row[4]) for row in answers]
    assert sum(ranks) == len(ranks) * (len(ranks) + 1) / 2
    pairs = table(opened, "Pairs that cost points")
    assert len(pairs) == lost(scored["11"])
    gaps = [float(row[2]) for row in pairs]
    assert gaps == sorted(gaps, reverse=True)
    tied = [row for row in pairs if row[4] == "tied in the run"]
    assert len(tied) == scored["11"]["overall"]["pairs"]["tied_run"]


def test_a_row_and_a_cell_of_the_matrix_choose_a_question(opened):
    row = opened.locator("#q-table [role=gridcell]").get_by_text("17", exact=True).first
    row.click()
    expect(opened.locator("#q-head h2")).to_contain_text("Question 17")
    plot = opened.locator("#q-matrix .nsewdrag").first
    box = plot.bounding_box()
    opened.mouse.move(box["x"] + 20, box["y"] + 8)
    opened.mouse.click(box["x"] + 20, box["y"] + 8)
    first = opened.locator("#q-table [role=gridcell]").first.inner_text()
    expect(opened.locator("#q-head h2")).to_contain_text(f"Question {first}")


def test_weights_prompt_and_languages_are_told(opened):
    choose(opened, "q-question", "5")
    head = opened.locator("#q-head")
    expect(head.locator("h2")).to_have_text("Question 5 · English", use_inner_text=True)
    expect(head.locator(".ae-prompt")).to_contain_text("gas boilers")
    weights = [float(row[1]) for row in table(opened, "What each dimension brings")]
    assert sum(weights) == pytest.approx(1)
    assert [row[:2] for row in table(opened, "By language")] == [["Chinese", "5"], ["English", "3"]]


def test_a_view_changes_the_answers(opened):
    before = table(opened, "Answers")
    choose(opened, "q-view", "insight")
    expect(opened.locator("#q-head")).to_contain_text("insight: Spearman ρ", use_inner_text=True)
    assert table(opened, "Answers") != before


@pytest.mark.parametrize("opened", ["light", "dark"], indirect=True)
def test_it_fits_and_is_legible(opened):
    for size in (WIDE, NARROW):
        opened.set_viewport_size(size)
        opened.wait_for_timeout(700)  # plotly follows a resize a moment later
        assert opened.evaluate(STICKING_OUT) == []
        assert opened.evaluate("document.documentElement.scrollWidth") <= size["width"]
    # Numbers in the matrix stand on its cells, which are no backgrounds of CSS.
    texts = [text for text in opened.evaluate(CONTRAST) if not text["what"].startswith("#q-matrix text")]
    faint = [text for text in texts if text["ratio"] < LEGIBLE]
    assert faint == []
    opened.set_viewport_size(WIDE)
