"""Asking every rubric question alone, for the probabilities of its answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field

from aeollm.judging import Answer, Data, ReplyStore, Request, Session, Unread
from aeollm.judging.reading import OptionProbabilities, option_probabilities, told_apart
from aeollm.judging.reports import Report
from aeollm.judging.sampling import NO_LOGPROBS, ask_probabilities, samples_of
from aeollm.judging.wording import list_options
from aeollm.methods.calls import Asking, Row
from aeollm.methods.method import RubricQuestion

_HALF = 0.5


@dataclass
class Masses:
    """Where opinions come from, and how much of the probability lies on the answers that were allowed."""

    rows: int = 0
    whole: float = 0.0
    least: float = 1.0
    under_half: int = 0
    sources: Counter[str] = field(default_factory=Counter)

    def add(self, opinion: OptionProbabilities) -> None:
        """Take in one."""
        self.rows += 1
        self.whole += opinion.mass
        self.least = min(self.least, opinion.mass)
        self.under_half += opinion.mass < _HALF
        self.sources[opinion.source] += 1


_HEADINGS = {"en": ("The request:", "The report:"), "zh": ("请求：", "报告：")}


def opinion_columns(asking: Asking) -> Row:
    """Give the table's header: a column an answer, as many as any question has."""
    most = max(len(question.numbers) for question in asking.questions)
    answers = (f"answer{number + 1}_prob" for number in range(most))
    return ("text_id", "criterion", *answers, "n_options", "questionId", "answerId", "source", "samples")


def opinion_requests(asking: Asking) -> Iterator[tuple[RubricQuestion, Request]]:
    """Ask every rubric question about every report, for one token with its alternatives.

    A report's questions follow each other, so that a server which keeps what prompts begin with reads it once.
    """
    (judge,) = asking.asked
    options = asking.options(judge, None, top_logprobs=int(asking.ask.options["top_logprobs"]))
    for report in asking.material.reports:
        texts: dict[str, Data] = {}
        for question in asking.questions:
            language = question.language(asking.material.language(report.question))
            template = asking.prompts.template(str(asking.ask.options["prompt"]), language)
            meanings = dict(zip(question.numbers, question.options[language], strict=True))
            if language not in texts:
                texts[language] = Data("text", _text(asking, report, language))
            values: dict[str, str | Data] = {
                "text": texts[language],
                "rubric_question": question.text[language],
                "options": list_options(meanings),
            }
            yield question, asking.request((judge.name, *report.key, question.name), template, values, options)


def opinion_calls(asking: Asking, store: ReplyStore | None) -> Iterator[Request]:
    """Give the calls that this makes, for an estimate, as far as replies on disk tell them.

    Of a call without token probabilities, and where none can be had, they are the samples. Whether calls that are still
    to be made will need samples, too, is not known from them.
    """
    samples = int(asking.ask.options["samples"])
    refused = store is not None and any("top_logprobs" in store.lacking(judge.model) for judge in asking.asked)
    for question, request in opinion_requests(asking):
        if not refused and told_apart(question.numbers):
            yield request
            reply = None if store is None else store.get(request)
            found = None if reply is None else option_probabilities(reply, question.numbers)
            if not isinstance(found, Unread) or found.kind != NO_LOGPROBS:
                continue
        yield from samples_of(request, samples)


def _text(asking: Asking, report: Report, language: str) -> str:
    request = asking.material.request(report.question)
    if asking.ask.options["request"] == "no" or not request:
        return report.text
    above, below = _HEADINGS[language]
    return f"{above}\n\n{request}\n\n{below}\n\n{report.text}"


def ask_opinions(asking: Asking, session: Session) -> AsyncIterator[Answer[OptionProbabilities]]:
    """Ask all questions about one report after the other; without token probabilities by repeated sampling."""
    asked = ((request, question.numbers) for question, request in opinion_requests(asking))
    return ask_probabilities(session, asked, int(asking.ask.options["samples"]))


def opinion_places(asking: Asking) -> Iterator[tuple[RubricQuestion, Row]]:
    """Give the places of all answers, with their questions, in the order in which they are asked and written."""
    (judge,) = asking.asked
    for report in asking.material.reports:
        for question in asking.questions:
            yield question, (asking.ask.name, judge.name, *report.key, question.name)


def opinion_row(question: RubricQuestion, answer: Answer[OptionProbabilities], width: int) -> Row | None:
    """Give the table's row; None where there is no opinion. Probabilities are as they were, not renormalised."""
    found = answer.value
    if found is None:
        return None
    _, _, report, text, _ = answer.request.place
    values = [repr(found.values[number]) for number in question.numbers]
    values += ["0.0"] * (width - len(values))
    count = str(len(question.numbers))
    return (f"{report}/{text}", question.name, *values, count, report, text, found.source, str(found.samples))
