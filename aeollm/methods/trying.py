"""A trial: a method carried out on the first reports, or on as few as let a prompt learn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from aeollm.errors import Problem, printable
from aeollm.judging.reports import Report
from aeollm.methods.carrying import Task
from aeollm.methods.material import Material
from aeollm.methods.method import Ask, Method
from aeollm.tables import Labels, Policy

TRIAL = "trial_size"
"""The kind of the problem that says what a trial takes where it is not the number of reports asked for."""
_TWO = 2
_EACH = 3
"""Reports of a question: of two, whose order is all there is, a judge may leave nothing to learn from."""


def trial_of(task: Task, count: int) -> Task:
    """Take the first reports; where a prompt is optimised, a small whole: questions to learn from and to decide by.

    That is two labelled questions, with three reports where there are so many, however few are asked for; and one
    round.
    """
    partial, learns = Policy(partial=True), next((ask for ask in task.method.asks if ask.kind.gives == "prompt"), None)
    if learns is None:
        return replace(task, material=task.material.first(count, together=task.method.together), policy=partial)
    material = _small_whole(task.material, count, learns)
    told = Problem(
        "note",
        TRIAL,
        f"a trial of {printable(task.method.name)} takes {len(material.reports)} reports of {len(material.questions)} "
        "questions, in one round, since the prompt learns on some questions and others decide what is kept.",
        "All rounds are for all reports.",
    )
    material = replace(material, problems=(*material.problems, told))
    return replace(task, method=_in_one_round(task.method), material=material, policy=partial)


def _in_one_round(method: Method) -> Method:
    asks = (
        replace(ask, options={**ask.options, "rounds": min(ask.options["rounds"], 1)})
        if ask.kind.gives == "prompt"
        else ask
        for ask in method.asks
    )
    return replace(method, asks=tuple(asks))


def _small_whole(material: Material, count: int, ask: Ask) -> Material:
    """Take some reports of every question, two questions at the least, then more of these in turn.

    Questions come first whose reports people have scored apart, and of one language: those tell prompts apart.
    """
    labels = material.labels
    if labels is None or not labels.labelled:
        return material.first(count, together=True)
    dimensions = ask.options["dimensions"] or material.dimensions
    some = {question: _some(own, labels, dimensions) for question, own in material.questions.items()}
    apart = [question for question, own in some.items() if len(own) > 1 and _apart(own[0], own[1], labels, dimensions)]
    languages = Counter(material.language(question) for question in apart)
    common = max(languages, key=languages.__getitem__, default=None)
    first = [question for question in apart if material.language(question) == common][:_TWO]
    chosen = list(dict.fromkeys((*first, *apart, *(question for question, own in some.items() if own))))
    chosen = chosen[: max(count // _EACH, _TWO)]
    taken = {report.key for question in chosen for report in some[question]}
    rest = replace(material, reports=tuple(own for question in chosen for own in material.questions[question]
                                           if own.key not in taken))  # fmt: skip
    taken |= {report.key for report in rest.first(max(count - len(taken), 0)).reports}
    return replace(material, reports=tuple(report for report in material.reports if report.key in taken))


def _some(reports: Sequence[Report], labels: Labels, dimensions: Sequence[str]) -> tuple[Report, ...]:
    """Give a question's first report that people have scored, the first that they have scored otherwise, and others."""
    scored = [own for own in reports if own.key in labels.index and labels.given[labels.index[own.key]].any()]
    other = next((own for own in scored[1:] if _apart(scored[0], own, labels, dimensions)), None)
    if other is not None:
        scored = [scored[0], other, *(own for own in scored[1:] if own is not other)]
    return tuple(scored[:_EACH])


def _apart(one: Report, other: Report, labels: Labels, dimensions: Sequence[str]) -> bool:
    """Tell whether people have scored two reports differently in one of the dimensions."""
    places = [place for place, name in enumerate(labels.dimensions) if name in dimensions]
    values = np.where(labels.given, labels.scores.values, np.nan)
    first, second = (values[labels.index[own.key]][places] for own in (one, other))
    return bool((np.abs(first - second) > 0).any())
