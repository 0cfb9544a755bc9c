"""Pausing and cancelling from another thread, and telling how far it is."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from aeollm.judging.budget import Spent


class Control:
    """Pause, resume and cancel a session; safe to call from any thread.

    Calls under way are finished and kept; cancelling with ``now=True`` gives them up, although they may be charged.
    """

    def __init__(self) -> None:
        self._paused = threading.Event()
        self._cancelled = threading.Event()
        self._now = threading.Event()

    def pause(self) -> None:
        """Start no new call until `resume`."""
        self._paused.set()

    def resume(self) -> None:
        """Go on."""
        self._paused.clear()

    def cancel(self, *, now: bool = False) -> None:
        """Start no new call at all."""
        self._cancelled.set()
        if now:
            self._now.set()

    @property
    def paused(self) -> bool:
        """Tell whether new calls wait."""
        return self._paused.is_set() and not self._cancelled.is_set()

    @property
    def cancelled(self) -> bool:
        """Tell whether there will be no new call."""
        return self._cancelled.is_set()

    @property
    def given_up(self) -> bool:
        """Tell whether calls under way are not waited for."""
        return self._now.is_set()


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a session is: requests done (with a value), missing, and replies that were already on disk.

    ``waiting`` is why nothing is asked at the moment (``paused``, ``rate_limited``), None otherwise; ``trouble`` what
    went wrong with the last call, and when it is tried again, until one goes well, and
    ``failures`` how often something did since the last that did. ``reasons`` counts the requests that are missing by
    kind, ``instead`` those in place of which others are asked.
    """

    done: int
    missing: int
    from_disk: int
    spent: Spent
    waiting: str | None = None
    trouble: str | None = None
    failures: int = 0
    reasons: Mapping[str, int] = field(default_factory=dict)
    instead: int = 0


OnProgress = Callable[[Progress], None]
