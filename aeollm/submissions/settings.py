"""What hosted mode is told, by environment variables alone; everything wrong with it is found at once."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import get_args

from aeollm.errors import HostingError, Problem, printable
from aeollm.sources import ASSETS, DEMO
from aeollm.submissions.fields import LONGEST_METHOD, refused
from aeollm.submissions.phases import MOST_DECIMALS, Counts, Phase, Results, Team, Undefined
from aeollm.submissions.toml_tables import Table

VARIABLES = ("AEOLLM_HOST", "AEOLLM_HOST_LABELS", "AEOLLM_HOST_STORE", "AEOLLM_HOST_SPOOL")
SECRETS = ("AEOLLM_HOST_TOKEN", "AEOLLM_HOST_KEY", "AEOLLM_HOST_ROSTER")
"""Names of the environment variables; those of `SECRETS` belong into a Space's secrets (HF_TOKEN is read, too)."""
CONFIG_NAME = "host.toml"
DEMO_CONFIG = ASSETS / "host" / CONFIG_NAME
DEMO_STORE = Path("aeollm-host-demo")

_HUB = "hf://datasets/"
_HUB_PLACE = re.compile(r"hf://datasets/([\w.-]+/[\w.-]+?)(?:@([^\s@]+))?/?", re.ASCII)
_PHASE_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,31}", re.ASCII)
_ACCOUNT = re.compile(r"[\w.-]{1,96}", re.ASCII)
_SHORTEST_KEY = 16
_MOST_RUNS = 10_000


@dataclass(frozen=True, slots=True)
class HubPlace:
    """A data set on the Hub."""

    repo: str
    revision: str = "main"

    def __str__(self) -> str:
        """Give the address as settings write it."""
        return f"{_HUB}{self.repo}" + ("" if self.revision == "main" else f"@{self.revision}")


Place = Path | HubPlace


@dataclass(frozen=True, slots=True)
class HostSettings:
    """Everything that hosted mode is told. ``token`` and ``key`` are in no repr, message or log.

    ``labels`` is where the hidden label sets are (a folder each), ``store`` where submissions go, ``spool`` where they
    wait while the Hub is away; ``key`` seals receipts.
    """

    demo: bool
    phases: tuple[Phase, ...]
    teams: tuple[Team, ...]
    labels: Place
    store: Place
    spool: Path
    token: str | None = field(default=None, repr=False)
    key: str = field(default="", repr=False)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> HostSettings | None:
        """Read the settings; None where ``AEOLLM_HOST`` is not set.

        Raises
        ------
        HostingError
            With everything that is missing or wrong; it quotes no secret.
        """
        named = environment.get("AEOLLM_HOST", "").strip()
        if not named:
            return None
        problems = _unknown_variables(environment)
        path = DEMO_CONFIG if named == DEMO else Path(named)
        path = path / CONFIG_NAME if path.is_dir() else path
        content = _toml(path, problems)
        if content is not None:
            settings = _settings(content, path.parent, environment, problems)
        if problems:
            raise HostingError(str(path), problems)
        return settings


def _unknown_variables(environment: Mapping[str, str]) -> list[Problem]:
    """Find variables that sound like hosted mode's and are not: a misspelt one would otherwise not act."""
    known = (*VARIABLES, *SECRETS)
    strange = [name for name in environment if name.startswith("AEOLLM_HOST") and name not in known]
    remedy = f"Known are {', '.join(known)}."
    return [Problem("error", "setting", f"the variable {name} is no setting.", remedy) for name in sorted(strange)]


def _toml(path: Path, problems: list[Problem]) -> dict[str, object] | None:
    try:
        return tomllib.loads(path.read_text("utf-8-sig"))
    except OSError as error:
        message = f"AEOLLM_HOST names {path}, which cannot be opened: {error.strerror}."
        remedy = f"Name a folder with {CONFIG_NAME} in it, that file, or demo."
        problems.append(Problem("error", "config_unreadable", message, remedy))
    except (ValueError, RecursionError) as error:  # TOML or UTF-8
        problems.append(Problem("error", "config_unreadable", f"it is no TOML: {error}.", "Mend the line named."))
    return None


def _settings(
    content: dict[str, object], folder: Path, environment: Mapping[str, str], problems: list[Problem]
) -> HostSettings:
    demo = environment["AEOLLM_HOST"].strip() == DEMO
    top = Table(content, "", problems)
    phases = _phases(top)
    own_teams = _teams(top, problems)
    labels = _place(top.table("labels"), "AEOLLM_HOST_LABELS", folder, environment, DEMO if demo else "")
    store = _place(top.table("store"), "AEOLLM_HOST_STORE", folder, environment, str(DEMO_STORE) if demo else "")
    top.finish()
    # A line's end that came along with a token would make every request fail.
    tokens = (environment.get(name, "").strip() for name in ("AEOLLM_HOST_TOKEN", "HF_TOKEN"))
    token = next(filter(None, tokens), None)
    key = environment.get("AEOLLM_HOST_KEY", "")
    if not demo:
        problems += _secrets_missing(token, key, (labels, store))
    return HostSettings(
        demo=demo,
        phases=phases,
        teams=_roster(environment, problems) or own_teams,
        labels=labels,
        store=store,
        spool=Path(environment.get("AEOLLM_HOST_SPOOL") or "aeollm-spool"),
        token=token,
        key=key,
    )


