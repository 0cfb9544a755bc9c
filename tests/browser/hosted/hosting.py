"""An organiser's folder with labels that occur nowhere else, and requests as anybody can make them."""

from __future__ import annotations

import base64
import html
import json
import re
import urllib.error
import urllib.request
from itertools import permutations
from pathlib import Path
from typing import Any, NamedTuple

from tests.browser.serving import App
from tests.small_files import DIMENSIONS, labels_csv, run_text

KEY = "a key for tests, long enough"
EVIL_TEAM = "<img src=x onerror=alert(7)>"
QUESTIONS, ANSWERS = ("Q1", "Q2", "Q3"), ("a", "b", "c", "d", "e")
_ORDER = {"Q1": (2, 1, 3, 5, 4), "Q2": (1, 2, 3, 4, 5), "Q3": (5, 1, 4, 2, 3)}
_TEAMS = {"alpha": ("Team Alpha", "ann"), "beta": ("Team Beta", "bob"), "gamma": ("Team Gamma", "cy")}
_TEAMS |= {"delta": ("Team Delta", "dee"), "phi": ("Team Phi", "fay"), "evil": (EVIL_TEAM, "eve")}
_PHASES = {
    "dry-run": 'title = {en = "Dry run", zh = "试运行"}',
    "formal-run": 'title = "Formal run"\nresults = "withheld"',
    "past": "end = 2020-02-01T00:00:00Z",
}


def config() -> str:
    """Write the organiser's settings."""
    parts = ['[labels]\nplace = "labels"\n[store]\nplace = "store"']
    for name, own in _PHASES.items():
        end = "" if "end =" in own else "end = 2099-12-31T00:00:00Z"
        times = f'start = 2020-01-01T00:00:00Z\n{end}\nlabels = "hidden"'
        parts.append(f"[phases.{name}]\n{own}\n{times}\nper_day = 4\ntotal = 9")
    parts += [f'[teams.{name}]\nname = "{title}"\naccounts = ["{who}"]' for name, (title, who) in _TEAMS.items()]
    return "\n".join(parts)


def label(question: str, answer: str, dimension: int) -> str:
    """Give a human score whose five decimals are nowhere else."""
    rank = _ORDER[question][(ANSWERS.index(answer) + dimension) % 5]
    place = 20 * QUESTIONS.index(question) + 4 * ANSWERS.index(answer) + dimension
    return f"{rank + 2}.{71_003 + 131 * place}"


def hidden_labels() -> bytes:
    """Write the labels."""
    rows = [(q, a, *(label(q, a, d) for d in range(len(DIMENSIONS)))) for q in QUESTIONS for a in ANSWERS]
    return labels_csv(rows)


def canaries() -> set[str]:
    """Give every label as it stands in its file, and rounded to four decimals."""
    exact = {label(q, a, d) for q in QUESTIONS for a in ANSWERS for d in range(len(DIMENSIONS))}
    return exact | {f"{float(value):.4f}" for value in exact}


def run(number: int) -> bytes:
    """Give one of 120 different runs."""
    order = list(permutations(range(1, 6)))[number]
    return run_text([(q, a, order[(n + m) % 5]) for m, q in enumerate(QUESTIONS) for n, a in enumerate(ANSWERS)])


def write_folder(folder: Path) -> Path:
    """Write what an organiser has: configuration, hidden labels; beside it public labels with a copy of the hidden."""
    (folder / "labels" / "hidden").mkdir(parents=True)
    (folder / "labels" / "hidden" / "labels.csv").write_bytes(hidden_labels())
    (folder / "host.toml").write_text(config(), "utf-8")
    for name, content in {"train": labels_csv([("7", "a", 1), ("7", "b", 2)]), "copy": hidden_labels()}.items():
        (folder.parent / "public" / name).mkdir(parents=True)
        (folder.parent / "public" / name / f"{name}.csv").write_bytes(content)
    return folder


