"""The live leaderboard: a function of what is stored, the labels, the phase and the time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from aeollm.submissions.figures import Aggregate, Rounded
from aeollm.submissions.phases import Phase, Team
from aeollm.submissions.records import Submission
from aeollm.tables import MEASURES, OVERALL

ORDER = (
    "By overall Spearman as shown, then overall Kendall, then overall accuracy; equal ones by the earlier submission, "
    "then by team. Participants come first, baselines after them."
)
"""The order of rows, in words. It goes by the rounded values, so that it tells nothing that they do not."""
BEST_NOTE = "Best run of each team, chosen on these very labels: its score is optimistic."


@dataclass(frozen=True, slots=True)
class Entry:
    """One submission of a team as the leaderboard tells it: no id, which is its owners' to know."""

    submitted: datetime
    method: str
    description: str
    aggregate: Aggregate | None


@dataclass(frozen=True, slots=True)
class BoardRow:
    """A team's row: the entry that counts, all of its entries by time, and its rank (None for baselines).

    Teams with the same overall values share a rank. ``entry.aggregate`` is None while results are withheld.
    """

    rank: int | None
    team: str
    name: str
    baseline: bool
    entry: Entry
    history: tuple[Entry, ...]

    @property
    def runs(self) -> int:
        """Count the team's submissions."""
        return len(self.history)


@dataclass(frozen=True, slots=True)
class LiveBoard:
    """A phase's leaderboard at one state of the store.

    ``released`` False: rows say who submitted how often, without values, by team. ``note`` is to be shown with it.
    """

    phase: Phase
    released: bool
    decimals: int
    views: tuple[str, ...]
    rows: tuple[BoardRow, ...]
    submissions: int
    demo: bool
    order: str = ORDER
    note: str = ""


@dataclass(frozen=True, slots=True)
class Scored:
    """A submission with its rounded figures; None while they are withheld."""

    submission: Submission
    aggregate: Aggregate | None

    @property
    def entry(self) -> Entry:
        """Give what may be told of it."""
        known = self.submission
        return Entry(known.received, known.method, known.description, self.aggregate)


def chosen(runs: Sequence[Scored], phase: Phase) -> Scored:
    """Choose the run of a team that counts: its latest, or its best by rounded values, the earlier of equal ones."""
    if phase.counts == "best" and runs[0].aggregate is not None:
        return min(runs, key=lambda run: (_standing(run.aggregate), run.submission.order))
    return max(runs, key=lambda run: run.submission.order)


def by_team(scored: Sequence[Scored]) -> dict[str, list[Scored]]:
    """Part submissions by team, each by time."""
    teams: dict[str, list[Scored]] = {}
    for run in sorted(scored, key=lambda run: run.submission.order):
        teams.setdefault(run.submission.team, []).append(run)
    return teams


def ranked(counting: Sequence[Scored], histories: dict[str, list[Scored]], teams: Sequence[Team]) -> list[BoardRow]:
    """Put the runs that count in order, and give their rows.

    A team that has left the roster keeps its row under its id.
    """
    roster = {team.id: team for team in teams}
    known = [roster.get(run.submission.team, Team(run.submission.team, run.submission.team)) for run in counting]
    pairs = sorted(
        zip(counting, known, strict=True),
        key=lambda pair: (pair[1].baseline, _standing(pair[0].aggregate), _earlier(pair[0]), pair[1].id),
    )
    standings = [_standing(run.aggregate) for run, team in pairs if not team.baseline]
    rows = []
    for run, team in pairs:
        hidden = team.baseline or run.aggregate is None
        rank = None if hidden else standings.index(_standing(run.aggregate)) + 1
        history = tuple(other.entry for other in histories[team.id])
        rows.append(BoardRow(rank, team.id, team.name, team.baseline, run.entry, history))
    return rows


def _earlier(run: Scored) -> tuple[datetime, str] | None:
    # While values are withheld the order is by team alone: no key of time, which is the same for all then.
    return None if run.aggregate is None else run.submission.order


def _standing(aggregate: Aggregate | None) -> tuple[tuple[bool, int], ...]:
    """Give what runs are ordered by, the best first; an undefined value stands behind all others."""
    if aggregate is None:
        return ()
    return tuple(_descending(aggregate.mean(OVERALL, measure)) for measure in MEASURES)


def _descending(number: Rounded | None) -> tuple[bool, int]:
    return (True, 0) if number is None else (False, -number.units)
