"""A Hub for data sets on the loopback, with the answers and the failures of the real one.

In a test: ``with FakeHub() as hub: hub.publish("owner/name", {"a.csv": b"..."})``. As a program, for
tests that start the app: ``python fake_hub.py --root DIR --port N [--fault NAME]`` serves every folder
``DIR/<owner>/<name>`` as the branch ``main`` of a data set, and prints its address.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

PATIENCE = 60
"""Seconds a hanging answer waits at most for the hub to stop."""


@dataclass(frozen=True)
class Fault:
    """What goes wrong, for the requests whose path contains ``where``.

    ``short`` cuts the body after the headers promised all of it, and ignores ``Range``; ``hang`` never
    answers; ``drip`` sends a header twice a second, for 8 seconds; ``dropped`` closes the connection
    without an answer; ``lost`` does what was asked before it does so; otherwise ``status`` is the answer.
    """

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    short: bool = False
    hang: bool = False
    drip: bool = False
    dropped: bool = False
    lost: bool = False
    where: str = "/"


FAULTS = {
    "rate_limited": Fault(429),
    "gated": Fault(401, {"X-Error-Code": "GatedRepo"}),
    "repo_missing": Fault(404, {"X-Error-Code": "RepoNotFound"}),
    "revision_missing": Fault(404, {"X-Error-Code": "RevisionNotFound"}),
    "entry_missing": Fault(404, {"X-Error-Code": "EntryNotFound", "X-Repo-Commit": "0" * 40}, where="/resolve/"),
    "bad_token": Fault(401, {"X-Error-Message": "Invalid credentials in Authorization header"}),
    "forbidden": Fault(403),
    "server_error": Fault(503),
    "web_page": Fault(200, {"Content-Type": "text/html"}, b"<html>Please log in to this network</html>"),
    "short": Fault(short=True, where="/resolve/"),
    "hang": Fault(hang=True),
    "drip": Fault(drip=True),
    "dropped": Fault(dropped=True),
}


@dataclass
class Repo:
    """Commits (path to content each), and what branches and tags stand for."""

    commits: dict[str, dict[str, bytes]] = field(default_factory=dict)
    branches: dict[str, str] = field(default_factory=dict)
    private: bool = False


@dataclass(frozen=True)
class Seen:
    """A request that arrived."""

    method: str
    path: str
    authorization: str | None


class FakeHub(ThreadingHTTPServer):
    """The server: ``publish`` data sets, set ``fault``, read ``seen``; a Space's name begins with ``spaces/``."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, port: int = 0) -> None:
        self.repos: dict[str, Repo] = {}
        self.fault: Fault | None = None
        self.seen: list[Seen] = []
        self.released = threading.Event()
        super().__init__(("127.0.0.1", port), Handler)
        self.endpoint = f"http://127.0.0.1:{self.server_port}"

    def publish(self, repo: str, files: Mapping[str, bytes], branch: str = "main") -> str:
        """Add a commit, let the branch stand for it, and give its hash."""
        parts = [f"{path} {blob_id(content)}" for path, content in sorted(files.items())]
        commit = hashlib.sha1("\n".join([repo, *parts]).encode(), usedforsecurity=False).hexdigest()
        stored = self.repos.setdefault(repo, Repo())
        stored.commits[commit] = dict(files)
        stored.branches[branch] = commit
        return commit

    def publish_folder(self, repo: str, folder: Path, branch: str = "main") -> str:
        """Add a commit with the files of a folder."""
        paths = sorted(path for path in folder.rglob("*") if path.is_file())
        return self.publish(repo, {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}, branch)

    def start(self) -> FakeHub:
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def reset(self) -> None:
        """Forget the data sets, the fault and the requests, and let hanging ones go."""
        self.repos, self.fault, self.seen = {}, None, []
        self.released.set()
        self.released = threading.Event()

    def stop(self) -> None:
        """Stop, and refuse connections from then on."""
        self.reset()
        self.shutdown()
        self.server_close()

    def __enter__(self) -> FakeHub:
        return self.start()

    def __exit__(self, *exception: object) -> None:
        self.stop()

    def handle_error(self, request: Any, client_address: Any) -> None:
        # Clients that give up on a hanging or short answer close the connection: no news.
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


