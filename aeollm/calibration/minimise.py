"""L-BFGS (Nocedal 1980) with a look at every step, and an end after so many.

scipy's own hands every step's small triangular systems to a threaded BLAS, whose threads wait for each other: on a
busy machine with two cores a fit of one second took minutes. Here no product is handed on.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Loss = Callable[[Floats], tuple[float, Floats]]

_MEMORY = 10
_FALL, _FLATTER = 1e-4, 0.9
"""Wolfe's conditions: how much of the promised fall a step must bring, and how much of the slope it may leave."""
_MOST_TRIES = 25
_FLAT = 1e-5
_SAME = 2.2e-9
"""The end: no slope is steeper, or a step gains no larger share of the loss (scipy's defaults)."""


class _Point(NamedTuple):
    at: Floats
    loss: float
    slope: Floats


class _Pair(NamedTuple):
    """A step, how the slope changed along it, and one over the product of both."""

    step: Floats
    change: Floats
    share: float


def minimise(loss: Loss, start: Floats, steps: int, each: Callable[[int, Floats], None] | None = None) -> Floats:
    """Take at most so many L-BFGS steps down a loss that comes with its gradient.

    ``each`` is told the number of every step, from 1, and where it led; what it raises ends the work.

    Examples
    --------
    >>> minimise(lambda at: (float(((at - 3) ** 2).sum()), 2 * (at - 3)), np.zeros(2), 20).round(3).tolist()
    [3.0, 3.0]
    """
    here = _Point(start.copy(), *loss(start))
    pairs: deque[_Pair] = deque(maxlen=_MEMORY)
    for number in range(1, steps + 1):
        if float(np.abs(here.slope).max(initial=0.0)) <= _FLAT:
            break
        there = _search(loss, here, _direction(here.slope, pairs), first=not pairs)
        if there is None:
            break
        _remember(pairs, here, there)
        gained, here = here.loss - there.loss, there
        if each is not None:
            each(number, here.at)
        if gained <= _SAME * max(abs(here.loss), 1.0):
            break
    return here.at


def _dot(a: Floats, b: Floats) -> float:
    return float(np.einsum("i,i->", a, b))


def _direction(slope: Floats, pairs: deque[_Pair]) -> Floats:
    """Give minus the slope times an inverse Hessian made of the last steps (the two-loop recursion)."""
    found = -slope
    shares = []
    for pair in reversed(pairs):
        shares.append(pair.share * _dot(pair.step, found))
        found -= shares[-1] * pair.change
    if pairs:
        found /= pairs[-1].share * _dot(pairs[-1].change, pairs[-1].change)
    for pair, share in zip(pairs, reversed(shares), strict=True):
        found += (share - pair.share * _dot(pair.change, found)) * pair.step
    return found


def _search(loss: Loss, here: _Point, direction: Floats, *, first: bool) -> _Point | None:
    """Halve and double the step until it brings enough and leaves a flatter slope; None where nothing goes down."""
    promised = _dot(direction, here.slope)
    low, high = 0.0, np.inf
    length = min(1.0, 1.0 / np.sqrt(-promised)) if first else 1.0
    best: _Point | None = None
    for _ in range(_MOST_TRIES):
        at = here.at + length * direction
        there = _Point(at, *loss(at))
        if not there.loss <= here.loss + _FALL * length * promised:
            high = length
        elif _dot(direction, there.slope) < _FLATTER * promised:
            low, best = length, there
        else:
            return there
        length = 2 * low if np.isinf(high) else (low + high) / 2
    return best


def _remember(pairs: deque[_Pair], here: _Point, there: _Point) -> None:
    step, change = there.at - here.at, there.slope - here.slope
    product = _dot(step, change)
    if product > 0:
        pairs.append(_Pair(step, change, 1 / product))
