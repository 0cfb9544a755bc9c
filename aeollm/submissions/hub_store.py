"""Submissions in a private data set on the Hub, written commit by commit.

Not by the client's ``CommitScheduler``: it uploads a folder every few minutes in the background and logs what fails, so
that nobody learns when a given file became durable (no receipt could be tied to it), and it commits on top of whatever
is there, so that two servers can both pass a quota. Here each commit names the parent that it was decided on; when
``main`` has moved, the Hub refuses it, the store is read again, the quota asked again, and the commit tried anew. An
answer that is lost does no harm: the next look at the store finds the submission there.

What was received waits in a local folder, whole and flushed, until its commit is confirmed. A Space's disk is lost with
the Space, which is why a submission that waits has no receipt.
"""

from __future__ import annotations

import logging
import threading
from pathlib import Path

from aeollm.errors import HostingError, SubmissionError
from aeollm.submissions.folder import META_NAME, PLACE, RUN_NAME, Admission, Folder, State, StoreHealth
from aeollm.submissions.records import Submission
from aeollm.submissions.remote import TROUBLE, Remote, RemoteError

_PATIENCE = 10.0
_FIRST_DELAY, _LONGEST_DELAY = 1.0, 60.0
_REFRESH = 60.0
"""Seconds between looks at a store that this server did not change."""
_MOST_A_COMMIT = 20
_LOG = logging.getLogger(__name__)


