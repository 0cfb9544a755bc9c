"""What labels alone decide: the scores of judges that know nothing, and the most that one without ties can reach."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aeollm.agreement.batches import ranked_together
from aeollm.tables import Policy

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class References:
    """Scores of reference judges by measure, arrays of shape (..., questions); nan is undefined.

    ``random`` is expected of a judge without ties that orders answers by chance; ``constant`` gives all answers
    one score; ``tie_free_maximum`` is the best that a judge without ties can reach on these labels.
    """

    random: Mapping[str, Floats]
    constant: Mapping[str, Floats]
    tie_free_maximum: Mapping[str, Floats]

    def means(self, policy: Policy | None = None) -> dict[str, dict[str, Floats]]:
        """Average over questions under a policy, as scores are; arrays of shape (...)."""
        average = (policy or Policy()).average
        return {
            kind: {measure: _means(values, average) for measure, values in getattr(self, kind).items()}
            for kind in ("random", "constant", "tie_free_maximum")
        }


def reference_scores(labels: ArrayLike) -> References:
    """Give the scores of reference judges, from nothing but the ties of the labels.

    With a share t of a question's pairs tied by people, a judge without ties agrees by chance on (1 - t) / 2 of
    the pairs and has rho and tau 0 on average; a constant one agrees on t, without rho and tau; and an order without
    ties that contradicts no one reaches accuracy 1 - t, tau sqrt(1 - t), and as rho the ratio of the standard
    deviations of the labels' average ranks and of 1, ..., n.

    Parameters
    ----------
    labels : array_like, shape (..., questions, answers)
        Human scores, nan where an answer is missing. Equal numbers tie: hand in whole numbers or ranks where
        weighted totals must tie exactly.

    Examples
    --------
    >>> found = reference_scores([[7, 7, 8]])
    >>> round(float(found.random["accuracy"][0]), 3), round(float(found.constant["accuracy"][0]), 3)
    (0.333, 0.333)
    """
    (ranking,) = ranked_together(labels)
    n = ranking.sizes.astype(np.float64)
    pairs = n * (n - 1) / 2
    tied = np.divide(ranking.tied_pairs, pairs, out=np.full(pairs.shape, np.nan), where=pairs > 0)
    ordered = tied < 1
    undefined = np.full(pairs.shape, np.nan)
    chance = np.where(ordered, 0.0, np.nan)
    # Ranks are held doubled and centred; those of 1, ..., n have the sum of squares n (n^2 - 1) / 3.
    squares = (ranking.centred.astype(np.float64) ** 2).sum(axis=-1)
    spread = np.divide(squares, n * (n**2 - 1) / 3, out=np.full(pairs.shape, np.nan), where=ordered)
    return References(
        random={"spearman": chance, "kendall": chance, "accuracy": (1 - tied) / 2},
        constant={"spearman": undefined, "kendall": undefined, "accuracy": tied},
        tie_free_maximum={
            "spearman": np.sqrt(spread),
            "kendall": np.sqrt(np.where(ordered, 1 - tied, np.nan)),
            "accuracy": 1 - tied,
        },
    )


def _means(values: Floats, average: Callable[[list[float]], float | None]) -> Floats:
    rows = values.reshape(-1, values.shape[-1]).tolist()
    means = [math.nan if (mean := average(row)) is None else mean for row in rows]
    return np.array(means, dtype=np.float64).reshape(values.shape[:-1])
