"""The health page: what runs here and on which labels, for people and for monitors. It holds no secrets."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from aeollm.reporting.html import Html, table, tag
from aeollm.ui.catalogue import Catalogue
from aeollm.version import __version__

PATH = "health"
Report = Mapping[str, str | int | bool | None]
"""Plain facts by name, as a store may tell about itself."""
_STYLE = (
    ":root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:52rem;"
    "padding:0 1rem}table{border-collapse:collapse}th,td{text-align:left;padding:.25rem 1.2rem .25rem 0}"
    ".ae-scroll{overflow-x:auto}.ae-caption{margin:1.2rem 0 .2rem;font-weight:700}"
)


def health(catalogue: Catalogue, store: Callable[[], Report] | None = None) -> dict[str, Any]:
    """Say what runs here.

    Parameters
    ----------
    catalogue : the server's label sets.
    store : gives facts about where submissions go; there is none where none are taken. Its "ok" is the state, too.
    """
    offer = catalogue.offer()
    told = dict(store()) if store is not None else None
    well = not offer.trouble and (told is None or bool(told.get("ok", True)))
    waiting = "loading" if offer.pending else "unavailable" if offer.trouble else "ready"
    return {
        "status": "ok" if well else "degraded",
        "version": __version__,
        "labels": {
            "state": waiting,
            "chosen": offer.default,
            "sets": [
                {
                    "name": name,
                    "revision": found.labels.revision or found.labels.digest[:8],
                    "questions": len(found.labels.question_order),
                    "answers": len(found.labels),
                }
                for name, found in offer.sets.items()
            ],
        },
        "store": told,
    }


def health_route(catalogue: Catalogue, store: Callable[[], Report] | None = None) -> Route:
    """Give the route: a page for browsers, one JSON object for whoever asks for nothing or for JSON."""

    def answer(request: Request) -> Response:
        told = health(catalogue, store)
        headers = {"Cache-Control": "no-store", "Vary": "Accept"}
        if "text/html" in request.headers.get("accept", ""):
            return HTMLResponse(_page(told), headers=headers)
        return Response(json.dumps(told, ensure_ascii=False, indent=1), media_type="application/json", headers=headers)

    return Route(f"/{PATH}", answer, methods=["GET"])


def _page(told: Mapping[str, Any]) -> str:
    labels, store = told["labels"], told["store"]
    facts = [
        ("state", told["status"]),
        ("version", f"aeollm {told['version']}"),
        ("labels", f"{labels['state']}; {labels['chosen']} is chosen at first"),
        ("store", "none: nothing is submitted here" if store is None else "see below"),
    ]
    sets = [[str(value) for value in found.values()] for found in labels["sets"]]
    body = [
        tag("h1", "AEOLLM: health"),
        table(["what", "is"], facts, "This server"),
        table(["label set", "revision", "questions", "answers"], sets, "Label sets"),
    ]
    if store is not None:
        body.append(table(["what", "is"], [(name, str(value)) for name, value in store.items()], "Store"))
    head = tag("meta", charset="utf-8") + tag("title", "AEOLLM: health") + tag("style", Html(_STYLE))
    meta = '<meta name="viewport" content="width=device-width, initial-scale=1">'
    return f'<!doctype html><html lang="en"><head>{meta}{head}</head>{tag("body", tag("main", *body))}</html>'
