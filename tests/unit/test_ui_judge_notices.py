"""What the Judge tab says: reasons in both languages, a trial's scores, what is read of a reply, one and several."""

import asyncio
import json
import math
import re
from pathlib import Path
from types import SimpleNamespace
from typing import get_args

import pytest

from aeollm.errors import JudgingError, Problem
from aeollm.judging import (
    AskFailed,
    Control,
    Limits,
    Message,
    Missing,
    Options,
    Price,
    Progress,
    Reply,
    ReplyStore,
    Request,
    Session,
    Spent,
    Unread,
    Usage,
)
from aeollm.judging.messages import FailureKind, Token
from aeollm.methods import Judge, Task, estimated, material_of, read_method
from aeollm.methods.carrying import carry_out
from aeollm.reporting.html import Html, spoken
from aeollm.reporting.words import known
from aeollm.sources import demo_set
from aeollm.tables import Policy
from aeollm.ui import judge_notices as notices
from aeollm.ui.judge_inputs import DEMO_REPORTS, reports_of
from aeollm.ui.judge_looking import look_into
from tests.judging.scripted import SCORES

ROOT = Path(__file__).resolve().parents[2]
ADDRESS = "http://127.0.0.1:1/v1"
REFUSED = f"nothing answers at {ADDRESS} (connection refused)"


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    files = [(path, f"{path.parent.name}/{path.name}") for path in sorted(DEMO_REPORTS.glob("*/*.md"))]
    return reports_of(files, tmp_path_factory.mktemp("reports"))


def task_of(reports, recipe="holistic"):
    """Make the task of a trial of the demo's first three reports."""
    method, labels = read_method(recipe), demo_set()
    material = material_of(method, reports, labels.labels, labels.rubrics, partial=True).first(3)
    judges = {role: Judge(role, "judge-1", base_url=ADDRESS) for role in method.roles}
    return Task(method, material, judges, policy=Policy(partial=True))


def answering(text, tokens=None):
    async def ask(_messages, options):
        return Reply(text, options.model, "stop", Usage(10, 5), tokens)

    return ask


def failing(kind, words):
    async def ask(_messages, _options):
        raise AskFailed(kind, words)

    return ask


def judged(task, ask, folder, **limits):
    """Carry a task out as the tab does, with another one asked."""

    async def go():
        with ReplyStore(folder / "replies.jsonl") as store:
            return await carry_out(task, Session(ask, store, Limits(backoff=0.001, **limits)))

    return asyncio.run(go())


def shown(found, lost=(), *, trial=True):
    """Give what is said of an outcome, as HTML and as read in English."""
    job = SimpleNamespace(judged=found, trial=trial, price=Price(), problems=())
    html = notices.result(job, lost)
    return html, spoken(Html(html))


def test_every_reason_has_words():
    source = "\n".join(path.read_text("utf-8") for path in (ROOT / "aeollm" / "judging").rglob("*.py"))
    unread = set(re.findall(r'(?:Unread|Missing|_stop)\(\s*"(\w+)"', source))
    # In the text of `Unread`: those that a reader gives by a name of its own.
    listed = re.search(r'class Unread:\n    """.*?``kind`` is (.*?);', source, re.S)[1]
    unread |= set(re.findall(r"``(\w+)``", listed))
    assert {"budget", "cancelled", "unwritable_file", "truncated", "out_of_range"} <= unread
    assert [kind for kind in sorted(unread | {*get_args(FailureKind)}) if not known(f"j_kind_{kind}")] == []


def test_a_trial_shows_its_scores(reports, tmp_path):
    html, said = shown(judged(task_of(reports), answering(SCORES), tmp_path))
    assert "The trial is done: holistic" in said
    assert f"judge-1 · {ADDRESS} · 3 reports · 3 answers wanted" in said
    # The first of both questions, and the second of one.
    assert re.findall(r"\d · Doc_00\d(?=76\.585)", said) == ["2 · Doc_001", "2 · Doc_002", "5 · Doc_001"]
    assert "试评完成" in html
    _, said = shown(judged(task_of(reports), answering(SCORES), tmp_path), trial=False)
    assert "The run is complete: holistic" in said
    assert "What the trial gave" not in said


