"""A real model over real HTTP, end to end: it proves the plumbing, not the model's judgment."""

import asyncio
import math
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from aeollm.judging import Data, Limits, Options, ReplyStore, Request, Session, read_template
from aeollm.judging.asking import Endpoint, connect
from aeollm.judging.reading import (
    Scale,
    dimension_fields,
    outcomes_reader,
    outcomes_schema,
    scores_reader,
    scores_schema,
)
from aeollm.judging.sampling import ask_probabilities
from aeollm.judging.wording import list_dimensions, list_options, outcomes_form, scores_form
from aeollm.tables import DIMENSIONS

SERVER = Path(__file__).with_name("model_server.py")
TEXTS = {"Doc_001": "Water cools well, since it holds much heat.", "Doc_002": "水的比热容很大，所以冷却效果好。"}
FIELDS = dimension_fields(DIMENSIONS[:2])
SCALE = Scale()
OPTIONS = ("1", "2", "3", "4")


@pytest.fixture(scope="module")
def address(small_model):
    command = [sys.executable, str(SERVER), str(small_model)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        yield f"{server.stdout.readline().strip()}/v1"
        server.kill()


def judged(address, path, work):
    """Open a store and a session on the real server, and do the work; give what it gives and the calls it made."""

    async def go():
        with ReplyStore(path) as store:
            async with connect(Endpoint(address, timeout=120)) as ask:
                session = Session(ask, store, Limits(concurrency=2, attempts=2))
                answers = [answer async for answer in work(session)]
                return {answer.request.place: answer for answer in answers}, session.progress

    return asyncio.run(go())


def filled(name, place, asked, **values):
    template = read_template(name, "en")
    return Request(place, template.fill(values), asked, template.name_and_version)


def holistic():
    options = Options("judge", max_tokens=60, schema=scores_schema(FIELDS, SCALE))
    for answer, text in TEXTS.items():
        yield filled(
            "holistic",
            ("1", answer),
            options,
            question=Data("question", "What cools well?"),
            report=Data("report", text),
            dimensions=list_dimensions(DIMENSIONS[:2], "en"),
            low="0",
            high="10",
            format=scores_form(FIELDS, SCALE),
        )


def pairwise():
    options = Options("judge", max_tokens=60, schema=outcomes_schema(FIELDS))
    for first, second in (("Doc_001", "Doc_002"), ("Doc_002", "Doc_001")):
        yield filled(
            "pairwise",
            ("1", first, second),
            options,
            question=Data("question", "What cools well?"),
            report_a=Data("report-a", TEXTS[first]),
            report_b=Data("report-b", TEXTS[second]),
            dimensions=list_dimensions(DIMENSIONS[:2], "en"),
            format=outcomes_form(FIELDS),
        )


def rubric(asked):
    for answer, text in TEXTS.items():
        request = filled(
            "llm-rubric",
            ("1", answer),
            asked,
            text=Data("text", text),
            rubric_question="How satisfied would a reader be?",
            options=list_options({"1": "not at all", "2": "little", "3": "quite", "4": "very"}),
        )
        yield request, OPTIONS


def test_scores_on_a_scale_and_none_paid_twice(address, tmp_path):
    path = tmp_path / "replies.jsonl"
    answers, progress = judged(address, path, lambda session: session.run(holistic(), scores_reader(FIELDS, SCALE)))
    assert set(answers) == {("1", "Doc_001"), ("1", "Doc_002")}
    for answer in answers.values():
        assert answer.replies[-1].model == "smollm2-135m"
        assert (answer.value is None) == (answer.missing is not None)
        assert all(0 <= float(score) <= 10 for score in (answer.value or {}).values())
    assert any(answer.value for answer in answers.values())
    assert progress.spent.usage.prompt > 300
    again, later = judged(address, path, lambda session: session.run(holistic(), scores_reader(FIELDS, SCALE)))
    assert later.spent.calls == 0
    assert {place: answer.value for place, answer in again.items()} == {
        place: answer.value for place, answer in answers.items()
    }


def test_pairs_in_both_orders(address, tmp_path):
    answers, _ = judged(address, tmp_path / "r", lambda session: session.run(pairwise(), outcomes_reader(FIELDS)))
    assert len(answers) == 2
    for answer in answers.values():
        assert set(answer.value) == {"comprehensiveness", "insight"}
        assert set(answer.value.values()) <= {"A", "B", "tie"}


def test_probabilities_from_tokens_and_from_samples(address, tmp_path):
    options = Options("judge", max_tokens=3, top_logprobs=50)
    answers, _ = judged(address, tmp_path / "r", lambda session: ask_probabilities(session, rubric(options), samples=0))
    for answer in answers.values():
        assert answer.missing is None, answer.missing
        assert answer.value.source == "logprobs"
        assert 0 < answer.value.mass <= 1
        first = answer.replies[-1].tokens[0]
        digits = {text: math.exp(log) for text, log in first.top if text.strip() in OPTIONS}
        if first.text.strip() in OPTIONS:
            assert answer.value.mass == pytest.approx(sum(digits.values()), rel=1e-6)
    without = replace(options, top_logprobs=None)
    answers, progress = judged(
        address, tmp_path / "r", lambda session: ask_probabilities(session, rubric(without), samples=2)
    )
    assert progress.spent.calls >= 2 + 4
    for answer in answers.values():
        assert answer.value is None or (answer.value.source, answer.value.samples) == ("samples", 2)
