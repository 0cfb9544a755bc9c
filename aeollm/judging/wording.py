"""What templates are filled with besides data: dimensions, criteria in an order, and the form of the answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from aeollm.judging.prompts import Data
from aeollm.judging.reading.fields import Field, criterion_fields
from aeollm.judging.reading.numbers import Scale
from aeollm.tables import Criterion

_MEANING: Mapping[str, Mapping[str, str]] = {
    "comprehensiveness": {
        "en": "how fully the report covers what the request needs: all its parts, in breadth and in depth",
        "zh": "报告对请求所需内容的覆盖是否完整：各个部分是否都涉及，广度与深度是否足够",
    },
    "insight": {
        "en": "how far the report goes beyond collected facts: causes, connections, trade-offs, founded conclusions",
        "zh": "报告在罗列事实之外走了多远：原因、联系、取舍，以及有依据的结论",
    },
    "instruction_following": {
        "en": "how exactly the report does what the request asks for: scope, constraints, form",
        "zh": "报告是否严格按照请求的要求去做：范围、限制条件与形式",
    },
    "readability": {
        "en": "how easily the report is read and understood: structure, language, presentation of data",
        "zh": "报告是否易读易懂：结构、语言与数据的呈现",
    },
}


def list_dimensions(dimensions: Iterable[str], language: str) -> str:
    """Give a list of dimensions with what is meant by each; a dimension of one's own stands by its name alone."""
    return "\n".join(f"- {describe_dimension(dimension, language)}" for dimension in dimensions)


def describe_dimension(dimension: str, language: str) -> str:
    """Give one dimension with what is meant by it."""
    meaning = _MEANING.get(dimension, {}).get(language)
    return f"`{dimension}`" + (f": {meaning}" if meaning else "")


@dataclass(frozen=True)
class Listed:
    """Criteria as a prompt lists them: the text, a field each in that order, and each one's place in the rubric."""

    text: Data
    fields: tuple[Field, ...]
    places: tuple[int, ...]


def list_criteria(criteria: Sequence[Criterion], *, backwards: bool = False) -> Listed:
    r"""List criteria as C1, C2, … in the rubric's order or backwards; the numbers follow the list.

    >>> from aeollm.decimals import Decimal
    >>> both = [Criterion("names sources", "", Decimal(1, 0)), Criterion("dates them", "", Decimal(1, 0))]
    >>> listed = list_criteria(both, backwards=True)
    >>> listed.text.text, listed.places
    ('C1. dates them\nC2. names sources', (1, 0))
    """
    places = tuple(range(len(criteria)))[:: -1 if backwards else 1]
    names = [f"C{number + 1}" for number in range(len(criteria))]
    lines = [f"{name}. {criterion_text(criteria[place])}" for name, place in zip(names, places, strict=True)]
    fields = criterion_fields(names, [criteria[place].text for place in places])
    return Listed(Data("criteria", "\n".join(lines)), fields, places)


def criterion_text(criterion: Criterion) -> str:
    """Give a criterion with its explanation, on one line."""
    parts = [" ".join(part.split()) for part in (criterion.text, criterion.explanation)]
    return ": ".join(part for part in parts if part)


def scores_form(fields: Iterable[Field], scale: Scale) -> str:
    """Show the JSON object wanted, in a way that is no JSON, so that repeating it is no answer."""
    number = f"<{float(scale.low):g}-{float(scale.high):g}>"
    return "{" + ", ".join(f'"{field.name}": {number}' for field in fields) + "}"


def outcomes_form(fields: Iterable[Field]) -> str:
    """Show the JSON object wanted for a comparison."""
    return "{" + ", ".join(f'"{field.name}": <"A"/"B"/"tie">' for field in fields) + "}"


def list_options(options: Mapping[str, str]) -> str:
    """List allowed answers with what each means."""
    return "\n".join(f"{option}. {meaning}" if meaning else option for option, meaning in options.items())
