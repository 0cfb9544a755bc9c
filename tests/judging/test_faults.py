"""What endpoints do wrong, one scripted fault after the other, over real HTTP."""

import asyncio
import json
import logging
import socket
import threading
import time
import traceback

import httpx2
import huggingface_hub.constants
import huggingface_hub.inference._providers as hub_providers
import pytest
from huggingface_hub.errors import HfHubHTTPError

from aeollm.judging import AskFailed, Budget, Control, Message, Options, Price, ReplyStore, Request
from aeollm.judging.asking import Endpoint, connect
from aeollm.judging.asking.failures import http_failure, redacting
from aeollm.judging.reading import probabilities_reader
from tests.judging.conftest import KEY, request
from tests.judging.scripted import Answer, refused


def first(fault, then=None):
    """Fail the first time, answer from then on."""
    return lambda seen: fault if seen.number == 0 else then or Answer()


PASSING = {
    "rate_limited": refused(429, "slow down", Retry_After="0.01"),
    "rate_limited_without_a_time": refused(429, "slow down"),
    "server_error": refused(500, "oops"),
    "unavailable": refused(503, "loading"),
    "gateway_timeout": refused(504, "too slow"),
    "not_json": Answer(body=b"<html>Bad gateway</html>"),
    "half_json": Answer(body=b'{"choices": [{"message": {"content": "8'),
    "json_list": Answer(body=b"[1, 2]"),
    "error_in_body": Answer(body=b'{"error": {"message": "upstream failed"}}'),
    "no_choices": Answer(body=b'{"choices": []}'),
    "closed": Answer(closed=True),
}


@pytest.mark.parametrize("name", PASSING)
def test_a_fault_that_passes_is_asked_again(name, judge, ask_all):
    judge.script = first(PASSING[name])
    asked = ask_all([request("a")])
    assert asked.score("a") == 7
    assert len(judge.seen) == 2


def test_retry_after_is_waited_for_by_everybody(judge, ask_all):
    judge.script = first(refused(429, "slow down", Retry_After="0.6"))
    start = time.monotonic()
    asked = ask_all([request(name) for name in "abcd"], concurrency=2)
    assert time.monotonic() - start > 0.55
    assert [asked.score(name) for name in "abcd"] == [7] * 4
    assert len(judge.seen) <= 6


def test_an_endpoint_that_asks_to_wait_too_long_ends_the_session(judge, ask_all):
    judge.script = refused(429, "quota", Retry_After="3600")
    asked = ask_all([request(name) for name in "abc"])
    assert asked.session.stopped.kind == "rate_limited"
    assert "3600 s" in asked.session.stopped.words
    assert [asked.missing(name) for name in "abc"] == ["rate_limited"] * 3
    assert len(judge.seen) == 1


@pytest.mark.parametrize("slow", [Answer(hang=True), Answer(drip=True)], ids=["hang", "drip"])
def test_a_slow_reply_times_out_and_is_asked_again(slow, judge, ask_all):
    judge.script = first(slow)
    assert ask_all([request("a")], timeout=0.5).score("a") == 7
    assert len(judge.seen) == 2


def test_a_fault_that_stays_is_missing_with_its_reason_and_stops_nothing_else(judge, ask_all):
    judge.script = lambda seen: refused(500, "oops") if "b" in seen.asked else Answer()
    asked = ask_all([request(name) for name in "abc"], retries=2)
    assert [asked.missing(name) for name in "abc"] == [None, "server_error", None]
    assert "oops" in asked.answers["b"].missing.words
    assert len(judge.seen) == 1 + 3 + 1


def test_an_endpoint_that_fails_all_the_time_ends_the_session(judge, ask_all):
    judge.script = refused(500, "down")
    asked = ask_all([request(str(n)) for n in range(40)], retries=1, failures=3)
    assert asked.session.stopped.kind == "server_error"
    assert len(judge.seen) == 6
    assert {asked.missing(str(n)) for n in range(40)} == {"server_error"}


@pytest.mark.parametrize(
    ("status", "kind"), [(401, "unauthorised"), (403, "unauthorised"), (402, "payment"), (404, "not_found")]
)
def test_what_no_request_can_pass_ends_the_session_at_once(status, kind, judge, ask_all):
    judge.script = refused(status, f"Incorrect API key provided: {KEY}")
    asked = ask_all([request(name) for name in "abc"])
    assert len(judge.seen) == 1
    assert {asked.missing(name) for name in "abc"} == {kind}


