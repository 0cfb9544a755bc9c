"""Opinion files: a judge's probabilities of answers, one row a text and criterion or one row a text, to Opinions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from aeollm.decimals import Decimal
from aeollm.errors import OpinionsError, Problem, printable
from aeollm.files.decoding import Unreadable, open_source, refuse
from aeollm.files.named_columns import CRITERION, OPTION, TEXT, read_id, read_named
from aeollm.files.numbers import read_number
from aeollm.files.tabular import Table
from aeollm.tables import Opinions

FEWEST_OPTIONS, MOST_OPTIONS = 2, 10
MOST_CELLS = 5_000_000
MOST_CRITERIA = 1_000
_STATED = ("n_options",)
SLACK = 1e-6
"""A sum of probabilities may exceed 1 by this much, as rounded files do."""

Columns = Mapping[int, int]
"""Option to the place of its column."""


def read_opinions(
    path: str | Path | bytes, *, name: str | None = None, options: Mapping[str, int] | None = None
) -> Opinions:
    """Read a judge's probabilities of answers, separated by tabs or commas.

    Long, one row a text and criterion: ``text_id, criterion, answer1_prob, answer2_prob, …`` (or ``p1, p2, …``);
    or wide, one row a text: ``text_id, Q0_answer1_prob, …``. A long file may say in ``n_options`` how many options a
    criterion has. Other columns are ignored. Sums below 1 are kept:
    what is missing is the judge's mass outside the options.

    Parameters
    ----------
    path : the file, or its bytes.
    name : the name to show, where it is not the file's.
    options : how many options criteria have, 2 to 10. Where neither it nor the file says so, those up to the last
        that has any mass in the file, which a note says where it is fewer than there are columns.

    Raises
    ------
    OpinionsError
        With every problem: missing columns, empty ids, a (text, criterion) twice, cells that are no numbers from 0
        to 1, sums above 1, no rows.
    """
    shown = name or (Path(path).name if not isinstance(path, bytes) else "opinions")
    try:
        source = open_source(path, shown)
        table = read_named(source.content, "opinions")
        rows = _Rows(table.problems, dict(options or {}))
        rows.read(table)
    except Unreadable as unreadable:
        raise OpinionsError(shown, [unreadable.problem]) from None
    return rows.opinions(shown, source.digest)


@dataclass(slots=True)
class _Row:
    """The probabilities of one (text, criterion), nan for blank cells, and where they stand."""

    line: int
    columns: Mapping[int, str]
    values: list[float]


@dataclass
class _Rows:
    problems: list[Problem]
    options: dict[str, int]
    rows: dict[str, dict[str, _Row]] = field(default_factory=dict)
    """By criterion and text."""
    texts: dict[str, int] = field(default_factory=dict)
    wrong: set[tuple[int, str]] = field(default_factory=set)
    """Line and column of cells of which a problem tells already."""
    stated: dict[str, int] = field(default_factory=dict)
    """How many options criteria have, where the file says so itself."""

    def read(self, table: Table) -> None:
        """Read all rows.

        Raises
        ------
        Unreadable
            If the header lacks a column, or numbers options with a gap.
        """
        text, criterion = table.place(TEXT), table.place(CRITERION)
        found = _option_columns(table)
        missing = [TEXT[0]] if text is None else []
        if criterion is not None:
            missing += [] if None in found else ["answer1_prob"]
        elif not found.keys() - {None}:
            missing += [CRITERION[0]] if None in found else [CRITERION[0], "answer1_prob"]
        if missing or text is None:
            raise table.bad_header(missing)
        stated = table.place(_STATED) if criterion is not None else None
        for line, row in table.rows:
            known = read_id(row[text], table.header[text], line)
            if isinstance(known, Problem):
                self.problems.append(known)
                continue
            for about, columns in self._parts(table, criterion, found, (line, row)):
                self._add((known, about), columns, table.header, (line, row))
                if stated is not None:
                    self._state(about, row[stated].strip(), line)

    def _state(self, criterion: str, cell: str, line: int) -> None:
        """Take how many options a criterion has."""
        number = int(cell) if cell.isascii() and cell.isdecimal() and len(cell) <= len(str(MOST_OPTIONS)) else 0
        known = self.stated.setdefault(criterion, number)
        if FEWEST_OPTIONS <= number <= MOST_OPTIONS and number == known:
            return
        other = f", {known} above" if known != number and known else ""
        message = f"{printable(criterion)} is said to have {cell or 'no'} options{other}."
        remedy = f"Write one number from {FEWEST_OPTIONS} to {MOST_OPTIONS} for all its rows, or leave the column out."
        self.problems.append(Problem("error", "bad_number", message, remedy, line, *_STATED, cell))

    def _parts(
        self, table: Table, criterion: int | None, found: Mapping[str | None, Columns], row: tuple[int, list[str]]
    ) -> Iterator[tuple[str, Columns]]:
        """Give the criteria that a row tells of, and the columns with their options."""
        line, cells = row
        if criterion is None:
            # A wide file has blanks where a text has no opinion on a criterion.
            wide = ((name, columns) for name, columns in found.items() if name is not None)
            yield from ((name, cols) for name, cols in wide if any(cells[at].strip() for at in cols.values()))
            return
        named = read_id(cells[criterion], table.header[criterion], line)
        if isinstance(named, Problem):
            self.problems.append(named)
        else:
            yield named, found[None]

    def _add(self, key: tuple[str, str], columns: Columns, header: Sequence[str], row: tuple[int, list[str]]) -> None:
        line, cells = row
        names = {option: header[place] for option, place in columns.items()}
        values = [self._probability(cells[place], names[option], line, key[0]) for option, place in columns.items()]
        self.texts.setdefault(key[0], len(self.texts))
        first = self.rows.setdefault(key[1], {}).setdefault(key[0], _Row(line, names, values)).line
        if first != line:
            message = f"text {printable(key[0])}, criterion {printable(key[1])} again; first on line {first}."
            remedy = "Keep one row a text and criterion."
            self.problems.append(Problem("error", "duplicate_key", message, remedy, line, CRITERION[0], key[1]))
        total = math.fsum(value for value in values if value == value)
        if total > 1 + SLACK:
            message = f"text {printable(key[0])}, criterion {printable(key[1])}: the probabilities sum to {total:.9g}."
            remedy = "Write probabilities, not percentages or weights; they sum to 1 at most."
            self.problems.append(Problem("error", "sum_above_one", message, remedy, line, value=f"{total:.9g}"))

    def _probability(self, cell: str, column: str, line: int, text: str) -> float:
        """Read a cell; nan for a blank one and for what is told as a problem."""
        bare = cell.strip()
        if not bare:
            return math.nan
        read = read_number(bare)
        if isinstance(read, Decimal):
            value = float(read)
            if 0 <= value <= 1 + SLACK:
                return value
            kind, message = ("negative", "is below 0.") if value < 0 else ("above_one", "is above 1.")
            remedy = "Write exp of it if it is a log-probability." if value < 0 else "Divide percentages by 100."
        elif read[0] == "too_small":
            return 0.0
        else:
            kind, message, remedy = read
            absent = kind == "non_finite" or "missing" in message
            remedy = "Write a probability, or leave the row out if the judge gave none." if absent else remedy
        message = f"{column} is {printable(cell)!r}, which {message}"
        self.problems.append(Problem("error", kind, message, remedy, line, column, cell, answer=text))
        self.wrong.add((line, column))
        return math.nan

    def opinions(self, name: str, digest: str) -> Opinions:
        """Build the noun.

        Raises
        ------
        OpinionsError
            If any problem is an error.
        """
        if not self.rows and not self.problems:
            self.problems.append(Problem("error", "no_rows", "the file has no rows.", "Check that it is complete."))
        counts = {criterion: self._count(criterion) for criterion in self.rows}
        cells = len(self.texts) * len(counts) * max(counts.values(), default=0)
        if cells > MOST_CELLS or len(counts) > MOST_CRITERIA:
            message = f"{len(self.texts):,} texts times {len(counts):,} criteria are too many."
            remedy = "Check that the columns hold what their names say."
            self.problems.append(Problem("error", "too_many_cells", message, remedy))
        self._check_options(counts)
        if any(problem.severity == "error" for problem in self.problems):
            raise OpinionsError(name, sorted(self.problems, key=lambda problem: problem.line or 0))
        probabilities = np.full((len(self.texts), len(counts), max(counts.values())), np.nan)
        for c, (criterion, rows) in enumerate(self.rows.items()):
            for text, row in rows.items():
                given = [*row.values, *[0.0] * counts[criterion]][: counts[criterion]]
                probabilities[self.texts[text], c, : len(given)] = given
        self._note_missing(probabilities)
        known = tuple(self.problems)
        return Opinions(name, digest, tuple(self.texts), tuple(counts), tuple(counts.values()), probabilities, known)

    def _count(self, criterion: str) -> int:
        """Count a criterion's options: as asked for, as the file says, else those up to the last with any mass."""
        if known := self.options.get(criterion) or self.stated.get(criterion):
            return known
        rows = list(self.rows[criterion].values())
        used = max((k for row in rows for k, value in enumerate(row.values, 1) if value > 0), default=0)
        used, most = max(used, FEWEST_OPTIONS), max(len(row.values) for row in rows)
        if used < most and all(value == value for row in rows for value in row.values):
            message = f"{printable(criterion)} has {used} options: all above have probability 0 everywhere."
            remedy = f"If it has {most}, say so (--options {printable(criterion)}={most})."
            self.problems.append(Problem("note", "options", message, remedy, column=criterion))
        return used

    def _check_options(self, counts: Mapping[str, int]) -> None:
        """Find blank cells of options that exist, mass on options that do not, rows without any mass."""
        for criterion, rows in self.rows.items():
            for text, row in rows.items():
                for k, value in enumerate(row.values, 1):
                    self._check_option((text, criterion), row, (k, value), counts[criterion])
                if all(value == 0 for value in row.values):
                    message = f"text {printable(text)}, criterion {printable(criterion)}: all probabilities are 0."
                    told = "The judge then has no opinion on it."
                    self.problems.append(Problem("warning", "no_mass", message, told, row.line, answer=text))

    def _check_option(self, key: tuple[str, str], row: _Row, option: tuple[int, float], count: int) -> None:
        (k, value), column = option, row.columns[option[0]]
        criterion = printable(key[1])
        if k > count and value > 0:
            message = f"{column} is {value:g}, but {criterion} has {count} options."
            told = ("no_such_option", message, "Correct the cell, or the number of options.")
        elif k <= count and value != value and (row.line, column) not in self.wrong:
            told = ("empty_cell", f"{column} is empty, although {criterion} has that option.", "Write 0.")
        else:
            return
        shown = "" if value != value else f"{value:g}"
        self.problems.append(Problem("error", *told, row.line, column, shown, answer=key[0]))

    def _note_missing(self, probabilities: np.ndarray) -> None:
        absent = int(np.isnan(probabilities[:, :, 0]).sum())
        if absent:
            count = f"{absent} of {probabilities[:, :, 0].size} (text, criterion) pairs"
            self.problems.append(Problem("note", "missing_opinion", f"{count} have no row."))


def _option_columns(table: Table) -> dict[str | None, dict[int, int]]:
    """Find the columns of options, by criterion (None in long files) and option.

    Raises
    ------
    Unreadable
        If options are not numbered 1, 2, … up to 10.
    """
    found: dict[str | None, dict[int, int]] = {}
    for place, name in enumerate(table.header):
        match = OPTION.fullmatch(name)
        if match is not None:
            option = int(match["named"] or match["short"])
            found.setdefault(match["criterion"], {})[option] = place
    for criterion, columns in found.items():
        numbers = sorted(columns)
        if numbers != list(range(1, len(numbers) + 1)) or not FEWEST_OPTIONS <= len(numbers) <= MOST_OPTIONS:
            about = f" of {printable(criterion)}" if criterion else ""
            message = f"the options{about} are numbered {', '.join(map(str, numbers))}."
            remedy = f"Number them 1, 2, … without gaps, {FEWEST_OPTIONS} to {MOST_OPTIONS} of them."
            column = table.header[columns[numbers[0]]]
            raise refuse("option_columns", message, remedy, line=table.line, column=column)
    return {criterion: dict(sorted(columns.items())) for criterion, columns in found.items()}
