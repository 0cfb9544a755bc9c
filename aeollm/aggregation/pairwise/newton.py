"""Maximum of the likelihood of many small comparison models at once, by Newton's method with step halving.

The model of a comparison, with x half the difference of two strengths and z = e^x + e^-x + nu: the first wins with
e^x / z, the second with e^-x / z, and nu / z is a tie (Davidson 1970, Journal of the American Statistical Association
65:317-328). Without nu it is Bradley and Terry's. In strengths and log nu the likelihood is concave, so that the
maximum, where there is one, is found from anywhere.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

_MOST_STEPS = 200
_MOST_HALVINGS = 40
_SMALL_STEP = 1e-10
_FLAT = 1e-15
_ROUNDING = 1e-14
_ENOUGH = 1e-4


class Estimate(NamedTuple):
    """Strengths of shape (groups, widest), log nu (minus infinity: no ties) and log-likelihood, shape (groups,)."""

    strengths: Floats
    log_nu: Floats
    log_likelihood: Floats


@dataclass(frozen=True, eq=False)
class Block:
    """Groups of like size: pairs with their group and places, and what the strengths are drawn to.

    ``outcomes`` has shape (pairs, 3). ``present`` and ``centre`` have shape (groups, widest); ``penalty`` (groups,)
    multiplies the sum of squared distances from the centre.
    """

    group: Places
    first: Places
    second: Places
    outcomes: Floats
    present: NDArray[np.bool_]
    centre: Floats
    penalty: Floats

    @cached_property
    def tying(self) -> NDArray[np.bool_]:
        """Say which groups have ties, and so a log nu to estimate."""
        return np.bincount(self.group, weights=self.outcomes[:, 1], minlength=len(self.present)) > 0

    @cached_property
    def weights(self) -> Floats:
        """Give each pair's number of comparisons."""
        return np.asarray(self.outcomes.sum(axis=-1))

    @cached_property
    def flat(self) -> tuple[Places, Places]:
        """Give the places of both answers among all of the block."""
        base = self.group * self.present.shape[1]
        return base + self.first, base + self.second

    @cached_property
    def cells(self) -> tuple[Places, Places, Places, Places]:
        """Give where a pair adds to its group's matrix: both diagonals, then both sides of it."""
        width = self.present.shape[1] + 1
        base = self.group * width**2
        a, b = self.first, self.second
        return base + a * width + a, base + b * width + b, base + a * width + b, base + b * width + a

    def repeated(self, outcomes: Floats, centre: Floats, penalty: Floats) -> Block:
        """Lay the block out once for every first index of these, of shapes (copies, ...)."""
        copies = np.arange(len(outcomes))[:, None]
        return Block(
            group=(copies * len(self.present) + self.group).reshape(-1),
            first=np.tile(self.first, len(copies)),
            second=np.tile(self.second, len(copies)),
            outcomes=outcomes.reshape(-1, 3),
            present=np.tile(self.present, (len(copies), 1)),
            centre=centre.reshape(-1, self.present.shape[1]),
            penalty=penalty.reshape(-1),
        )

    def by_group(self, of_pairs: Floats) -> Floats:
        """Sum by group."""
        return np.bincount(self.group, weights=of_pairs, minlength=len(self.present)).astype(np.float64)

    def by_answer(self, of_pairs: Floats) -> Floats:
        """Add to the first answer of each pair what is taken from the second."""
        size = self.present.size
        first, second = self.flat
        added = np.bincount(first, weights=of_pairs, minlength=size).astype(np.float64)
        added -= np.bincount(second, weights=of_pairs, minlength=size)
        return added.reshape(self.present.shape)


class _Chances(NamedTuple):
    """Probabilities of the three outcomes of every pair, and the log of the weight of all three."""

    won: Floats
    tied: Floats
    lost: Floats
    log_total: Floats
    half: Floats


def _chances(block: Block, strengths: Floats, log_nu: Floats) -> _Chances:
    first, second = block.flat
    flat = strengths.reshape(-1)
    half = (flat[first] - flat[second]) / 2
    threshold = log_nu[block.group]
    largest = np.maximum(np.abs(half), threshold)
    won, lost, tied = np.exp(half - largest), np.exp(-half - largest), np.exp(threshold - largest)
    total = won + lost + tied
    return _Chances(won / total, tied / total, lost / total, largest + np.log(total), half)


def log_likelihood(block: Block, strengths: Floats, log_nu: Floats) -> Floats:
    """Give every group's log-likelihood, without the penalty."""
    chances = _chances(block, strengths, log_nu)
    won, tied, lost = block.outcomes.T
    # Without ties log nu is minus infinity, and 0 times that is not 0.
    threshold = np.where(tied > 0, log_nu[block.group], 0.0)
    return block.by_group((won - lost) * chances.half + tied * threshold - block.weights * chances.log_total)


def _objective(block: Block, strengths: Floats, log_nu: Floats) -> Floats:
    away = ((strengths - block.centre) ** 2).sum(axis=-1)
    return np.asarray(log_likelihood(block, strengths, log_nu) - block.penalty * away)


