"""The Judge tab's state without a browser: what comes and goes, what belongs to which run, who pays for what."""

import io
import threading
import time
import zipfile
from dataclasses import astuple
from pathlib import Path
from types import SimpleNamespace

import gradio as gr
import pytest

from aeollm.sources import DEMO, Settings
from aeollm.ui import judge_desk
from aeollm.ui.callbacks import Callbacks, first_session
from aeollm.ui.catalogue import Catalogue
from aeollm.ui.judge_access import Access
from aeollm.ui.judge_calls import Judging
from aeollm.ui.judge_desk import Desk
from aeollm.ui.judge_handing import Handing
from aeollm.ui.judge_inputs import DEMO_REPORTS
from aeollm.ui.judge_looks import Looks
from aeollm.ui.judge_runs import Runs
from aeollm.ui.judge_setup import Wanted
from aeollm.ui.judge_turns import Turn
from tests.judging.scripted import SCORES, Answer

PAGE = "0123456789abcdef" * 2
OWN = (
    'recipe = 1\nname = "mine"\n[[ask]]\ndo = "holistic"\nprompt = "strict"\nmax_tokens = 60\n'
    '[[step]]\ndo = "run"\nfrom = "holistic"\n'
)
STRICT = '+++\nversion = "1"\n+++\n# user\nBe strict, {{ low }} to {{ high }}.\n'
STRICT += "{{ dimensions }}\n{{ question }}\n{{ report }}\n{{ format }}\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Let gradio keep uploads, and desks what they write, in a folder of the test's own."""
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path))
    return tmp_path


@pytest.fixture
def usual_answer():
    return Answer(SCORES)


@pytest.fixture(scope="module")
def score():
    calls = Callbacks(Catalogue(Settings(labels=DEMO_REPORTS.parent)))
    yield calls
    calls.downloads._folder.cleanup()


@pytest.fixture
def runs(score):
    return Runs(Judging(score, Access(local=True)))


class Page:
    """One visitor's page, as the browser sees it: what is in the fields, and what came back last."""

    def __init__(self, runs, session="s", **fields):
        self.runs, self.judging = runs, runs.judging
        self.request = gr.Request(session_hash=session)
        self.session = first_session(runs.judging.score.catalogue)
        self.labels, self.fields, self.desk = DEMO, {"models": "m"} | fields, None

    @property
    def setup(self):
        return [self.labels, self.session, *astuple(Wanted(**self.fields))]

    def open(self):
        self.desk, *self.told = self.judging.opened(self.request, self.desk, *self.setup)
        return self

    def change(self, **fields):
        self.fields |= fields
        self.told = self.judging.measured(self.desk, *self.setup)

    def drop(self, *files):
        self.desk, *self.told = self.judging.dropped(self.request, self.desk, list(files), *self.setup)

    @property
    def can_run(self):
        return self.told[4]["interactive"]

    def press(self, name):
        handler = {"trial": self.runs.trial_here, "run": self.runs.run_here}[name]
        self.desk, self.progress, *rest = handler(self.request, self.desk, "", *self.setup)
        return rest

    def done(self, name):
        self.press(name)
        self.desk.job.join(20)
        return self.tick()

    def tick(self):
        self.progress, *rest = self.runs.ticked(self.request, self.desk)
        self.told = self.judging.measured(self.desk, *self.setup)
        return rest[6]

    @property
    def came_of(self):
        return self.told[5]


@pytest.fixture
def visitor(runs, judge):
    visitor = Page(runs, base_url=judge.address).open()
    yield visitor
    visitor.desk.close()


@pytest.fixture
def upload(folder):
    """Upload as gradio does: equal files are one."""

    def take(name, content):
        path = folder / str(abs(hash(content))) / name.rsplit("/", 1)[-1]
        path.parent.mkdir(exist_ok=True)
        path.unlink(missing_ok=True)
        path.write_bytes(content)
        return {"path": str(path), "orig_name": name, "meta": {"_type": "gradio.FileData"}}

    return take


