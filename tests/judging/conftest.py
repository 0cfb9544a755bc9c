"""What the judge's tests share: the scripted server, and asking it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

import pytest

from aeollm.judging import Control, Limits, Message, Options, ReplyStore, Request, Session
from aeollm.judging.asking import Endpoint, connect
from aeollm.judging.reading import SCORE, Scale, scores_reader
from tests.commands import call
from tests.judging.judging_commands import LABELS, write_reports

KEY = "sk-secret-0123456789abcdef"
QUICK = {"concurrency": 1, "backoff": 0.001, "longest_wait": 5}


def request(name: str, **options: object) -> Request:
    """One request whose text is its name."""
    return Request((name,), (Message("user", name),), Options(**{"model": "judge", **options}), "test@1")


@dataclass
class Asked:
    """What came of asking: the answers by name, and the session for the rest."""

    answers: dict
    session: Session
    store: Path

    def score(self, name: str) -> float | None:
        value = self.answers[name].value
        return None if value is None else float(value["score"])

    def missing(self, name: str) -> str | None:
        missing = self.answers[name].missing
        return None if missing is None else missing.kind


@pytest.fixture
def judging(judge, tmp_path, capsys):
    """Run `judge` with the small reports; give exit code, output, complaints, and the folder written."""
    reports = write_reports(tmp_path)

    def run(recipe, *options, folder="out", labels=LABELS):
        out = tmp_path / (folder or "nowhere")
        where = ("--answers", reports, *labels, "--base-url", judge.address, "--model", "m")
        return *call(capsys, "judge", recipe, *where, *(("-o", out) if folder else ()), *options), out

    return run


@pytest.fixture
def ask_all(judge, tmp_path):
    """Ask the scripted judge all requests in one session, with one store a test."""

    def run(requests, *, read=None, control: Control | None = None, timeout: float = 10, token=KEY, **limits):
        path = tmp_path / "replies.jsonl"

        async def go():
            with ReplyStore(path) as store:
                async with connect(Endpoint(judge.address, token=token, timeout=timeout)) as ask:
                    session = Session(ask, store, Limits(**{**QUICK, **limits}), control)
                    reader = read or scores_reader([SCORE], Scale())
                    answers = {answer.request.place[0]: answer async for answer in session.run(requests, reader)}
                    return Asked(answers, session, path)

        return asyncio.run(go())

    return run
