"""Twenty visitors scoring at once: each gets the figures of their own run, and the page stays there."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

from benchmarks.load import Load, at_once, visitors

VISITORS = 20


def test_a_crowd_gets_its_own_results(app):
    async def crowd() -> Load:
        return await at_once(app, await visitors(app, VISITORS))

    # Playwright keeps a loop of its own in the thread of the tests.
    with ThreadPoolExecutor(1) as thread:
        load = thread.submit(asyncio.run, crowd()).result()
    assert load.wrong == []
    assert len(load.scorings) == VISITORS
    assert load.dropped <= 1
    assert load.pages
