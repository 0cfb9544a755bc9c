"""The one public endpoint, as programs use and misuse it."""

from __future__ import annotations

import json
import shutil
import urllib.request

import pytest
from gradio_client import Client, handle_file

from tests.browser.conftest import LABELS, RUNS
from tests.browser.serving import score_by_cli

SECRET = "of the server's own"


@pytest.fixture(scope="module")
def client(app):
    return Client(app.url, verbose=False)


def post(app, path, content):
    """Send JSON and give the answer."""
    request = urllib.request.Request(app.url + path, json.dumps(content).encode(), {"Content-Type": "application/json"})
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=20) as reply:
        return json.loads(reply.read())


def call(app, data):
    """Call the endpoint without gradio's client; give the text of what it streams."""
    event = post(app, "/gradio_api/call/score", {"data": data})["event_id"]
    return app.get(f"/gradio_api/call/score/{event}")


@pytest.fixture
def private_file(tmp_path):
    path = tmp_path / "private.txt"
    path.write_text(f"{SECRET} 1 2 3 4 5 6\n", "utf-8")
    return path


def test_it_gives_the_command_lines_object(client):
    runs = sorted(RUNS.glob("*.txt"))
    given = client.predict([handle_file(run) for run in runs], "demo", api_name="/score")
    printed = score_by_cli(*runs, "--labels", LABELS)
    del given["labels"]["source"], printed["labels"]["source"]
    assert given == printed


def test_names_are_those_of_the_files(client, tmp_path):
    names = ["RUN.TXT", "run【1】.txt", "run"]
    for name in names:
        shutil.copy(RUNS / "good_judge.txt", tmp_path / name)
    given = client.predict([handle_file(tmp_path / name) for name in names], "demo", api_name="/score")
    assert [run["name"] for run in given["runs"]] == names
    assert all(run["accepted"] for run in given["runs"])


def test_an_unknown_set_is_named(client):
    given = client.predict([handle_file(RUNS / "good_judge.txt")], "<b>nosuch", api_name="/score")
    [problem] = given["labels"]["problems"]
    assert "<b>nosuch" in problem["message"]
    assert "demo" in problem["message"]
    assert given["runs"] == []


def test_nothing_else_is_public(app):
    info = json.loads(app.get("/gradio_api/info"))
    assert list(info["named_endpoints"]) == ["/score"]
    assert info["unnamed_endpoints"] == {}
    parameters = info["named_endpoints"]["/score"]["parameters"]
    assert [parameter["parameter_name"] for parameter in parameters] == ["run_files", "labels_set"]


def test_a_path_on_the_server_is_refused(app, private_file):
    marked = {"path": str(private_file), "meta": {"_type": "gradio.FileData"}}
    told = call(app, [[marked], "demo"])
    assert "event: error" in told
    assert SECRET not in told
    assert SECRET.split()[0] + " " not in told


@pytest.mark.parametrize("meta", [None, {}, {"_type": "other"}])
def test_a_path_that_is_no_upload_is_refused(app, private_file, meta):
    unmarked = {"path": str(private_file)} | ({} if meta is None else {"meta": meta})
    told = call(app, [[unmarked], "demo"])
    assert "event: complete" in told
    [given] = json.loads(told.split("data: ", 1)[1].splitlines()[0])
    assert [problem["kind"] for problem in given["labels"]["problems"]] == ["not_uploaded"]
    assert given["runs"] == []
    assert SECRET not in told


@pytest.mark.parametrize(
    "files",
    [["/etc/passwd"], "/etc/passwd", [None], {"path": "/etc/passwd"}, [{"path": "/etc/passwd", "meta": "x"}], 3],
)
def test_anything_else_is_refused_too(app, files):
    told = call(app, [files, "demo"])
    assert "root:" not in told
    if "event: complete" in told:
        [given] = json.loads(told.split("data: ", 1)[1].splitlines()[0])
        assert given["runs"] == []


def test_the_pages_own_handlers_refuse_server_paths_too(app, private_file):
    """They are private, but who reads the page's configuration can call them."""
    config = json.loads(app.get("/config"))
    handlers = [dependency for dependency in config["dependencies"] if dependency["api_visibility"] == "private"]
    assert handlers
    assert all(
        dependency["api_visibility"] == "public" or dependency in handlers for dependency in config["dependencies"]
    )
    by_id = {component["id"]: component for component in config["components"]}
    uploads = 0
    for dependency in handlers:
        kinds = [by_id[number]["type"] for number in dependency["inputs"]]
        if not {"file", "uploadbutton"} & set(kinds):
            continue
        uploads += 1
        for meta in ({}, {"meta": {"_type": "gradio.FileData"}}):
            path = {"path": str(private_file), "orig_name": "x.txt", "size": 1} | meta
            filled = [[path] if kind == "file" else path if kind == "uploadbutton" else None for kind in kinds]
            session = f"probe{dependency['id']}{len(meta)}"
            body = {"data": filled, "fn_index": dependency["id"], "session_hash": session}
            post(app, "/gradio_api/queue/join", body)
            told = app.get(f"/gradio_api/queue/data?session_hash={session}")
            assert "process_completed" in told
            assert SECRET not in told
    assert uploads >= 2
