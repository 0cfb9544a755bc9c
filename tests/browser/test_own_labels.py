"""Labels of one's own: a table, a zip with rubrics, a list of answers, and what is none of these."""

from __future__ import annotations

import io
import threading
import zipfile

from playwright.sync_api import Route, expect

from tests.browser.conftest import RUNS
from tests.browser.score_tab import ScoreTab, from_disk, means, same
from tests.browser.serving import ROOT, score_by_cli

CASES = ROOT / "tests" / "cases"
RUN = CASES / "base_run.txt"
LABELS = CASES / "labels.csv"
OWN_DIMENSIONS = b"""questionId,answerId,warmth_score,length_score
q1,a,1,4
q1,b,2,3
q1,c,3,1
q2,a,5,5
q2,b,4,2
q2,c,3,4
"""


def key_list() -> bytes:
    rows = [line.split(",") for line in LABELS.read_text("utf-8-sig").splitlines()]
    places = [rows[0].index(name) for name in ("questionId", "answerId")]
    return "\n".join(",".join(row[place] for place in places) for row in rows).encode()


def zip_with_rubrics() -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.write(LABELS, "mine/labels.csv")
        for path in sorted((CASES / "rubric").glob("*.json")):
            archive.write(path, f"mine/rubric_dataset/{path.name}")
    return content.getvalue()


def test_a_table_is_chosen_and_scored_against(tab):
    tab.own_labels(("labels.csv", LABELS.read_bytes()))
    expect(tab.page.locator("#labels input")).to_have_value("own: labels")
    expect(tab.status).to_contain_text("3 questions · 12 answers · equal weights", use_inner_text=True)
    expect(tab.status).not_to_contain_text("DEMO")
    # The example was scored on other labels.
    expect(tab.report).to_contain_text("No runs yet")
    expect(tab.page.locator("#scores")).to_be_hidden()
    tab.drop(from_disk(RUN))
    tab.shows(RUN.name)
    [scored] = score_by_cli(RUN, "--labels", LABELS)["runs"]
    assert same(tab.numbers(RUN.name), means(scored, "spearman"))
    expect(tab.page.locator("#scores")).not_to_contain_text("DEMO")
    expect(tab.page.locator("#overview .annotation")).to_have_count(0)
    tab.page.get_by_text("signatures", exact=True).click()
    expect(tab.signatures).to_have_text([scored["signature"]])


def test_a_zip_brings_its_rubrics(tab):
    tab.drop(from_disk(RUN))
    expect(tab.report).to_contain_text("base_run.txt refused")
    tab.own_labels(("mine.zip", zip_with_rubrics()))
    expect(tab.page.locator("#labels input")).to_have_value("own: mine")
    tab.shows(RUN.name)
    expect(tab.status).to_contain_text("rubric weights")
    [scored] = score_by_cli(RUN, "--labels", LABELS, "--rubrics", CASES / "rubric")["runs"]
    for title, measure in (("Spearman", "spearman"), ("Kendall", "kendall")):
        tab.measure(title)
        expect(tab.page.locator("#by-question .ytitle")).to_contain_text(title)
        assert same(tab.numbers(RUN.name), means(scored, measure))
    tab.page.get_by_text("signatures", exact=True).click()
    weights = scored["signature"].split("|")[1]
    assert weights.startswith("weights=rubric@")
    expect(tab.signatures).to_contain_text([weights])


def test_a_list_of_answers_checks_and_says_why_there_is_no_score(tab):
    tab.own_labels(("test_set.csv", key_list()))
    expect(tab.status).to_contain_text("keys only: runs are checked, not scored")
    short = RUN.read_bytes().rsplit(b"\n", 2)[0]
    tab.drop([*from_disk(RUN), ("short.txt", short)])
    expect(tab.report).to_contain_text("base_run.txt is valid: 12 of 12 answers")
    expect(tab.report).to_contain_text("short.txt refused: 1 problem")
    expect(tab.report).to_contain_text("without human scores")
    expect(tab.page.locator("#overview")).to_be_hidden()
    expect(tab.page.locator("#scores .ae-table")).to_have_count(0)


