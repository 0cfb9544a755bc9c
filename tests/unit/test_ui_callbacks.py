"""The page's callbacks as plain functions: no server, no browser."""

import io
import json
import logging
import os
import threading
import time
import zipfile
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import gradio as gr
import pytest

from aeollm.errors import HubError, Problem, RunError, UsageError
from aeollm.evaluation import evaluate
from aeollm.reporting.html import Html, spoken
from aeollm.sources import DEMO, DEMO_FOLDER, LabelSet, Settings, read_upload
from aeollm.ui import catalogue as catalogue_module
from aeollm.ui import notices
from aeollm.ui.callbacks import DEMO_RUNS, OWN, Callbacks, add_labels, first_session, label_sets, score_files
from aeollm.ui.catalogue import Catalogue, Offer
from aeollm.ui.downloads import Downloads
from aeollm.ui.endpoint import make_score
from aeollm.ui.rendering import Look, loss_order, overview, questions_figure, questions_table
from aeollm.ui.session import Session, distinct
from aeollm.ui.uploads import MOST_FILES, named_files
from tests.small_files import labels_csv, run_text

CASES = Path(__file__).parents[1] / "cases"
GOOD, COARSE, BIASED = "good_judge.txt", "coarse_judge.txt", "length_biased_judge.txt"
LOOK = ("", "overall", "spearman")
MARK = {"meta": {"_type": "gradio.FileData"}}
EVIL = "<img src=x onerror=alert(1)>"


def upload(path, name=None):
    """Give what gradio makes of an upload."""
    return {"path": str(path), "orig_name": name or Path(path).name, "size": 1, **MARK}


def run_upload(judge, name=None):
    return upload(DEMO_FOLDER / "runs" / judge, name)


@pytest.fixture(scope="module")
def calls():
    """Serve the test cases' labels, under the name of their file."""
    made = Callbacks(Catalogue(Settings(labels=CASES / "labels.csv")))
    yield made
    made.downloads._folder.cleanup()


@pytest.fixture
def first(calls):
    return calls.example


def session_of(human, judge, name="judge.txt"):
    label_set = read_upload(labels_csv(human), "set.csv")
    return Session(evaluate([(run_text(judge), name)], label_set))


class TestUploads:
    def test_names_are_the_ones_given_without_folders(self):
        given = ["run【1】.txt", "C:\\runs\\mine.txt", "a/b/c", "RUN.TXT", f"{EVIL}.txt"]
        found = named_files([upload(f"/tmp/{place}/run1.txt", name) for place, name in enumerate(given)])
        assert [name for _, name in found] == ["run【1】.txt", "mine.txt", "c", "RUN.TXT", f"{EVIL}.txt"]
        assert found[0][0] == Path("/tmp/0/run1.txt")

    def test_seven_uploads_stay_seven(self):
        """C44: a cleaned name that collides loses no file."""
        names = [entry["orig_name"] for entry in json.loads((CASES / "dev/C44/uploads.json").read_text("utf-8"))]
        found = named_files([upload(f"/tmp/{place}/run.txt", name) for place, name in enumerate(names)])
        assert len(found) == 7
        assert len(set(distinct([name for _, name in found]))) == 7

    @pytest.mark.parametrize("nothing", [None, [], ()])
    def test_nothing_is_no_files(self, nothing):
        assert named_files(nothing) == []

    @pytest.mark.parametrize(
        "wrong",
        [
            {"path": "/etc/passwd"},
            {"path": "/etc/passwd", "meta": None},
            {"path": "/etc/passwd", "meta": {"_type": "other"}},
            {"path": "/etc/passwd", "meta": "gradio.FileData"},
            {"path": None, **MARK},
            {"url": "http://x", **MARK},
            "/etc/passwd",
            None,
        ],
    )
    def test_what_did_not_come_through_an_upload_is_refused(self, wrong):
        with pytest.raises(UsageError) as caught:
            named_files([run_upload(GOOD), wrong])
        assert [problem.kind for problem in caught.value.problems] == ["not_uploaded"]

    def test_more_than_the_most_are_refused(self):
        named_files([run_upload(GOOD)] * MOST_FILES)
        with pytest.raises(RunError) as caught:
            named_files([run_upload(GOOD)] * (MOST_FILES + 1))
        assert [problem.kind for problem in caught.value.problems] == ["too_many_files"]


