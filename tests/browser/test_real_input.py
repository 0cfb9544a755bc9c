"""The seven runs of DialSummEval and its labels, as a stranger would bring them."""

from __future__ import annotations

import sys
import time

from playwright.sync_api import expect

from tests.browser.score_tab import from_disk, means, same
from tests.browser.serving import score_by_cli


def test_seven_runs_of_real_judges(tab, shared_data):
    folder = shared_data / "dialsummeval"
    labels, runs = folder / "labels.csv", sorted(folder.glob("run_*.txt"))
    assert len(runs) == 7
    printed = score_by_cli(*runs, "--labels", labels)
    tab.own_labels(("labels.csv", labels.read_bytes()))
    expect(tab.status).to_contain_text(f"{printed['labels']['questions']} questions")
    begin = time.perf_counter()
    tab.drop(from_disk(*runs))
    expect(tab.names).to_have_count(7)
    seconds = time.perf_counter() - begin
    sys.stdout.write(f"\nseven real runs, from drop to numbers: {seconds:.2f} s\n")

    for title, measure in (("Kendall", "kendall"), ("Pairwise accuracy", "accuracy"), ("Spearman", "spearman")):
        tab.measure(title)
        expect(tab.page.locator("#by-question .ytitle")).to_contain_text(title.split()[-1])
        for scored in printed["runs"]:
            assert same(tab.numbers(scored["name"]), means(scored, measure)), scored["name"]
    for scored in printed["runs"]:
        for view in scored["scores"].values():
            if view["spearman"]["undefined"]:
                expect(tab.row(scored["name"])).to_contain_text(f"{view['spearman']['undefined']} undef.")
    expect(tab.page.locator("#questions [role=grid]")).to_have_attribute("aria-rowcount", "101")
    expect(tab.page.locator("#overview .point")).to_have_count(7 * 5 * 3)
    best = tab.names.first.inner_text()
    defined = next(run["scores"]["overall"]["spearman"]["defined"] for run in printed["runs"] if run["name"] == best)
    expect(tab.page.locator("#by-question .point")).to_have_count(defined)
