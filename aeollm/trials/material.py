"""What a calibration is tried on: files read and joined, and everything there is to say about that."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from hashlib import sha256
from pathlib import Path

import numpy as np

from aeollm.calibration import Examples, from_opinions, from_run
from aeollm.errors import AeollmError, Problem, UsageError, printable
from aeollm.files import read_answers, read_opinions
from aeollm.sources import DEMO_FOLDER
from aeollm.tables import Annotations, Answers, Labels, Opinions, Run, exchanged_hints, join

Files = tuple[tuple[Path, str], tuple[Path, str]]
"""Opinions and answers, each a file and the name to show for it."""


DEMO_PAIR: Files = (
    (DEMO_FOLDER / "llm-rubric" / "opinions.tsv", "opinions.tsv"),
    (DEMO_FOLDER / "llm-rubric" / "answers.tsv", "answers.tsv"),
)
"""The bundled example, which is simulated."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How files of opinions and answers are read.

    ``rename`` is for the answers that are scored (those of the test where there are any), ``train_rename`` for those
    learnt from beside a test; ``options`` tells how many options criteria have; ``missing`` are the cells that stand
    for no answer.
    """

    rename: Mapping[str, str] = field(default_factory=dict)
    train_rename: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, int] = field(default_factory=dict)
    missing: Collection[str] = ("0",)


@dataclass(frozen=True, slots=True)
class Pair:
    """Opinions and answers of one set of texts; ``how`` names what was not read as it stands, as signatures do."""

    opinions: Opinions
    answers: Answers
    how: str = ""

    @property
    def targets(self) -> tuple[str, ...]:
        """Name the criteria with both, in the order of the opinions."""
        return tuple(name for name in self.opinions.criteria if name in self.answers.criteria)


@dataclass(frozen=True, eq=False)
class Material:
    """Rows to learn from and, where they are others, rows to be scored on.

    ``signed`` names the inputs as a signature does; ``demo`` marks simulated ones. ``problems`` says what was left out
    and what looks odd. ``pairs`` are the files of opinions and answers to learn from and, where there is one, of the
    test; ``run`` is the AEOLLM run whose scores are calibrated to ``labels`` (or to annotators, without labels).
    """

    train: Examples
    test: Examples | None
    signed: str
    demo: bool
    problems: tuple[Problem, ...]
    pairs: tuple[Pair, Pair | None] | None = None
    run: Run | None = None
    labels: Labels | None = None

    @property
    def targets(self) -> tuple[str, ...]:
        """Name what could be the target."""
        return tuple(name for name in self.train.targets if self.test is None or name in self.test.targets)

    @property
    def pair(self) -> Pair | None:
        """Give the files that are scored."""
        return None if self.pairs is None else self.pairs[1] or self.pairs[0]

    def aimed_at(self, target: str) -> Material:
        """Join the same files for another target.

        Raises
        ------
        UsageError
            If nobody answered it.
        """
        if self.pairs is not None:
            return of_pairs(*self.pairs, target)
        if self.run is not None and self.labels is not None:
            return of_run(self.run, self.labels, target)
        return replace(self, train=self.train.aimed_at(target))

    def without_test(self) -> Material:
        """Leave the test out, to try folds of what is learnt from."""
        return self if self.pairs is None else of_pairs(self.pairs[0], None, self.train.target)


def read_pairs(train: Files, test: Files | None, reading: Reading) -> tuple[Pair, Pair | None]:
    """Read opinions and answers to learn from and, where named, to be scored on.

    Raises
    ------
    AeollmError
        With the problems of all files together.
    """
    refused: list[AeollmError] = []
    own = reading.rename if test is None else reading.train_rename
    first = _read(train, reading, own, None, refused)
    like = first.opinions if first is not None else None
    second = None if test is None else _read(test, reading, reading.rename, like, refused)
    if len(refused) == 1:
        raise refused[0]
    if refused or first is None:
        problems = [_of_file(error.source, problem) for error in refused for problem in error.problems]
        raise UsageError(f"{len(refused)} files", problems)
    there = dict.fromkeys(name for pair in (first, second) if pair is not None for name in pair.opinions.criteria)
    if unknown := [name for name in reading.options if name not in there]:
        message = f"no opinions are about {printable(', '.join(unknown))}, whose number of options is given."
        remedy = f"There are opinions about {printable(', '.join(there), 200)}."
        raise UsageError("options", [Problem("error", "unknown_criterion", message, remedy, value=unknown[0])])
    return first, second


def _read(
    files: Files, reading: Reading, rename: Mapping[str, str], like: Opinions | None, refused: list[AeollmError]
) -> Pair | None:
    """Read one pair; ``like`` are the training opinions, whose numbers of options hold."""
    known = dict(zip(like.criteria, like.n_options, strict=True)) if like is not None else {}
    (opinions, shown), (answers, also_shown) = files
    ours = theirs = None
    try:
        ours = read_opinions(opinions, name=shown, options=known | dict(reading.options))
    except AeollmError as error:
        refused.append(error)
    try:
        theirs = read_answers(answers, ours, name=also_shown, rename=rename, missing=reading.missing)
    except AeollmError as error:
        refused.append(error)
    if ours is None or theirs is None:
        return None
    told = {"renamed": rename, "options": reading.options}
    how = [f"{name}={'+'.join(f'{old}>{new}' for old, new in pairs.items())}" for name, pairs in told.items() if pairs]
    how += [f"missing={'+'.join(reading.missing)}"] if tuple(reading.missing) != Reading().missing else []
    return Pair(ours, theirs, "".join(f"|{part.replace('|', '%7C')}" for part in how))


def _of_file(name: str, problem: Problem) -> Problem:
    return replace(problem, message=f"{printable(name, 60)}: {problem.message}")


def of_pairs(train: Pair, test: Pair | None, target: str) -> Material:
    """Join opinions and answers for a target.

    Raises
    ------
    UsageError
        If there is nothing to join, or no such target.
    """
    examples = from_opinions(train.opinions, train.answers, target)
    problems = _said(train, target)
    signed = f"opinions={train.opinions.signed}|answers={train.answers.signed}{train.how}"
    scored = None
    if test is not None:
        scored = from_opinions(test.opinions, test.answers, target)
        problems += _said(test, target) + exchanged_hints(test.answers, train.answers)
        signed += f"|test-opinions={test.opinions.signed}|test-answers={test.answers.signed}{test.how}"
    demo = not _demo_digests().isdisjoint(_digests(train) + (_digests(test) if test is not None else ()))
    return Material(examples, scored, signed, demo, tuple(problems), pairs=(train, test))


@cache
def _demo_digests() -> frozenset[str]:
    return frozenset(sha256(path.read_bytes()).hexdigest() for path, _ in DEMO_PAIR)


def _digests(pair: Pair) -> tuple[str, str]:
    return pair.opinions.digest, pair.answers.digest


def of_run(run: Run, labels: Labels, target: str) -> Material:
    """Join a run's scores with labels for a target dimension.

    Raises
    ------
    UsageError
        If there is nothing to join, or no such dimension.
    """
    examples = from_run(run, labels, target)
    unknown = len(run) - len(examples)
    problems = [*run.problems, *labels.problems]
    if unknown:
        message = f"{unknown} of {len(run)} answers of {printable(run.name)} are left out: no labels."
        problems.append(Problem("note", "dropped_text", message))
    blank = sum(value != value for value in examples.answered.tolist())
    if blank:
        message = f"{blank} of {len(examples)} answers have no label in {printable(target)}: left out."
        problems.append(Problem("note", "dropped_answer", message, column=target))
    signed = f"run={printable(run.name)}@{run.digest[:8]}|labels={labels.signed}"
    return Material(examples, None, signed, labels.demo, tuple(problems), run=run, labels=labels)


def of_annotated_run(run: Run, annotations: Annotations, target: str) -> Material:
    """Join a run's scores with single annotators' ratings for a target dimension: every annotator is a judge.

    Raises
    ------
    UsageError
        If there is nothing to join, no such dimension, or the ratings name no questions.
    """
    if target not in annotations.dimensions:
        known = ", ".join(map(printable, annotations.dimensions))
        raise _refused("unknown_target", f"there is no target {printable(target)!r}.", f"Known are {known}.")
    if annotations.questions is None:
        raise _refused("no_questions", "the ratings name no questions.", "Add the column questionId.")
    place = {key: row for row, key in enumerate(run.keys())}
    keys = list(zip(annotations.questions, annotations.items, strict=True))
    rated = ~np.isnan(annotations.table(target))
    rows = [(i, j) for i, j in np.argwhere(rated).tolist() if keys[i] in place]
    if not rows:
        raise _refused("nothing_joined", "no rated answer is in the run.", "Name the run that was made for them.")
    scored = [place[keys[i]] for i, _ in rows]
    examples = Examples(
        texts=tuple("\t".join(keys[i]) for i, _ in rows),
        groups=tuple(keys[i][0] for i, _ in rows),
        judges=tuple(annotations.annotators[j] for _, j in rows),
        inputs=run.dimensions,
        expected=run.scores.values[scored],
        probabilities=None,
        targets=annotations.dimensions,
        options=(0,) * len(annotations.dimensions),
        answers=np.array([annotations.ratings[i, j] for i, j in rows]),
        target=target,
    )
    problems = [*run.problems, *annotations.problems]
    if left := int(rated.sum()) - len(rows):
        message = f"{left} of {int(rated.sum())} ratings are left out: the run does not score their answers."
        problems.append(Problem("note", "dropped_text", message))
    signed = f"run={printable(run.name)}@{run.digest[:8]}|annotations={annotations.name}@{annotations.digest[:8]}"
    return Material(examples, None, signed, demo=False, problems=tuple(problems), run=run)


def _refused(kind: str, message: str, remedy: str) -> UsageError:
    return UsageError("calibrate", [Problem("error", kind, message, remedy)])


def _said(pair: Pair, target: str) -> list[Problem]:
    """Name the problems of both files and of their join, each with its file."""
    found = [(pair.opinions.name, problem) for problem in pair.opinions.problems]
    found += [(pair.answers.name, problem) for problem in pair.answers.problems]
    found += [(pair.answers.name, problem) for problem in join(pair.opinions, pair.answers, target).problems()]
    return [_of_file(name, problem) for name, problem in found]
