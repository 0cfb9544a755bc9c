"""Requests that no page of ours sends: forged, replayed, of wrong kinds, for files that are nobody's business."""

from __future__ import annotations

import http.client
import io
import json
import uuid
import zipfile
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest

from tests.browser.conftest import RUNS
from tests.browser.serving import ROOT, score_by_cli
from tests.browser.test_endpoint import call, post

GOOD = (RUNS / "good_judge.txt").read_bytes()
# What a bug would say, in the answer or in the log.
PYTHON = ("Traceback", "TypeError", "KeyError", "AttributeError", "object has no", "unhashable", ".py")


def ask(app, path, method="GET", body=None, headers=None):
    """Ask for a path exactly as it is written; give status, headers and text."""
    address = urlsplit(app.url)
    connection = http.client.HTTPConnection(address.hostname, address.port, timeout=20)
    connection.request(method, path, body, headers or {})
    reply = connection.getresponse()
    text = reply.read().decode("utf-8", "replace")
    connection.close()
    return reply.status, reply.headers, text


def hand_in(app, name, content):
    """Upload a file under any name; give its path on the server."""
    mark = uuid.uuid4().hex
    head = f'--{mark}\r\nContent-Disposition: form-data; name="files"; filename="{name}"\r\n\r\n'
    body = head.encode("utf-8", "surrogateescape") + content + f"\r\n--{mark}--\r\n".encode()
    headers = {"Content-Type": f"multipart/form-data; boundary={mark}"}
    status, _, text = ask(app, "/gradio_api/upload", "POST", body, headers)
    return json.loads(text)[0] if status == 200 else None


def data_of(path, name):
    return {"path": path, "orig_name": name, "size": 1, "meta": {"_type": "gradio.FileData"}}


def handlers(app):
    config = json.loads(app.get("/config"))
    kinds = {component["id"]: component["type"] for component in config["components"]}
    return [
        (entry["id"], [kinds[number] for number in entry["inputs"]], [target[1] for target in entry["targets"]])
        for entry in config["dependencies"]
        if entry["api_visibility"] == "private"
    ]


def trigger(app, number, data, session, event=None):
    """Call a private handler; give the last thing that it says."""
    body = {"data": data, "fn_index": number, "session_hash": session, "event_data": event}
    post(app, "/gradio_api/queue/join", body)
    told = app.get(f"/gradio_api/queue/data?session_hash={session}")
    [done] = [line for line in told.splitlines() if "process_completed" in line]
    return json.loads(done.removeprefix("data: "))


def our_tracebacks(app):
    """Count lines of the log that point into this package; gradio writes its own about values of wrong kinds."""
    return app.log.read_text("utf-8", "replace").count("/aeollm/")


WRONG = [3, {}, ["x"], "x" * 200_000, [{"path": 3}]]


def test_values_of_wrong_kinds_are_refused_in_words_and_do_not_fill_the_log(app):
    before, calls = our_tracebacks(app), 0
    for number, kinds, _ in handlers(app):
        if not set(kinds) - {"state"}:
            continue
        for wrong in WRONG:
            told = trigger(app, number, [wrong] * len(kinds), uuid.uuid4().hex)
            calls += 1
            said = json.dumps(told["output"].get("error") or "")
            assert not [word for word in PYTHON if word in said], (number, kinds, wrong, said)
    assert calls >= 5 * 15
    assert our_tracebacks(app) == before


@pytest.mark.parametrize("event", [[], {"row": "x"}, {"row": 1e9}, {"row": -1, "run": {"a": [1]}}])
def test_forged_events_show_nothing_else(app, event):
    before = our_tracebacks(app)
    for number, kinds, _targets in handlers(app):
        if kinds and kinds[0] == "state":
            told = trigger(app, number, [None] * len(kinds), uuid.uuid4().hex, event)
            said = json.dumps(told["output"].get("error") or "")
            assert not [word for word in PYTHON if word in said], (number, event, said)
    assert our_tracebacks(app) == before


def scoring(app):
    """Give the handler that scores what lies in the drop zone, and the kinds of its inputs."""
    return next((number, kinds) for number, kinds, how in handlers(app) if "file" in kinds and how == ["change"])


