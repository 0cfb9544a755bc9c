"""Models that think, and replies that are cut: told, and stopped before all is paid for; `--max-tokens` gives room."""

import shlex

import pytest

from tests.commands import ROOT, call, process
from tests.judging.judging_commands import LABELS, by_quality, qualities, report, run_rows, write_reports
from tests.judging.scripted import Answer

THOUGHT = 2_000
"""Tokens of a thought."""
SWITCH = '--extra \'{"chat_template_kwargs": {"enable_thinking": false}}\''


def cut(seen, **fields):
    """Answer with all the tokens that were allowed, and no answer yet."""
    most = seen.body["max_tokens"]
    usage = {"prompt_tokens": 10, "completion_tokens": most}
    return Answer(model=seen.body["model"], finish="length", usage=usage, **{"text": "", **fields})


def thinking(seen):
    """Think at length, as Qwen3 behind vLLM does unless its template is told not to."""
    thinks = seen.body.get("chat_template_kwargs", {}).get("enable_thinking", True)
    if thinks and seen.body["max_tokens"] < THOUGHT:
        return cut(seen, message={"reasoning_content": "Okay, 3 criteria. Let me see"})
    return by_quality(seen)


@pytest.fixture
def readme_command(judge, tmp_path):
    """Give README's command that judges, for the small reports and the scripted endpoint."""
    lines = (ROOT / "README.md").read_text().splitlines()
    (line,) = [own for own in lines if own.startswith("python -m aeollm judge one-dimension") and "-o " in own]
    words = shlex.split(line)[3:]
    here = {"--answers": write_reports(tmp_path), "--base-url": judge.address, "-o": tmp_path / "out"}
    for option, value in here.items():
        words[words.index(option) + 1] = str(value)
    place = words.index("--labels-set")
    return [*words[:place], *map(str, LABELS), *words[place + 2 :]]


