"""Run files in the columns of the task."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from aeollm.decimals import Decimals, round_fraction
from aeollm.tables import Run, write_run

_DIGITS = 6


def run_file(run: Run, scores: Sequence[Sequence[float]], dimensions: Sequence[str]) -> bytes:
    """Write a run with other scores, to 6 digits after the point.

    Parameters
    ----------
    run : whose rows they are.
    scores : one sequence a row, of one number a dimension.
    dimensions : their names.
    """
    rounded = [round_fraction(Fraction(score), _DIGITS) for row in scores for score in row]
    table = Decimals.of(rounded, (len(run), len(dimensions)))
    return write_run(replace(run, dimensions=tuple(dimensions), scores=table)).encode(errors="backslashreplace")
