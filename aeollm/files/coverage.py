"""A run's rows against the labels: duplicates, unknown and missing answers, scores off the scale."""

from __future__ import annotations

from dataclasses import dataclass, field

from aeollm.decimals import Decimal, Decimals
from aeollm.errors import Problem, Severity, printable
from aeollm.files.ids import Guess, KnownIds
from aeollm.files.lines import Rows
from aeollm.tables import Key, Labels, Policy

_MOST_COMPARED = 200_000


def duplicates(rows: Rows) -> list[Problem]:
    """Name every answer scored again, with both lines."""
    seen: dict[Key, int] = {}
    found = []
    for row, key in enumerate(zip(rows.questions, rows.answers, strict=True)):
        first = seen.setdefault(key, row)
        if first == row:
            continue
        same = "the same scores" if _same(rows.scores[row], rows.scores[first]) else "other scores"
        question, answer = map(printable, key)
        message = f"question {question}, answer {answer} again, with {same}; it was first on line {rows.lines[first]}."
        remedy = "Keep one line for each (questionId, answerId)."
        found.append(Problem("error", "duplicate_key", message, remedy, rows.lines[row], "answerId", key[1], *key))
    return found


def _same(one: list[Decimal] | None, other: list[Decimal] | None) -> bool:
    """Compare as numbers: 7.5 and 7.50 are the same score."""
    if one is None or other is None:
        return False
    units = Decimals.of([*one, *other], (2, len(one))).units
    return bool((units[0] == units[1]).all())


_FEW, _MOST = 8, 0.5


@dataclass
class Coverage:
    """Which labelled answers a run's rows hold, and what is wrong with the others.

    ``kept`` are the rows whose key is known; ``found`` the labelled keys they hold.
    """

    labels: Labels
    policy: Policy
    kept: list[int] = field(default_factory=list)
    found: set[Key] = field(default_factory=set)
    problems: list[Problem] = field(default_factory=list)
    _meant: set[Key] = field(default_factory=set)
    _guesses: dict[Key, tuple[str, Guess | None]] = field(default_factory=dict)
    _known: dict[str, KnownIds] = field(default_factory=dict)
    _compared: int = 0

    def __post_init__(self) -> None:
        """Index the known ids."""
        self._answers: dict[str, list[str]] = {}
        for question, answer in zip(self.labels.questions, self.labels.answers, strict=True):
            self._answers.setdefault(question, []).append(answer)
        self._questions = KnownIds(self._answers)

    def check(self, rows: Rows) -> None:
        """Sort rows into known and unknown, then list what is missing."""
        index = self.labels.index
        for row, key in enumerate(zip(rows.questions, rows.answers, strict=True)):
            if key in index:
                self.kept.append(row)
                self.found.add(key)
            else:
                self.problems.append(self._unknown(key, rows.lines[row]))
        self.problems[:0] = self._other_labels(rows)
        self._meant.update(rows.claimed)
        self.problems += self._missing()

    def _other_labels(self, rows: Rows) -> list[Problem]:
        """Name the likely cause where most lines are of no use: a run for other labels."""
        unknown = len(rows.lines) - len(self.kept)
        misspelt = sum(guess is not None and guess.sure for _, guess in self._guesses.values())
        if unknown < _FEW or unknown <= _MOST * len(rows.lines) or misspelt > _MOST * unknown:
            return []
        name = printable(self.labels.name)
        message = (
            f"{unknown} of {len(rows.lines)} lines score answers that {name} does not have: is it for other labels?"
        )
        remedy = "Choose the labels it was made for, or hand in your own."
        severity: Severity = "warning" if self.policy.inner_join else "error"
        return [Problem(severity, "other_labels", message, remedy, self.problems[0].line)]

    def _unknown(self, key: Key, line: int) -> Problem:
        if key not in self._guesses:
            self._guesses[key] = self._guess(key)
        column, guess = self._guesses[key]
        question, answer = key
        asked = "question" if column == "questionId" else "answer"
        value = question if asked == "question" else answer
        what = f"{asked} {printable(value)!r} is not in the labels"
        if asked == "answer":
            what += f" of question {printable(question)}"
        kind, remedy = f"unknown_{asked}", "Remove the line, or correct the id."
        if guess is not None:
            kind = guess.kind if guess.kind != "unknown" else kind
            what += f"; {guess.why}" if guess.sure else ""
            verb = "Write" if guess.sure else "The nearest known id is"
            remedy = f"{verb} {printable(guess.known)}."
        severity: Severity = "warning" if self.policy.inner_join else "error"
        dropped = " The line was dropped." if self.policy.inner_join else ""
        return Problem(severity, kind, f"{what}.{dropped}", remedy, line, column, value, question, answer)

    def _guess(self, key: Key) -> tuple[str, Guess | None]:
        """Find the column at fault; an answer surely meant is not missing as well."""
        question, answer = key
        if question not in self._answers:
            guess = self._look_up(question, self._questions)
            if guess is not None and guess.sure:
                self._mean(guess.known, answer)
            return "questionId", guess
        guess = self._look_up(answer, self._ids_of(question))
        if guess is not None and guess.sure:
            self._meant.add((question, guess.known))
        return "answerId", guess

    def _look_up(self, written: str, known: KnownIds) -> Guess | None:
        # A file of another task would ask thousands of times; the first answers tell enough.
        self._compared += len(known.ids)
        return known.guess(written, search=self._compared <= _MOST_COMPARED)

    def _mean(self, question: str, answer: str) -> None:
        if (question, answer) in self.labels.index:
            self._meant.add((question, answer))
            return
        guess = self._ids_of(question).guess(answer, search=False)
        if guess is not None:
            self._meant.add((question, guess.known))

    def _ids_of(self, question: str) -> KnownIds:
        if question not in self._known:
            self._known[question] = KnownIds(self._answers[question])
        return self._known[question]

    def _missing(self) -> list[Problem]:
        missing = [key for key in self.labels.index if key not in self.found and key not in self._meant]
        count = f"{len(missing)} of {len(self.labels)} answers are"
        severity: Severity = "warning" if self.policy.partial else "error"
        remedy = "The score is partial." if self.policy.partial else "Add the line, or ask for a partial score."
        found = [
            Problem(
                severity,
                "missing_answers",
                f"question {printable(question)}, answer {printable(answer)} is missing ({count}).",
                remedy,
                question=question,
                answer=answer,
            )
            for question, answer in missing
        ]
        if not self.found and self.policy.partial:
            message = "no line scores an answer of these labels."
            remedy = "Check the ids, or choose the labels it was made for."
            found.append(Problem("error", "no_answers", message, remedy))
        return found
