"""What a visitor can reach: a short list, whatever else gradio serves."""

from __future__ import annotations

import re
from types import SimpleNamespace

import gradio as gr
import pytest
from gradio.routes import App
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient, WebSocketDenialResponse

from aeollm.errors import Problem, UsageError
from aeollm.sources import Settings
from aeollm.ui import build_app, launch_options
from aeollm.ui.catalogue import Catalogue
from aeollm.ui.door import guarded, sent
from aeollm.ui.guard import HEADERS, Guard, guard
from aeollm.ui.health import health, health_route
from aeollm.ui.pages_text import read_pages
from aeollm.version import __version__
from tests.unit.test_ui_callbacks import CASES

# Every route of gradio 6.31 that the gate lets through, as gradio writes them.
REACHABLE = {
    "/",
    "/assets/{path:path}",
    "/config",
    "/config/",
    "/favicon.ico",
    "/logout",
    "/manifest.json",
    "/robots.txt",
    "/static/{path:path}",
    "/svelte/{path:path}",
    "/theme.css",
    "/gradio_api/call/v2/{api_name}",
    "/gradio_api/call/v2/{api_name}/",
    "/gradio_api/call/v2/{api_name}/{event_id}",
    "/gradio_api/call/{api_name}",
    "/gradio_api/call/{api_name}/",
    "/gradio_api/call/{api_name}/{event_id}",
    "/gradio_api/cancel",
    "/gradio_api/file={path_or_url:path}",
    "/gradio_api/heartbeat/{session_hash}",
    "/gradio_api/app_id",
    "/gradio_api/app_id/",
    "/gradio_api/info",
    "/gradio_api/info/",
    "/gradio_api/queue/data",
    "/gradio_api/queue/join",
    "/gradio_api/reset",
    "/gradio_api/reset/",
    "/gradio_api/startup-events",
    "/gradio_api/upload",
    "/gradio_api/upload_progress",
}
PAGES = [page.path for page in read_pages()]


@pytest.fixture(scope="module")
def catalogue():
    return Catalogue(Settings(labels=CASES / "labels.csv"))


@pytest.fixture(scope="module")
def blocks(catalogue):
    return build_app(catalogue)


@pytest.fixture(scope="module")
def options(blocks, catalogue):
    return launch_options(blocks, catalogue)


@pytest.fixture(scope="module")
def gate(options):
    [middleware] = options["app_kwargs"]["middleware"]
    return Guard(PlainTextResponse("there"), *middleware.args, **middleware.kwargs)


def every_path(routes):
    """Give the paths of routes, those of included routers, too."""
    for route in routes:
        inner = getattr(route, "original_router", None)
        yield from every_path(inner.routes) if inner is not None else [route.path]


def test_the_list_of_what_can_be_reached(blocks, options, gate):
    served = App.create_app(blocks, app_kwargs=dict(options["app_kwargs"]))
    paths = set(every_path(served.routes))
    assert {"/monitoring", "/gradio_api/proxy={url_path:path}", "/gradio_api/vibe-edit", "/health"} <= paths
    assert not {"/docs", "/openapi.json", "/redoc"} & paths
    reached = {path for path in paths if gate.reachable(re.sub(r"\{.*?\}", "x", path).removeprefix("/"))}
    ours = {f"/{name}{end}" for name in PAGES for end in ("", "/")} | {"/health"}
    assert reached - ours == REACHABLE
    assert ours <= reached


def test_settings_are_closed(options):
    wanted = {
        "allowed_paths": [],
        "enable_monitoring": False,
        "run_history": False,
        "footer_links": ["api", "settings"],
        "strict_cors": True,
        "max_file_size": "5mb",
        "show_error": False,
        "mcp_server": False,
        "share": False,
        "ssr_mode": False,
    }
    assert wanted.items() <= options.items()


@pytest.mark.parametrize(
    "path",
    [
        "monitoring",
        "monitoring/x",
        "gradio_api/proxy=https://x.hf.space/a",
        "gradio_api/file=https://example.org/a",
        "gradio_api/file=//HTTP://example.org",
        "gradio_api/file=ftp:x",
        "gradio_api/run/score",
        "gradio_api/api/score",
        "gradio_api/openapi.json",
        "gradio_api/vibe-edit",
        "gradio_api/stream/1/2/3/playlist.m3u8",
        "gradio_api/dev/reload",
        "gradio_api/deep_link",
        "custom_component/a/b/c/d",
        "docs",
        "health/x",
        "leaderboard/x",
        "assets",
        "../config",
        "config/../monitoring",
        "",
    ],
)
def test_what_is_not_listed_is_not_there(gate, path):
    assert gate.reachable(path) is (path == "")


def behind_the_gate(answer):
    return TestClient(Starlette(routes=[Route("/config", answer), Route("/x", answer)], middleware=[guard(["", "x"])]))


def test_every_answer_has_headers_and_refusals_reach_nothing():
    asked = []

    def answer(request):
        asked.append(request.url.path)
        return PlainTextResponse("there")

    client = behind_the_gate(answer)
    for path, status in (("/config", 200), ("/x", 200), ("/y", 404), ("/gradio_api/../y", 404)):
        reply = client.get(path)
        assert reply.status_code == status
        assert HEADERS.items() <= {name.title(): text for name, text in reply.headers.items()}.items()
    assert asked == ["/config", "/x"]
    with pytest.raises(WebSocketDenialResponse), client.websocket_connect("/config"):
        pass


