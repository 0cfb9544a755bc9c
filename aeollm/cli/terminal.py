"""What is printed, and how the process ends."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from aeollm.errors import Problem, UsageError, printable

DONE, REFUSED, UNUSABLE, INTERRUPTED = 0, 1, 2, 130
"""Exit codes: all well, some run refused, wrong usage or an input without which nothing can be done, Ctrl-C."""


def print_json(content: dict[str, object]) -> None:
    """Print one JSON object."""
    _say(json.dumps(content, ensure_ascii=False, allow_nan=False, indent=1))


def print_lines(lines: Iterable[str]) -> None:
    """Print lines on standard output."""
    for line in lines:
        _say(shown(line).rstrip())


def _say(text: str) -> None:
    try:
        print(text)  # noqa: T201  the command line's own voice
    except BrokenPipeError:
        stop_printing()


def stop_printing() -> None:
    """Print to nowhere from now on, the reader having seen enough (`| head`): the exit code is still to come."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def complain(text: str) -> None:
    """Print lines on standard error."""
    # Nobody reading complaints any more (`2>&1 | head`) must not end what took hours and money.
    with suppress(OSError):
        print("\n".join(map(shown, text.split("\n"))), file=sys.stderr, flush=True)  # noqa: T201  the command line's own voice


def shown(text: str) -> str:
    """Escape what would steer the terminal: names and ids come from users."""
    return printable(text, len(text))


def refuse_overwriting(outputs: Sequence[Path], inputs: Iterable[Path]) -> None:
    """Refuse to write what is read, and to write two things into one file.

    Raises
    ------
    UsageError
    """
    taken = [path for path in inputs if path.is_file()]
    for path in outputs:
        if any(_same(path, other) for other in taken):
            message = "cannot be written: it is read, or written, by the same command."
            raise UsageError(str(path), [Problem("error", "overwrites", message, "Name another file.")])
        taken.append(path)


def _same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other) and one.is_file()
    except FileNotFoundError:
        # Files yet to be written have no identity but their place.
        return os.path.realpath(one) == os.path.realpath(other)
    except (OSError, ValueError):
        return False


def write_file(path: Path, content: bytes) -> bool:
    """Write a file the user named; complain, and say so, where that cannot be done."""
    try:
        path.write_bytes(content)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        complain(f"{path} cannot be written: {reason}.")
        return False
    return True
