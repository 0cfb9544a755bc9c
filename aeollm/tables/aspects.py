"""Annotators' scores of the aspects that make up a subjective dimension."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from aeollm.errors import Problem
from aeollm.tables.inputs import Key

AspectKey = tuple[Key, str, str]
"""(question, answer), annotator, aspect."""


@dataclass(frozen=True, eq=False)
class AspectRatings:
    """One score an annotator and aspect, and what an aspect weighs in a document.

    ``weights`` is None where the file has none: all aspects then weigh the same. ``digest`` is the SHA-256 of the
    file.
    """

    name: str
    digest: str
    aspects: tuple[str, ...]
    annotators: tuple[str, ...]
    scores: Mapping[AspectKey, Fraction]
    weights: Mapping[tuple[Key, str], Fraction] | None
    problems: tuple[Problem, ...] = ()

    @property
    def keys(self) -> tuple[Key, ...]:
        """List the answers in the order of their first row."""
        return tuple(dict.fromkeys(key for key, _, _ in self.scores))
