"""What a deployment will do, decided and checked before the Hub is asked for anything."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from aeollm.deployment.files import HOST_FILE, looks_secret, space_files
from aeollm.errors import AeollmError, Problem, UsageError, printable
from aeollm.submissions.phases import told_twice
from aeollm.submissions.settings import HostSettings, HubPlace

HOST_SECRETS = ("AEOLLM_HOST_TOKEN", "AEOLLM_HOST_KEY")
"""What hosted mode cannot start without."""

# As the Hub checks names of repositories.
_REPO = re.compile(r"(?!.*(--|\.\.|\.git$))\b[\w.-]{1,96}\b/\b[\w.-]{1,96}\b", re.ASCII)
_NAME = re.compile(r"[A-Z][A-Z0-9_]{0,63}", re.ASCII)
_SOUNDS_SECRET = re.compile(r"TOKEN|SECRET|PASSW|ROSTER|(?:^|_)KEY(?:_|$)")
_CHECK = "Check the path; for the demo leave --hosted out and write --variable AEOLLM_HOST=demo."
_PLACEHOLDER = "x" * 32


@dataclass(frozen=True, slots=True)
class Wishes:
    """How a Space shall be.

    ``private``: only its owners see it. ``hosted``: configuration of hosted mode, or a folder with it. ``variables``
    are set; everybody can read those of a public Space. ``secrets`` names those to set besides hosted mode's.
    """

    private: bool = False
    hosted: Path | None = None
    variables: Mapping[str, str] = field(default_factory=dict)
    secrets: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Deployment:
    """A Space as it shall be, without the value of any secret.

    ``secrets`` are set anew, ``needed`` ones only where the Space has none of that name; ``content`` is what its files
    hold, by path; ``notes`` tell what is left out.
    """

    repo: str
    private: bool
    variables: Mapping[str, str]
    secrets: tuple[str, ...]
    needed: tuple[str, ...]
    content: Mapping[str, bytes] = field(repr=False)
    notes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, object]:
        """Give the plan as JSON: files with their sizes, variables, names of secrets."""
        return {
            "space": self.repo,
            "private": self.private,
            "files": [{"path": path, "bytes": len(content)} for path, content in self.content.items()],
            "variables": dict(self.variables),
            "secrets": [*self.secrets, *self.needed],
            "notes": list(self.notes),
        }


def plan_deployment(folder: Path, repo: str, wishes: Wishes) -> Deployment:
    """Decide what a Space gets, and check all of it; nothing is sent, and no secret is read.

    Parameters
    ----------
    folder : the project's.
    repo : ``owner/name`` of the Space.
    wishes : how it shall be.

    Raises
    ------
    UsageError
        With everything that is wrong with names, files or configuration.
    """
    content, notes = space_files(folder)
    variables, needed = dict(wishes.variables), tuple[str, ...]()
    problems = _names(repo, variables, wishes.secrets) + _front_matter(content["README.md"])
    if wishes.hosted is not None:
        hosting = _hosting(wishes, content)
        problems += hosting[0]
        notes += hosting[1]
        variables["AEOLLM_HOST"] = HOST_FILE
        needed = tuple(name for name in HOST_SECRETS if name not in wishes.secrets)
    if problems:
        raise UsageError("deploy", problems)
    content = dict(sorted(content.items()))
    return Deployment(repo, wishes.private, variables, wishes.secrets, needed, content, tuple(notes))


def _names(repo: str, variables: Mapping[str, str], secrets: Sequence[str]) -> list[Problem]:
    found = []
    if not _REPO.fullmatch(repo):
        message = f"{printable(repo)!r} is no name of a Space."
        found.append(Problem("error", "usage", message, "Write OWNER/NAME, in letters, digits, hyphens and dots."))
    for name in (*variables, *secrets):
        if not _NAME.fullmatch(name):
            # What stands there may be the secret itself.
            quoted = f": {printable(name)!r}" if name in variables else ""
            message = f"a name of a variable or secret cannot be used{quoted}."
            remedy = "Name secrets only, in capitals; their values come from the environment, or are asked for."
            found.append(Problem("error", "usage", message, remedy))
    for name in variables:
        if _SOUNDS_SECRET.search(name):
            message = f"{name} sounds like a secret, and variables of a Space can be read by everybody."
            found.append(Problem("error", "usage", message, f"Use --secret {name}."))
    return found


def _front_matter(readme: bytes) -> list[Problem]:
    parts = readme.split(b"\n---\n", 1)
    if readme.startswith(b"---\n") and len(parts) == 2 and b"\nsdk: gradio\n" in parts[0] + b"\n":
        return []
    remedy = "Begin it with the lines between --- that the project's README.md has."
    return [Problem("error", "no_front_matter", "README.md does not tell the Hub how to run a Space.", remedy)]


def _hosting(wishes: Wishes, content: dict[str, bytes]) -> tuple[list[Problem], list[str]]:
    """Add the configuration, and the login it needs, to the files; check it as the Space will, and give notes."""
    place = wishes.hosted or Path()
    file = place / HOST_FILE if place.is_dir() else place
    host = {"AEOLLM_HOST": str(file), **dict.fromkeys(HOST_SECRETS, _PLACEHOLDER)}
    found = []
    if "AEOLLM_HOST" in wishes.variables:
        message = "AEOLLM_HOST is set twice: by --hosted, and as a variable."
        found.append(Problem("error", "usage", message, "Keep --hosted; for the demo keep the variable."))
    try:
        settings = HostSettings.from_environment({**wishes.variables, **host})
        text = file.read_bytes()
    except AeollmError as error:
        return [*found, *error.problems], []
    except OSError as error:
        message = f"{file} cannot be read: {error.strerror}."
        return [*found, Problem("error", "config_unreadable", message, _CHECK)], []
    content[HOST_FILE] = text
    if b"\nhf_oauth:" not in content["README.md"]:
        content["README.md"] = content["README.md"].replace(b"\n---\n", b"\nhf_oauth: true\n---\n", 1)
    found += looks_secret({str(file): text})
    if settings is None:
        return found, []
    notes = [*told_twice(settings.phases), *_missing_teams(settings, wishes)]
    return found + _lost_or_shown(settings, file, private=wishes.private), notes


def _lost_or_shown(settings: HostSettings, file: Path, *, private: bool) -> list[Problem]:
    found = []
    for name, where in (("labels", settings.labels), ("store", settings.store)):
        if not isinstance(where, HubPlace):
            message = f"{name} are to be in the folder {where}, but a Space's disk is emptied at every start."
            remedy = f'Write place = "hf://datasets/OWNER/NAME" under [{name}], a private data set.'
            found.append(Problem("error", "not_on_the_hub", message, remedy))
    if settings.teams and not private:
        message = f"{file.name} lists the teams' accounts, and everybody can read the files of a public Space."
        remedy = "Take [teams] out and deploy it with --secret AEOLLM_HOST_ROSTER, or make the Space --private."
        found.append(Problem("error", "roster_public", message, remedy))
    return found


def _missing_teams(settings: HostSettings, wishes: Wishes) -> list[str]:
    if settings.teams or "AEOLLM_HOST_ROSTER" in wishes.secrets:
        return []
    return ["no teams are listed: add --secret AEOLLM_HOST_ROSTER, unless the Space has that secret already."]
