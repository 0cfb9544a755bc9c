"""How long judges take: as assumed, or as they were measured on this page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from aeollm.judging import Spent
from aeollm.methods import Estimated, seconds_of

ASSUMED, BY_TOKENS, MEASURED = "j_time_assumed", "j_time_by_tokens", "j_time_measured"


@dataclass
class Pace:
    """What calls took, by who was asked: seconds a call of each recipe, and seconds a token that is read.

    Calls of one recipe are alike, so that they are counted; those of another one may be ten times as long, so that
    what is read is. How much another recipe's judges will write is not known, and most replies are far from the most.
    """

    calls: dict[tuple[str, str], float] = field(default_factory=dict)
    tokens: dict[str, float] = field(default_factory=dict)

    def learn(self, who: str, recipe: str, spent: Spent, seconds: float) -> None:
        """Take in what calls took in all, those of the same time added up."""
        if spent.calls and seconds:
            self.calls[who, recipe] = seconds / spent.calls
            self.tokens[who] = seconds / max(spent.usage.prompt, 1)

    def seconds(self, who: str, recipe: str, rows: Sequence[Estimated], at_once: int) -> tuple[float, str]:
        """Give the time that calls take, so many at once, and the word for how it is known."""
        pace, known = self.calls.get((who, recipe)), MEASURED
        if pace is None and who in self.tokens:
            read, calls = sum(own.prompt for own in rows), sum(own.calls for own in rows)
            pace, known = self.tokens[who] * read / max(calls, 1), BY_TOKENS
        return seconds_of(rows, at_once, pace), ASSUMED if pace is None else known
