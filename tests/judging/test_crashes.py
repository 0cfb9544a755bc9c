"""Killed in mid-run, torn lines, two processes on one file: what was paid is neither lost nor paid again."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

from aeollm.judging import ReplyStore
from tests.judging.conftest import request
from tests.judging.scripted import Answer

DRIVER = Path(__file__).with_name("driver.py")
COUNT = 40


def start(judge, path):
    command = [sys.executable, str(DRIVER), judge.address, str(path), str(COUNT)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def named(seen):
    return Answer(text=f"reply to {seen.asked}", wait=0.02)


def test_killed_and_resumed_nothing_is_lost_and_nothing_paid_twice(judge, tmp_path):
    judge.script = named
    path = tmp_path / "replies.jsonl"
    with start(judge, path) as process:
        for _ in range(COUNT // 2):
            process.stdout.readline()
        process.kill()
    before = Counter(seen.asked for seen in judge.seen)
    with ReplyStore(path) as store:
        kept = {str(n) for n in range(COUNT) if store.get(request(str(n)))}
    # Four calls at a time may have been under way when the process died.
    assert len(kept) >= COUNT // 2
    assert len(set(before) - kept) <= 4
    with start(judge, path) as process:
        told = dict(line.rstrip("\n").split(" ", 1) for line in process.stdout)
        assert process.wait() == 0
    assert told == {str(n): f"reply to {n}" for n in range(COUNT)}
    after = Counter(seen.asked for seen in judge.seen)
    assert all(after[name] == 1 for name in kept)
    assert set(after) == {str(n) for n in range(COUNT)}


def test_two_processes_share_a_file_without_harm(judge, tmp_path):
    judge.script = named
    path = tmp_path / "replies.jsonl"
    with start(judge, path) as one, start(judge, path) as other:
        told = [one.communicate()[0], other.communicate()[0]]
    assert [process.returncode for process in (one, other)] == [0, 0]
    assert [len(text.splitlines()) for text in told] == [COUNT, COUNT]
    with ReplyStore(path) as store:
        assert (len(store), store.damaged) == (COUNT, 0)
        replies = [store.get(request(str(n))) for n in range(COUNT)]
    assert [reply.text for reply in replies] == [f"reply to {n}" for n in range(COUNT)]
