"""The app as a process of its own, on a free port of the loopback, without network unless a test says so."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 90
"""Seconds until an app that does not answer has failed."""
_FOREIGN = ("HF_", "HUGGING", "GRADIO_", "AEOLLM_", "SPACE")
_DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))


@dataclass(frozen=True)
class App:
    """A running app: its address, its log, and where it puts uploads."""

    url: str
    log: Path
    uploads: Path
    process: subprocess.Popen[bytes]

    def get(self, path: str) -> str:
        """Give the text of a page."""
        with _DIRECT.open(self.url + path, timeout=10) as reply:
            return str(reply.read().decode())

    def wait(self) -> App:
        """Wait until the app answers."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                self.get("/config")
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.1)
            else:
                return self
        raise RuntimeError(f"the app does not answer; its log:\n{self.log.read_text()}")


def clean_environment(**variables: str) -> dict[str, str]:
    """Give this process's environment without what would steer the app, and with the variables."""
    inherited = {
        name: text
        for name, text in os.environ.items()
        if not name.startswith(_FOREIGN) and not name.upper().endswith("_PROXY")
    }
    return inherited | {"PYTHONPATH": str(ROOT), "HF_HUB_DISABLE_TELEMETRY": "1"} | variables


@contextmanager
def serve(folder: Path, module: str = "app", **variables: str) -> Iterator[App]:
    """Start the app (or a module that does) with its files in a folder; the caller waits for it."""
    uploads, log = folder / "uploads", folder / "app.log"
    uploads.mkdir(parents=True)
    port = _free_port()
    ours = {
        "GRADIO_SERVER_NAME": "127.0.0.1",
        "GRADIO_SERVER_PORT": str(port),
        "GRADIO_TEMP_DIR": str(uploads),
        "GRADIO_ANALYTICS_ENABLED": "False",
        "HF_HOME": str(folder / "hf"),
        "HF_HUB_OFFLINE": "1",
    }
    with log.open("wb") as file:
        process = subprocess.Popen(
            [sys.executable, "-m", module],
            cwd=ROOT,
            env=clean_environment(**(ours | variables)),
            stdout=file,
            stderr=subprocess.STDOUT,
        )
    try:
        yield App(f"http://127.0.0.1:{port}", log, uploads, process)
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def score_by_cli(*arguments: str | Path, **variables: str) -> dict[str, Any]:
    """Give what ``python -m aeollm score ... --json --per-question`` prints."""
    command = [sys.executable, "-m", "aeollm", "score", *map(str, arguments), "--json", "--per-question"]
    environment = clean_environment(**({"HF_HUB_OFFLINE": "1"} | variables))
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60, check=False)
    if not done.stdout:
        raise RuntimeError(done.stderr)
    return dict(json.loads(done.stdout))
