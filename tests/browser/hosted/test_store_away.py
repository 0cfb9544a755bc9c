"""The store is a private data set: what a team sees while the Hub is down, and once it is there again."""

from __future__ import annotations

import re
import time

import pytest

from aeollm.submissions import genuine
from tests.browser.hosted.hosting import KEY, Caller, Page, read, run, write_folder
from tests.browser.serving import serve
from tests.hub.fake_hub import Fault
from tests.hub.fake_hub_writes import STORE, TOKEN, WritableHub


@pytest.fixture
def hub():
    with WritableHub() as started:
        started.add_token(TOKEN, "ann", owners=("lab",))
        started.create(STORE, private=True)
        yield started


@pytest.fixture
def app(hub, tmp_path):
    """Serve an evaluation whose store is on the Hub."""
    variables = {
        "AEOLLM_HOST": str(write_folder(tmp_path / "organiser")),
        "AEOLLM_HOST_KEY": KEY,
        "AEOLLM_HOST_STORE": f"hf://datasets/{STORE}",
        "AEOLLM_HOST_SPOOL": str(tmp_path / "spool"),
        "AEOLLM_HOST_TOKEN": TOKEN,
        "AEOLLM_LABELS": str(tmp_path / "public"),
        "HF_ENDPOINT": hub.endpoint,
        "HF_HUB_OFFLINE": "0",
    }
    with serve(tmp_path / "app", "tests.browser.hosted.app_with_accounts", **variables) as started:
        yield started.wait()


@pytest.fixture
def team(app):
    """Give functions that look at the team's list, and that submit a run."""
    caller, page = Caller(app, "ann"), Page(app)
    look, send = page.handler("h-phase", "input"), page.handler("h-send", "click")

    def own():
        return read(caller.call(look, ["dry-run", "alpha"]))

    def submit(content):
        return read(caller.call(send, [caller.upload("a_b.txt", content), "dry-run", "alpha", "m", ""]))

    return own, submit


def once_receipted(own):
    end = time.monotonic() + 90
    while not (known := own()).files:
        assert time.monotonic() < end, known.text
        time.sleep(0.5)
    return known


def test_received_while_the_hub_is_down_and_receipted_once_it_is_back(app, hub, team):
    own, submit = team
    assert "has not submitted anything yet" in own().all
    hub.fault = Fault(503)
    told = submit(run(5))
    for words in ("Received, not yet stored", "3 of 4 submissions left today", "The store has trouble"):
        assert words in told.text
    assert told.files == own().files == ()
    assert "received, not yet stored" in own().text
    assert not [name for name in hub.files(STORE) if name.startswith("submissions/")]

    hub.fault = None
    known = once_receipted(own)
    [(_, receipt)] = known.files
    assert genuine(receipt.encode(), KEY)
    assert "received, not yet stored" not in known.text
    [number] = set(re.findall(r"\d{8}T\d{6}Z-[0-9a-f]{16}", known.text))
    assert hub.files(STORE)[f"submissions/dry-run/{number}/run"] == run(5)
    everything = told.all + known.all + app.get("/config") + app.get("/health") + app.log.read_text("utf-8")
    assert TOKEN not in everything
    assert KEY not in everything
