"""The page: the only place with gradio."""

from __future__ import annotations

from typing import Any

import gradio as gr

from aeollm.sources import ASSETS, Settings
from aeollm.ui import compare, judge, pages, questions, score
from aeollm.ui.callbacks import Callbacks
from aeollm.ui.catalogue import Catalogue
from aeollm.ui.endpoint import make_score
from aeollm.ui.judge_access import Access
from aeollm.ui.uploads import LARGEST
from aeollm.ui.words import say, translations

__all__ = ["build_app", "launch_options"]

_TITLE = "AEOLLM: score your judge against people"
_HEAD = '<h1 class="ae-title">AEOLLM <span>score your judge against people</span></h1>'
# The wheel's semibold holds few letters, so that the default theme's headings fall apart; its bold is whole.
_FONTS = (gr.themes.LocalFont("Source Sans Pro", weights=(400, 700)), "ui-sans-serif", "system-ui", "sans-serif")
_SCORING_AT_ONCE = 2
_LONGEST_QUEUE = 200
_SWEEP_SECONDS, _KEPT_SECONDS = 1_800, 21_600


def build_app(settings: Settings | None = None) -> gr.Blocks:
    """Build the page for the labels that the settings point to (the environment's by default)."""
    catalogue = Catalogue(settings or Settings.from_environment())
    app: gr.Blocks
    with gr.Blocks(title=_TITLE, analytics_enabled=False, delete_cache=(_SWEEP_SECONDS, _KEPT_SECONDS)) as app:
        gr.HTML(_HEAD, elem_id="title")
        pages.navigation()
        calls = Callbacks(catalogue)
        session = gr.State(calls.example)
        with gr.Tabs(elem_id="tabs") as tabs:
            with gr.Tab("Score", id="score"):
                handed = score.build(app, calls, session)
            with gr.Tab("Questions", id="questions") as tab:
                questions.build(tab, session)
            with gr.Tab("Compare", id="compare") as tab:
                compare.build(tab, session, calls.downloads)
            if (access := Access.here()) is not None:
                with gr.Tab(say("judge"), id="judge") as tab:
                    scoring = judge.Scoring(handed.picker, handed.status, handed.template, handed.files, tabs)
                    judging = judge.build(tab, calls, session, scoring, access)
                app.unload(judging.left)
        gr.api(make_score(catalogue), api_name="score", concurrency_id="scoring", concurrency_limit=_SCORING_AT_ONCE)
    pages.build(app)
    app.queue(max_size=_LONGEST_QUEUE, default_concurrency_limit=_SCORING_AT_ONCE)
    return app


def launch_options() -> dict[str, Any]:
    """Give what `gr.Blocks.launch` needs: look, limits, and nothing that calls out or keeps history."""
    return {
        "theme": gr.themes.Default(primary_hue="blue", secondary_hue="slate", font=_FONTS),
        "css_paths": [ASSETS / "style.css"],
        "js": (ASSETS / "page.js").read_text(encoding="utf-8"),
        "i18n": translations(),
        "max_file_size": LARGEST,
        "ssr_mode": False,
        "run_history": False,
        "enable_monitoring": False,
        "footer_links": ["api", "settings"],
        "show_error": True,
    }
