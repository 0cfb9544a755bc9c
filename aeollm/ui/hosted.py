"""Hosted mode in the page: who asks, the two pages of it, and which labels the other tabs must not see."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import gradio as gr
from gradio.utils import get_space

from aeollm.submissions import Host
from aeollm.ui import hosted_live, hosted_submit
from aeollm.ui.hosted_calls import SubmitCalls
from aeollm.ui.hosted_notices import banner
from aeollm.ui.identity import Identify, nobody, signed_in
from aeollm.ui.pages import NOTHING_BESIDE, Beside, navigation
from aeollm.ui.words import both, english

SUBMIT, LIVE = "submit-run", "live"
_LINKS = ((SUBMIT, "h_submit"), (LIVE, "h_live"))


@dataclass(frozen=True)
class Hosted:
    """A host and how it knows its visitors; ``sign_in`` shows the button for that."""

    host: Host
    identify: Identify
    sign_in: bool = False

    @classmethod
    def here(cls, host: Host) -> Hosted:
        """Take what this server has: on a Space with ``hf_oauth`` Hugging Face accounts, elsewhere none."""
        # Anywhere else gradio would mock the sign-in: everybody would have the server's own account.
        on_space = get_space() is not None and bool(os.environ.get("OAUTH_CLIENT_ID"))
        sign_in = on_space and not host.demo
        return cls(host, signed_in if sign_in else nobody, sign_in)

    @cached_property
    def beside(self) -> Beside:
        """Give what all pages show of it: two links and a line."""
        links = tuple((path, both(key)) for path, key in _LINKS)
        return Beside(links, banner(self.host, links))

    @property
    def titles(self) -> Mapping[str, Mapping[str, str]]:
        """Give the titles of the phases by id and language."""
        return {phase.id: phase.title for phase in self.host.phases}

    def report(self) -> dict[str, str | int | bool | None]:
        """Give what the health page tells of it, without secrets."""
        known = self.host.health()
        told: dict[str, str | int | bool | None] = {"demo": self.host.demo, "ok": bool(known["ok"])}
        for part in ("phases", "labels", "store"):
            there = known[part]
            if isinstance(there, Mapping):
                told |= {f"{part}: {name}": value for name, value in there.items()}
        return told


def beside(hosted: Hosted | None) -> Beside:
    """Give what pages show of a hosted evaluation, nothing where there is none."""
    return NOTHING_BESIDE if hosted is None else hosted.beside


def build(app: gr.Blocks, hosted: Hosted) -> None:
    """Add the two pages to an app whose other pages are laid out."""
    for path, key in _LINKS:
        app.route(english(key), path)
    with app:
        app.current_page = LIVE
        navigation(LIVE, hosted.beside)
        hosted_live.build(app, hosted.host)
        app.current_page = SUBMIT
        navigation(SUBMIT, hosted.beside)
        calls = SubmitCalls(hosted.host, hosted.identify, sign_in=hosted.sign_in)
        hosted_submit.build(app, calls)
    app.current_page = ""
