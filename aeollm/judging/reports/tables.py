"""Reports in one table: JSONL or CSV with questionId, answerId and text."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping

from aeollm.errors import Problem, printable
from aeollm.judging.reports.decoding import LONGEST_TEXT, Unusable, checked_text
from aeollm.judging.reports.nouns import Report
from aeollm.tables import Key

BLANK_IN_ID = "holds a blank or an invisible character, so that no run could name it."
_COLUMNS = ("questionId", "answerId", "text")

Found = tuple[list[Report], list[Problem]]


def read_jsonl_rows(content: str, name: str) -> Found:
    """Read one object a line."""
    rows: list[tuple[int, Mapping[str, object] | None]] = []
    for number, line in enumerate(content.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            value = None
        rows.append((number, value if isinstance(value, dict) else None))
    return _reports(rows, name)


def read_csv_rows(content: str, name: str) -> Found:
    """Read rows under a header that names the three columns, in any order, by commas, or semicolons or tabs.

    Raises
    ------
    Unusable
        If the header lacks one or has one twice, or quotation marks do not pair.
    """
    before = csv.field_size_limit(LONGEST_TEXT)
    try:
        reader = csv.DictReader(io.StringIO(content, newline=""), strict=True, delimiter=_delimiter(content))
        header = [name.strip() for name in reader.fieldnames or ()]
        reader.fieldnames = header
        missing = [column for column in _COLUMNS if column not in header]
        if missing:
            shown = printable(", ".join(header))
            message = f"has no column {', '.join(missing)}; its header names {shown or 'nothing'}."
            raise Unusable("missing_column", message, "Name the columns questionId, answerId, text.")
        twice = [column for column in _COLUMNS if header.count(column) > 1]
        if twice:
            raise Unusable("column_twice", f"has two columns {', '.join(twice)}.", "Keep one of each.")
        return _reports([(reader.line_num, row) for row in reader], name)
    except csv.Error as error:
        raise Unusable("csv", f"cannot be read as CSV ({error}).", "Look for an unpaired quotation mark.") from None
    finally:
        csv.field_size_limit(before)


def _delimiter(content: str) -> str:
    """Give what parts the header into the columns: Excel writes semicolons where the comma is the decimal mark."""
    header = content.split("\n", 1)[0]
    return max((",", ";", "\t"), key=header.count)


def has_blank(text: str) -> bool:
    """Tell whether an id cannot stand in a run file."""
    return any(letter.isspace() or not letter.isprintable() for letter in text)


def _reports(rows: Iterable[tuple[int, Mapping[str, object] | None]], name: str) -> Found:
    reports: list[Report] = []
    problems: list[Problem] = []
    seen: dict[Key, int] = {}
    for line, row in rows:
        try:
            question, answer, text = _row(row)
            first = seen.setdefault((question, answer), line)
            if first != line:
                raise Unusable("duplicate_key", f"is there again; it was first on line {first}.", "Keep one.")
            reports.append(Report(question, answer, text, f"{name}:{line}"))
        except Unusable as reason:
            message = f"the report {reason.message}" if not reason.message.startswith("the ") else reason.message
            problems.append(Problem("error", reason.kind, message, reason.remedy, line))
    return reports, problems


def _row(row: Mapping[str, object] | None) -> tuple[str, str, str]:
    if row is None:
        raise Unusable("json", "the line is no JSON object.", "Write one object a line.")
    ids = []
    for column in _COLUMNS[:2]:
        value = row.get(column)
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if not isinstance(value, str) or not value.strip():
            raise Unusable("missing_id", f"the line has no {column}.", "Give both ids, as text.")
        ids.append(value.strip())
        if has_blank(ids[-1]):
            raise Unusable("blank_in_id", f"the line's {column} {BLANK_IN_ID}", "Rename it.")
    text = row.get("text")
    if not isinstance(text, str):
        raise Unusable("empty", "has no text.", "Give the report under text.")
    return ids[0], ids[1], checked_text(text)
