"""What is handed in to the Judge tab: reports, in files, a folder or a zip."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from aeollm.errors import JudgingError, Problem, UsageError, printable
from aeollm.files import Unreadable, is_zip, unpack
from aeollm.judging.reports import Reports, read_reports
from aeollm.judging.store import START
from aeollm.sources import DEMO_FOLDER
from aeollm.ui.uploads import MOST_FILES, Upload, named_files

DEMO_REPORTS = DEMO_FOLDER / "reports"
MOST_REPORT_FILES = 4_000
MOST_BYTES = 200_000_000
MOST_UNPACKED = 64 * 2**20
"""Bytes of one zip: .docx and .pdf are packed already, so that its own size bounds it; texts shrink to a fourth."""
_QUESTION = re.compile(r"(?i)report[ _-]?.+")
_TABLES = {".jsonl", ".ndjson", ".csv"}
_EXTRAS = {"__MACOSX", "Thumbs.db", "desktop.ini"}
_REMEDY = "Choose or zip the folders Report<questionId> with files <answerId>.docx, .md, .txt, .html, .pdf, or a table."


def uploaded_files(uploads: Sequence[Upload] | None) -> list[tuple[Path, str]]:
    """Give path and name of every upload; files of a folder have it in their name.

    Raises
    ------
    AeollmError
        For more than is taken, or anything that did not come through an upload.
    """
    uploads = uploads or []
    if len(uploads) > MOST_REPORT_FILES:
        message = f"{len(uploads):,} files; at most {MOST_REPORT_FILES:,} are taken."
        raise UsageError("reports", [Problem("error", "too_many_files", message, "Use `python -m aeollm judge`.")])
    checked: list[tuple[Path, str]] = []
    for start in range(0, len(uploads), MOST_FILES):
        checked += named_files(uploads[start : start + MOST_FILES])
    names = (str(upload.get("orig_name") or path.name) for upload, (path, _) in zip(uploads, checked, strict=True))
    return [(path, name) for (path, _), name in zip(checked, names, strict=True)]


def reports_of(files: Sequence[tuple[Path, str]], folder: Path) -> Reports:
    """Read reports, laid out in a folder as they are released.

    Raises
    ------
    AeollmError
        If there is none that can be read.
    """
    return laid_out(files, folder).read()


def laid_out(files: Sequence[tuple[Path, str]], folder: Path) -> Layout:
    """Lay out in a folder what was handed in.

    Raises
    ------
    AeollmError
        If it is too much.
    """
    layout = Layout(folder)
    for path, name in files:
        layout.take(name, path.read_bytes())
    return layout


@dataclass
class Layout:
    """Reports laid out as they are released, and replies of an earlier session, one file's contents each."""

    folder: Path
    tables: list[Path] = field(default_factory=list)
    replies: list[bytes] = field(default_factory=list)
    loose: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    size: int = 0
    placed: int = 0

    def take(self, name: str, content: bytes) -> None:
        """Put one file where it belongs, or a zip's files."""
        if name.lower().endswith(".zip") and is_zip(content):
            for inside, own in self._unpacked(name, content):
                self._put(inside, own)
        else:
            self._put(name, content)

    def _unpacked(self, name: str, content: bytes) -> Iterator[tuple[str, bytes]]:
        try:
            yield from unpack(content, MOST_REPORT_FILES, MOST_UNPACKED).items()
        except Unreadable as error:
            told, remedy = f"{printable(name, 80)}: {error.problem.message}", error.problem.remedy
            if error.problem.kind == "archive_too_large":
                remedy = f"Choose the folder itself instead: {MOST_BYTES // 10**6} MB are taken in all."
            self.problems.append(Problem("error", error.problem.kind, told, remedy))

    def _put(self, name: str, content: bytes) -> None:
        parts = [part for part in name.replace("\\", "/").split("/") if part not in {"", ".", ".."}]
        if not parts or parts[-1].startswith((".", "~$")) or _EXTRAS & set(parts):
            return
        self.size += len(content)
        if self.size > MOST_BYTES:
            message = f"more than {MOST_BYTES // 10**6} MB of reports."
            raise UsageError("reports", [Problem("error", "too_much", message, "Use `python -m aeollm judge`.")])
        if content.startswith(START):
            self.replies.append(content)
            return
        inside = len(parts) > 1 and _QUESTION.fullmatch(parts[-2]) is not None
        table = not inside and Path(parts[-1]).suffix.lower() in _TABLES
        if not inside and not table:
            self.loose.append(name)
            return
        path = self.folder.joinpath(*parts[-2:]) if inside else self.folder / f"{len(self.tables)}-tables" / parts[-1]
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        except (OSError, ValueError):
            self.problems.append(Problem("error", "name", f"{printable(name, 80)} cannot be a file's name.", ""))
            return
        if table:
            self.tables.append(path)
        else:
            self.placed += 1

    @property
    def only_replies(self) -> bool:
        """Tell whether nothing but replies was handed in."""
        return bool(self.replies) and not (self.tables or self.placed or self.loose or self.problems)

    def read(self) -> Reports:
        """Read the reports.

        Raises
        ------
        AeollmError
            If there is none that can be read.
        """
        self._tell_loose()
        if self.tables and (len(self.tables) > 1 or self.placed):
            message = "several tables, or a table beside folders: an answer could be there twice."
            raise UsageError("reports", [Problem("error", "several_tables", message, "Hand in one kind.")])
        if not self.tables and not self.placed:
            problem = Problem("error", "no_reports", "there is no report in what was handed in.", _REMEDY)
            raise JudgingError("reports", self.problems or [problem])
        found = read_reports(self.tables[0] if self.tables else self.folder)
        return Reports(found.name, found.reports, (*self.problems, *found.problems))

    def _tell_loose(self) -> None:
        if self.loose:
            count = len(self.loose)
            which = f"{printable(self.loose[0], 60)} {'does' if count == 1 else f'and {count - 1} more do'}"
            message = f"{which} not say which question is answered."
            self.problems.insert(0, Problem("error", "no_question", message, _REMEDY))
