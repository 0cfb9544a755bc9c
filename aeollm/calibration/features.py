"""Inputs on one scale and judges as rows: what training fixes, prediction repeats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from aeollm.calibration.examples import Examples, Floats
from aeollm.errors import Problem, UsageError

Ints = NDArray[np.intp]

Kind = Literal["expected", "probabilities"]
_CONSTANT = 1e-9


@dataclass(frozen=True, eq=False)
class Features:
    """Which inputs are used, and what standardises them (mean, one over the spread), all from the training rows.

    ``kind`` "expected" takes one number an input, "probabilities" one an option. A missing input is put at the
    training mean (0 after standardising); one that never varies stays 0.
    """

    inputs: tuple[str, ...]
    kind: Kind
    means: Floats
    factors: Floats

    def of(self, cases: Examples) -> Floats:
        """Give the standardised inputs, shape (rows, features).

        Raises
        ------
        UsageError
            If inputs that training used are not there.
        """
        columns = _columns(cases, self.inputs, self.kind)
        if columns.shape[1] != len(self.means):
            raise _unfit(f"{len(self.means)} input numbers are needed, not {columns.shape[1]}")
        return np.nan_to_num((columns - self.means) * self.factors, nan=0.0)


def features_of(examples: Examples, inputs: tuple[str, ...], kind: Kind) -> Features:
    """Fix the standardisation on training rows.

    Every text counts once, however many people answered on it and in whatever order the rows stand.
    """
    _, rows = np.unique(np.array(examples.texts, dtype=np.str_), return_index=True)
    columns = _columns(examples, inputs, kind)[rows]
    given = ~np.isnan(columns)
    counts = np.maximum(given.sum(axis=0), 1)
    means = np.where(given, columns, 0.0).sum(axis=0) / counts
    spreads = np.sqrt((np.where(given, columns - means, 0.0) ** 2).sum(axis=0) / counts)
    varies = spreads > _CONSTANT
    factors = np.divide(1.0, spreads, out=np.zeros_like(spreads), where=varies)
    return Features(inputs, kind, means, factors)


def _columns(cases: Examples, inputs: tuple[str, ...], kind: Kind) -> Floats:
    missing = [name for name in inputs if name not in cases.inputs]
    if missing:
        raise _unfit(f"the inputs {', '.join(missing)} are needed and not there")
    places = [cases.inputs.index(name) for name in inputs]
    if kind == "expected":
        return cases.expected[:, places]
    if cases.probabilities is None:
        raise _unfit("probabilities are needed, and these are decimals")
    return cases.probabilities[:, places].reshape(len(cases), -1)


def _unfit(what: str) -> UsageError:
    message = f"The calibrator cannot answer for these texts: {what}."
    return UsageError(
        "calibration",
        [Problem("error", "unfit_inputs", message, "Give what it was trained with, under the same names.")],
    )


@dataclass(frozen=True, eq=False)
class Judges:
    """The people of the training rows, sorted by id, and how many answers to the target each gave."""

    names: tuple[str, ...]
    counts: tuple[int, ...]

    def __len__(self) -> int:
        """Count the judges."""
        return len(self.names)

    def rows(self, judges: Sequence[str]) -> Ints:
        """Give every judge's row; one that training did not see gets the row after the last, whose effects are 0."""
        row_of = {name: row for row, name in enumerate(self.names)}
        return np.array([row_of.get(judge, len(self.names)) for judge in judges], dtype=np.intp)


def judges_of(examples: Examples) -> Judges:
    """List the judges of training rows."""
    given = (~np.isnan(examples.answered)).tolist()
    counts = dict.fromkeys(sorted(set(examples.judges)), 0)
    for judge, answered in zip(examples.judges, given, strict=True):
        counts[judge] += answered
    return Judges(tuple(counts), tuple(counts.values()))