def test_what_is_no_labels_is_told_and_leaves_the_rest_as_it_was(tab, demo_scores):
    tab.drop(from_disk(RUNS / "good_judge.txt"))
    tab.shows("good_judge.txt")
    box = tab.report.locator("section.ae-error")
    for name, content, told in (
        ("half.csv", b"questionId,insight_score\n1,5\n", "answerId"),
        ("page.csv", b"<!doctype html><html><body>Sign in</body></html>", "HTML"),
        ("pointer.csv", b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", "LFS"),
        ("twice.csv", b"questionId,answerId,warmth_score\n1,a,5\n1,a,6\n", "line 3"),
        ("torn.zip", zip_with_rubrics()[:200], "zip"),
        ("head.csv", b"questionId,answerId,warmth_score\n", "row"),
    ):
        tab.own_labels((name, content))
        expect(box).to_contain_text(told)
        expect(box).to_have_count(1)
        expect(tab.page.locator("#labels input")).to_have_value("demo")
        assert same(tab.numbers("good_judge.txt"), means(demo_scores["good_judge.txt"], "spearman"))
    tab.drop(from_disk(RUNS / "coarse_judge.txt"))
    tab.shows("good_judge.txt", "coarse_judge.txt")
    expect(box).to_have_count(0)


def test_other_dimensions_make_other_views_and_a_template_that_fits(tab, tmp_path):
    tab.own_labels(("warm.csv", OWN_DIMENSIONS))
    expect(tab.page.locator("#labels input")).to_have_value("own: warm")
    with tab.page.expect_download() as taken:
        tab.page.locator("#template").click()
    template = taken.value.path().read_text("utf-8")
    assert template.splitlines()[0].split() == ["taskId", "questionId", "answerId", "warmth_score", "length_score"]
    filled = template.replace("q1\ta\t0\t0", "q1\ta\t1\t9").replace("q2\tb\t0\t0", "q2\tb\t3\t9")
    assert filled.count("9") == 2
    run, labels = tmp_path / "template_filled.txt", tmp_path / "warm.csv"
    run.write_text(filled, "utf-8")
    labels.write_bytes(OWN_DIMENSIONS)

    tab.drop(from_disk(run))
    tab.shows(run.name)
    heads = tab.page.locator("#scores thead th")
    expect(heads).to_have_text(["run", "overall", "warmth", "length", "pairs tied", "answers"], use_inner_text=True)
    [scored] = score_by_cli(run, "--labels", labels)["runs"]
    assert same(tab.numbers(run.name, views=3), means(scored, "spearman"))
    tab.choose("view", "warmth")
    expect(tab.page.locator("#by-question .xtitle")).to_contain_text("warmth")
    assert {row[0] for row in tab.questions()} == {"q1", "q2"}


def test_the_template_of_the_demo_is_accepted_as_it_is(tab):
    with tab.page.expect_download() as taken:
        tab.page.locator("#template").click()
    tab.drop([("template.txt", taken.value.path().read_bytes())])
    tab.shows("template.txt")
    expect(tab.row("template.txt")).to_contain_text("128/128")
    assert tab.numbers("template.txt") == [None] * 5
    expect(tab.row("template.txt")).to_contain_text("8 undef.")
    tab.measure("Pairwise accuracy")
    expect(tab.page.locator("#by-question .point")).to_have_count(8)


def test_labels_dropped_on_their_row_are_taken_as_labels(tab):
    tab.page.locator("#status").evaluate(
        """(place, content) => {
          const data = new DataTransfer();
          data.items.add(new File([content], 'dropped.csv'));
          for (const kind of ['dragover', 'drop']) {
            place.dispatchEvent(new DragEvent(kind, {dataTransfer: data, bubbles: true, cancelable: true}));
          }
        }""",
        LABELS.read_text("utf-8"),
    )
    expect(tab.page.locator("#labels input")).to_have_value("own: dropped")


def test_a_start_that_comes_late_changes_nothing_of_what_was_done_meanwhile(second_page, app):
    """On a busy server the page is there, and used, before its first events have been answered."""
    page, _ = second_page
    early, held = threading.Event(), list[Route]()
    early.set()
    page.route("**/queue/join*", lambda route: held.append(route) if early.is_set() else route.continue_())
    tab = ScoreTab(page, app.url).open()
    page.wait_for_timeout(1_500)
    assert held
    early.clear()

    with page.expect_download() as taken:
        page.locator("#template").click()
    assert taken.value.suggested_filename == "template_demo.txt"
    tab.own_labels(("warm.csv", OWN_DIMENSIONS))
    expect(page.locator("#labels input")).to_have_value("own: warm")
    lines = [f"task q{question} {answer} 1 {ord(answer)}" for question in (1, 2) for answer in "abc"]
    tab.drop([("mine.txt", "\n".join(["taskId questionId answerId warmth_score length_score", *lines]).encode())])
    tab.shows("mine.txt")
    for route in held:
        with page.expect_response("**/queue/join*"):
            route.continue_()
    page.wait_for_timeout(1_500)
    expect(page.locator("#labels input")).to_have_value("own: warm")
    expect(page.locator("#status")).to_contain_text("warm")
    tab.shows("mine.txt")
    expect(page.locator("#scores")).not_to_contain_text("DEMO")
