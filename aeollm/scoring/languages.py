"""The language of a question, told from its prompt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

_ENOUGH = 0.2


def question_language(prompt: str) -> str | None:
    """Tell Chinese from English by the share of Chinese characters among letters; None without letters.

    >>> question_language("比较三种冷却方案"), question_language("Compare three ways of cooling"), question_language("")
    ('Chinese', 'English', None)
    """
    letters = [letter for letter in prompt if letter.isalpha()]
    if not letters:
        return None
    chinese = sum("\u3400" <= letter <= "\u9fff" or "\U00020000" <= letter <= "\U0003ffff" for letter in letters)
    return "Chinese" if chinese >= _ENOUGH * len(letters) else "English"


def questions_by_language(questions: Sequence[str], prompts: Mapping[str, str]) -> dict[str, list[int]]:
    """Give the places of the questions by language, in alphabetical order; those without a prompt are left out."""
    places: dict[str, list[int]] = {}
    for place, question in enumerate(questions):
        language = question_language(prompts.get(question, ""))
        if language is not None:
            places.setdefault(language, []).append(place)
    return dict(sorted(places.items()))