def test_a_prompt_that_is_too_long_concerns_that_request_alone(judge, ask_all):
    words = "This model's maximum context length is 4096 tokens"
    judge.script = lambda seen: refused(400, words) if seen.number < 12 else Answer()
    asked = ask_all([request(str(n)) for n in range(13)], failures=3)
    assert asked.missing("0") == "too_long"
    assert asked.score("12") == 7


def test_a_schema_that_is_not_offered_is_left_out_from_then_on(judge, ask_all):
    def script(seen):
        return refused(400, "response_format is not supported") if "response_format" in seen.body else Answer()

    judge.script = script
    asked = ask_all([request(name, schema='{"type": "object"}') for name in "abc"])
    assert [asked.score(name) for name in "abc"] == [7] * 3
    assert len(judge.seen) == 4
    assert asked.session.lacking == {"schema"}
    judge.reset(script)
    ask_all([request(name, schema='{"type": "object"}') for name in "abcd"])
    assert len(judge.seen) == 1, "what is not offered is remembered beside the replies"


def test_a_system_message_that_is_not_offered_opens_the_first_user_message(judge, ask_all):
    def script(seen):
        system = seen.body["messages"][0]["role"] == "system"
        return refused(400, "System role not supported") if system else Answer()

    judge.script = script
    messages = (Message("system", "rules"), Message("user", "report"))
    asked = ask_all([Request((name,), messages, Options("judge", seed=seed), "p@1") for seed, name in enumerate("ab")])
    assert [asked.score(name) for name in "ab"] == [7, 7]
    assert judge.seen[-1].body["messages"] == [{"role": "user", "content": "rules\n\nreport"}]
    assert len(judge.seen) == 3


def test_an_empty_purse_is_no_rate_limit(judge, ask_all):
    judge.script = refused(429, "You exceeded your current quota, please check your plan and billing details.")
    assert ask_all([request("a"), request("b")]).session.stopped.kind == "payment"
    assert len(judge.seen) == 1


def test_a_schema_goes_as_openai_compatible_servers_expect_it(judge, ask_all):
    ask_all([request("a", schema='{"type": "object"}', extra='{"chat_template_kwargs": {"thinking": false}}')])
    sent = judge.seen[0].body
    assert sent["response_format"]["type"] == "json_schema"
    assert sent["response_format"]["json_schema"]["schema"] == {"type": "object"}
    assert sent["chat_template_kwargs"] == {"thinking": False}
    assert (sent["seed"], sent["temperature"], sent["max_tokens"]) == (0, 0.0, 1024)


def test_no_token_probabilities_are_told_once_and_not_asked_again(judge, ask_all):
    asked = ask_all([request("a", top_logprobs=5)], read=probabilities_reader(["1", "2"]))
    assert asked.missing("a") == "no_logprobs"
    assert len(judge.seen) == 1
    assert judge.seen[0].body["top_logprobs"] == 5