def zipped(**files):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, text in files.items():
            archive.writestr(f"Report2/{name}.md", text)
    return content.getvalue()


def wait_for(what):
    deadline = time.monotonic() + 10
    while not what() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert what()


def gated(judge):
    gate = threading.Event()

    def script(_seen):
        gate.wait(20)
        return Answer(SCORES)

    judge.script = script
    return gate


def test_all_reports_are_judged_after_a_trial_of_just_this(visitor, judge):
    assert not visitor.can_run
    assert "The trial is done" in visitor.done("trial")
    assert visitor.can_run
    for change in ({"recipe": "one-call"}, {"models": "n"}, {"base_url": f"{judge.address}/"}, {"temperature": 1}):
        before = {name: visitor.fields.get(name, getattr(Wanted(), name)) for name in change}
        visitor.change(**change)
        assert not visitor.can_run, change
        visitor.change(**before)
        assert visitor.can_run
    visitor.change(concurrency=1)
    assert visitor.can_run
    assert "there was no trial" not in visitor.done("run")
    assert len(judge.seen) == 8


def test_what_is_wrong_is_told_once(visitor, judge):
    visitor.change(base_url="http://169.254.169.254/")
    assert "no judge is asked" in visitor.told[0]
    assert not visitor.told[3]["interactive"]
    visitor.press("trial")
    assert visitor.progress == ""
    # What is not among the fields is told where the button is, until something changes.
    visitor.change(base_url=judge.address, models="")
    visitor.press("trial")
    assert "no model is named" in visitor.progress
    visitor.told = visitor.judging.measured(visitor.desk, *visitor.setup)
    assert visitor.told[2] == gr.skip()
    visitor.change(models="m")
    assert visitor.told[2] == ""
    for fields in ({"timeout": -1}, {"seed": 0.5}, {"most_calls": 0.5}):
        visitor.change(**fields)
        assert "This cannot be done" in visitor.told[0]
        visitor.change(**{name: getattr(Wanted(), name) for name in fields})
    assert judge.seen == []


def test_two_presses_at_once_start_it_once(visitor, judge):
    presses = [threading.Thread(target=visitor.press, args=("trial",)) for _ in range(4)]
    for press in presses:
        press.start()
    for press in presses:
        press.join()
    visitor.desk.job.join(20)
    assert len(judge.seen) == 3


def test_what_came_of_another_setup_is_marked_and_makes_room(visitor):
    visitor.done("trial")
    assert visitor.came_of == ""
    visitor.change(models="n")
    assert "have been changed" in visitor.came_of
    assert "holistic · m · http" in visitor.came_of
    visitor.change(models="m")
    assert visitor.came_of == ""
    _, _, _, _, _, _, result, *buttons, came_of = visitor.press("run")
    assert (result, came_of) == ("", "")
    assert not any(button["interactive"] for button in buttons)
    visitor.desk.job.join(20)


@pytest.fixture
def swapped(visitor, upload):
    """Judge the demo's reports, then drop other ones; give the digest of those judged."""
    visitor.done("trial")
    visitor.done("run")
    judged_on = visitor.desk.reports.digest
    visitor.drop(upload("mine.zip", zipped(Doc_001="Mine.")))
    visitor.change(partial=True)
    assert not visitor.desk.demo
    visitor.tick()
    return judged_on


def test_what_is_handed_over_is_of_the_run_whatever_lies_there_now(visitor, swapped):
    handing = Handing(visitor.judging, SimpleNamespace())
    session, picked, *_ = handing.labels(visitor.desk, visitor.session)
    assert picked["value"] == "own: 8 of 128 answers of demo"
    assert dict(session.own)[picked["value"]].labels.demo
    recipe = next(path for path in judge_files(visitor) if path.name == "recipe.toml").read_text()
    assert swapped in recipe
    assert visitor.desk.reports.digest not in recipe