class TestDistinct:
    @pytest.mark.parametrize(
        ("names", "shown"),
        [
            (["a", "a", "a"], ["a", "a (2)", "a (3)"]),
            (["a", "a", "a (2)"], ["a", "a (2)", "a (2) (2)"]),
            (["a (2)", "a", "a"], ["a (2)", "a", "a (3)"]),
            ([], []),
        ],
    )
    def test_equal_names_are_told_apart(self, names, shown):
        assert distinct(names) == shown


class TestCatalogue:
    @pytest.fixture
    def hub(self, monkeypatch):
        """Answer for the Hub: a list of what it does each time, and a gate before it."""
        answers, gate = [], threading.Event()
        gate.set()

        def hub_sets(_settings):
            gate.wait(10)
            answer = answers.pop(0)
            if isinstance(answer, Exception):
                raise answer
            return answer

        monkeypatch.setattr(catalogue_module, "hub_sets", hub_sets)
        return SimpleNamespace(answers=answers, gate=gate)

    @staticmethod
    def settled(catalogue):
        for thread in threading.enumerate():
            if thread.name == "labels from the Hub":
                thread.join(10)
        return catalogue.offer()

    @pytest.fixture
    def trouble(self):
        return HubError("THUIR/AEOLLM", [Problem("error", "gated", "access is asked for.", "Ask for it.")])

    @pytest.fixture
    def from_hub(self):
        return {"train": read_upload((CASES / "labels.csv").read_bytes(), "train.csv")}

    def test_the_demo_is_there_while_the_hub_is_asked(self, hub, from_hub):
        hub.gate.clear()
        hub.answers.append(from_hub)
        catalogue = Catalogue(Settings(repo="some/where"))
        assert (catalogue.offer().default, catalogue.offer().pending) == (DEMO, "some/where")
        hub.gate.set()
        offer = self.settled(catalogue)
        assert (list(offer.sets), offer.default, offer.pending, offer.trouble) == (["train", DEMO], "train", "", "")

    def test_a_hub_in_trouble_is_told_and_asked_again_later(self, hub, from_hub, trouble, monkeypatch):
        hub.answers += [trouble, from_hub]
        catalogue = Catalogue(Settings())
        offer = self.settled(catalogue)
        assert (list(offer.sets), offer.default) == ([DEMO], DEMO)
        assert offer.trouble == "access is asked for. Ask for it."
        assert self.settled(catalogue).trouble, "not asked again at once"
        now = time.monotonic()
        monkeypatch.setattr(catalogue_module.time, "monotonic", lambda: now + 61)
        assert self.settled(catalogue).trouble, "only a page that is opened asks again"
        assert catalogue.offer(retry=True).pending or catalogue.offer().default == "train"
        assert self.settled(catalogue).default == "train"

    def test_a_bug_is_logged_and_leaves_the_demo(self, hub, monkeypatch, caplog):
        crashed = []
        monkeypatch.setattr(threading, "excepthook", crashed.append)
        hub.answers.append(ZeroDivisionError("secret"))
        with caplog.at_level(logging.ERROR):
            offer = self.settled(Catalogue(Settings()))
        assert (offer.default, offer.pending) == (DEMO, "")
        assert "log" in offer.trouble
        assert "secret" not in offer.trouble
        assert "loading the labels failed" in caplog.text
        assert len(crashed) == 1

    def test_local_labels_do_not_tell_the_servers_folders(self):
        offer = Catalogue(Settings(labels=CASES / "labels.csv")).offer()
        assert list(offer.sets) == ["labels", DEMO]
        assert offer.default == "labels"
        assert offer.sets["labels"].labels.source == "labels.csv"

    @pytest.mark.parametrize("content", [None, b"", b"<html>"])
    def test_local_labels_that_cannot_be_read_leave_the_demo(self, tmp_path, content):
        path = tmp_path / "labels.csv"
        if content is not None:
            path.write_bytes(content)
        offer = Catalogue(Settings(labels=path)).offer()
        assert (list(offer.sets), offer.default) == ([DEMO], DEMO)
        assert offer.trouble

    def test_a_folder_without_labels_leaves_the_demo(self, tmp_path):
        offer = Catalogue(Settings(labels=tmp_path)).offer()
        assert (list(offer.sets), offer.default) == ([DEMO], DEMO)
        assert "no CSV" in offer.trouble


