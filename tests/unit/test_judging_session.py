"""Sessions without a network: what is asked, in which measure, and what a bug does."""

import asyncio
import time
from datetime import UTC, datetime
from itertools import pairwise

import pytest

from aeollm.errors import JudgingError
from aeollm.judging import (
    AskFailed,
    Budget,
    Estimator,
    Limits,
    Message,
    Options,
    Price,
    Reply,
    ReplyStore,
    Request,
    Session,
    Shard,
    Unread,
    Usage,
    estimate_tokens,
    merge,
)
from aeollm.judging.asking import Endpoint
from aeollm.judging.asking.failures import redacting, retry_after


def request(name, **options):
    return Request((name,), (Message("user", name),), Options("m", **options), "p@1")


def run(tmp_path, requests, ask, read=lambda reply: reply.text, **limits):
    async def go():
        with ReplyStore(tmp_path / "r.jsonl") as store:
            session = Session(ask, store, Limits(**{"concurrency": 2, "backoff": 0.001, **limits}))
            answers = [answer async for answer in session.run(requests, read)]
            return answers, session

    return asyncio.run(go())


async def echo(messages, options):
    return Reply(f"{options.model} {messages[0].content}", options.model)


def test_every_request_gets_one_answer(tmp_path):
    answers, session = run(tmp_path, (request(str(n)) for n in range(50)), echo)
    assert sorted(int(answer.request.place[0]) for answer in answers) == list(range(50))
    assert all(answer.value == f"m {answer.request.place[0]}" for answer in answers)
    assert (session.progress.done, session.progress.missing) == (50, 0)


def test_requests_are_made_as_they_are_needed(tmp_path):
    made = []

    def lazily():
        for number in range(1000):
            made.append(number)
            yield request(str(number))

    async def go():
        with ReplyStore(tmp_path / "r.jsonl") as store:
            session = Session(echo, store, Limits(concurrency=2))
            answers = session.run(lazily(), lambda reply: reply.text)
            for _ in range(3):
                await anext(answers)
            await answers.aclose()

    asyncio.run(go())
    # Two workers, four answers that wait, three taken.
    assert len(made) <= 2 + 4 + 3 + 2


@pytest.mark.parametrize("where", ["ask", "read", "requests"])
def test_a_bug_passes_through_as_the_bug_it_is(where, tmp_path):
    async def broken(messages, options):
        raise ZeroDivisionError(messages, options)

    def unreadable(reply):
        raise ZeroDivisionError(reply)

    def requests():
        yield request("a")
        if where == "requests":
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run(
            tmp_path,
            requests(),
            broken if where == "ask" else echo,
            unreadable if where == "read" else lambda reply: reply.text,
        )


def test_steps_share_one_budget(tmp_path):
    async def go():
        with ReplyStore(tmp_path / "r.jsonl") as store:
            session = Session(echo, store, Limits(concurrency=1, budget=Budget(calls=3)))
            first = [answer async for answer in session.run([request("a"), request("b")], lambda reply: reply.text)]
            second = [answer async for answer in session.run([request("c"), request("d")], lambda reply: reply.text)]
            cached = await session.one(request("a"), lambda reply: reply.text)
            return [*first, *second, cached]

    answers = asyncio.run(go())
    assert [answer.missing and answer.missing.kind for answer in answers] == [None, None, None, "budget", None]


def test_asking_again_is_another_sample_and_ends(tmp_path):
    asked = []

    async def ask(messages, options):
        asked.append((messages[0].content, options.sent_seed, options.sent_temperature))
        return Reply("good" if options.attempt == 2 else "bad", options.model)

    def read(reply):
        return reply.text if reply.text == "good" else Unread("no_answer", "bad")

    [answer], _ = run(tmp_path, [request("a", seed=7)], ask, read, attempts=3)
    assert answer.value == "good"
    assert [reply.text for reply in answer.replies] == ["bad", "bad", "good"]
    assert asked == [("a", 7, 0.0), ("a", 8, 0.5), ("a", 9, 0.5)]


def test_a_reply_that_was_unreadable_is_the_reason_although_the_budget_ended_it(tmp_path):
    def read(reply):
        return Unread("refusal", reply.text)

    answers, session = run(tmp_path, [request("a"), request("b")], echo, read, concurrency=1, budget=Budget(calls=1))
    # The first was asked once, the second never.
    assert {answer.request.place[0]: answer.missing.kind for answer in answers} == {"a": "refusal", "b": "budget"}
    assert session.stopped.kind == "budget"


def test_a_wrong_place_in_the_middle_is_asked_with_patience(tmp_path):
    tried = []

    async def ask(messages, options):
        tried.append(messages[0].content)
        if tried.count(messages[0].content) < 3:
            raise AskFailed("connection", "closed")
        return await echo(messages, options)

    answers, session = run(tmp_path, [request("a"), request("b")], ask, retries=2)
    assert {answer.value for answer in answers} == {"m a", "m b"}
    # Closed connections may have been charged: each counts as a call.
    assert session.progress.spent.calls == 6


@pytest.mark.parametrize(
    ("kind", "charged"),
    [
        ("timeout", True),
        ("connection", True),
        ("malformed", True),
        # Turned away, or never there: no work was done.
        ("rate_limited", False),
        ("server_error", False),
        ("unreachable", False),
        ("refused_request", False),
    ],
)
def test_what_may_have_been_charged_counts_against_the_budget(kind, charged, tmp_path):
    async def ask(messages, options):
        raise AskFailed(kind, messages[0].content + options.model)

    _, session = run(tmp_path, [request("x" * 100)], ask, retries=0)
    spent = session.progress.spent
    # 0.3 tokens a letter, 8 for the message's frame.
    assert (spent.calls, spent.usage.prompt) == ((1, 38) if charged else (0, 0))


