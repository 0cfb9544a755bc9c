"""What one visitor of the Judge tab has on the desk, and the work that goes on for it in a thread of its own."""

from __future__ import annotations

import logging
import shutil
import tempfile
import threading
import time
import traceback
import weakref
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from aeollm.errors import AeollmError, Problem
from aeollm.judging import Control, Price, Progress
from aeollm.judging.reports import Reports
from aeollm.methods import Ask, Judged, Method, Running, Task, run_method

REPLIES = "replies.jsonl"
_LOG = logging.getLogger(__name__)
_LOOK_AGAIN = 0.2
_GRACE = 300.0
"""Seconds from a page that closes until its replies are deleted: a connection may come back."""
_LAST_CALL = 30.0


class Job:
    """A task being carried out. The key is with the thread alone, in no field."""

    def __init__(self, task: Task, *, trial: bool, total: int, signed: str) -> None:
        self.task, self.trial, self.total, self.signed = task, trial, total, signed
        self.control = Control()
        self.progress: Progress | None = None
        self.asking = ""
        self.judged: Judged | None = None
        self.problems: tuple[Problem, ...] = ()
        self.began: float | None = None
        self.price, self.at_once = Price(), 1
        self._thread: threading.Thread | None = None

    @property
    def going(self) -> bool:
        """Tell whether it is not over yet."""
        return self._thread is not None and self._thread.is_alive()

    @property
    def waiting(self) -> bool:
        """Tell whether others' work has to end first."""
        return self.began is None

    def start(self, folder: Path, running: Running, places: threading.Semaphore) -> None:
        """Carry it out as soon as there is a place."""
        self.price, self.at_once = running.limits.budget.price, running.limits.concurrency
        told = replace(running, control=self.control, on_progress=self._tell, on_ask=self._tell_ask)
        # Not waited for when the server ends: replies are on disk as they come.
        self._thread = threading.Thread(target=self._run, args=(folder, told, places), name="judging", daemon=True)
        self._thread.start()

    def join(self, seconds: float) -> None:
        """Wait until it is over."""
        if self._thread is not None:
            self._thread.join(seconds)

    def _run(self, folder: Path, running: Running, places: threading.Semaphore) -> None:
        while not places.acquire(timeout=_LOOK_AGAIN):
            if self.control.cancelled:
                return
        try:
            self.began = time.monotonic()
            self.judged = run_method(self.task, folder, running)
        except AeollmError as error:
            self.problems = error.problems
        except Exception:  # noqa: BLE001  told to the visitor as a bug, and to the log without the key
            told = traceback.format_exc()
            _LOG.error("judging failed\n%s", told.replace(running.token, "[key]") if running.token else told)
            message = "this failed; the server's log says why. Replies that came are kept."
            self.problems = (Problem("error", "bug", message, "Run it again, and report it if it fails again."),)
        finally:
            places.release()

    def _tell(self, progress: Progress) -> None:
        self.progress = progress

    def _tell_ask(self, ask: Ask) -> None:
        self.asking = ask.name


@dataclass(eq=False)
class Desk:
    """One visitor's reports, own recipes, replies and work; all of it is deleted after the session.

    ``tried`` are the signatures of what a trial was made of; ``pace`` the seconds of a call that it took; ``passing``
    the SHA-256 of files of unfinished work that other tabs were handed; ``parts`` the label sets that parts of them,
    made to score by, are of.
    """

    reports: Reports | None = None
    problems: tuple[Problem, ...] = ()
    demo: bool = False
    recipes: dict[str, Method] = field(default_factory=dict)
    job: Job | None = None
    tried: set[str] = field(default_factory=set)
    pace: dict[str, float] = field(default_factory=dict)
    closed: bool = False
    told: Job | None = None
    passing: set[str] = field(default_factory=set)
    parts: dict[str, str] = field(default_factory=dict)
    _files: set[Path] = field(default_factory=set)
    _leaving: threading.Timer | None = None
    _emptied: Callable[[], object] = field(init=False)
    _folder: Path = field(default_factory=lambda: Path(tempfile.mkdtemp(prefix="aeollm-judge-")))

    def __post_init__(self) -> None:
        """Delete the folder when the server ends, too."""
        self._emptied = weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)

    @property
    def unfinished(self) -> bool:
        """Tell whether the work was a trial, or something is missing."""
        return self.job is not None and (self.job.trial or self.job.judged is None or not self.job.judged.complete)

    def new_folder(self) -> Path:
        """Give an empty folder for reports, in place of the one before."""
        folder = self._folder / "reports"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        return folder

    def replies(self, place: str) -> Path:
        """Give the folder of the replies that came from one place."""
        return self._folder / "replies" / place

    def write(self, name: str, content: bytes) -> Path:
        """Write a file to be taken away."""
        path = self._folder / "out" / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
        return path

    def remember(self, paths: Iterable[Path]) -> None:
        """Note files elsewhere, uploads and copies, that go with the session."""
        self._files.update(paths)

    def leave(self) -> None:
        """Stop asking, since the page is closed; delete everything unless it comes back."""
        if self.job is not None:
            self.job.control.cancel()
        self._leaving = threading.Timer(_GRACE, self.close)
        self._leaving.daemon = True
        self._leaving.start()

    def come_back(self) -> None:
        """Stay, since the page is there."""
        if self._leaving is not None:
            self._leaving.cancel()
            self._leaving = None

    def close(self) -> None:
        """Give up what is going on, and delete everything."""
        self.closed = True
        if self.job is not None:
            self.job.control.cancel(now=True)
            self.job.join(_LAST_CALL)
        self._emptied()
        for path in self._files:
            path.unlink(missing_ok=True)
