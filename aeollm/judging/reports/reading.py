"""A folder as released, or a JSONL or CSV table, to reports."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from aeollm.errors import JudgingError, Problem, printable
from aeollm.judging.reports.converting import Converter
from aeollm.judging.reports.decoding import LARGEST_TABLE, Unusable, checked_text, decode_text, read_bytes
from aeollm.judging.reports.nouns import Report, Reports
from aeollm.judging.reports.tables import BLANK_IN_ID, has_blank, read_csv_rows, read_jsonl_rows
from aeollm.tables import Key

_FOLDER = re.compile(r"(?i)report[ _-]?(.+)")
_PLAIN = (".md", ".markdown", ".txt")
PREFERRED = (".md", ".markdown", ".docx", ".html", ".htm", ".txt", ".pdf")
"""Formats in the order of how much they keep: of the same report in two, the first is taken."""
_TABLES = {
    ".jsonl": read_jsonl_rows,
    ".ndjson": read_jsonl_rows,
    ".csv": read_csv_rows,
    ".tsv": read_csv_rows,
}
_IGNORED = re.compile(r"~\$.*|\..*|__MACOSX|Thumbs\.db|desktop\.ini")


def read_reports(path: Path | str) -> Reports:
    """Read ``Report<questionId>/<answerId>.docx`` (md, txt, html, pdf), or a table of questionId, answerId, text.

    A file that cannot be used is a problem with its name and keeps nobody else from being judged.

    Raises
    ------
    JudgingError
        If the path cannot be read, or holds no report at all.
    """
    path = Path(path)
    try:
        reports, problems = _from_folder(path) if path.is_dir() else _from_table(path)
    except OSError as error:
        message = f"cannot be read: {error.strerror}."
        raise JudgingError(str(path), [Problem("error", "unreadable_file", message, "Check its rights.")]) from None
    if not reports and not any(problem.severity == "error" for problem in problems):
        message = "there is no report in it."
        remedy = "It holds folders Report<questionId> with files <answerId>.docx (md, txt, html, pdf), or name a table."
        problems = [Problem("error", "no_reports", message, remedy), *problems]
    if not reports:
        raise JudgingError(str(path), problems)
    return Reports(path.name, tuple(reports), tuple(problems))


def _from_table(path: Path) -> tuple[list[Report], list[Problem]]:
    try:
        if not path.exists():
            raise Unusable("unreadable_file", "is not there.", "Check the path.")
        rows = _TABLES.get(path.suffix.lower())
        if rows is None:
            message = "is neither a folder nor a .jsonl or .csv file."
            raise Unusable("unsupported", message, "Name the folder that holds Report<questionId>, or a table.")
        return rows(decode_text(read_bytes(path, LARGEST_TABLE)), path.name)
    except Unusable as reason:
        raise JudgingError(str(path), [reason.problem(path.name)]) from None


def _from_folder(folder: Path) -> tuple[list[Report], list[Problem]]:
    reports: list[Report] = []
    problems: list[Problem] = []
    with Converter() as converter:
        for (question, answer), files in _files(folder, problems).items():
            best, *others = sorted(files, key=lambda file: (PREFERRED.index(file.suffix.lower()), file.name))
            name = best.relative_to(folder).as_posix()
            if others:
                message = f"{printable(name)} is used; {len(others)} more files are for the same report."
                remedy = "Keep one file for each report."
                problems.append(Problem("warning", "duplicate_key", message, remedy, question=question, answer=answer))
            try:
                reports.append(Report(question, answer, _text(best, converter), name))
            except Unusable as reason:
                problems.append(reason.problem(name, question=question, answer=answer))
    return reports, problems


def _text(path: Path, converter: Converter) -> str:
    if path.suffix.lower() in _PLAIN:
        return checked_text(decode_text(read_bytes(path)))
    return converter.markdown(path)


def _files(folder: Path, problems: list[Problem]) -> dict[Key, list[Path]]:
    """Sort files to answers; what does not belong is told once a folder, or by name."""
    found: dict[Key, list[Path]] = {}
    for question, inside in _folders(folder, problems):
        for path in _seen(inside):
            # A pipe or a device would be waited for; a link to nowhere is told when it is read.
            readable = path.is_file() or not path.exists()
            if not readable or path.suffix.lower() not in PREFERRED:
                name = printable(path.relative_to(folder).as_posix())
                message = f"{name}: is not in a format that is read."
                remedy = "Save it as .docx, .md, .txt, .html or .pdf, directly in its question's folder."
                problems.append(Problem("error", "unsupported", message, remedy, value=name, question=question))
            else:
                found.setdefault((question, path.stem), []).append(path)
    for key in [key for key in found if any(map(has_blank, key))]:
        del found[key]
        name = printable(" / ".join(key))
        problems.append(Problem("error", "blank_in_id", f"{name}: {BLANK_IN_ID}", "Rename it.", question=key[0]))
    return found


def _folders(folder: Path, problems: list[Problem]) -> Iterator[tuple[str, Path]]:
    """Give the questions' folders: inside of the folder, or the folder itself where it is one."""
    own = _FOLDER.fullmatch(folder.name)
    inside = [(path, _FOLDER.fullmatch(path.name)) for path in _seen(folder) if path.is_dir()]
    if own and not any(match for _, match in inside):
        yield own[1], folder
        return
    for path, match in inside:
        if match is not None:
            yield match[1], path
        else:
            message = f"the folder {printable(path.name)} is no Report<questionId> and was left aside."
            problems.append(Problem("warning", "other_folder", message, "Name it Report<questionId> if it is one."))


def _seen(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if not _IGNORED.fullmatch(path.name))