def test_failures_between_replies_end_nothing(tmp_path):
    async def ask(messages, options):
        if int(messages[0].content) % 2:
            raise AskFailed("server_error", "oops")
        return await echo(messages, options)

    answers, session = run(tmp_path, [request(str(n)) for n in range(20)], ask, concurrency=1, retries=0, failures=2)
    assert session.stopped is None
    assert [answer.missing is None for answer in answers] == [True, False] * 10


def test_waiting_grows_twofold_from_try_to_try(tmp_path):
    tried = []

    async def ask(messages, options):
        tried.append(time.monotonic())
        raise AskFailed("server_error", messages[0].content + options.model)

    run(tmp_path, [request("a")], ask, retries=4, backoff=0.02)
    waited = [after - before for before, after in pairwise(tried)]
    # A request's own share of it is between a half and the whole.
    assert len(waited) == 4
    assert all(wait >= 0.02 * 2**number / 2 for number, wait in enumerate(waited))


def test_nobody_waits_longer_than_the_longest(tmp_path):
    async def ask(messages, options):
        raise AskFailed("server_error", messages[0].content + options.model)

    start = time.monotonic()
    [answer], _ = run(tmp_path, [request("a")], ask, retries=3, backoff=50, longest_wait=0.01)
    assert answer.missing.kind == "server_error"
    assert time.monotonic() - start < 20


def test_whoever_is_turned_away_stops_the_others_too(tmp_path):
    started = []

    async def ask(messages, options):
        started.append(time.monotonic())
        if len(started) == 1:
            raise AskFailed("rate_limited", "slow down", wait=0.4)
        return await echo(messages, options)

    answers, _ = run(tmp_path, [request(name) for name in "abcdef"], ask, concurrency=2)
    assert {answer.missing for answer in answers} == {None}
    # The other of the two at once may be under way already; then there is silence for as long as was asked.
    early = [at - started[0] for at in started if at - started[0] < 0.39]
    assert len(early) <= 2
    assert len(started) == 7


def test_an_estimate_before_anything_is_sent(tmp_path):
    requests = [
        request("x" * 1000, max_tokens=50),
        request("评" * 1000, max_tokens=50),
        request("x" * 1000, max_tokens=50),
    ]
    with ReplyStore(tmp_path / "r.jsonl") as store:
        # 0.3 tokens a letter, 0.6 a Chinese character, 8 a message; the third is the first again.
        before = Estimator(store).add_up(requests, Price(1, 2))
        assert (before.calls, before.on_disk) == (2, 0)
        assert before.most == Usage(300 + 8 + 600 + 8, 100, estimated=True)
        assert before.longest == 658
        assert before.money == pytest.approx((916 + 2 * 100) / 1e6)
        store.add(requests[0], Reply("x", "m"), {})
        after = Estimator(store).add_up(requests, Price())
    assert (after.calls, after.on_disk, after.money) == (1, 1, 0)
    assert estimate_tokens("热" * 10 + "a" * 10) == 9


@pytest.mark.parametrize(
    "address",
    [
        "",
        "localhost:8000",
        "ftp://x",
        "http://",
        "http://user:pass@x/v1",
        "http://x/v1?key=abc",
        "http://x/#a",
        "http://[::1",
    ],
)
def test_what_is_no_address_or_holds_a_key_is_refused(address):
    with pytest.raises(JudgingError) as caught:
        Endpoint(address)
    assert "abc" not in str(caught.value)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("5", 5),
        ("0", None),
        ("-3", None),
        ("1.5", 1.5),
        ("Mon, 30 Nov 2026 00:00:10 GMT", 10),
        ("Mon, 30 Nov 2026 00:00:00", None),
        ("Sun, 29 Nov 2026 00:00:00 GMT", None),
        ("soon", None),
        ("", None),
        ("inf", None),
        ("nan", None),
        (None, None),
    ],
)
def test_retry_after(value, seconds):
    assert retry_after(value, datetime(2026, 11, 30, tzinfo=UTC)) == seconds


def test_what_looks_like_a_key_is_taken_out():
    redact = redacting("plain-secret")
    for text in ("Bearer abc.def", "hf_abcdefghijkl", "sk-proj-abcdefgh123", "plain-secret", "sk-ab***********yz"):
        assert "[key]" in redact(f"wrong: {text} given")
        assert text not in redact(f"wrong: {text} given")
    assert redact("the key word") == "the key word"


def test_shards_merged_give_the_run_without_an_endpoint(tmp_path):
    names = [f"q{number}" for number in range(20)]
    run(tmp_path / "whole", [request(name) for name in names], echo)
    for number in (1, 2):
        run(tmp_path / str(number), [request(name) for name in names if Shard(number, 2).takes(name)], echo)
    merge([tmp_path / "1" / "r.jsonl", tmp_path / "2" / "r.jsonl"], tmp_path / "r.jsonl")
    merge([tmp_path / "whole" / "r.jsonl"], tmp_path / "one.jsonl")
    assert (tmp_path / "r.jsonl").read_bytes() == (tmp_path / "one.jsonl").read_bytes()
    answers, session = run(tmp_path, [request(name) for name in [*names, "unknown"]], None)
    values = {answer.request.place[0]: answer.value for answer in answers}
    assert values == {name: f"m {name}" for name in names} | {"unknown": None}
    assert [answer.missing.kind for answer in answers if answer.missing] == ["offline"]
    assert session.progress.spent.calls == 0