@pytest.mark.parametrize(
    ("site", "mode", "method", "status"),
    [
        ("same-origin", "cors", "POST", 200),
        ("none", "navigate", "GET", 200),
        ("cross-site", "navigate", "GET", 200),  # a link, or the Hub's frame
        ("cross-site", "cors", "POST", 403),
        ("cross-site", "no-cors", "GET", 403),
        ("same-site", "cors", "GET", 403),  # another Space
        ("cross-site", "navigate", "POST", 403),  # a form of another site
        (None, None, "POST", 200),  # a program
    ],
)
def test_other_sites_cannot_borrow_a_login(site, mode, method, status):
    signed_in = {}

    def answer(_request):
        return PlainTextResponse("there")

    inner = Starlette(routes=[Route("/config", answer, methods=["GET", "POST"])], middleware=[guard(["x"])])

    async def with_session(scope, receive, send):
        """Do what gradio's session middleware does, which needs a package that only a login needs."""
        await inner(scope | {"session": signed_in} if scope["type"] == "http" else scope, receive, send)

    client = TestClient(with_session)
    sent = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": mode} if site else {}
    assert client.request(method, "/config", headers=sent).status_code == 200  # nobody is signed in
    signed_in["oauth_info"] = {"name": "ann"}
    assert client.request(method, "/config", headers=sent).status_code == status


def test_frames_of_the_hub_stay_possible():
    policy = HEADERS["Content-Security-Policy"]
    assert "frame-ancestors 'self' https://huggingface.co https://*.hf.space;" in policy
    assert "X-Frame-Options" not in HEADERS


class TestHealth:
    def test_it_says_version_labels_revision_and_store(self, catalogue):
        told = health(catalogue)
        assert told["status"] == "ok"
        assert told["version"] == __version__
        assert told["labels"]["chosen"] == "labels"
        [cases, demo] = told["labels"]["sets"]
        assert cases == {"name": "labels", "revision": "e3bb7f9f", "questions": 3, "answers": 12}
        assert demo["name"] == "demo"
        assert told["store"] is None

    def test_labels_that_are_not_there_are_told(self, tmp_path):
        told = health(Catalogue(Settings(labels=tmp_path / "nothing.csv")))
        assert told["status"] == "degraded"
        assert told["labels"]["state"] == "unavailable"
        assert str(tmp_path) not in str(told)

    @pytest.mark.parametrize(("well", "status"), [(True, "ok"), (False, "degraded")])
    def test_trouble_with_the_store_is_told_first(self, catalogue, well, status):
        assert health(catalogue, lambda: {"ok": well})["status"] == status

    def test_people_get_a_page_and_monitors_an_object(self, catalogue):
        route = health_route(catalogue, lambda: {"state": "<b>away</b>", "waiting": 2})
        client = TestClient(Starlette(routes=[route]))
        told = client.get("/health").json()
        assert told["store"] == {"state": "<b>away</b>", "waiting": 2}
        page = client.get("/health", headers={"Accept": "text/html,*/*"})
        assert page.headers["content-type"].startswith("text/html")
        assert "&lt;b&gt;away" in page.text
        assert "e3bb7f9f" in page.text
        assert client.head("/health").status_code == 200
        assert client.post("/health").status_code == 405
        assert page.headers["cache-control"] == "no-store"


class TestDoor:
    KINDS = (
        (gr.Textbox, {}, "x", [3, [], {}, ["x"], True, "x" * 200_000]),
        (gr.Radio, {"choices": ["a"]}, "a", [3, ["a"]]),
        (gr.Dropdown, {"choices": ["a"]}, "a", [3, ["a"], {"a": 1}]),
        (gr.Dropdown, {"choices": ["a"], "multiselect": True}, ["a"], ["a", 3, [3], [["a"]], {"a": 1}]),
        (gr.CheckboxGroup, {"choices": ["a"]}, ["a"], ["a", [None, 3]]),
        (gr.File, {"file_count": "multiple"}, [{"path": "x"}], ["x", {"path": "x"}, ["x"], 3]),
        (gr.UploadButton, {}, {"path": "x"}, ["x", [{"path": "x"}], 3]),
    )

    @pytest.mark.parametrize(("kind", "made", "right", "wrong"), KINDS)
    def test_only_values_of_the_components_kind_come_in(self, kind, made, right, wrong):
        call = guarded(lambda value: ["came", value], [kind(**made)])
        assert call(right) == ["came", right]
        assert call(None) == ["came", None]
        for value in wrong:
            with pytest.raises(gr.Error, match="Reload it") as refused:
                call(value)
            assert not refused.value.print_exception

    def test_a_mistake_is_told_escaped_and_a_bug_passes(self):
        def fail(error):
            raise error

        call = guarded(fail, [gr.State()])
        with pytest.raises(gr.Error, match="&lt;b&gt;"):
            call(UsageError("x", [Problem("error", "x", "<b>")]))
        with pytest.raises(gr.Error, match="no longer here"):
            call(FileNotFoundError("/secret/path"))
        with pytest.raises(ZeroDivisionError):
            call(ZeroDivisionError())

    @pytest.mark.parametrize(("data", "value"), [({"row": 3}, 3), ({}, None), (None, None), ([1], None), ("row", None)])
    def test_an_event_says_anything_or_nothing(self, data, value):
        assert sent(SimpleNamespace(_data=data), "row") == value
