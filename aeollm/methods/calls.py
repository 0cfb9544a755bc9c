"""What every way of asking asks: one call after the other, with how its reply is read as rows of a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from aeollm.decimals import Decimal, decimal_of
from aeollm.judging import Data, Message, Options, Reader, Reply, Request, Template, Unread
from aeollm.judging.reading import Scale
from aeollm.judging.reports import Report
from aeollm.methods.material import Material
from aeollm.methods.method import Ask, Judge, RubricQuestion, Sampling
from aeollm.methods.prompting import Prompts
from aeollm.tables import AnswerScores

Row = tuple[str, ...]
Rows = tuple[Row, ...]
T = dict[str, str | Data]


@dataclass(frozen=True)
class Call:
    """One call: the request, how a reply becomes rows, and the rows that stand for it where there is no reply."""

    request: Request
    read: Reader[Rows]
    lost: Rows = ()


@dataclass(frozen=True)
class Asking:
    """All that a way of asking makes its calls of.

    ``scores`` are what it builds on; None where they are not there yet, so that the most that can be asked is.
    """

    ask: Ask
    material: Material
    judges: Mapping[str, Judge]
    sampling: Sampling = field(default_factory=Sampling)
    prompts: Prompts = field(default_factory=Prompts)
    questions: tuple[RubricQuestion, ...] = ()
    scores: AnswerScores | None = None

    @property
    def asked(self) -> tuple[Judge, ...]:
        """Give the judges it asks."""
        return tuple(self.judges[name] for name in self.ask.judges)

    @property
    def dimensions(self) -> tuple[str, ...]:
        """Name the dimensions it asks for."""
        return self.ask.options.get("dimensions") or self.material.dimensions

    @property
    def scale(self) -> Scale:
        """Give the scale of the scores."""
        low, high = self.ask.options["scale"]
        return Scale(_short(low), _short(high))

    def backwards(self) -> tuple[bool, ...]:
        """Give the orders of criteria: False is the rubric's own."""
        return {"original": (False,), "reversed": (True,)}.get(self.ask.options["orders"], (False, True))

    def template(self, question: str) -> Template:
        """Give the template in the question's language."""
        return self.prompts.template(str(self.ask.options["prompt"]), self.material.language(question))

    def options(self, judge: Judge, schema: str | None, top_logprobs: int | None = None) -> Options:
        """Give how a judge is asked."""
        own = self.sampling
        most = int(self.ask.options["max_tokens"])
        return Options(judge.model, own.temperature, own.seed, most, top_logprobs, schema, own.extra)

    def request(self, place: Row, template: Template, values: Mapping[str, str | Data], options: Options) -> Request:
        """Make a request; its place starts with the ask's name."""
        messages: tuple[Message, ...] = template.fill(values)
        return Request((self.ask.name, *place), messages, options, template.name_and_version)

    def ends(self, template: Template) -> dict[str, str | Data]:
        """Give the ends of the scale, unless a prompt has a slot for neither: an optimised one has them in words."""
        bounds = self.bounds()
        return {} if bounds.keys().isdisjoint(template.slots) else bounds

    def about(self, report: Report) -> dict[str, str | Data]:
        """Give what all prompts about one report show: the request and the report."""
        return {
            "question": Data("question", self.material.request(report.question)),
            "report": Data("report", report.text),
        }

    def bounds(self) -> dict[str, str | Data]:
        """Give the ends of the scale as a prompt shows them."""
        low, high = self.ask.options["scale"]
        return {"low": f"{low:g}", "high": f"{high:g}"}


def _short(number: float) -> Decimal:
    return Decimal(int(number), 0) if number == int(number) else decimal_of(number)


def as_rows(read: Reader[Mapping[str, Decimal]], rows: Callable[[Mapping[str, str]], Rows]) -> Reader[Rows]:
    """Turn what a reader gives into rows of a table."""

    def reader(reply: Reply) -> Rows | Unread:
        found = read(reply)
        if isinstance(found, Unread):
            return found
        return rows({name: value.written() for name, value in found.items()})

    return reader


def tied(scores: AnswerScores, first: tuple[str, str], second: tuple[str, str], dimension: str) -> bool:
    """Tell whether two answers have the very same score."""
    one, other = scores.get(first, dimension), scores.get(second, dimension)
    return one is not None and one == other


def near(scores: AnswerScores, first: tuple[str, str], second: tuple[str, str], within: tuple[str, Fraction]) -> bool:
    """Tell whether two answers' scores in a dimension differ by no more than so much."""
    one, other = scores.get(first, within[0]), scores.get(second, within[0])
    return one is not None and other is not None and abs(one - other) <= within[1]


Calls = Callable[[Asking], Iterator[Call]]
