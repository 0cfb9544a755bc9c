"""Files offered for download: in the page itself, or for an hour in a folder that goes with the process."""

from __future__ import annotations

import hashlib
import tempfile
import time
from base64 import b64encode
from dataclasses import dataclass, field
from pathlib import Path

from aeollm.reporting.html import Html, tag

_KEPT_SECONDS = 3_600


@dataclass
class Downloads:
    """Writes contents under their names; equal contents share one file."""

    _folder: tempfile.TemporaryDirectory[str] = field(
        default_factory=lambda: tempfile.TemporaryDirectory(prefix="aeollm-downloads-")
    )

    def write(self, name: str, content: bytes) -> str:
        """Give the path of a file with this name and content."""
        self._remove_old()
        path = Path(self._folder.name) / hashlib.sha256(content).hexdigest()[:16] / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
        return str(path)

    def _remove_old(self) -> None:
        for path in Path(self._folder.name).glob("*/*"):
            if path.stat().st_mtime < time.time() - _KEPT_SECONDS:
                path.unlink(missing_ok=True)


def link_to(name: str, content: bytes, media: str, words: Html) -> Html:
    """Offer a file that is part of the page: nothing can sweep it away, and nobody else can ask for it."""
    address = f"data:{media};charset=utf-8;base64,{b64encode(content).decode()}"
    return tag("a", words, class_="ae-take", download=name, href=Html(address))
