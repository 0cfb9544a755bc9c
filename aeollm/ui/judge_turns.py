"""Places for work that goes on, and the control of work that holds one of them only while it asks."""

from __future__ import annotations

import threading

from aeollm.judging import Control


class Turn(Control):
    """Pauses work that a visitor halts, whose page is away, or that has no place; a halt gives the place to others.

    The engine asks `paused` before every call, which takes a place as soon as one is free.
    """

    def __init__(self, places: threading.Semaphore) -> None:
        super().__init__()
        self._places = places
        self._away, self._over, self._mine = False, False, False
        self.disturbed = False
        """Whether it ever had to stand still, so that its seconds tell nothing of how fast the calls are."""
        self._lock = threading.Lock()

    @property
    def halted(self) -> bool:
        """Tell whether the visitor has paused it."""
        return super().paused

    @property
    def queueing(self) -> bool:
        """Tell whether it waits for a place only."""
        return not (self._mine or self.halted or self._away or self.cancelled)

    @property
    def paused(self) -> bool:
        """Tell whether new calls wait."""
        return not self.cancelled and not self.take()

    def take(self) -> bool:
        """Take a place, unless it has one, may not go on, or there is none."""
        with self._lock:
            if self.halted or self._away or self._over:
                return False
            self._mine = self._mine or self._places.acquire(blocking=False)
            return self._mine

    def pause(self) -> None:
        """Start no new call until `resume`; others may take the place."""
        super().pause()
        self.disturbed = True
        self._give_back()

    def resume(self) -> None:
        """Go on, as soon as there is a place."""
        super().resume()
        self.take()

    def step_away(self) -> None:
        """Start no new call until `step_back`: the page is gone, perhaps for a moment."""
        self._away = self.disturbed = True
        self._give_back()

    def step_back(self) -> None:
        """Go on, unless paused by wish, as soon as there is a place."""
        self._away = False
        self.take()

    def finish(self) -> None:
        """Give the place back for good."""
        self._over = True
        self._give_back()

    def _give_back(self) -> None:
        with self._lock:
            if self._mine:
                self._mine = False
                self._places.release()
