"""Runs, labels and rubrics as tables. Ids are text; the key of an answer is (question, answer)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from aeollm.decimals import Decimal, Decimals
from aeollm.errors import Problem
from aeollm.tables.frames import (
    criteria_of_frame,
    digest_of_frame,
    frame_of_labels,
    frame_of_rubrics,
    frame_of_run,
    labels_of_frame,
    run_of_frame,
)
from aeollm.tables.names import DIMENSIONS, OVERALL

if TYPE_CHECKING:
    import pandas as pd

Key = tuple[str, str]


@dataclass(frozen=True, eq=False)
class Run:
    """One judge's scores, in the order of its file.

    ``scores`` has shape (rows, dimensions); ``lines`` holds the line of every row, for messages;
    ``digest`` is the SHA-256 of the file.
    """

    name: str
    digest: str
    tasks: tuple[str, ...]
    questions: tuple[str, ...]
    answers: tuple[str, ...]
    dimensions: tuple[str, ...]
    scores: Decimals
    lines: tuple[int, ...]
    problems: tuple[Problem, ...] = ()

    def __len__(self) -> int:
        """Count the answers scored."""
        return len(self.answers)

    def keys(self) -> Iterable[Key]:
        """Give (question, answer) of every row."""
        return zip(self.questions, self.answers, strict=True)

    def to_frame(self) -> pd.DataFrame:
        """Give a frame in the columns of a run file: ids as text, scores as float64."""
        return frame_of_run(self)

    @classmethod
    def from_frame(cls, frame: pd.DataFrame, name: str = "frame") -> Run:
        """Take ``questionId``, ``answerId`` and ``*_score`` columns (``taskId`` optional).

        A float64 stands for its shortest decimal. Coverage is checked when the run is scored.

        Raises
        ------
        ValueError
            For missing columns, ids that are not text or whole numbers, duplicate keys, or scores
            that are not finite numbers.
        """
        return cls(name=name, **run_of_frame(frame))


@dataclass(frozen=True, eq=False)
class Labels:
    """Human scores of one label set; without dimensions it is a list of keys (an unlabelled test set).

    ``scores`` and ``given`` have shape (rows, dimensions); where ``given`` is False the cell was blank.
    ``revision`` is a Hub commit, None elsewhere; ``digest`` the SHA-256 of the file.
    """

    name: str
    source: str
    revision: str | None
    digest: str
    questions: tuple[str, ...]
    answers: tuple[str, ...]
    dimensions: tuple[str, ...]
    scores: Decimals
    given: NDArray[np.bool_]
    demo: bool = False
    problems: tuple[Problem, ...] = ()

    def __len__(self) -> int:
        """Count the answers."""
        return len(self.answers)

    @property
    def labelled(self) -> bool:
        """Say whether there are human scores, not only keys."""
        return bool(self.dimensions)

    @property
    def views(self) -> tuple[str, ...]:
        """Name the overall view, then the dimensions."""
        return (OVERALL, *self.dimensions)

    @property
    def run_dimensions(self) -> tuple[str, ...]:
        """Name the score columns that a run for these labels has."""
        return self.dimensions or DIMENSIONS

    @property
    def signed(self) -> str:
        """Give name and version as a signature names them."""
        version = self.revision or self.digest[:8]
        return f"{self.name}@{version}".replace("|", "%7C")

    @cached_property
    def index(self) -> Mapping[Key, int]:
        """Map (question, answer) to its row."""
        return {key: row for row, key in enumerate(zip(self.questions, self.answers, strict=True))}

    @cached_property
    def question_order(self) -> tuple[str, ...]:
        """List the questions in the order of their first row."""
        return tuple(dict.fromkeys(self.questions))

    @cached_property
    def question_numbers(self) -> NDArray[np.intp]:
        """Give, for every row, its question's place in `question_order`."""
        place = {question: number for number, question in enumerate(self.question_order)}
        return np.array([place[question] for question in self.questions], dtype=np.intp)

    @cached_property
    def grid(self) -> NDArray[np.intp]:
        """Give the rows of every question, shape (questions, most answers); -1 is padding."""
        rows: dict[str, list[int]] = {question: [] for question in self.question_order}
        for row, question in enumerate(self.questions):
            rows[question].append(row)
        widest = max((len(members) for members in rows.values()), default=0)
        padded = [[*members, *[-1] * (widest - len(members))] for members in rows.values()]
        return np.array(padded, dtype=np.intp).reshape(len(rows), widest)

    def to_frame(self) -> pd.DataFrame:
        """Give a frame in the columns of a labels file: ids as text, blank cells as nan."""
        return frame_of_labels(self)

    @classmethod
    def from_frame(cls, frame: pd.DataFrame, name: str = "frame") -> Labels:
        """Take ``questionId``, ``answerId`` and ``*_score`` columns; nan is a blank cell, no score column a key list.

        Raises
        ------
        ValueError
            For missing columns, ids that are not text or whole numbers, duplicate keys, or infinite
            scores.
        """
        return cls(name=name, source="frame", **labels_of_frame(frame))


@dataclass(frozen=True, slots=True)
class Criterion:
    """One criterion of a dimension, with its weight as written."""

    text: str
    explanation: str
    weight: Decimal


@dataclass(frozen=True, slots=True, eq=False)
class Rubrics:
    """Dimension weights, prompts and criteria, by question and dimension.

    ``digest`` is a SHA-256 over names and contents of the files.
    """

    digest: str
    weights: Mapping[str, Mapping[str, Decimal]]
    prompts: Mapping[str, str]
    criteria: Mapping[str, Mapping[str, Sequence[Criterion]]]
    problems: tuple[Problem, ...] = ()

    @property
    def signed(self) -> str:
        """Give the version as a signature names it."""
        return f"rubric@{self.digest[:8]}"

    def to_frame(self) -> pd.DataFrame:
        """Give one row a criterion: question, prompt, dimension and its weight, criterion and its weight."""
        return frame_of_rubrics(self)

    @classmethod
    def from_frame(cls, frame: pd.DataFrame) -> Rubrics:
        """Take back the columns that `to_frame` gives; the digest is that of the frame.

        Raises
        ------
        ValueError
            For missing columns, or weights that are not finite numbers.
        """
        weights: dict[str, dict[str, Decimal]] = {}
        prompts: dict[str, str] = {}
        criteria: dict[str, dict[str, list[Criterion]]] = {}
        for (question, dimension), prompt, share, criterion in criteria_of_frame(frame):
            prompts[question] = prompt
            weights.setdefault(question, {})[dimension] = share
            criteria.setdefault(question, {}).setdefault(dimension, []).append(Criterion(*criterion))
        return cls(digest_of_frame(frame), weights, prompts, criteria)
