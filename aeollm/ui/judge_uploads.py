"""Uploads that go with a visitor's session, although gradio keeps equal files of several visitors as one."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from pathlib import Path

_LOCK = threading.Lock()
_HELD: dict[Path, tuple[int, int]] = {}
"""How many sessions hold a file, and when it last changed as far as they know, in nanoseconds."""


class Uploads:
    """The uploads of one session. A file goes with the last session that holds it.

    One that was uploaded anew since, by somebody who does not hold it, stays: it is in use elsewhere.
    """

    def __init__(self) -> None:
        self._mine: set[Path] = set()

    def hold(self, paths: Iterable[Path]) -> None:
        """Note files that are to go with the session."""
        with _LOCK:
            for path in paths:
                count, _ = _HELD.get(path, (0, 0))
                _HELD[path] = (count + (path not in self._mine), _changed(path))
                self._mine.add(path)

    def drop(self) -> None:
        """Delete what nobody else holds."""
        with _LOCK:
            while self._mine:
                path = self._mine.pop()
                count, changed = _HELD.pop(path)
                if count > 1:
                    _HELD[path] = (count - 1, changed)
                elif _changed(path) == changed:
                    path.unlink(missing_ok=True)


def _changed(path: Path) -> int:
    try:
        return path.stat().st_ctime_ns
    except OSError:
        return 0
