"""How far a judge's scores are from people's, on some questions."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aeollm.measures import kendall
from aeollm.tables import Key, Labels

Floats = NDArray[np.float64]
_TWO = 2


@dataclass(frozen=True)
class Split:
    """Questions to learn from, questions that decide what is kept, and questions that neither ever sees."""

    training: tuple[str, ...]
    held_out: tuple[str, ...]
    untouched: tuple[str, ...]


def split_questions(questions: Iterable[str], shares: tuple[float, float], seed: int) -> Split:
    """Deal questions out by a hash of their names, so that a question's part is the same on every machine.

    Parameters
    ----------
    shares : of the questions held out, and untouched; at least one each, where there are three or more.
    """
    named = {question: hashlib.sha256(f"{seed}\0{question}".encode("utf-8", "surrogatepass")) for question in questions}
    dealt = sorted(named, key=lambda question: named[question].digest())
    held = min(max(round(shares[0] * len(dealt)), 1), len(dealt) - 1)
    left = len(dealt) - held - 1
    untouched = min(max(round(shares[1] * len(dealt)), 1), left) if left > 0 and shares[1] > 0 else 0
    return Split(tuple(dealt[held + untouched :]), tuple(dealt[:held]), tuple(dealt[held : held + untouched]))


@dataclass(frozen=True)
class Compared:
    """A judge's and people's scores of the same answers, shape (answers, dimensions); nan where there is none."""

    keys: tuple[Key, ...]
    dimensions: tuple[str, ...]
    judge: Floats
    people: Floats

    @property
    def missing(self) -> int:
        """Count the answers without a score of the judge."""
        return int(np.isnan(self.judge).all(axis=1).sum())

    def rows(self, question: str) -> list[int]:
        """Give a question's rows."""
        return [row for row, key in enumerate(self.keys) if key[0] == question]


def compared(
    scores: Mapping[Key, Sequence[float]], keys: Sequence[Key], dimensions: tuple[str, ...], labels: Labels
) -> Compared:
    """Put a judge's scores beside the labels', for the dimensions that have labels."""
    own = tuple(name for name in dimensions if name in labels.dimensions)
    taken = [dimensions.index(name) for name in own]
    places = [labels.dimensions.index(name) for name in own]
    nothing = [np.nan] * len(dimensions)
    judge = np.array([scores.get(key, nothing) for key in keys], dtype=np.float64).reshape(len(keys), -1)[:, taken]
    rows = [labels.index[key] for key in keys]
    people = np.where(labels.given, labels.scores.values, np.nan)[rows][:, places]
    return Compared(tuple(keys), own, judge, people)


def order_loss(table: Compared) -> float | None:
    """Give 1 less the mean Kendall tau-b over questions and dimensions, 0 (alike) to 2 (reversed); None for none.

    A question whose scores are all alike has no tau: it counts as 0, so that scoring nothing apart is no way out.
    """
    taus: list[float] = []
    for question in dict.fromkeys(key[0] for key in table.keys):
        rows = table.rows(question)
        for d in range(len(table.dimensions)):
            judge, people = table.judge[rows, d], table.people[rows, d]
            both = ~np.isnan(judge) & ~np.isnan(people)
            if both.sum() < _TWO or len(np.unique(people[both])) < _TWO:
                continue
            tau = float(kendall(judge[both], people[both]))
            taus.append(0.0 if np.isnan(tau) else tau)
    return 1 - float(np.mean(taus)) if taus else None


def error_loss(table: Compared) -> float | None:
    """Give the root mean squared difference, in points; None where nothing can be compared."""
    differences = (table.judge - table.people)[~np.isnan(table.judge - table.people)]
    return float(np.sqrt(np.mean(differences**2))) if len(differences) else None


def largest_errors(table: Compared, count: int) -> list[int]:
    """Give the rows where the judge's place within its question differs most from people's, the worst first."""
    worst = np.zeros(len(table.keys))
    for question in dict.fromkeys(key[0] for key in table.keys):
        rows = table.rows(question)
        gaps = np.abs(_standard(table.judge[rows]) - _standard(table.people[rows]))
        worst[rows] = np.nansum(gaps, axis=1)
    order = np.argsort(-worst, kind="stable")
    return [int(row) for row in order[:count] if worst[row] > 0]


def _standard(values: Floats) -> Floats:
    """Take a question's scores apart from their mean and spread; 0 where they are all alike."""
    result = np.full_like(values, np.nan)
    for d in range(values.shape[1]):
        given = ~np.isnan(values[:, d])
        if given.any():
            own = values[given, d] - values[given, d].mean()
            result[given, d] = own / own.std() if own.std() > 0 else 0.0
    return result
