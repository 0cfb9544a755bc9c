"""Many visitors at once: ``python -m benchmarks.load`` (needs what requirements-dev.txt installs).

Each client speaks the page's own protocol, as a browser does: it opens the page, uploads a run of its own, joins the
queue and reads the stream until the table is there. What the table says is compared with what the core says about that
run. A connection that drops is tried once more, and counted. While all score, somebody else opens the page again and
again; then the server's memory is read over many scorings.
"""

from __future__ import annotations

import asyncio
import html
import json
import re
import sys
import tempfile
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import httpx2
import numpy as np

from aeollm.evaluation import evaluate
from aeollm.reporting.html import number
from aeollm.sources import demo_set
from aeollm.tables import DIMENSIONS
from tests.browser.serving import App, serve

CLIENTS = 100
SCORINGS = 2_000
PATIENCE = 300
_PAUSE = 0.1
_ROW = re.compile(r'data-run="([^"]*)".*?</th>(.*?)</tr>', re.DOTALL)
_MEAN = re.compile(r"<td>([^ <]+)")
_SIGNATURE = re.compile(r"<code>(labels=[^<]*)</code>")


@dataclass
class Load:
    """What was seen: seconds of every scoring and of every opened page, dropped connections, wrong results."""

    scorings: list[float] = field(default_factory=list)
    pages: list[float] = field(default_factory=list)
    dropped: int = 0
    wrong: list[str] = field(default_factory=list)


Expected = tuple[str, list[str], str]
"""Name, means as shown, signature of one run."""


def own_run(client: int) -> tuple[str, bytes]:
    """Make a run that no other client has."""
    labels, rng = demo_set().labels, np.random.default_rng(client)
    noise = rng.normal(0, 1.5, (len(labels), len(DIMENSIONS)))
    rows = labels.scores.values + noise
    lines = [
        f"0 {question} {answer} {' '.join(f'{score:.3f}' for score in row)}"
        for question, answer, row in zip(labels.questions, labels.answers, rows, strict=True)
    ]
    return f"client_{client}.txt", "\n".join(lines).encode()


def expected(name: str, content: bytes) -> Expected:
    """Say what the page has to show for a run, by the core alone."""
    [result] = evaluate([(content, name)], demo_set()).results
    if result.scores is None:
        raise RuntimeError(f"{name} was refused")
    means = [number(result.scores.mean(view, "spearman").mean) for view in result.scores.views]
    return name, means, result.scores.signature


def shown(table: str) -> Expected:
    """Read the same from the page's table of a single run."""
    [(name, cells)] = _ROW.findall(table)
    [signature] = _SIGNATURE.findall(table)
    return html.unescape(name), _MEAN.findall(cells)[: 1 + len(DIMENSIONS)], html.unescape(signature)


class Client:
    """One visitor with a run of their own."""

    def __init__(self, app: App, number: int) -> None:
        self.http = httpx2.AsyncClient(base_url=app.url, timeout=PATIENCE, trust_env=False)
        self.session = uuid.uuid4().hex
        self.name, self.content = own_run(number)
        self.expected = expected(self.name, self.content)
        self.handler, self.kinds = 0, list[str]()
        self.turn = 0

    async def open(self) -> None:
        """Open the page, and learn from its configuration how runs are handed in."""
        await self.http.get("/")
        config = (await self.http.get("/config")).json()
        kinds = {component["id"]: component["type"] for component in config["components"]}
        [zone] = [own["id"] for own in config["components"] if own["props"].get("elem_id") == "runs"]
        for entry in config["dependencies"]:
            found = [kinds[place] for place in entry["inputs"]]
            if [zone, "change"] in entry["targets"]:
                self.handler, self.kinds = entry["id"], found

    async def score(self) -> Expected:
        """Hand the run in as a new file, and give what the page then shows."""
        self.turn += 1
        # An empty line more, so that the page does not take it for what it has scored already.
        content = self.content + b"\n" * self.turn
        [path] = (await self.http.post("/gradio_api/upload", files={"files": (self.name, content)})).json()
        upload = {"path": path, "orig_name": self.name, "size": len(content), "meta": {"_type": "gradio.FileData"}}
        values = {"file": [upload], "dropdown": "demo"}
        body = {"data": [values.get(kind) for kind in self.kinds], "fn_index": self.handler}
        (await self.http.post("/gradio_api/queue/join", json=body | {"session_hash": self.session})).raise_for_status()
        asked = {"session_hash": self.session}
        async with self.http.stream("GET", "/gradio_api/queue/data", params=asked) as stream:
            async for line in stream.aiter_lines():
                told = json.loads(line.removeprefix("data: ")) if line.startswith("data: ") else {}
                if told.get("msg") == "process_completed":
                    [table] = [part for part in told["output"]["data"] if isinstance(part, str) and "ae-table" in part]
                    return shown(table)
        raise httpx2.ReadError("the stream ended before the result")

    async def scored(self, load: Load) -> None:
        """Score once, or a second time where the connection dropped, and compare."""
        begin = time.perf_counter()
        try:
            told = await self.score()
        except httpx2.TransportError:
            load.dropped += 1
            told = await self.score()
        load.scorings.append(time.perf_counter() - begin)
        # The file is another by its last lines, and says so in its signature.
        wanted = expected(self.name, self.content + b"\n" * self.turn)
        if told != wanted or told[1] != self.expected[1]:
            load.wrong.append(f"{self.name}: {told} instead of {wanted}")


