"""The report's frame: one file that opens offline, in light and dark, and runs no script but its own."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence

from aeollm.figures import plotly_script
from aeollm.reporting.html import Html, joined, tag
from aeollm.sources import ASSETS

_NO_SCRIPT = "Figures need JavaScript; the tables hold all their numbers."


def page(title: str, head: str, sections: Sequence[tuple[str, str, Html]]) -> bytes:
    """Put a report together.

    Parameters
    ----------
    title : of the document.
    head : HTML that stands before all.
    sections : id, name and HTML of each; empty ones are left out.
    """
    shown = [(name, told, content) for name, told, content in sections if content]
    contents = tag("nav", *(tag("a", told, href=f"#{name}") for name, told, _ in shown), aria_label="Contents")
    scripts = [plotly_script(), _asset("report.js")]
    style = _asset("style.css") + _asset("report.css")
    body = [
        head,
        contents,
        tag("noscript", tag("p", _NO_SCRIPT)),
        tag("main", *(content for _, _, content in shown)),
        *(Html(f"<script>{script}</script>") for script in scripts),
    ]
    whole = (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_policy(scripts)}">\n'
        f"{tag('title', title)}\n<style>{style}</style>\n</head>\n<body>\n{joined(body)}\n</body>\n</html>\n"
    )
    return whole.encode(errors="backslashreplace")


def _asset(name: str) -> str:
    return (ASSETS / name).read_text(encoding="utf-8")


def _policy(scripts: Sequence[str]) -> str:
    """Allow these scripts and nothing from elsewhere, whatever the rest of the page may hold."""
    digests = (base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts)
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests)
    # plotly.js writes style elements and attributes.
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )
