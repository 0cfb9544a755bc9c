"""`llm-rubric` where an endpoint gives token probabilities, answers without them, or refuses to be asked for them."""

import math
import re
from itertools import groupby

import pytest

from tests.commands import call
from tests.judging.judging_commands import whole
from tests.judging.scripted import Answer, refused

REPORTS, SAMPLES = 12, 4
QUESTION = '[[question]]\nname = "{}"\ntext = {{ en = "{}?" }}\noptions = {{ en = [{}] }}\n'
_TEXT = re.compile(r"# Report (\d Doc_\d+)")
_TOP = [{"token": "3", "logprob": math.log(0.5)}, {"token": "Well", "logprob": math.log(0.5)}]


@pytest.fixture
def recipe(tmp_path):
    """Give a recipe of two questions, or of one with ten answers, whose first token does not tell 1 from 10."""

    def write(*answers):
        head = f'recipe = 1\nname = "own"\n[[ask]]\ndo = "llm-rubric"\nname = "opinions"\nsamples = {SAMPLES}\n'
        listed = (", ".join(f'"answer {number + 1}"' for number in range(count)) for count in answers)
        asked = (QUESTION.format(f"Q{number}", f"Is it good {number}", own) for number, own in enumerate(listed))
        path = tmp_path / "own.toml"
        path.write_text(head + "".join(asked))
        return path

    return write


def telling(seen):
    logprobs = {"content": [{**_TOP[0], "top_logprobs": _TOP}]} if seen.body.get("logprobs") else None
    return Answer(text="3", model="m", logprobs=logprobs)


def refusing(seen):
    return refused(400, "logprobs are not supported") if seen.body.get("logprobs") else Answer(text="3", model="m")


SILENT = Answer(text="3", model="m")


def estimate(judging, recipe, *options):
    """Give calls, those on disk, and tokens out at most, as a dry run tells them; and all that it tells."""
    code, told, _, _ = judging(recipe, "--dry-run", *options)
    assert code == 0, told
    row = next(line for line in told.splitlines() if line.startswith("opinions "))
    calls, on_disk, _, out, _ = (int(cell) for cell in row.split()[1:])
    return (calls, on_disk, out), told


def test_an_endpoint_without_them_is_estimated_with_its_samples(judge, judging, recipe):
    own = recipe(3, 3)
    judge.script = SILENT
    # Nothing is known yet: 12 reports and 2 questions; where there are none, each is asked once and then 4 times.
    (calls, on_disk, out), told = estimate(judging, own)
    assert (calls, on_disk, out) == (24, 0, 24 * 8)
    assert "opinions: where the endpoint gives no token probabilities, at most 120 calls instead" in told
    assert "at most 30 calls instead" in estimate(judging, own, "--trial", "3")[1]
    code, told, _, _ = judging(own, "--trial", "3")
    assert code == 0, told
    assert len(judge.seen) == 30
    # It is known now, whatever of it is on disk.
    (calls, on_disk, out), told = estimate(judging, own)
    assert (calls, on_disk, out) == (90, 30, 90 * 8)
    assert "the endpoint gave no token probabilities: 4 samples of every answer are counted" in told
    assert "calls instead" not in told
    assert judging(own)[0] == 0
    assert len(judge.seen) == 120
    assert estimate(judging, own)[0] == (0, 120, 0)
    assert judging(own)[0] == 0
    assert len(judge.seen) == 120


def test_an_endpoint_that_refuses_is_asked_for_samples_only(judge, judging, recipe):
    own = recipe(3, 3)
    judge.script = refusing
    assert judging(own, "--trial", "3", "--concurrency", "1")[0] == 0
    assert [bool(seen.body.get("logprobs")) for seen in judge.seen] == [True] + [False] * 24
    assert estimate(judging, own)[0] == (72, 24, 72 * 8)
    assert judging(own, "--concurrency", "1")[0] == 0
    # Refused once in all; every answered call is a sample.
    assert len(judge.seen) == 1 + 96
    assert {seen.body["temperature"] for seen in judge.seen[1:]} == {1.0}


def test_an_endpoint_that_gives_them_needs_no_samples(judge, judging, recipe):
    own = recipe(3, 3)
    judge.script = telling
    judging(own, "--trial", "3")
    (calls, on_disk, _), told = estimate(judging, own)
    assert (calls, on_disk) == (18, 6)
    assert "samples" not in told
    judging(own)
    assert len(judge.seen) == 24


def test_answers_that_no_token_tells_apart_are_sampled_from_the_start(judge, judging, recipe):
    own = recipe(10, 3)
    judge.script = telling
    # 12 calls for the second question, 4 samples of each of the first.
    (calls, _, _), told = estimate(judging, own)
    assert calls == 12 + 48
    assert "at most 108 calls instead" in told
    code, _, _, out = judging(own)
    assert code == 0
    assert len(judge.seen) == 60
    rows = [line.split("\t") for line in (out / "opinions.tsv").read_text().splitlines()[1:]]
    assert [(row[0], row[1], row[-2]) for row in rows[:2]] == [
        ("1/Doc_01", "Q0", "samples"),
        ("1/Doc_01", "Q1", "logprobs"),
    ]


def test_a_reports_calls_follow_each_other(judge, judging, recipe):
    judge.script = telling
    judging(recipe(3, 3, 3), "--concurrency", "1")
    first = [seen for seen in judge.seen if seen.body.get("logprobs")]
    shown = [name for name, _ in groupby(_TEXT.findall(whole(seen))[0] for seen in first)]
    assert len(shown) == len(set(shown)) == REPORTS
    assert len(first) == 3 * REPORTS


@pytest.mark.parametrize("script", [SILENT, refusing])
def test_parts_without_probabilities_merged_are_the_whole(judge, judging, recipe, capsys, script):
    own = recipe(3, 10)
    judge.script = script
    _, _, _, one = judging(own, folder="one")
    parts = [judging(own, "--shard", f"{number}/2", folder=f"part{number}")[-1] for number in (1, 2)]
    for name, folders in (("merged", parts), ("alone", [one])):
        assert call(capsys, "merge", *folders, "-o", one.parent / name)[0] == 0
    written = {path.name for path in (one.parent / "merged").iterdir() if path.suffix != ".lock"}
    assert {"opinions.tsv", "replies.jsonl", "report.json"} <= written
    for name in written:
        assert (one.parent / "merged" / name).read_bytes() == (one.parent / "alone" / name).read_bytes(), name
    assert (one.parent / "merged" / "opinions.tsv").read_bytes() == (one / "opinions.tsv").read_bytes()
