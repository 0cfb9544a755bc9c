"""Submissions in a folder: each appears whole or not at all, and is never changed.

A submission is a folder of its own, ``submissions/<phase>/<id>/`` with the file as it came (``run``) and what is known
about it (``submission.json``). Both are written and flushed under ``incoming/``, then the folder is renamed into
its place, which cannot replace another one, and the place is flushed before anybody is told.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Literal, NamedTuple, Protocol

from aeollm.errors import HostingError, Problem
from aeollm.submissions.records import Submission

RUN_NAME, META_NAME = "run", "submission.json"
PLACE = "submissions"

State = Literal["stored", "received"]
Admission = Callable[[Sequence[Submission], Submission], None]
"""Called with what is stored and a candidate while nobody else can add; raises SubmissionError to refuse it."""


class StoreHealth(NamedTuple):
    """How the store is, in words that hold no secret: what it is, submissions in it, waiting for it, trouble."""

    kind: str
    stored: int
    waiting: int
    trouble: str


class Store(Protocol):
    """Where submissions are kept; nothing in it is ever changed or removed."""

    def add(self, submission: Submission, content: bytes) -> State:
        """Keep a submission if it is admitted; "received" means not yet for good."""

    def entries(self) -> tuple[Submission, ...]:
        """Give what is stored for good, by time and id."""

    def waiting(self) -> tuple[Submission, ...]:
        """Give what was received and is not yet stored for good."""

    def refused(self) -> dict[str, tuple[Submission, str]]:
        """Give, by id, what was received but lost to another submission made elsewhere, and why."""

    def content(self, submission: Submission) -> bytes:
        """Give the file of a stored submission."""

    def health(self) -> StoreHealth:
        """Say how the store is."""


class Folder:
    """The files of submissions in a local folder, without a say in which are taken."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._unreadable: set[str] = set()
        self._altered: set[str] = set()
        self._read: dict[Path, Submission] = {}
        with _told_as_hosting_error(root):
            for name in (PLACE, "incoming"):
                _make_folder(root / name)
            with self.locked():
                for left in (root / "incoming").iterdir():
                    _remove(left)

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Keep all other threads and processes from adding meanwhile; the end of a process ends its hold."""
        import fcntl  # noqa: PLC0415 - no such module on Windows, where the rest of the package works

        with contextlib.ExitStack() as held:
            with _told_as_hosting_error(self.root):
                file = held.enter_context((self.root / "lock").open("a"))
                fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def write(self, submission: Submission, content: bytes) -> None:
        """Publish a submission; when this returns it survives a crash of the machine.

        Raises
        ------
        HostingError
            If the disk does not take it.
        """
        target = self._place(submission)
        unfinished = self.root / "incoming" / f"{submission.id}.{secrets.token_hex(4)}"
        with _told_as_hosting_error(self.root):
            _make_folder(target.parent)
            try:
                unfinished.mkdir()
                _write_flushed(unfinished / RUN_NAME, content)
                _write_flushed(unfinished / META_NAME, submission.to_bytes())
                _flush(unfinished)
                os.rename(unfinished, target)  # noqa: PTH104 - fails where there is a submission, as no replace() does
            except OSError:
                shutil.rmtree(unfinished, ignore_errors=True)
                raise
            _flush(target.parent)

    def entries(self) -> tuple[Submission, ...]:
        """Give all submissions by time and id; damaged ones are left out and named in ``damaged``.

        Files and links that somebody else put between them are passed over.
        """
        found, unreadable = [], set()
        with _told_as_hosting_error(self.root):
            phases = [path for path in (self.root / PLACE).iterdir() if path.is_dir()]
            for path in (path for phase in phases for path in phase.glob("*") if path.is_dir()):
                submission = self._read.get(path) or self._parsed(path)
                if submission is not None:
                    self._read[path] = submission
                    found.append(submission)
                elif path.is_dir():  # else moved away since it was listed
                    unreadable.add(path.name)
        self._unreadable = unreadable
        return tuple(sorted(found, key=lambda submission: submission.order))

    @property
    def damaged(self) -> frozenset[str]:
        """Name the submissions that were found damaged, as long as they are."""
        return frozenset(self._unreadable | self._altered)

    def _parsed(self, path: Path) -> Submission | None:
        # Whatever else has the name, such as a pipe, could be read without an end.
        if not (path / META_NAME).is_file():
            return None
        try:
            submission = Submission.from_bytes((path / META_NAME).read_bytes())
        except (FileNotFoundError, HostingError):
            return None
        return submission if self._place(submission) == path else None

    def content(self, submission: Submission) -> bytes:
        """Give a submission's file.

        Raises
        ------
        HostingError
            If it cannot be read, is gone, or is not what was handed in.
        """
        file = self._place(submission) / RUN_NAME
        with _told_as_hosting_error(self.root):
            content = file.read_bytes() if file.is_file() else None
        if content is None or sha256(content).hexdigest() != submission.digest:
            self._altered |= {submission.id}
            message = f"the file of submission {submission.id} is not what was handed in."
            raise HostingError("store", [Problem("error", "store_damaged", message, "Restore it from a copy.")])
        self._altered -= {submission.id}
        return content

    def move(self, submission: Submission, other: Folder) -> None:
        """Move a submission to another folder on the same disk; where that has it already, this copy goes."""
        source, target = self._place(submission), other._place(submission)
        with _told_as_hosting_error(self.root):
            _make_folder(target.parent)
            if target.exists():
                shutil.rmtree(source)
            else:
                os.rename(source, target)  # noqa: PTH104 - as above
            _flush(target.parent)

    def remove(self, submission: Submission) -> None:
        """Forget a submission that was not taken in the end, or a copy that cannot be read."""
        place = self._place(submission)
        with _told_as_hosting_error(self.root):
            if place.is_symlink() or place.exists():
                _remove(place)

    def _place(self, submission: Submission) -> Path:
        return self.root / PLACE / submission.phase / submission.id


class FolderStore:
    """A store in a local folder; several processes and threads may add at once."""

    def __init__(self, root: Path, admit: Admission) -> None:
        self._folder = Folder(root)
        self._admit = admit

    def add(self, submission: Submission, content: bytes) -> State:
        """Keep a submission if it is admitted.

        Raises
        ------
        SubmissionError
            If it is refused.
        HostingError
            If the disk does not take it.
        """
        with self._folder.locked():
            self._admit(self._folder.entries(), submission)
            self._folder.write(submission, content)
        return "stored"

    def entries(self) -> tuple[Submission, ...]:
        """Give all submissions by time and id."""
        return self._folder.entries()

    def waiting(self) -> tuple[Submission, ...]:
        """Give nothing: what a folder takes it has."""
        return ()

    def refused(self) -> dict[str, tuple[Submission, str]]:
        """Give nothing: what is refused is refused at once."""
        return {}

    def content(self, submission: Submission) -> bytes:
        """Give a submission's file."""
        return self._folder.content(submission)

    def health(self) -> StoreHealth:
        """Count submissions and damaged ones."""
        stored, damaged = len(self.entries()), sorted(self._folder.damaged)
        return StoreHealth("local folder", stored, 0, f"damaged: {', '.join(damaged)}" if damaged else "")


@contextlib.contextmanager
def _told_as_hosting_error(root: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        message = f"the store cannot be read or written: {error.strerror}."
        remedy = f"Check that {root.name} is a folder with room that this program may write to."
        raise HostingError("store", [Problem("error", "store_unusable", message, remedy)]) from None


def _remove(path: Path) -> None:
    """Remove a folder with what is in it, or whatever else has the name; a link's target stays."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()


def _make_folder(path: Path) -> None:
    """Make a folder and those above, each of which is there after a crash, too."""
    if path.is_dir():
        return
    _make_folder(path.parent)
    path.mkdir(exist_ok=True)
    _flush(path.parent)


def _write_flushed(path: Path, content: bytes) -> None:
    with path.open("xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _flush(folder: Path) -> None:
    """Bring a folder's list of names to the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