def scored(app, session, *files):
    """Score files as the page does; give the HTML of the table."""
    number, kinds = scoring(app)
    values = {"file": [data_of(hand_in(app, name, content), name) for name, content in files], "dropdown": "demo"}
    told = trigger(app, number, [values.get(kind) for kind in kinds], session)
    assert told["success"]
    [table] = [text for text in told["output"]["data"] if isinstance(text, str) and "ae-table" in text]
    return table


def test_a_state_that_is_sent_along_is_ignored(app):
    number, kinds = scoring(app)
    files = [data_of(hand_in(app, "a.txt", GOOD), "a.txt")]
    forged = {"state": {"example": False, "own": [["own: x", {}]]}, "file": files, "dropdown": "demo"}
    told = trigger(app, number, [forged.get(kind) for kind in kinds], uuid.uuid4().hex)
    assert told["success"]
    assert "a.txt" in json.dumps(told["output"]["data"])


def test_a_replayed_request_changes_nobody_elses_page(app):
    mine, theirs = uuid.uuid4().hex, uuid.uuid4().hex
    number, kinds = scoring(app)
    files = [data_of(hand_in(app, "mine.txt", GOOD), "mine.txt")]
    values = [{"file": files, "dropdown": "demo"}.get(kind) for kind in kinds]
    first = json.dumps(trigger(app, number, values, mine)["output"]["data"])
    assert "mine.txt" in first
    for _ in range(2):
        told = json.dumps(trigger(app, number, values, theirs)["output"]["data"])
        assert "mine.txt" in told or "__type__" in told  # scored for whoever hands it in, or scored already
        assert "theirs.txt" in scored(app, theirs, ("theirs.txt", (RUNS / "coarse_judge.txt").read_bytes()))
    again = json.dumps(trigger(app, number, values, mine)["output"]["data"])
    assert "theirs.txt" not in again


def test_many_tabs_of_one_visitor_are_apart(app):
    for place in range(8):
        name = f"tab{place}.txt"
        table = scored(app, uuid.uuid4().hex, (name, GOOD + b"\n" * place))
        assert name in table
        assert table.count("data-run=") == 1


NAMES = [
    "../../../../evil.txt",
    "..\\..\\evil.txt",
    "/etc/passwd",
    "C:\\Windows\\evil.txt",
    "a/b/c.txt",
    "..",
    ".",
    "",
    "nul\x00byte.txt",
    "CON",
    "~root",
    ".env",
    "$(id).txt",
    "a" * 300 + ".txt",
    "\u202egpj.txt",
    "%2e%2e%2fevil.txt",
    "-rf",
    "report.html",
]


@pytest.mark.parametrize("name", NAMES)
def test_names_lead_nowhere(app, name):
    """Whatever a file is called when it is uploaded, it lies among the uploads, and is scored as a file."""
    path = hand_in(app, name.replace('"', ""), GOOD)
    if path is not None:
        assert Path(path).resolve().is_relative_to(app.uploads.resolve())
    path = path or hand_in(app, "plain.txt", GOOD)
    told = call(app, [[data_of(path, name)], "demo"])
    [given] = json.loads(told.split("data: ", 1)[1].splitlines()[0])
    [run] = given["runs"]
    assert run["accepted"]
    assert "/" not in run["name"]
    assert "\\" not in run["name"].replace("\\x00", "").replace("\\u202e", "")


FILES = [
    "/etc/passwd",
    str(ROOT / "app.py"),
    "app.py",
    "README.md",
    "./aeollm/hub.py",
    "../../../../../etc/passwd",
    "/proc/self/environ",
    "/proc/self/cwd/app.py",
    "%2fetc%2fpasswd",
    "..%2f..%2f..%2fetc%2fpasswd",
    "file:///etc/passwd",
    "https://example.org/x",
    "//example.org/x",
    "/tmp",
    "",
]


@pytest.mark.parametrize("path", FILES)
def test_files_of_the_server_are_not_served(app, path):
    status, _, text = ask(app, f"/gradio_api/file={path}")
    assert status in {403, 404, 400, 405}
    assert "root:" not in text
    assert "def " not in text