def test_another_model_is_not_this_judge(judge, ask_all):
    judge.script = lambda seen: Answer(model="judge-2" if seen.number == 1 else "judge-1", text=str(seen.number))
    asked = ask_all([request("a"), request("b")])
    assert [asked.score("a"), asked.score("b")] == [0, 2]
    with ReplyStore(asked.store) as store:
        assert len(store) == 3, "the other model's reply was paid and is kept"
    judge.reset(Answer(model="judge-2"))
    later = ask_all([request("a"), request("c")], retries=1)
    assert later.score("a") == 0
    assert later.missing("c") == "other_model"


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (Answer(text="I'm sorry, but I can't rate this."), "refusal"),
        (Answer(text="", finish="content_filter"), "refusal"),
        (Answer(text=None, message={"refusal": "I cannot rate this."}), "refusal"),
        (Answer(text='{"score": 7', finish="length"), "truncated"),
        (Answer(text=None, message={"reasoning_content": '{"score": 9}'}), "no_answer"),
        (Answer(text="<think>{\"score\": 3}", finish="length"), "truncated"),
        (Answer(text='{"score": 11}'), "out_of_range"),
        (Answer(text="It depends."), "no_answer"),
    ],
)  # fmt: skip
def test_a_reply_without_a_score_is_asked_again_and_then_missing(answer, kind, judge, ask_all):
    judge.script = answer
    asked = ask_all([request("a")], attempts=3)
    assert asked.missing("a") == kind
    assert asked.score("a") is None
    # A reply that is cut is asked again once only.
    sent = [(0, 0.0), (1, 0.5), (2, 0.5)][: 2 if kind == "truncated" else 3]
    assert [(seen.body["seed"], seen.body["temperature"]) for seen in judge.seen] == sent
    judge.reset()
    again = ask_all([request("a")], attempts=3)
    assert (len(judge.seen), again.missing("a")) == (0, kind), "unreadable replies were paid, too"


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_thought_that_comes_apart_is_kept_and_counted_and_read_for_no_score(field, judge, ask_all):
    judge.script = Answer(text='{"score": 8}', message={field: "A score of 3? " * 10}, usage=None)
    asked = ask_all([request("a")])
    assert asked.score("a") == 8
    with ReplyStore(asked.store) as store:
        assert store.get(request("a")).reasoning == "A score of 3? " * 10
    # Where the endpoint does not count: 0.3 tokens a letter, of 12 and 140.
    assert asked.session.progress.spent.usage.completion == round(0.3 * 152)


def test_a_think_block_before_the_score_is_fine(judge, ask_all):
    judge.script = Answer(text='<think>3?</think>{"score": 8}')
    assert ask_all([request("a")]).score("a") == 8


def test_errors_are_never_kept(judge, ask_all):
    judge.script = refused(500, "oops")
    assert ask_all([request("a")], retries=0).missing("a") == "server_error"
    judge.reset()
    assert ask_all([request("a")]).score("a") == 7
    assert len(judge.seen) == 1


def test_a_second_run_asks_nothing_and_says_the_same(judge, ask_all):
    judge.script = lambda seen: Answer(text=f'{{"score": {seen.number}}}')
    requests = [request(name) for name in "abc"]
    once = ask_all(requests)
    judge.reset()
    again = ask_all(requests)
    assert not judge.seen
    assert [once.score(name) for name in "abc"] == [again.score(name) for name in "abc"]
    assert (again.session.progress.from_disk, again.session.progress.spent.calls) == (3, 0)


@pytest.mark.parametrize("change", [{"temperature": 0.7}, {"seed": 1}, {"model": "other"}, {"max_tokens": 5}])
def test_another_request_never_reads_an_old_reply(change, judge, ask_all):
    ask_all([request("a")])
    ask_all([request("a", **change)])
    assert len(judge.seen) == 2


def test_the_same_request_twice_at_once_is_paid_once(judge, ask_all):
    judge.script = Answer(wait=0.1)
    ask_all([request("same") for _ in range(6)], concurrency=6)
    assert len(judge.seen) == 1


def test_at_most_so_many_calls_at_once(judge, ask_all):
    judge.script = Answer(wait=0.05)
    ask_all([request(str(n)) for n in range(12)], concurrency=3)
    assert judge.most_at_once == 3


@pytest.mark.parametrize(
    ("budget", "calls"),
    [
        (Budget(calls=4), 4),
        # A call is 10 + 5 tokens as answered; up to 100 reply tokens and 9 of the prompt are held before it.
        (Budget(tokens=150), 3),
        # 2 a million prompt tokens and 4 a million written ones: 40 millionths a call, at most 418 held.
        (Budget(money=0.0005, price=Price(2, 4)), 3),
        (Budget(calls=0), 0),
    ],
)
def test_a_budget_stops_before_it_is_passed(budget, calls, judge, ask_all):
    asked = ask_all([request(str(n), max_tokens=100) for n in range(10)], budget=budget, concurrency=4)
    assert len(judge.seen) == calls
    assert asked.session.stopped.kind == "budget"
    assert sum(asked.missing(str(n)) == "budget" for n in range(10)) == 10 - calls
    assert asked.session.progress.spent.calls == calls
    judge.reset()
    more = ask_all([request(str(n), max_tokens=100) for n in range(10)])
    assert len(judge.seen) == 10 - calls
    assert more.session.stopped is None


