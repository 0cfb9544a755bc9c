"""The report's head, and what was found wrong with labels and run files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from aeollm.errors import Problem, ProblemGroup, group_problems
from aeollm.evaluation import Evaluation, Result
from aeollm.reporting.html import SIGNS, Html, folded, joined, section, short_name, tag, titled

_SHOWN = 8


def head(evaluation: Evaluation) -> Html:
    """Say what the report is about: labels, weights, counts, and whether they are the demo's."""
    labels = evaluation.label_set.labels
    badge = tag("p", tag("span", "DEMO: simulated labels, not human ones", class_="ae-badge")) if labels.demo else ""
    weights = "rubric weights" if evaluation.label_set.rubrics is not None else "equal weights (no rubrics)"
    scored = sum(result.scores is not None for result in evaluation.results)
    counts = [_several(scored, "run"), _several(len(labels.question_order), "question"), f"{len(labels)} answers"]
    # A local path would tell where the file lies, and make other bytes elsewhere.
    source = tag("code", labels.source) if labels.revision is not None else ""
    return tag(
        "header",
        tag("h1", "Agreement of judges with people"),
        badge,
        tag(
            "p",
            " · ".join([*counts, weights]),
            " · labels ",
            tag("code", labels.signed),
            " ",
            source,
            class_="ae-status",
        ),
    )


def _several(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def problems(evaluation: Evaluation) -> Html:
    """List what was found: refused files first, in full."""
    boxes = []
    if evaluation.label_problems:
        boxes.append(_box(f"Labels {evaluation.label_set.labels.name}", evaluation.label_problems))
    results = sorted(evaluation.results, key=lambda result: result.accepted)
    boxes += [_of_run(result) for result in results if result.problems or not result.accepted]
    if not boxes:
        return tag("p", "Nothing was found wrong with the files.")
    return joined(boxes)


def _of_run(result: Result) -> Html:
    found, of = result.inspection.coverage
    if not result.accepted:
        errors = sum(problem.severity == "error" for problem in result.problems)
        return _box(joined([short_name(result.name), f" refused: {_several(errors, 'problem')}"]), result.problems)
    partial = f" (PARTIAL, {found} of {of} answers)" if found < of else ""
    return _box(joined([short_name(result.name), partial]), result.problems)


def _box(title: str, found: Sequence[Problem]) -> Html:
    worst = next(severity for severity in SIGNS if any(problem.severity == severity for problem in found))
    items = [item for group in group_problems(found, _SHOWN) for item in _items(group)]
    listed = tag("ul", *items)
    if worst == "error":
        content = joined([tag("h3", titled(worst, title)), listed])
    else:
        counts = {word: sum(problem.severity == word for problem in found) for word in SIGNS}
        told = ", ".join(_several(count, word) for word, count in counts.items() if count)
        content = folded(titled(worst, joined([title, ": ", told])), listed)
    return tag("section", content, class_=f"ae-box ae-{worst}")


def _items(group: ProblemGroup) -> Iterable[Html]:
    """List a group's problems; a remedy they share is told once, at the end."""
    word = tag("span", group.severity, class_="ae-word")
    remedies = {problem.remedy for problem in group.shown}
    shared = remedies.pop() if len(group.shown) > 1 and len(remedies) == 1 else None
    for problem in group.shown:
        place = joined([" ", tag("span", f"line {problem.line}", class_="ae-place")]) if problem.line else ""
        yield tag("li", word, place, " ", problem.message, _remedy(problem.remedy if shared is None else ""))
    if group.more:
        yield tag("li", f"… and {group.more} more of this kind; `score --json` lists them all")
    if shared:
        yield tag("li", _remedy(shared))


def _remedy(told: str) -> Html:
    return joined([" ", tag("span", told, class_="ae-remedy")]) if told else Html("")


def signatures(evaluation: Evaluation) -> Html:
    """Give every number's origin."""
    signed = [result.scores.signature for result in evaluation.results if result.scores is not None]
    lines = [tag("code", line, class_="ae-signature") for line in signed or [evaluation.signature]]
    return section("signatures", "Signatures", *lines)
