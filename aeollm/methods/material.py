"""What is asked about: reports, their questions' rubrics, and the answers that people have scored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from aeollm.errors import JudgingError, Problem, printable
from aeollm.judging import Shard
from aeollm.judging.prompts import language_of
from aeollm.judging.reports import Report, Reports, check_coverage
from aeollm.methods.method import Method
from aeollm.tables import DIMENSIONS, Criterion, Labels, Rubrics

_FEW = 5


@dataclass(frozen=True, eq=False)
class Material:
    """Reports in the order of the labels, or their own; ``problems`` tell what is wrong with them.

    ``whole`` is how many there should be: the labels' answers, or without labels all reports, broken ones too, before a
    trial or a shard takes its part. ``digest`` is over all texts.
    """

    reports: tuple[Report, ...]
    labels: Labels | None
    rubrics: Rubrics | None
    whole: int
    problems: tuple[Problem, ...] = ()
    digest: str = ""

    @cached_property
    def questions(self) -> Mapping[str, tuple[Report, ...]]:
        """Map every question to its reports."""
        found: dict[str, list[Report]] = {}
        for report in self.reports:
            found.setdefault(report.question, []).append(report)
        return {question: tuple(own) for question, own in found.items()}

    @property
    def dimensions(self) -> tuple[str, ...]:
        """Name the dimensions that a run for the labels has."""
        return DIMENSIONS if self.labels is None else self.labels.run_dimensions

    def request(self, question: str) -> str:
        """Give what the reports of a question were asked for; empty where no rubric says it."""
        return "" if self.rubrics is None else self.rubrics.prompts.get(question, "")

    @cached_property
    def _languages(self) -> dict[str, str]:
        first = {question: own[0].text for question, own in self.questions.items()}
        return {question: language_of(self.request(question) or text) for question, text in first.items()}

    def language(self, question: str) -> str:
        """Give the language to ask in: the request's, or the first report's where there is none."""
        return self._languages[question]

    def criteria(self, question: str, dimension: str) -> Sequence[Criterion]:
        """Give a dimension's criteria."""
        return () if self.rubrics is None else self.rubrics.criteria[question].get(dimension, ())

    def part(self, shard: Shard, *, together: bool) -> Material:
        """Take a shard's reports: whole questions where their answers have to be judged in one place."""
        taken = (r for r in self.reports if shard.takes(*((r.question,) if together else r.key)))
        return replace(self, reports=tuple(taken))

    def first(self, count: int, *, together: bool = False) -> Material:
        """Take some reports for a trial: of one question where they have to be judged together, else of every question.

        Of several questions they are the first of each, then the second, and so on, so that all languages are tried.
        """
        if together:
            return replace(self, reports=self.reports[:count])
        turns = Counter[str]()
        order: list[tuple[int, int]] = []
        for place, report in enumerate(self.reports):
            order.append((turns[report.question], place))
            turns[report.question] += 1
        taken = sorted(place for _, place in sorted(order)[:count])
        return replace(self, reports=tuple(self.reports[place] for place in taken))


def material_of(
    method: Method, reports: Reports, labels: Labels | None, rubrics: Rubrics | None, *, partial: bool = False
) -> Material:
    """Put reports, labels and rubrics together.

    A report that cannot be used is named, and stops nothing by itself; that an answer of the labels then has none does.

    Raises
    ------
    JudgingError
        If answers lack their report (unless ``partial``), or questions the rubric that the method needs.
    """
    problems = [replace(problem, severity="warning") for problem in reports.problems]
    chosen = reports.reports
    if labels is not None:
        problems += check_coverage(reports, labels, partial=partial)
        chosen = tuple(reports.by_key[key] for key in labels.index if key in reports.by_key)
    problems += _lacking(method, {report.question: None for report in chosen}, rubrics)
    if not chosen:
        remedy = "Check their ids, and that these are the labels of these questions."
        problems.insert(0, Problem("error", "no_reports", "no report is one of the labels'.", remedy))
    if any(problem.severity == "error" for problem in problems):
        raise JudgingError(reports.name, problems)
    broken = {(own.question, own.answer) for own in reports.problems if own.question and own.answer}
    whole = len(broken | reports.by_key.keys()) if labels is None else len(labels)
    return Material(tuple(chosen), labels, rubrics, whole, tuple(problems), reports.digest)


def _lacking(method: Method, questions: Iterable[str], rubrics: Rubrics | None) -> list[Problem]:
    """Name questions without the request or the criteria that the method shows to a judge."""
    if all(ask.kind.gives == "opinions" for ask in method.asks):
        return []
    remedy = "Name the folder of criterion<questionId>.json by --rubrics, or labels that have it."
    if rubrics is None:
        message = "a judge has to see what was asked for, which rubrics say, and there are none."
        return [Problem("error", "no_rubrics", message, remedy)]
    criteria = any(ask.kind.rubrics for ask in method.asks)
    lacking = [
        question
        for question in questions
        if not rubrics.prompts.get(question) or (criteria and not rubrics.criteria.get(question))
    ]
    shown = ", ".join(printable(question, 40) for question in lacking[:_FEW])
    message = f"there is no rubric for {len(lacking)} of the questions: {shown}."
    return [Problem("error", "missing_rubric", message, remedy)] if lacking else []