def information(block: Block, strengths: Floats, log_nu: Floats) -> Floats:
    """Give minus the second derivatives, shape (groups, widest + 1, widest + 1); log nu stands last.

    What is not estimated (padding, log nu without ties) has 1 on the diagonal; a constant over each group's answers,
    which the likelihood does not see, is held where it is.
    """
    chances = _chances(block, strengths, log_nu)
    groups, widest = block.present.shape
    width = widest + 1
    lead = chances.won - chances.lost
    bend = block.weights * (chances.won + chances.lost - lead**2) / 4
    size = groups * width**2
    flat = np.zeros(size)
    for cell, sign in zip(block.cells, (1, 1, -1, -1), strict=True):
        flat += np.bincount(cell, weights=sign * bend, minlength=size)
    found = flat.reshape(groups, width, width)
    crossed = block.by_answer(-block.weights * chances.tied * lead / 2)
    found[:, :widest, widest] = found[:, widest, :widest] = crossed
    found[:, widest, widest] = np.where(
        block.tying, block.by_group(block.weights * chances.tied * (1 - chances.tied)), 1.0
    )
    places = np.arange(widest)
    found[:, places, places] += np.where(block.present, 2 * block.penalty[:, None], 1.0)
    sizes = np.maximum(block.present.sum(axis=-1), 1)
    # In the scale of the rest, so that nothing depends on how often all judgments were handed in.
    curvature = np.trace(found[:, :widest, :widest], axis1=1, axis2=2) - (widest - block.present.sum(axis=-1))
    held = np.where(curvature > 0, curvature, 1.0) / sizes**2
    both = block.present[:, :, None] & block.present[:, None, :]
    found[:, :widest, :widest] += held[:, None, None] * both
    return found


def _gradient(block: Block, strengths: Floats, log_nu: Floats) -> Floats:
    chances = _chances(block, strengths, log_nu)
    won, tied, lost = block.outcomes.T
    slopes = block.by_answer((won - lost - block.weights * (chances.won - chances.lost)) / 2)
    slopes -= 2 * block.penalty[:, None] * (strengths - block.centre)
    of_nu = np.where(block.tying, block.by_group(tied - block.weights * chances.tied), 0.0)
    return np.concatenate([slopes, of_nu[:, None]], axis=-1)


def maximise(block: Block) -> Estimate:
    """Find the strengths of largest penalised likelihood; the caller has seen to it that there are such.

    Raises
    ------
    ArithmeticError
        Where the steps do not end, which for a concave function with a maximum is a fault of this code.
    """
    strengths = block.centre.copy()
    ties = block.by_group(block.outcomes[:, 1])
    others = np.maximum(block.by_group(block.weights) - ties, _FLAT)
    log_nu = np.log(2 * ties / others, out=np.full(len(ties), -np.inf), where=block.tying)
    value = _objective(block, strengths, log_nu)
    running = np.ones(len(value), dtype=bool)
    for _ in range(_MOST_STEPS):
        slope = _gradient(block, strengths, log_nu)
        step = np.linalg.solve(information(block, strengths, log_nu), slope[..., None])[..., 0].astype(np.float64)
        gain = np.asarray((slope * step).sum(axis=-1))
        small = np.abs(step).max(axis=-1) <= _SMALL_STEP * (1 + np.abs(strengths).max(axis=-1, initial=0))
        # The last step is taken too: it is the one that brings full precision.
        last = running & (small | (gain <= _FLAT * (1 + np.abs(value))))
        gain[~running] = math.nan
        strengths, log_nu, value = _walk(block, (strengths, log_nu, value), step, gain)
        running &= ~last
        if not running.any():
            return Estimate(strengths, log_nu, log_likelihood(block, strengths, log_nu))
    raise ArithmeticError("a concave likelihood was not maximised")


def _walk(block: Block, here: tuple[Floats, Floats, Floats], step: Floats, gain: Floats) -> tuple[Floats, ...]:
    """Take every group's step, halved until it gains; groups whose gain is nan stay."""
    strengths, log_nu, value = here
    length = np.where(np.isnan(gain), 0.0, 1.0)
    # What rounding does to a value, whose terms grow with comparisons and distances: below it, steps are not judged.
    reach = 1 + np.abs(strengths).max(axis=-1, initial=0) + np.where(block.tying, np.abs(log_nu), 0.0)
    slack = _ROUNDING * (block.by_group(block.weights) * reach + np.abs(value))
    for _ in range(_MOST_HALVINGS):
        there = strengths + length[:, None] * step[:, :-1]
        nu_there = np.where(block.tying, log_nu + length * step[:, -1], log_nu)
        reached = _objective(block, there, nu_there)
        short = (length > 0) & ~(reached >= value + _ENOUGH * length * gain - slack)
        if not short.any():
            break
        length = np.where(short, length / 2, length)
    return there, nu_there, reached