@pytest.mark.usefixtures("swapped")
def test_a_lost_call_is_looked_into_as_it_was_asked(visitor, upload):
    looks = Looks(visitor.judging)
    _, asked, at = looks.clicked(visitor.desk, event(call="holistic:5"))
    number, shown = looks.looked(0, visitor.desk, asked["value"], at, *visitor.setup)
    assert (number["value"], number["maximum"]) == (5, 8)
    assert "Mine." not in shown
    # What is typed once something has changed is looked into as it would be asked now.
    visitor.change(partial=False)
    visitor.change(partial=True)
    number, shown = looks.looked(0, visitor.desk, "holistic", 1e12, *visitor.setup)
    assert (number["value"], number["maximum"]) == (1, 1)
    assert "Mine." in shown
    # Nothing that can be read lies there now: the run's own calls are there all the same.
    visitor.drop(upload("broken.zip", b"PK\x03\x04"))
    assert "damaged" in looks.looked(0, visitor.desk, "holistic", 1, *visitor.setup)[1]
    looks.clicked(visitor.desk, event(call="holistic:5"))
    assert "holistic 5 / 8" in looks.looked(0, visitor.desk, "holistic", 5, *visitor.setup)[1]


def judge_files(visitor):
    return [path for path in visitor.desk._out.rglob("*") if path.is_file()]


def event(**data):
    return gr.EventData(None, data)


def test_calls_are_looked_into_from_the_first_to_the_last(visitor):
    def at(by, number):
        return Looks(visitor.judging).looked(by, visitor.desk, "holistic", number, *visitor.setup)[0]["value"]

    assert [at(1, 8), at(-1, 1), at(0, 0), at(0, -5), at(0, 99), at(0, None), at(1, 3)] == [8, 1, 1, 1, 8, 1, 4]


def test_a_run_is_scored_by_the_labels_it_was_judged_with(visitor, score, upload):
    handing = Handing(visitor.judging, SimpleNamespace())
    demo = DEMO_REPORTS.parent / "aeollm-2-train"
    lines = (demo / "train_deepresearch.csv").read_text("utf-8-sig").splitlines()
    rubric = (demo / "rubric_dataset" / "criterion2.json").read_text("utf-8")

    def labels_of(count):
        content = io.BytesIO()
        with zipfile.ZipFile(content, "w") as archive:
            archive.writestr("set/train_deepresearch.csv", "\n".join(lines[: 1 + count]) + "\n")
            archive.writestr("set/rubric_dataset/criterion2.json", rubric)
        return content.getvalue()

    look = ("", "overall", "spearman")
    found = score.own_labels(upload("set.zip", labels_of(3)), None, DEMO, visitor.session, *look)
    visitor.session, visitor.labels = found[3], "own: set"
    visitor.drop(upload("mine.zip", zipped(Doc_001="One.", Doc_002="Two.", Doc_003="Three.")))
    visitor.done("trial")
    visitor.done("run")
    session, picked, *_ = handing.labels(visitor.desk, visitor.session)
    assert picked["value"] == "own: set"
    # Another set of that name, and the demo's reports in the zone, change nothing of it.
    found = score.own_labels(upload("set.zip", labels_of(2)), None, DEMO, visitor.session, *look)
    visitor.session = found[3]
    visitor.drop()
    session, picked, *_ = handing.labels(visitor.desk, visitor.session)
    assert picked["value"] == "own: set as judged with"
    assert len(dict(session.own)[picked["value"]].labels) == 3


def test_all_reports_are_not_judged_without_a_trial_whatever_a_browser_sends(visitor, judge):
    # The button is grey; what it would send is sent all the same.
    visitor.press("run")
    assert "there was no trial" in visitor.progress
    visitor.done("trial")
    visitor.change(models="n")
    job = visitor.desk.job
    visitor.press("run")
    assert visitor.desk.job is job
    assert {seen.body["model"] for seen in judge.seen} == {"m"}
    assert len(judge.seen) == 3


