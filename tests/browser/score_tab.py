"""The Score tab as a visitor uses it: drop, choose, read."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from playwright.sync_api import Locator, Page, TimeoutError, expect

File = tuple[str, bytes]
"""A file as a visitor's machine holds it: name and content."""

SLOW = 45_000
"""Milliseconds until a page that does not show something has failed; a machine that stalls needs tens of thousands."""

_DROP = """(zone, files) => {
  const data = new DataTransfer();
  for (const [name, content] of files) {
    data.items.add(new File([Uint8Array.from(atob(content), c => c.charCodeAt(0))], name));
  }
  for (const kind of ['dragenter', 'dragover', 'drop']) {
    zone.dispatchEvent(new DragEvent(kind, {dataTransfer: data, bubbles: true, cancelable: true}));
  }
}"""


def from_disk(*paths: Path) -> list[File]:
    """Take files as they lie on the disk."""
    return [(path.name, path.read_bytes()) for path in paths]


def settled(page: Page) -> None:
    """Wait until nothing on a page waits for an answer: it is faint then, or shows gradio's own words and clock."""
    expect(page.locator(":is(.pending, .progress-text, .meta-text, .meta-text-center)")).to_have_count(0, timeout=SLOW)


class ScoreTab:
    """One visitor's page."""

    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self.url = url
        self.zone = page.locator("#runs")
        self.status = page.locator("#status")
        self.report = page.locator("#report")
        self.names = page.locator("#scores tbody th")
        self.signatures = page.locator("#scores .ae-signatures code")
        self.listed = page.locator("#runs tr.file td.filename")

    def open(self, **query: str) -> ScoreTab:
        """Open the page and wait until it is all there."""
        self.page.goto(f"{self.url}/?{urlencode({'__theme': 'light'} | query)}")
        expect(self.page.locator("#by-question .js-plotly-plot .point").first).to_be_visible(timeout=SLOW)
        return self

    def drop(self, files: Iterable[File]) -> None:
        """Drop files on the zone: the events a browser sends, with the files in their DataTransfer."""
        packed = [[name, base64.b64encode(content).decode()] for name, content in files]
        self.page.locator("#runs button.upload-container").evaluate(_DROP, packed)

    def own_labels(self, file: File) -> None:
        """Hand in labels through the button's file chooser."""
        name, content = file
        with self.page.expect_file_chooser() as asked:
            self.page.locator("#own-labels").click()
        asked.value.set_files([{"name": name, "mimeType": "text/plain", "buffer": content}])

    def shows(self, *names: str, timeout: float = SLOW) -> None:
        """Wait until the table has exactly these rows."""
        expect(self.names).to_have_text(list(names), timeout=timeout)

    def choose(self, elem_id: str, option: str) -> None:
        """Choose an option of a dropdown by its text."""
        self.page.locator(f"#{elem_id} input").click()
        self.page.get_by_role("option", name=option, exact=True).click()

    def measure(self, title: str) -> None:
        """Choose the measure of the table and the figure of questions."""
        self.page.locator("#measure label", has_text=title).click()

    def row(self, name: str) -> Locator:
        """Give the row of a run."""
        return self.page.locator("#scores tbody tr").filter(has=self.page.locator("th", has_text=name))

    def numbers(self, name: str, views: int = 5) -> list[float | None]:
        """Give a run's means as shown, None for undefined."""
        cells = self.row(name).locator("td").all_inner_texts()
        return [shown_number(cell.split()[0]) for cell in cells[:views]]

    def questions(self) -> list[list[str]]:
        """Give the cells of the table of questions."""
        rows = self.page.locator("#questions [role=row]:has([role=gridcell])").all()
        return [[cell.strip() for cell in row.locator("[role=gridcell]").all_inner_texts()] for row in rows]

    def pointed_at(self, elem_id: str) -> str:
        """Point at the first dot of a figure and give what plotly tells about it."""
        dot, told = (self.page.locator(f"#{elem_id} {part}").first for part in (".point", ".hoverlayer text"))
        for _ in range(5):  # a figure that is drawn anew forgets the pointer
            self.page.mouse.move(0, 0)
            dot.hover(force=True)
            with suppress(TimeoutError):
                told.wait_for(timeout=2_000)
                return told.text_content() or ""
        raise AssertionError(f"no words at a dot of #{elem_id}")

    def points(self, elem_id: str) -> list[dict[str, Any]]:
        """Give the traces of a figure as plotly has them."""
        return list(
            self.page.locator(f"#{elem_id} .js-plotly-plot").evaluate(
                "plot => plot.data.map(({name, x, y, customdata}) => ({name, x: [...x], y: [...y], customdata}))"
            )
        )


def shown_number(text: str) -> float | None:
    """Read a number as the page writes it.

    >>> shown_number("−.124"), shown_number("–")
    (-0.124, None)
    """
    return None if text == "–" else float(text.replace("−", "-"))


def means(scored: dict[str, Any], measure: str) -> list[float | None]:
    """Give a run's means in the order of the page's columns, from the command line's object."""
    return [view[measure]["mean"] for view in scored["scores"].values()]


def same(shown: Sequence[float | None], exact: Sequence[float | None]) -> bool:
    """Say whether numbers with three decimals show the exact ones."""
    return [value is None for value in shown] == [value is None for value in exact] and all(
        abs(value - true) <= 0.5e-3 + 1e-9 for value, true in zip(shown, exact, strict=True) if value is not None
    )


def blank(text: str) -> str:
    """Make runs of white space one blank."""
    return re.sub(r"\s+", " ", text).strip()