def test_money_counts_what_was_answered(ask_all):
    asked = ask_all([request("a")], budget=Budget(money=1, price=Price(2, 4)))
    assert asked.session.progress.spent.money == pytest.approx((10 * 2 + 5 * 4) / 1e6)


def test_usage_that_is_not_told_is_estimated(judge, ask_all):
    judge.script = Answer(usage=None)
    spent = ask_all([request("a")]).session.progress.spent
    assert spent.usage.estimated
    assert spent.usage.prompt > 0


def test_cancelling_keeps_what_is_under_way_and_starts_nothing_new(judge, ask_all):
    control = Control()

    def script(seen):
        if seen.number == 1:
            control.cancel()
        return Answer(wait=0.05)

    judge.script = script
    asked = ask_all([request(str(n)) for n in range(8)], control=control)
    assert len(judge.seen) == 2
    assert [asked.missing(str(n)) for n in range(8)] == [None, None, *["cancelled"] * 6]
    judge.reset()
    ask_all([request(str(n)) for n in range(8)])
    assert len(judge.seen) == 6


def test_cancelling_at_once_does_not_wait(judge, ask_all):
    control = Control()

    judge.script = lambda seen: Answer(hang=control.cancel(now=True) is None and bool(seen))
    start = time.monotonic()
    asked = ask_all([request("a"), request("b")], control=control)
    assert time.monotonic() - start < 5
    assert {asked.missing("a"), asked.missing("b")} == {"cancelled"}


def test_a_paused_session_goes_on(judge, ask_all):
    control = Control()
    control.pause()
    judge.script = Answer()
    timer = threading.Timer(0.3, control.resume)
    timer.start()
    start = time.monotonic()
    assert ask_all([request("a")], control=control).score("a") == 7
    assert time.monotonic() - start > 0.25
    timer.join()


@pytest.mark.parametrize(
    "fault",
    [
        refused(401, f"Incorrect API key provided: {KEY}"),
        refused(500, f"Bearer {KEY}"),
        Answer(body=KEY.encode()),
        Answer(body=f'{{"error": {{"message": "bad key {KEY}"}}}}'.encode()),
        Answer(body=f'{{"error": "bad key {KEY}"}}'.encode()),
        # What a judge says is kept as it came, but for the key.
        Answer(f"You are {KEY}. Score: 7", model=f"m-{KEY}", finish=KEY, message={"reasoning": KEY}),
    ],
)
def test_no_key_in_files_logs_errors_or_tracebacks(fault, judge, ask_all, caplog, tmp_path):
    caplog.set_level(logging.DEBUG)
    judge.script = fault
    asked = ask_all([request("a")], retries=1)
    assert judge.seen[0].authorization == f"Bearer {KEY}"
    told = f"{asked.answers} {asked.session.stopped} {caplog.text}"
    assert KEY not in told
    for path in tmp_path.rglob("*"):
        assert KEY.encode() not in path.read_bytes()


@pytest.mark.parametrize(
    "told", [r'"bad key a\/b\"c<d\\e-f"', '"bad key a/b%22c%3Cd%5Ce-f"', '"a/b&quot;c&lt;d\\\\e-f"']
)
def test_no_key_that_is_escaped_on_its_way_back(told):
    odd = 'a/b"c<d\\e-f'
    response = httpx2.Response(
        401, text=f'{{"error": {{"message": {told}}}}}', request=httpx2.Request("POST", "http://x")
    )
    words = http_failure(HfHubHTTPError("401", response=response), redacting(odd)).words
    assert words.endswith("[key]")


def test_no_key_in_what_is_told_of_a_redirect(judge, ask_all):
    judge.script = Answer(status=302, headers={"Location": f"http://127.0.0.1:9/?key={KEY}"})
    stopped = ask_all([request("a")]).session.stopped
    assert "the address sends elsewhere (http://127.0.0.1:9/?key=[key])" in stopped.words


@pytest.mark.parametrize("key", ["EMPTY", "none", "x"])
def test_what_stands_for_no_key_changes_no_reply(key, judge, ask_all):
    judge.script = Answer(f'{{"reason": "{key} of it is exact", "score": 7}}')
    asked = ask_all([request("a")], token=key)
    assert key in asked.answers["a"].replies[0].text


