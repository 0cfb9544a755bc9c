"""From stored submissions to figures that may be told: a team's own, and the leaderboard.

What is kept between calls holds no more than what was shown: rounded aggregates, and the boards made of them.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from aeollm.errors import HostingError
from aeollm.submissions.board import BEST_NOTE, LiveBoard, Scored, by_team, chosen, ranked
from aeollm.submissions.figures import Aggregate
from aeollm.submissions.folder import Store
from aeollm.submissions.hidden import Shelf
from aeollm.submissions.phases import Phase, Team, shown_decimals
from aeollm.submissions.records import Submission
from aeollm.tables import OVERALL

UNSCORED = "cannot be scored: its file in the store is damaged, or no run for the labels; the organisers see it"
_PATIENCE = 0.5
"""Seconds to wait for a leaderboard that somebody else has made."""
_WITHHELD = "Results are withheld until the organisers release them."


class Scoreboard:
    """Scores what is stored, each submission once for every number of decimals that it is shown with."""

    def __init__(self, shelf: Shelf, store: Store, phases: Sequence[Phase], teams: Sequence[Team]) -> None:
        self._shelf = shelf
        self._store = store
        self._phases = phases
        self._teams = teams
        self._aggregates: dict[tuple[str, int], Aggregate | None] = {}
        self._boards: dict[str, tuple[object, LiveBoard]] = {}
        self._lock = threading.Lock()

    def told(self, stored: Sequence[Submission], now: datetime) -> Mapping[str, Aggregate | None]:
        """Give figures by submission id, of those whose phase is known and released; None where there are none.

        Raises
        ------
        HostingError
            If labels cannot be had for now.
        """
        found: dict[str, Aggregate | None] = {}
        for phase in self._phases:
            members = [submission for submission in stored if submission.phase == phase.id]
            if members and phase.released(now):
                scored = self._scored(phase, members, shown_decimals(phase, self._phases, now))
                found |= dict.fromkeys(submission.id for submission in members)
                found |= {run.submission.id: run.aggregate for run in scored}
        return found

    def board(self, phase: Phase, now: datetime) -> LiveBoard:
        """Give a phase's leaderboard as the store has it now; it is made anew where that has changed.

        With many teams that takes seconds. Whoever asks meanwhile gets it as it was, so that one submission does not
        keep all visitors waiting.

        Raises
        ------
        HostingError
            If labels or store cannot be had for now.
        """
        stored = tuple(known for known in self._store.entries() if known.phase == phase.id)
        decimals = shown_decimals(phase, self._phases, now) if phase.released(now) else None
        kept = self._boards.get(phase.id)
        if not self._lock.acquire(timeout=-1 if kept is None else _PATIENCE) and kept is not None:
            return kept[1]
        try:
            return self._made(phase, stored, decimals)
        finally:
            self._lock.release()

    def _made(self, phase: Phase, stored: Sequence[Submission], decimals: int | None) -> LiveBoard:
        if decimals is None:
            scored = [Scored(submission, None) for submission in stored]
        else:
            scored = self._scored(phase, stored, decimals)
        # Damaged files are no part of it, until they are restored.
        state = (len(stored), tuple(run.submission.id for run in scored), decimals)
        kept = self._boards.get(phase.id)
        if kept is None or kept[0] != state:
            kept = (state, self._board(phase, scored, len(stored), decimals))
            self._boards[phase.id] = kept
        return kept[1]

    def unfit(self) -> list[str]:
        """Give the ids of stored files that were found to be no runs for the labels that their phase has now."""
        return sorted({known for (known, _), aggregate in dict(self._aggregates).items() if aggregate is None})

    def _board(self, phase: Phase, scored: Sequence[Scored], stored: int, decimals: int | None) -> LiveBoard:
        histories = by_team(scored)
        counting = [chosen(runs, phase) for runs in histories.values()]
        if decimals is not None:
            counting = self._compared(phase, counting, decimals)
        labels = self._shelf.get(phase.labels)
        return LiveBoard(
            phase=phase,
            released=decimals is not None,
            decimals=decimals or 0,
            views=(OVERALL, *labels.dimensions) if decimals is not None else (),
            rows=tuple(ranked(counting, histories, self._teams)),
            submissions=stored,
            demo=labels.demo,
            note=_WITHHELD if decimals is None else BEST_NOTE if phase.counts == "best" else "",
        )

    def _scored(self, phase: Phase, stored: Sequence[Submission], decimals: int) -> list[Scored]:
        """Score stored submissions, those together that were not scored before.

        Damaged files are left out, and those that are no runs for the labels.
        """
        new = self._contents(known for known in stored if (known.id, decimals) not in self._aggregates)
        if new:
            figures = self._shelf.get(phase.labels).aggregates(list(new.values()), phase.policy, decimals)
            self._aggregates |= {(known.id, decimals): own for known, own in zip(new, figures, strict=True)}
        found = [(known, self._aggregates.get((known.id, decimals))) for known in stored]
        return [Scored(known, aggregate) for known, aggregate in found if aggregate is not None]

    def _compared(self, phase: Phase, runs: Sequence[Scored], decimals: int) -> list[Scored]:
        """Give runs that were scored with intervals and clusters over all of them."""
        contents = self._contents(run.submission for run in runs)
        if not contents:
            return []
        figures = self._shelf.get(phase.labels).compared(list(contents.values()), phase.policy, decimals)
        return [Scored(known, aggregate) for known, aggregate in zip(contents, figures, strict=True)]

    def _contents(self, stored: Iterable[Submission]) -> dict[Submission, bytes]:
        """Give the files of submissions without the damaged ones, which the store's health tells."""
        found = {}
        for submission in stored:
            try:
                found[submission] = self._store.content(submission)
            except HostingError as error:
                if error.problems[0].kind != "store_damaged":
                    raise
        return found
