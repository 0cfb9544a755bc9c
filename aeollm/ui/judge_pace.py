"""How long judges take: as assumed, or as they were measured on this page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from aeollm.judging import Spent
from aeollm.methods import Estimated
from aeollm.methods.estimating import READS, WRITES

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
        calls = sum(own.calls for own in rows)
        assumed = sum(own.prompt / READS + own.completion / WRITES for own in rows)
        whole, known = assumed, ASSUMED
        if (who, recipe) in self.calls:
            whole, known = calls * self.calls[who, recipe], MEASURED
        elif who in self.tokens:
            whole, known = sum(own.prompt for own in rows) * self.tokens[who], BY_TOKENS
        return whole / max(min(at_once, calls), 1), known
