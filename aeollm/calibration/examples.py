"""What a calibrator learns from and answers for: rows of (text, judge) with inputs, and answers where known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from aeollm.errors import Problem, UsageError
from aeollm.tables import Answers, Labels, Opinions, Run

Floats = NDArray[np.float64]

NOBODY = ""
"""The judge of a row that asks for no person's answer: the part that all judges share."""
POOLED = "pooled"
"""The one judge of label sets, which name none."""


@dataclass(frozen=True, eq=False)
class Examples:
    """One row a (text, judge): inputs, and what was answered.

    ``groups`` names what folds keep together (the text; for runs the question). ``expected`` has shape (rows,
    inputs): the automatic judge's mean answer, or its decimal score; nan where absent. ``probabilities`` has shape
    (rows, inputs, most options), None for decimals. ``answers`` has shape (rows, targets), nan where missing: an
    answer from 1 to ``options`` of that target, or a decimal where ``options`` is 0.
    """

    texts: tuple[str, ...]
    groups: tuple[str, ...]
    judges: tuple[str, ...]
    inputs: tuple[str, ...]
    expected: Floats
    probabilities: Floats | None
    targets: tuple[str, ...]
    options: tuple[int, ...]
    answers: Floats
    target: str

    def __len__(self) -> int:
        """Count the rows."""
        return len(self.texts)

    @property
    def place(self) -> int:
        """Give the target's column in ``answers``."""
        return self.targets.index(self.target)

    @property
    def answered(self) -> Floats:
        """Give the answers to the target, nan where missing."""
        return np.asarray(self.answers[:, self.place])

    @property
    def own(self) -> Floats | None:
        """Give the automatic judge's probabilities of the target's answers, shape (rows, options), if it has any."""
        if self.probabilities is None or self.target not in self.inputs:
            return None
        return np.asarray(self.probabilities[:, self.inputs.index(self.target), : self.options[self.place]])

    def take(self, rows: NDArray[np.intp] | Sequence[int]) -> Examples:
        """Give some of the rows, in the order named."""
        kept = np.asarray(rows, dtype=np.intp)
        names = kept.tolist()
        texts, groups, judges = (
            tuple(column[row] for row in names) for column in (self.texts, self.groups, self.judges)
        )
        probabilities = None if self.probabilities is None else self.probabilities[kept]
        return replace(
            self,
            texts=texts,
            groups=groups,
            judges=judges,
            expected=self.expected[kept],
            probabilities=probabilities,
            answers=self.answers[kept],
        )

    def without(self, inputs: Iterable[str]) -> Examples:
        """Leave inputs out; what people answered stays.

        Raises
        ------
        UsageError
            If nothing would be left.
        """
        left_out = set(inputs)
        kept = [place for place, name in enumerate(self.inputs) if name not in left_out]
        if not kept:
            raise _refused("no_inputs", "No input is left to predict from.", "Leave fewer criteria out.")
        names = tuple(self.inputs[place] for place in kept)
        probabilities = None if self.probabilities is None else self.probabilities[:, kept]
        return replace(self, inputs=names, expected=self.expected[:, kept], probabilities=probabilities)

    def aimed_at(self, target: str) -> Examples:
        """Give the same rows with another target.

        Raises
        ------
        UsageError
            If nobody answered it.
        """
        _check_target(target, self.targets)
        return replace(self, target=target)


