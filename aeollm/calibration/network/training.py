"""Pretraining on all targets, fine-tuning on one, each stopped where held-out texts say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aeollm.calibration.minimise import Loss, minimise
from aeollm.calibration.network.loss import Penalty, Reach, batch_of, bent, loss_and_gradient, probabilities
from aeollm.calibration.network.shape import Network, Shape, initial, read

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

WEIGHT = 10.0
"""Against the summed log-likelihood."""
REACHES = (Reach(0.3, 3.0), Reach(0.6, 3.0))
PRETRAIN = (5, 10, 15, 20, 30, 40)
FINETUNE = (0, 5, 10, 15, 20, 30)
"""After which steps held-out texts are looked at."""
ALONE = (5, 10, 15, 20, 30, 40)
"""The same where one of the phases is left out."""
_LEAST = 1e-12


@dataclass(frozen=True, eq=False)
class NetworkData:
    """Training rows: standardised ``x`` (n, features), judge rows, ``classes`` (n, heads) with -1 missing.

    ``target`` is the head that is wanted; ``marginals`` are the answers' shares by head, where heads start.
    """

    x: Floats
    judges: Ints
    classes: Ints
    target: int
    marginals: Sequence[Floats]

    def only(self, rows: NDArray[np.bool_]) -> NetworkData:
        """Keep some rows."""
        return NetworkData(self.x[rows], self.judges[rows], self.classes[rows], self.target, self.marginals)


class Course(NamedTuple):
    """How a network is trained: the steps of each phase, and how far judges may reach."""

    pretrain: int
    finetune: int
    reach: Reach


class Phases(NamedTuple):
    """After which numbers of steps each phase may end; (0,) leaves it out."""

    pretrain: tuple[int, ...]
    finetune: tuple[int, ...]


def phases(*, pretrain: bool, finetune: bool) -> Phases:
    """Give the ends to choose from."""
    if pretrain and finetune:
        return Phases(PRETRAIN, FINETUNE)
    return Phases(ALONE, (0,)) if pretrain else Phases((0,), ALONE)


def train(rows: NetworkData, shape: Shape, course: Course, seed: Sequence[int], each: Callable[[], None]) -> Network:
    """Train one network from a seeded start; ``each`` is called at every step."""
    losses = _losses(rows, shape, course.reach)
    vector = initial(shape, rows.marginals, np.random.default_rng(list(seed)))
    for loss, steps in zip(losses, course[:2], strict=True):
        if steps:
            vector = minimise(loss, vector, steps, lambda _step, _at: each())
    return read(vector, shape)


def _losses(rows: NetworkData, shape: Shape, reach: Reach) -> tuple[Loss, Loss]:
    """Give the losses of pretraining (all heads) and of fine-tuning (the target's)."""
    batch = batch_of(rows.x, rows.judges, rows.classes, shape.judges)
    penalty, every = Penalty(WEIGHT, reach), np.ones(len(shape.heads))
    target = np.zeros(len(shape.heads))
    target[rows.target] = 1
    return (
        lambda vector: loss_and_gradient(vector, shape, batch, penalty, every),
        lambda vector: loss_and_gradient(vector, shape, batch, penalty, target),
    )


@dataclass(frozen=True, eq=False)
class Plan:
    """What training may choose from, by which folds, from which seed; ``step`` is told the share done, often."""

    ends: Phases
    folds: Ints
    seed: Sequence[int]
    step: Callable[[float], None]


def choose_course(rows: NetworkData, shape: Shape, plan: Plan) -> Course:
    """Choose reach and steps by the log-likelihood of held-out target answers, summed over folds.

    For every reach, pretraining is stopped where held-out texts of all folds together are predicted best, and
    fine-tuning likewise from there.
    """
    reaches = REACHES if shape.personal else REACHES[:1]
    found: list[tuple[float, Course]] = []
    for number, reach in enumerate(reaches):
        search = _Search(rows, shape, plan, reach, lambda done, at=number: plan.step((at + done) / len(reaches)))  # type: ignore[misc]
        before = search.losses(0, plan.ends.pretrain, 0)
        pretrain = min(before, key=before.__getitem__)
        after = search.losses(1, plan.ends.finetune, pretrain)
        finetune = min(after, key=after.__getitem__)
        found.append((after[finetune], Course(pretrain, finetune, reach)))
    return min(found, key=lambda pair: pair[0])[1]


class _Search(NamedTuple):
    """Held-out losses along the way of one reach."""

    rows: NetworkData
    shape: Shape
    plan: Plan
    reach: Reach
    step: Callable[[float], None]

    def losses(self, phase: int, ends: tuple[int, ...], pretrain: int) -> dict[int, float]:
        """Give the loss on held-out target answers, summed over folds, after each of some numbers of steps.

        Phase 0 is pretraining; phase 1 fine-tuning after ``pretrain`` steps of it. A way that ends early, having
        converged, stays where it ended.
        """
        total = dict.fromkeys(ends, 0.0)
        folds = int(self.plan.folds.max()) + 1
        for fold in range(folds):
            share = (phase + fold / folds) / 2
            held = self.plan.folds == fold
            losses = _losses(self.rows.only(~held), self.shape, self.reach)
            judged = self._judge_of(held)
            at = initial(self.shape, self.rows.marginals, np.random.default_rng([*self.plan.seed, fold]))
            if phase and pretrain:
                at = minimise(losses[0], at, pretrain, lambda _step, _at, share=share: self.step(share))  # type: ignore[misc]
            way = _Way(ends, judged, lambda share=share: self.step(share), {0: judged(at)})  # type: ignore[misc]
            last = minimise(losses[phase], at, max(ends), way.look) if max(ends) else at
            for end in ends:
                total[end] += way.seen[end] if end in way.seen else judged(last)
        return total

    def _judge_of(self, held: NDArray[np.bool_]) -> _Judged:
        """Give what measures parameters on the held-out rows that answered the target."""
        answered = held & (self.rows.classes[:, self.rows.target] >= 0)
        part = self.rows.only(answered)
        batch = batch_of(part.x, part.judges, part.classes, self.shape.judges)
        classes = part.classes[:, part.target]

        def judged(vector: Floats) -> float:
            given = probabilities(bent(read(vector, self.shape), self.reach), self.shape, batch)
            chosen = given[np.arange(len(classes)), part.target, classes]
            return -float(np.log(np.maximum(chosen, _LEAST)).sum())

        return judged


_Judged = Callable[[Floats], float]


class _Way(NamedTuple):
    """One descent, looked at after some numbers of steps."""

    ends: tuple[int, ...]
    judged: _Judged
    tick: Callable[[], None]
    seen: dict[int, float]

    def look(self, step: int, at: Floats) -> None:
        """Measure where a step led, if it is one of those."""
        self.tick()
        if step in self.ends:
            self.seen[step] = self.judged(at)