class TestScoring:
    def test_the_first_page_shows_the_whole_demo_runs(self, calls):
        session = first_session(calls.catalogue)
        assert session.example
        assert [name for name, _ in session.scored] == [GOOD, COARSE, BIASED]
        assert session.evaluation.label_set.labels.demo

    def test_without_files_the_example_comes_back_and_own_labels_stay(self, calls, first):
        own = (("own: x", calls.catalogue.demo),)
        session = score_files(replace(first, own=own, example=False), calls.catalogue.offer(), DEMO, [], example=first)
        assert session.example
        assert session.own == own

    def test_an_unknown_set_is_the_default(self, calls, first):
        files = [(CASES / "base_run.txt", None)]
        session = score_files(first, calls.catalogue.offer(), "nosuch", files, example=first)
        assert session.evaluation.label_set.labels.name == "labels"

    def test_runs_are_ranked_and_refused_ones_last(self, calls, first):
        files = [(path, None) for path in reversed(DEMO_RUNS)]
        session = score_files(first, calls.catalogue.offer(), DEMO, files, example=first)
        assert [name for name, _ in session.ranked] == [GOOD, COARSE, BIASED, "broken_run.txt"]
        assert [name for name, _ in session.scored] == [GOOD, COARSE, BIASED]
        assert not session.example

    def test_an_undefined_run_ranks_between_scored_and_refused(self, calls, first, tmp_path):
        lines = (DEMO_FOLDER / "runs" / GOOD).read_text("utf-8").splitlines()
        same = "\n".join(" ".join([*line.split()[:3], "5", "5", "5", "5"]) for line in lines)
        constant = tmp_path / "constant.txt"
        constant.write_text(same, "utf-8")
        files = [(DEMO_FOLDER / "runs" / "broken_run.txt", None), (constant, None), (DEMO_RUNS[-1], None)]
        session = score_files(first, calls.catalogue.offer(), DEMO, files, example=first)
        assert [name for name, _ in session.ranked] == [BIASED, "constant.txt", "broken_run.txt"]


class TestOwnLabels:
    def test_they_are_added_under_the_files_name(self, first):
        session, name = add_labels(first, upload(CASES / "labels.csv", "my【1】.csv"))
        assert name == f"{OWN}my【1】"
        assert dict(session.own)[name].labels.labelled
        assert first.own == (), "a session is not changed in place"

    def test_an_improved_file_takes_the_place_of_the_first(self, first, tmp_path):
        session, name = add_labels(first, upload(CASES / "labels.csv", "my.csv"))
        keys = tmp_path / "keys.csv"
        keys.write_bytes(b"questionId,answerId\n1,a\n")
        session, again = add_labels(session, upload(keys, "my.csv"))
        assert again == name
        assert [own for own, _ in session.own] == [name]
        assert not dict(session.own)[name].labels.labelled

    def test_they_cannot_take_the_place_of_the_servers(self, calls, first):
        session, name = add_labels(first, upload(CASES / "labels.csv", "demo.csv"))
        sets = label_sets(session, calls.catalogue.offer())
        assert sets[DEMO] is calls.catalogue.demo
        assert set(sets) == {"labels", DEMO, name}

    @pytest.mark.parametrize("content", [b"", b"nonsense", b"PK\x03\x04", b"questionId,answerId\n"])
    def test_what_is_wrong_with_them_is_kept_and_the_rest_as_it_was(self, first, tmp_path, content):
        path = tmp_path / "x.csv"
        path.write_bytes(content)
        session, name = add_labels(first, upload(path))
        assert name is None
        assert session.refused
        assert session.evaluation is first.evaluation

    def test_a_path_is_no_upload(self, first):
        session, name = add_labels(first, {"path": "/etc/passwd"})
        assert name is None
        assert [problem.kind for problem in session.refused] == ["not_uploaded"]

    def test_scoring_again_follows_the_choice(self, calls, first):
        runs = [upload(CASES / "base_run.txt")]
        shown = calls.own_labels(upload(CASES / "labels.csv", "mine.csv"), runs, DEMO, first, *LOOK)
        picker, status, _, session, *_ = shown
        assert picker["value"] == f"{OWN}mine"
        assert picker["choices"][-1] == (f"{OWN}mine",) * 2 or picker["choices"][-1] == f"{OWN}mine"
        assert "3 questions" in status
        assert [name for name, _ in session.scored] == ["base_run.txt"]


