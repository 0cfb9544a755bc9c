"""What hosted mode is told: everything wrong at once, with a remedy, without a secret."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from aeollm.errors import HostingError
from aeollm.submissions import HostSettings, HubPlace, open_host
from aeollm.submissions.phases import current_phase, shown_decimals, told_twice
from tests.hosted import KEY, NOON, phase
from tests.hosted import settings as host_settings

CONFIG = """
[labels]
place = "labels"
[store]
place = "hf://datasets/lab/store"
[phases.dry]
start = 2026-06-01T00:00:00+02:00
end = 2026-07-01T00:00:00Z
labels = "dry"
[phases.formal]
title = {en = "Formal run", zh = "正式评测"}
start = 2026-07-01T00:00:00Z
end = 2026-08-01T00:00:00Z
labels = "formal"
per_day = 2
total = 9
decimals = 2
results = "withheld"
release = 2026-08-08T00:00:00Z
counts = "best"
undefined = "zero"
[teams.A]
name = "Team A"
accounts = ["Ann", "ben"]
[teams.base]
accounts = ["ann"]
baseline = true
"""


def read(folder, config=CONFIG, **variables):
    (folder / "host.toml").write_text(config, encoding="utf-8")
    known = {"AEOLLM_HOST": str(folder), "AEOLLM_HOST_TOKEN": "hf_hush", "AEOLLM_HOST_KEY": KEY}
    return HostSettings.from_environment(known | variables)


def problems(folder, config=CONFIG, **variables):
    with pytest.raises(HostingError) as error:
        read(folder, config, **variables)
    assert "hf_hush" not in str(error.value)
    assert KEY not in str(error.value)
    assert all(problem.remedy for problem in error.value.problems)
    return [str(problem) for problem in error.value.problems]


def test_a_whole_configuration(tmp_path):
    found = read(tmp_path)
    dry, formal = found.phases
    assert dry.start == datetime(2026, 5, 31, 22, tzinfo=UTC)
    assert (dry.title, dry.per_day, dry.total, dry.decimals) == ({"en": "dry"}, 5, 50, 3)
    assert (dry.results, dry.release, dry.counts, dry.undefined) == ("live", None, "latest", "skip")
    assert formal.title == {"en": "Formal run", "zh": "正式评测"}
    assert (formal.per_day, formal.total, formal.decimals) == (2, 9, 2)
    assert (formal.results, formal.counts, formal.undefined) == ("withheld", "best", "zero")
    assert formal.release == datetime(2026, 8, 8, tzinfo=UTC)
    assert [(team.id, team.name, team.accounts, team.baseline) for team in found.teams] == [
        ("A", "Team A", ("ann", "ben"), False),
        ("base", "base", ("ann",), True),
    ]
    assert (found.labels, found.store) == (tmp_path / "labels", HubPlace("lab/store"))


def test_without_the_variable_nothing_is_hosted():
    assert HostSettings.from_environment({}) is None
    assert HostSettings.from_environment({"AEOLLM_HOST": " "}) is None


def test_secrets_are_in_no_repr(tmp_path):
    found = read(tmp_path)
    assert (found.token, found.key) == ("hf_hush", KEY)
    assert "hf_hush" not in repr(found)
    assert KEY not in repr(found)


def test_variables_come_before_the_file(tmp_path):
    found = read(
        tmp_path,
        AEOLLM_HOST=str(tmp_path / "host.toml"),
        AEOLLM_HOST_LABELS="hf://datasets/lab/labels@v1",
        AEOLLM_HOST_STORE=str(tmp_path / "here"),
        AEOLLM_HOST_SPOOL=str(tmp_path / "spool"),
        AEOLLM_HOST_ROSTER='[teams.Z]\naccounts = ["zoe"]',
    )
    assert (found.labels, found.store) == (HubPlace("lab/labels", "v1"), tmp_path / "here")
    assert found.spool == tmp_path / "spool"
    assert [team.id for team in found.teams] == ["Z"]


def test_the_roster_may_be_a_file_of_its_own(tmp_path):
    (tmp_path / "roster.toml").write_text("[teams.Y]\naccounts = ['yan']\n")
    found = read(tmp_path, AEOLLM_HOST_ROSTER=str(tmp_path / "roster.toml"))
    assert [team.id for team in found.teams] == ["Y"]


def test_a_broken_secret_roster_is_not_quoted(tmp_path):
    (told,) = problems(tmp_path, AEOLLM_HOST_ROSTER="[teams.secret-name\n")
    assert "secret-name" not in told


@pytest.mark.parametrize("roster", ["secret-name, other-name", "secret-name" * 500, "secret-name/\x01.toml"])
def test_a_secret_roster_that_is_nothing_is_not_quoted(tmp_path, roster):
    (told,) = problems(tmp_path, AEOLLM_HOST_ROSTER=roster)
    assert told.startswith("AEOLLM_HOST_ROSTER names no file")
    assert "secret-name" not in told


def test_a_roster_is_checked_as_the_file_is(tmp_path):
    told = problems(tmp_path, AEOLLM_HOST_ROSTER='[team.A]\naccounts = ["ann"]\n[teams.B]\naccount = ["ann"]')
    assert told == [
        "AEOLLM_HOST_ROSTER.teams.B.account is no setting. Did you mean accounts?",
        "AEOLLM_HOST_ROSTER.team is no setting. Did you mean teams?",
    ]


@pytest.mark.parametrize(
    "account", ["@ann", "https://huggingface.co/ann", "ann lee", "\uff41nn", "\u0430nn", "ann\u200b", "\u0131"]
)
def test_what_no_account_is_called_is_refused(tmp_path, account):
    """Blanks, addresses, letters of other alphabets: such an entry would never match who signs in."""
    (told,) = problems(tmp_path, CONFIG.replace('"Ann"', f'"{account}"'))
    assert "which is no account of the Hub" in told


def test_times_beyond_the_calendar_are_refused(tmp_path):
    config = CONFIG.replace("2026-06-01T00:00:00+02:00", "0001-01-01T00:00:00+14:00")
    config = config.replace("2026-08-01T00:00:00Z", "9999-12-31T23:59:59-14:00")
    told = problems(tmp_path, config)
    assert [line.partition(" cannot")[0] for line in told if "cannot be used" in line] == [
        "phases.dry.start",
        "phases.formal.end",
    ]


def test_a_misspelt_variable_is_told(tmp_path):
    (told,) = problems(tmp_path, AEOLLM_HOST_LABEL="x")
    assert told.startswith("the variable AEOLLM_HOST_LABEL is no setting. Known are AEOLLM_HOST, AEOLLM_HOST_LABELS,")


def test_a_token_with_a_line_end_is_the_token(tmp_path):
    assert read(tmp_path, AEOLLM_HOST_TOKEN="hf_hush\r\n").token == "hf_hush"
    assert read(tmp_path, AEOLLM_HOST_TOKEN=" \n", HF_TOKEN="hf_other\n").token == "hf_other"


def test_all_problems_at_once(tmp_path):
    config = """