def _secrets_missing(token: str | None, key: str, places: tuple[Place, ...]) -> list[Problem]:
    found = []
    if token is None and any(isinstance(place, HubPlace) for place in places):
        message = "AEOLLM_HOST_TOKEN is not set, but labels or store are on the Hub."
        remedy = "Set a token that may read the labels' data set and write to the store's, as a secret."
        found.append(Problem("error", "token_missing", message, remedy))
    if len(key) < _SHORTEST_KEY:
        message = f"AEOLLM_HOST_KEY is not set, or shorter than {_SHORTEST_KEY} characters."
        remedy = 'Set a long random text as a secret: python -c "import secrets; print(secrets.token_urlsafe(32))".'
        found.append(Problem("error", "key_missing", message, remedy))
    return found


def _place(table: Table, variable: str, folder: Path, environment: Mapping[str, str], default: str) -> Place:
    """Read where something is: an environment variable (seen from here), the file (seen from it), the default."""
    asked = environment.get(variable, "").strip()
    named = table.text("place", "")
    table.finish()
    text = asked or default or named
    match = _HUB_PLACE.fullmatch(text)
    if match:
        return HubPlace(match[1], match[2] or "main")
    if not text or text.startswith("hf:"):
        remedy = f"Write place = … there or set {variable}: a folder, or {_HUB}OWNER/NAME."
        table.refuse("place", "is missing." if not text else "cannot be used.", remedy, text or None)
    return Path(text) if asked or default else folder / text


def _phases(top: Table) -> tuple[Phase, ...]:
    found = [_phase(name, table) for name, table in top.tables("phases")]
    if not found:
        top.refuse("phases", "are missing.", "Write at least one [phases.NAME] section.")
    return tuple(found)


def _phase(name: str, table: Table) -> Phase:
    start, end = table.moment("start"), table.moment("end")
    release = table.moment("release", needed=False)
    phase = Phase(
        id=name,
        title=table.titles("title", name),
        start=start or datetime.min,
        end=end or datetime.min,
        labels=table.text("labels"),
        per_day=table.whole("per_day", 5, (1, _MOST_RUNS)),
        total=table.whole("total", 50, (1, _MOST_RUNS)),
        decimals=table.whole("decimals", 3, (0, MOST_DECIMALS)),
        results=table.choice("results", "live", get_args(Results)),
        release=release,
        counts=table.choice("counts", "latest", get_args(Counts)),
        undefined=table.choice("undefined", "skip", get_args(Undefined)),
    )
    table.finish()
    if not _PHASE_ID.fullmatch(name):
        table.refuse("NAME", "is no name of a phase.", "Use a-z, 0-9 and hyphens, 32 at most.", name)
    if not phase.start < phase.end:
        table.refuse("end", "does not come after the start.", "Check both, and their offsets.", phase.end)
    if release is not None and phase.results == "live":
        table.refuse("release", "has no effect on live results.", 'Write results = "withheld", or remove it.')
    elif release is not None and release < phase.end:
        message = "comes before the end: runs could still be made to fit the results."
        table.refuse("release", message, "Release at the end or later.", release)
    if phase.per_day > phase.total:
        table.refuse("per_day", "is more than the total.", "Lower it.", phase.per_day)
    return phase


def _roster(environment: Mapping[str, str], problems: list[Problem]) -> tuple[Team, ...]:
    """Read the teams from a variable: a path, or the TOML itself, which a Space can keep secret."""
    given = environment.get("AEOLLM_HOST_ROSTER", "").strip()
    if not given:
        return ()
    is_path = "\n" not in given and "[" not in given
    try:
        content = tomllib.loads(Path(given).read_text("utf-8-sig") if is_path else given)
    except (OSError, ValueError, RecursionError) as error:  # whose messages would quote the roster
        why = f"names no file that can be opened: {error.strerror}" if isinstance(error, OSError) else "is no TOML"
        remedy = "Write [teams.ID] sections, or the path of a file with them."
        problems.append(Problem("error", "config_unreadable", f"AEOLLM_HOST_ROSTER {why}.", remedy))
        return ()
    table = Table(content, "AEOLLM_HOST_ROSTER", problems)
    teams = _teams(table, problems)
    table.finish()
    return teams


def _teams(top: Table, problems: list[Problem]) -> tuple[Team, ...]:
    teams = []
    for name, table in top.tables("teams"):
        accounts = tuple(account.casefold() for account in table.texts("accounts"))
        teams.append(Team(name, table.text("name", name), accounts, table.flag("baseline")))
        table.finish()
        for account in accounts:
            if not _ACCOUNT.fullmatch(account):
                remedy = "Write its name alone, as it stands in its address after huggingface.co/."
                table.refuse("accounts", f"holds {printable(account)!r}, which is no account of the Hub.", remedy)
        if "_" in name or not name.strip() or len(name) > LONGEST_METHOD or any(map(refused, name + teams[-1].name)):
            remedy = "Use printable characters without an underscore: file names are split at the first one."
            table.refuse("NAME", "is no name of a team.", remedy, name)
    problems += _shared_accounts(teams)
    return tuple(teams)


def _shared_accounts(teams: list[Team]) -> list[Problem]:
    owners: dict[str, str] = {}
    found = []
    for team in teams:
        for account in team.accounts if not team.baseline else ():
            first = owners.setdefault(account, team.id)
            if first != team.id:
                message = f"the account {account} is in two teams, {first} and {team.id}."
                remedy = "Keep one: an account of two teams has two quotas."
                found.append(Problem("error", "account_twice", message, remedy, value=account))
    return found