class Caller:
    """Somebody with an account (or none) who calls the app without its page."""

    def __init__(self, app: App, account: str | None = None, **headers: str) -> None:
        self.app = app
        self._headers = headers | ({"Cookie": f"account={account}"} if account else {})
        self._open = urllib.request.build_opener(urllib.request.ProxyHandler({})).open
        self._sessions = 0

    def get(self, path: str, **headers: str) -> tuple[int, bytes]:
        """Give status and body of an address."""
        return self._ask(urllib.request.Request(self.app.url + path, headers=self._headers | headers))

    def _ask(self, request: urllib.request.Request) -> tuple[int, bytes]:
        try:
            with self._open(request, timeout=30) as reply:
                return reply.status, reply.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()

    def upload(self, name: str, content: bytes) -> dict[str, Any]:
        """Upload a file, and give it as handlers take it."""
        body = (
            b'--X\r\nContent-Disposition: form-data; name="files"; filename="run.txt"\r\n\r\n'
            + content
            + b"\r\n--X--\r\n"
        )
        headers = self._headers | {"Content-Type": "multipart/form-data; boundary=X"}
        _, told = self._ask(urllib.request.Request(f"{self.app.url}/gradio_api/upload", body, headers))
        [path] = json.loads(told)
        return {"path": path, "orig_name": name, "size": len(content), "meta": {"_type": "gradio.FileData"}}

    def call(self, index: int, data: list[Any], trigger: int | None = None) -> bytes:
        """Call a handler by its number, and give everything that is said of it."""
        self._sessions += 1
        session = f"s{id(self)}x{self._sessions}"
        body = {"data": data, "fn_index": index, "session_hash": session, "trigger_id": trigger, "event_data": None}
        headers = self._headers | {"Content-Type": "application/json"}
        join = f"{self.app.url}/gradio_api/queue/join"
        status, told = self._ask(urllib.request.Request(join, json.dumps(body).encode(), headers))
        return told + (self.get(f"/gradio_api/queue/data?session_hash={session}")[1] if status == 200 else b"")


class Told(NamedTuple):
    """What a browser can read of answers: the text, and the files in it by their media types."""

    text: str
    files: tuple[tuple[str, str], ...]

    @property
    def all(self) -> str:
        """Give text and files."""
        return "\n".join([self.text, *(content for _, content in self.files)])


def read(answer: bytes) -> Told:
    """Read an answer as a browser does: escapes resolved, files unpacked."""
    text = answer.decode("utf-8", "replace")
    text = re.sub(r"\\u([0-9a-f]{4})", lambda found: chr(int(found[1], 16)), text).replace('\\"', '"')
    found = re.findall(r"data:([\w/]+);[^,]*base64,([A-Za-z0-9+/=]+)", text)
    files = tuple((media, base64.b64decode(content).decode("utf-8-sig", "replace")) for media, content in found)
    return Told(html.unescape(re.sub(r"base64,[A-Za-z0-9+/=]+", "", text)), files)


def outputs(answer: bytes) -> bytes:
    """Give only what a handler answered, without gradio's own account of its time in the queue."""
    messages = [json.loads(line[5:]) for line in answer.splitlines() if line.startswith(b"data:")]
    told = [message["output"].get("data") for message in messages if message["msg"] == "process_completed"]
    return json.dumps(told).encode()


class Page:
    """The handlers of the hosted pages, found in the app's configuration as anybody can."""

    def __init__(self, app: App) -> None:
        self.config = json.loads(app.get("/config"))
        self._ids = {block["id"]: block["props"].get("elem_id") for block in self.config["components"]}

    def element(self, number: int) -> str:
        """Give an element's id on the page, if it has one."""
        return str(self._ids.get(number) or "")

    def handler(self, target: str, event: str) -> int:
        """Give the number of what an element's event calls."""
        for known in self.config["dependencies"]:
            if any(self._ids.get(element) == target and name == event for element, name in known["targets"]):
                return int(known["id"])
        raise LookupError(f"{target} {event}")

    def inputs(self, index: int) -> list[str]:
        """Give the kinds of a handler's inputs."""
        kinds = {block["id"]: block["type"] for block in self.config["components"]}
        [known] = [known for known in self.config["dependencies"] if known["id"] == index]
        return [kinds[element] for element in known["inputs"]]
