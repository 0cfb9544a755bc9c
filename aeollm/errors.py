"""Problems found in what users hand in, and the one exception family that carries them."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Literal

Severity = Literal["error", "warning", "note"]

LONGEST_VALUE = 200
"""Quoted values are cut to this many characters."""
_LONGEST_SENTENCE = 2_000


def printable(text: str, longest: int = LONGEST_VALUE) -> str:
    r"""Cut a user's text and show control and invisible characters as escapes.

    >>> printable("Doc\x00\u200b1")
    'Doc\\x00\\u200b1'
    """
    if len(text) <= longest and text.isascii() and text.isprintable():
        return text
    cut = text if len(text) <= longest else text[: longest - 1] + "…"
    if cut.isprintable():
        return cut
    return "".join(
        character.encode("unicode_escape").decode("ascii")
        if unicodedata.category(character) in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
        else character
        for character in cut
    )


@dataclass(frozen=True, slots=True)
class Problem:
    """One finding about an input: what, where, and how to mend it.

    ``line`` counts from 1; ``column`` is the official column name (or a rubric key). All texts may
    quote the user: they hold no control characters, but must be escaped before they are shown as HTML.
    """

    severity: Severity
    kind: str
    message: str
    remedy: str = ""
    line: int | None = None
    column: str | None = None
    value: str | None = None
    question: str | None = None
    answer: str | None = None

    def __post_init__(self) -> None:
        """Make every quoted text safe to print."""
        for name in ("column", "value", "question", "answer"):
            text = getattr(self, name)
            if text is not None:
                object.__setattr__(self, name, printable(text))
        for name in ("message", "remedy"):
            object.__setattr__(self, name, printable(getattr(self, name), _LONGEST_SENTENCE))

    def to_json(self) -> dict[str, object]:
        """Give the fields as a JSON object, in the order of the documented shape."""
        fields = asdict(self)
        order = ("severity", "kind", "line", "column", "value", "question", "answer", "message", "remedy")
        return {name: fields[name] for name in order}

    def __str__(self) -> str:
        """Give one line of text: place, message, remedy."""
        return f"{self.place}{self.message} {self.remedy}".rstrip()

    @property
    def place(self) -> str:
        """Give the line in words, to stand before the message."""
        return f"line {self.line}: " if self.line is not None else ""


@dataclass(frozen=True, slots=True)
class ProblemGroup:
    """Problems of one kind: the first few, and how many more there are."""

    severity: Severity
    kind: str
    shown: tuple[Problem, ...]
    more: int

    def lines(self) -> list[str]:
        """Give the problems as lines; a remedy they share is told once, at the end."""
        remedies = {problem.remedy for problem in self.shown}
        if len(remedies) > 1 or len(self.shown) == 1:
            lines = [str(problem) for problem in self.shown]
            return [*lines, f"and {self.more} more of this kind"] if self.more else lines
        lines = [f"{problem.place}{problem.message}" for problem in self.shown]
        lines += [f"and {self.more} more of this kind"] if self.more else []
        return [*lines, *filter(None, remedies)]

    @property
    def count(self) -> int:
        """Count all problems of the group."""
        return len(self.shown) + self.more


def group_problems(problems: Iterable[Problem], most: int = 5) -> list[ProblemGroup]:
    """Group problems by severity and kind, in the order of their first, showing at most ``most`` of each."""
    kinds: dict[tuple[Severity, str], list[Problem]] = {}
    for problem in problems:
        kinds.setdefault((problem.severity, problem.kind), []).append(problem)
    return [
        ProblemGroup(severity, kind, tuple(found[:most]), max(len(found) - most, 0))
        for (severity, kind), found in kinds.items()
    ]


class AeollmError(ValueError):
    """An input that cannot be used, with everything that is wrong with it.

    ``source`` names the input (a file name, a data set); ``problems`` holds every finding,
    warnings included. Subclasses name the kind of input, so that callers can tell them apart.
    """

    def __init__(self, source: str, problems: Iterable[Problem]) -> None:
        self.source = printable(source)
        self.problems = tuple(problems)
        super().__init__(self.source, self.problems)

    def __str__(self) -> str:
        """List the errors, one a line."""
        errors = [problem for problem in self.problems if problem.severity == "error"]
        lines = [f"{self.source}: {len(errors)} problem" + ("s" if len(errors) != 1 else "")]
        for group in group_problems(errors):
            lines += [f"  {line}" for line in group.lines()]
        return "\n".join(lines)


class RunError(AeollmError):
    """A run file that is refused."""


class SubmissionError(AeollmError):
    """A submission that is refused; it is not stored and does not count."""


class HostingError(AeollmError):
    """Settings of hosted mode that cannot be used, or a store that cannot be read or written."""


class LabelsError(AeollmError):
    """Labels that cannot be read or found."""


class AnnotationsError(AeollmError):
    """Annotators' ratings that cannot be read."""


class OpinionsError(AeollmError):
    """A judge's probabilities of answers that cannot be read."""


class AnswersError(AeollmError):
    """People's answers that cannot be read, or that do not fit the opinions."""


class JudgmentsError(AeollmError):
    """A judge's outputs (criterion scores, comparisons) that cannot be read, or not be made a run of."""


class RecipeError(AeollmError):
    """A recipe that cannot be read, or whose inputs do not fit it."""


class RubricsError(AeollmError):
    """Rubric files that cannot be read, or that do not fit the labels."""


class HubError(AeollmError):
    """A Hub data set that cannot be had; the problem's ``kind`` says which of the reasons it is."""


class UsageError(AeollmError):
    """A call that asks for something that does not exist, such as an unknown label set."""


class JudgingError(AeollmError):
    """Reports, prompts, replies or an endpoint that a judge cannot be run with."""
