"""What people type beside a file: checked, bounded, and kept as plain text."""

from __future__ import annotations

import unicodedata
from typing import NamedTuple

from aeollm.errors import Problem, SubmissionError, printable

LONGEST_METHOD = 80
LONGEST_DESCRIPTION = 2_000
LONGEST_FILE_NAME = 255
LARGEST_SUBMISSION = 5_000_000
"""Bytes of one file; a formal run of 20 questions has about 20,000."""

_REFUSED = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_BLANK = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Letters and a symbol by category, but drawn as nothing."""
_MOST_MARKS = 4
"""One above the other on a letter; a pile of them covers the lines around."""
_JOINERS = frozenset("\u200c\u200d")
"""Invisible, but letters of some scripts need them."""


class FileName(NamedTuple):
    """A file's name taken apart as the task's rule for names has it, ``teamId_methods.txt``."""

    team: str | None
    method: str | None


def split_file_name(name: str) -> FileName:
    """Take a file name apart at its first underscore; without one, neither part is known.

    >>> split_file_name("ISLab_llama3-1_baseline5.txt")
    FileName(team='ISLab', method='llama3-1_baseline5')
    >>> split_file_name("run.txt")
    FileName(team=None, method=None)
    """
    stem = plain_name(name)
    stem = stem.rsplit(".", 1)[0] if "." in stem.lstrip(".") else stem
    team, mark, method = stem.partition("_")
    return FileName(team, method) if mark and team and method else FileName(None, None)


def plain_name(name: str) -> str:
    r"""Give a file name without the folders before it, of either kind of system.

    >>> plain_name("..\\..\\etc/passwd")
    'passwd'
    """
    return name.replace("\\", "/").rsplit("/", 1)[-1]


class Fields(NamedTuple):
    """A submission's texts, as they will be stored."""

    file_name: str
    method: str
    description: str


def check_fields(file_name: str, method: str, description: str) -> tuple[Fields, list[Problem]]:
    """Normalise the texts (NFC, outer blanks) and find what cannot be accepted in them."""
    fields = Fields(
        _normal(plain_name(file_name)), _normal(method), _normal(description.replace("\r\n", "\n").replace("\r", "\n"))
    )
    problems = [
        *_trouble("file name", fields.file_name, LONGEST_FILE_NAME),
        *_trouble("method", fields.method, LONGEST_METHOD),
        *_trouble("description", fields.description, LONGEST_DESCRIPTION, empty=True, allowed="\n"),
    ]
    return fields, problems


def refuse_large(content: bytes, file_name: str) -> None:
    """Look at no file that can be no run.

    Raises
    ------
    SubmissionError
        If it is larger than any.
    """
    if len(content) > LARGEST_SUBMISSION:
        message = f"the file has {len(content)} bytes; {LARGEST_SUBMISSION} are allowed."
        problem = Problem("error", "file_too_large", message, "Is it a run file? A zip with one in it is taken, too.")
        raise SubmissionError(printable(file_name, 255), [problem])


def _normal(text: str) -> str:
    return unicodedata.normalize("NFC", text).strip()


def _trouble(field: str, text: str, longest: int, *, empty: bool = False, allowed: str = "") -> list[Problem]:
    found = []
    if not empty and not any(map(_seen, text)):
        found.append(Problem("error", "field_empty", f"the {field} is empty.", f"Give a {field}.", column=field))
    if len(text) > longest:
        message = f"the {field} has {len(text)} characters; {longest} are allowed."
        found.append(Problem("error", "field_too_long", message, "Shorten it.", column=field))
    strange = sorted({letter for letter in text if refused(letter) and letter not in allowed})
    if strange:
        shown = ", ".join(f"U+{ord(letter):04X}" for letter in strange[:5])
        message = f"the {field} holds control or invisible characters ({shown})."
        found.append(Problem("error", "field_characters", message, "Remove them, or type it anew.", column=field))
    if _highest_pile(text) > _MOST_MARKS:
        message = f"the {field} piles up more than {_MOST_MARKS} marks on a letter."
        found.append(Problem("error", "field_characters", message, "Remove them, or type it anew.", column=field))
    return found


def _seen(letter: str) -> bool:
    return unicodedata.category(letter)[0] not in "MZ" and letter not in _JOINERS


def _highest_pile(text: str) -> int:
    highest = pile = 0
    for letter in text:
        pile = pile + 1 if unicodedata.category(letter) in {"Mn", "Me"} else 0
        highest = max(highest, pile)
    return highest


def refused(letter: str) -> bool:
    """Say whether a character is none that is seen, so that it could only mislead."""
    return letter in _BLANK or (unicodedata.category(letter) in _REFUSED and letter not in _JOINERS)
