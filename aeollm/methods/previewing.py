"""What a method sends, to be looked at before anything is sent: a prompt of each kind, in each language."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from aeollm.errors import JudgingError, Problem, printable
from aeollm.judging import Request
from aeollm.methods.calls import Asking
from aeollm.methods.carrying import Task
from aeollm.methods.collecting import requests_of
from aeollm.methods.estimating import with_first_prompts
from aeollm.methods.optimising import setups_of
from aeollm.methods.pointwise import holistic


def first_prompts(task: Task) -> dict[str, str]:
    """Give the first prompt of every way of asking in every language that occurs, filled in, and that of revisions."""
    found: dict[str, str] = {}
    task = with_first_prompts(task)
    for ask in task.method.asks:
        requests = {request.prompt: request for request in _firsts(task.asking(ask))}
        if not requests:
            message = f"{printable(ask.name)}: there is nothing to ask."
            raise JudgingError(task.method.name, [Problem("error", "nothing_asked", message, "")])
        for name, request in requests.items():
            shown = "\n\n".join(f"# {message.role}\n\n{message.content}" for message in request.messages)
            found[f"{ask.name} ({name})"] = shown
    return found


def _firsts(asking: Asking) -> Iterator[Request]:
    """Give the first request of each language, of each rubric question in it where there are any, and a revision."""
    if asking.ask.kind.gives == "prompt":
        setups = setups_of(asking)
        scoring = [setup.scoring(setup.start, tuple(setup.asking.material.questions)) for setup in setups]
        parts = (part for own in scoring for part in _by_language(own))
        yield from (call.request for part in parts for call in islice(holistic(part), 1))
        yield from (setup.example() for setup in setups)
        return
    for part in _by_language(asking):
        for question in part.questions or (None,):
            questions = () if question is None else (question,)
            yield from islice(requests_of(replace(part, questions=questions)), 1)


def _by_language(asking: Asking) -> Iterator[Asking]:
    """Ask about the reports of each language alone."""
    material = asking.material
    for language in dict.fromkeys(map(material.language, material.questions)):
        reports = tuple(report for report in material.reports if material.language(report.question) == language)
        yield replace(asking, material=replace(material, reports=reports))
