"""Answers joined to opinions: which rows can be learnt from, and why the others cannot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aeollm.errors import Problem, printable
from aeollm.tables.opinions import Answers, Opinions

_SHOWN = 5
_EXCHANGED = 0.3
"""Shares of missing answers must fit better by this much, exchanged, before a hint is given."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """Rows of answers left out for one reason, and the texts or judges concerned, in the order of the file."""

    reason: str
    rows: int
    which: tuple[str, ...]
    kind: str


@dataclass(frozen=True, eq=False)
class Join:
    """The rows of answers to a target that have opinions on their text.

    ``rows`` are their places in the answers, ``texts`` their texts' places in the opinions, both of shape (joined
    rows,). ``unanswered`` are the texts with opinions to which nobody answered.
    """

    target: str
    rows: NDArray[np.intp]
    texts: NDArray[np.intp]
    total: int
    judges: int
    dropped: tuple[Dropped, ...]
    unanswered: tuple[str, ...]

    def problems(self) -> list[Problem]:
        """Say what was dropped, and what of the opinions nobody uses."""
        found = []
        for drop in self.dropped:
            message = f"{drop.rows} of {self.total} rows are left out: {drop.reason} ({_listed(drop.which)})."
            found.append(Problem("note", f"dropped_{drop.kind}", message, column=self.target))
        if self.unanswered:
            message = f"{len(self.unanswered)} texts with opinions have no answer ({_listed(self.unanswered)})."
            found.append(Problem("note", "unanswered_texts", message))
        return found


def join(opinions: Opinions, answers: Answers, target: str) -> Join:
    """Find the rows that answer the target and have opinions on their text.

    Raises
    ------
    KeyError
        If the answers have no such criterion.
    """
    if target not in answers.criteria:
        raise KeyError(target)
    values = answers.values[:, answers.criteria.index(target)]
    places = np.array([opinions.index.get(text, -1) for text in answers.texts], dtype=np.intp)
    known, given = places >= 0, values > 0
    kept = known & given
    dropped = [
        _dropped("no opinions on the text", answers.texts, ~known, "text"),
        _dropped(f"no answer to {printable(target)}", answers.texts, known & ~given, "answer"),
    ]
    answered = {answers.texts[r] for r in np.flatnonzero(kept).tolist()}
    return Join(
        target,
        np.flatnonzero(kept),
        places[kept],
        len(answers),
        len({answers.judges[r] for r in np.flatnonzero(kept).tolist()}),
        tuple(drop for drop in dropped if drop.rows),
        tuple(text for text in opinions.texts if text not in answered),
    )


def _dropped(reason: str, texts: Sequence[str], out: NDArray[np.bool_], kind: str) -> Dropped:
    rows = np.flatnonzero(out).tolist()
    which = tuple(dict.fromkeys(texts[r] for r in rows))
    return Dropped(f"{reason}, {len(which)} text{'s' if len(which) != 1 else ''}", len(rows), which, kind)


def exchanged_hints(answers: Answers, others: Answers) -> list[Problem]:
    """Hint at criteria whose patterns of missing answers in two files would fit, were their names exchanged.

    Nothing is changed; people leave out the same questions for the same reasons in both files, or should.
    """
    common = [criterion for criterion in others.criteria if criterion in answers.criteria]
    here, there = (
        {name: float((table.values[:, table.criteria.index(name)] == 0).mean()) for name in common}
        for table in (answers, others)
    )
    found = []
    for place, a in enumerate(common):
        for b in common[place + 1 :]:
            apart = abs(here[a] - there[a]) + abs(here[b] - there[b])
            swapped = abs(here[a] - there[b]) + abs(here[b] - there[a])
            if apart - swapped > _EXCHANGED and swapped < apart / 2:
                found.append(_hint((answers, others), (a, b), (here, there)))
    return found


def _hint(
    tables: tuple[Answers, Answers], names: tuple[str, str], missing: tuple[dict[str, float], dict[str, float]]
) -> Problem:
    a, b = map(printable, names)
    told = [
        f"{printable(table.name)} {share[names[0]]:.0%} and {share[names[1]]:.0%}"
        for table, share in zip(tables, missing, strict=True)
    ]
    message = f"{a} and {b} look exchanged in one file: no answer in {', in '.join(told)} of the rows."
    remedy = f"Nothing was changed. If they are, rename them in the file at fault ({a}={b} {b}={a})."
    return Problem("warning", "exchanged", message, remedy, column=names[0])


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(printable(name, 40) for name in names[:_SHOWN])
    return shown + (", …" if len(names) > _SHOWN else "")
