"""The Hub's routes for jobs on the loopback: who the token belongs to, and starting a job."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TOKEN = "hf_test0123456789abcdef"


class FakeJobs(ThreadingHTTPServer):
    """Keeps in ``started`` what it was sent; refuses other tokens, and everything after ``most`` jobs with 402."""

    daemon_threads = True

    def __init__(self, most: int = 100) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.started: list[dict[str, Any]] = []
        self.most = most

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def __enter__(self) -> FakeJobs:
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.shutdown()
        self.server_close()


class Handler(BaseHTTPRequestHandler):
    """One request."""

    server: FakeJobs

    def log_message(self, format: str, *args: object) -> None:
        """Stay silent."""

    def do_GET(self) -> None:
        if self.path != "/api/whoami-v2":
            self.send(404, {"error": "not found"})
        elif self.known():
            self.send(200, {"type": "user", "name": "me", "id": "1"})

    def do_POST(self) -> None:
        spec = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if not self.known():
            return
        if not self.path.startswith("/api/jobs/"):
            self.send(404, {"error": "not found"})
        elif len(self.server.started) >= self.server.most:
            self.send(402, {"error": f"no credits left for {self.headers['Authorization']}"})
        else:
            owner = self.path.rsplit("/", 1)[1]
            self.server.started.append({"owner": owner, **spec})
            number = f"job{len(self.server.started)}"
            kept = {key: spec.get(key) for key in ("dockerImage", "command", "environment", "flavor", "labels")}
            made = {"id": number, "owner": {"id": "1", "name": owner, "type": "user"}, "status": {"stage": "RUNNING"}}
            self.send(200, {**kept, **made, "createdAt": "2026-01-01T00:00:00.000Z"})

    def known(self) -> bool:
        if self.headers.get("Authorization") == f"Bearer {TOKEN}":
            return True
        self.send(401, {"error": "Invalid credentials"})
        return False

    def send(self, status: int, content: dict[str, Any]) -> None:
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
