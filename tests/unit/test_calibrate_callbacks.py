"""The Calibrate tab's callbacks: plain values in, component values out."""

from pathlib import Path

import gradio as gr
import pytest

from aeollm.errors import UsageError
from aeollm.sources import DEMO_FOLDER, Settings
from aeollm.ui import calibrating
from aeollm.ui.calibrate_inputs import example, from_session, from_uploads, is_example, read_renames, sorted_pair
from aeollm.ui.calibrating import Bench, Calibrations
from aeollm.ui.callbacks import first_session
from aeollm.ui.catalogue import Catalogue
from aeollm.ui.downloads import Downloads

OPINIONS, ANSWERS = DEMO_FOLDER / "llm-rubric" / "opinions.tsv", DEMO_FOLDER / "llm-rubric" / "answers.tsv"
RUN, LABELS = DEMO_FOLDER / "runs" / "good_judge.txt", DEMO_FOLDER / "aeollm-2-train" / "train_deepresearch.csv"
ASKED = ("Q0", "ridge", ["raw"], "folds", 2, 1)


def upload(path, name=None):
    return {"path": str(path), "orig_name": name or path.name, "meta": {"_type": "gradio.FileData"}}


def kinds(call, *arguments):
    with pytest.raises(UsageError) as caught:
        call(*arguments)
    return [problem.kind for problem in caught.value.problems]


@pytest.fixture
def calls():
    made = Calibrations(Downloads())
    yield made
    made.downloads._folder.cleanup()


@pytest.fixture(scope="module")
def session():
    return first_session(Catalogue(Settings(labels=DEMO_FOLDER)))


def test_files_are_told_apart_by_what_is_in_them():
    right = ((OPINIONS, "a"), (ANSWERS, "b"))
    assert sorted_pair(right) == right
    assert sorted_pair(right[::-1]) == right
    material = from_uploads([upload(ANSWERS), upload(OPINIONS)], None, "")
    assert (len(material.train), material.train.target, material.demo) == (360, "Q0", True)
    assert from_uploads([upload(ANSWERS)], None, "") is None
    assert from_uploads(None, None, None) is None


def test_what_others_may_see_is_the_bundled_example_alone(tmp_path):
    """Not a visitor's own answers beside the bundled opinions, though these make it simulated."""
    own = tmp_path / ANSWERS.name
    own.write_bytes(ANSWERS.read_bytes().replace(b"judge_01", b"somebody"))
    theirs = from_uploads([upload(own), upload(OPINIONS)], None, "")
    assert (theirs.demo, is_example(theirs), is_example(example())) == (True, False, True)
    assert not is_example(from_uploads([upload(ANSWERS), upload(OPINIONS)], None, "Q1=Q2 Q2=Q1"))


def test_wrong_files_are_refused_with_what_they_look_like():
    assert kinds(from_uploads, [upload(ANSWERS), upload(RUN)], None, "") == ["other_kind"]
    assert kinds(from_uploads, [upload(LABELS)], None, "") == ["other_kind"]
    assert kinds(from_uploads, [upload(ANSWERS), upload(ANSWERS)], None, "") == ["two_of_a_kind"]
    assert kinds(from_uploads, [upload(ANSWERS)] * 3, None, "") == ["file_count"]
    assert kinds(from_uploads, [{"path": "/etc/passwd"}, upload(ANSWERS)], None, "") == ["not_uploaded"]


def test_renames():
    assert read_renames(" Q1=Q2, Q2=Q1 ") == {"Q1": "Q2", "Q2": "Q1"}
    assert kinds(read_renames, "Q1") == ["rename"]
    material = from_uploads([upload(ANSWERS), upload(OPINIONS)], None, "Q1=Q2 Q2=Q1")
    assert "renamed" in {problem.kind for problem in material.problems}


def test_a_run_of_the_session(session):
    material = from_session(session, "good_judge.txt")
    assert (len(material.train), material.train.target) == (128, "comprehensiveness")
    assert from_session(session, "no such run").run.name in {name for name, _ in session.scored}


