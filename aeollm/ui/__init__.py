"""The page: the only place with gradio."""

from __future__ import annotations

from typing import Any

import gradio as gr

from aeollm.sources import ASSETS, Settings
from aeollm.submissions import Host
from aeollm.ui import build, calibrate, compare, health, hosted, judge, pages, questions, score
from aeollm.ui.callbacks import Callbacks
from aeollm.ui.catalogue import Catalogue
from aeollm.ui.door import guard_handlers
from aeollm.ui.endpoint import make_score
from aeollm.ui.guard import guard
from aeollm.ui.hosted import Hosted
from aeollm.ui.judge_access import Access
from aeollm.ui.rendering import HEADING_WORDS
from aeollm.ui.uploads import LARGEST
from aeollm.ui.words import both, heading_styles, say, translations

__all__ = ["Hosted", "build_app", "launch_options", "open_catalogue"]

_TITLE = "AEOLLM: score your judge against people"
_HEAD = '<h1 class="ae-title">AEOLLM <span>{}</span></h1>'
# The wheel's semibold holds few letters, so that the default theme's headings fall apart; its bold is whole.
_FONTS = (gr.themes.LocalFont("Source Sans Pro", weights=(400, 700)), "ui-sans-serif", "system-ui", "sans-serif")
_SCORING_AT_ONCE = 2
_LONGEST_QUEUE = 200
_SWEEP_SECONDS, _KEPT_SECONDS = 1_800, 21_600


def open_catalogue(settings: Settings | None = None, host: Host | None = None) -> Catalogue:
    """Give the label sets that the settings point to (the environment's by default), without a host's hidden ones."""
    return Catalogue(settings or Settings.from_environment(), host=host)


def build_app(catalogue: Catalogue, hosts: Hosted | None = None) -> gr.Blocks:
    """Build the page for a server's label sets, and for the evaluation that it hosts, if any."""
    app: gr.Blocks
    with gr.Blocks(title=_TITLE, analytics_enabled=False, delete_cache=(_SWEEP_SECONDS, _KEPT_SECONDS)) as app:
        gr.HTML(_HEAD.format(both("motto")), elem_id="title")
        pages.navigation(beside=hosted.beside(hosts))
        calls = Callbacks(catalogue)
        session = gr.State(calls.example)
        _lay_out_tabs(app, calls, session)
        gr.api(make_score(catalogue), api_name="score", concurrency_id="scoring", concurrency_limit=_SCORING_AT_ONCE)
    pages.build(app, hosted.beside(hosts))
    if hosts is not None:
        hosted.build(app, hosts)
    guard_handlers(app)
    app.queue(max_size=_LONGEST_QUEUE, default_concurrency_limit=_SCORING_AT_ONCE)
    return app


def _lay_out_tabs(app: gr.Blocks, calls: Callbacks, session: gr.State) -> None:
    with gr.Tabs(elem_id="tabs") as tabs:
        with gr.Tab(say("tab_score"), id="score"):
            scoring = score.build(app, calls, session)
        with gr.Tab(say("tab_questions"), id="questions") as tab:
            questions.build(tab, session)
        with gr.Tab(say("tab_compare"), id="compare") as tab:
            compare.build(tab, session, calls.downloads)
        if (access := Access.here()) is not None:
            with gr.Tab(say("tab_judge"), id="judge") as tab:
                judging = judge.build(tab, calls, session, scoring, access)
        with gr.Tab(say("build"), id="build") as tab:
            building = build.build(tab, calls, session, scoring, tabs)
        with gr.Tab(say("calibrate"), id="calibrate") as tab:
            calibrating = calibrate.build(tab, session, calls.downloads)
    if access is not None:
        judge.hand_over(judging, session, scoring, judge.Others(tabs, building, calibrating))
        judge.stay(app, judging, session, scoring, tabs)


def launch_options(app: gr.Blocks, catalogue: Catalogue, hosts: Hosted | None = None) -> dict[str, Any]:
    """Give what `gr.Blocks.launch` needs: look, limits, gate, and nothing that calls out or keeps history.

    Parameters
    ----------
    app : the page.
    catalogue : its label sets.
    hosts : the evaluation that is hosted, if any.
    """
    pages = [path for path, *_ in app.pages]
    return {
        "theme": gr.themes.Default(primary_hue="blue", secondary_hue="slate", font=_FONTS),
        "css_paths": [ASSETS / "style.css"],
        "css": heading_styles(("questions", "q-table"), HEADING_WORDS),
        "js": (ASSETS / "page.js").read_text(encoding="utf-8"),
        "i18n": translations(hosts.titles if hosts else None),
        "max_file_size": LARGEST,
        "ssr_mode": False,
        "run_history": False,
        "enable_monitoring": False,
        "footer_links": ["api", "settings"],
        # Refusals are told all the same; what is a bug goes to the log, not to the visitor.
        "show_error": False,
        "allowed_paths": [],
        "blocked_paths": [str(path) for path in hosts.host.private_paths] if hosts else [],
        "strict_cors": True,
        "mcp_server": False,
        "share": False,
        "app_kwargs": {
            "middleware": [guard([*pages, health.PATH])],
            "routes": [health.health_route(catalogue, hosts.report if hosts else None)],
            # FastAPI's own, which describe every route.
            "docs_url": None,
            "redoc_url": None,
            "openapi_url": None,
        },
    }
