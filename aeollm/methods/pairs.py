"""Asking which of two reports is better: every pair, near ones, or those that tie."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import combinations

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
    schema, read = outcomes_schema(fields), outcomes_reader(fields)
    for first, second in _shown(asking, _chosen(asking)):
        template = asking.template(first.question)
        values = _both(asking, first, second)
        values |= {
            "dimensions": list_dimensions(asking.dimensions, template.language),
            "format": outcomes_form(fields),
        }
        for judge in asking.asked:
            place = (judge.name, first.question, first.answer, second.answer)
            starts: list[Row] = [(first.question, name, first.answer, second.answer) for name in asking.dimensions]
            request = asking.request(place, template, values, asking.options(judge, schema))
            lost = tuple((*start, "", judge.name) for start in starts)
            yield Call(request, _rows(read, asking.dimensions, (starts, judge.name)), lost)


def tie_break(asking: Asking) -> Iterator[Call]:
    """Ask for the winner in one dimension by its criteria, for pairs that tie in it."""
    fields = [WINNER]
    schema, read = outcomes_schema(fields), outcomes_reader(fields)
    for dimension in asking.dimensions:
        pairs = [pair for pair in _all(asking) if _ties(asking, pair, dimension)]
        for first, second in _shown(asking, pairs):
            criteria = asking.material.criteria(first.question, dimension)
            if not criteria:
                continue
            template = asking.template(first.question)
            values = _both(asking, first, second)
            values |= {
                "dimension": describe_dimension(dimension, template.language),
                "criteria": list_criteria(criteria).text,
                "format": outcomes_form(fields),
            }
            for judge in asking.asked:
                place = (judge.name, first.question, first.answer, second.answer, dimension)
                start = (first.question, dimension, first.answer, second.answer)
                request = asking.request(place, template, values, asking.options(judge, schema))
                rows = _rows(read, (WINNER.name,), ([start], judge.name))
                yield Call(request, rows, ((*start, "", judge.name),))


def _both(asking: Asking, first: Report, second: Report) -> dict[str, str | Data]:
    return {
        "question": Data("question", asking.material.request(first.question)),
        "report_a": Data("report-a", first.text),
        "report_b": Data("report-b", second.text),
    }


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
