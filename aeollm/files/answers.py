"""Files of people's answers, one row a text and judge or one row an answer, to Answers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from aeollm.errors import AnswersError, Problem, printable
from aeollm.files.csv_text import repeated
from aeollm.files.decoding import Unreadable, open_source, refuse
from aeollm.files.ids import half_width
from aeollm.files.named_columns import ANSWER, CRITERION, JUDGE, TEXT, read_id, read_named
from aeollm.files.opinions import MOST_CELLS, MOST_OPTIONS
from aeollm.files.tabular import Table
from aeollm.tables import Answers, Opinions

POOLED = "everybody"
"""The one judge of files that name none."""
_WHOLE = re.compile(r"\+?([0-9]{1,9})(?:\.0*)?")
_SHOWN = 12


def read_answers(
    path: str | Path | bytes,
    opinions: Opinions | None = None,
    *,
    name: str | None = None,
    rename: Mapping[str, str] | None = None,
    missing: Collection[str] = ("0",),
) -> Answers:
    """Read people's answers to a rubric's criteria, separated by tabs or commas.

    Wide, one row a text and judge: ``text_id, annotator_id`` and a column a criterion; or long, one row an answer:
    ``text_id, annotator_id, criterion, answer``. Without a judge column everybody is one judge, with a warning.
    The same judge may answer on a text several times; all rows are kept.

    Parameters
    ----------
    path : the file, or its bytes.
    opinions : whose criteria are read, other columns being ignored, and whose numbers of options hold. Without
        them every column in which at least half of the cells are numbers is read.
    name : the name to show, where it is not the file's.
    rename : names of columns (or criteria of a long file) to the criteria they are read as; a note says so.
    missing : cells that stand for no answer, beside empty ones; a number is compared as such (``0`` is ``0.0``).

    Raises
    ------
    AnswersError
        With every problem: missing columns, empty ids, cells that are no whole numbers from 1 to the number of
        options, names to rename that do not exist, no rows.
    """
    shown = name or (Path(path).name if not isinstance(path, bytes) else "answers")
    try:
        source = open_source(path, shown)
        table = read_named(source.content, "answers")
        rows = _Rows(table.problems, opinions, dict(rename or {}), {*missing})
        rows.read(table)
    except Unreadable as unreadable:
        raise AnswersError(shown, [unreadable.problem]) from None
    return rows.answers(shown, source.digest)


@dataclass
class _Rows:
    problems: list[Problem]
    opinions: Opinions | None
    rename: dict[str, str]
    missing: set[str]
    keys: list[tuple[str, str]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    given: list[dict[str, int]] = field(default_factory=list)
    criteria: tuple[str, ...] = ()

    def read(self, table: Table) -> None:
        """Read all rows.

        Raises
        ------
        Unreadable
            If the header lacks a column, or names to rename do not fit it.
        """
        text, judge, about = table.place(TEXT), table.place(JUDGE), table.place(CRITERION)
        answer = table.place(ANSWER) if about is not None else None
        lacking = [TEXT[0]] if text is None else []
        lacking += [ANSWER[0]] if about is not None and answer is None else []
        if lacking or text is None:
            raise table.bad_header(lacking)
        if judge is None:
            message = f"no column names the judge ({', '.join(JUDGE)}): all answers are taken for one person's."
            remedy = "Name the column so, if the file tells who answered."
            self.problems.append(Problem("warning", "no_judge", message, remedy, table.line))
        if about is not None and answer is not None:
            self._read_long(table, (text, judge), about, answer)
        else:
            self._read_wide(table, (text, judge))

    def _key(self, table: Table, places: tuple[int, int | None], line: int, row: list[str]) -> tuple[str, str] | None:
        found = []
        for place in places:
            read = POOLED if place is None else read_id(row[place], table.header[place], line)
            if isinstance(read, Problem):
                self.problems.append(read)
            else:
                found.append(read)
        return (found[0], found[1]) if len(found) == len(places) else None

    def _read_wide(self, table: Table, places: tuple[int, int | None]) -> None:
        columns = {name: place for place, name in enumerate(table.header) if place not in places and name}
        criteria = self._renamed(columns, table.line)
        if self.opinions is None:
            criteria = {about: place for about, place in criteria.items() if self._mostly_numbers(table, place)}
        criteria = self._known(criteria, table)
        self.criteria = tuple(criteria)
        for line, row in table.rows:
            key = self._key(table, places, line, row)
            found = {about: self._answer(row[at], table.header[at], about, line) for about, at in criteria.items()}
            if key is not None:
                self._keep(key, line, found)

    def _read_long(self, table: Table, places: tuple[int, int | None], about: int, answer: int) -> None:
        named = dict.fromkeys(row[about].strip() for _, row in table.rows if row[about].strip())
        criteria = self._renamed({name: place for place, name in enumerate(named)}, table.line)
        back = {place: criterion for criterion, place in criteria.items()}
        read_as = {name: back[place] for place, name in enumerate(named)}
        self.criteria = tuple(self._known(criteria, table))
        wanted, open_rows = set(self.criteria), dict[tuple[str, str], list[dict[str, int]]]()
        times = Counter[tuple[tuple[str, str], str]]()
        for line, row in table.rows:
            key = self._key(table, places, line, row)
            name = read_id(row[about], table.header[about], line)
            if isinstance(name, Problem):
                self.problems.append(name)
                continue
            criterion = read_as[name]
            if criterion not in wanted:
                continue
            value = self._answer(row[answer], table.header[answer], criterion, line)
            if key is None:
                continue
            # The nth answer to a criterion belongs to the nth time that the judge answered on the text.
            started = open_rows.setdefault(key, [])
            nth = times[key, criterion]
            times[key, criterion] += 1
            if nth == len(started):
                started.append({})
                self._keep(key, line, started[nth])
            started[nth][criterion] = value

    def _keep(self, key: tuple[str, str], line: int, found: dict[str, int]) -> None:
        self.keys.append(key)
        self.lines.append(line)
        self.given.append(found)

    def _renamed(self, columns: Mapping[str, int], line: int) -> dict[str, int]:
        """Give the columns by the criteria they are read as.

        Raises
        ------
        Unreadable
            If a name is not there, or two columns would have one name.
        """
        unknown = [name for name in self.rename if name not in columns]
        if unknown:
            message = f"{printable(', '.join(unknown))} cannot be renamed: the file has {_listed(columns)}."
            raise refuse("unknown_column", message, "Name a column of the file first.", line=line, column=unknown[0])
        names = [self.rename.get(name, name) for name in columns]
        twice = repeated(names) if self.rename else []
        if twice:
            message = f"two columns would be read as {printable(', '.join(twice))}."
            remedy = "Rename the other as well (exchange: Q1=Q2 Q2=Q1)."
            raise refuse("duplicate_column", message, remedy, line=line, column=twice[0])
        if self.rename:
            told = ", ".join(f"{printable(old)} is read as {printable(new)}" for old, new in self.rename.items())
            self.problems.append(Problem("note", "renamed", f"{told}, as asked.", line=line))
        return dict(zip(names, columns.values(), strict=True))

    def _known(self, criteria: dict[str, int], table: Table) -> dict[str, int]:
        """Keep the criteria of the opinions, and say what else there is.

        Raises
        ------
        Unreadable
            If there is none.
        """
        known = self.opinions.criteria if self.opinions is not None else tuple(criteria)
        options = set(known)
        kept = {about: place for about, place in criteria.items() if about in options}
        if not kept:
            wanted = f"criterion of the opinions ({_listed(known)})" if known else "column of answers"
            message = f"the file has no {wanted}; it has {_listed(criteria)}."
            remedy = "Spell them alike, or rename them (--rename THEIRS=OURS)."
            raise refuse("no_criterion", message, remedy, line=table.line)
        others = [name for name in criteria if name not in kept]
        if others:
            told = f"ignored, since the opinions have no such criterion: {_listed(others)}."
            self.problems.append(Problem("note", "ignored_column", told, line=table.line))
        absent = [name for name in known if name not in kept]
        if absent:
            told = f"no answers to {_listed(absent)}, of which there are opinions."
            self.problems.append(Problem("note", "no_answers", told, line=table.line))
        return kept

    def _mostly_numbers(self, table: Table, place: int) -> bool:
        cells = [row[place].strip() for _, row in table.rows if row[place].strip()]
        numbers = sum(cell in self.missing or _WHOLE.fullmatch(half_width(cell)) is not None for cell in cells)
        return 2 * numbers >= len(cells)

    def _answer(self, cell: str, column: str, criterion: str, line: int) -> int:
        """Read an answer, 0 where there is none and where a problem tells what is wrong."""
        bare = cell.strip()
        if not bare or bare in self.missing:
            return 0
        most = self._options(criterion)
        match = _WHOLE.fullmatch(bare)
        value = int(match[1]) if match is not None else -1
        if match is not None and str(value) in self.missing:
            return 0
        if 1 <= value <= most:
            return value
        if match is None:
            kind, why, remedy = "not_an_answer", "is no whole number.", _hint(bare)
        else:
            kind, why = "no_such_option", f"is none of the answers 1 to {most}."
            remedy = "Correct it, or say how many options there are." if value else "Count answers from 1."
        message = f"{column} is {printable(cell)!r}, which {why}"
        self.problems.append(Problem("error", kind, message, remedy, line, column, cell))
        return 0

    def _options(self, criterion: str) -> int:
        if self.opinions is None:
            return MOST_OPTIONS
        return self.opinions.options[criterion]

    def answers(self, name: str, digest: str) -> Answers:
        """Build the noun.

        Raises
        ------
        AnswersError
            If any problem is an error.
        """
        if not self.keys and not any(problem.severity == "error" for problem in self.problems):
            self.problems.append(Problem("error", "no_rows", "the file has no rows.", "Check that it is complete."))
        if len(self.keys) * len(self.criteria) > MOST_CELLS:
            message = f"{len(self.keys):,} rows times {len(self.criteria):,} criteria are too many."
            remedy = "Check that the columns hold what their names say."
            self.problems.append(Problem("error", "too_many_cells", message, remedy))
        if any(problem.severity == "error" for problem in self.problems):
            raise AnswersError(name, sorted(self.problems, key=lambda problem: problem.line or 0))
        values = np.zeros((len(self.keys), len(self.criteria)), dtype=np.int64)
        places = {criterion: c for c, criterion in enumerate(self.criteria)}
        for r, found in enumerate(self.given):
            for criterion, value in found.items():
                values[r, places[criterion]] = value
        texts, judges = zip(*self.keys, strict=True)
        lines, problems = tuple(self.lines), tuple(self.problems)
        return Answers(name, digest, texts, judges, self.criteria, values, lines, problems)


def _hint(cell: str) -> str:
    plain = half_width(cell).strip("\"'“”‘’`,;")
    if _WHOLE.fullmatch(plain):
        return f"Write {plain}."
    return "Write the number of the answer, from 1; leave the cell empty if there is none."


def _listed(names: Collection[str]) -> str:
    shown = ", ".join(printable(name, 40) for name in list(names)[:_SHOWN])
    more = len(names) - _SHOWN
    return shown + (f" and {more} more" if more > 0 else "") if names else "none"
