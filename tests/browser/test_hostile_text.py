"""Texts of strangers (names, cells, ids, prompts) are shown as text, whatever they are made of."""

from __future__ import annotations

import io
import json
import re
import zipfile

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import RUNS, WIDE
from tests.browser.score_tab import from_disk
from tests.browser.serving import ROOT

CASES = ROOT / "tests" / "cases"
EVIL = "<img src=x onerror=alert(1)>"
ID = "<b>q&amp;%{x}"
DIMENSION = "<u>warmth</u>"


def evil_labels() -> bytes:
    """Zip labels whose ids, dimension and prompt are markup."""
    head = f"questionId,answerId,{DIMENSION}_score,plain_score"
    rows = [f"{ID},a{n},{n},{5 - n}" for n in range(1, 5)] + [f"2,a{n},{n},{n}" for n in range(1, 5)]
    criteria = [{"criterion": EVIL, "explanation": EVIL, "weight": 1.0}]
    rubric = {
        "prompt": f"{EVIL} %{{y}} </script><script>alert(2)</script>",
        "dimension_weight": {DIMENSION: 0.5, "plain": 0.5},
        "criterions": {DIMENSION: criteria, "plain": criteria},
    }
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("labels.csv", "\n".join([head, *rows]))
        archive.writestr("criterion2.json", json.dumps({"id": "2", **rubric}))
        archive.writestr(f"criterion{ID}.json", json.dumps({"id": ID, **rubric}))
    return content.getvalue()


def marked_up(tab):
    """Count elements that only a stranger's text could have made."""
    return tab.page.locator("img[src=x], b:text-is('q'), u:text-is('warmth'), script:text('alert(2)')").count()


def test_a_name_and_cells_of_markup(tab):
    evil_run = (RUNS / "good_judge.txt").read_text("utf-8").replace("0 2 Doc_001 ", f"0 2 {EVIL.replace(' ', '')} ")
    good = (RUNS / "good_judge.txt").read_bytes()
    tab.drop([(f"{EVIL}.txt", good), ("cells.txt", evil_run.replace("0 2 Doc_002 ", f"{EVIL} ").encode())])
    expect(tab.names).to_have_count(2)
    assert f"{EVIL}.txt" in tab.names.all_inner_texts()
    expect(tab.report).to_contain_text("cells.txt refused")
    expect(tab.report).to_contain_text(EVIL.replace(" ", ""))
    for summary in tab.report.locator("summary").all():
        summary.click()
    expect(tab.page.locator("#overview .legendtext").first).to_have_text(re.compile(r"^<img src=x .*\.txt$"))
    assert "<img src=x" in tab.pointed_at("overview")
    tab.page.locator("#run input").click()
    expect(tab.page.get_by_role("option", name=EVIL)).to_have_count(1)
    assert marked_up(tab) == 0


def test_labels_of_markup(tab):
    tab.own_labels((f"{EVIL}.zip", evil_labels()))
    expect(tab.page.locator("#labels input")).to_have_value(f"own: {EVIL}")
    run = "\n".join(f"0 {question} a{n} {n} {n % 3}" for question in (ID, "2") for n in range(1, 5))
    head = f"taskId questionId answerId {DIMENSION}_score plain_score"
    tab.drop([("run.txt", f"{head}\n{run}\n".encode())])
    tab.shows("run.txt")
    expect(tab.page.locator("#scores thead th").nth(2)).to_have_text(DIMENSION)
    rows = tab.questions()
    assert ID in {row[0] for row in rows}
    assert any(row[1].startswith(EVIL) for row in rows)
    expect(tab.page.locator("#overview .ytick text").nth(1)).to_have_text(DIMENSION)
    expect(tab.page.locator("#by-question .xtick")).to_have_count(2)
    assert EVIL in tab.pointed_at("by-question")
    tab.choose("view", DIMENSION)
    expect(tab.page.locator("#by-question .xtitle")).to_contain_text(DIMENSION)
    assert marked_up(tab) == 0


def test_broken_labels_of_markup(tab):
    tab.own_labels((f"{EVIL}.csv", f"questionId,answerId,{EVIL}_score\n1,{EVIL},{EVIL}\n".encode()))
    expect(tab.report.locator("section.ae-error")).to_contain_text("<img")
    assert marked_up(tab) == 0


@pytest.mark.parametrize("width", [390, WIDE["width"]])
def test_a_name_of_200_characters_keeps_the_layout(tab, width):
    tab.page.set_viewport_size({"width": width, "height": 900})
    name = f"{'W' * 196}.txt"
    tab.drop([(name, (RUNS / "good_judge.txt").read_bytes()), (name, (RUNS / "broken_run.txt").read_bytes())])
    expect(tab.names).to_have_count(2)
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= width
    shown = tab.names.first.inner_text()
    assert len(shown) < 40
    assert "…" in shown
    assert shown.endswith(".txt")
    expect(tab.names.first.locator("span[title]")).to_have_attribute("title", name)
    box = tab.page.locator("#scores .ae-scroll").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width


def test_control_and_invisible_characters_are_shown_as_escapes(tab):
    good = (RUNS / "good_judge.txt").read_text("utf-8")
    tab.drop(
        [
            ("a\u202eb\u200b.txt", good.encode()),
            ("bell.txt", good.replace("Doc_002", "Doc\x07002", 1).encode()),
        ]
    )
    expect(tab.names).to_have_count(2)
    assert "a\\u202eb\\u200b.txt" in tab.names.all_inner_texts()
    expect(tab.report).to_contain_text(re.compile(r"Doc\\+x07002"))
    assert not set("\x07\u202e\u200b") & set(tab.page.locator("#results").inner_text() + tab.report.inner_text())


def test_a_run_named_as_a_label_set_or_view_is_only_a_run(tab):
    tab.drop([("__proto__", (RUNS / "good_judge.txt").read_bytes()), *from_disk(RUNS / "coarse_judge.txt")])
    tab.shows("__proto__", "coarse_judge.txt")
    tab.page.get_by_role("button", name="coarse_judge.txt").click()
    expect(tab.page.locator("#run input")).to_have_value("coarse_judge.txt")
    tab.page.get_by_role("button", name="__proto__").click()
    expect(tab.page.locator("#run input")).to_have_value("__proto__")
