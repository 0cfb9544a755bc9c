"""The store is a private data set: what a team sees while the Hub is down, and once it is there again."""

from __future__ import annotations

import re
import time

import pytest

from aeollm.submissions import genuine
from tests.browser.hosted.hosting import KEY, Caller, Page, read, run
from tests.hub.fake_hub import Fault
from tests.hub.fake_hub_writes import STORE, TOKEN


@pytest.fixture
def team(hosted):
    """Give functions that look at the team's list, and that submit a run."""
    caller, page = Caller(hosted, "fay"), Page(hosted)
    look, send = page.handler("h-phase", "input"), page.handler("h-send", "click")

    def own():
        return read(caller.call(look, ["dry-run", "phi"]))

    def submit(content):
        return read(caller.call(send, [caller.upload("a_b.txt", content), "dry-run", "phi", "m", ""]))

    return own, submit


def submitted_to(hub):
    return {name for name in hub.files(STORE) if name.startswith("submissions/")}


def once_receipted(own):
    end = time.monotonic() + 90
    while not (known := own()).files:
        assert time.monotonic() < end, known.text
        time.sleep(0.5)
    return known


def test_received_while_the_hub_is_down_and_receipted_once_it_is_back(hosted, store_hub, team):
    own, submit = team
    assert "has not submitted anything yet" in own().all
    before = submitted_to(store_hub)
    store_hub.fault = Fault(503)
    told = submit(run(5))
    for words in ("Received, not yet stored", "3 of 4 submissions left today", "The store has trouble"):
        assert words in told.text
    assert told.files == own().files == ()
    assert "received, not yet stored" in own().text
    assert submitted_to(store_hub) == before

    store_hub.fault = None
    known = once_receipted(own)
    [(_, receipt)] = known.files
    assert genuine(receipt.encode(), KEY)
    assert "received, not yet stored" not in known.text
    [number] = set(re.findall(r"\d{8}T\d{6}Z-[0-9a-f]{16}", known.text))
    assert store_hub.files(STORE)[f"submissions/dry-run/{number}/run"] == run(5)
    everything = told.all + known.all + hosted.get("/config") + hosted.get("/health") + hosted.log.read_text("utf-8")
    assert TOKEN not in everything
    assert KEY not in everything