def from_opinions(opinions: Opinions, answers: Answers, target: str) -> Examples:
    """Join what the automatic judge thinks with what people answered: every answer row whose text has opinions.

    Rows without an answer to the target are kept: their other answers serve the network's first phase.

    Raises
    ------
    UsageError
        If no text has both, or the target was not answered or has no opinions.

    Examples
    --------
    >>> opinions = Opinions("o", "", ("a", "b"), ("Q0",), (2,), np.array([[[0.5, 0.5]], [[0.9, 0.1]]]))
    >>> answers = Answers("p", "", ("b", "c"), ("anna", "anna"), ("Q0",), np.array([[2], [1]]))
    >>> from_opinions(opinions, answers, "Q0").expected.tolist()
    [[1.1]]
    """
    options = dict(zip(opinions.criteria, opinions.n_options, strict=True))
    places = [place for place, name in enumerate(answers.criteria) if name in options]
    targets = tuple(answers.criteria[place] for place in places)
    _check_target(target, targets)
    rows = [row for row, text in enumerate(answers.texts) if text in opinions.index]
    if not rows:
        raise _refused(
            "nothing_joined",
            "No text has both opinions and answers.",
            "The two files name their texts in the column text_id: check that they name the same ones.",
        )
    texts = tuple(answers.texts[row] for row in rows)
    values = answers.values[np.ix_(rows, places)].astype(np.float64)
    values[values == 0] = np.nan
    part = np.array([opinions.index[text] for text in texts], dtype=np.intp)
    return Examples(
        texts=texts,
        groups=texts,
        judges=tuple(answers.judges[row] for row in rows),
        inputs=opinions.criteria,
        expected=opinions.expected()[part],
        probabilities=opinions.probabilities[part],
        targets=targets,
        options=tuple(options[name] for name in targets),
        answers=values,
        target=target,
    )


def cases_for(opinions: Opinions, target: str, judges: Sequence[str] | str = NOBODY) -> Examples:
    """Ask for every text's answer, by one judge or by each of several; `NOBODY` asks for the shared part."""
    _check_target(target, opinions.criteria)
    asked = (judges,) if isinstance(judges, str) else tuple(judges)
    part = np.tile(np.arange(len(opinions)), len(asked))
    texts = opinions.texts * len(asked)
    return Examples(
        texts=texts,
        groups=texts,
        judges=tuple(judge for judge in asked for _ in opinions.texts),
        inputs=opinions.criteria,
        expected=opinions.expected()[part],
        probabilities=opinions.probabilities[part],
        targets=opinions.criteria,
        options=opinions.n_options,
        answers=np.full((len(texts), len(opinions.criteria)), np.nan),
        target=target,
    )


def from_run(run: Run, labels: Labels, target: str) -> Examples:
    """Join a run's scores, as inputs, with labels: one pooled judge, folds by question.

    Raises
    ------
    UsageError
        If no answer has both, or the target is no dimension of the labels.
    """
    _check_target(target, labels.dimensions)
    pairs = [(row, labels.index[key]) for row, key in enumerate(run.keys()) if key in labels.index]
    if not pairs:
        raise _refused(
            "nothing_joined", "No answer has both scores and labels.", "Choose the labels that the run was made for."
        )
    ours, theirs = (np.array(side, dtype=np.intp) for side in zip(*pairs, strict=True))
    answers = np.where(labels.given[theirs], labels.scores.values[theirs], np.nan)
    asked = _asked_of_run(run, target)
    return replace(
        asked.take(ours),
        targets=labels.dimensions,
        options=(0,) * len(labels.dimensions),
        answers=answers,
    )


def cases_for_run(run: Run, target: str) -> Examples:
    """Ask for what people would give every answer of a run."""
    return _asked_of_run(run, target)


def _asked_of_run(run: Run, target: str) -> Examples:
    keys = run.keys()
    return Examples(
        texts=tuple(f"{question}\t{answer}" for question, answer in keys),
        groups=run.questions,
        judges=(POOLED,) * len(run),
        inputs=run.dimensions,
        expected=run.scores.values,
        probabilities=None,
        targets=(target,),
        options=(0,),
        answers=np.full((len(run), 1), np.nan),
        target=target,
    )


def _check_target(target: str, known: Sequence[str]) -> None:
    if target not in known:
        raise _refused("unknown_target", f"There is no target {target!r}.", f"Known are: {', '.join(known) or 'none'}.")


def _refused(kind: str, message: str, remedy: str) -> UsageError:
    return UsageError("calibration", [Problem("error", kind, message, remedy)])
