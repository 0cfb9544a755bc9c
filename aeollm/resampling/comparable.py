"""Which runs may be compared: those scored on the same labels in the same way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from aeollm.errors import Problem, UsageError
from aeollm.tables import signature_parts

_OWN = ("run", "partial")
"""What a signature says of the run alone."""


class Tabled(Protocol):
    """What has views and questions."""

    @property
    def views(self) -> tuple[str, ...]:
        """Name the views."""

    @property
    def questions(self) -> tuple[str, ...]:
        """List the questions."""


def common_signature(names: Sequence[str], signatures: Sequence[str], tables: Sequence[Tabled]) -> str:
    """Give what the runs' signatures share, marked partial if any run is.

    Raises
    ------
    UsageError
        If there is no run, or one was scored unlike the first.
    """
    if not signatures:
        raise _refused([Problem("error", "no_runs", "there is no run to compare.", "Name at least one.")])
    first = _shared(signatures[0])
    problems = [
        _unlike(names[0], first, name, _shared(signed))
        for name, signed in zip(names, signatures, strict=True)
        if _shared(signed) != first
    ]
    if not problems and len({(table.views, table.questions) for table in tables}) > 1:
        message = "the runs were scored in different views or on different questions."
        problems.append(Problem("error", "not_comparable", message, "Score them together."))
    if problems:
        raise _refused(problems)
    partial = "yes" if any(signature_parts(signed).get("partial") == "yes" for signed in signatures) else "no"
    parts = [part for part in signatures[0].split("|") if not part.startswith("run=")]
    return "|".join(f"partial={partial}" if part.startswith("partial=") else part for part in parts)


def refuse_repeated(names: Sequence[str]) -> None:
    """Refuse names that two runs share: pairs could not be told apart.

    Raises
    ------
    UsageError
        If a name repeats.
    """
    repeated = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if repeated:
        message = f"several runs are called {', '.join(repeated)}."
        raise _refused([Problem("error", "repeated_name", message, "Give every run a name of its own.")])


def _refused(problems: Sequence[Problem]) -> UsageError:
    return UsageError("comparison", problems)


def _shared(signed: str) -> dict[str, str]:
    return {name: said for name, said in signature_parts(signed).items() if name not in _OWN}


def _unlike(first: str, one: dict[str, str], name: str, other: dict[str, str]) -> Problem:
    parts = [part for part in one | other if one.get(part) != other.get(part)]
    told = "; ".join(f"{part} is {one.get(part)} for {first}, {other.get(part)} for {name}" for part in parts)
    remedy = "Score both on the same labels, under the same policy and with the same version."
    return Problem("error", "not_comparable", f"{name} was not scored as {first} was: {told}.", remedy)
