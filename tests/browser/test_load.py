"""Twenty visitors scoring at once: each gets the figures of their own run, and the page stays there."""

from __future__ import annotations

import asyncio

from benchmarks.load import Load, at_once, visitors

VISITORS = 20


def test_a_crowd_gets_its_own_results(app):
    async def crowd() -> Load:
        return await at_once(app, await visitors(app, VISITORS))

    load = asyncio.run(crowd())
    assert load.wrong == []
    assert len(load.scorings) == VISITORS
    assert load.dropped <= 1
    assert load.pages