class TestCallbacks:
    def test_a_drop_fills_everything_that_shows_results(self, calls, first):
        shown = calls.scored([run_upload(GOOD), run_upload(COARSE)], DEMO, first, *LOOK)
        session, report, table, figure, run, view, results, questions, dots, *taken = shown
        assert [update["interactive"] for update in taken] == [False, False]
        assert [name for name, _ in session.scored] == [GOOD, COARSE]
        assert report == ""
        assert table.count("<tr>") == 3
        assert figure["visible"] is True
        # The views are those of the demo, as before: there is nothing to offer anew.
        assert (run["value"], view) == (GOOD, "overall")
        assert results["visible"] is True
        assert len(questions["value"]["data"]) == 8
        assert len(dots.data[0].y) == 8

    def test_what_is_offered_already_is_only_chosen(self, calls, first):
        """gradio keeps each dropdown that it made for new choices: a session of many drops would grow."""
        session = calls.scored([run_upload(GOOD)], DEMO, first, *LOOK)[0]
        again = calls.scored([run_upload(COARSE, GOOD)], DEMO, session, *LOOK)
        assert again[4:6] == [GOOD, "overall"]
        assert again[0] is not session
        *_, run, view = calls.scored([upload(CASES / "base_run.txt")], "labels", session, *LOOK)[:6]
        assert run["choices"] == [("base_run.txt", "base_run.txt")]
        assert view == "overall"

    def test_a_refused_run_alone_hides_the_results(self, calls, first):
        shown = calls.scored([run_upload("broken_run.txt")], DEMO, first, *LOOK)
        session, report, _, figure, run, _, results, questions, dots, *_ = shown
        assert "refused: 6 problems" in report
        assert session.scored == []
        assert (figure["visible"], results["visible"], run["value"], dots) == (False, False, None, None)
        assert questions["value"]["data"] == []

    def test_too_many_files_leave_what_was_scored(self, calls, first):
        session, report, *_ = calls.scored([run_upload(GOOD)] * (MOST_FILES + 1), DEMO, first, *LOOK)
        assert session.evaluation is first.evaluation
        assert "at most 100" in report

    def test_the_demo_runs_are_scored_against_the_demo_whatever_is_chosen(self, calls, first):
        files, picker, status, _, session, report, *_ = calls.demo_runs(first, *LOOK)
        assert [Path(path).name for path in files] == [path.name for path in DEMO_RUNS]
        assert picker["value"] == DEMO
        assert "DEMO" in status
        assert session.evaluation.label_set.labels.demo
        assert "broken_run.txt refused" in report

    def test_another_look_shows_other_numbers(self, calls, first):
        table, questions, figure = calls.looked_at(first, COARSE, "insight", "kendall")
        scores = dict(first.scored)[COARSE]
        mean = scores.mean("insight", "kendall").mean
        assert notices.number(mean) in table
        assert f"mean {mean:.3f}" in [note.text for note in figure.layout.annotations]
        assert {row[0] for row in questions["value"]["data"]} == set(scores.questions)

    def test_what_is_looked_at_outlives_a_drop(self, calls, first):
        shown = calls.scored([run_upload(GOOD), run_upload(COARSE)], DEMO, first, COARSE, "insight", "kendall")
        _, _, _, _, run, view, _, _, dots, *_ = shown
        assert (run["value"], view) == (COARSE, "insight")
        assert "insight" in dots.layout.xaxis.title.text

    @pytest.mark.parametrize("run", ["nosuch", None, ""])
    def test_an_unknown_look_is_the_first(self, first, run):
        name, _, view, measure = Look(run, "nosuch", "nosuch").resolve(first)
        assert (name, view, measure) == (GOOD, "overall", "spearman")

    def test_a_clicked_name_chooses_the_run(self, calls, first):
        for asked, chosen in ((COARSE, COARSE), ("nosuch", GOOD), (None, GOOD)):
            event = SimpleNamespace(_data={"run": asked})
            run, _, _ = calls.clicked_run(first, "overall", "spearman", event)
            assert run["value"] == chosen

    def test_an_address_chooses_what_there_is(self, calls, first):
        asked = {"labels": DEMO, "view": "insight", "measure": "accuracy"}
        picker, _, _, timer, view, measure, table, *_ = calls.opened(first, SimpleNamespace(query_params=asked))
        assert timer["active"] is False
        assert (picker["value"], view, measure) == (DEMO, "insight", "accuracy")
        assert "<img" not in table

    @pytest.mark.parametrize("asked", [{}, {"labels": EVIL, "view": EVIL, "measure": EVIL}])
    def test_what_a_page_shows_already_is_not_sent_again(self, calls, first, asked):
        picker, status, template, timer, *seen = calls.opened(first, SimpleNamespace(query_params=asked))
        assert (picker["value"], timer["active"]) == ("labels", False)
        assert "labels" in status
        assert Path(template).is_file()
        assert seen == [gr.skip()] * 5

    def test_a_page_that_is_used_already_is_left_alone(self, calls, first):
        asked = SimpleNamespace(query_params={"labels": DEMO, "view": "insight"})
        scored, *_ = calls.scored([run_upload(GOOD)], DEMO, first, *LOOK)
        labelled, _ = add_labels(first, upload(CASES / "labels.csv", "mine.csv"))
        for session in (scored, labelled):
            *told, timer = [part for part in calls.opened(session, asked) if part != gr.skip()]
            assert told == []
            assert timer["active"] is True

    @pytest.mark.parametrize(
        ("uploads", "chosen", "shown"),
        [
            (None, DEMO, "labels"),
            ([run_upload(GOOD)], DEMO, DEMO),
            (None, "nosuch", "labels"),
            (None, "labels", "labels"),
            ([run_upload(GOOD)], "labels", "labels"),
        ],
    )
    def test_labels_that_arrive_are_chosen_while_nothing_is_scored(self, calls, first, uploads, chosen, shown):
        picker, *_ = calls.refreshed(uploads, chosen, first)
        assert picker["value"] == shown

    def test_the_template_is_named_after_its_labels(self, calls, first):
        session, name = add_labels(first, upload(CASES / "labels.csv", "a b|c<d>.csv"))
        _, template = calls.chosen(name, session)
        assert Path(template).name.startswith("template_a_b_c_d_")
        assert Path(template).read_bytes().count(b"\n") == 12

    def test_what_is_taken_is_the_sessions_own(self, calls, first):
        session, *_ = calls.scored([run_upload(GOOD)], DEMO, first, *LOOK)
        taken = calls.files_to_take(session)
        assert all(update["interactive"] for update in taken)
        paths = [Path(update["value"]) for update in taken]
        assert [path.name for path in paths] == ["scores.json", "questions.csv"]
        assert [run["name"] for run in json.loads(paths[0].read_text("utf-8"))["runs"]] == [GOOD]
        others = [Path(update["value"]) for update in calls.files_to_take(first)]
        assert not {path.parent for path in paths} & {path.parent for path in others}


