"""Bytes of a report to text, bounded, with the one reason where that is impossible."""

from __future__ import annotations

import re
from pathlib import Path

from aeollm.errors import Problem, printable
from aeollm.judging.reports.pictures import is_picture_only, without_embedded

LARGEST_FILE = 64 * 2**20
LARGEST_TABLE = 2**30
"""Of a table, which holds many reports."""
LONGEST_TEXT = 4_000_000
_MARKS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))


class Unusable(Exception):
    """A report that cannot be judged, with the one reason."""

    def __init__(self, kind: str, message: str, remedy: str) -> None:
        self.kind, self.message, self.remedy = kind, message, remedy
        super().__init__(message)

    def problem(self, source: str, question: str | None = None, answer: str | None = None) -> Problem:
        """Give it as a problem of a file."""
        message = f"{printable(source)}: {self.message}"
        return Problem("error", self.kind, message, self.remedy, value=source, question=question, answer=answer)


def picture_only() -> Unusable:
    """Give the reason of a report that is no text."""
    return Unusable("image_only", "holds pictures only, no text.", "Hand in the report's text.")


def read_bytes(path: Path, most: int = LARGEST_FILE) -> bytes:
    """Read a file of at most so many bytes.

    Raises
    ------
    Unusable
        If it cannot be opened, or is larger.
    """
    try:
        with path.open("rb") as stream:
            content = stream.read(most + 1)
    except OSError as error:
        raise Unusable("unreadable_file", f"cannot be opened ({error.strerror}).", "Check the file.") from None
    if len(content) > most:
        remedy = "Check that it is the report alone." if most == LARGEST_FILE else "Split it, and judge part by part."
        raise Unusable("file_too_large", f"is larger than {most // 2**20} MiB.", remedy)
    return content


def decode_text(content: bytes) -> str:
    """Decode UTF-8, UTF-16 with its mark, or GB18030, as Chinese Windows writes it.

    Raises
    ------
    Unusable
        If it is none of these.
    """
    encoding = next((name for mark, name in _MARKS if content.startswith(mark)), None)
    for candidate in (encoding,) if encoding else ("utf-8", "gb18030"):
        try:
            text = content.decode(candidate)
        except UnicodeDecodeError:
            continue
        if "\0" not in text:
            return text.replace("\r\n", "\n").replace("\r", "\n")
    raise Unusable("encoding", "is no text in UTF-8, UTF-16 or GB18030.", "Save it as UTF-8.")


def checked_text(text: str) -> str:
    """Give a report's text, pictures in it by their description, if there is some and not too much.

    Raises
    ------
    Unusable
        Otherwise.
    """
    shown = without_embedded(text).strip()
    if is_picture_only(shown) or (text.strip() and not shown):
        raise picture_only()
    text = shown
    if not re.search(r"\w", text):
        raise Unusable("empty", "holds no text.", "Check that the right file was saved.")
    if len(text) > LONGEST_TEXT:
        raise Unusable(
            "too_long", f"holds more than {LONGEST_TEXT:,} characters.", "Check that it is the report alone."
        )
    return text
