"""Answer probabilities from token probabilities, pooled by hand; and from samples."""

import asyncio
import math

import pytest

from aeollm.judging import AskFailed, Limits, Message, Options, Reply, ReplyStore, Request, Session, Token, Unread
from aeollm.judging.asking.completions import reply_of
from aeollm.judging.reading import OptionProbabilities, option_probabilities, sampled_probabilities
from aeollm.judging.sampling import ask_probabilities, samples_of

FOUR = ("1", "2", "3", "4")


def token(text, top):
    pairs = tuple((other, math.log(share)) for other, share in top.items())
    return Token(text, math.log(top[text]), pairs)


def read(*tokens, options=FOUR):
    return option_probabilities(Reply("".join(t.text for t in tokens), "m", "length", tokens=tokens), options)


def test_spellings_are_pooled_and_nothing_is_renormalised():
    # 3: .5 + .2 + .05 + .03; 4: .1; "The" and "30" are no options: .12 of the mass stays outside.
    top = {"3": 0.5, " 3": 0.2, "\uff13": 0.05, "three": 0.03, "4": 0.1, "The": 0.1, "30": 0.02}
    found = read(token("3", top))
    assert found.values == pytest.approx({"1": 0, "2": 0, "3": 0.78, "4": 0.1})
    assert found.mass == pytest.approx(0.88)
    assert (found.source, found.samples) == ("logprobs", 1)


def test_the_sampled_token_counts_even_if_it_is_not_among_the_likeliest():
    found = read(Token("2", math.log(0.05), (("3", math.log(0.6)),)))
    assert found.values == pytest.approx({"1": 0, "2": 0.05, "3": 0.6, "4": 0})


@pytest.mark.parametrize(
    "lead",
    [
        ["Answer", ":", " "],
        ["**"],
        ["\n", "("],
        ["The", " answer", " is", " "],
        ["答案", "："],
        ['{"', "answer", '": "'],
    ],
)
def test_the_answer_may_come_behind_a_lead(lead):
    tokens = [token(text, {text: 0.9, "4": 0.01}) for text in lead]
    found = read(*tokens, token("2", {"2": 0.7, "3": 0.3}))
    assert found.values == pytest.approx({"1": 0, "2": 0.7, "3": 0.3, "4": 0})


def test_a_thought_before_the_answer_is_not_the_answer():
    thought = [token(text, {text: 1.0}) for text in ("<think>", "3", "</think>", "\n")]
    assert read(*thought, token("2", {"2": 0.7, "3": 0.3})).values["2"] == pytest.approx(0.7)


def test_a_first_token_of_prose_still_tells_what_the_options_had():
    found = read(token("Well", {"Well": 0.6, "3": 0.3, " 4": 0.1}), token(" 2", {" 2": 1.0}))
    assert found.values == pytest.approx({"1": 0, "2": 0, "3": 0.3, "4": 0.1})


def test_no_option_anywhere_is_no_answer():
    assert read(token("Well", {"Well": 1.0})).kind == "no_answer"
    assert read(token(" ", {" ": 1.0})).kind == "no_answer"


def test_options_that_one_token_cannot_tell_apart():
    assert read(token("1", {"1": 1.0}), options=("1", "10")).kind == "no_logprobs"
    assert option_probabilities(Reply("1", "m"), FOUR).kind == "no_logprobs"


def test_words_as_options():
    found = read(token("Yes", {"Yes": 0.6, " yes": 0.1, "No": 0.2}), options=("yes", "no"))
    assert found.values == pytest.approx({"yes": 0.7, "no": 0.2})


def test_samples():
    found = sampled_probabilities(["3", "3", "4", None], FOUR)
    assert found == OptionProbabilities({"1": 0.0, "2": 0.0, "3": 0.5, "4": 0.25}, "samples", 4)
    assert found.mass == 0.75
    assert isinstance(sampled_probabilities([None, None], FOUR), Unread)


def request(name="q"):
    return Request((name,), (Message("user", name),), Options("m", max_tokens=1, top_logprobs=5), "p@1")


