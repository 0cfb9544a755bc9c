"""Asking every rubric question alone, for the probabilities of its answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field

from aeollm.judging import Answer, Data, Request, Session
from aeollm.judging.reading import OptionProbabilities
from aeollm.judging.reports import Report
from aeollm.judging.sampling import ask_probabilities
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


def opinion_requests(asking: Asking, question: RubricQuestion) -> Iterator[Request]:
    """Ask one rubric question about every report, for one token with its alternatives."""
    (judge,) = asking.asked
    options = asking.options(judge, None, top_logprobs=int(asking.ask.options["top_logprobs"]))
    for report in asking.material.reports:
        language = question.language(asking.material.language(report.question))
        template = asking.prompts.template(str(asking.ask.options["prompt"]), language)
        meanings = dict(zip(question.numbers, question.options[language], strict=True))
        values: dict[str, str | Data] = {
            "text": Data("text", _text(asking, report, language)),
            "rubric_question": question.text[language],
            "options": list_options(meanings),
        }
        yield asking.request((judge.name, *report.key, question.name), template, values, options)


def _text(asking: Asking, report: Report, language: str) -> str:
    request = asking.material.request(report.question)
    if asking.ask.options["request"] == "no" or not request:
        return report.text
    above, below = _HEADINGS[language]
    return f"{above}\n\n{request}\n\n{below}\n\n{report.text}"


async def ask_opinions(
    asking: Asking, session: Session
) -> AsyncIterator[tuple[RubricQuestion, Answer[OptionProbabilities]]]:
    """Ask all questions, one after the other; where there are no token probabilities, by repeated sampling."""
    for question in asking.questions:
        samples = int(asking.ask.options["samples"])
        asked = ask_probabilities(session, opinion_requests(asking, question), question.numbers, samples)
        async for answer in asked:
            yield question, answer


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