class TestDownloads:
    @pytest.fixture
    def downloads(self):
        made = Downloads()
        yield made
        made._folder.cleanup()

    def test_equal_contents_share_a_file_and_others_do_not(self, downloads):
        one, same, other = (downloads.write("x.csv", content) for content in (b"1", b"1", b"2"))
        assert one == same
        assert one != other
        assert Path(one).read_bytes() == b"1"

    def test_old_files_are_removed(self, downloads):
        old, new = downloads.write("x.csv", b"old"), downloads.write("x.csv", b"new")
        os.utime(old, (0, 0))
        downloads.write("y.csv", b"y")
        assert not Path(old).exists()
        assert Path(new).exists()


class TestEndpoint:
    @pytest.fixture
    def score(self, calls):
        return make_score(calls.catalogue)

    def test_it_gives_the_object_of_the_command_line(self, calls, score):
        given = score([run_upload(GOOD), run_upload("broken_run.txt")], DEMO)
        files = [(DEMO_FOLDER / "runs" / name, None) for name in (GOOD, "broken_run.txt")]
        assert given == evaluate(files, calls.catalogue.demo).to_json(per_question=True)
        json.dumps(given, allow_nan=False)

    def test_an_unknown_set_is_named_with_what_there_is(self, score):
        given = score([run_upload(GOOD)], EVIL)
        [problem] = given["labels"]["problems"]
        assert problem["kind"] == "unknown_set"
        assert EVIL in problem["message"]
        assert "labels, demo" in problem["message"]
        assert given["runs"] == []

    def test_a_path_is_no_upload(self, score):
        given = score([{"path": "/etc/passwd"}], DEMO)
        assert [problem["kind"] for problem in given["labels"]["problems"]] == ["not_uploaded"]
        assert given["runs"] == []
        assert "root" not in json.dumps(given)

    def test_no_files_is_an_empty_list_of_runs(self, score):
        assert score([], DEMO)["runs"] == []


