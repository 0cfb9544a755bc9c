"""An OpenAI-compatible judge on the loopback that answers, and fails, as a script says."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

PATIENCE = 30
"""Seconds a slow answer waits at most for the server to stop."""

SCORES = '{"comprehensiveness": 7, "insight": 6.5, "instruction_following": 8, "readability": 5}'
"""A reply to the bundled recipe `holistic`."""

Script = Callable[["Seen"], "Answer"]


@dataclass(frozen=True)
class Answer:
    """One answer: a completion with ``text``, unless ``status`` or ``body`` say otherwise.

    ``closed`` ends the connection in mid-reply, ``hang`` keeps it open without a word, ``drip`` sends ten bytes a
    second; ``wait`` seconds pass first.
    """

    text: str | None = '{"score": 7}'
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None
    model: str = "judge-1"
    finish: str = "stop"
    message: Mapping[str, object] = field(default_factory=dict)
    logprobs: object = None
    usage: Mapping[str, int] | None = field(default_factory=lambda: {"prompt_tokens": 10, "completion_tokens": 5})
    closed: bool = False
    hang: bool = False
    drip: bool = False
    wait: float = 0.0

    def content(self) -> bytes:
        if self.body is not None:
            return self.body
        choice: dict[str, object] = {
            "index": 0,
            "message": {"role": "assistant", "content": self.text, **self.message},
            "finish_reason": self.finish,
        }
        if self.logprobs is not None:
            choice["logprobs"] = self.logprobs
        whole = {"id": "x", "object": "chat.completion", "created": 1, "model": self.model, "choices": [choice]}
        return json.dumps(whole | ({"usage": self.usage} if self.usage else {})).encode()


@dataclass(frozen=True)
class Seen:
    """A request as it came; numbers count from 0."""

    number: int
    body: dict[str, Any]
    authorization: str | None

    @property
    def asked(self) -> str:
        return self.body["messages"][-1]["content"]


def refused(status: int, message: str, **headers: str) -> Answer:
    """An error as OpenAI-compatible servers send it."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(status=status, headers=named, body=json.dumps({"error": {"message": message}}).encode())


class ScriptedJudge(ThreadingHTTPServer):
    """Counts in ``seen`` what it is asked, and answers by the script, which may be one answer for all."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.seen: list[Seen] = []
        self.lock = threading.Lock()
        self.released = threading.Event()
        self.most_at_once = self.at_once = 0
        self.script: Script | Answer = Answer()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def reset(self, script: Script | Answer | None = None) -> None:
        """Forget the requests, let hanging ones go, and answer by another script."""
        self.released.set()
        self.released = threading.Event()
        self.seen = []
        self.most_at_once = 0
        self.script = script or Answer()

    def __enter__(self) -> ScriptedJudge:
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.reset()
        self.shutdown()
        self.server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        # Clients that give up close the connection: no news.
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    server: ScriptedJudge

    def log_message(self, format: str, *args: object) -> None:
        """Stay silent: ``seen`` is the log."""

    def do_POST(self) -> None:
        judge = self.server
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with judge.lock:
            seen = Seen(len(judge.seen), body, self.headers.get("Authorization"))
            judge.seen.append(seen)
            judge.at_once += 1
            judge.most_at_once = max(judge.most_at_once, judge.at_once)
        answer = judge.script if isinstance(judge.script, Answer) else judge.script(seen)
        if answer.hang or answer.wait:
            judge.released.wait(PATIENCE if answer.hang else answer.wait)
        with judge.lock:
            judge.at_once -= 1
        if answer.hang:
            self.close_connection = True
        else:
            self.send(answer)

    def send(self, answer: Answer) -> None:
        content = answer.content()
        self.send_response(answer.status)
        for name, value in {"Content-Type": "application/json", **answer.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        for byte in content if answer.drip else b"":
            self.wfile.write(bytes([byte]))
            if self.server.released.wait(0.1):
                return
        if not answer.drip:
            self.wfile.write(content[: len(content) // 2] if answer.closed else content)
        self.close_connection = self.close_connection or answer.closed