def test_replies_of_another_place_are_not_read(visitor, judge):
    visitor.done("trial")
    visitor.done("trial")
    assert len(judge.seen) == 3
    visitor.change(base_url=f"{judge.address}/")
    visitor.done("trial")
    assert len(judge.seen) == 6


def test_no_key_in_the_log_of_a_bug(visitor, monkeypatch, caplog):
    def broken(_task, _folder, running):
        raise RuntimeError(f"sent with {running.keys['judge']}")

    monkeypatch.setattr("aeollm.ui.judge_job.run_method", broken)
    visitor.desk, *_ = visitor.runs.trial_here(visitor.request, visitor.desk, "sk-a-key-of-ours", *visitor.setup)
    visitor.desk.job.join(20)
    assert "RuntimeError: sent with [key]" in caplog.text
    assert "sk-a-key-of-ours" not in caplog.text
    assert [problem.kind for problem in visitor.desk.job.problems] == ["bug"]
    assert "sk-a-key-of-ours" not in str(visitor.desk.job.problems) + str(vars(visitor.desk.job))


def test_a_paused_run_gives_its_place_to_others():
    places = threading.Semaphore(1)
    first, second = Turn(places), Turn(places)
    assert (first.take(), second.take()) == (True, False)
    assert (first.paused, second.paused, second.queueing) == (False, True, True)
    first.pause()
    assert not second.paused
    first.resume()
    assert (first.paused, first.halted, first.queueing) == (True, False, True)
    second.step_away()
    assert not first.paused
    second.step_back()
    assert second.paused
    # A place that is free is taken at once, not when the call under way has ended.
    first.pause()
    first.resume()
    assert not first.queueing
    first.finish()
    assert not first.take()
    assert not second.paused
    second.finish()
    second.finish()
    assert places.acquire(blocking=False)
    assert not places.acquire(blocking=False)


def test_work_that_is_cancelled_while_it_waits_takes_no_place_later(visitor, runs, judge):
    for _ in range(2):
        assert runs.places.acquire(blocking=False)
    visitor.press("trial")
    assert visitor.desk.job.waiting
    runs.cancelled(visitor.desk)
    visitor.desk.job.join(20)
    for _ in range(2):
        runs.places.release()
    # As every sign of life of the page does.
    visitor.desk.come_back()
    runs.resumed(visitor.desk)
    assert [runs.places.acquire(blocking=False) for _ in range(3)] == [True, True, False]
    assert judge.seen == []


def test_a_broken_connection_pauses_and_the_next_sign_of_life_goes_on(visitor, judge):
    visitor.change(concurrency=1)
    visitor.done("trial")
    gate = gated(judge)
    visitor.press("run")
    wait_for(lambda: len(judge.seen) == 4)
    visitor.judging.left(visitor.request)
    gate.set()
    time.sleep(0.4)
    assert len(judge.seen) == 4
    visitor.runs.ticked(visitor.request, visitor.desk)
    visitor.desk.job.join(20)
    assert visitor.desk.job.judged.complete
    assert len(judge.seen) == 8


def test_a_page_loaded_anew_finds_its_run_and_its_fields(visitor, runs, judge):
    visitor.change(concurrency=1, recipe="holistic")
    visitor.judging.alive(visitor.request, visitor.desk, event(page=PAGE))
    visitor.done("trial")
    gate = gated(judge)
    visitor.press("run")
    visitor.judging.left(visitor.request)
    other = Page(runs, "t")
    assert visitor.judging.alive(other.request, None, event(page="another")) == [gr.skip()] * 3
    assert visitor.judging.alive(other.request, None, event(page=PAGE[::-1])) == [gr.skip()] * 3
    visitor.desk.account = "somebody"
    assert visitor.judging.alive(other.request, None, event(page=PAGE)) == [gr.skip()] * 3
    visitor.desk.account = None
    other.desk, page_found, tabs = visitor.judging.alive(other.request, None, event(page=PAGE))
    assert (other.desk, page_found, tabs["selected"]) == (visitor.desk, PAGE, "judge")
    held = visitor.judging.found_again(other.desk, other.session)
    assert held[5:] == visitor.setup[3:]
    gate.set()
    other.desk.job.join(20)
    # The session before is over an hour later: that is not the end of the desk.
    visitor.judging.left(visitor.request)
    assert "The run is complete" in other.tick()
    assert not other.desk.closed