class HubStore:
    """A store on the Hub; a thread of its own writes to it.

    Parameters
    ----------
    remote : the data set.
    spool : a local folder: ``waiting/`` holds what is not on the Hub yet, ``stored/`` copies of what is.
    admit : asked before a submission is received, and again before it is committed.
    patience : seconds that `add` waits for the commit before it answers "received", and that `entries` waits for the
        first look at the store.
    first_delay : seconds before the first retry; doubled up to a minute.
    """

    def __init__(
        self,
        remote: Remote,
        spool: Path,
        admit: Admission,
        *,
        patience: float = _PATIENCE,
        first_delay: float = _FIRST_DELAY,
    ) -> None:
        self._remote = remote
        self._admit = admit
        self._patience, self._first_delay = patience, first_delay
        self._spool, self._copies = Folder(spool / "waiting"), Folder(spool / "stored")
        self._known = {submission.id: submission for submission in self._copies.entries()}
        self._damaged: set[str] = set()
        self._refused: dict[str, tuple[Submission, SubmissionError]] = {}
        self._head, self._trouble = "", ""
        self._looked = self._closed = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._run, name="submissions to the Hub", daemon=True)
        self._thread.start()

    def add(self, submission: Submission, content: bytes) -> State:
        """Keep a submission if it is admitted, and wait a little for its commit.

        Raises
        ------
        SubmissionError
            If it is refused, now or before its commit.
        HostingError
            If the local disk does not take it.
        """
        with self._spool.locked():
            self._admit([*self._known.values(), *self.waiting()], submission)
            self._spool.write(submission, content)
        with self._changed:
            self._changed.notify_all()
            self._changed.wait_for(
                lambda: submission.id in self._known or submission.id in self._refused, self._patience
            )
        if submission.id in self._refused:
            raise self._refused[submission.id][1]
        return "stored" if submission.id in self._known else "received"

    def entries(self) -> tuple[Submission, ...]:
        """Give what is on the Hub, as far as it was seen last; at first that may be copies of an earlier process."""
        with self._changed:
            self._changed.wait_for(lambda: self._looked or bool(self._trouble), self._patience)
        return tuple(sorted(self._known.values(), key=lambda submission: submission.order))

    def waiting(self) -> tuple[Submission, ...]:
        """Give what was received and is not on the Hub yet."""
        known = self._known
        return tuple(submission for submission in self._spool.entries() if submission.id not in known)

    def refused(self) -> dict[str, tuple[Submission, str]]:
        """Give, by id, what was received but lost to another submission made elsewhere, and why."""
        return {
            own: (submission, error.problems[0].message) for own, (submission, error) in dict(self._refused).items()
        }

    def content(self, submission: Submission) -> bytes:
        """Give a submission's file."""
        return self._copies.content(submission)

    def health(self) -> StoreHealth:
        """Count submissions and say what the trouble is."""
        damaged = sorted(self._copies.damaged | self._damaged)
        trouble = f"damaged: {', '.join(damaged)}" if damaged else ""
        trouble = TROUBLE[self._trouble] if self._trouble else trouble
        return StoreHealth("private data set", len(self._known), len(self.waiting()), trouble)

    def close(self) -> None:
        """Stop writing; what waits, waits for the next start."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._thread.join(self._patience)

    def _run(self) -> None:
        delay = self._first_delay
        while not self._closed:
            wait = _REFRESH
            try:
                self._ship()
                delay, self._trouble = self._first_delay, ""
            except RemoteError as error:
                self._trouble, wait = error.kind, max(error.wait, delay)
            except HostingError:
                self._trouble, wait = "disk", delay
            except Exception:  # noqa: BLE001 - logged and told; see below
                # The thread must go on, or every later submission would wait for ever.
                _LOG.exception("writing to the store failed")
                self._trouble, wait = "bug", delay
            if self._trouble:
                delay = min(2 * delay, _LONGEST_DELAY)
            self._pause(wait)

    def _pause(self, seconds: float) -> None:
        """Tell those who wait, then wait: for work, or for time to pass after trouble."""
        with self._changed:
            self._changed.notify_all()
            if self._trouble:
                self._changed.wait_for(lambda: self._closed, seconds)
            else:
                self._changed.wait_for(lambda: self._closed or self._has_work(), seconds)

    def _has_work(self) -> bool:
        """Say whether something waits; a disk that is away is found out, and told, by the next look."""
        try:
            return bool(self.waiting())
        except HostingError:
            return False

    def _ship(self) -> None:
        """Look at the store, commit what waits, all that is admitted in one commit, and look after what is there."""
        self._look()
        while batch := self._admitted():
            files: dict[str, bytes] = {}
            for submission in batch:
                place = f"{PLACE}/{submission.phase}/{submission.id}"
                files[f"{place}/{RUN_NAME}"] = self._spool.content(submission)
                files[f"{place}/{META_NAME}"] = submission.to_bytes()
            self._head = self._remote.commit(self._head, files)
            self._keep(batch)

    def _look(self) -> None:
        head = self._remote.head()
        if head != self._head:
            listed = self._remote.listing(head)
            self._keep([waits for waits in self._spool.entries() if (waits.phase, waits.id) in listed])
            here = {(copy.phase, copy.id) for copy in self._copies.entries()}
            missing = sorted(listed - here)
            for start in range(0, len(missing), _MOST_A_COMMIT):
                some = missing[start : start + _MOST_A_COMMIT]
                for place, (meta, run) in zip(some, self._remote.fetch(head, some), strict=True):
                    self._copy(place, meta, run)
            copies = self._copies.entries()
            self._known = {copy.id: copy for copy in copies if (copy.phase, copy.id) in listed}
            self._head = head
        self._looked = True

    def _copy(self, place: tuple[str, str], meta: bytes, run: bytes) -> None:
        """Keep a copy; what is damaged on the Hub is left out, and told."""
        try:
            submission = Submission.from_bytes(meta)
        except HostingError:
            self._damaged |= {place[1]}
            return
        if (submission.phase, submission.id) == place:
            # What lies there could not be read.
            self._copies.remove(submission)
            self._copies.write(submission, run)
            self._damaged -= {place[1]}
        else:
            self._damaged |= {place[1]}

    def _admitted(self) -> list[Submission]:
        """Give what can be committed next, and drop what lost its place meanwhile."""
        batch: list[Submission] = []
        for submission in self._spool.entries()[:_MOST_A_COMMIT]:
            try:
                self._admit([*self._known.values(), *batch], submission)
                batch.append(submission)
            except SubmissionError as error:
                self._refused[submission.id] = (submission, error)
                self._spool.remove(submission)
        return batch

    def _keep(self, submissions: list[Submission]) -> None:
        """Turn waiting submissions into stored ones, and tell those who wait for them."""
        # Locked: whoever counts a quota meanwhile would miss what is in neither place.
        with self._spool.locked():
            for submission in submissions:
                self._spool.move(submission, self._copies)
            self._known = self._known | {submission.id: submission for submission in submissions}
        with self._changed:
            self._changed.notify_all()
