"""The network's parameters: their shapes, their start, and one vector of them all for the optimiser."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Shape(NamedTuple):
    """Widths: inputs, hidden units of the two layers, answers of every head (one head a target), judges.

    ``personal`` says whether judges have parameters of their own.
    """

    features: int
    first: int
    second: int
    heads: tuple[int, ...]
    judges: int
    personal: bool

    @property
    def widest(self) -> int:
        """Give the largest number of answers: heads with fewer are masked."""
        return max(self.heads)

    @property
    def layers(self) -> tuple[tuple[int, int], ...]:
        """Give the shapes of the three weight matrices, a row for the constant input last."""
        outputs = len(self.heads) * self.widest
        return ((self.features + 1, self.first), (self.first + 1, self.second), (self.second + 1, outputs))

    @property
    def n_shared(self) -> int:
        """Count the shared parameters."""
        return sum(rows * columns for rows, columns in self.layers)


class Network(NamedTuple):
    """Three weight matrices, ``shared``, and what each judge adds to them, ``own``, shape (judges, rows, columns)."""

    shared: tuple[Floats, Floats, Floats]
    own: tuple[Floats, Floats, Floats] | None

    def vector(self) -> Floats:
        """Give all parameters as one vector."""
        return np.concatenate([part.ravel() for part in (*self.shared, *(self.own or ()))])


def read(vector: Floats, shape: Shape) -> Network:
    """Give the matrices of a vector, as views of it."""
    place = 0
    found: list[Floats] = []
    stacks = (1, shape.judges) if shape.personal else (1,)
    for stack in stacks:
        for rows, columns in shape.layers:
            size = stack * rows * columns
            part = vector[place : place + size]
            found.append(part.reshape(rows, columns) if len(found) < 3 else part.reshape(stack, rows, columns))
            place += size
    own = (found[3], found[4], found[5]) if shape.personal else None
    return Network((found[0], found[1], found[2]), own)


def only_head(vector: Floats, shape: Shape, head: int) -> tuple[Floats, Shape]:
    """Cut a network down to one of its heads, with both hidden layers."""
    network, alone = read(vector, shape), shape._replace(heads=(shape.heads[head],))
    columns = slice(head * shape.widest, head * shape.widest + shape.heads[head])
    first, second, third = network.shared
    own = network.own and (network.own[0], network.own[1], network.own[2][..., columns])
    return Network((first, second, third[:, columns]), own).vector(), alone


def initial(shape: Shape, marginals: Sequence[Floats], rng: np.random.Generator) -> Floats:
    """Draw hidden weights from N(0, 1 / inputs), start heads at the answers' shares and judges at the shared part."""
    parts = []
    for rows, columns in shape.layers[:2]:
        weights = rng.standard_normal((rows, columns)) / np.sqrt(rows - 1)
        weights[-1] = 0
        parts.append(weights.ravel())
    head = np.zeros((shape.second + 1, len(shape.heads), shape.widest))
    head[:-1] = rng.standard_normal(head[:-1].shape) / np.sqrt(shape.second) * HEAD_START
    for place, marginal in enumerate(marginals):
        head[-1, place, : len(marginal)] = np.log(marginal)
    n_own = shape.judges * shape.n_shared if shape.personal else 0
    return np.concatenate([*parts, head.ravel(), np.zeros(n_own)])


HEAD_START = 0.1
"""Heads start nearly flat, so that the first steps are spent on the answers and not on undoing chance."""