def test_the_command_of_the_readme_works_for_the_model_it_names(judge, readme_command, tmp_path):
    judge.script = thinking
    done = process(*readme_command, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(run_rows(tmp_path / "out" / "run.txt")) == 12
    assert {seen.body["model"] for seen in judge.seen} == {"Qwen/Qwen3-32B"}


def test_a_model_that_thinks_is_told_of_before_all_is_paid_for(judge, tmp_path):
    judge.script = thinking
    where = ("--answers", write_reports(tmp_path), *LABELS, "--base-url", judge.address, "--model", "m")
    command = ("judge", "holistic", *where, "--concurrency", "1", "-o", tmp_path / "out")
    done = process(*command, text=True)
    assert done.returncode == 1
    # Five reports twice, and the sixth once, of twelve; three times each would be 36 calls.
    assert len(judge.seen) == 11
    assert [seen.body["temperature"] for seen in judge.seen[:4]] == [0, 0.5, 0, 0.5]
    told = (
        "stopped: the first 6 calls to m were all cut at 512 tokens, in the middle of its thoughts. Give it room to "
        "think, --max-tokens 16384 or so, or switch thinking off, for Qwen behind vLLM by "
        f"{SWITCH}. Everything is then asked anew."
    )
    assert told in done.stdout
    found = report(tmp_path / "out")
    assert [lost["kind"] for lost in found["missing"]] == ["truncated"] * 6 + ["no_room_to_think"] * 6
    assert (
        "- `no_room_to_think`: the first replies were all cut while still thinking"
        in (tmp_path / "out" / "report.md").read_text()
    )


def test_the_same_is_not_paid_twice_and_room_that_is_given_is_the_recipes(judge, judging, capsys):
    judge.script = thinking
    judging("holistic", "--concurrency", "1")
    judge.reset(thinking)
    code, told, _, out = judging("holistic")
    assert (code, judge.seen) == (1, [])
    assert "the first 6 calls to m were all cut at 512 tokens" in told
    assert judging("holistic", "--max-tokens", "16384")[0] == 0
    assert [seen.body["max_tokens"] for seen in judge.seen] == [16384] * 12
    assert "max_tokens = 16384\n" in (out / "recipe.toml").read_text()
    # The recipe that repeats it asks for the very same.
    assert call(capsys, "judge", out / "recipe.toml", "-o", out)[0] == 0
    assert len(judge.seen) == 12


def test_replies_that_are_cut_without_a_thought_need_more_room_alone(judge, judging):
    judge.script = lambda seen: cut(seen, text='{"comprehensiveness": {"reason": "It says that')
    code, told, _, out = judging("holistic", "--max-tokens", "100")
    assert code == 1
    # Five at most were asked for twice before the sixth was back, with eight under way.
    assert 6 <= len(judge.seen) <= 2 * 5 + 8
    assert "stopped: the first 6 calls to m were all cut at 100 tokens, before an answer." in told
    assert "Give replies more room: --max-tokens N, or max_tokens in the recipe. Everything is then asked anew." in told
    assert "thinking" not in told
    assert report(out)["stopped"]["kind"] == "no_room"


def test_where_one_reply_had_room_cut_ones_are_asked_again_once_and_nothing_stops(judge, judging):
    # The first report is one of two of quality 8.
    judge.script = lambda seen: by_quality(seen) if qualities(seen) == [8] else cut(seen, text="Well, ")
    code, told, _, out = judging("holistic", "--concurrency", "1", "--attempts", "5")
    assert (code, len(judge.seen)) == (1, 2 + 2 * 10)
    assert report(out)["stopped"] is None
    assert [lost["kind"] for lost in report(out)["missing"]] == ["truncated"] * 10
    assert "Cut replies need more room (--max-tokens, max_tokens in a recipe)" in told


def test_a_judge_with_room_does_not_speak_for_another_one(judge, judging):
    judge.script = lambda seen: thinking(seen) if seen.body["model"] == "n" else by_quality(seen)
    _, told, _, out = judging("tie-break", "--judge", "second=n", "--concurrency", "1")
    assert sum(seen.body["model"] == "n" for seen in judge.seen) == 11
    assert "stopped: the first 6 calls to n were all cut at 1024 tokens" in told
    # What the first judge gave is there.
    assert len(run_rows(out / "run.txt")) == 12


def test_a_thought_is_no_opinion(judge, judging):
    tokens = [{"token": text, "logprob": -0.1} for text in ("Okay", ",", " 3")]
    logprobs = {"content": [{**own, "top_logprobs": [{"token": "3", "logprob": -3.0}]} for own in tokens]}
    judge.script = lambda seen: cut(seen, message={"reasoning_content": "Okay, 3"}, logprobs=logprobs)
    code, told, _, out = judging("llm-rubric", "--concurrency", "1")
    assert (code, len(judge.seen)) == (1, 11)
    assert "the first 6 calls to m were all cut at 8 tokens, in the middle of its thoughts" in told
    assert not (out / "opinions.tsv").exists()


def test_endpoints_without_probabilities_are_told_of_too(judge, judging):
    judge.script = lambda seen: cut(seen, text="<think>Okay, ")
    code, told, _, _ = judging("llm-rubric", "--concurrency", "1")
    assert code == 1
    assert "the first 6 calls to m were all cut at 8 tokens, in the middle of its thoughts" in told
    assert len(judge.seen) < 20


def test_short_answers_with_chatter_behind_them_are_no_cut_ones(judge, judging):
    # What is read before the cut counts, however many replies are cut.
    judge.script = lambda seen: cut(seen, text=by_quality(seen).text + "\n\nI hope that")
    code, _, _, out = judging("holistic")
    assert (code, len(judge.seen)) == (0, 12)
    assert report(out)["complete"]


def test_a_dry_run_tells_what_room_costs(judging):
    code, told, _, _ = judging("holistic", "--max-tokens", "16384", "--price", "0,1000000", "--dry-run", folder=None)
    assert code == 0
    (cells,) = [line.split() for line in told.splitlines() if line.startswith("holistic ")]
    # 12 x 16384, at a price of one a token.
    assert cells[4] == "196608"
    assert float(cells[6]) == pytest.approx(196608, rel=1e-3)
    code, _, complaint, _ = judging("holistic", "--max-tokens", "0")
    assert code == 2
    assert "not a whole number from 1" in complaint


def test_replies_on_disk_that_had_room_speak_for_it_whatever_comes_first(judge, judging, capsys):
    # Nine reports of twelve are cut, the first six among them.
    cut_ones = {8, 6, 7, 4, 3}
    judge.script = lambda seen: cut(seen) if qualities(seen)[0] in cut_ones else by_quality(seen)
    parts = [judging("holistic", "--shard", f"{number}/2", folder=f"part{number}")[-1] for number in (1, 2)]
    out = parts[0].parent / "whole"
    _, told, _ = call(capsys, "merge", *parts, "-o", out)
    assert report(out)["stopped"] is None
    assert len(run_rows(out / "run.txt")) == 12 - 9
    assert "stopped" not in told


def test_a_reviser_that_thinks_is_given_room(judge, judging):
    # A revision has 4096 tokens at the least, and what is given where that is more.
    thinks = 10_000

    def script(seen):
        if '{"' in seen.asked.rsplit("\n", 1)[-1]:
            return by_quality(seen)
        return cut(seen) if seen.body["max_tokens"] < thinks else Answer("<revision>Be kind.</revision>", model="m")

    judge.script = script
    code, told, _, _ = judging("optimise", "--max-tokens", "900")
    assert "could not be read (truncated): the prompt stayed as it was there. Cut ones need more room" in told
    assert {seen.body["max_tokens"] for seen in judge.seen} == {900, 4096}
    code, told, _, _ = judging("optimise", "--max-tokens", "16384")
    assert code == 0
    assert "could not be read" not in told
