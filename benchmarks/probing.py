"""How much of hidden labels a determined team can learn from its scores: an attack, played against the real scoring.

    python benchmarks/probing.py [--seeds N] [--submissions N]

A set like a formal run: 20 questions of 16 answers. The team starts from an honest judge, and spends its submissions
on reading the human order, answer by answer: all questions are constant but one, on which a few answers stand out and
the rest ties. The scores shown then depend on the ranks of those few alone. Every assignment of ranks that fits the
numbers shown is weighed by what the judge says (Bayes); read at once are so many answers that the result is least
foreseeable. The last submission is the run made of all that was learnt; the table tells its true scores. Constant
questions are undefined: with "skip" the mean is that one question's value, with "zero" a twentieth of it. One overall
order is read; those of the four dimensions can be read beside it in the same submissions.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from itertools import permutations
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from aeollm import read_labels
from aeollm.sources import LabelSet
from aeollm.submissions.hidden import HiddenLabels
from aeollm.tables import MEASURES, OVERALL, Policy

QUESTIONS, ANSWERS = 20, 16
MOST_AT_ONCE = 4
NOISE = 1.05
"""Of the honest judge, in standard deviations of the human scores: an overall Spearman of about .66."""
KNOWN = 0.3
"""A rank whose posterior standard deviation is below this is taken as known."""
REPORTED = (0, 5, 12, 25, 50, 100, 200)

Floats = NDArray[np.float64]


@dataclass
class World:
    """Human scores, a judge, and the server that scores runs under a policy and shows so many decimals."""

    seed: int
    policy: Policy
    decimals: int
    human: Floats = field(init=False)
    judge: Floats = field(init=False)
    server: HiddenLabels = field(init=False)

    def __post_init__(self) -> None:
        """Draw the world."""
        rng = np.random.default_rng(self.seed)
        self.human = rng.normal(size=(QUESTIONS, ANSWERS))
        self.judge = self.human + NOISE * rng.normal(size=(QUESTIONS, ANSWERS))
        names = ("comprehensiveness", "insight", "instruction_following", "readability")
        header = ",".join(["questionId", "answerId", *(f"{name}_score" for name in names)])
        rows = [
            f"{q},{a},{','.join([repr(x)] * 4)}" for q, row in enumerate(self.human.tolist()) for a, x in enumerate(row)
        ]
        labels = read_labels("\n".join([header, *rows]).encode(), name="hidden")
        self.server = HiddenLabels(LabelSet(labels, None), "hidden", "key")

    def shown(self, scores: Floats, decimals: int | None = None) -> tuple[float | None, ...]:
        """Give what the server shows of a run: the overall means, rounded."""
        lines = (f"0 {q} {a}" + f" {x!r}" * 4 for q, row in enumerate(scores.tolist()) for a, x in enumerate(row))
        content = "\n".join(lines).encode()
        (found,) = self.server.aggregates([content], self.policy, self.decimals if decimals is None else decimals)
        means = (found.mean(OVERALL, measure) for measure in MEASURES)
        return tuple(None if mean is None else float(mean) for mean in means)


@cache
def assignments(count: int) -> NDArray[np.int64]:
    """List the ranks that ``count`` answers can have among all, shape (assignments, count)."""
    return np.array(list(permutations(range(1, ANSWERS + 1), count)), dtype=np.int64)


@cache
def predicted(count: int) -> Floats:
    """Give rho, tau-b and accuracy of a question for each assignment, shape (assignments, 3).

    The first of ``count`` answers stands highest in the run, then the next; the rest ties. No two human scores do.
    """
    ranks = assignments(count)
    own = np.full(ANSWERS, (ANSWERS - count + 1) / 2)
    own[:count] = np.arange(ANSWERS, ANSWERS - count, -1)
    middle = (ANSWERS + 1) / 2
    # The rest shares one rank, so that the sum of its human ranks is all that matters of it.
    product = ((ranks - middle) * (own[:count] - own[-1])).sum(axis=1)
    rho = product / np.sqrt(((own - middle) ** 2).sum() * ((np.arange(1, ANSWERS + 1) - middle) ** 2).sum())
    above = ranks[:, :, None] > ranks[:, None, :]
    beaten = (ranks - 1 - above.sum(axis=2)).sum(axis=1)  # of the rest, which all stand below in the run
    inside = np.triu(above, 1).sum(axis=(1, 2))
    concordant = beaten + inside
    untied, pairs = count * (ANSWERS - count) + count * (count - 1) // 2, ANSWERS * (ANSWERS - 1) // 2
    return np.stack([rho, (2 * concordant - untied) / np.sqrt(untied * pairs), concordant / pairs], axis=1)


@cache
def means(count: int, undefined: str) -> Floats:
    """Give the means over questions where all questions but one are constant, shape (assignments, 3)."""
    share = np.array([1.0, 1.0, 1 / QUESTIONS]) if undefined == "skip" else 1 / QUESTIONS
    return predicted(count) * share


@cache
def alike(count: int, undefined: str, decimals: int) -> NDArray[np.intp]:
    """Give equal numbers to assignments that look alike when they are rounded."""
    shown = np.round(means(count, undefined), decimals)
    return np.unique(shown, axis=0, return_inverse=True)[1].ravel()


@dataclass
class Attack:
    """What the team believes: for every answer a distribution over ranks."""

    world: World
    belief: Floats = field(init=False)

    def __post_init__(self) -> None:
        """Believe the judge, give or take four ranks."""
        own = rankdata(self.world.judge, axis=1)
        away = np.arange(1, ANSWERS + 1) - own[:, :, None]
        self.belief = np.exp(-0.5 * (away / 4.0) ** 2)
        self.belief /= self.belief.sum(axis=-1, keepdims=True)

    def mean(self) -> Floats:
        """Give the rank expected of every answer."""
        return self.belief @ np.arange(1, ANSWERS + 1)

    def spread(self, question: int) -> Floats:
        """Give the standard deviation of the ranks believed in."""
        ranks = np.arange(1, ANSWERS + 1)
        first, second = self.belief[question] @ ranks, self.belief[question] @ ranks**2
        return np.sqrt(np.maximum(second - first**2, 0))

    def probe(self) -> bool:
        """Spend one submission; False where nothing is left to learn."""
        for question in range(QUESTIONS):
            spread = self.spread(question)
            open_answers = np.argsort(-spread, kind="stable")[: int((spread > KNOWN).sum())]
            if len(open_answers):
                break
        else:
            return False
        counts = range(1, min(MOST_AT_ONCE, len(open_answers)) + 1)
        weighed = {count: self.weights(question, open_answers[:count]) for count in counts}
        count = max(counts, key=lambda count: self.surprise(weighed[count], count))
        chosen = open_answers[:count]
        scores = np.zeros((QUESTIONS, ANSWERS))
        scores[question, chosen] = np.arange(count, 0, -1)
        away = np.abs(means(count, self.world.policy.undefined) - np.array(self.world.shown(scores), dtype=float))
        posterior = weighed[count] * (away <= 0.5001 * 10.0**-self.world.decimals).all(axis=1)
        self.learn(question, chosen, posterior / posterior.sum())
        return True

    def weights(self, question: int, chosen: NDArray[np.intp]) -> Floats:
        """Give the belief in every assignment of ranks to the answers chosen."""
        ranks = assignments(len(chosen))
        weights = np.prod([self.belief[question, a][ranks[:, n] - 1] for n, a in enumerate(chosen)], axis=0)
        return weights / weights.sum()

    def surprise(self, weights: Floats, count: int) -> float:
        """Give the entropy, in bits, of what will be shown."""
        places = alike(count, self.world.policy.undefined, self.world.decimals)
        chances = np.bincount(places, weights=weights)
        chances = chances[chances > 0]
        return float(-(chances * np.log2(chances)).sum())

    def learn(self, question: int, chosen: NDArray[np.intp], posterior: Floats) -> None:
        """Take over the posterior; a rank that is taken is nobody else's."""
        ranks = assignments(len(chosen))
        for n, answer in enumerate(chosen):
            self.belief[question, answer] = np.bincount(ranks[:, n] - 1, weights=posterior, minlength=ANSWERS)
        taken = self.belief[question][self.spread(question) <= KNOWN].sum(axis=0)
        for answer in np.flatnonzero(self.spread(question) > KNOWN):
            left = self.belief[question, answer] * np.maximum(1 - taken, 1e-9)
            self.belief[question, answer] = left / left.sum()


