"""Reports against the answers of a label set."""

from __future__ import annotations

import difflib
import unicodedata

from aeollm.errors import Problem, Severity, printable
from aeollm.judging.reports.nouns import Reports
from aeollm.tables import Key, Labels

_MOST_COMPARED = 50


def check_coverage(reports: Reports, labels: Labels, *, partial: bool = False) -> list[Problem]:
    """Name answers without a report, and reports without an answer, which are not judged.

    A missing report is an error, since the run would be partial, unless ``partial`` says that this is meant.
    """
    unknown = [report for report in reports if report.key not in labels.index]
    found = [
        _unknown(report.key, labels, report.source, search=number < _MOST_COMPARED)
        for number, report in enumerate(unknown)
    ]
    missing = [key for key in labels.index if key not in reports.by_key]
    severity: Severity = "warning" if partial else "error"
    remedy = "The run is partial." if partial else "Add the report, or judge what is there (--partial)."
    for question, answer in missing:
        count = f"{len(missing)} of {len(labels)} reports are"
        message = f"question {printable(question)}, answer {printable(answer)}: its report is missing ({count})."
        found.append(Problem(severity, "missing_answers", message, remedy, question=question, answer=answer))
    return found


def _unknown(key: Key, labels: Labels, source: str, *, search: bool) -> Problem:
    question, answer = key
    known = [other for other, _ in labels.index]
    asked, value = ("question", question) if question not in known else ("answer", answer)
    ids = known if asked == "question" else [other for owner, other in labels.index if owner == question]
    near = _nearest(value, list(dict.fromkeys(ids))) if search else None
    message = f"{printable(source)}: {asked} {printable(value)!r} is not in the labels; the report is not judged."
    remedy = f"The nearest known id is {printable(near)}." if near else "Remove it, or correct the name."
    return Problem("warning", f"unknown_{asked}", message, remedy, value=source, question=question, answer=answer)


def _nearest(value: str, ids: list[str]) -> str | None:
    folded = {unicodedata.normalize("NFKC", known).casefold(): known for known in ids}
    near = difflib.get_close_matches(unicodedata.normalize("NFKC", value).casefold(), list(folded), n=1)
    return folded[near[0]] if near else None
