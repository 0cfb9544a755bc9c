"""The app as on a Space where somebody has signed in: a cookie names the account, and nothing else is replaced.

What gradio's sign-in leaves in a request is its session; here it comes from a cookie that is not signed.
"""

from __future__ import annotations

from http.cookies import SimpleCookie

from starlette.datastructures import Headers
from starlette.middleware import Middleware

from aeollm.submissions import open_host
from aeollm.ui import Hosted, build_app, launch_options, open_catalogue
from aeollm.ui.identity import signed_in


class Sessions:
    """Puts a session where gradio's does."""

    def __init__(self, app):
        self.app = app

    async def __call__(self, scope, receive, send):
        if scope["type"] == "http":
            cookies = SimpleCookie(Headers(scope=scope).get("cookie", ""))
            account = cookies["account"].value if "account" in cookies else None
            scope["session"] = {"oauth_info": {"userinfo": {"preferred_username": account}}} if account else {}
        await self.app(scope, receive, send)


def main() -> None:
    """Serve it, as `app.main` does."""
    host = open_host()
    hosted = Hosted(host, signed_in)
    catalogue = open_catalogue(host=host)
    app = build_app(catalogue, hosted)
    options = launch_options(app, catalogue, hosted)
    # Outside of the gate, where gradio puts its own.
    options["app_kwargs"]["middleware"].insert(0, Middleware(Sessions))
    app.launch(**options)


if __name__ == "__main__":
    main()