def test_a_desk_lives_as_long_as_there_are_signs_of_life(monkeypatch):
    monkeypatch.setattr(judge_desk, "_GRACE", 0.4)
    gone, there = Desk(), Desk()
    for desk in (gone, there, there):
        desk.leave()
    for _ in range(8):
        time.sleep(0.1)
        there.come_back()
    assert (gone.closed, there.closed) == (True, False)
    assert there.write("run.txt", b"x").exists()
    wait_for(lambda: there.closed)


def test_a_page_that_was_away_for_too_long_is_told(visitor, upload):
    visitor.drop(upload("mine.zip", zipped(Doc_001="Mine.")))
    visitor.change(partial=True)
    visitor.desk.close()
    visitor.press("trial")
    assert "was away for too long" in visitor.progress
    visitor.drop()
    visitor.desk.close()
    assert "The trial is done" in visitor.done("trial")


def test_five_minutes_are_what_the_page_says():
    assert judge_desk._GRACE == 5 * 60


def test_equal_files_of_two_visitors_go_with_the_last(upload):
    first, second = Desk(), Desk()
    content = zipped(Doc_001="The same.")
    for desk in (first, first, second):
        path = judge_path(upload("same.zip", content))
        desk.remember([path])
    first.close()
    assert path.exists()
    second.close()
    assert not path.exists()
    # Who uploads it anew without a desk, such as to the Score tab, keeps it.
    third = Desk()
    third.remember([judge_path(upload("same.zip", content))])
    time.sleep(0.02)
    upload("same.zip", content)
    third.close()
    assert path.exists()


def judge_path(taken):
    return Path(taken["path"])


def test_what_is_offered_is_no_visitors_but_ones_own(visitor, runs, judge):
    other = Page(runs, "t", base_url=judge.address).open()
    for own in (visitor, other):
        own.done("trial")
    mine, theirs = (next(path for path in judge_files(own) if path.name == "run.txt") for own in (visitor, other))
    assert mine != theirs
    assert mine.read_bytes() == theirs.read_bytes()
    visitor.desk.close()
    assert (mine.exists(), theirs.exists()) == (False, True)
    other.desk.close()


def test_pausing_offers_the_replies_so_far(visitor, judge):
    visitor.change(concurrency=1)
    visitor.done("trial")
    gate = gated(judge)
    visitor.press("run")
    *_, said, offered = visitor.runs.paused(visitor.desk)
    assert "<section" in said  # the buttons below are shown beside an outcome only
    assert len(Path(offered["value"]).read_bytes().splitlines()) == 3
    visitor.runs.cancelled(visitor.desk)
    gate.set()
    visitor.desk.job.join(20)


def own_recipe(visitor, *files):
    return visitor.judging.own_recipe(visitor.request, visitor.desk, list(files), *visitor.setup)


def test_an_own_recipe_comes_with_its_prompts(visitor, judge, upload):
    recipe = upload("mine.toml", OWN.encode())
    _, chosen, told = own_recipe(visitor, recipe)
    assert chosen == gr.skip()
    assert "strict.en.md" in told
    # The demo's reports are in Chinese, too.
    _, chosen, told = own_recipe(visitor, recipe, upload("strict.en.md", STRICT.encode()))
    assert chosen == gr.skip()
    assert "strict.zh.md" in told
    prompts = [upload(f"strict.{language}.md", STRICT.encode()) for language in ("en", "zh")]
    _, chosen, told = own_recipe(visitor, recipe, *prompts)
    assert told == ""
    assert chosen["value"] == "own: mine"
    visitor.change(recipe="own: mine")
    visitor.done("trial")
    assert all("Be strict, 0 to 10." in seen.asked for seen in judge.seen)
    # Other prompts under the same names are another recipe.
    stricter = STRICT.replace("strict", "stricter").encode()
    own_recipe(visitor, recipe, *[upload(f"strict.{language}.md", stricter) for language in ("en", "zh")])
    visitor.change()
    assert not visitor.can_run
    visitor.desk.close()
    assert not judge_path(recipe).exists()


