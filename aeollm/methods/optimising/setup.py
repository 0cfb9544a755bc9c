"""What an optimisation starts from: the prompt taken apart, the questions dealt out, and what it asks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan

import numpy as np

from aeollm.errors import JudgingError, Problem
from aeollm.judging import Data, Request
from aeollm.judging.prompts import LANGUAGES
from aeollm.methods.calls import Asking
from aeollm.methods.guidance import Frame, split_guidance
from aeollm.methods.losses import Compared, Split, compared, split_questions
from aeollm.methods.pointwise import holistic
from aeollm.methods.prompting import Prompts
from aeollm.tables import Labels

Guidance = tuple[str, ...]
WARM = 0.7
"""Least temperature of the reviser: a refused revision must not come again."""
_REVISION_TOKENS = 4096
"""Least room of a revision; more where replies are given more."""


@dataclass(frozen=True)
class Setup:
    """Labels to learn from, the questions' parts, and the prompt taken apart: frames and first guidance by language.

    ``asking`` is about the reports in these languages. ``language`` is the one in which guidance is revised: that of
    most training questions; ``among_others`` says that others are optimised apart.
    """

    asking: Asking
    labels: Labels
    split: Split
    frames: Mapping[str, Frame]
    language: str
    starts: Mapping[str, Guidance]
    among_others: bool = False

    @property
    def start(self) -> Guidance:
        """Give the guidance to start with, in the language it is revised in."""
        return self.starts[self.language]

    def scoring(self, guidance: Guidance, questions: Sequence[str]) -> Asking:
        """Ask for scores of some questions' reports, under a guidance."""
        material, name = self.asking.material, self.asking.ask.name
        reports = tuple(report for report in material.reports if report.question in set(questions))
        options = {**self.asking.ask.options, "prompt": name, "reviser": None}
        prompts = Prompts(made=self.templates(name, guidance))
        ask = replace(self.asking.ask, options=options)
        return replace(self.asking, ask=ask, material=replace(material, reports=reports), prompts=prompts)

    def templates(self, name: str, guidance: Guidance) -> dict[tuple[str, str], str]:
        """Give the prompt in every language: what was not revised in it, what was in that of the reviser."""
        return {
            (name, language): frame.with_guidance(self.spoken(guidance, language))
            for language, frame in self.frames.items()
        }

    def spoken(self, guidance: Guidance, language: str) -> Guidance:
        """Give a guidance in a language, as far as it was not revised.

        Where the first prompt has another number of segments there, only the whole of it has its like.
        """
        start, own = self.start, self.starts[language]
        if guidance == start:
            return own
        if len(own) != len(start):
            return guidance
        there = dict(zip(start, own, strict=True))
        return tuple(there.get(segment, segment) for segment in guidance)

    def foreign(self, guidance: Guidance) -> int:
        """Count the reports that are scored by guidance in another language than their question's."""
        material = self.asking.material
        mixed = {language for language in self.frames if language != self.language
                 and set(self.spoken(guidance, language)) & (set(guidance) - set(self.starts[language]))}  # fmt: skip
        return sum(len(own) for question, own in material.questions.items() if material.language(question) in mixed)

    def reviser(self, guidance: Guidance, errors: str, number: int) -> Request:
        """Ask for a revision."""
        options = self.asking.ask.options
        name = str(options["reviser"] or options["judge"])
        template = self.asking.prompts.template("optimise", self.language)
        values: dict[str, str | Data] = {
            "prompt": Data("prompt", "\n\n".join(guidance)),
            "errors": Data("errors", errors),
        }
        asked = self.asking.options(self.asking.judges[name], None)
        most = max(asked.max_tokens, _REVISION_TOKENS)
        warm = replace(asked, temperature=max(asked.temperature, WARM), max_tokens=most, sample=number)
        return self.asking.request((name, "revision", str(number + 1)), template, values, warm)

    def example(self) -> Request:
        """Ask for a revision as long as no score is known: of the first training reports, with ? for the judge's."""
        training = [report.key for report in self.asking.material.reports if report.question in self.split.training]
        keys = [key for key in training if key in self.labels.index][: int(self.asking.ask.options["errors"])]
        table = compared({}, keys, self.asking.dimensions, self.labels)
        return self.reviser(self.start, self.errors(table, range(len(keys))), 0)

    def errors(self, table: Compared, rows: Sequence[int]) -> str:
        """Describe errors: the request, how the report begins, and both scores in every dimension."""
        reports = {report.key: report for report in self.asking.material.reports}
        most = int(self.asking.ask.options["excerpt"])
        parts: list[str] = []
        for number, row in enumerate(rows):
            key = table.keys[row]
            both = zip(table.dimensions, table.judge[row].tolist(), table.people[row].tolist(), strict=True)
            told = "\n".join(f"{name}: model {_told(one)}, people {_told(other)}" for name, one, other in both)
            request, text = self.asking.material.request(key[0]), reports[key].text[:most]
            parts.append(f"{number + 1}.\n{request[:most]}\n\n{text}\n\n{told}")
        return "\n\n---\n\n".join(parts)