class TestNotices:
    @pytest.fixture
    def demo(self, calls):
        return calls.catalogue.demo

    def test_status_says_what_is_chosen(self, calls, demo):
        offer = calls.catalogue.offer()
        assert "DEMO: simulated labels" in notices.status(demo, offer, DEMO)
        told = spoken(Html(notices.status(offer.sets["labels"], offer, "labels")))
        assert "DEMO" not in told
        assert "3 questions · 12 answers · equal weights" in told
        keys = LabelSet(read_upload(b"questionId,answerId\n1,a\n", "keys.csv").labels, None)
        assert "keys only" in notices.status(keys, offer, "own: keys")

    def test_status_says_what_is_under_way_or_went_wrong(self, demo):
        pending = Offer({DEMO: demo}, DEMO, pending=f"some/{EVIL}")
        assert "Loading some/&lt;img" in notices.status(demo, pending, DEMO)
        trouble = Offer({DEMO: demo}, DEMO, trouble=f"Gone {EVIL}.")
        told = notices.status(demo, trouble, DEMO)
        assert "not available." in told
        assert "Gone &lt;img" in told
        assert EVIL not in told
        assert "not available" not in notices.status(demo, trouble, "own: mine")

    def test_a_revision_is_cut_and_shown_with_its_repository(self, demo):
        labels = replace(demo.labels, demo=False, source=f"THUIR/AEOLLM@{'3f2a' * 10}", revision="3f2a" * 10)
        told = notices.status(LabelSet(labels, None), Offer({}, ""), "train")
        assert "THUIR/AEOLLM@3f2a3f2a<" in told

    @pytest.mark.parametrize(("count", "more"), [(1, None), (5, None), (6, "and 1 more"), (300, "and 295 more")])
    def test_five_problems_are_shown_and_the_others_counted(self, count, more):
        human = [("q", f"a{number}", number % 7 + 2) for number in range(count + 2)]
        session = session_of(human, human[:2])
        told = notices.report(session)
        assert f"refused: {count} problem" in told
        shown, _, rest = told.partition("<details>")
        assert shown.count("<li>") == min(count, 5)
        assert (more in rest) if more else rest == ""

    def test_nothing_to_say_is_nothing(self, calls, first):
        assert notices.report(first) == ""
        human = [("q", "a", 1), ("q", "b", 2), ("q", "c", 4)]
        session, *_ = calls.scored([run_upload(GOOD)], DEMO, first, *LOOK)
        assert notices.report(session) == ""
        assert notices.report(session_of(human, human)) == "" or "scored" in notices.report(session_of(human, human))

    def test_everything_quoted_is_escaped(self):
        word = EVIL.replace(" ", "")
        human = [(word, "a", 1), (word, "b", 2), ("q", "a", 1), ("q", "b", 2)]
        for judge in (human, [*human[:3], (word, f"{word}2", 3)], [(word, "a", 5), (word, "b", 5), *human[2:]]):
            session = session_of(human, judge, name=f"{EVIL}\u202e.txt")
            for measure in ("spearman", "accuracy"):
                told = notices.report(session) + notices.results(session, measure)
                assert "<img" not in told
                assert "&lt;img" in told
                assert "\u202e" not in told.replace('data-run="', "").split("data-run")[0] or session.scored

    def test_undefined_questions_are_named_in_text(self):
        human = [("q1", "a", 1), ("q1", "b", 2), ("q2", "a", 1), ("q2", "b", 2)]
        told = notices.results(session_of(human, [("q1", "a", 5), ("q1", "b", 5), *human[2:]]), "spearman")
        assert "1 undef." in told
        foot = told.partition('<ul class="ae-foot">')[2]
        assert "question q1" in foot
        assert "undefined on overall 1, " in spoken(Html(foot.partition("</ul>")[0]))

    def test_pooled_accuracy_is_shown_where_it_differs(self):
        human = [("q1", "a", 1), ("q1", "b", 2), *(("q2", answer, place) for place, answer in enumerate("abcd"))]
        session = session_of(human, [("q1", "a", 2), ("q1", "b", 1), *human[2:]])
        assert "pooled .857" in spoken(Html(notices.results(session, "accuracy")))
        assert "pooled" not in notices.results(session, "spearman")

    @pytest.mark.parametrize(
        ("name", "shown"),
        [("run.txt", "run.txt"), ("x" * 200 + ".txt", "x" * 44 + "…" + "x" * 11 + ".txt"), ("a\x07b", "a\\x07b")],
    )
    def test_names_are_cut_in_the_middle(self, name, shown):
        assert notices.shown_name(name) == shown