def test_the_key_goes_to_the_address_on_the_page_whatever_an_own_recipe_names(visitor, runs, judge, upload):
    recipe = OWN.replace('prompt = "strict"\n', "") + '[judge.judge]\nmodel = "n"\nbase_url = "http://127.0.0.1:9/v1"\n'
    assert own_recipe(visitor, upload("mine.toml", recipe.encode()))[2] == ""
    visitor.change(recipe="own: mine")
    visitor.desk, *_ = runs.trial_here(visitor.request, visitor.desk, "sk-typed-0123456789", *visitor.setup)
    visitor.desk.job.join(20)
    assert visitor.desk.job.judged.complete
    assert {(seen.authorization, seen.body["model"]) for seen in judge.seen} == {("Bearer sk-typed-0123456789", "m")}


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ({}, ["before an answer", "a recipe of your own with a larger max_tokens."]),
        (
            {"reasoning_content": "Okay"},
            ["its thoughts", "max_tokens (16384 or so), or", "&quot;enable_thinking&quot;: false"],
        ),
    ],
)
def test_a_trial_whose_replies_are_all_cut_stops_and_says_what_the_tab_offers(message, words, visitor, judge):
    judge.script = Answer("", finish="length", message=message)
    visitor.change(recipe="one-dimension", concurrency=1)
    told = visitor.done("trial")
    # Three reports, four dimensions, two orders: 24 calls, of which five were asked for twice and one once.
    assert len(judge.seen) == 11
    for own in words:
        assert own in told
    assert not visitor.can_run


def test_an_own_recipe_in_a_zip_and_one_that_is_none(visitor, upload):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, text in {"mine.toml": OWN, "strict.en.md": STRICT, "strict.zh.md": STRICT, "README.txt": ""}.items():
            archive.writestr(f"recipe/{name}", text)
    _, chosen, told = own_recipe(visitor, upload("mine.zip", content.getvalue()))
    assert told == ""
    assert chosen["value"] == "own: mine"
    for files, words in (
        ({"strict.en.md": STRICT}, "there is no recipe"),
        ({"a.toml": OWN, "b.toml": OWN}, "there are 2 recipes"),
        ({"a.toml": OWN, "strict.en.md": "no version"}, "does not start with TOML"),
        (
            dict.fromkeys(["strict.en.md", "strict.zh.md"], STRICT[:-14]) | {"a.toml": OWN},
            "the prompt lacks {{format}}",
        ),
    ):
        _, chosen, told = own_recipe(visitor, *[upload(name, text.encode()) for name, text in files.items()])
        assert chosen == gr.skip()
        assert words in told
    assert list(visitor.desk.recipes) == ["own: mine"]


def test_a_new_session_goes_on_from_replies_that_were_taken_away(visitor, runs, judge, upload):
    visitor.done("trial")
    taken = next(path for path in judge_files(visitor) if path.name == "replies.jsonl").read_bytes()
    other = Page(runs, "t", base_url=judge.address).open()
    other.drop(upload("replies.jsonl", taken))
    assert other.desk.demo
    other.done("trial")
    assert len(judge.seen) == 3
    other.done("run")
    assert other.desk.job.judged.complete
    assert len(judge.seen) == 8
    # Those of another model under the same name are not mixed in.
    other.drop(upload("replies.jsonl", taken.replace(b'"model":"judge-1"', b'"model":"other"')))
    assert "two models are not one judge" in other.told[0]
    assert not other.told[3]["interactive"]
    other.drop()
    assert other.told[3]["interactive"]
    other.desk.close()
