"""Work in a process of its own, which can be watched and ended: fitting would keep the page's other visitors waiting.

The process is ours and so are both ends of its pipes, which is why pickles may travel over them.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO
from uuid import uuid4

from aeollm.errors import AeollmError, Problem, UsageError

_PATIENCE = 0.25
_LONGEST_SECONDS = 600
_MOST_KNOWN = 1_000
_HEADER = 8
_ONE_CORE = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")

Watch = Callable[[float, str], None]
Work = Callable[[Watch], object]
"""What is sent: an object that can be pickled and called."""


@dataclass(frozen=True, slots=True)
class Step:
    """How far work has come: a share from 0 to 1, and what is done just now."""

    share: float
    doing: str


@dataclass(frozen=True, slots=True)
class Done:
    """What came of it."""

    outcome: object


class Cancelled(Exception):
    """The work was ended before it was done."""


@dataclass
class _Job:
    process: subprocess.Popen[bytes] | None = None
    cancelled: bool = False


@dataclass
class Jobs:
    """Work that is going on, by a name that only its owner has."""

    longest: float = _LONGEST_SECONDS
    _known: dict[str, _Job] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def new(self) -> str:
        """Name work that is to be done, so that it can be cancelled even before it has begun."""
        name = uuid4().hex
        with self._lock:
            self._known[name] = _Job()
            for old in list(self._known)[:-_MOST_KNOWN]:
                if self._known[old].process is None:
                    del self._known[old]
        return name

    def cancel(self, name: str) -> bool:
        """End the work of that name at once; say whether there was any."""
        with self._lock:
            job = self._known.get(name)
            if job is None:
                return False
            job.cancelled = True
            if job.process is not None:
                job.process.kill()
            return True

    def running(self) -> int:
        """Count the processes."""
        with self._lock:
            return sum(job.process is not None for job in self._known.values())

    def run(self, name: str, work: Work) -> Iterator[Step | Done]:
        """Do the work in a process; give a step at least every quarter of a second, in the end what came of it.

        Ending the iteration ends the process.

        Raises
        ------
        Cancelled
            If it was cancelled, before or during the work.
        AeollmError
            As the work raises it, or if it takes too long.
        RuntimeError
            If the process died, with the end of what it said.
        """
        with tempfile.TemporaryFile() as log:
            with self._lock:
                job = self._known.setdefault(name, _Job())
                if job.cancelled:
                    del self._known[name]
                    raise Cancelled
                job.process = process = _start(log)
            try:
                yield from _followed(process, work, self.longest)
            except (EOFError, OSError):
                if job.cancelled:
                    raise Cancelled from None
                raise RuntimeError(f"the process ended: {_last_words(process, log)}") from None
            finally:
                _end(process)
                with self._lock:
                    self._known.pop(name, None)


def _start(log: IO[bytes]) -> subprocess.Popen[bytes]:
    root = str(Path(__file__).resolve().parents[2])
    path = os.pathsep.join([root, *filter(None, [os.environ.get("PYTHONPATH")])])
    return subprocess.Popen(
        [sys.executable, "-m", "aeollm.trials.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=log,
        env=os.environ | _ONE_CORE | {"PYTHONPATH": path},
    )


def _followed(process: subprocess.Popen[bytes], work: Work, longest: float) -> Iterator[Step | Done]:
    deadline = time.monotonic() + longest
    inbox: queue.Queue[object] = queue.Queue()
    threading.Thread(target=_exchange, args=(process, work, inbox), daemon=True).start()
    last = Step(0.0, "starting")
    while True:
        if time.monotonic() > deadline:
            message = f"fitting was stopped after {longest:.0f} seconds."
            remedy = "Choose fewer models, folds or seeds, or use `python -m aeollm calibrate`."
            raise UsageError("fit", [Problem("error", "too_slow", message, remedy)])
        try:
            said = inbox.get(timeout=_PATIENCE)
        except queue.Empty:
            yield last
            continue
        if isinstance(said, AeollmError | EOFError | OSError | RuntimeError):
            raise said
        if isinstance(said, Done):
            yield said
            return
        if isinstance(said, Step):
            last = said
            if inbox.empty():
                yield last


def _exchange(process: subprocess.Popen[bytes], work: Work, inbox: queue.Queue[object]) -> None:
    """Send the work and pass on what is said of it, until there is no more to say."""
    try:
        if process.stdin is None or process.stdout is None:
            raise EOFError
        send(process.stdin, work)
        while True:
            said = receive(process.stdout)
            inbox.put(said)
            if not isinstance(said, Step):
                return
    except (EOFError, OSError, ValueError) as end:
        # ValueError: the streams were closed, since nobody listens any more.
        inbox.put(end if isinstance(end, EOFError | OSError) else EOFError())


def send(stream: IO[bytes], content: object) -> None:
    """Write one object."""
    packed = pickle.dumps(content, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(len(packed).to_bytes(_HEADER, "big") + packed)
    stream.flush()


def receive(stream: IO[bytes]) -> object:
    """Read one object.

    Raises
    ------
    EOFError
        If the stream ends before it does.
    """
    length = stream.read(_HEADER)
    if len(length) < _HEADER:
        raise EOFError
    packed = stream.read(int.from_bytes(length, "big"))
    return pickle.loads(packed)


def _last_words(process: subprocess.Popen[bytes], log: IO[bytes]) -> str:
    code = process.wait()
    log.seek(0)
    return log.read().decode(errors="replace")[-2_000:] or f"exit code {code}"


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        with contextlib.suppress(OSError):
            if stream is not None:
                stream.close()
