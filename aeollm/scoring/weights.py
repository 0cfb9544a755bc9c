"""Dimension weights of the labelled questions, exact and as the organisers' float shares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aeollm.decimals import Decimals
from aeollm.errors import Problem, RubricsError, printable
from aeollm.tables import Labels, Rubrics


@dataclass(frozen=True, slots=True)
class Weights:
    """Dimension weights of every question, shape (questions, dimensions): exact, and as float shares.

    ``signed`` is what a signature names them.
    """

    signed: str
    units: NDArray[Any]
    shares: NDArray[np.float64]


def weigh(labels: Labels, rubrics: Rubrics | None) -> Weights:
    """Gather the weights of the labelled questions; each question's own scale is as good as any."""
    if rubrics is None:
        shape = (len(labels.question_order), len(labels.dimensions))
        return Weights("equal", np.ones(shape, dtype=np.int64), np.full(shape, 1 / len(labels.dimensions)))
    wanted = set(labels.dimensions)
    missing = [q for q in labels.question_order if not wanted <= rubrics.weights.get(q, {}).keys()]
    if missing:
        message = f"no weights for all dimensions of question {', '.join(map(printable, missing))}."
        raise RubricsError("rubrics", [Problem("error", "missing_rubric", message, "Add the files.")])
    rows = [[rubrics.weights[q][d] for d in labels.dimensions] for q in labels.question_order]
    exact = Decimals.of([weight for row in rows for weight in row], (len(rows), len(labels.dimensions)))
    total = np.zeros(len(rows))
    for column in exact.values.T:
        # In order, as a plain sum of floats: other orders give other last digits.
        total += column
    return Weights(rubrics.signed, exact.units, exact.values / total[:, None])