def test_a_trial_without_a_run_shows_the_table(reports, tmp_path):
    token = Token("4", math.log(0.75), (("4", math.log(0.75)), ("2", math.log(0.125))))
    _, said = shown(judged(task_of(reports, "llm-rubric"), answering("4", (token,)), tmp_path))
    assert "The trial is done: llm-rubric" in said
    assert "answer1_prob" in said
    assert "2/Doc_001" in said
    # Not as files have it, 0.12500000000000003.
    assert "0.1250.00.75" in said
    # Three reports and six questions are eighteen rows, of which twelve are shown.
    assert "and 6 more" in said


def test_a_run_that_is_not_the_recipes_is_not_called_done(reports, tmp_path):
    async def ask(messages, options):
        """Score all alike, and prefer the report shown first, so that no pair can break a tie."""
        form = messages[-1].content.rsplit("{", 1)[1]
        fields = re.findall(r'"([^"]+)": <', form)
        return Reply(json.dumps(dict.fromkeys(fields, "A" if "tie" in form else 7)), options.model, "stop", Usage(1, 1))

    found = judged(task_of(reports, "tie-break"), ask, tmp_path)
    assert (found.complete, found.whole, found.built.instead) == (True, False, "scores")
    html, said = shown(found, trial=False)
    assert "Asked, but not the run that the recipe is for: tie-break" in said
    assert "the run holds the scores of scores as they are" in said
    assert "ae-done" not in html


def test_where_nothing_can_be_reached_the_head_says_so_and_what_to_do(reports, tmp_path):
    found = judged(task_of(reports), failing("unreachable", REFUSED), tmp_path)
    html, said = shown(found, [("holistic", "judge · 2 · Doc_001", found.collected[0].lost[0].missing, 1)])
    assert "No reply gave a value: trial of holistic" in said
    assert f"Stopped: the endpoint cannot be reached – {REFUSED}." in said
    assert "Check that the server is running" in said
    assert "无法连接到该接口" in html
    assert "没有得到任何结果" in html
    assert "请检查服务是否在运行" in html
    # What follows of that is no problem of its own: no file was to be handed in.
    assert "not among the files" not in said
    assert html.count("ae-error") == 1


@pytest.mark.parametrize("kind", ["connection", "timeout", "malformed"])
def test_trouble_on_the_way_names_the_last_reason(kind, reports, tmp_path):
    found = judged(task_of(reports), failing(kind, f"{kind} words"), tmp_path, retries=0)
    _, said = shown(found)
    assert f"{kind} words." in said
    assert spoken(notices.reasons.advice(kind, at_address=True)) in said


def test_replies_without_a_score_are_told_by_their_reasons(reports, tmp_path):
    async def ask(_messages, options):
        return Reply(next(answers), options.model, "stop", Usage(10, 5))

    answers = iter(["Nothing to say.", '{"comprehensiveness": 7}', SCORES])
    _, said = shown(judged(task_of(reports), ask, tmp_path, attempts=1, concurrency=1))
    assert "Not everything has a value: trial of holistic" in said
    assert "2 missing (" in said
    assert "what is missing stays missing" in said
    assert "no score or answer in the reply × 1" in said
    assert "a score missing in the reply × 1" in said


def job_of(progress, **more):
    control, method = Control(), SimpleNamespace(method=SimpleNamespace(name="holistic"))
    known = {"control": control, "task": method, "asking": "holistic", "trial": False, "waiting": False, "total": 8}
    return SimpleNamespace(**{**known, "progress": progress, "price": Price(), "began": None, **more})


def test_while_calls_fail_the_progress_says_why_and_how_often():
    spent = Spent(calls=1, usage=Usage(10, 5), money=0.0)
    failing_now = Progress(1, 2, 0, spent, None, REFUSED, 3, {"no_answer": 2})
    said = spoken(Html(notices.progress(job_of(failing_now))))
    assert f"(3 failures in a row). The last one: {REFUSED}" in said
    assert "2 missing (no score or answer in the reply)" in said
    # One is told as one.
    assert "spent 1 call, 15 tokens" in said
    well = Progress(1, 0, 0, spent)
    assert "fail" not in spoken(Html(notices.progress(job_of(well))))


