"""scipy's L-BFGS with what is wanted here: a look at every step, and an end after so many."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Loss = Callable[[Floats], tuple[float, Floats]]


def minimise(loss: Loss, start: Floats, steps: int, each: Callable[[int, Floats], None] | None = None) -> Floats:
    """Take at most so many L-BFGS steps down a loss that comes with its gradient.

    ``each`` is told the number of every step, from 1, and where it led; what it raises ends the work.
    """
    from scipy.optimize import minimize  # noqa: PLC0415  scoring does not wait for scipy

    taken = 0

    def look(intermediate_result: object) -> None:
        nonlocal taken
        taken += 1
        if each is not None:
            each(taken, np.array(intermediate_result.x, dtype=np.float64))  # type: ignore[attr-defined]

    found = minimize(loss, start, jac=True, method="L-BFGS-B", callback=look, options={"maxiter": steps, "maxcor": 10})
    return np.asarray(found.x, dtype=np.float64)