async def watch_page(app: App, load: Load, busy: asyncio.Event) -> None:
    """Open the page while others score."""
    async with httpx2.AsyncClient(base_url=app.url, timeout=PATIENCE, trust_env=False) as http:
        while busy.is_set():
            begin = time.perf_counter()
            (await http.get("/")).raise_for_status()
            load.pages.append(time.perf_counter() - begin)
            await asyncio.sleep(_PAUSE)


async def at_once(app: App, clients: Sequence[Client]) -> Load:
    """Let every client score at the same moment."""
    load, busy = Load(), asyncio.Event()
    busy.set()
    watching = asyncio.create_task(watch_page(app, load, busy))
    await asyncio.gather(*(client.scored(load) for client in clients))
    busy.clear()
    await watching
    return load


async def visitors(app: App, count: int) -> list[Client]:
    """Let visitors open the page, a few at a time."""
    clients = [Client(app, place) for place in range(count)]
    for first in range(0, count, 10):
        await asyncio.gather(*(client.open() for client in clients[first : first + 10]))
    return clients


def memory(app: App) -> float:
    """Give the server's resident memory, in MB."""
    status = Path(f"/proc/{app.process.pid}/status").read_text("utf-8")
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024  # type: ignore[index]


def _told(times: Sequence[float]) -> str:
    found = np.quantile(times, [0.5, 0.95, 1])
    return f"median {found[0]:.2f}, 95 % {found[1]:.2f}, longest {found[2]:.2f} s"


async def measure(app: App) -> Load:
    """Print the figures of a crowd, then those of memory."""
    clients = await visitors(app, CLIENTS)
    begin, before = time.perf_counter(), memory(app)
    load = await at_once(app, clients)
    print(
        f"{CLIENTS} clients at once, {time.perf_counter() - begin:.1f} s for all, {load.dropped} connections dropped:"
    )
    print(f"  scoring {_told(load.scorings)}; {len(load.wrong)} wrong results")
    print(f"  page    {_told(load.pages)} ({len(load.pages)} times)")
    print(f"  memory  {before:.0f} MB before, {memory(app):.0f} MB after")
    rounds = SCORINGS // CLIENTS
    for turn in range(1, rounds):
        for first in range(0, CLIENTS, 10):
            await asyncio.gather(*(client.scored(load) for client in clients[first : first + 10]))
        if turn % (rounds // 5) == rounds // 5 - 1:
            print(f"  memory  {memory(app):.0f} MB after {(turn + 1) * CLIENTS} scorings")
    print(f"{len(load.scorings)} scorings: {len(load.wrong)} wrong results, {load.dropped} connections dropped")
    return load


def main() -> int:
    """Run it; the exit code says whether every result was right."""
    with tempfile.TemporaryDirectory() as folder, serve(Path(folder) / "app") as app:
        load = asyncio.run(measure(app.wait()))
    print("\n".join(load.wrong[:10]))
    return 1 if load.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
