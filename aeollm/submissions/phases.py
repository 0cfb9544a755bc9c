"""Phases (dry run, formal run) and the roster of teams, as the organisers wrote them down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from aeollm.tables import Policy

Standing = Literal["upcoming", "open", "ended"]
Results = Literal["live", "withheld"]
Counts = Literal["latest", "best"]
Undefined = Literal["skip", "zero", "strict"]

MOST_DECIMALS = 4
"""Of whatever is told about hidden labels."""


@dataclass(frozen=True, slots=True)
class Phase:
    """A span of time in which runs are taken for one label set; all times are UTC.

    Attributes
    ----------
    title : by language, ``en`` at least.
    start, end : taken from ``start`` on, until before ``end``.
    labels : the name of the hidden label set.
    per_day, total : accepted submissions a team, in a UTC day and in the whole phase.
    decimals : of what is shown while the phase is open, 0 to 4; 4 afterwards.
    results : "live" shows them at once, "withheld" from ``release`` on (never, while there is none).
    counts : whether a team's "latest" or its "best" run stands in the leaderboard.
    undefined : what an undefined question does to a mean (`Policy`). "skip" is the paper's; it lets a run that is
        constant on all questions but one read that one alone, twenty times as sharply as "zero" does.
    """

    id: str
    title: Mapping[str, str]
    start: datetime
    end: datetime
    labels: str
    per_day: int = 5
    total: int = 50
    decimals: int = 3
    results: Results = "live"
    release: datetime | None = None
    counts: Counts = "latest"
    undefined: Undefined = "skip"

    @property
    def policy(self) -> Policy:
        """Give the policy under which runs of this phase are scored."""
        return Policy(undefined=self.undefined)

    def standing(self, now: datetime) -> Standing:
        """Say whether the phase is to come, open, or over."""
        if now < self.start:
            return "upcoming"
        return "open" if now < self.end else "ended"

    def released(self, now: datetime) -> bool:
        """Say whether results may be seen."""
        return self.results == "live" or (self.release is not None and now >= self.release)


def shown_decimals(phase: Phase, phases: Sequence[Phase], now: datetime) -> int:
    """Give the decimals that may be shown of a phase.

    A phase that still goes on (or is to come) on the same labels holds back those of one that is over.
    """
    same = [other.decimals for other in phases if other.labels == phase.labels and other.standing(now) != "ended"]
    return min([MOST_DECIMALS, *same])


def told_twice(phases: Sequence[Phase]) -> list[str]:
    """Say which phases give away, or add up, what others on the same labels are to protect."""
    live = [phase for phase in phases if phase.results == "live"]
    return [
        f"the phases {first.id} and {phase.id} have the same labels: results of {first.id} tell about both, and "
        f"{'the quotas add up' if phase.results == 'live' else f'withholding those of {phase.id} protects little'}."
        for place, phase in enumerate(phases)
        for first in live
        if first.labels == phase.labels and first != phase and (phase.results != "live" or first in phases[:place])
    ]


def current_phase(phases: Sequence[Phase], now: datetime) -> Phase:
    """Choose the phase to show first: the open one that ends first, else the next, else the last one."""
    is_open = [phase for phase in phases if phase.standing(now) == "open"]
    upcoming = [phase for phase in phases if phase.standing(now) == "upcoming"]
    if is_open:
        return min(is_open, key=lambda phase: phase.end)
    return min(upcoming, key=lambda phase: phase.start) if upcoming else max(phases, key=lambda phase: phase.end)


@dataclass(frozen=True, slots=True)
class Team:
    """An entry of the roster; ``accounts`` are the Hub accounts that submit for it, folded to lower case.

    A baseline is a team of the organisers that is shown apart and has no rank.
    """

    id: str
    name: str
    accounts: tuple[str, ...] = ()
    baseline: bool = False


def teams_of(account: str | None, teams: Sequence[Team]) -> tuple[Team, ...]:
    """Give the teams that an account may submit for: one, and any number of baselines; none without an account."""
    if not account:
        return ()
    return tuple(team for team in teams if account.casefold() in team.accounts)
