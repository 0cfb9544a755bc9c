"""The fake Hub with accounts, private repositories and the routes that change something.

As huggingface_hub 2.4 calls them: who am I, create a repository, preupload, commit (NDJSON), settings, and a Space's
variables and secrets. ``WritableHub`` is used like ``FakeHub``: give accounts with ``add_token``, make repositories
with ``create``; ``script`` holds faults that each hit one request; ``before_commit`` is called once before the next
commit is looked at, so that a test can let another writer be faster.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote, urlsplit

from tests.hub.fake_hub import FakeHub, Fault, Handler, Repo, blob_id

STORE, TOKEN = "lab/store", "hf_lab_secret"
"""A data set and a token for tests."""
_FIRST_FILES = {".gitattributes": b"*.parquet filter=lfs diff=lfs merge=lfs -text\n"}
_STALE = "A commit has happened since. Please refresh and try again."
_PREFIX = {"dataset": "", "space": "spaces/"}


@dataclass(frozen=True)
class Account:
    """Whom a token belongs to. ``owners`` are the names it may create under and write to; none: read only."""

    name: str
    owners: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    expired: bool = False


@dataclass
class SpaceSettings:
    """What a Space's page keeps beside its files; secrets can be set here and read by tests, not over HTTP."""

    sdk: str = ""
    variables: dict[str, str] = field(default_factory=dict)
    secrets: dict[str, str] = field(default_factory=dict)
    restarts: int = 0


class WritableHub(FakeHub):
    """A fake Hub that can be written to."""

    def __init__(self, port: int = 0) -> None:
        super().__init__(port)
        self.RequestHandlerClass = WriteHandler
        self.forget()

    def forget(self) -> None:
        self.accounts: dict[str, Account] = {}
        self.spaces: dict[str, SpaceSettings] = {}
        self.script: list[Fault] = []
        self.messages: list[str] = []
        self.before_commit: Callable[[], None] | None = None
        self.lock = threading.RLock()

    def reset(self) -> None:
        super().reset()
        self.forget()

    def add_token(self, token: str, name: str, *, owners: tuple[str, ...] | None = None, **more: Any) -> None:
        """Let a token stand for an account, which may write under its own name, or under ``owners``."""
        self.accounts[token] = Account(name, (name,) if owners is None else owners, **more)

    def create(self, repo: str, *, private: bool = False) -> str:
        """Make a repository as the Hub does, with its first commit, and give that."""
        commit = self.publish(repo, _FIRST_FILES)
        self.repos[repo].private = private
        return commit

    def files(self, repo: str) -> dict[str, bytes]:
        """Give the files of ``main``."""
        stored = self.repos[repo]
        return stored.commits[stored.branches["main"]]

    def commit(self, repo: str, files: Mapping[str, bytes | None], message: str = "", branch: str = "main") -> str:
        """Add, replace or (None) remove files on a branch in one commit, and give its hash."""
        with self.lock:
            stored = self.repos[repo]
            parent = stored.branches[branch]
            changed = {**stored.commits[parent], **files}
            kept = {path: content for path, content in changed.items() if content is not None}
            parts = [repo, parent, message, *(f"{path} {blob_id(content)}" for path, content in sorted(kept.items()))]
            oid = hashlib.sha1("\n".join(parts).encode(), usedforsecurity=False).hexdigest()
            stored.commits[oid] = kept
            stored.branches[branch] = oid
            self.messages.append(message)
            return oid


