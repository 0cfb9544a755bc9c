"""How many submissions a team has left; refused attempts are not stored, so that they do not count."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from aeollm.errors import Problem, SubmissionError, printable
from aeollm.submissions.phases import Phase, Team
from aeollm.submissions.records import Submission


@dataclass(frozen=True, slots=True)
class Allowance:
    """A team's quota in a phase, at one moment; ``renewed`` is when the next UTC day begins."""

    per_day: int
    left_today: int
    total: int
    left: int
    renewed: datetime

    @property
    def usable(self) -> int:
        """Give how many submissions can be made right now."""
        return min(self.left_today, self.left)


def allowance(phase: Phase, team: str, known: Sequence[Submission], now: datetime) -> Allowance:
    """Count what a team has left; ``known`` holds everything stored or received, of all teams and phases."""
    own = [submission for submission in known if submission.team == team and submission.phase == phase.id]
    day = now.astimezone(UTC).date()
    today = sum(submission.received.astimezone(UTC).date() == day for submission in own)
    midnight = datetime(day.year, day.month, day.day, tzinfo=UTC) + timedelta(days=1)
    left_today, left = max(phase.per_day - today, 0), max(phase.total - len(own), 0)
    return Allowance(phase.per_day, left_today, phase.total, left, midnight)


def admission_problems(phase: Phase, candidate: Submission, known: Sequence[Submission]) -> list[Problem]:
    """Find why a submission that is itself in order cannot be taken: phase, quota, or the same file once more."""
    now = candidate.received
    standing, left = phase.standing(now), allowance(phase, candidate.team, known, now)
    problems = []
    if standing != "open":
        problems.append(not_open(phase, now))
    same = [
        other
        for other in known
        if (other.team, other.phase, other.digest) == (candidate.team, candidate.phase, candidate.digest)
    ]
    if same:
        message = f"this very file is submission {same[0].id} of {same[0].received:%Y-%m-%d %H:%M} UTC already."
        problems.append(Problem("error", "identical_file", message, "It was not counted again; its receipt stands."))
    if not left.left:
        message = f"all {phase.total} submissions of this phase are used up."
        problems.append(Problem("error", "quota_total", message, "Nothing was counted."))
    elif not left.left_today:
        message = f"all {phase.per_day} submissions of this day (UTC) are used up."
        remedy = f"Nothing was counted; more can be made from {left.renewed:%Y-%m-%d %H:%M} UTC."
        problems.append(Problem("error", "quota_day", message, remedy))
    return problems


def admission(phases: Sequence[Phase]) -> Callable[[Sequence[Submission], Submission], None]:
    """Give what a store asks before it takes a submission; it raises SubmissionError to refuse one."""
    by_id = {phase.id: phase for phase in phases}

    def admit(known: Sequence[Submission], candidate: Submission) -> None:
        phase = by_id.get(candidate.phase)
        problems = [no_such_phase(candidate.phase, phases)]
        if phase is not None:
            problems = admission_problems(phase, candidate, known)
        if problems:
            raise SubmissionError(printable(candidate.file_name, 255), problems)

    return admit


def no_such_phase(phase_id: str, phases: Sequence[Phase]) -> Problem:
    """Say which phases there are instead."""
    known = ", ".join(phase.id for phase in phases)
    return Problem("error", "unknown_phase", f"there is no phase {printable(phase_id, 40)!r}.", f"There is {known}.")


def not_open(phase: Phase, now: datetime) -> Problem:
    """Say that a phase is to come or over."""
    if phase.standing(now) == "upcoming":
        message = f"the phase {phase.title['en']} has not begun."
        return Problem("error", "phase_upcoming", message, f"It begins on {phase.start:%Y-%m-%d %H:%M} UTC.")
    message = f"the phase {phase.title['en']} ended on {phase.end:%Y-%m-%d %H:%M} UTC; nothing is scored any more."
    return Problem("error", "phase_ended", message, "The leaderboard stays.")


def not_on_roster(account: str | None, team: Team | None) -> Problem:
    """Say that an account may not submit, or not for this team."""
    if not account:
        message = "you are not logged in."
        return Problem("error", "no_login", message, "Log in; without that a file can be checked, not submitted.")
    if team is None:
        message = f"the account {account} is on no team of the roster."
        return Problem("error", "not_on_roster", message, "Ask the organisers to add it to your team.")
    message = f"the account {account} does not belong to the team {team.id}."
    return Problem("error", "not_on_roster", message, "Submit for your own team.")
