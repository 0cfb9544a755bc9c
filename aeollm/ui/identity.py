"""Who is asking: from what the server knows of a request, never from a value that a browser sends along."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import gradio as gr

Identify = Callable[[gr.Request], str | None]
"""Gives the account that a request is made by; None for nobody."""


def signed_in(request: gr.Request) -> str | None:
    """Give the Hugging Face account of a request on a Space, from its signed session cookie.

    That another site's request does not bring it along is the gate's business (`aeollm.ui.guard`).
    """
    scope = getattr(request.request, "scope", None)
    session = scope.get("session", {}) if isinstance(scope, dict) else {}
    known = session.get("oauth_info")
    if not isinstance(known, Mapping) or not _lasts(known.get("expires_at")):
        return None
    user = known.get("userinfo")
    name = user.get("preferred_username") if isinstance(user, Mapping) else None
    return name if isinstance(name, str) and name else None


def nobody(request: gr.Request) -> None:
    """Give no account: where nobody can sign in."""


def _lasts(until: Any) -> bool:  # noqa: ANN401  whatever is in the session
    return until is None or (isinstance(until, int | float) and until > time.time())