def test_another_source_ends_what_was_going_on(calls, session):
    job = calls.jobs.new()
    told = calls.chosen(Bench(job=job), "example", None, None, "", None, session)
    assert [update["visible"] for update in told[:3]] == [False, False, False]
    bench = told[3]
    assert (bench.trial, bench.job, bench.material.demo) == (None, "", True)
    assert list(calls.fitted(Bench(example(), job=job), *ASKED))[-1][1] == calls.cancelled(Bench())[0]


def test_refusals_are_shown_escaped(calls, session, tmp_path):
    broken = tmp_path / "b"
    broken.write_text("text_id\tcriterion\tp1\tp2\nT\t<i>\t0.9\t0.9\n", "utf-8")
    told = calls.chosen(Bench(), "files", [upload(broken, "<b>.tsv"), upload(ANSWERS)], None, "", None, session)
    bench, shown = told[3:5]
    assert bench.material is None
    assert "&lt;i&gt;" in shown
    assert "<b>" not in shown
    assert "line 2" in shown


def test_a_fit_fills_the_tab_and_its_files(calls):
    bench = calls.begun(Bench(example()))[0]
    yielded = list(calls.fitted(bench, *ASKED))
    assert any("progressbar" in shown for _, shown in yielded[:-1])
    fitted, done = yielded[-1]
    assert (fitted.trial.target, list(fitted.trial.validation.models)) == ("Q0", ["ridge", "raw"])
    assert "Done" in done
    shown = calls.shown(fitted, None)
    assert shown[2]["value"] == "ridge"
    assert "DEMO" in shown[1]
    assert [update["visible"] for update in shown[3:6]] == [True, True, True]
    assert calls.looked_at(fitted, "raw")[0]["visible"]
    paths = [Path(update["value"]) for update in calls.files_to_take(fitted)]
    assert [path.name for path in paths] == ["predictions.csv", "calibrator.json"]
    assert calls.jobs.running() == 0


@pytest.mark.parametrize(
    "asked",
    [
        ("Q9", *ASKED[1:]),
        ("Q0", "guess", *ASKED[2:]),
        ("Q0", "ridge", ["guess"], "folds", 2, 1),
        ("Q0", "ridge", None, "folds", 0, 1),
        ("Q0", "ridge", None, "folds", 2, 10**9),
        ("Q0", "ridge", None, "folds", None, 1),
        (None, "ridge", None, "folds", 2, 1),
    ],
)
def test_what_cannot_be_done_is_said(calls, asked):
    [(_, shown)] = calls.fitted(Bench(example()), *asked)
    assert "ae-error" in shown


def test_cancelled_work_leaves_what_was_there(calls):
    bench = calls.begun(Bench(example()))[0]
    going = calls.fitted(bench, "Q0", "mix", ["net"], "folds", 5, 20)
    next(going)
    assert calls.jobs.running() == 1
    told = calls.cancelled(bench)
    assert list(going)[-1][1] == told[0]
    assert calls.jobs.running() == 0


def test_the_example_is_fitted_once_for_everybody(calls, monkeypatch):
    monkeypatch.setattr(calibrating, "FIRST", (2, 1))
    monkeypatch.setattr(calibrating, "BESIDE", ("raw",))
    first = calls.opened(Bench(), "example", None, session_of_nobody())
    bench = first[0]
    assert first[-1] == bench.job != ""
    asked = ("Q0", "ridge_slopes", ["raw"], "folds", 2, 1)
    fitted = list(calls.fitted(bench, *asked))[-1][0]
    [(again, _)] = calls.fitted(calls.opened(Bench(), "example", None, session_of_nobody())[0], *asked)
    assert again.trial is fitted.trial


def test_opening_again_touches_nothing_but_the_runs(calls, session):
    told = calls.opened(Bench(example()), "example", None, session)
    assert [update for update in told if update != gr.skip()] == [calls.runs(session, None)]


def session_of_nobody():
    """Give a session without a scored run."""

    class Nobody:
        scored = ()

    return Nobody()


def test_a_column_is_renamed_once():
    assert kinds(read_renames, "Q1=Q0 Q1=Q2") == ["rename"]
