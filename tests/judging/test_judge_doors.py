"""What people type and endpoints do wrong, at the doors of the judge commands: told, stopped, and nothing lost."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from dataclasses import replace

import pytest

from aeollm.judging import Limits
from tests.commands import ROOT, call
from tests.judging.judging_commands import LABELS, by_quality, run_rows, write_reports
from tests.judging.scripted import Answer, refused

SECRET = "half-of-a-key"


@pytest.fixture
def judging(judge, tmp_path, capsys):
    """Run `judge holistic` in this process on the small reports; give exit code, all that is told, the folder."""
    reports = write_reports(tmp_path)

    def run(*options, recipe="holistic", folder="out", address=None):
        out = tmp_path / folder
        where = ("--answers", reports, *LABELS, "--base-url", address or judge.address, "--model", "m", "-o", out)
        code, told, complaint = call(capsys, "judge", recipe, *where, *options)
        return code, told + complaint, out

    return run


@pytest.fixture
def in_a_shell(judge, tmp_path):
    """Run the command in a shell, with what a shell can do to its limits (``before``) and streams (``after``)."""
    write_reports(tmp_path)

    def run(recipe, *options, before="", after=""):
        where = ["--answers", tmp_path / "reports.jsonl", *LABELS, "--base-url", judge.address, "--model", "m"]
        command = [sys.executable, "-m", "aeollm", "judge", recipe, *where, "-o", tmp_path / "out", *options]
        script = f"set -o pipefail; {before} {shlex.join(map(str, command))} {after}"
        env = os.environ | {"HF_HUB_OFFLINE": "1", "PYTHONPATH": str(ROOT)}
        return subprocess.run(["bash", "-c", script], env=env, capture_output=True, text=True, timeout=60, check=False)

    return run


@pytest.mark.parametrize("key", [f"sk one\n{SECRET}", f"sk-one {SECRET}", f"schlüssel-{SECRET}", f"a\x01{SECRET}", " "])
def test_a_key_that_no_header_can_carry_is_refused_and_quoted_nowhere(key, judge, judging, monkeypatch):
    monkeypatch.setenv("MY_KEY", key)
    code, told, out = judging("--token-env", "MY_KEY")
    assert (code, judge.seen) == (2, [])
    assert "the key is empty, or holds blanks" in told
    written = "".join(path.read_text() for path in out.iterdir()) if out.exists() else ""
    assert SECRET not in told + written


def test_a_key_that_the_endpoint_quotes_in_an_answer_is_written_nowhere(judge, judging, monkeypatch):
    monkeypatch.setenv("MY_KEY", SECRET)
    quoting = Answer(body=json.dumps({"error": {"message": f"upstream refused {SECRET}"}}).encode())
    judge.script = lambda seen: quoting if seen.number == 0 else refused(401, f"no {SECRET}")
    code, told, out = judging("--token-env", "MY_KEY", "--concurrency", "1")
    assert (code, len(judge.seen)) == (1, 2)
    judge.reset(Answer(body=quoting.body, wait=0))
    monkeypatch.setattr("aeollm.cli.judge.Limits", lambda **limits: Limits(**limits, retries=0))
    _, again, _ = judging("--token-env", "MY_KEY")
    assert "upstream refused [key]" in again
    assert SECRET not in told + again + "".join(path.read_text() for path in out.iterdir())


def test_blanks_around_a_key_are_not_sent(judge, judging, monkeypatch):
    judge.script = by_quality
    monkeypatch.setenv("MY_KEY", " sk-whole \n")
    assert judging("--token-env", "MY_KEY")[0] == 0
    assert {seen.authorization for seen in judge.seen} == {"Bearer sk-whole"}


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1:99999/v1",
        "http://127.0.0.1:port/v1",
        "http://ho st/v1",
        "http://..../v1",
        "ftp://127.0.0.1/v1",
    ],
)
def test_what_is_no_address_is_told_at_once(address, judging):
    code, told, _ = judging(address=address)
    assert code == 2
    assert "the address" in told
    assert "Traceback" not in told


def test_an_address_in_capitals_is_the_same_address(judge, judging):
    judge.script = by_quality
    assert judging(address=judge.address.replace("http:", "HTTP:"))[0] == 0
    assert len(judge.seen) == 12


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Answer(status=307, headers={"Location": "http://127.0.0.2:9/v1/chat/completions"}, body=b""), "127.0.0.2"),
        (refused(401, "no such key"), "Check the key (--token-env)"),
        (refused(404, "no such model"), "Check --model and --base-url"),
    ],
)
def test_what_no_call_can_mend_ends_the_run_with_what_to_do(answer, words, judge, judging):
    judge.script = answer
    code, told, _ = judging("--concurrency", "2")
    assert code == 1
    assert words in told
    assert len(judge.seen) <= 2
    assert "there is no run: holistic gave nothing" in told


@pytest.mark.parametrize(
    "usage",
    [{"prompt_tokens": 10**400, "completion_tokens": 1}, {"prompt_tokens": -10_000, "completion_tokens": -10_000}],
)
def test_absurd_usage_is_estimated_instead(usage, judge, judging):
    judge.script = lambda seen: replace(by_quality(seen), usage=usage)
    code, told, out = judging("--price", "1,1", "--budget-tokens", "1000000")
    assert code == 0, told
    found = json.loads((out / "report.json").read_text())
    assert found["tokens"]["estimated"]
    assert found["tokens"]["prompt"] > 0


def test_a_number_that_json_has_not_is_one_malformed_answer(judge, judging):
    broken = Answer(body=b'{"model": "m", "choices": [{"message": {"content": "7"}, "logprobs": {"content": NaN}}]}')
    judge.script = lambda seen: broken if seen.number == 0 else by_quality(seen)
    assert judging("--concurrency", "1")[0] == 0
    assert len(judge.seen) == 13


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--extra", '{"messages": []}'), "messages: sent by this program itself"),
        (("--extra", '{"stream": true, "model": "x"}'), "model, stream: sent by"),
        (("--extra", '{"a": NaN}'), "is not a JSON object"),
        (("--extra", "[" * 100_000), "is not a JSON object"),
        (("--timeout", "0"), "not a number from 0.1"),
        (("--concurrency", "1000000000"), "not a whole number from 1 to"),
        (("--attempts", "1000000000"), "not a whole number from 1 to"),
        (("--seed", "1" + "0" * 30), "not a whole number"),
        (("--provider", "together"), "two places"),
    ],
)
def test_options_that_would_go_wrong_later_are_refused(options, words, judge, judging):
    code, told, _ = judging(*options)
    assert code == 2
    assert words in told
    assert not judge.seen


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Answer(headers={"Content-Type": "text/html"}, body=b"<!DOCTYPE html><title>Hi</title>"), "a web page came"),
        (Answer(body=b"OK"), "something that is not JSON came"),
        (Answer(body=b""), "nothing at all came"),
        (Answer(body=b'{"status": "ok"}'), "JSON that is no chat completion came"),
    ],
)
def test_an_address_of_something_else_ends_the_run_soon(answer, words, judge, judging, monkeypatch):
    monkeypatch.setattr("aeollm.cli.judge.Limits", lambda **limits: Limits(**limits, backoff=0.01))
    judge.script = answer
    code, told, _ = judging("--concurrency", "2")
    assert code == 1
    assert f"no OpenAI-compatible endpoint answers at {judge.address}: {words} in place of a reply" in told
    assert "Check --base-url: often /v1 is missing at its end" in told
    # Every one of the two at work has tried once more.
    assert len(judge.seen) <= 4


def test_an_answer_of_something_else_in_between_ends_no_run(judge, judging, monkeypatch):
    monkeypatch.setattr("aeollm.cli.judge.Limits", lambda **limits: Limits(**limits, backoff=0.001))
    page = Answer(headers={"Content-Type": "text/html"}, body=b"<html>Back soon</html>")
    judge.script = lambda seen: page if 2 <= seen.number < 5 else by_quality(seen)
    assert judging("--concurrency", "1")[0] == 0
    assert len(judge.seen) == 15


def test_an_endpoint_that_keeps_failing_is_told_while_it_is_tried_again(judge, tmp_path):
    write_reports(tmp_path)
    judge.script = Answer(status=502, body=b"<html><head><title>502 Bad Gateway</title></head></html>")
    where = ["--answers", tmp_path / "reports.jsonl", *LABELS, "--base-url", judge.address, "--model", "m"]
    command = [sys.executable, "-m", "aeollm", "judge", "holistic", *where, "-o", tmp_path / "out"]
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    with subprocess.Popen(list(map(str, command)), stderr=subprocess.PIPE, text=True, env=env) as run:
        assert run.stderr.readline() == "asking: holistic\n"
        start, told = time.monotonic(), run.stderr.readline()
        waited = time.monotonic() - start
        for _ in range(2):
            run.send_signal(signal.SIGINT)
            time.sleep(0.1)
        run.communicate(timeout=30)
    again = r"holistic: HTTP 502: 502 Bad Gateway; trying again in [01]\.\d s, try 2 of 6( \(\d failures in a row\))?\n"
    assert re.fullmatch(again, told)
    assert waited < 3


def test_nobody_reading_ends_no_run(judge, in_a_shell, tmp_path):
    judge.script = by_quality
    done = in_a_shell("tie-break", "--judge", "second=n", after="2>&1 | head -1")
    assert done.stdout == "asking: scores\n"
    assert done.returncode == 0
    assert len(run_rows(tmp_path / "out" / "run.txt")) == 12


def test_a_closed_standard_error_is_no_place_for_replies(judge, in_a_shell, tmp_path):
    judge.script = by_quality
    assert in_a_shell("holistic", after="2>&-").returncode == 0
    assert all(line.startswith('{"key":"') for line in (tmp_path / "out" / "replies.jsonl").read_text().splitlines())


def test_a_full_disk_stops_before_more_is_paid_and_the_same_command_goes_on(judge, in_a_shell, tmp_path):
    judge.script = by_quality
    done = in_a_shell("holistic", "--concurrency", "2", before="ulimit -f 4;")
    assert "stopped: a reply cannot be written" in done.stdout, done.stderr
    assert "Make room; then the same command goes on" in done.stdout
    kept = sum(line.endswith("}") for line in (tmp_path / "out" / "replies.jsonl").read_text().splitlines())
    # The one that could not be written is lost, with the one under way; nothing after them is asked.
    assert kept < len(judge.seen) <= kept + 2
    judge.reset(by_quality)
    again = in_a_shell("holistic")
    assert again.returncode == 0, again.stderr
    assert len(judge.seen) == 12 - kept


def test_ctrl_c_while_starting_leaves_no_traceback(tmp_path):
    recipe = tmp_path / "recipe.toml"
    os.mkfifo(recipe)
    command = [sys.executable, "-m", "aeollm", "judge", str(recipe), "-o", str(tmp_path / "out")]
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    # Opening the pipe waits until the command opens it to read its recipe.
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=env) as run, recipe.open("w"):
        run.send_signal(signal.SIGINT)
        complaint = run.communicate(timeout=30)[1]
    assert (run.returncode, complaint) == (130, "interrupted.\n")


@pytest.mark.parametrize(
    ("damage", "lost"),
    [
        (lambda lines: [b"\0" * 40 + b"\n", *lines[1:]], 1),
        (lambda lines: [*lines[:3], lines[3][:60] + b"\n", *lines[4:]], 1),
        (lambda lines: [*lines, b'{"hello": 1}\n', b'{"key":"x","asked":' + b"[" * 100_000 + b"\n"], 0),
    ],
    ids=["first", "middle", "foreign"],
)
def test_damaged_replies_cost_no_others(damage, lost, judge, judging):
    judge.script = by_quality
    _, _, out = judging()
    path = out / "replies.jsonl"
    path.write_bytes(b"".join(damage(path.read_bytes().splitlines(keepends=True))))
    judge.reset(by_quality)
    code, told, _ = judging()
    assert (code, len(judge.seen)) == (0, lost)
    assert "lines of replies.jsonl that cannot be read" in told


def test_a_run_of_another_recipe_is_not_taken_for_this_one(judge, judging):
    judge.script = by_quality
    _, _, out = judging()
    old = (out / "run.txt").read_bytes()
    judge.script = refused(404, "gone")
    code, told, _ = judging(recipe="one-call")
    assert code == 1
    assert "put aside: earlier-run.txt" in told
    assert not (out / "run.txt").exists()
    assert (out / "earlier-run.txt").read_bytes() == old


def test_an_empty_part_is_no_failure(judge, judging):
    code, told, _ = judging("--shard", "7/99999")
    assert (code, judge.seen) == (0, [])
    assert "0 answers wanted" in told


def test_merging_loses_no_replies_that_are_in_no_part(judge, judging, tmp_path, capsys):
    judge.script = by_quality
    judging("--shard", "1/2", folder="part1")
    judging("--shard", "2/2", folder="part2")
    judging("--seed", "5", folder="whole")
    kept = (tmp_path / "whole" / "replies.jsonl").read_bytes()
    parts = (tmp_path / "part1", tmp_path / "part2")
    code, _, complaint = call(capsys, "merge", *parts, "-o", tmp_path / "whole")
    assert code == 2
    assert "12 replies that are in no part" in complaint
    assert (tmp_path / "whole" / "replies.jsonl").read_bytes() == kept
    for _ in range(2):
        assert call(capsys, "merge", *parts, "-o", tmp_path / "merged")[0] == 0
    (tmp_path / "file").write_text("")
    code, _, complaint = call(capsys, "merge", *parts, "-o", tmp_path / "file")
    assert code == 2
    assert "Traceback" not in complaint
