"""Asking about one report at a time: dimensions at once, criteria together or alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from aeollm.judging import Data
from aeollm.judging.reading import SCORE, criterion_fields, dimension_fields, scores_reader, scores_schema
from aeollm.judging.reports import Report
from aeollm.judging.wording import (
    criterion_text,
    describe_dimension,
    list_criteria,
    list_dimensions,
    scores_form,
)
from aeollm.methods.calls import Asking, Call, Row, Rows, as_rows
from aeollm.methods.method import Judge
from aeollm.tables import ORDERS, Criterion

Place = tuple[str, int]
"""A dimension and a criterion's place in it, from 0."""


def holistic(asking: Asking) -> Iterator[Call]:
    """Ask for a score in every dimension at once."""
    fields, scale = dimension_fields(asking.dimensions), asking.scale
    schema, read = scores_schema(fields, scale), scores_reader(fields, scale)
    for report in asking.material.reports:
        template = asking.template(report.question)
        values = asking.about(report) | asking.ends(template)
        values |= {
            "dimensions": list_dimensions(asking.dimensions, template.language),
            "format": scores_form(fields, scale),
        }
        for judge in asking.asked:
            request = asking.request((judge.name, *report.key), template, values, asking.options(judge, schema))
            key = report.key

            def rows(found: Mapping[str, str], key: Row = key) -> Rows:
                return (("0", *key, *(found[field.name] for field in fields)),)

            yield Call(request, as_rows(read, rows))


def one_dimension(asking: Asking) -> Iterator[Call]:
    """Ask for the criteria of one dimension, in the orders wanted."""
    for report in asking.material.reports:
        for dimension in asking.dimensions:
            criteria = asking.material.criteria(report.question, dimension)
            for backwards in asking.backwards() if criteria else ():
                listed = list_criteria(criteria, backwards=backwards)
                template = asking.template(report.question)
                values: dict[str, str | Data] = {
                    "dimension": describe_dimension(dimension, template.language),
                    "criteria": listed.text,
                }
                places = [(dimension, place) for place in listed.places]
                names = [field.name for field in listed.fields]
                texts = [criteria[place].text for place in listed.places]
                yield from _listed(asking, report, values, (places, names, texts), backwards=backwards)


def one_call(asking: Asking) -> Iterator[Call]:
    """Ask for the criteria of all dimensions at once."""
    for report in asking.material.reports:
        every = [
            ((dimension, place), criterion)
            for dimension in asking.dimensions
            for place, criterion in enumerate(asking.material.criteria(report.question, dimension))
        ]
        for backwards in asking.backwards() if every else ():
            ordered = every[:: -1 if backwards else 1]
            names = [f"C{number + 1}" for number in range(len(ordered))]
            values = {"criteria": Data("criteria", _grouped(ordered, names))}
            places, texts = [place for place, _ in ordered], [criterion.text for _, criterion in ordered]
            yield from _listed(asking, report, values, (places, names, texts), backwards=backwards)


def _grouped(ordered: Sequence[tuple[Place, Criterion]], names: Sequence[str]) -> str:
    """List criteria under the names of their dimensions."""
    lines: list[str] = []
    last = None
    for ((dimension, _), criterion), name in zip(ordered, names, strict=True):
        if dimension != last:
            lines += [*([""] if lines else []), f"[{dimension}]"]
            last = dimension
        lines.append(f"{name}. {criterion_text(criterion)}")
    return "\n".join(lines)


def _listed(
    asking: Asking,
    report: Report,
    values: Mapping[str, str | Data],
    listed: tuple[Sequence[Place], Sequence[str], Sequence[str]],
    *,
    backwards: bool,
) -> Iterator[Call]:
    """Ask for scores of listed criteria, given as places in the rubric, names in the list, texts."""
    places, names, texts = listed
    fields, scale = criterion_fields(names, texts), asking.scale
    template, order = asking.template(report.question), ORDERS[backwards]
    whole = asking.about(report) | asking.ends(template) | dict(values) | {"format": scores_form(fields, scale)}
    read, schema = scores_reader(fields, scale), scores_schema(fields, scale)
    dimensions = list(dict.fromkeys(dimension for dimension, _ in places))
    part = dimensions[0] if len(dimensions) == 1 and "dimension" in values else "all"
    for judge in asking.asked:
        place = (judge.name, *report.key, part, order)
        starts = [_start(report, dimension, number) for dimension, number in places]
        end = (order, judge.name)

        def rows(found: Mapping[str, str], starts: list[Row] = starts, end: Row = end) -> Rows:
            return tuple((*start, found[name], *end) for start, name in zip(starts, names, strict=True))

        lost = tuple((*start, "", *end) for start in starts)
        request = asking.request(place, template, whole, asking.options(judge, schema))
        yield Call(request, as_rows(read, rows), lost)


def per_criterion(asking: Asking) -> Iterator[Call]:
    """Ask for one criterion alone."""
    scale, read = asking.scale, scores_reader([SCORE], asking.scale)
    schema = scores_schema([SCORE], scale)
    for report, judge, (dimension, number), criterion in _criteria(asking):
        template = asking.template(report.question)
        values = asking.about(report) | asking.ends(template)
        values |= {
            "dimension": describe_dimension(dimension, template.language),
            "criterion": Data("criterion", criterion_text(criterion)),
            "format": scores_form([SCORE], scale),
        }
        place = (judge.name, *report.key, dimension, str(number + 1))
        start, end = _start(report, dimension, number), (ORDERS[0], judge.name)

        def rows(found: Mapping[str, str], start: Row = start, end: Row = end) -> Rows:
            return ((*start, found[SCORE.name], *end),)

        request = asking.request(place, template, values, asking.options(judge, schema))
        yield Call(request, as_rows(read, rows), ((*start, "", *end),))


def _criteria(asking: Asking) -> Iterator[tuple[Report, Judge, Place, Criterion]]:
    for report in asking.material.reports:
        for dimension in asking.dimensions:
            for number, criterion in enumerate(asking.material.criteria(report.question, dimension)):
                for judge in asking.asked:
                    yield report, judge, (dimension, number), criterion


def _start(report: Report, dimension: str, number: int) -> Row:
    """Give what a row starts with; criteria are numbered from 1."""
    return (*report.key, dimension, str(number + 1))
