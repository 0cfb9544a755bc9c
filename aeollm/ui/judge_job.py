"""A task being carried out for a visitor of the Judge tab, in a thread of its own, and what it was made of."""

from __future__ import annotations

import logging
import threading
import time
import traceback
from dataclasses import dataclass, replace
from pathlib import Path

from aeollm.errors import AeollmError, Problem
from aeollm.judging import Price, Progress
from aeollm.judging.asking.failures import withholding
from aeollm.methods import Ask, Estimated, Judged, Running, Task, run_method
from aeollm.sources import LabelSet
from aeollm.ui.judge_turns import Turn

_LOG = logging.getLogger(__name__)
_LOOK_AGAIN = 0.2


@dataclass(frozen=True)
class Made:
    """What a job was made of, whatever is chosen on the page since.

    ``labels`` is the name of the label set; ``signed`` tells whether a trial was of just this; ``replies`` is the
    folder of the replies; ``rows`` what it takes.
    """

    label_set: LabelSet
    labels: str
    demo: bool
    signed: str
    replies: Path
    rows: tuple[Estimated, ...]
    trial: bool


class Job:
    """A task being carried out. The key is with the thread alone, in no field."""

    def __init__(self, task: Task, made: Made, places: threading.Semaphore) -> None:
        self.task, self.made = task, made
        self.trial = made.trial
        self.control = Turn(places)
        self.progress: Progress | None = None
        self.asking = ""
        self.judged: Judged | None = None
        self.problems: tuple[Problem, ...] = ()
        self.began: float | None = None
        self.price, self.at_once, self.attempts = Price(), 1, 1
        self._thread: threading.Thread | None = None

    @property
    def total(self) -> int:
        """Count the answers it takes, as far as that is known by now."""
        sampled = self.progress is not None and self.progress.instead > 0
        return sum(own.wanted_with(samples=sampled) for own in self.made.rows)

    @property
    def going(self) -> bool:
        """Tell whether it is not over yet."""
        return self._thread is not None and self._thread.is_alive()

    @property
    def waiting(self) -> bool:
        """Tell whether others' work has to end first."""
        return self.going and self.control.queueing

    def start(self, running: Running) -> None:
        """Carry it out as soon as there is a place."""
        limits = running.limits
        self.price, self.at_once, self.attempts = limits.budget.price, limits.concurrency, limits.attempts
        told = replace(running, control=self.control, on_progress=self._tell, on_ask=self._tell_ask)
        # Not waited for when the server ends: replies are on disk as they come.
        self._thread = threading.Thread(target=self._run, args=(told,), name="judging", daemon=True)
        self._thread.start()

    def join(self, seconds: float) -> None:
        """Wait until it is over."""
        if self._thread is not None:
            self._thread.join(seconds)

    def _run(self, running: Running) -> None:
        try:
            while not self.control.take():
                if self.control.cancelled:
                    return
                time.sleep(_LOOK_AGAIN)
            self.began = time.monotonic()
            self.judged = run_method(self.task, self.made.replies, running)
        except AeollmError as error:
            self.problems = error.problems
        except Exception:  # noqa: BLE001  told to the visitor as a bug, and to the log without the key
            told = traceback.format_exc()
            _LOG.error("judging failed\n%s", withholding(*running.keys.values())(told))
            message = "this failed; the server's log says why. Replies that came are kept."
            self.problems = (Problem("error", "bug", message, "Run it again, and report it if it fails again."),)
        finally:
            self.control.finish()

    def _tell(self, progress: Progress) -> None:
        self.progress = progress

    def _tell_ask(self, ask: Ask) -> None:
        self.asking = ask.name
