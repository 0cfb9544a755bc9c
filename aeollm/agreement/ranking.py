"""How alike annotators rank the answers of a question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aeollm.agreement.batches import ranked_together
from aeollm.measures import compare, kendall_of


@dataclass(frozen=True, slots=True, eq=False)
class RankingAgreement:
    """Tau-b between every two annotators on every question, shape (pairs, questions); nan where undefined.

    ``pairs`` names the annotators by their columns; ``shared`` counts the answers both rated.
    """

    pairs: tuple[tuple[int, int], ...]
    questions: tuple[str, ...]
    kendall: NDArray[np.float64]
    shared: NDArray[np.int64]

    def mean(self, pair: int) -> tuple[float | None, int]:
        """Average a pair's tau over its defined questions, and count them."""
        defined = self.kendall[pair][~np.isnan(self.kendall[pair])]
        return (float(defined.mean()) if len(defined) else None), len(defined)


def ranking_agreement(ratings: ArrayLike, questions: Sequence[str]) -> RankingAgreement:
    """Give Kendall's tau-b between every two annotators, question by question.

    Undefined where an annotator gives all answers that both rated the same rating, or they share fewer than two.

    Parameters
    ----------
    ratings : array_like, shape (items, annotators)
        nan where an annotator did not rate the item.
    questions : the question of every item.

    Examples
    --------
    >>> found = ranking_agreement([[1, 2], [2, 4], [3, 3], [5, 5], [4, 4]], ["q1", "q1", "q1", "q2", "q2"])
    >>> found.kendall.round(3).tolist()
    [[0.333, 1.0]]
    """
    table = np.asarray(ratings, dtype=np.float64)
    order = tuple(dict.fromkeys(questions))
    place = {question: q for q, question in enumerate(order)}
    of_item = np.array([place[question] for question in questions], dtype=np.intp)
    sizes = np.bincount(of_item, minlength=len(order))
    grid = np.full((table.shape[1], len(order), int(sizes.max(initial=0))), np.nan)
    by_question = np.argsort(of_item, kind="stable")
    within = np.arange(len(of_item)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    grid[:, of_item[by_question], within] = table[by_question].T
    pairs = tuple(combinations(range(table.shape[1]), 2))
    first, second = ranked_together(grid[[a for a, _ in pairs]], grid[[b for _, b in pairs]])
    return RankingAgreement(pairs, order, kendall_of(compare(first, second)), first.sizes)
