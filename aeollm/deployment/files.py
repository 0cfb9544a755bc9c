"""Which files a Space gets: those it runs on, and nothing else that lies in the project's folder."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path

from aeollm.errors import Problem, UsageError, printable

HOST_FILE = "host.toml"
"""What the configuration of hosted mode is called on the Space."""
NEEDED = ("README.md", "app.py", "requirements.txt", "aeollm/__init__.py")
SINGLE = frozenset({"README.md", "LICENSE", "CHANGELOG.md", "app.py", "requirements.txt", "requirements-judge.txt"})
"""What lies beside the folders; jobs that judge take the code from a Space, with what converts reports."""
FOLDERS = ("aeollm", "assets")
SUFFIXES = frozenset({".py", ".typed", ".toml", ".md", ".css", ".js", ".html", ".csv", ".tsv", ".json", ".txt", ".png"})
LARGEST = 10_000_000
"""Bytes of one file; the Hub wants larger ones in a storage of their own, and none here is."""

_GIT_SECONDS = 30
# User access tokens of the Hub, and private keys; neither belongs into a file that is sent.
_SECRET = re.compile(rb"\bhf_[A-Za-z0-9]{30,}\b|-----BEGIN [A-Z ]*PRIVATE KEY-----")


def space_files(folder: Path) -> tuple[dict[str, bytes], list[str]]:
    """Give what a Space needs of the project's folder, by path, and notes on what is left out.

    In a git work tree only files that git tracks count, as they are now; nothing that begins with a dot, no links,
    no other kinds of files, whatever git says.

    Raises
    ------
    UsageError
        With everything that is missing, too large, or looks like a secret.
    """
    tracked, left = _tracked(folder)
    paths = sorted(path for path in (_lying_there(folder) if tracked is None else tracked) if _wanted(path))
    notes = [f"{printable(path)} is not in git, and is left out." for path in sorted(left) if _wanted(path)]
    problems = []
    content = {}
    for path in paths:
        file = folder / path
        if any(part.is_symlink() for part in (file, *file.parents) if part != folder and folder in part.parents):
            notes.append(f"{printable(path)} is a link, and is left out.")
        elif not file.is_file():
            problems.append(Problem("error", "file_missing", f"{path} is in git, but not there.", "Restore it."))
        elif file.stat().st_size > LARGEST:
            message = f"{path} has {file.stat().st_size:,} bytes; a file may have {LARGEST:,}."
            problems.append(Problem("error", "file_too_large", message, "Take it out of the project's folder."))
        else:
            content[path] = file.read_bytes()
    problems += [
        Problem("error", "file_missing", f"{path} is missing in {folder}.", "Name the project's folder: --folder.")
        for path in NEEDED
        if path not in content
    ]
    problems += looks_secret(content)
    if problems:
        raise UsageError("deploy", problems)
    return content, notes


def looks_secret(content: Mapping[str, bytes], secrets: Iterable[str] = ()) -> list[Problem]:
    """Find files that hold a token, a private key, or one of the secrets; the problems do not quote it."""
    known = [secret.encode() for secret in secrets]
    return [
        Problem("error", "secret_in_file", f"{path} holds what looks like a secret.", "Take it out; make a new one.")
        for path, text in content.items()
        if _SECRET.search(text) or any(secret in text for secret in known)
    ]


def _wanted(path: str) -> bool:
    parts = path.split("/")
    if any(part.startswith((".", "~")) or part == "__pycache__" for part in parts):
        return False
    if len(parts) == 1:
        return path in SINGLE
    return parts[0] in FOLDERS and Path(path).suffix in SUFFIXES


def _lying_there(folder: Path) -> list[str]:
    places = [*(folder / name for name in SINGLE), *(path for name in FOLDERS for path in (folder / name).rglob("*"))]
    return [path.relative_to(folder).as_posix() for path in places if path.is_file()]


def _tracked(folder: Path) -> tuple[list[str] | None, list[str]]:
    """Give what git tracks, and what it neither tracks nor ignores; None where there is no work tree of git."""
    if not (folder / ".git").exists():
        return None, []
    try:
        return _git(folder, "ls-files", "-z"), _git(folder, "ls-files", "-z", "--others", "--exclude-standard")
    except (OSError, subprocess.SubprocessError) as error:
        message = f"git cannot list the files of {folder}: {type(error).__name__}."
        remedy = "Install git, or deploy from a copy without its .git folder."
        raise UsageError("deploy", [Problem("error", "no_git", message, remedy)]) from None


def _git(folder: Path, *arguments: str) -> list[str]:
    command = ["git", "-C", str(folder), *arguments]
    listed = subprocess.run(command, capture_output=True, check=True, timeout=_GIT_SECONDS).stdout
    return [path for path in listed.decode("utf-8", "surrogateescape").split("\0") if path]