@pytest.mark.parametrize("folder", ["assets", "static", "svelte"])
def test_the_wheels_folders_hold_nothing_else(app, folder):
    for path in ("../../../../../../etc/passwd", "..%2f..%2f..%2fgradio%2fblocks.py", "%2e%2e/%2e%2e/routes.py"):
        status, _, text = ask(app, f"/{folder}/{path}")
        assert status in {403, 404}
        assert "import" not in text


def test_another_visitors_upload_has_to_be_known_to_be_had(app):
    path = hand_in(app, "mine.txt", b"only mine")
    status, headers, text = ask(app, f"/gradio_api/file={quote(path)}")
    assert (status, text) == (200, "only mine")
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert len(Path(path).parent.name) >= 32  # it has a name that cannot be guessed
    assert ask(app, f"/gradio_api/file={quote(str(Path(path).parent))}")[0] in {403, 404}
    assert ask(app, f"/gradio_api/file={quote(str(app.uploads))}")[0] in {403, 404}


def test_uploaded_pages_are_not_opened_as_pages_of_ours(app):
    path = hand_in(app, "page.html", b"<script>alert(1)</script>")
    _, headers, _ = ask(app, f"/gradio_api/file={quote(path)}")
    assert headers["Content-Disposition"].startswith("attachment")


def test_what_gradio_serves_besides_is_closed(app):
    for path in ("/monitoring", "/monitoring/summary", "/gradio_api/vibe-code", "/docs"):
        assert ask(app, path)[0] == 404
    for path in ("/gradio_api/run/score", "/gradio_api/vibe-edit", "/gradio_api/process_recording", "/login"):
        assert ask(app, path, "POST", "{}", {"Content-Type": "application/json"})[0] == 404


def test_other_sites_get_no_answer_from_a_local_server(app):
    _, headers, _ = ask(app, "/config", headers={"Origin": "https://evil.example"})
    assert "Access-Control-Allow-Origin" not in headers
    assert "frame-ancestors 'self'" in headers["Content-Security-Policy"]


def test_the_health_page_is_there_and_holds_no_paths(app):
    status, _, text = ask(app, "/health")
    assert status == 200
    told = json.loads(text)
    assert told["labels"]["chosen"] == "demo"
    assert told["labels"]["sets"][-1]["answers"] == 128
    assert str(ROOT) not in text
    assert "<h1>AEOLLM: health</h1>" in ask(app, "/health", headers={"Accept": "text/html"})[2]


@pytest.mark.parametrize("labels_set", [3, None, [], ["demo"], {"a": 1}, "x" * 100_000, "../demo", True])
def test_the_endpoint_says_what_it_does_not_know(app, labels_set):
    told = call(app, [[], labels_set])
    assert "event: complete" in told
    [given] = json.loads(told.split("data: ", 1)[1].splitlines()[0])
    assert [problem["kind"] for problem in given["labels"]["problems"]] == ["unknown_set"]
    assert len(told) < 5_000


@pytest.mark.parametrize("files", [3, "x", {"path": "x"}, [3], [None], [["x"]], [{"path": None}]])
def test_the_endpoint_says_what_is_no_upload(app, files):
    before = our_tracebacks(app)
    told = call(app, [files, "demo"])
    assert "event: complete" in told
    [given] = json.loads(told.split("data: ", 1)[1].splitlines()[0])
    assert [problem["kind"] for problem in given["labels"]["problems"]] == ["not_uploaded"]
    assert our_tracebacks(app) == before


def test_an_upload_that_is_gone_is_told(app):
    path = Path(hand_in(app, "gone.txt", GOOD))
    path.unlink()
    told = call(app, [[data_of(str(path), "gone.txt")], "demo"])
    assert not [word for word in PYTHON if word in told]


def test_an_archive_that_unfolds_to_gigabytes_costs_nothing(app):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("run.txt", b"0" * 60_000_000)
    told = call(app, [[data_of(hand_in(app, "bomb.zip", content.getvalue()), "bomb.zip")], "demo"])
    [given] = json.loads(told.split("data: ", 1)[1].splitlines()[0])
    [run] = given["runs"]
    assert not run["accepted"]
    assert score_by_cli(RUNS / "good_judge.txt", "--labels", ROOT / "assets" / "demo")["runs"][0]["accepted"]