class TestQuestions:
    def test_most_pairs_lost_come_first_and_the_demos_prompts_are_there(self, first):
        table = questions_table(first, Look(GOOD, "insight", "kendall"))
        lost = [row[table["headers"].index("lost")] for row in table["data"]]
        assert lost == sorted(lost, reverse=True)
        assert all(row[table["headers"].index("prompt")] for row in table["data"])
        scores = dict(first.scored)[GOOD]
        assert [row[0] for row in table["data"]] == [scores.questions[q] for q in loss_order(scores, "insight")]

    def test_columns_that_say_nothing_are_left_out(self):
        human = [("q1", "a", 1), ("q1", "b", 2)]
        table = questions_table(session_of(human, human), Look())
        assert "prompt" not in table["headers"]
        assert "undefined because" not in table["headers"]
        constant = questions_table(session_of(human, [("q1", "a", 5), ("q1", "b", 5)]), Look())
        assert "undefined because" in constant["headers"]
        assert constant["metadata"]["display_value"][0][constant["headers"].index("ρ")] == "–"
        json.dumps(constant, allow_nan=False)

    def test_nothing_scored_is_an_empty_table_and_no_figure(self):
        session = session_of([("q", "a", 1), ("q", "b", 2)], [("q", "a", 1)])
        assert questions_table(session, Look())["data"] == []
        assert questions_figure(session, Look()) is None

    def test_the_overview_is_marked_for_the_demo_only(self, first):
        human = [("q1", "a", 1), ("q1", "b", 2)]
        assert [note.text for note in overview(first).layout.annotations] == ["DEMO: simulated labels"]
        assert list(overview(session_of(human, human)).layout.annotations) == []


def test_a_zip_of_labels_and_rubrics_is_read():
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.write(CASES / "labels.csv", "labels.csv")
        for path in (CASES / "rubric").glob("*.json"):
            archive.write(path, path.name)
    found = read_upload(content.getvalue(), "mine.zip")
    assert "rubric weights" in notices.status(found, Offer({}, ""), "own: mine")


def test_labels_of_more_answers_than_the_page_takes_are_refused():
    from aeollm import LabelsError, read_labels  # noqa: PLC0415  beside what it tests
    from aeollm.ui.uploads import MOST_ANSWERS, refuse_many  # noqa: PLC0415  as above

    rows = "".join(f"q{number},a\n" for number in range(MOST_ANSWERS + 1))
    labels = read_labels(f"questionId,answerId\n{rows}".encode())
    with pytest.raises(LabelsError, match="20,001 answers"):
        refuse_many(labels)