def played(seed: int, undefined: str, decimals: int, most: int) -> Iterable[tuple[int, Floats]]:
    """Play one attack; give the true scores of the run made after so many submissions, that one included."""
    attack = Attack(World(seed, Policy(undefined=undefined), decimals))
    spent = 0
    for reported in (count for count in REPORTED if count <= most):
        while spent < reported - 1 and attack.probe():
            spent += 1
        run = attack.mean() if reported else attack.world.judge
        yield reported, np.array(attack.world.shown(run, 4), dtype=float)


def main() -> None:
    """Print a table: rows are settings, columns submissions; overall Spearman and accuracy of the run then made."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--submissions", type=int, default=REPORTED[-1])
    options = parser.parse_args()
    print("overall Spearman / accuracy after k submissions, mean over", options.seeds, "worlds")
    print("undefined decimals", *(f"{f'k={count}':>11}" for count in REPORTED if count <= options.submissions))
    for undefined in ("skip", "zero"):
        for decimals in (4, 3, 2, 1):
            games = [dict(played(seed, undefined, decimals, options.submissions)) for seed in range(options.seeds)]
            means = {count: np.mean([game[count] for game in games], axis=0) for count in games[0]}
            cells = (f"{means[count][0]:.3f}/{means[count][2]:.3f}" for count in means)
            print(f"{undefined:9} {decimals:8}", *(f"{cell:>11}" for cell in cells), flush=True)


if __name__ == "__main__":
    main()
