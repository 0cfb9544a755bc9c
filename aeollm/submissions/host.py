"""An evaluation with hidden labels, as the page and the command line see it: one object, plain values in and out."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Literal

from aeollm.errors import HostingError, Problem, SubmissionError, UsageError, printable
from aeollm.sources import Settings
from aeollm.submissions.board import LiveBoard
from aeollm.submissions.fields import check_fields, refuse_large, split_file_name
from aeollm.submissions.figures import Aggregate
from aeollm.submissions.folder import Store
from aeollm.submissions.hidden import Check, HiddenLabels, Shelf
from aeollm.submissions.hiding import is_from_private_place, is_private_place, local_places
from aeollm.submissions.phases import Phase, Team, current_phase, shown_decimals, teams_of
from aeollm.submissions.quota import (
    Allowance,
    admission_problems,
    allowance,
    no_such_phase,
    not_on_roster,
    not_open,
)
from aeollm.submissions.records import Receipt, Submission, new_id, sealed
from aeollm.submissions.scoreboard import UNSCORED, Scoreboard
from aeollm.submissions.settings import HostSettings
from aeollm.tables import Labels
from aeollm.version import __version__

Clock = Callable[[], datetime]
OwnState = Literal["stored", "received", "refused"]


@dataclass(frozen=True, slots=True)
class Draft:
    """What somebody hands in; ``account`` is who is logged in, None for nobody (a local demo)."""

    phase: str
    team: str
    account: str | None
    file_name: str
    content: bytes
    method: str = ""
    description: str = ""


@dataclass(frozen=True, slots=True)
class OwnSubmission:
    """A submission as its own team sees it.

    ``aggregate`` is None while results are withheld or the submission is not stored for good; ``reason`` says why
    one was refused after all, or has no results.
    """

    submission: Submission
    state: OwnState
    aggregate: Aggregate | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Submitted:
    """What became of a draft that was taken; the receipt is None as long as it is not stored for good."""

    own: OwnSubmission
    check: Check
    receipt: Receipt | None


def utc_now() -> datetime:
    """Give the time, in UTC."""
    return datetime.now(UTC)


class Host:
    """A hosted evaluation. Every method may be called from any thread; errors are AeollmErrors, fit to be shown."""

    def __init__(self, settings: HostSettings, store: Store, clock: Clock = utc_now) -> None:
        self._settings = settings
        self._clock = clock
        self._shelf = Shelf(settings)
        self._store = store
        self._scoreboard = Scoreboard(self._shelf, self._store, settings.phases, settings.teams)

    @property
    def demo(self) -> bool:
        """Say whether this is the demo, which asks for no account."""
        return self._settings.demo

    @property
    def phases(self) -> tuple[Phase, ...]:
        """Give the phases, as configured."""
        return self._settings.phases

    @property
    def private_paths(self) -> tuple[Path, ...]:
        """Give the local files and folders that nothing may serve."""
        return tuple(place.resolve() for place in local_places(self._settings))

    def hides_place(self, settings: Settings) -> bool:
        """Say whether settings for public labels lead to where labels or submissions are kept; nothing is read."""
        return is_private_place(self._settings, settings)

    def hides(self, labels: Labels) -> bool:
        """Say whether labels must be shown nowhere: those kept hidden here, or others with the same scores.

        Raises
        ------
        HostingError
            If the hidden labels cannot be had for now, so that it cannot be told.
        """
        if labels.demo:
            return False
        names = dict.fromkeys(phase.labels for phase in self.phases)
        return is_from_private_place(self._settings, labels) or any(self._shelf.get(n).told_by(labels) for n in names)

    def now(self) -> datetime:
        """Give the time that everything here goes by, in UTC."""
        return self._clock()

    def phase(self, phase_id: str) -> Phase:
        """Give a phase by its id.

        Raises
        ------
        UsageError
            If there is none.
        """
        for phase in self.phases:
            if phase.id == phase_id:
                return phase
        raise UsageError("phase", [no_such_phase(phase_id, self.phases)])

    def current_phase(self) -> Phase:
        """Give the phase to show first."""
        return current_phase(self.phases, self.now())

    def decimals(self, phase_id: str) -> int:
        """Give the decimals that are shown of a phase now."""
        return shown_decimals(self.phase(phase_id), self.phases, self.now())

    def teams_of(self, account: str | None) -> tuple[Team, ...]:
        """Give the teams that an account may submit for; in the demo everybody may for every team."""
        return self._settings.teams if self.demo else teams_of(account, self._settings.teams)

    def _team(self, team_id: str, account: str | None) -> Team:
        """Give a team that the account may act for."""
        for team in self.teams_of(account):
            if team.id == team_id:
                return team
        other = self.teams_of(account)
        named = Team(printable(team_id, 80), "") if other else None
        raise SubmissionError("submission", [not_on_roster(account and printable(account, 80), named)])

    def allowance(self, team_id: str, phase_id: str) -> Allowance:
        """Give what a team has left in a phase, counting what is stored and what is still on its way."""
        return allowance(self.phase(phase_id), team_id, self._known(), self.now())

    def check(self, content: bytes, file_name: str, phase_id: str) -> Check:
        """Check a file's form and coverage, for anybody; nothing is counted, stored or scored.

        Raises
        ------
        HostingError
            If the labels cannot be had for now.
        SubmissionError
            If the file is too large to be looked at.
        """
        refuse_large(content, file_name)
        return self._labels(phase_id).check(content, printable(check_fields(file_name, "", "")[0].file_name, 255))

    def submit(self, draft: Draft) -> Submitted:
        """Check, count, store and, where results are live, score a submission.

        Raises
        ------
        SubmissionError
            With everything that is wrong; nothing is counted or stored then.
        HostingError
            If the labels or the store cannot be had for now.
        """
        team, phase = self._team(draft.team, draft.account), self.phase(draft.phase)
        fields, problems = check_fields(draft.file_name, _method(draft), draft.description)
        name = printable(fields.file_name, 255)
        if phase.standing(self.now()) != "open":
            raise SubmissionError(name, [not_open(phase, self.now()), *problems])
        check = self.check(draft.content, draft.file_name, draft.phase)
        received = self.now()
        submission = Submission(
            id=new_id(received),
            phase=phase.id,
            team=team.id,
            account=draft.account or "",
            received=received,
            file_name=fields.file_name,
            method=fields.method,
            description=fields.description,
            digest=sha256(draft.content).hexdigest(),
            size=len(draft.content),
            signature=self._labels(phase.id).signature(phase.policy, check.digest),
        )
        problems = [*problems, *admission_problems(phase, submission, self._known())]
        if problems or not check.accepted:
            raise SubmissionError(name, [*problems, *check.problems])
        state = self._store.add(submission, draft.content)
        if state == "received":
            return Submitted(OwnSubmission(submission, state), check, None)
        own = OwnSubmission(submission, state)
        with contextlib.suppress(HostingError):  # it is stored, whatever happens while it is scored
            [own] = self._stored([submission])
        return Submitted(own, check, sealed(submission, self._settings.key))

    def own(self, account: str | None, team_id: str) -> list[OwnSubmission]:
        """List a team's submissions in all phases, the newest first.

        Raises
        ------
        SubmissionError
            If the account does not belong to the team.
        """
        team = self._team(team_id, account)
        stored, waiting, refused = self._store.entries(), self._store.waiting(), self._store.refused()
        found = self._stored([submission for submission in stored if submission.team == team.id])
        ids = {known.submission.id for known in found}
        late = [submission for submission in waiting if submission.team == team.id and submission.id not in ids]
        found += [OwnSubmission(submission, "received") for submission in late]
        found += [OwnSubmission(s, "refused", reason=why) for s, why in refused.values() if s.team == team.id]
        return sorted(found, key=lambda known: known.submission.order, reverse=True)

    def receipt(self, account: str | None, submission_id: str) -> Receipt:
        """Give the receipt of a stored submission of one of the account's teams.

        Raises
        ------
        SubmissionError
            If there is none: the id of another team's looks like one that does not exist.
        """
        mine = {team.id for team in self.teams_of(account)}
        for submission in self._store.entries():
            if submission.id == submission_id and submission.team in mine:
                return sealed(submission, self._settings.key)
        message = f"your team has no stored submission {printable(submission_id, 60)!r}."
        remedy = "A submission that was received but not yet stored has no receipt yet."
        raise SubmissionError("receipt", [Problem("error", "unknown_submission", message, remedy)])

    def board(self, phase_id: str) -> LiveBoard:
        """Give a phase's leaderboard as the store has it now.

        Raises
        ------
        HostingError
            If the labels or the store cannot be had for now.
        """
        return self._scoreboard.board(self.phase(phase_id), self.now())

    def read_labels(self) -> list[Problem]:
        """Read all label sets now; give, for the organisers, what is wrong with those that cannot be had."""
        for phase in self.phases:
            with contextlib.suppress(HostingError):
                self._shelf.get(phase.labels)
        return self._shelf.troubles()

    def health(self) -> dict[str, object]:
        """Give version, phases, label sets and the state of the store, without secrets; "ok" where all is well."""
        phases = {phase.id: phase.standing(self.now()) for phase in self.phases}
        store = self._store_health()
        well = self._shelf.complete and not store["trouble"]
        known = {"version": __version__, "demo": self.demo, "ok": well, "phases": phases}
        return {**known, "labels": self._shelf.states(), "store": store}

    def _store_health(self) -> dict[str, object]:
        try:
            told = self._store.health()
        except HostingError as error:
            return {"trouble": error.problems[0].message}
        unfit = self._scoreboard.unfit()
        trouble = f"no runs for the labels of their phase: {', '.join(unfit)}" if unfit else ""
        return {**told._asdict(), "trouble": told.trouble or trouble}

    def _known(self) -> tuple[Submission, ...]:
        return (*self._store.entries(), *self._store.waiting())

    def _stored(self, stored: Sequence[Submission]) -> list[OwnSubmission]:
        told = self._scoreboard.told(stored, self.now())
        reasons = {own: UNSCORED for own, aggregate in told.items() if aggregate is None}
        return [OwnSubmission(known, "stored", told.get(known.id), reasons.get(known.id, "")) for known in stored]

    def _labels(self, phase_id: str) -> HiddenLabels:
        return self._shelf.get(self.phase(phase_id).labels)


def _method(draft: Draft) -> str:
    return draft.method if draft.method.strip() else split_file_name(draft.file_name).method or ""
