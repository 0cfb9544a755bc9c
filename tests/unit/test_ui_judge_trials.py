"""The Judge tab's trials and estimates of recipes that take more than a call a report."""

import re
import zlib

import pytest

from aeollm.reporting.html import Html, spoken
from aeollm.sources import Settings
from aeollm.ui.callbacks import Callbacks
from aeollm.ui.catalogue import Catalogue
from aeollm.ui.judge_access import Access
from aeollm.ui.judge_calls import Judging
from aeollm.ui.judge_inputs import DEMO_REPORTS
from aeollm.ui.judge_looks import Looks
from aeollm.ui.judge_runs import Runs
from aeollm.ui.words import say
from tests.judging.judging_commands import replied, wanted, whole
from tests.judging.scripted import Answer
from tests.unit.test_ui_judge_state import Page


@pytest.fixture
def usual_answer():
    return Answer("3", model="m")


@pytest.fixture(scope="module")
def judging():
    calls = Callbacks(Catalogue(Settings(labels=DEMO_REPORTS.parent)))
    yield Judging(calls, Access(local=True))
    calls.downloads._folder.cleanup()


@pytest.fixture
def visit(judging, judge, tmp_path, monkeypatch):
    """Open a page of the tab, with the demo's eight reports of two questions, for a recipe."""
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path))
    opened = []

    def new(recipe, **fields):
        opened.append(Page(Runs(judging), base_url=judge.address, recipe=recipe, **fields).open())
        return opened[-1]

    yield new
    for own in opened:
        own.desk.close()


def estimate(visitor):
    """Give what is said of the estimate, and its cells in English by the name of what is asked."""
    rows = re.findall(r"<tr>(.*?)</tr>", visitor.told[1], re.S)
    cells = [
        [(spoken(Html(cell)).split() or [""])[-1] for cell in re.findall(r"<t[dh].*?>(.*?)</t[dh]>", row, re.S)]
        for row in rows
    ]
    return spoken(Html(visitor.told[1])), {row[0]: row[1:] for row in cells if row}


def improving(seen):
    """Score at random, and revise."""
    text = whole(seen)
    if "<revision>" in text:
        return Answer("<revision>Compare with the best.</revision>", model="m")
    return replied(seen, {name: zlib.crc32((name + text).encode()) % 11 for name in wanted(seen)})


def test_a_prompt_is_optimised_after_a_trial_that_is_a_small_whole(visit, judge):
    judge.script = improving
    visitor = visit("optimise")
    said, rows = estimate(visitor)
    assert "A trial of this recipe takes 6 reports of 2 questions, in one round" in said
    assert visitor.told[3]["value"] == say("j_trial_small_whole")
    assert visitor.told[3]["interactive"]
    assert not visitor.can_run
    result = visitor.done("trial")
    assert "The trial is done: optimise" in spoken(Html(result)), visitor.progress
    assert sum("<revision>" in whole(seen) for seen in judge.seen) == 1
    assert visitor.can_run
    said, after = estimate(visitor)
    assert "A trial of this recipe" not in said
    assert "at the pace of the calls so far" in said
    # What the trial paid is not asked again; the endpoint counts ten tokens a prompt.
    assert (rows["scores"][1], after["scores"][1]) == ("0", "6")
    assert int(after["scores"][2].replace(",", "")) < int(rows["scores"][2].replace(",", "")) / 20
    paid = len(judge.seen)
    visitor.done("run")
    assert visitor.desk.job.judged.complete
    assert len(list(visitor.desk.job.judged.built.run.keys())) == 8
    assert len(judge.seen) > paid
    visitor.change(recipe="holistic")
    assert visitor.told[3]["value"] == say("j_trial")


def test_samples_are_told_before_and_counted_after_the_first_reply_without_probabilities(visit, judge):
    visitor = visit("llm-rubric", most_calls=1, concurrency=1)
    said, rows = estimate(visitor)
    # Eight reports, six questions; each once and twenty times.
    assert rows["opinions"][:2] == ["48", "0"]
    assert f"at most {48 * 21:,} calls instead (each once, then 20 samples)".replace(",", "") in said.replace(",", "")
    visitor.done("trial")
    assert len(judge.seen) == 1
    said, rows = estimate(visitor)
    assert rows["opinions"][:2] == ["1,007", "1"]
    assert "The endpoint gave no token probabilities: 20 samples" in said
    assert "calls instead" not in said
    # Calls are numbered by report, however many samples each has.
    shown = Looks(visitor.judging).looked(0, visitor.desk, "opinions", 7, *visitor.setup)
    assert shown[0]["maximum"] == 48
    assert "Doc_002 · Q0" in spoken(Html(shown[1]))
