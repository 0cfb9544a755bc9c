from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import aeollm
from tests.hub.fake_hub import FakeHub
from tests.hub.fake_hub_writes import STORE, TOKEN, WritableHub
from tests.hub.small_dataset import FILES, REPO

PATIENCE = 30
"""Seconds until a process that does not answer is ended."""
OFFLINE = {"HF_HUB_OFFLINE": "1"}


@dataclass
class Outcome:
    """What a call gave: a snapshot and its texts, or a problem and all that was told about it."""

    seconds: float
    snapshot: dict[str, object] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    problem: dict[str, str] = field(default_factory=dict)
    told: str = ""

    @property
    def advice(self) -> str:
        return f"{self.problem['message']} {self.problem['remedy']}"


class Driver:
    """A process that calls ``fetch_snapshot``, started once for each environment."""

    def __init__(self, environment: dict[str, str], log: Path) -> None:
        self.log = log
        with log.open("w") as file:
            self.process = subprocess.Popen(
                [sys.executable, str(Path(__file__).with_name("driver.py"))],
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=file,
                text=True,
            )

    def call(self, arguments: dict[str, object]) -> Outcome:
        guard = threading.Timer(PATIENCE, self.process.kill)
        guard.start()
        self.process.stdin.write(json.dumps(arguments) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        guard.cancel()
        assert answer, self.log.read_text()
        return Outcome(**json.loads(answer))

    def stop(self) -> None:
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.kill()
        self.process.wait()


@dataclass
class Client:
    """Calls with the fake Hub's address and a cache for this test alone."""

    environment: dict[str, str]
    home: Path
    drivers: dict[tuple[tuple[str, str], ...], Driver]
    logs: Path

    def fetch(self, variables: dict[str, str] | None = None, **arguments: object) -> Outcome:
        """Call ``fetch_snapshot`` in a process with these environment variables."""
        environment = self.environment | (variables or {})
        key = tuple(sorted(environment.items()))
        if key not in self.drivers or self.drivers[key].process.poll() is not None:
            self.drivers[key] = Driver(environment, self.logs / f"{len(self.drivers)}.log")
        return self.drivers[key].call({"cache_dir": str(self.home / "hub")} | arguments)

    def run(self, code: str) -> str:
        """Run a program in a process of its own, with this test's cache, and give its output."""
        environment = self.environment | {"HF_HOME": str(self.home)}
        done = subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def log(self) -> str:
        return "".join(driver.log.read_text() for driver in self.drivers.values())

    def folder(self, commit: str) -> Path:
        return self.home / "hub" / "datasets--THUIR--AEOLLM" / "snapshots" / commit


@pytest.fixture(scope="session")
def running_hub():
    with FakeHub() as started:
        yield started


@pytest.fixture
def hub(running_hub):
    running_hub.reset()
    running_hub.publish(REPO, FILES)
    yield running_hub
    running_hub.reset()


@pytest.fixture(scope="session")
def running_writable_hub():
    with WritableHub() as started:
        yield started


@pytest.fixture
def lab_hub(running_writable_hub):
    """Give a Hub with a private data set ``STORE`` and tokens that may write to it, may read it, and have expired."""
    lab = running_writable_hub
    lab.reset()
    lab.add_token(TOKEN, "ann", owners=("ann", "lab"))
    lab.add_token("hf_reader", "bob", owners=(), reads=("lab",))
    lab.add_token("hf_old", "ann", owners=("ann", "lab"), expired=True)
    lab.create(STORE, private=True)
    yield lab
    lab.reset()


@pytest.fixture
def first(hub) -> str:
    """Give the hash of the commit that ``main`` stands for."""
    return hub.repos[REPO].branches["main"]


@pytest.fixture(scope="session")
def refused():
    """Give variables with the address of a Hub where nobody listens."""
    with socket.socket() as taken:  # bound, but not listening: nobody else gets the port meanwhile
        taken.bind(("127.0.0.1", 0))
        yield {"HF_ENDPOINT": f"http://127.0.0.1:{taken.getsockname()[1]}"}


@pytest.fixture(scope="session")
def drivers():
    started = {}
    yield started
    for driver in started.values():
        driver.stop()


@pytest.fixture(scope="session")
def session_folder(tmp_path_factory):
    return tmp_path_factory.mktemp("hub")


@pytest.fixture
def client(hub, drivers, session_folder, tmp_path) -> Client:
    foreign = ("HF_", "HUGGING", "TRANSFORMERS_", "PYTEST_")
    inherited = {
        name: text
        for name, text in os.environ.items()
        if not name.startswith(foreign) and not name.upper().endswith("_PROXY")
    }
    ours = {
        "HF_ENDPOINT": hub.endpoint,
        "HF_HOME": str(session_folder),
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "PYTHONPATH": str(Path(aeollm.__file__).parents[1]),
    }
    return Client(inherited | ours, tmp_path / "home", drivers, session_folder)
