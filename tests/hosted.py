"""A small hosted evaluation for tests: two questions of three answers, one dimension-for-all scores, two teams."""

import threading
from datetime import UTC, datetime, timedelta
from itertools import permutations
from pathlib import Path

from aeollm.errors import SubmissionError
from aeollm.submissions import Draft, Host, HostSettings, Phase, Team
from aeollm.submissions.opening import open_store
from tests.small_files import labels_csv, run_text

NOON = datetime(2026, 7, 1, 12, tzinfo=UTC)
LABELS = [("1", "a", 1), ("1", "b", 2), ("1", "c", 3), ("2", "a", 1), ("2", "b", 2), ("2", "c", 3)]
GOOD = run_text(LABELS)
"""Orders everything as people do: every measure is 1."""
HALF = run_text([*LABELS[:3], ("2", "a", 3), ("2", "b", 2), ("2", "c", 1)])
"""The first question as people do, the second the other way round: 1 and -1 (accuracy 0), so 0, 0 and 1/2."""
TEAMS = (
    Team("A", "Team A", ("ann",)),
    Team("B", "Team B", ("bob", "bea")),
    Team("base", "Baseline", ("ann",), baseline=True),
)
KEY = "a key for tests, long enough"


class Clock:
    """A time that tests set."""

    def __init__(self, now: datetime = NOON) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def step(self, **by: float) -> None:
        self.now += timedelta(**by)


def phase(name="dry", **fields):
    """Give a phase of July 2026 with quotas that do not matter, unless they are given."""
    known = {"title": {"en": name}, "labels": "hidden", "per_day": 100, "total": 100, "decimals": 4}
    times = {"start": datetime(2026, 7, 1, tzinfo=UTC), "end": datetime(2026, 8, 1, tzinfo=UTC)}
    return Phase(id=name, **(known | times | fields))


def write_labels(folder: Path, rows=LABELS) -> Path:
    """Write the label set ``hidden`` into a folder of label sets, and give that."""
    (folder / "labels" / "hidden").mkdir(parents=True, exist_ok=True)
    (folder / "labels" / "hidden" / "labels.csv").write_bytes(labels_csv(rows))
    return folder / "labels"


def settings(folder: Path, *phases, teams=TEAMS, rows=LABELS, **fields):
    """Give settings with labels and store in a folder."""
    labels = write_labels(folder, rows)
    known = {"demo": False, "labels": labels, "store": folder / "store", "spool": folder / "spool", "key": KEY}
    return HostSettings(phases=phases or (phase(),), teams=teams, **(known | fields))


def host(folder: Path, *phases, clock=None, store=None, **fields):
    """Open a host with labels and store in a folder, at noon of the first day."""
    given = settings(folder, *phases, **fields)
    return Host(given, store or open_store(given), clock or Clock())


def draft(content=GOOD, team="A", account=None, **fields):
    """Give a draft by the account of a team."""
    accounts = {"A": "ann", "B": "bob", "base": "ann"}
    known = {"phase": "dry", "file_name": f"{team}_run.txt", "method": "m"}
    return Draft(team=team, account=account or accounts.get(team), content=content, **(known | fields))


def distinct_runs(count, start=0):
    """Give different runs, all in order: each question's answers in one of six orders, then higher scores."""
    orders = list(permutations((1, 2, 3)))
    runs = []
    for n in range(start, start + count):
        scores = orders[n % 6] + orders[n // 6 % 6]
        rows = [(q, a, score + 10 * (n // 36)) for (q, a, _), score in zip(LABELS, scores, strict=True)]
        runs.append(run_text(rows))
    return runs


def state_of(given, sent):
    """Submit a draft; give the state it reached, or the kind of the first problem."""
    try:
        return given.submit(sent).own.state
    except SubmissionError as error:
        return error.problems[0].kind


def states_of_all_at_once(sent):
    """Submit (host, draft) pairs at the same instant, each in a thread of its own; give what became of them, sorted."""
    start, states = threading.Barrier(len(sent)), []

    def submit(given, own):
        start.wait()
        states.append(state_of(given, own))

    threads = [threading.Thread(target=submit, args=pair) for pair in sent]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sorted(states)
