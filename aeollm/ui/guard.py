"""The gate before the app: what of it a visitor can reach, and what every answer says to browsers.

gradio serves more than this page needs: a proxy, streams, dashboards, an editor. What is not listed here is not found.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

SIGN_IN = ("login/huggingface", "login/callback", "logout")
"""gradio's routes for signing in with a Hugging Face account; not there where nobody has to."""
PLACES = (
    "config",
    "favicon.ico",
    "manifest.json",
    "robots.txt",
    "theme.css",
    "gradio_api/app_id",  # asked for until the server is there again after a break
    "gradio_api/info",
    "gradio_api/startup-events",
    "gradio_api/upload",
    "gradio_api/upload_progress",
    "gradio_api/queue/join",
    "gradio_api/queue/data",
    "gradio_api/cancel",
    "gradio_api/reset",
    *SIGN_IN,
)
FOLDERS = ("assets/", "static/", "svelte/", "gradio_api/call/", "gradio_api/heartbeat/", "gradio_api/file=")
"""What continues: the wheel's own files, calls of public endpoints, files that were uploaded or are offered here."""
# gradio fetches an address for whoever asks; nobody needs that here.
_ADDRESS = re.compile(r"gradio_api/file=/*[a-z][a-z0-9+.-]*:", re.IGNORECASE)
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    # A Space is shown in a frame of the Hub's; other sites cannot have a visitor click on what they do not see.
    "Content-Security-Policy": "frame-ancestors 'self' https://huggingface.co https://*.hf.space; "
    "object-src 'none'; base-uri 'self'",
}


class Guard:
    """Middleware that refuses what is not listed, and adds headers.

    Parameters
    ----------
    app : what stands behind it.
    pages : addresses of the page's own routes.
    """

    def __init__(self, app: ASGIApp, pages: Sequence[str]) -> None:
        self.app = app
        self._places = frozenset(PLACES) | frozenset(pages)

    def reachable(self, path: str) -> bool:
        """Say whether there is something for visitors at a path (without its first slash)."""
        if _ADDRESS.match(path):
            return False
        return path.removesuffix("/") in self._places or path.startswith(FOLDERS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or hand on."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        path = scope["path"].removeprefix(scope.get("root_path", "")).removeprefix("/")
        if scope["type"] != "http" or not self.reachable(path):
            await PlainTextResponse("Not found.", 404, headers=HEADERS)(scope, receive, send)
            return
        if _borrowed(scope):
            await PlainTextResponse("Not from another site.", 403, headers=HEADERS)(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        await self.app(scope, receive, send_with_headers)


def _borrowed(scope: Scope) -> bool:
    """Say whether another site uses a visitor's login: outside of localhost gradio answers every origin, with cookies.

    Following a link to the page, or showing it in a frame, is a navigation, and no harm.
    """
    headers = Headers(scope=scope)
    elsewhere = headers.get("sec-fetch-site") in {"cross-site", "same-site"}
    navigation = headers.get("sec-fetch-mode") == "navigate" and scope["method"] in {"GET", "HEAD"}
    return bool(scope.get("session")) and elsewhere and not navigation


def guard(pages: Iterable[str]) -> Middleware:
    """Give the gate for an app with these pages, as FastAPI takes it."""
    return Middleware(Guard, pages=tuple(pages))