class WriteHandler(Handler):
    """One connection."""

    server: WritableHub

    def do_PUT(self) -> None:
        self.answer()

    def do_DELETE(self) -> None:
        self.answer()

    def fault(self) -> Fault | None:
        with self.server.lock:
            hits = [fault for fault in self.server.script if fault.where in self.path]
            if hits:
                self.server.script.remove(hits[0])
                return hits[0]
        return super().fault()

    def route(self) -> None:
        if self.bad_token():
            return
        path = urlsplit(self.path).path
        for verb, pattern, method in WRITE_ROUTES:
            match = pattern.fullmatch(path)
            if match and verb == self.command:
                method(self, *(unquote(part) for part in match.groups()))
                return
        match = _ANY_REPO.match(path)
        if match and self.hidden(_key(*match.groups())):
            self.refuse_hidden()
            return
        super().route()

    @property
    def account(self) -> Account | None:
        return self.server.accounts.get(self.token)

    @property
    def token(self) -> str:
        return (self.headers.get("Authorization") or "").removeprefix("Bearer ")

    def bad_token(self) -> bool:
        """Refuse a token that is unknown or expired, whatever it is sent for; the Hub tells the two alike."""
        if not self.token or (self.account is not None and not self.account.expired):
            return False
        self.fail(401, "Invalid credentials in Authorization header")
        return True

    def hidden(self, key: str) -> bool:
        repo = self.server.repos.get(key)
        return repo is not None and repo.private and not (self.may_write(key) or self.may_read(key))

    def may_write(self, key: str) -> bool:
        return self.account is not None and key.removeprefix("spaces/").split("/")[0] in self.account.owners

    def may_read(self, key: str) -> bool:
        return self.account is not None and key.removeprefix("spaces/").split("/")[0] in self.account.reads

    def refuse_hidden(self) -> None:
        """Answer as for a repository that does not exist: 401 without a token, 404 with one."""
        self.fail(404 if self.token else 401, "Repository not found", "RepoNotFound")

    def fail(self, status: int, told: str, code: str = "") -> None:
        headers = {"X-Error-Message": told} | ({"X-Error-Code": code} if code else {})
        self.send(status, json.dumps({"error": told}).encode(), headers)

    def writable(self, key: str) -> Repo | None:
        """Give the repository if the account may write to it; else say why not."""
        repo = self.server.repos.get(key)
        if repo is None or self.hidden(key):
            self.refuse_hidden()
        elif not self.token:
            self.fail(401, "Invalid username or password.")
        elif not self.may_write(key):
            self.fail(403, "You don't have the rights to write to this repository.")
        else:
            return repo
        return None

    def whoami(self) -> None:
        account = self.account
        if account is None:
            self.fail(401, "Invalid username or password.")
            return
        groups = [{"type": "org", "name": owner} for owner in account.owners if owner != account.name]
        role = "write" if account.owners else "read"
        known = {"type": "user", "id": "0" * 24, "name": account.name, "fullname": account.name, "orgs": groups}
        self.send_json(known | {"auth": {"type": "access_token", "accessToken": {"displayName": "t", "role": role}}})

    def validate(self) -> None:
        """Check the metadata of a README.md, as far as tests need it: there has to be a title."""
        wrong = [] if "\ntitle:" in json.loads(self.content)["content"] else [{"message": '"title" is required'}]
        self.send(400 if wrong else 200, json.dumps({"errors": wrong, "warnings": []}).encode(), {})

    def create_repo(self) -> None:
        asked = json.loads(self.content)
        account = self.account
        if account is None:
            self.fail(401, "Invalid username or password.")
            return
        owner = asked.get("organization") or account.name
        name = f"{owner}/{asked['name']}"
        key = _PREFIX[asked.get("type", "model")] + name
        address = f"{self.server.endpoint}/{asked['type']}s/{name}"
        with self.server.lock:
            if owner not in account.owners:
                self.fail(403, f"You don't have the rights to create a {asked['type']} under the namespace {owner}.")
            elif key in self.server.repos:
                body = {"error": f"You already created this {asked['type']} repo", "url": address}
                self.send(409, json.dumps(body).encode(), {"X-Error-Message": body["error"]})
            else:
                self.server.create(key, private=asked.get("visibility") == "private" or bool(asked.get("private")))
                if asked["type"] == "space":
                    self.server.spaces[name] = SpaceSettings(asked["sdk"], *map(_pairs, _given(asked)))
                self.send_json({"url": address, "name": name, "id": "0" * 24})

    def preupload(self, kind: str, name: str, revision: str) -> None:
        repo = self.writable(_key(kind, name))
        if repo is None:
            return
        files = repo.commits[repo.branches[revision]]
        ignored = files.get(".gitignore", b"").decode().split()
        known = []
        for path in (file["path"] for file in json.loads(self.content)["files"]):
            oid = blob_id(files[path]) if path in files else None
            skip = bool(set(path.split("/")) & set(ignored))
            known.append({"path": path, "uploadMode": "regular", "shouldIgnore": skip, "oid": oid})
        self.send_json({"files": known})

    def commit(self, kind: str, name: str, revision: str) -> None:
        key = _key(kind, name)
        repo = self.writable(key)
        if repo is None:
            return
        hook, self.server.before_commit = self.server.before_commit, None
        if hook is not None:
            hook()
        lines = [json.loads(line) for line in self.content.decode().splitlines()]
        header = next(line["value"] for line in lines if line["key"] == "header")
        with self.server.lock:
            parent = header.get("parentCommit")
            if parent and not repo.branches[revision].startswith(parent):
                self.fail(412, _STALE)
                return
            changes: dict[str, bytes | None] = {}
            for line in lines:
                changes |= _changes(line["key"], line["value"], self.server.files(key))
            oid = self.server.commit(key, changes, header["summary"], revision)
        address = f"{self.server.endpoint}/{kind}/{name}/commit/{oid}"
        self.send_json(
            {"success": True, "commitOid": oid, "commitUrl": address, "hookOutput": "", "pullRequestUrl": None}
        )

    def settings(self, kind: str, name: str) -> None:
        repo = self.writable(_key(kind, name))
        if repo is not None:
            repo.private = json.loads(self.content).get("visibility", "public") == "private"
            self.send_json({"visibility": "private" if repo.private else "public"})

    def space(self, name: str) -> SpaceSettings | None:
        """Give a Space's settings if the account may change them; else say why not."""
        return self.server.spaces.get(name) if self.writable(f"spaces/{name}") is not None else None

    def variables(self, name: str) -> None:
        space = self.space(name)
        if space is not None:
            _change(space.variables, self.command, self.content)
            self.send_json({key: {"value": value} for key, value in space.variables.items()})

    def secrets(self, name: str) -> None:
        space = self.space(name)
        if space is not None:
            _change(space.secrets, self.command, self.content)
            self.send_json({key: {"description": None} for key in space.secrets} if self.command == "GET" else {})

    def runtime(self, name: str) -> None:
        space = self.space(name)
        if space is not None:
            space.restarts += self.command == "POST"
            hardware = {"current": "cpu-basic", "requested": "cpu-basic"}
            self.send_json({"stage": "RUNNING", "hardware": hardware, "storage": None, "gcTimeout": None})


