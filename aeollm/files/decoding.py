"""Bytes to text: encodings, byte order marks, and files that are something else altogether."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path

from aeollm.errors import Problem

MARK = "\ufeff"
LARGEST_FILE = 64 * 2**20

_SIGNATURES = (
    (b"\x1f\x8b", "is_archive", "a gzip archive", "Unpack it and hand in the text file itself."),
    (b"BZh", "is_archive", "a bzip2 archive", "Unpack it and hand in the text file itself."),
    (b"\xfd7zXZ", "is_archive", "an xz archive", "Unpack it and hand in the text file itself."),
    (b"7z\xbc\xaf", "is_archive", "a 7-Zip archive", "Unpack it, or pack it as a zip."),
    (b"Rar!", "is_archive", "a RAR archive", "Unpack it, or pack it as a zip."),
    (b"%PDF", "binary", "a PDF document", "Hand in plain text."),
    (b"\x89PNG", "binary", "a picture", "Hand in plain text."),
    (b"\xd0\xcf\x11\xe0", "spreadsheet", "an old Office document", "Save it as text (CSV for labels, tabs for runs)."),
    (b"\xff\xfe\x00\x00", "encoding", "UTF-32 text", "Save it as UTF-8."),
    (b"\x00\x00\xfe\xff", "encoding", "UTF-32 text", "Save it as UTF-8."),
)


class Unreadable(Exception):
    """An input of which nothing can be read, with the one reason."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        super().__init__(problem.message)


def refuse(kind: str, message: str, remedy: str, **place: object) -> Unreadable:
    """Make the exception for an input that cannot be read at all."""
    return Unreadable(Problem("error", kind, message, remedy, **place))  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class Source:
    """An input as it came: its name without folder, and its bytes."""

    name: str
    content: bytes

    @property
    def digest(self) -> str:
        """Give the SHA-256 of the bytes."""
        return hashlib.sha256(self.content).hexdigest()


def open_source(path: str | Path | bytes, name: str | None = None) -> Source:
    """Read a file, or take bytes under a name.

    Raises
    ------
    Unreadable
        If the file is missing, a folder, not to be opened, or larger than 64 MiB.
    """
    if isinstance(path, bytes):
        return Source(name or "bytes", path)
    path = Path(path)
    try:
        with path.open("rb") as stream:
            # Not by its size: what is no regular file does not say how much will come.
            content = stream.read(LARGEST_FILE + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "the name cannot be used"
        raise refuse("unreadable_file", f"cannot be opened: {reason}.", "Check the path.", value=str(path)) from None
    if len(content) > LARGEST_FILE:
        raise refuse("file_too_large", "the file is larger than 64 MiB.", "Split it, or check that it is the one.")
    return Source(name or path.name, content)


@dataclass(slots=True)
class Text:
    """Decoded text with line feeds between lines, and what had to be said about it."""

    content: str
    problems: list[Problem] = field(default_factory=list)


def decode(content: bytes) -> Text:
    """Decode UTF-8, UTF-16 with mark, or, with a warning, GB18030; unify line ends.

    Raises
    ------
    Unreadable
        For empty files, other encodings, and files that are no text of ours: archives, PDF, HTML
        pages, Git LFS pointers, JSON.
    """
    for start, kind, what, remedy in _SIGNATURES:
        if content.startswith(start):
            raise refuse(kind, f"the file is {what}, not a text file.", remedy)
    text = _decode(content)
    text.content = text.content.replace("\r\n", "\n").replace("\r", "\n")
    _refuse_other_formats(text.content)
    return text


def _decode(content: bytes) -> Text:
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return _decode_utf16(content)
    zero = content.find(b"\x00")
    if zero >= 0:
        line = content.count(b"\n", 0, zero) + 1
        message = "the file holds zero bytes, so that it is no UTF-8 text (perhaps UTF-16 without its mark)."
        raise refuse("encoding", message, "Save it as UTF-8.", line=line)
    try:
        return Text(content.decode("utf-8").removeprefix(MARK))
    except UnicodeDecodeError as error:
        return _decode_gb18030(content, error.start)


def _decode_utf16(content: bytes) -> Text:
    try:
        return Text(content.decode("utf-16"))
    except UnicodeDecodeError:
        message = "the file starts as UTF-16 text but cannot be decoded as such."
        raise refuse("encoding", message, "Save it as UTF-8.") from None


def _decode_gb18030(content: bytes, first_bad: int) -> Text:
    line = content.count(b"\n", 0, first_bad) + 1
    try:
        text = content.decode("gb18030")
    except UnicodeDecodeError:
        message = f"byte {first_bad + 1} of the file is neither UTF-8 nor GB18030."
        raise refuse("encoding", message, "Save the file as UTF-8.", line=line) from None
    message = "the file is not UTF-8; it was read as GB18030 (what Chinese Excel saves)."
    warning = Problem("warning", "encoding", message, "Check the ids below, or save it as UTF-8.", line=line)
    return Text(text, [warning])


def _refuse_other_formats(text: str) -> None:
    start = text[:4096].lstrip().removeprefix(MARK).lower()
    if not text.strip(" \t\n" + MARK):
        raise refuse("empty", "the file is empty.", "Check that the right file was saved and chosen.")
    if start.startswith(("<!doctype", "<html", "<?xml", "<head", "<body")):
        message = "the file is an HTML page, not the file itself."
        raise refuse("html", message, "Download the raw file, not the page that shows it.", line=1)
    if start.startswith("version https://git-lfs"):
        message = "the file is a Git LFS pointer: it only names the real file."
        raise refuse("lfs_pointer", message, "Fetch the real file with `git lfs pull`, or download it.", line=1)
    if start.startswith(("{", "[")):
        raise refuse("json", "the file is JSON, not a table.", "Write it as text with one line an answer.", line=1)
