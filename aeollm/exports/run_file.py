"""Run files in the columns of the task."""

from __future__ import annotations

from collections.abc import Sequence

from aeollm.tables import KEY_COLUMNS, SCORE_SUFFIX, Run

_DIGITS = 6


def run_file(run: Run, scores: Sequence[Sequence[float]], dimensions: Sequence[str]) -> bytes:
    """Write a run with other scores, in a run's columns and with their header.

    Parameters
    ----------
    run : whose rows they are.
    scores : one sequence a row, of one number a dimension.
    dimensions : their names.
    """
    header = [*KEY_COLUMNS, *(name + SCORE_SUFFIX for name in dimensions)]
    keys = zip(run.tasks, run.questions, run.answers, strict=True)
    rows = [[*key, *map(_plain, row)] for key, row in zip(keys, scores, strict=True)]
    return "".join("\t".join(row) + "\n" for row in [header, *rows]).encode(errors="backslashreplace")


def _plain(number: float) -> str:
    """Write a decimal without an exponent.

    >>> _plain(7.25), _plain(-0.0), _plain(8.0)
    ('7.25', '0', '8')
    """
    # Adding 0 makes -0.0 plain.
    return f"{round(number, _DIGITS) + 0.0:.{_DIGITS}f}".rstrip("0").rstrip(".")
