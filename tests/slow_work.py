"""Work to be done in another process: it must be importable there."""

import time

from aeollm.errors import Problem, UsageError


def count(most, watch):
    """Count, saying how far, and print where nobody may print."""
    for number in range(most):
        print("noise")  # noqa: T201  between the answers this would end the conversation
        watch(number / most, f"{number} of {most}")
        time.sleep(0.02)
    return most


def wait(seconds, watch):
    """Wait."""
    watch(0.5, "waiting")
    time.sleep(seconds)


def refuse(_watch):
    """Refuse."""
    raise UsageError("work", [Problem("error", "no", "Not this way.", "Another.", 3)])


def crash(_watch):
    """Fail."""
    return 1 / 0
