"""Asking which of two reports is better: every pair, near ones, or those that tie."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import combinations, groupby

from aeollm.judging import Data, Reader, Reply, Unread
from aeollm.judging.reading import WINNER, dimension_fields, outcomes_reader, outcomes_schema
from aeollm.judging.reports import Report
from aeollm.judging.wording import describe_dimension, list_criteria, list_dimensions, outcomes_form
from aeollm.methods.calls import Asking, Call, Row, Rows, near, tied

Pair = tuple[Report, Report]
_WINNERS: Mapping[str, str] = {"A": "left", "B": "right", "tie": "tie"}


def pairwise(asking: Asking) -> Iterator[Call]:
    """Ask for the winner in every dimension at once."""
    fields = dimension_fields(asking.dimensions)
    schema, read, names = outcomes_schema(fields), outcomes_reader(fields), asking.dimensions
    judges = [(judge.name, asking.options(judge, schema)) for judge in asking.asked]
    for question, pairs in groupby(_shown(asking, _chosen(asking)), _question):
        template = asking.template(question)
        same = {"dimensions": list_dimensions(names, template.language), "format": outcomes_form(fields)}
        for (one, other), values in _filled(asking, pairs, same):
            starts: list[Row] = [(question, name, one, other) for name in names]
            for judge, options in judges:
                request = asking.request((judge, question, one, other), template, values, options)
                lost = tuple((*start, "", judge) for start in starts)
                yield Call(request, _rows(read, names, (starts, judge)), lost)


def tie_break(asking: Asking) -> Iterator[Call]:
    """Ask for the winner in one dimension by its criteria, for pairs that tie in it."""
    fields = [WINNER]
    schema, read = outcomes_schema(fields), outcomes_reader(fields)
    judges = [(judge.name, asking.options(judge, schema)) for judge in asking.asked]
    for dimension in asking.dimensions:
        tying = [pair for pair in _all(asking) if _ties(asking, pair, dimension)]
        for question, pairs in groupby(_shown(asking, tying), _question):
            criteria = asking.material.criteria(question, dimension)
            if not criteria:
                continue
            template = asking.template(question)
            same: dict[str, str | Data] = {
                "dimension": describe_dimension(dimension, template.language),
                "criteria": list_criteria(criteria).text,
                "format": outcomes_form(fields),
            }
            for (one, other), values in _filled(asking, pairs, same):
                start = (question, dimension, one, other)
                for judge, options in judges:
                    place = (judge, question, one, other, dimension)
                    request = asking.request(place, template, values, options)
                    yield Call(request, _rows(read, (WINNER.name,), ([start], judge)), ((*start, "", judge),))


def _question(pair: Pair) -> str:
    return pair[0].question


def _filled(
    asking: Asking, pairs: Iterable[Pair], same: Mapping[str, str | Data]
) -> Iterator[tuple[tuple[str, str], Mapping[str, str | Data]]]:
    """Give the answers of every pair of a question, and what a prompt shows of them; a report is fenced once."""
    left: dict[str, Data] = {}
    right: dict[str, Data] = {}
    whole: dict[str, str | Data] = {}
    for first, second in pairs:
        one, other = first.answer, second.answer
        if not whole:
            whole = {**same, "question": Data("question", asking.material.request(first.question))}
        if one not in left:
            left[one] = Data("report-a", first.text)
        if other not in right:
            right[other] = Data("report-b", second.text)
        yield (one, other), {**whole, "report_a": left[one], "report_b": right[other]}


def _all(asking: Asking) -> list[Pair]:
    return [pair for own in asking.material.questions.values() for pair in combinations(own, 2)]


def _ties(asking: Asking, pair: Pair, dimension: str) -> bool:
    return asking.scores is None or tied(asking.scores, pair[0].key, pair[1].key, dimension)


def _chosen(asking: Asking) -> list[Pair]:
    """Take every pair, or those that are near each other in one of the dimensions asked for."""
    scores = asking.scores
    if scores is None:
        return _all(asking)
    within = Fraction(repr(asking.ask.options["within"]))
    return [
        (one, other)
        for one, other in _all(asking)
        if any(near(scores, one.key, other.key, (dimension, within)) for dimension in asking.dimensions)
    ]


def _shown(asking: Asking, pairs: list[Pair]) -> Iterator[Pair]:
    """Give every pair as it is shown: in both orders, or once."""
    for one, other in pairs:
        yield one, other
        if asking.ask.options["orders"] == "both":
            yield other, one


def _rows(read: Reader[Mapping[str, str]], names: tuple[str, ...], written: tuple[list[Row], str]) -> Reader[Rows]:
    """Read winners as rows: question, dimension, left, right, winner, judge."""
    starts, judge = written

    def reader(reply: Reply) -> Rows | Unread:
        found = read(reply)
        if isinstance(found, Unread):
            return found
        return tuple((*start, _WINNERS[found[name]], judge) for start, name in zip(starts, names, strict=True))

    return reader
