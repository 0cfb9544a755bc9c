"""Each way a download can fail, as case C42 lists them (a to h), and the others that have a name."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from tests.hub.conftest import OFFLINE
from tests.hub.fake_hub import FAULTS, Fault
from tests.hub.small_dataset import FILES, LABELS, NEWER, REPO, WANTED

TRAIN = "aeollm-2-train/train_deepresearch.csv"


def test_a_rate_limited_with_the_pinned_revision_here(hub, client, first):
    client.fetch(revision=first)
    hub.fault = Fault(429, {"Retry-After": "7"})
    outcome = client.fetch(revision=first)
    assert outcome.snapshot["cached"]
    assert outcome.snapshot["revision"] == first
    assert outcome.snapshot["fetched"] == time.strftime("%Y-%m-%d", time.gmtime())
    assert outcome.snapshot["stale"] is None


@pytest.mark.parametrize(
    ("headers", "when"),
    [
        ({}, "in a few minutes"),
        ({"Retry-After": "7"}, "in 7 seconds"),
        ({"Retry-After": "Wed, 21 Oct 2026 07:28:00 GMT"}, "in a few minutes"),
        ({"RateLimit": '"api";r=0;t=55'}, "in 55 seconds"),
        ({"RateLimit": '"api";r=10;t=55'}, "in a few minutes"),
    ],
)
def test_b_rate_limited_with_nothing_here(hub, client, headers, when):
    hub.fault = Fault(429, headers)
    outcome = client.fetch()
    assert outcome.problem["kind"] == "rate_limited"
    assert f"try again {when}" in outcome.advice
    assert "token" in outcome.advice
    assert len(hub.seen) == 1  # no retries: the user is told instead


@pytest.mark.parametrize("status", [401, 403])
def test_c_gated(hub, client, status):
    hub.fault = replace(FAULTS["gated"], status=status)
    outcome = client.fetch()
    assert outcome.problem["kind"] == "gated"
    assert "access" in outcome.advice
    assert "token" in outcome.advice
    assert f"{REPO}@main" in outcome.problem["message"]


@pytest.mark.parametrize("fault", ["repo_missing", None])
def test_d_no_such_data_set_or_private(hub, client, fault):
    hub.fault = FAULTS.get(fault)
    outcome = client.fetch(repo="THUIR/AEOLLM-9")
    assert outcome.problem["kind"] == "not_found_or_private"
    assert "name" in outcome.advice
    assert "token" in outcome.advice


def test_e_no_such_revision_while_another_one_is_here(client, first):
    client.fetch(revision=first)
    client.fetch()
    for revision in ("v9", "f" * 40):
        outcome = client.fetch(revision=revision)
        assert outcome.problem["kind"] == "revision_missing"
        assert f"{REPO}@{revision}" in outcome.problem["message"]
        assert not outcome.snapshot


def test_f_refused_with_the_pinned_revision_here(client, first, refused):
    before = client.fetch(revision=first)
    outcome = client.fetch(refused, revision=first)
    assert outcome.snapshot["cached"]
    assert outcome.texts == before.texts


def test_g_no_answer_with_nothing_here(hub, client):
    hub.fault = FAULTS["hang"]
    outcome = client.fetch()
    assert outcome.problem["kind"] == "offline"
    assert outcome.seconds < 6
    assert "AEOLLM_LABELS" in outcome.advice
    assert "demo" in outcome.advice


@pytest.mark.parametrize("revision", ["main", None])
def test_h_body_shorter_than_announced(hub, client, first, revision):
    hub.fault = FAULTS["short"]
    outcome = client.fetch(revision=revision or first)
    assert outcome.problem["kind"] == "incomplete_download"
    assert "try again" in outcome.advice
    assert not [path for path in client.home.rglob("*") if path.is_file()]  # neither a file nor a part of one
    hub.fault = None
    assert client.fetch(revision=revision or first).texts[TRAIN] == LABELS


def test_body_shorter_than_listed_but_announced_so(hub, client):
    hub.fault = Fault(200, body=b"questionId,", where=TRAIN)
    assert client.fetch().problem["kind"] == "incomplete_download"
    assert not list(client.home.rglob("*.csv"))


def test_refused_with_nothing_here(client, first, refused):
    for revision in ("main", first):
        outcome = client.fetch(refused, revision=revision)
        assert outcome.problem["kind"] == "offline"
        assert outcome.seconds < 3


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (FAULTS["server_error"], "server_error"),
        (FAULTS["web_page"], "server_error"),
        (FAULTS["bad_token"], "bad_token"),
        (FAULTS["dropped"], "incomplete_download"),
        (Fault(401), "not_found_or_private"),
        (Fault(404), "not_found_or_private"),
        (FAULTS["forbidden"], "gated"),
        (Fault(410), "server_error"),
        (Fault(body=b'{"id": "THUIR/AEOLLM", "siblings": []}'), "server_error"),
        (Fault(body=b'{"id": "x/y", "sha": "../../elsewhere", "siblings": []}'), "server_error"),
        (Fault(body=b"\xff\xfe\x80"), "server_error"),
        (Fault(302, {"Location": "/again"}), "server_error"),
        (FAULTS["entry_missing"], "incomplete_download"),
        (replace(FAULTS["rate_limited"], where="/resolve/"), "rate_limited"),
        (replace(FAULTS["server_error"], where="criterion2"), "server_error"),
    ],
)
def test_other_answers(hub, client, fault, kind):
    hub.fault = fault
    outcome = client.fetch()
    assert outcome.problem["kind"] == kind
    assert outcome.problem["severity"] == "error"
    assert outcome.seconds < 3


@pytest.mark.parametrize("path", ["aeollm-2-train/../../x.csv", "/aeollm-2-train/x.csv", "aeollm-2-train\\..\\x.csv"])
def test_a_listing_that_leaves_the_folder(hub, client, path):
    hub.publish(REPO, FILES | {path: b"x"})
    assert client.fetch().problem["kind"] == "server_error"
    assert not list(client.home.rglob("x.csv"))


def test_switched_off_by_variable(hub, client):
    outcome = client.fetch(OFFLINE)
    assert outcome.problem["kind"] == "offline"
    assert "HF_HUB_OFFLINE" in outcome.advice
    assert outcome.seconds < 2
    assert not hub.seen


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        ({"repo": "../../elsewhere"}, "not_found_or_private"),
        ({"repo": "a/b/c"}, "not_found_or_private"),
        ({"repo": ""}, "not_found_or_private"),
        ({"repo": "THUIR/数据"}, "not_found_or_private"),
        ({"revision": "../../main"}, "revision_missing"),
        ({"revision": ""}, "revision_missing"),
        ({"revision": "a b"}, "revision_missing"),
        ({"revision": "a\\b"}, "revision_missing"),
        ({"token": "hf_canary\nmore"}, "bad_token"),
        ({"token": "hf_canary\u2026"}, "bad_token"),
    ],
)
def test_arguments_that_cannot_be_meant(hub, client, arguments, kind):
    outcome = client.fetch(**arguments)
    assert outcome.problem["kind"] == kind
    assert "hf_canary" not in outcome.told
    assert not hub.seen


def test_folder_missing_names_what_there_is(hub, client, first):
    for n_asked in (1, 0):  # the second time, the notes on the commit tell
        hub.seen.clear()
        outcome = client.fetch(folders=["aeollm-3-train"], revision=first)
        assert outcome.problem["kind"] == "folder_missing"
        assert "aeollm-3-train" in outcome.problem["message"]
        assert "aeollm-2-train, other" in outcome.problem["remedy"]
        assert len(hub.seen) == n_asked
        client.fetch(revision=first)


def test_one_folder_of_several_is_enough_and_nothing_else_comes(client):
    outcome = client.fetch()
    assert sorted(outcome.texts) == WANTED


def test_a_folder_without_tables(hub, client):
    hub.publish(REPO, {"README.md": b"", "aeollm-2-train/figure.png": b""})
    assert client.fetch().problem["kind"] == "folder_missing"
    hub.publish(REPO, {"README.md": b""})
    assert "none" in client.fetch().problem["remedy"]


def test_too_large_a_file_is_refused_before_any_download(hub, client):
    listing = b'{"id": "x/y", "sha": "%s", "siblings": [{"rfilename": "aeollm-2-test/a.csv", "size": 50000001}]}'
    hub.fault = Fault(body=listing % (b"a" * 40))
    outcome = client.fetch()
    assert outcome.problem["kind"] == "too_large"
    assert "aeollm-2-test/a.csv" in outcome.problem["message"]
    assert len(hub.seen) == 1


def test_a_cache_that_cannot_be_written(client):
    client.home.write_text("a file where a folder should be")
    assert client.fetch().problem["kind"] == "cache_unusable"


REFUSALS = [
    "rate_limited",
    "gated",
    "repo_missing",
    "revision_missing",
    "bad_token",
    "server_error",
    "short",
    "dropped",
]


@pytest.mark.parametrize("fault", REFUSALS)
@pytest.mark.parametrize("given", ["argument", "variable"])
def test_a_token_is_sent_but_never_told(hub, client, fault, given):
    canary = "hf_canary0123456789"
    hub.fault = FAULTS[fault]
    arguments = {"token": canary} if given == "argument" else {}
    variables = {"HF_TOKEN": canary} if given == "variable" else {}
    outcome = client.fetch(variables, **arguments)
    assert {seen.authorization for seen in hub.seen} == {f"Bearer {canary}"}
    assert outcome.problem
    assert canary not in outcome.told
    assert canary not in client.log()
    assert "None\nNone" in outcome.told  # no cause and no context, which would hold the request's headers


@pytest.mark.parametrize(
    ("variables", "arguments", "sent"),
    [
        ({}, {}, None),
        ({}, {"token": " hf_given\n"}, "Bearer hf_given"),
        ({"HF_TOKEN": "hf_stored"}, {"token": "hf_given"}, "Bearer hf_given"),
        ({"HF_TOKEN": "hf_stored"}, {"token": ""}, "Bearer hf_stored"),
        ({"HF_TOKEN": "hf_stored", "HF_HUB_DISABLE_IMPLICIT_TOKEN": "1"}, {}, None),
    ],
)
def test_which_token_is_sent(hub, client, variables, arguments, sent):
    client.fetch(variables, **arguments)
    assert {seen.authorization for seen in hub.seen} == {sent}


def test_errors_that_are_bugs_pass_through(client):
    done = client.run(
        "import aeollm.hub as hub\n"
        "def broken(request): raise ZeroDivisionError\n"
        "hub._ask = broken\n"
        "try: hub.fetch_snapshot()\n"
        "except ZeroDivisionError: print('passed through')",
    )
    assert done == "passed through\n"


def test_the_newer_commit_cannot_be_had(hub, client, first):
    client.fetch()
    newer = hub.publish(REPO, NEWER)
    hub.fault = replace(FAULTS["rate_limited"], where="/resolve/")
    outcome = client.fetch()
    assert outcome.snapshot["stale"] == "rate_limited"
    assert outcome.snapshot["revision"] == first
    assert client.fetch(revision=newer).problem["kind"] == "rate_limited"
