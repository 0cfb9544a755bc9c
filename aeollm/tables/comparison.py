"""Runs compared on the same questions: means with intervals, every pair's difference and test, families of tests."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aeollm.tables.comparison_json import comparison_of_json
from aeollm.tables.names import MEASURES, SCORE_SUFFIX
from aeollm.tables.plan import Plan

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

_TAKEN = ("name", "signature", "partial", "a", "b")
"""Keys of a run or a pair in JSON that are no view."""
_NONE_AS_ZERO = ("cluster", "questions_needed")


@dataclass(frozen=True, eq=False)
class RunFigures:
    """Every run's mean over its defined questions, arrays of shape (runs, views, measures); nan is undefined.

    ``questions`` counts the defined ones; ``cluster`` counts from 1, the best, and is 0 where the mean is
    undefined; ``degenerate`` marks intervals of questions that all have the same value.
    """

    mean: Floats
    low: Floats
    high: Floats
    cluster: Ints
    questions: Ints
    resamples_left_out: Ints
    degenerate: Bools


@dataclass(frozen=True, eq=False)
class PairFigures:
    """Every pair's difference ``a - b``, arrays of shape (pairs, views, measures); nan is undefined.

    Over the ``questions`` defined for both, ``dropped`` being the rest; ``headline_difference`` is that of
    the runs' means where it is another number, nan elsewhere. ``exact`` is said of ``p``; ``smallest_p`` is
    the smallest that so many questions can give. ``detectable`` is the smallest true difference shown
    with the plan's power (nan where no difference can be); ``questions_needed`` takes the difference
    seen for the true one, which is optimistic (0: no number can be given).
    """

    difference: Floats
    low: Floats
    high: Floats
    p: Floats
    p_adjusted: Floats
    exact: Bools
    questions: Ints
    wins: Ints
    ties: Ints
    losses: Ints
    detectable: Floats
    questions_needed: Ints
    smallest_p: Floats
    dropped: Ints
    headline_difference: Floats
    resamples_left_out: Ints
    degenerate: Bools


@dataclass(frozen=True, eq=False)
class FamilyFigures:
    """All pairs in one view and measure, arrays of shape (views, measures); nan is undefined.

    ``questions`` are complete: defined for every run that has any; ``pairs`` are those that could be tested;
    the smallest p and adjusted p are what so many questions and runs can give at best.
    """

    questions: Ints
    pairs: Ints
    smallest_p: Floats
    smallest_p_adjusted: Floats


@dataclass(frozen=True, eq=False)
class Comparison:
    """Runs compared on the same questions.

    ``values`` has shape (runs, views, measures, questions), nan where undefined, and is all that is needed to
    compute the comparison again with further runs. Pairs are those of `pair_names`: all, in the order of the runs.
    ``signature`` is what the runs' ``signatures`` share.
    """

    signature: str
    plan: Plan
    names: tuple[str, ...]
    signatures: tuple[str, ...]
    views: tuple[str, ...]
    questions: tuple[str, ...]
    values: Floats
    runs: RunFigures
    pairs: PairFigures
    families: FamilyFigures
    demo: bool = False

    @cached_property
    def pair_names(self) -> tuple[tuple[str, str], ...]:
        """Name the two runs of every pair."""
        return tuple(combinations(self.names, 2))

    @property
    def undefined(self) -> str:
        """Give the policy for undefined questions, as the signature says."""
        return signature_parts(self.signature).get("undefined", "skip")

    def place(self, view: str, measure: str) -> tuple[int, int]:
        """Give the place of a view and a measure in the arrays."""
        return self.views.index(view), MEASURES.index(measure)

    def run_reason(self, run: int, view: int, measure: int) -> str | None:
        """Say in words why a run's mean or its interval is undefined; None where both are there."""
        if not math.isnan(self.runs.low[run, view, measure]):
            return None
        defined, of = int(self.runs.questions[run, view, measure]), len(self.questions)
        if math.isnan(self.runs.mean[run, view, measure]):
            return f"undefined in {of - defined} of {of} questions" if defined else "no defined question"
        return "one defined question" if defined == 1 else "no resample with a defined question"

    def pair_reason(self, pair: int, view: int, measure: int) -> str | None:
        """Say in words why a pair's difference or its interval is undefined; None where both are there."""
        if not math.isnan(self.pairs.low[pair, view, measure]):
            return None
        reasons = {0: "no question defined for both", 1: "one question defined for both"}
        return reasons.get(int(self.pairs.questions[pair, view, measure]), "no resample with a defined question")

    def to_json(self) -> dict[str, Any]:
        """Give the documented JSON object (README, "JSON"); `from_json` takes it back."""
        pairs = len(self.pair_names)
        return {
            "signature": self.signature,
            "seed": self.plan.seed,
            "resamples": self.plan.resamples,
            "family": f"all {pairs} pairs of runs in one view and measure" if pairs > 1 else None,
            "interval": self.plan.interval,
            "correction": self.plan.correction,
            "alpha": self.plan.alpha,
            "power": self.plan.power,
            "smallest_p": _smallest(self.families.smallest_p),
            "smallest_p_adjusted": _smallest(self.families.smallest_p_adjusted),
            "demo": self.demo,
            "views": list(self.views),
            "questions": list(self.questions),
            "families": self._by_view(_cells(self.families)),
            "runs": self._runs_json(),
            "pairs": self._pairs_json(),
        }

    @classmethod
    def from_json(cls, content: object) -> Comparison:
        """Take back what `to_json` gave.

        Raises
        ------
        ValueError
            If the object is none that `to_json` gives, saying where it departs from it.
        """
        taken = comparison_of_json(content, TABLES, _key)
        plan = Plan(**taken.pop("plan"))
        figures = {name: table(**taken.pop(name)) for name, table in TABLES.items()}
        return cls(plan=plan, **figures, **taken)

    def _runs_json(self) -> list[dict[str, Any]]:
        cells, values = _cells(self.runs), _plain(self.values)
        return [
            {"name": name, "signature": signed, "partial": signature_parts(signed).get("partial") == "yes"}
            | self._by_view(
                [
                    [
                        cell | {"reason": self.run_reason(r, v, m), "values": values[r][v][m]}
                        for m, cell in enumerate(row)
                    ]
                    for v, row in enumerate(cells[r])
                ]
            )
            for r, (name, signed) in enumerate(zip(self.names, self.signatures, strict=True))
        ]

    def _pairs_json(self) -> list[dict[str, Any]]:
        cells = _cells(self.pairs)
        return [
            {"a": a, "b": b}
            | self._by_view(
                [
                    [_pair_cell(cell, self.pair_reason(k, v, m)) for m, cell in enumerate(row)]
                    for v, row in enumerate(cells[k])
                ]
            )
            for k, (a, b) in enumerate(self.pair_names)
        ]

    def _by_view(self, cells: list[list[dict[str, Any]]]) -> dict[str, dict[str, Any]]:
        return {_key(view): dict(zip(MEASURES, row, strict=True)) for view, row in zip(self.views, cells, strict=True)}


