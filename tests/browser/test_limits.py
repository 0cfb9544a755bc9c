"""Too much, too often, too early."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import expect

from aeollm.ui.uploads import LARGEST, MOST_FILES
from tests.browser.conftest import RUNS
from tests.browser.score_tab import from_disk, means, same

GOOD = (RUNS / "good_judge.txt").read_bytes()
DEMO = ("good_judge.txt", "coarse_judge.txt", "length_biased_judge.txt", "broken_run.txt")


def still_works(tab, demo_scores):
    """Score the good run, alone, as if nothing had been."""
    clear = tab.zone.get_by_role("button", name="Clear")
    if clear.count():
        clear.click()
    expect(tab.page.locator("#scores")).to_contain_text("This is an example")
    tab.drop([("good_judge.txt", GOOD)])
    tab.shows("good_judge.txt")
    return same(tab.numbers("good_judge.txt"), means(demo_scores["good_judge.txt"], "spearman"))


def test_too_many_files_are_refused_together(tab, demo_scores):
    tab.drop([(f"run{number}.txt", GOOD) for number in range(MOST_FILES + 1)])
    expect(tab.report).to_contain_text(f"{MOST_FILES + 1} files; at most {MOST_FILES}", timeout=30_000)
    expect(tab.names).to_have_count(3)
    assert still_works(tab, demo_scores)
    expect(tab.report.locator("section")).to_have_count(0)


def test_the_most_files_are_scored(tab):
    tab.drop([(f"run{number}.txt", GOOD) for number in range(MOST_FILES)])
    expect(tab.names).to_have_count(MOST_FILES, timeout=30_000)


def test_a_file_that_is_too_large_is_told(tab, demo_scores):
    limit = int(LARGEST.removesuffix("mb")) * 2**20
    tab.page.locator("#runs button.upload-container").evaluate(
        """(zone, size) => {
          const data = new DataTransfer();
          data.items.add(new File([new Uint8Array(size)], 'large.txt'));
          zone.dispatchEvent(new DragEvent('drop', {dataTransfer: data, bubbles: true, cancelable: true}));
        }""",
        limit + 1,
    )
    toast = tab.page.get_by_test_id("toast-text")
    expect(toast).to_contain_text("size", timeout=30_000)
    tab.page.get_by_test_id("toast-close").click()
    assert still_works(tab, demo_scores)


def test_what_is_no_run_is_refused(tab):
    odd = [b"", b"\x00" * 5000, b"\xff\xfe\xfd" * 100, b"PK\x03\x04torn", b"\n" * 9]
    tab.drop([*((f"odd{place}.txt", content) for place, content in enumerate(odd)), ("good_judge.txt", GOOD)])
    tab.shows("good_judge.txt", *(f"odd{place}.txt" for place in range(len(odd))))
    for place in range(len(odd)):
        expect(tab.report.locator("h2", has_text=f"odd{place}.txt refused")).to_be_visible()


def test_impatient_clicks_on_the_demo_do_no_harm(tab, demo_scores):
    tab.page.locator("#demo-runs").dblclick()
    tab.page.locator("#demo-runs").click()
    tab.shows(*DEMO)
    expect(tab.listed).to_have_count(4)
    tab.page.wait_for_timeout(1_000)
    tab.shows(*DEMO)
    assert still_works(tab, demo_scores)


def test_drops_while_scoring_are_not_lost(tab, demo_scores):
    tab.drop([("first.txt", GOOD)])
    tab.page.wait_for_timeout(30)
    tab.drop([*from_disk(RUNS / "coarse_judge.txt")])
    tab.shows("first.txt", "coarse_judge.txt")
    tab.drop([*from_disk(RUNS / "length_biased_judge.txt")])
    expect(tab.listed).to_have_count(3)
    tab.drop([("last.txt", GOOD)])
    expect(tab.names).to_have_count(4)
    assert set(tab.names.all_inner_texts()) == {"coarse_judge.txt", "first.txt", "last.txt", "length_biased_judge.txt"}
    assert same(tab.numbers("last.txt"), means(demo_scores["good_judge.txt"], "spearman"))


def test_scoring_leaves_no_empty_files(tab, app):
    tab.drop([(f"run{number}.txt", GOOD + b"\n" * number) for number in range(5)])
    expect(tab.names).to_have_count(5)
    stored = [path for path in Path(app.uploads).rglob("*") if path.is_file()]
    assert len([path for path in stored if path.name.startswith("run")]) >= 5
    empty = list(stored)
    # Of other tests: an upload of an empty file keeps its name, and a judge that never answered leaves no reply.
    others = {"odd0.txt", "replies.jsonl"}
    for _ in range(50):  # what is just being written for download is empty for a moment
        empty = [path for path in stored if path.exists() and not path.stat().st_size and path.name not in others]
        if not empty:
            break
        tab.page.wait_for_timeout(100)
    assert empty == []