def _key(kind: str, name: str) -> str:
    return name if kind == "datasets" else f"{kind}/{name}"


def _given(asked: Mapping[str, Any]) -> list[list[dict[str, str]]]:
    return [asked.get("variables") or [], asked.get("secrets") or []]


def _pairs(listed: list[dict[str, str]]) -> dict[str, str]:
    return {item["key"]: item["value"] for item in listed}


def _change(table: dict[str, str], command: str, content: bytes) -> None:
    asked = json.loads(content) if content else {}
    if command == "POST":
        table[asked["key"]] = asked["value"]
    elif command == "DELETE":
        table.pop(asked["key"], None)


def _changes(key: str, value: Mapping[str, str], files: Mapping[str, bytes]) -> dict[str, bytes | None]:
    if key == "file":
        return {value["path"]: base64.b64decode(value["content"], validate=True)}
    if key == "deletedFile":
        return {value["path"]: None}
    if key == "deletedFolder":
        return dict.fromkeys(path for path in files if path.startswith(value["path"]))
    return {}


_ANY_REPO = re.compile(r"(?:/api)?/(datasets|spaces)/([^/]+/[^/]+)")
_REPO_PATH = r"/api/(datasets|spaces)/([^/]+/[^/]+)"
_SPACE_PATH = r"/api/spaces/([^/]+/[^/]+)"
WRITE_ROUTES: list[tuple[str, re.Pattern[str], Callable[..., None]]] = [
    ("GET", re.compile(r"/api/whoami-v2"), WriteHandler.whoami),
    ("POST", re.compile(r"/api/repos/create"), WriteHandler.create_repo),
    ("POST", re.compile(r"/api/validate-yaml"), WriteHandler.validate),
    ("POST", re.compile(rf"{_REPO_PATH}/preupload/([^/]+)"), WriteHandler.preupload),
    ("POST", re.compile(rf"{_REPO_PATH}/commit/([^/]+)"), WriteHandler.commit),
    ("PUT", re.compile(rf"{_REPO_PATH}/settings"), WriteHandler.settings),
    *((verb, re.compile(rf"{_SPACE_PATH}/variables"), WriteHandler.variables) for verb in ("GET", "POST", "DELETE")),
    *((verb, re.compile(rf"{_SPACE_PATH}/secrets"), WriteHandler.secrets) for verb in ("GET", "POST", "DELETE")),
    ("GET", re.compile(rf"{_SPACE_PATH}/runtime"), WriteHandler.runtime),
    ("POST", re.compile(rf"{_SPACE_PATH}/restart"), WriteHandler.runtime),
]
"""Verb, path and what answers it; the groups of the path are its arguments. Add routes here."""