def test_every_sample_is_a_request_of_its_own():
    samples = samples_of(request(), 3)
    assert [sample.options.sent_seed for sample in samples] == [0, 1000, 2000]
    assert {sample.options.temperature for sample in samples} == {1.0}
    assert len({sample.key for sample in samples}) == 3


def probabilities(ask, tmp_path, samples=4):
    async def go():
        with ReplyStore(tmp_path / "r.jsonl") as store:
            session = Session(ask, store, Limits(concurrency=2, retries=0, attempts=1))
            return [answer async for answer in ask_probabilities(session, [(request(), FOUR)], samples)]

    [answer] = asyncio.run(go())
    return answer


def test_without_token_probabilities_the_same_is_asked_repeatedly(tmp_path):
    said = iter(["3", "3", "3", "4", "nonsense"])

    async def ask(messages, options):
        assert messages == (Message("user", "q"),)
        return Reply(next(said), options.model)

    answer = probabilities(ask, tmp_path)
    # The first reply came without probabilities; four samples follow, one of which says nothing.
    assert answer.value == OptionProbabilities({"1": 0.0, "2": 0.0, "3": 0.5, "4": 0.25}, "samples", 4)
    assert len(answer.replies) == 4


def test_samples_that_cannot_be_asked_are_missing_not_a_share(tmp_path):
    async def ask(messages, options):
        if options.top_logprobs is None and options.sample > 1:
            raise AskFailed("payment", "no money left", wait=None if messages else 0)
        return Reply("3", options.model)

    answer = probabilities(ask, tmp_path)
    assert answer.value is None
    assert answer.missing.kind == "payment"


def test_no_samples_wanted(tmp_path):
    async def ask(messages, options):
        return Reply("3" if messages else "", options.model)

    assert probabilities(ask, tmp_path, samples=0).missing.kind == "no_logprobs"


@pytest.mark.parametrize(("refuses", "done"), [(False, 5), (True, 4)])
def test_what_samples_are_asked_instead_of_is_not_missing(tmp_path, refuses, done):
    async def ask(_messages, options):
        if refuses and options.top_logprobs is not None:
            raise AskFailed("unsupported", "no logprobs", features=frozenset({"top_logprobs"}))
        return Reply("3", options.model)

    async def go():
        with ReplyStore(tmp_path / "r.jsonl") as store:
            session = Session(ask, store, Limits())
            answers = [answer async for answer in ask_probabilities(session, [(request(), FOUR)], 4)]
            return answers, session.progress

    [answer], progress = asyncio.run(go())
    assert answer.value.source == "samples"
    # The four samples, and the call that was answered without probabilities.
    assert (progress.done, progress.missing, progress.instead, progress.reasons) == (done, 0, 1, {})
    assert progress.spent.calls == done


def test_samples_keep_to_the_calls_at_once(tmp_path):
    count, most = [], []

    async def ask(messages, options):
        count.append(len(messages))
        most.append(len(count))
        await asyncio.sleep(0.001)
        count.pop()
        return Reply("3", options.model)

    async def go():
        with ReplyStore(tmp_path / "r.jsonl") as store:
            session = Session(ask, store, Limits(concurrency=3))
            requests = ((request(str(number)), FOUR) for number in range(12))
            return [answer async for answer in ask_probabilities(session, requests, 5)]

    answers = asyncio.run(go())
    assert [answer.value.values["3"] for answer in answers] == [1.0] * 12
    assert len(most) == 12 * 6
    assert max(most) == 3


def test_what_sums_to_more_than_one_are_no_probabilities():
    found = read(token("3", {"3": 0.9999999, " 3": 0.9999}))
    assert found.kind == "no_logprobs"


@pytest.mark.parametrize(
    ("logprob", "given"),
    [(0.93, None), (-(10**400), -1000.0), (-9999, -1000.0), (float("-inf"), -1000.0), (1e-9, 1e-9)],
)
def test_logarithms_as_endpoints_send_them(logprob, given):
    entry = {"token": "3", "logprob": logprob, "top_logprobs": None}
    choice = {"message": {"content": "3"}, "logprobs": {"content": [entry]}}
    reply = reply_of({"choices": [choice]}, (Message("user", "q"),), Options("m"))
    assert (None if reply.tokens is None else reply.tokens[0].logprob) == given
