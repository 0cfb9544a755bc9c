"""A prompt optimised in every language apart, as far as its labelled questions go."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from aeollm.errors import Problem
from aeollm.judging import Answer, Session
from aeollm.methods.calls import Asking
from aeollm.methods.optimising.optimiser import Optimised, Optimiser
from aeollm.methods.optimising.setup import first_templates, setups_of


async def optimise(asking: Asking, session: Session) -> tuple[Optimised, list[Answer[Any]]]:
    """Optimise the prompt of every language by its own questions; give what came of it, and every answer.

    A language without two labelled questions keeps the first prompt. All share the most calls that are made.

    Raises
    ------
    JudgingError
        If there are no labels of two questions or more, or the prompt is not made for it.
    """
    templates, answers = first_templates(asking), list[Answer[Any]]()
    found: list[Optimised] = []
    calls = 0
    for setup in setups_of(asking):
        own = Optimiser(setup, session, calls=calls)
        found.append(await own.run())
        templates |= found[-1].templates
        answers += own.answers
        calls = own.calls
    log = tuple(entry for own in found for entry in own.log)
    problems = (*(problem for own in found for problem in own.problems), *_unlearned(asking))
    return Optimised(templates, log, problems, all(own.whole for own in found)), answers


def _unlearned(asking: Asking) -> Iterator[Problem]:
    """Say whose prompt stays as it was."""
    whole = asking.material
    learned = {language for setup in setups_of(asking) for language in setup.frames}
    others = [question for question in whole.questions if whole.language(question) not in learned]
    if others:
        count, language = sum(len(whole.questions[own]) for own in others), whole.language(others[0])
        message = f"{count} reports are scored by the first prompt: no two labelled questions are in {language}."
        yield Problem("warning", "other_language", message, "Name labels of more questions in it.")
