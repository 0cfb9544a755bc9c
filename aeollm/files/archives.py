"""Zip files from users: bounded, unpacked in memory only, Mac extras and folders ignored."""

from __future__ import annotations

import io
import stat
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from aeollm.errors import Problem, printable
from aeollm.files.decoding import Source, refuse

if TYPE_CHECKING:
    from zipfile import ZipFile, ZipInfo

MOST_ENTRIES = 100
MOST_ENTRIES_LABELS = 2_000
LONGEST_NAME = 255
LARGEST_UNPACKED = 20 * 2**20

_ENTRY = b"PK\x01\x02"
_STORED_OR_DEFLATED = {0, 8}
_EXTRAS = {".DS_Store", "Thumbs.db", "desktop.ini"}
_TEXT = {"", ".txt", ".tsv", ".run", ".dat"}


def is_zip(content: bytes) -> bool:
    """Recognise a zip by its first bytes, whatever its name."""
    return content.startswith((b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08"))


def unpack_run(source: Source) -> tuple[Source, list[Problem]]:
    """Take the one run out of a zip; the name stays that of the file handed in.

    Raises
    ------
    Unreadable
        If the zip is damaged, unsafe, too large, empty, or holds several runs.
    """
    files = unpack(source.content, MOST_ENTRIES)
    chosen = files if len(files) == 1 else {n: c for n, c in files.items() if PurePosixPath(n).suffix.lower() in _TEXT}
    chosen = chosen or files
    if len(chosen) > 1:
        names = ", ".join(printable(name, 60) for name in sorted(chosen))
        raise refuse("archive_ambiguous", f"the zip holds {len(chosen)} files: {names}.", "Pack one run a zip.")
    name, content = next(iter(chosen.items()))
    if is_zip(content):
        raise refuse("archive_nested", f"{printable(name)} in the zip is a zip itself.", "Pack the text file.")
    problems = []
    if not source.name.lower().endswith(".zip"):
        message = f"the file is a zip although its name does not say so; {printable(name)} in it was read."
        problems.append(Problem("warning", "is_archive", message, "Name it .zip, or hand in the text file."))
    return Source(source.name, content), problems


def unpack(content: bytes, most_entries: int, most_bytes: int = LARGEST_UNPACKED) -> dict[str, bytes]:
    """Give the files of a zip by path, without Mac and Windows extras.

    Raises
    ------
    Unreadable
        If the zip is damaged, encrypted, unsafe, too large, or has nothing in it; an Office document too.
    """
    import zipfile  # noqa: PLC0415  costs start-up time that text files need not pay
    import zlib  # noqa: PLC0415  as zipfile

    # Counted before `zipfile` builds an object for each of what may be a million.
    entries = content.count(_ENTRY)
    if entries > most_entries:
        message = f"the zip has {entries} entries; {most_entries} are allowed."
        raise refuse("archive_too_large", message, "Pack only what is needed.")
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return {name: _read(archive, entry) for name, entry in _entries(archive, most_bytes).items()}
    except (zipfile.BadZipFile, NotImplementedError, EOFError, OSError, ValueError, zlib.error) as error:
        raise refuse("archive_damaged", f"the zip is damaged ({printable(str(error))}).", "Pack it anew.") from None
    except RuntimeError:
        raise refuse("archive_encrypted", "the zip is protected by a password.", "Pack it without one.") from None


def _read(archive: ZipFile, entry: ZipInfo) -> bytes:
    """Read an entry, and never more than the size it claims: `ZipFile.read` inflates first and cuts then."""
    with archive.open(entry) as stream:
        return stream.read(entry.file_size)


def _entries(archive: ZipFile, most_bytes: int) -> dict[str, ZipInfo]:
    entries = archive.infolist()
    if sum(entry.file_size for entry in entries) > most_bytes:
        message = f"the zip unpacks to more than {most_bytes // 2**20} MiB."
        raise refuse("archive_too_large", message, "Pack only what is needed.")
    if any(entry.filename == "[Content_Types].xml" for entry in entries):
        message = "the file is an Office document (such as an Excel workbook), not text."
        raise refuse("spreadsheet", message, "Save it as text: CSV for labels, tab-separated for runs.")
    files: dict[str, ZipInfo] = {}
    for entry in entries:
        path = _safe_path(entry)
        if entry.is_dir() or path.name in _EXTRAS or path.name.startswith("._") or path.parts[0] == "__MACOSX":
            continue
        if str(path) in files:
            raise refuse("archive_ambiguous", f"{printable(str(path))} is in the zip twice.", "Pack it once.")
        files[str(path)] = entry
    if not files:
        raise refuse("archive_empty", "the zip holds no file of its own.", "Pack the file into it.")
    return files


def _safe_path(entry: ZipInfo) -> PurePosixPath:
    name = entry.filename.replace("\\", "/")
    shown = printable(name, 80)
    path = PurePosixPath(name)
    if len(name) > LONGEST_NAME:
        raise refuse("archive_unsafe", f"a name in the zip is longer than 255 characters: {shown}.", "Rename it.")
    if path.is_absolute() or ".." in path.parts or ":" in name.split("/")[0] or not path.parts:
        raise refuse("archive_unsafe", f"a path in the zip leads outside of it: {shown}.", "Pack plain names.")
    if stat.S_ISLNK(entry.external_attr >> 16):
        raise refuse("archive_unsafe", f"{shown} in the zip is a link.", "Pack the file itself.")
    if entry.compress_type not in _STORED_OR_DEFLATED:
        message = f"{shown} in the zip is packed by an unusual method ({entry.compress_type})."
        raise refuse("archive_method", message, "Pack it as an ordinary zip (deflate).")
    return path