def _told(score: float) -> str:
    return "?" if isnan(score) else f"{score:g}"


def setups_of(asking: Asking) -> tuple[Setup, ...]:
    """Take the prompt apart, and deal out the questions: of every language apart that has two labelled ones or more.

    Where none has, they are all taken together, and revised in the language of most training questions.

    Raises
    ------
    JudgingError
        If there are no labels of two questions or more, or the prompt is not made for it.
    """
    labels = labels_for(asking)
    known = _labelled(labels)
    languages = [asking.material.language(own) for own in asking.material.questions if own in known]
    apart: list[tuple[str, ...]] = [(language,) for language in LANGUAGES if languages.count(language) > 1]
    parts = _parts(asking)
    return tuple(
        replace(_setup(asking, labels, {own: parts[own] for own in group}), among_others=len(apart) > 1)
        for group in apart or [LANGUAGES]
    )


def _setup(asking: Asking, labels: Labels, parts: Mapping[str, tuple[Frame, Guidance]]) -> Setup:
    """Deal out the questions in these languages."""
    options, whole, known = asking.ask.options, asking.material, _labelled(labels)
    reports = tuple(report for report in whole.reports if whole.language(report.question) in parts)
    material = replace(whole, reports=reports)
    labelled = [question for question in material.questions if question in known]
    shares = (options["held_out"], options["untouched"])
    split = split_questions(labelled, shares, int(options["split_seed"]))
    languages = [material.language(question) for question in split.training]
    frames = {language: frame for language, (frame, _) in parts.items()}
    starts = {language: own for language, (_, own) in parts.items()}
    return Setup(replace(asking, material=material), labels, split, frames, max(parts, key=languages.count), starts)


def _parts(asking: Asking) -> dict[str, tuple[Frame, Guidance]]:
    low, high = map(str, asking.bounds().values())
    name = str(asking.ask.options["prompt"])
    return {language: split_guidance(asking.prompts.template(name, language), low, high) for language in LANGUAGES}


def first_templates(asking: Asking) -> dict[tuple[str, str], str]:
    """Give the prompt that it starts from, in every language, under the name of the one that it makes.

    Raises
    ------
    JudgingError
        If there are no labels to learn from, or the prompt is not made for it.
    """
    labels_for(asking)
    parts = _parts(asking)
    return {(asking.ask.name, language): frame.with_guidance(own) for language, (frame, own) in parts.items()}


def labels_for(asking: Asking) -> Labels:
    """Give the labels to learn from.

    Raises
    ------
    JudgingError
        If there are none, or only of one question.
    """
    labels = asking.material.labels
    known = set() if labels is None else _labelled(labels) & set(asking.material.questions)
    if labels is None or not labels.labelled or len(known) < 2:
        message = "a prompt is optimised on labels of two questions or more."
        raise JudgingError(asking.ask.name, [Problem("error", "no_labels", message, "Name labels with scores.")])
    return labels


def _labelled(labels: Labels) -> set[str]:
    """Name the questions of which people have scored an answer."""
    return {labels.questions[row] for row in np.flatnonzero(labels.given.any(axis=1)).tolist()}


def most_requests(asking: Asking) -> Iterator[Request]:
    """Give as many requests as an optimisation makes at most, for an estimate; revised texts count as the first."""
    options = asking.ask.options
    rounds = int(options["rounds"])
    for setup in setups_of(asking):
        split, segments = setup.split, len(setup.start) + 1
        per_round = 1 + (segments if options["prune"] == "yes" else 0)
        times = ((split.held_out, 2 + rounds * per_round), (split.training, 2 + rounds), (split.untouched, 2))
        for questions, count in times:
            for call in holistic(setup.scoring(setup.start, questions)):
                for number in range(count):
                    yield call.request.asked(replace(call.request.options, sample=number))
        for number in range(rounds):
            yield setup.reviser(setup.start, "x" * 2 * int(options["excerpt"]) * int(options["errors"]), number)
