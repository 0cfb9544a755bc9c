"""What a judge thinks of texts, as probabilities of answers, and what people answered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from aeollm.errors import Problem


@dataclass(frozen=True, eq=False)
class Opinions:
    """An automatic judge's probabilities of the allowed answers, by text and criterion.

    ``probabilities`` has shape (texts, criteria, most options); it is nan where the file has no row for (text,
    criterion) and where a criterion has fewer options. What is missing to a sum of 1 is the judge's mass outside the
    options, kept as such. Options are the answers 1 to ``n_options[c]``. ``digest`` is the SHA-256 of the file.
    """

    name: str
    digest: str
    texts: tuple[str, ...]
    criteria: tuple[str, ...]
    n_options: tuple[int, ...]
    probabilities: NDArray[np.float64]
    problems: tuple[Problem, ...] = ()

    def __len__(self) -> int:
        """Count the texts."""
        return len(self.texts)

    @property
    def signed(self) -> str:
        """Give name and version as a signature names them."""
        return _signed(self.name, self.digest)

    @cached_property
    def index(self) -> Mapping[str, int]:
        """Map a text to its row."""
        return {text: row for row, text in enumerate(self.texts)}

    @cached_property
    def options(self) -> Mapping[str, int]:
        """Map a criterion to how many options it has."""
        return dict(zip(self.criteria, self.n_options, strict=True))

    def expected(self) -> NDArray[np.float64]:
        """Give the mean answer over the mass inside the options, shape (texts, criteria); nan where absent.

        >>> one = Opinions("a", "", ("t",), ("Q0",), (2,), np.array([[[0.25, 0.5]]]))
        >>> one.expected().tolist()
        [[1.6666666666666667]]
        """
        held = np.nansum(self.probabilities, axis=2)
        options = np.arange(1, self.probabilities.shape[2] + 1, dtype=np.float64)
        weighted = np.nansum(self.probabilities * options, axis=2)
        expected: NDArray[np.float64] = np.divide(weighted, held, out=np.full_like(held, np.nan), where=held > 0)
        return expected


@dataclass(frozen=True, eq=False)
class Answers:
    """People's answers, one row for every time that a judge answered on a text.

    ``values`` has shape (rows, criteria), 0 where no answer was given, else the answer from 1 on. ``texts`` and
    ``judges`` name every row's; the same pair may stand in several rows. ``lines`` holds the rows' lines in the
    file, for messages (empty for tables made in memory). ``digest`` is the SHA-256 of the file.
    """

    name: str
    digest: str
    texts: tuple[str, ...]
    judges: tuple[str, ...]
    criteria: tuple[str, ...]
    values: NDArray[np.int64]
    lines: tuple[int, ...] = ()
    problems: tuple[Problem, ...] = ()

    def __len__(self) -> int:
        """Count the rows."""
        return len(self.texts)

    @cached_property
    def judge_order(self) -> tuple[str, ...]:
        """List the judges in the order of their first row."""
        return tuple(dict.fromkeys(self.judges))

    @property
    def signed(self) -> str:
        """Give name and version as a signature names them."""
        return _signed(self.name, self.digest)


def _signed(name: str, digest: str) -> str:
    return f"{name}@{digest[:8]}".replace("|", "%7C")
