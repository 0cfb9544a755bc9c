"""Two visitors at once: same names, other files, and nobody sees the other's figures."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import expect

from tests.browser.score_tab import ScoreTab, means, same
from tests.browser.serving import ROOT, score_by_cli
from tests.browser.test_own_labels import zip_with_rubrics

CASES = ROOT / "tests" / "cases"
C44 = CASES / "dev" / "C44"


@pytest.fixture
def visitors(offline_page, second_page, app):
    """Give visitors A and B, each with the labels of C44."""
    page, watch = second_page
    tabs = {"A": ScoreTab(offline_page, app.url).open(), "B": ScoreTab(page, app.url).open()}
    for tab in tabs.values():
        tab.own_labels(("labels.zip", zip_with_rubrics()))
    for tab in tabs.values():
        expect(tab.page.locator("#labels input")).to_have_value("own: labels")
    yield tabs
    assert watch.all() == []


@pytest.fixture(scope="module")
def exact():
    """Give the values of C44's two files: the case's, and the command line's for all views."""
    [check] = json.loads((C44 / "expected.json").read_text("utf-8"))["checks"]
    found = {}
    for visitor in "AB":
        run = C44 / visitor.lower() / "run.txt"
        [scored] = score_by_cli(run, "--labels", CASES / "labels.csv", "--rubrics", CASES / "rubric")["runs"]
        overall = check[f"values_{visitor}"]["overall_total"]
        assert scored["scores"]["overall"]["spearman"]["mean"] == pytest.approx(
            overall["spearman"]["mean_over_defined"], abs=1e-9
        )
        found[visitor] = scored
    assert not same(means(found["A"], "spearman"), means(found["B"], "spearman"))
    return found


def test_uploads_of_two_visitors_never_mix(visitors, exact):
    """C44, interleaved: each drops in turn, under names that become one when cleaned."""
    dropped = {"A": [], "B": []}
    for upload in json.loads((C44 / "uploads.json").read_text("utf-8")):
        visitor = upload["session"]
        visitors[visitor].drop([(upload["orig_name"], (C44 / upload["file"]).read_bytes())])
        dropped[visitor].append(upload["orig_name"])
        expect(visitors[visitor].names).to_have_count(len(dropped[visitor]))
    for visitor, tab in visitors.items():
        assert sorted(tab.names.all_inner_texts()) == sorted(dropped[visitor])
        for row in tab.page.locator("#scores tbody tr").all():
            shown = [float(cell.split()[0]) for cell in row.locator("td").all_inner_texts()[:5]]
            assert same(shown, means(exact[visitor], "spearman"))
        tab.page.get_by_text("signatures", exact=True).click()
        assert set(tab.signatures.all_inner_texts()) == {exact[visitor]["signature"]}


def test_drops_at_the_same_moment_never_mix(visitors, exact):
    for _ in range(3):
        for visitor, tab in visitors.items():
            tab.drop([("run.txt", (C44 / visitor.lower() / "run.txt").read_bytes())])
        for visitor, tab in visitors.items():
            tab.shows("run.txt")
            assert same(tab.numbers("run.txt"), means(exact[visitor], "spearman"))
            with tab.page.expect_download() as taken:
                tab.page.locator("#as-json").click()
            [run] = json.loads(taken.value.path().read_text("utf-8"))["runs"]
            assert run["file_sha256"] == exact[visitor]["file_sha256"]
        for tab in visitors.values():
            tab.measure("Kendall")
        for visitor, tab in visitors.items():
            expect(tab.page.locator("#by-question .ytitle")).to_contain_text("Kendall")
            assert same(tab.numbers("run.txt"), means(exact[visitor], "kendall"))
            tab.measure("Spearman")
            expect(tab.page.locator("#by-question .ytitle")).to_contain_text("Spearman")
            tab.zone.get_by_role("button", name="Clear").click()
        for tab in visitors.values():
            expect(tab.report).to_contain_text("No runs yet")
