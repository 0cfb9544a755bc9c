"""The other end of `remote`: take work from standard input, say how far it is, give what came of it."""

from __future__ import annotations

import contextlib
import os
import sys
import time

from aeollm.errors import AeollmError
from aeollm.trials.remote import Done, Step, receive, send

_BETWEEN = 0.1
_NICENESS = 10


def main() -> None:
    """Do one piece of work."""
    with contextlib.suppress(AttributeError, OSError):
        # Scoring a run is a matter of milliseconds and goes first.
        os.nice(_NICENESS)
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # Nothing that is printed may come between the answers.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    work = receive(sys.stdin.buffer)
    if not callable(work):
        raise TypeError(f"no work: {type(work).__name__}")
    told = 0.0

    def watch(share: float, doing: str) -> None:
        nonlocal told
        if time.monotonic() - told >= _BETWEEN:
            told = time.monotonic()
            send(answers, Step(share, doing))

    try:
        outcome: object = Done(work(watch))
    except AeollmError as error:
        outcome = error
    send(answers, outcome)


if __name__ == "__main__":
    main()
