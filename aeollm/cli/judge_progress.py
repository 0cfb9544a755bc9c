"""How far asking is, on standard error: one line that is rewritten on a terminal, else a line now and then.

What goes wrong is told at once, in lines that stay.
"""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress

from aeollm.cli.terminal import complain
from aeollm.judging import Price, Progress
from aeollm.methods import Ask, Estimated, duration

_EVERY = 30.0
"""Seconds between lines where they stay."""
_SOON = 2.0
"""Seconds between the first two lines on what goes wrong; then twice as many, and so on."""


class Telling:
    """Tells it; ``rows`` are what the method takes, so that what is left can be told."""

    def __init__(self, rows: Sequence[Estimated], price: Price, clock: Callable[[], float] = time.monotonic) -> None:
        self._rows, self._price, self._clock = list(rows), price, clock
        self._rewrites = sys.stderr.isatty()
        self._began = self._told = clock()
        self._asking = self._trouble = ""
        self._next_trouble, self._pause = self._began, _SOON
        self._before = self._seen = 0
        self._open = False

    def ask(self, ask: Ask) -> None:
        """Say what is asked now; what comes before it is over."""
        self.close()
        complain(f"asking: {ask.name}")
        self._asking, self._before = ask.name, self._seen
        names = [row.name for row in self._rows]
        self._rows = self._rows[names.index(ask.name) :]

    def progress(self, progress: Progress) -> None:
        """Say how far it is, where it is time to."""
        self._seen = progress.done + progress.missing
        now = self._clock()
        self._tell_trouble(progress, now)
        if self._rewrites:
            # What is wider than the terminal could not be rewritten. One that was closed ends no run.
            line = self.line(progress)[: shutil.get_terminal_size().columns - 1]
            with suppress(OSError):
                sys.stderr.write(f"\r{line}\x1b[K")
                sys.stderr.flush()
            self._open = True
        elif now - self._told >= _EVERY:
            self._told = now
            complain(self.line(progress))

    def _tell_trouble(self, progress: Progress, now: float) -> None:
        """Say what goes wrong: at once, then less and less often, for an endpoint may fail now and then for hours."""
        if progress.trouble in (None, self._trouble) or now < self._next_trouble:
            return
        self.close()
        row = f" ({progress.failures} failures in a row)" if progress.failures > 1 else ""
        complain(f"{self._asking}: {progress.trouble}{row}")
        self._trouble = str(progress.trouble)
        self._next_trouble, self._pause = now + self._pause, min(2 * self._pause, _EVERY)

    def stopping(self, under_way: int, *, now: bool) -> None:
        """Say what a wish to stop does: at once, since calls under way may take minutes."""
        self.close()
        calls = f"{under_way} call{'' if under_way == 1 else 's'} under way"
        if now:
            complain(f"giving up {calls}, which may be charged all the same.")
        elif under_way:
            complain(f"stopping: {calls} will be waited for and kept. Ctrl-C again gives them up.")
        else:
            complain("stopping: no call is under way.")

    def close(self) -> None:
        """End the line that is rewritten."""
        if self._open:
            complain("")
        self._open = False

    def line(self, progress: Progress) -> str:
        """Write how far it is: done, missing, left, spent, time left."""
        spent, usage = progress.spent, progress.spent.usage
        sampled = progress.instead > 0
        wanted = sum(row.wanted_with(samples=sampled) for row in self._rows)
        left = max(wanted - (self._seen - self._before), 0)
        bound = "at most " if sampled or any(row.at_most for row in self._rows) else ""
        money = f", {spent.money:.4g}" if self._price != Price() else ""
        parts = [
            f"{self._asking}: {progress.done} done, {progress.missing} missing, {bound}{left} left",
            f"{spent.calls} calls, {usage.prompt + usage.completion} tokens{money}",
        ]
        if spent.calls and left:
            seconds = (self._clock() - self._began) / spent.calls * left
            parts.append(f"{bound}about {duration(seconds)} left")
        parts += [why for why in (progress.waiting, progress.trouble) if why]
        return "; ".join(parts)
