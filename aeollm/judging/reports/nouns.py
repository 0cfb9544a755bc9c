"""Reports as a table."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from aeollm.errors import Problem
from aeollm.judging.tokens import estimate_tokens
from aeollm.tables import Key


@dataclass(frozen=True)
class Report:
    """One report as Markdown; ``source`` is its file, with the line where a table holds many."""

    question: str
    answer: str
    text: str
    source: str

    @property
    def key(self) -> Key:
        """Give (question, answer)."""
        return self.question, self.answer

    @cached_property
    def tokens(self) -> int:
        """Estimate its tokens."""
        return estimate_tokens(self.text)


@dataclass(frozen=True, eq=False)
class Reports:
    """All reports that can be judged, in the order of their names, and what is wrong with the others."""

    name: str
    reports: tuple[Report, ...]
    problems: tuple[Problem, ...] = ()

    def __len__(self) -> int:
        """Count the reports."""
        return len(self.reports)

    def __iter__(self) -> Iterator[Report]:
        """Give the reports."""
        return iter(self.reports)

    @cached_property
    def by_key(self) -> Mapping[Key, Report]:
        """Map (question, answer) to its report."""
        return {report.key: report for report in self.reports}

    @cached_property
    def digest(self) -> str:
        """Give a SHA-256 over ids and texts, whatever the order."""
        whole = hashlib.sha256()
        for report in sorted(self.reports, key=lambda report: report.key):
            for part in (*report.key, report.text):
                whole.update(hashlib.sha256(part.encode("utf-8", "surrogatepass")).digest())
        return whole.hexdigest()
