"""Run files against one label set: what the command line, the page and the endpoint all show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from aeollm.errors import Problem
from aeollm.files import Inspection, inspect_run
from aeollm.scoring import examine_labels, score_runs
from aeollm.sources import LabelSet
from aeollm.tables import Labels, Policy, Scores, signature


@dataclass(frozen=True, slots=True)
class Result:
    """One run file: how it was read, and its scores where it was accepted and there are labels."""

    inspection: Inspection
    scores: Scores | None
    signature: str

    @property
    def name(self) -> str:
        """Give the file name."""
        return self.inspection.name

    @property
    def accepted(self) -> bool:
        """Say whether the run was accepted."""
        return self.inspection.run is not None

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Give everything found, errors first."""
        return self.scores.problems if self.scores is not None else self.inspection.problems

    def to_json(self, *, per_question: bool = False) -> dict[str, Any]:
        """Give this run's object of the documented JSON shape."""
        if self.scores is not None:
            return self.scores.to_json(per_question=per_question)
        found, of = self.inspection.coverage
        return {
            "name": self.name,
            "file_sha256": self.inspection.digest,
            "accepted": self.accepted,
            "partial": self.accepted and found < of,
            "coverage": {"answers": found, "of": of},
            "problems": [problem.to_json() for problem in self.problems],
            "scores": None,
            "near_ties": 0,
            "signature": self.signature,
            "float64": None,
            "questions": None,
        }


@dataclass(frozen=True, slots=True)
class Evaluation:
    """All run files handed in together, with what is to be said about the labels."""

    label_set: LabelSet
    policy: Policy
    results: tuple[Result, ...]
    label_problems: tuple[Problem, ...]

    @property
    def signature(self) -> str:
        """Give what all results share."""
        return signature(self.label_set.labels.signed, self.label_set.weights_signed, self.policy)

    def to_json(self, *, per_question: bool = False) -> dict[str, Any]:
        """Give the documented JSON object (README, "JSON")."""
        labels = self.label_set.labels
        return {
            "signature": self.signature,
            "labels": {
                "name": labels.name,
                "source": labels.source,
                "revision": labels.revision,
                "questions": len(labels.question_order),
                "answers": len(labels),
                "problems": [problem.to_json() for problem in self.label_problems],
            },
            "runs": [result.to_json(per_question=per_question) for result in self.results],
        }


def evaluate(
    files: Iterable[tuple[str | Path | bytes, str | None]],
    label_set: LabelSet,
    policy: Policy | None = None,
    *,
    scored: bool = True,
) -> Evaluation:
    """Inspect run files and score together those that are accepted.

    Parameters
    ----------
    files : (path or bytes, name to show or None) of each.
    label_set : labels and rubrics; a key list is only checked against.
    policy : the paper's by default.
    scored : False validates only.
    """
    policy = policy or Policy()
    labels = label_set.labels
    inspections = [inspect_run(path, labels, policy, name=name) for path, name in files]
    scores: list[Scores | None] = [None] * len(inspections)
    found = list(labels.problems) + list(label_set.rubrics.problems if label_set.rubrics is not None else ())
    if labels.labelled:
        accepted = [place for place, inspection in enumerate(inspections) if inspection.run is not None]
        runs = [run for inspection in inspections if (run := inspection.run) is not None]
        for place, own in zip(accepted, score_runs(runs, labels, label_set.rubrics, policy), strict=True):
            scores[place] = own
        found += examine_labels(labels, label_set.rubrics)
    elif scored:
        found.append(_unlabelled(labels))
    results = [
        _result(inspection, own, label_set, policy, scored=scored)
        for inspection, own in zip(inspections, scores, strict=True)
    ]
    return Evaluation(label_set, policy, tuple(results), tuple(found))


def _unlabelled(labels: Labels) -> Problem:
    message = f"{labels.name} lists {len(labels)} answers without human scores: runs can be checked, not scored."
    return Problem("error", "no_scores", message, "Choose labels with human scores.")


def _result(
    inspection: Inspection, scores: Scores | None, label_set: LabelSet, policy: Policy, *, scored: bool
) -> Result:
    found, of = inspection.coverage
    partial = inspection.run is not None and found < of
    signed = signature(label_set.labels.signed, label_set.weights_signed, policy, inspection.digest, partial=partial)
    if scored or scores is None:
        return Result(inspection, scores, signed)
    return Result(replace(inspection, problems=scores.problems), None, signed)


def failed_json(policy: Policy, name: str, source: str, problems: Sequence[Problem]) -> dict[str, Any]:
    """Give the documented JSON object for labels or rubrics that could not be had."""
    return {
        "signature": signature(f"{name}@none".replace("|", "%7C"), "none", policy),
        "labels": {
            "name": name,
            "source": source,
            "revision": None,
            "questions": 0,
            "answers": 0,
            "problems": [problem.to_json() for problem in problems],
        },
        "runs": [],
    }


def distinct(names: Sequence[str], taken: Sequence[str] = ()) -> list[str]:
    """Tell equal names apart by a number, also from names that are taken.

    >>> distinct(["run.txt", "run.txt"])
    ['run.txt', 'run.txt (2)']
    """
    shown = list(taken)
    for name in names:
        number, candidate = 1, name
        while candidate in shown:
            number += 1
            candidate = f"{name} ({number})"
        shown.append(candidate)
    return shown[len(taken) :]


def distinct_files(paths: Sequence[str | Path]) -> list[str]:
    """Name files by as little of the ends of their paths as tells them apart.

    The very same path has the same name again: see `distinct`.

    >>> distinct_files(["runs/holistic/run.txt", "runs/pairwise/run.txt", "runs/good.txt"])
    ['holistic/run.txt', 'pairwise/run.txt', 'good.txt']
    """
    whole = [Path(path).parts or (str(path),) for path in paths]
    ends = Counter(end for parts in set(whole) for end in _ends(parts))
    shown = [next((end for end in _ends(parts) if ends[end] == 1), parts) for parts in whole]
    return [Path(*parts).as_posix() for parts in shown]


def _ends(parts: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    return (parts[-count:] for count in range(1, len(parts) + 1))
