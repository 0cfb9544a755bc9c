"""CSV text to rows with their lines, and what is wrong with a header."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator, Sequence

from aeollm.errors import printable
from aeollm.files.decoding import Unreadable, refuse

_SHORT = 40


def csv_rows(text: str, delimiter: str = ",") -> Iterator[tuple[int, list[str]]]:
    """Give every row that is not blank with the line it ends on.

    Raises
    ------
    Unreadable
        If quotation marks swallow the rest of the file.
    """
    reader = csv.reader(_lines(text), strict=True, delimiter=delimiter)
    # Ids and names stand on very many rows; the reader makes each one anew.
    short: dict[str, str] = {}
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                yield reader.line_num, [short.setdefault(cell, cell) if len(cell) < _SHORT else cell for cell in row]
    except csv.Error as error:
        message = f"no CSV can be read from here on ({error})."
        remedy = "Look for a quotation mark without its partner."
        raise refuse("csv", message, remedy, line=reader.line_num) from None


def _lines(text: str) -> Iterator[str]:
    """Give the lines with their ends; a file in memory would hold the text again, at four bytes a character."""
    start = 0
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        yield text[start:end]
        start = end


def repeated(header: Sequence[str]) -> list[str]:
    """List the names that stand twice in a header."""
    return sorted(name for name, times in Counter(header).items() if times > 1 and name)


def bad_header(header: Sequence[str], line: int, missing: Sequence[str], twice: Sequence[str]) -> Unreadable:
    """Make the exception for a header without a column it needs, or with one twice."""
    shown = printable(", ".join(header)) or "nothing"
    for separator, name in ((";", "semicolons"), ("\t", "tabs")):
        if len(header) == 1 and separator in header[0]:
            message = f"the columns are separated by {name}; a CSV needs commas."
            return refuse("missing_column", message, "Save it as comma-separated.", line=line, value=header[0])
    if twice:
        message = f"column {printable(', '.join(twice))} stands twice in the header."
        return refuse("duplicate_column", message, "Keep one.", line=line, column=twice[0])
    message = f"column {', '.join(missing)} is missing; the header names {shown}."
    return refuse("missing_column", message, "Add the column, spelt like this.", line=line, column=missing[0])
