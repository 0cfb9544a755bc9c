"""A comparison that was saved as JSON, to be extended."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from aeollm.errors import Problem, UsageError
from aeollm.evaluation import distinct
from aeollm.files import Unreadable, open_source
from aeollm.resampling import extend
from aeollm.tables import Comparison, Plan, Scores


@dataclass(frozen=True, slots=True)
class Saved:
    """The comparison and the file it was in."""

    path: Path
    comparison: Comparison

    @classmethod
    def read(cls, path: Path) -> Saved:
        """Read what ``compare --json`` printed.

        Raises
        ------
        UsageError
            If the file cannot be opened, or is none of these.
        """
        remedy = "Name a file that `compare --json` printed."
        try:
            return cls(path, Comparison.from_json(json.loads(open_source(path).content)))
        except Unreadable as error:
            raise UsageError(str(path), [error.problem]) from None
        except (ValueError, RecursionError) as error:
            message, kind = f"no saved comparison ({error}).", "no_comparison"
        raise UsageError(str(path), [Problem("error", kind, message, remedy)])

    def known(self, scored: Sequence[Scores]) -> list[str]:
        """Name the runs that are in the comparison already: the same file, scored in the same way."""
        return [scores.name for scores in scored if scores.signature in self.comparison.signatures]

    def extended(self, scored: Sequence[Scores], plan: Plan) -> Comparison:
        """Add the runs that are not in it yet, and compute all again under a plan.

        Raises
        ------
        UsageError
            If they were not scored as the saved ones were.
        """
        new = [scores for scores in scored if scores.signature not in self.comparison.signatures]
        names = distinct([scores.name for scores in new], self.comparison.names)
        return extend(replace(self.comparison, plan=plan), new, names)
