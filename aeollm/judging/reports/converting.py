"""Documents converted in a process of their own, so that none of them can crash, hang or fill this one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from types import TracebackType

from aeollm.judging.reports.decoding import Unusable

SECONDS = 120.0
_ROOT = Path(__file__).parents[3]


class Converter:
    """One worker at a time; started with the first document, and anew after one that brought it down."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self._worker: subprocess.Popen[str] | None = None

    def __enter__(self) -> Converter:
        """Start nothing yet."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the worker."""
        self._end()

    def markdown(self, path: Path) -> str:
        """Convert a document to Markdown.

        Raises
        ------
        Unusable
            If it cannot be, for whichever reason.
        """
        worker = self._worker = self._worker or _start()
        late = threading.Event()

        def stop() -> None:
            late.set()
            worker.kill()

        timer = threading.Timer(self._seconds, stop)
        timer.start()
        try:
            answer = _exchange(worker, path)
        finally:
            timer.cancel()
        if answer is None:
            self._end()
            remedy = "Check that it is the report alone, or save it as text."
            if late.is_set():
                raise Unusable("too_slow", f"could not be converted within {self._seconds:g} s.", remedy)
            raise Unusable("damaged", "needs too much memory, or brought the converter down.", remedy)
        if "text" not in answer:
            raise Unusable(answer["kind"], answer["message"], answer["remedy"])
        return answer["text"]

    def _end(self) -> None:
        worker, self._worker = self._worker, None
        if worker is None:
            return
        worker.kill()
        worker.wait()
        for stream in (worker.stdin, worker.stdout):
            if stream is not None:
                stream.close()


def _start() -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": f"{_ROOT}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}
    return subprocess.Popen(
        [sys.executable, "-m", "aeollm.judging.reports.worker", str(os.getpid())],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
        encoding="utf-8",
    )


def _exchange(worker: subprocess.Popen[str], path: Path) -> dict[str, str] | None:
    """Give the worker's answer; None if it is no more."""
    if worker.stdin is None or worker.stdout is None:
        return None
    try:
        worker.stdin.write(json.dumps(str(path)) + "\n")
        worker.stdin.flush()
        answer: dict[str, str] = json.loads(worker.stdout.readline())
    except (OSError, ValueError):
        return None
    return answer