def test_an_endpoint_that_never_answers_is_told_soon_and_costs_nothing(ask_all, monkeypatch):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
    monkeypatch.setattr("tests.judging.scripted.ScriptedJudge.address", address)
    asked = ask_all([request(str(number)) for number in range(5)])
    assert asked.session.stopped.kind == "unreachable"
    assert address in asked.session.stopped.words
    assert asked.session.progress.spent.calls == 0
    assert asked.session.progress.trouble == asked.session.stopped.words
    assert {asked.missing(str(number)) for number in range(5)} == {"unreachable"}


def test_no_key_in_the_endpoint_or_a_failure(judge):
    judge.script = refused(401, KEY)
    endpoint = Endpoint(judge.address, token=KEY)

    async def go():
        async with connect(endpoint) as ask:
            await ask(request("a").messages, request("a").options)

    with pytest.raises(AskFailed) as caught:
        asyncio.run(go())
    shown = "".join(traceback.format_exception(caught.value))
    assert KEY not in shown + repr(endpoint) + str(caught.value)
    assert caught.value.__cause__ is None


def test_the_saved_login_is_not_sent_to_an_address(judge, ask_all, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "hf_abcdefghijklmnopqrstuvwxyz")
    ask_all([request("a")], token=None)
    assert judge.seen[0].authorization is None


def test_an_address_is_asked_where_the_hub_is_not(ask_all, monkeypatch):
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    assert ask_all([request("a")]).score("a") == 7


def test_a_reply_is_stored_with_what_was_sent(ask_all):
    asked = ask_all([request("a", seed=5, temperature=0.3)])
    entry = json.loads(asked.store.read_bytes())
    assert (entry["sent"]["seed"], entry["sent"]["temperature"], entry["asked"]) == (5, 0.3, "judge")
    assert entry["reply"]["model"] == "judge-1"
    assert entry["prompt"] == "test@1"
    assert KEY not in json.dumps(entry)


def test_what_is_asked_again_is_stored_with_what_was_sent_then(judge, ask_all):
    judge.script = lambda seen: Answer(text="It depends." if seen.number < 2 else '{"score": 7}')
    asked = ask_all([request("a", seed=5, temperature=0.3)])
    sent = [json.loads(line)["sent"] for line in asked.store.read_bytes().splitlines()]
    assert [(own["seed"], own["temperature"]) for own in sent] == [(5, 0.3), (6, 0.5), (7, 0.5)]
    assert [(seen.body["seed"], seen.body["temperature"]) for seen in judge.seen] == [(5, 0.3), (6, 0.5), (7, 0.5)]


@pytest.fixture
def router(judge, monkeypatch):
    """Let the Hub's router be the scripted judge."""
    monkeypatch.setattr(hub_providers.CONVERSATIONAL_AUTO_ROUTER, "base_url", judge.address.removesuffix("/v1"))
    return judge


def through_the_hub(token):
    async def go():
        async with connect(Endpoint(provider="auto", token=token)) as ask:
            return await ask(request("a").messages, Options("owner/model", schema='{"type": "object"}'))

    return asyncio.run(go())


def test_a_provider_is_asked_through_the_hub_with_the_key(router):
    assert through_the_hub("hf_abcdefghijklmnop").text == '{"score": 7}'
    assert router.seen[0].authorization == "Bearer hf_abcdefghijklmnop"
    assert router.seen[0].body["model"] == "owner/model"
    assert router.seen[0].body["response_format"]["json_schema"]["schema"] == {"type": "object"}


@pytest.mark.parametrize(
    ("token", "offline", "kind"),
    [
        (None, False, "unauthorised"),
        ("sk-not-the-hubs", False, "unauthorised"),
        ("hf_abcdefghijklmnop", True, "offline"),
    ],
)
def test_a_provider_that_cannot_be_asked(token, offline, kind, router, monkeypatch):
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", offline)
    for name in ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(huggingface_hub.constants, "HF_TOKEN_PATH", "/nowhere")
    with pytest.raises(AskFailed) as caught:
        through_the_hub(token)
    assert caught.value.kind == kind
    assert not router.seen
    assert token is None or token not in str(caught.value)
