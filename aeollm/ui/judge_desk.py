"""What one visitor of the Judge tab has on the desk; all of it is deleted once the page stays away."""

from __future__ import annotations

import secrets
import shutil
import tempfile
import threading
import time
import weakref
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from gradio.utils import get_upload_folder

from aeollm.errors import Problem
from aeollm.judging import merge
from aeollm.judging.reports import Reports
from aeollm.methods import Task
from aeollm.methods.running import REPLIES
from aeollm.sources import LabelSet
from aeollm.ui.judge_job import Job
from aeollm.ui.judge_pace import Pace
from aeollm.ui.judge_recipes import Chosen
from aeollm.ui.judge_uploads import Uploads

_GRACE = 300.0
"""Seconds from a page's last sign of life, once its connection has broken, until everything is deleted."""
_LAST_CALL = 30.0


@dataclass(eq=False)
class Desk:
    """One visitor's reports, own recipes, replies and work.

    ``chosen`` is what the page's fields held last, ``again`` what they are to hold in a page loaded anew, ``refused``
    what they held when it was refused to start; ``label_set``, ``signed`` and ``wrong`` are the labels, the signature
    and the problems of the task that they make; ``small_whole`` says that a trial of it takes more than three reports;
    ``account`` is who asks with a login of their own; ``tried`` are the signatures of what a trial was made of;
    ``looking`` is the task whose calls are looked into, if it is not the one chosen; ``passing`` the SHA-256 of files
    of unfinished work that other tabs were handed; ``parts`` the label sets that parts of them, made to score by, are
    of.
    """

    reports: Reports | None = None
    problems: tuple[Problem, ...] = ()
    demo: bool = False
    recipes: dict[str, Chosen] = field(default_factory=dict)
    chosen: tuple[Any, ...] = ()
    again: tuple[Any, ...] = ()
    label_set: LabelSet | None = None
    signed: str = ""
    refused: tuple[Any, ...] = ()
    wrong: tuple[Problem, ...] = ()
    account: str | None = None
    job: Job | None = None
    told: Job | None = None
    tried: set[str] = field(default_factory=set)
    small_whole: bool = False
    pace: Pace = field(default_factory=Pace)
    looking: Task | None = None
    closed: bool = False
    passing: set[str] = field(default_factory=set)
    parts: dict[str, str] = field(default_factory=dict)
    starting: threading.Lock = field(default_factory=threading.Lock)
    """Held from the look whether work goes on until it does: two presses of a button start it once."""
    _handed: dict[Path, set[str]] = field(default_factory=dict)
    _uploads: Uploads = field(default_factory=Uploads)
    _watch: threading.Timer | None = None
    _seen: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _emptied: Callable[[], object] = field(init=False)
    _folder: Path = field(default_factory=lambda: Path(tempfile.mkdtemp(prefix="aeollm-judge-")))
    # Where gradio offers files from as they are: its copies elsewhere would be one for all visitors with equal files.
    _out: Path = field(default_factory=lambda: Path(get_upload_folder()) / f"judge-{secrets.token_hex(32)}")

    def __post_init__(self) -> None:
        """Delete the folders when the server ends, too."""
        self._emptied = weakref.finalize(self, _remove, self._folder, self._out)

    @property
    def going(self) -> bool:
        """Tell whether work goes on."""
        return self.job is not None and self.job.going

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

    def recipe_folder(self) -> Path:
        """Give a folder for a recipe's prompts; those of earlier recipes may be in use."""
        return self._folder / "recipes" / secrets.token_hex(8)

    def hand_replies(self, contents: Iterable[bytes]) -> None:
        """Take the replies of earlier sessions that are handed in now; those of every place are joined with them."""
        handed: dict[Path, set[str]] = {}
        for content in contents:
            path = self._folder / "handed" / sha256(content).hexdigest() / REPLIES
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            handed[path] = self._handed.get(path, set())
        self._handed = handed

    def replies(self, place: str) -> Path:
        """Give the folder of the replies that came from one place; a run under way is not written between.

        Raises
        ------
        JudgingError
            If replies handed in are of another model than those that are there, or no replies.
        """
        folder = self._folder / "replies" / place
        new = [path for path, joined in self._handed.items() if place not in joined]
        if new and not self.going:
            there = [folder / REPLIES] if (folder / REPLIES).is_file() else []
            merge([*there, *new], folder / REPLIES)
            for path in new:
                self._handed[path].add(place)
        return folder

    def write(self, name: str, content: bytes) -> Path:
        """Write a file to be taken away; other contents of the same name are other files."""
        path = self._out / sha256(content).hexdigest()[:16] / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return path

    def remember(self, paths: Iterable[Path]) -> None:
        """Note uploads that go with the session."""
        self._uploads.hold(paths)

    def leave(self) -> None:
        """Start no new call, since the connection broke; delete everything unless the page gives a sign of life.

        A page that goes on without its connection is watched from now on: nothing else would tell that it is closed.
        """
        with self._lock:
            if self.closed:
                return
            if self.job is not None:
                self.job.control.step_away()
            self._seen = time.monotonic()
            if self._watch is None:
                self._look_after(_GRACE)

    def come_back(self) -> None:
        """Go on, since the page is there."""
        with self._lock:
            self._seen = time.monotonic()
            if self.job is not None and not self.closed:
                self.job.control.step_back()

    def close(self) -> None:
        """Give up what is going on, and delete everything."""
        with self._lock:
            self.closed = True
        if self._watch is not None:
            self._watch.cancel()
        if self.job is not None:
            self.job.control.cancel(now=True)
            self.job.join(_LAST_CALL)
        self._emptied()
        self._uploads.drop()

    def _look_after(self, seconds: float) -> None:
        self._watch = threading.Timer(seconds, self._look)
        self._watch.daemon = True
        self._watch.start()

    def _look(self) -> None:
        """Close, unless there was a sign of life; then look again later."""
        with self._lock:
            rest = self._seen + _GRACE - time.monotonic()
            if rest > 0:
                self._look_after(rest)
                return
            self.closed = True
        self.close()


def _remove(*folders: Path) -> None:
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