[labels]
place = "hf://models/x"
[store]
plaice = "x"
[phases.Dry_Run]
start = 2026-06-01T00:00:00
end = 2026-07-01
labels = 3
per_day = 0
total = true
decimals = 5
results = "hidden"
counts = ["best"]
deadline = 1
[phases.two]
start = 2026-07-01T00:00:00Z
end = 2026-06-01T00:00:00Z
labels = "x"
release = 2026-07-02T00:00:00Z
[phases.three]
start = 2026-07-01T00:00:00Z
end = 2026-08-01T00:00:00Z
labels = "x"
per_day = 9
total = 8
results = "withheld"
release = 2026-07-31T00:00:00Z
[teams.A_B]
accounts = "ann"
[teams.C]
accounts = ["ann"]
[teams.D]
accounts = ["ANN"]
[phase]
"""
    told = problems(tmp_path, config, AEOLLM_HOST_TOKEN="", AEOLLM_HOST_KEY="short")
    expected = """
phases.Dry_Run.start cannot be used. Write a time with its offset, such as 2026-07-15T00:00:00Z.
phases.Dry_Run.end cannot be used. Write a time with its offset, such as 2026-07-15T00:00:00Z.
phases.Dry_Run.labels cannot be used. Write text between quotation marks.
phases.Dry_Run.per_day cannot be used. Write a whole number from 1 to 10000.
phases.Dry_Run.total cannot be used. Write a whole number from 1 to 10000.
phases.Dry_Run.decimals cannot be used. Write a whole number from 0 to 4.
phases.Dry_Run.results cannot be used. Write "live" or "withheld".
phases.Dry_Run.counts cannot be used. Write "latest" or "best".
phases.Dry_Run.deadline is no setting. Known are KNOWN.
phases.Dry_Run.NAME is no name of a phase. Use a-z, 0-9 and hyphens, 32 at most.
phases.Dry_Run.end does not come after the start. Check both, and their offsets.
phases.two.end does not come after the start. Check both, and their offsets.
phases.two.release has no effect on live results. Write results = "withheld", or remove it.
phases.three.release comes before the end: runs could still be made to fit the results. Release at the end or later.
phases.three.per_day is more than the total. Lower it.
teams.A_B.accounts cannot be used. Write a list of texts, such as ["ann", "bob"].
teams.A_B.NAME is no name of a team. Use printable characters without an underscore: SPLIT.
the account ann is in two teams, C and D. Keep one: an account of two teams has two quotas.
labels.place cannot be used. Write place = … there or set AEOLLM_HOST_LABELS: a folder, or hf://datasets/OWNER/NAME.
store.plaice is no setting. Did you mean place?
store.place is missing. Write place = … there or set AEOLLM_HOST_STORE: a folder, or hf://datasets/OWNER/NAME.
phase is no setting. Did you mean phases?
AEOLLM_HOST_KEY is not set, or shorter than 16 characters.
"""
    known = "counts, decimals, end, labels, per_day, release, results, start, title, total, undefined"
    expected = expected.replace("KNOWN", known).replace("SPLIT", "file names are split at the first one")
    assert [line.split(" Set a long")[0] for line in told] == expected.strip().splitlines()


@pytest.mark.parametrize("config", ["[phases", "\x00", "a = 1\na = 2", "a = " + "[" * 5_000])
def test_a_file_that_is_no_toml(tmp_path, config):
    assert any("it is no TOML" in told for told in problems(tmp_path, config))


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(HostingError) as error:
        HostSettings.from_environment({"AEOLLM_HOST": str(tmp_path / "no")})
    # Alone: what would stand in it is not missing.
    (told,) = error.value.problems
    assert "cannot be opened" in told.message


def test_the_hub_needs_a_token(tmp_path):
    assert any("AEOLLM_HOST_TOKEN" in told for told in problems(tmp_path, AEOLLM_HOST_TOKEN=""))
    assert read(tmp_path, AEOLLM_HOST_TOKEN="", HF_TOKEN="hf_other").token == "hf_other"


def test_phases_are_required(tmp_path):
    assert any("phases are missing" in told for told in problems(tmp_path, "[labels]\nplace='a'\n[store]\nplace='b'"))


def test_the_demo_runs_on_what_is_embedded(tmp_path):
    settings = HostSettings.from_environment({"AEOLLM_HOST": "demo", "AEOLLM_HOST_STORE": str(tmp_path / "store")})
    host = open_host(settings)
    assert host.demo
    assert [team.id for team in host.teams_of(None) if not team.baseline] == ["demo", "ada"]
    board = host.board(host.current_phase().id)
    assert board.demo
    assert sorted(row.team for row in board.rows) == ["coarse", "length"]
    assert all(row.baseline and row.rank is None for row in board.rows)
    again = open_host(settings)
    assert again.board("dry-run") == board
    assert Path("aeollm-host-demo") == HostSettings.from_environment({"AEOLLM_HOST": "demo"}).store


def test_the_phase_to_show_first():
    dry = phase("dry", start=datetime(2026, 6, 1, tzinfo=UTC), end=datetime(2026, 7, 1, tzinfo=UTC))
    formal = phase("formal", start=datetime(2026, 7, 10, tzinfo=UTC), end=datetime(2026, 8, 1, tzinfo=UTC))
    days = [(5, 1), (6, 1), (6, 30), (7, 1), (7, 10), (8, 1)]
    shown = [current_phase((dry, formal), datetime(2026, *day, tzinfo=UTC)).id for day in days]
    assert shown == ["dry", "dry", "dry", "formal", "formal", "formal"]


def test_phases_that_give_away_what_others_protect_are_told(tmp_path, caplog):
    dry, twin, other = phase("dry"), phase("twin"), phase("other", labels="others")
    formal, late = phase("formal", results="withheld"), phase("late", results="withheld")
    both = "have the same labels: results of dry tell about both, and"
    assert told_twice([formal, dry, other, twin]) == [
        f"the phases dry and formal {both} withholding those of formal protects little.",
        "the phases twin and formal have the same labels: results of twin tell about both, and withholding those of "
        "formal protects little.",
        f"the phases dry and twin {both} the quotas add up.",
    ]
    assert told_twice([formal, late, other]) == []
    open_host(host_settings(tmp_path, dry, formal))
    assert "the phases dry and formal have the same labels" in caplog.text


def test_decimals_are_held_back_by_what_goes_on_with_the_same_labels():
    dry = phase("dry", decimals=3, end=datetime(2026, 7, 5, tzinfo=UTC))
    same = phase("same", decimals=2, start=datetime(2026, 7, 6, tzinfo=UTC))
    other = phase("other", decimals=0, labels="others")
    given = (dry, same, other)
    assert [shown_decimals(each, given, NOON) for each in given] == [2, 2, 0]
    assert [shown_decimals(each, given, datetime(2026, 9, 1, tzinfo=UTC)) for each in given] == [4, 4, 4]
    assert shown_decimals(dry, (dry, other), datetime(2026, 7, 5, tzinfo=UTC)) == 4