def test_a_session_counts_failures_in_a_row_and_reasons(tmp_path):
    told, left = [], iter(["down", "down", "up"])

    async def ask(_messages, options):
        if next(left) == "down":
            raise AskFailed("server_error", "HTTP 500")
        return Reply("no score", options.model)

    async def go():
        with ReplyStore(tmp_path / "r.jsonl") as store:
            session = Session(ask, store, Limits(backoff=0.3, attempts=1), on_progress=told.append)
            await session.one(request, lambda _reply: Unread("no_answer", "nothing"))
            return session.progress

    request = Request(("a",), (Message("user", "a"),), Options("m"), "p@1")
    end = asyncio.run(go())
    assert (end.failures, end.trouble, end.reasons) == (0, None, {"no_answer": 1})
    assert max((own.failures, own.trouble) for own in told if own.trouble)[0] == 2
    # The first wait, of half to one and a half times .3 s, may be over before it is told.
    again = [re.fullmatch(r"HTTP 500; trying again in (0\.\d) s, try ([23]) of 6", own.trouble or "") for own in told]
    assert {found[2] for found in again if found} >= {"3"}


def test_an_estimate_says_what_is_true(reports):
    task = task_of(reports)
    rows = estimated(task, Price())
    before = spoken(Html(notices.estimate(task.method, rows, (75.0, "j_time_assumed"), Price())))
    assert "Nothing has been sent." in before
    assert "Time: about 1 min 15 s, if" in before
    after = notices.estimate(task.method, rows, (7.24, "j_time_measured"), Price(), sent=True)
    assert "Nothing has been sent" not in after
    assert "7.2 s" in after
    assert "7.2 秒" in after
    [row] = rows
    none_left = SimpleNamespace(name=row.name, calls=0, on_disk=3)
    said = spoken(Html(notices.estimate(task.method, [none_left], (0.0, "j_time_measured"), Price(), sent=True)))
    assert said == "Nothing is left to ask: all 3 replies are there already."


def test_labels_of_other_answers_are_told_first():
    found = [Problem("error", "missing_answers", f"answer {n} is missing.") for n in range(9)]
    said = spoken(Html(notices.other_labels("own: <b>", JudgingError("reports", found).problems)))
    assert said.startswith("✗ The labels chosen on the Score tab, own: <b>, are of other answers")


@pytest.mark.parametrize(
    ("recipe", "text", "read"),
    [
        ("holistic", SCORES, {("comprehensiveness",): "7", ("insight",): "6.5"}),
        ("per-criterion", '{"score": 4}', {("comprehensiveness", "1"): "4"}),
        ("pairwise", '{"insight": "B"}', "missing_dimension"),
        ("holistic", "I would rather not.", "no_answer"),
    ],
)
def test_what_was_read_stands_beside_the_reply(recipe, text, read, reports, tmp_path):
    task = task_of(reports, recipe)
    judged(task, answering(text), tmp_path, attempts=1)
    call = look_into(task, task.method.asks[0].name, 1, tmp_path, 1)
    [values] = call.values
    if isinstance(read, str):
        assert values.kind == read
        assert "Nothing could be read of it:" in spoken(Html(notices.looked(call, 3)))
    else:
        assert read.items() <= dict(values).items()
        assert "Read of it" in spoken(Html(notices.looked(call, 3)))


def test_winners_and_probabilities_are_read_too(reports, tmp_path):
    task = task_of(reports, "pairwise")
    names = ("comprehensiveness", "insight", "instruction_following", "readability")
    won = "{" + ", ".join(f'"{name}": "{"B" if name == "insight" else "tie"}"' for name in names) + "}"
    judged(task, answering(won), tmp_path)
    [values] = look_into(task, task.method.asks[0].name, 1, tmp_path, 1).values
    # The first call shows the first report as A and the second as B.
    assert dict(values) == {(name,): "Doc_002" if name == "insight" else "" for name in names}
    said = spoken(Html(notices.looked(look_into(task, task.method.asks[0].name, 1, tmp_path, 1), 3)))
    assert "insightDoc_002" in said
    assert "readabilitytie" in said

    task = task_of(reports, "llm-rubric")
    token = Token("4", math.log(0.75), (("4", math.log(0.75)), ("2", math.log(0.125))))
    judged(task, answering("4", (token,)), tmp_path)
    [values] = look_into(task, task.method.asks[0].name, 1, tmp_path, 1).values
    assert dict(values) == {("1",): "0.000", ("2",): "0.125", ("3",): "0.000", ("4",): "0.750"}


def test_a_lost_call_is_told_in_both_languages(reports, tmp_path):
    found = judged(task_of(reports), answering("no"), tmp_path, attempts=1)
    html, said = shown(found, [("holistic", "judge · 2 · <b>", Missing("no_answer", "no number"), 1)])
    assert "holistic 1 judge · 2 · <b>: no score or answer in the reply – no number" in said
    assert "回复中没有分数或答案" in html
    assert "<b>" not in html