TABLES: Mapping[str, type[Any]] = {"runs": RunFigures, "pairs": PairFigures, "families": FamilyFigures}


def signature_parts(signature: str) -> dict[str, str]:
    """Take a signature apart into what it says of labels, weights, ties and the rest."""
    return dict(part.split("=", 1) for part in signature.split("|") if "=" in part)


def _key(view: str) -> str:
    """Name a view in JSON; labels may have a dimension ``a``, whose key would be taken by a run's name."""
    bare = view
    while bare.endswith(SCORE_SUFFIX):
        bare = bare.removesuffix(SCORE_SUFFIX)
    # Whatever ends like the name given here moves on with it, so that no two views share a key.
    return view + SCORE_SUFFIX if bare in _TAKEN else view


def _smallest(values: Floats) -> float | None:
    defined = values[~np.isnan(values)]
    return float(defined.min()) if defined.size else None


def _pair_cell(cell: dict[str, Any], reason: str | None) -> dict[str, Any]:
    if cell["headline_difference"] is None:
        del cell["headline_difference"]
    return cell | {"reason": reason}


def _cells(figures: RunFigures | PairFigures | FamilyFigures) -> Any:  # noqa: ANN401  nested lists of depth 2 or 3
    """Give the figures as nested lists with one dictionary a cell."""
    names = [field.name for field in fields(figures)]
    columns = [_plain(getattr(figures, name), none_as_zero=name in _NONE_AS_ZERO) for name in names]
    return _zipped(names, columns, getattr(figures, names[0]).ndim)


def _zipped(names: list[str], columns: list[Any], depth: int) -> Any:  # noqa: ANN401  as above
    if depth == 0:
        return dict(zip(names, columns, strict=True))
    return [_zipped(names, list(row), depth - 1) for row in zip(*columns, strict=True)]


def _plain(array: NDArray[Any], *, none_as_zero: bool = False) -> Any:  # noqa: ANN401  nested lists
    """Give an array as nested lists with None where it is nan, or 0 if that stands for none."""
    if array.dtype.kind != "f" and not none_as_zero:
        return array.tolist()
    absent = array == 0 if none_as_zero else np.isnan(array)
    boxed = array.astype(object)
    boxed[absent] = None
    return boxed.tolist()
