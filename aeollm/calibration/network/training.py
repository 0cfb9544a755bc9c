"""Pretraining on all targets, fine-tuning on one, each stopped where held-out texts say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aeollm.calibration.minimise import Loss, minimise
from aeollm.calibration.network.loss import Penalty, Reach, batch_of, bent, loss_and_gradient, probabilities
from aeollm.calibration.network.shape import Network, Shape, initial, only_head, read

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

STRENGTHS = (Penalty(10.0, Reach(0.6, 3.0)), Penalty(10.0, Reach(1.0, 3.0)), Penalty(3.0, Reach(0.6, 1.5)))
"""Against the summed log-likelihood. The last is for few answers that follow the inputs closely."""
KEPT = 2
"""How many of them the members of an ensemble share: the best by held-out texts."""
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
        return replace(self, x=self.x[rows], judges=self.judges[rows], classes=self.classes[rows])

    def loss(self, shape: Shape, penalty: Penalty) -> Loss:
        """Give the loss over the heads of a shape: all of them, or the target's alone."""
        classes = self.classes if len(shape.heads) == self.classes.shape[1] else self.classes[:, [self.target]]
        batch = batch_of(self.x, self.judges, classes, shape.judges)
        return lambda vector: loss_and_gradient(vector, shape, batch, penalty)


class Course(NamedTuple):
    """How a network is trained: the steps of each phase, and the penalty."""

    pretrain: int
    finetune: int
    penalty: Penalty


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
    """Train one network from a seeded start; ``each`` is called at every step. It has the target's head alone."""
    vector, alone = _pretrained(rows, shape, course, seed, each)
    if course.finetune:
        vector = minimise(rows.loss(alone, course.penalty), vector, course.finetune, lambda _step, _at: each())
    return read(vector, alone)


def _pretrained(
    rows: NetworkData, shape: Shape, course: Course, seed: Sequence[int], each: Callable[[], None]
) -> tuple[Floats, Shape]:
    """Take the steps of pretraining, then keep the target's head."""
    vector = initial(shape, rows.marginals, np.random.default_rng(list(seed)))
    if course.pretrain:
        vector = minimise(rows.loss(shape, course.penalty), vector, course.pretrain, lambda _step, _at: each())
    return only_head(vector, shape, rows.target)


@dataclass(frozen=True, eq=False)
class Plan:
    """What training may choose from, by which folds, from which seed; ``step`` is told the share done, often."""

    ends: Phases
    folds: Ints
    seed: Sequence[int]
    step: Callable[[float], None]


def choose_courses(rows: NetworkData, shape: Shape, plan: Plan) -> list[Course]:
    """Choose penalties and steps by the log-likelihood of held-out target answers, summed over folds; best first.

    For every penalty, pretraining is stopped where held-out texts of all folds together are predicted best, and
    fine-tuning likewise from there.
    """
    found: list[tuple[float, Course]] = []
    for number, penalty in enumerate(STRENGTHS):
        search = _Search(rows, shape, plan, penalty, partial(_part, plan.step, number))
        before = search.losses(0, plan.ends.pretrain, 0)
        pretrain = min(before, key=before.__getitem__)
        after = search.losses(1, plan.ends.finetune, pretrain)
        finetune = min(after, key=after.__getitem__)
        found.append((after[finetune], Course(pretrain, finetune, penalty)))
    return [course for _, course in sorted(found, key=lambda pair: pair[0])[:KEPT]]


def _part(step: Callable[[float], None], number: int, share: float) -> None:
    step((number + share) / len(STRENGTHS))


class _Search(NamedTuple):
    """Held-out losses along the way of one penalty."""

    rows: NetworkData
    shape: Shape
    plan: Plan
    penalty: Penalty
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
            held, seed = self.plan.folds == fold, [*self.plan.seed, fold]
            kept, tick = self.rows.only(~held), partial(self.step, share)
            if phase:
                course = Course(pretrain, 0, self.penalty)
                at, shape = _pretrained(kept, self.shape, course, seed, tick)
            else:
                at, shape = initial(self.shape, kept.marginals, np.random.default_rng(seed)), self.shape
            judged = self._judge_of(held, shape)
            way = _Way(ends, judged, tick, {0: judged(at)})
            last = minimise(kept.loss(shape, self.penalty), at, max(ends), way.look) if max(ends) else at
            for end in ends:
                total[end] += way.seen[end] if end in way.seen else judged(last)
        return total

    def _judge_of(self, held: NDArray[np.bool_], shape: Shape) -> _Judged:
        """Give what measures parameters on the held-out rows that answered the target."""
        answered = held & (self.rows.classes[:, self.rows.target] >= 0)
        part = self.rows.only(answered)
        batch = batch_of(part.x, part.judges, part.classes, shape.judges)
        classes, head = part.classes[:, part.target], part.target if len(shape.heads) > 1 else 0

        def judged(vector: Floats) -> float:
            given = probabilities(bent(read(vector, shape), self.penalty.reach), shape, batch)
            return -float(np.log(np.maximum(given[np.arange(len(classes)), head, classes], _LEAST)).sum())

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
