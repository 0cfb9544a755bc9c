"""Figures inside a page of one's own: plotly.js and a figure's JSON as they may stand in a script element."""

from __future__ import annotations

import plotly.graph_objects as go
from plotly import offline


def plotly_script() -> str:
    """Give plotly.js as installed, safe inside ``<script>``."""
    # A browser takes CR LF for LF before it hashes a script.
    source = str(offline.get_plotlyjs()).replace("\r\n", "\n").replace("\r", "\n")
    return source.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def figure_json(figure: go.Figure) -> str:
    """Give a figure's data and layout as JSON that no HTML parser takes for markup."""
    # Not by orjson, where that is installed: it refuses names that are no Unicode.
    text = str(figure.to_json(engine="json"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