def blob_id(content: bytes) -> str:
    """Give git's hash of a file."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    server: FakeHub

    def do_GET(self) -> None:
        self.answer()

    def do_HEAD(self) -> None:
        self.answer()

    def do_POST(self) -> None:
        self.answer()

    def log_message(self, format: str, *args: object) -> None:
        """Stay silent: ``seen`` is the log."""

    def answer(self) -> None:
        self.content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.seen.append(Seen(self.command, self.path, self.headers.get("Authorization")))
        fault = self.fault()
        self.cut, self.lost = fault is not None and fault.short, fault is not None and fault.lost
        if fault is None or fault.short or fault.lost:
            self.route()
        elif fault.hang:
            self.server.released.wait(PATIENCE)
            self.close_connection = True
        elif fault.drip:
            self.drip()
        elif fault.dropped:
            self.close_connection = True
        else:
            self.send(fault.status, fault.body or b"{}", fault.headers)

    def fault(self) -> Fault | None:
        """Give what goes wrong with this request."""
        fault = self.server.fault
        return fault if fault is not None and fault.where in self.path else None

    def drip(self) -> None:
        # Each piece restarts a client's time-out for reading: only a bound on the whole answer ends this.
        self.wfile.write(b"HTTP/1.1 200 OK\r\n")
        for _ in range(16):
            self.wfile.write(b"X-Slow: yes\r\n")
            if self.server.released.wait(0.5):
                break
        self.close_connection = True

    def route(self) -> None:
        address = urlsplit(self.path)
        matches = ((pattern.fullmatch(address.path), method) for pattern, method in ROUTES)
        match, method = next(((match, method) for match, method in matches if match), (None, None))
        if match is None:
            self.refuse("EntryNotFound")
            return
        kind, owner_name, revision, *rest = (unquote(part or "") for part in match.groups())
        owner_name = owner_name if kind == "datasets" else f"{kind}/{owner_name}"
        repo = self.server.repos.get(owner_name)
        commit = repo.branches.get(revision or "main", revision) if repo else ""
        if repo is None:
            self.refuse("RepoNotFound")
        elif commit not in repo.commits:
            self.refuse("RevisionNotFound")
        else:
            found = Found(owner_name, commit, repo.commits[commit], rest[0] if rest else "", parse_qs(address.query))
            method(self, found)

    def info(self, found: Found) -> None:
        siblings = [
            {"rfilename": path} | ({"size": len(content), "blobId": blob_id(content)} if found.flag("blobs") else {})
            for path, content in sorted(found.files.items())
        ]
        private = self.server.repos[found.repo].private
        known = {"id": found.repo.removeprefix("spaces/"), "sha": found.commit, "siblings": siblings}
        known |= {"private": private, "gated": False}
        self.send_json(known | {"tags": [], "lastModified": "2026-01-01T00:00:00.000Z", "downloads": 0, "likes": 0})

    def tree(self, found: Found) -> None:
        prefix = f"{found.path}/" if found.path else ""
        inside = {path: content for path, content in found.files.items() if path.startswith(prefix)}
        if prefix and not inside:
            self.refuse("EntryNotFound", found.commit)
            return
        entries = found.entries(inside)
        if not found.flag("recursive"):
            entries = [entry for entry in entries if "/" not in entry["path"][len(prefix) :]]
        self.send_json([entry for entry in entries if entry["path"].startswith(prefix)])

    def paths_info(self, found: Found) -> None:
        try:
            paths = json.loads(self.content)["paths"]
        except json.JSONDecodeError:
            paths = parse_qs(self.content.decode())["paths"]
        self.send_json([entry for entry in found.entries(found.files) if entry["path"] in paths])

    def resolve(self, found: Found) -> None:
        content = found.files.get(found.path)
        if content is None:
            self.refuse("EntryNotFound", found.commit)
            return
        headers = {"ETag": f'"{blob_id(content)}"', "X-Repo-Commit": found.commit, "Accept-Ranges": "bytes"}
        span = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        if self.cut:
            self.send(200, content, headers, sent=len(content) // 2)
        elif span:
            first, last = int(span[1]), min(int(span[2] or len(content)), len(content) - 1)
            headers["Content-Range"] = f"bytes {first}-{last}/{len(content)}"
            self.send(206, content[first : last + 1], headers)
        else:
            self.send(200, content, headers)

    def refuse(self, code: str, commit: str = "") -> None:
        headers = {"X-Error-Code": code, "X-Error-Message": code} | ({"X-Repo-Commit": commit} if commit else {})
        self.send(404, json.dumps({"error": code}).encode(), headers)

    def send_json(self, answer: object) -> None:
        self.send(200, json.dumps(answer).encode(), {"Content-Type": "application/json"})

    def send(self, status: int, body: bytes, headers: Mapping[str, str], sent: int | None = None) -> None:
        if self.lost:
            self.close_connection = True
            return
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body[:sent])
            self.close_connection = self.close_connection or sent is not None


@dataclass(frozen=True)
class Found:
    """A commit that a request is about."""

    repo: str
    commit: str
    files: Mapping[str, bytes]
    path: str
    query: Mapping[str, list[str]]

    def flag(self, name: str) -> bool:
        return self.query.get(name, [""])[0].lower() in {"true", "1"}

    def entries(self, files: Mapping[str, bytes]) -> list[dict[str, Any]]:
        folders = sorted({parent.as_posix() for path in files for parent in list(Path(path).parents)[:-1]})
        return [{"type": "directory", "oid": blob_id(path.encode()), "size": 0, "path": path} for path in folders] + [
            {"type": "file", "oid": blob_id(content), "size": len(content), "path": path}
            for path, content in sorted(files.items())
        ]


ROUTES = [
    (re.compile(r"/(datasets|spaces)/([^/]+/[^/]+)/resolve/([^/]+)/(.+)"), Handler.resolve),
    (re.compile(r"/api/(datasets|spaces)/([^/]+/[^/]+)/tree/([^/]+)(?:/(.+))?"), Handler.tree),
    (re.compile(r"/api/(datasets|spaces)/([^/]+/[^/]+)/paths-info/([^/]+)"), Handler.paths_info),
    (re.compile(r"/api/(datasets|spaces)/([^/]+/[^/]+)/revision/([^/]+)"), Handler.info),
    (re.compile(r"/api/(datasets|spaces)/([^/]+/[^/]+)()"), Handler.info),
]


def main() -> None:
    parser = argparse.ArgumentParser(description="Serve folders as data sets of a Hub, on the loopback.")
    parser.add_argument("--root", type=Path, required=True, help="holds <owner>/<name> folders")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--fault", choices=sorted(FAULTS))
    options = parser.parse_args()
    hub = FakeHub(options.port)
    for folder in sorted(path for path in options.root.glob("*/*") if path.is_dir()):
        hub.publish_folder(folder.relative_to(options.root).as_posix(), folder)
    hub.fault = FAULTS.get(options.fault)
    sys.stdout.write(f"{hub.endpoint}\n")
    sys.stdout.flush()
    try:
        hub.serve_forever()
    except KeyboardInterrupt:
        hub.stop()


if __name__ == "__main__":
    main()
