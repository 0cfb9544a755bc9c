"""What single annotators gave, before labels were made of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aeollm.errors import Problem


@dataclass(frozen=True, eq=False)
class Annotations:
    """Ratings of shape (items, annotators, dimensions), nan where an annotator did not rate an item.

    An item is an answer to a question; ``questions`` is None for files that tell no question. ``digest`` is the
    SHA-256 of the file.
    """

    name: str
    digest: str
    questions: tuple[str, ...] | None
    items: tuple[str, ...]
    annotators: tuple[str, ...]
    dimensions: tuple[str, ...]
    ratings: NDArray[np.float64]
    problems: tuple[Problem, ...] = ()

    def table(self, dimension: str) -> NDArray[np.float64]:
        """Give a dimension's ratings, shape (items, annotators)."""
        return self.ratings[:, :, self.dimensions.index(dimension)]
