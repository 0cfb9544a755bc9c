"""``aggregate annotators``: labels from the ratings of two annotators, and a third where they differ."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from aeollm.agreement import ICC, AnnotatedLabels, annotation_scores, aspect_scores, labels_of_ratings
from aeollm.cli.options import from_zero
from aeollm.cli.terminal import DONE, REFUSED, complain, print_json, print_lines, write_file
from aeollm.cli.text_tables import aligned, number, problem_lines
from aeollm.errors import AeollmError, Problem
from aeollm.files import read_annotations, read_aspects, read_labels, recognise
from aeollm.files.decoding import Unreadable, open_source
from aeollm.tables import DIMENSIONS, AnswerScores, Key, write_labels

WAY = "annotators"
_MOST_SHOWN = 20


def add(ways: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command's options."""
    told = "labels from annotators' ratings: the mean of two, and of a third where they differ by more than a rule"
    add = ways.add_parser(WAY, help=told, description=f"{told[0].upper()}{told[1:]}.").add_argument
    columns = "questionId, answerId, annotator, and aspect, score, weight; or *_score columns"
    add("annotations", type=Path, metavar="FILE", help=columns)
    add("--rule", type=from_zero, required=True, metavar="GAP", help="two ratings further apart need a third")
    add("--dimension", default="readability", metavar="NAME", help="what the aspects make up (default: readability)")
    add("--third", action="append", metavar="NAME", help="who decides disputed answers (default: told by the ratings)")
    add("--into", type=Path, metavar="LABELS.csv", help="labels whose other columns and answers are kept")
    add("-o", "--output", type=Path, required=True, metavar="LABELS.csv", help="the labels file to write")
    add("--json", action="store_true", help="one JSON object on standard output")


def run(options: argparse.Namespace) -> int:
    """Write the labels and tell the agreement of those who rated first."""
    try:
        found, problems = _labels(options)
        table = _table(options, found)
    except AeollmError as error:
        complain(str(error))
        return REFUSED
    except Unreadable as unreadable:
        complain(f"{options.annotations}: {unreadable.problem}")
        return REFUSED
    problems += _incomplete(table)
    if not write_file(options.output, write_labels(table).encode()):
        return REFUSED
    if options.json:
        print_json({"rule": float(options.rule), "problems": [p.to_json() for p in problems], **_json(found)})
    else:
        print_lines(_report(options, table, found, problems))
    return DONE


def _labels(options: argparse.Namespace) -> tuple[list[AnnotatedLabels], list[Problem]]:
    content = open_source(options.annotations).content
    name = options.annotations.name
    if recognise(content) == "annotations":
        annotations = read_annotations(content, name=name)
        found = [
            labels_of_ratings(
                annotation_scores(annotations, dimension), options.rule, dimension=dimension, third=options.third
            )
            for dimension in annotations.dimensions
        ]
        return found, [*annotations.problems, *(problem for own in found for problem in own.problems)]
    aspects = read_aspects(content, name=name)
    ratings, told = aspect_scores(aspects)
    one = labels_of_ratings(ratings, options.rule, dimension=options.dimension, third=options.third)
    return [one], [*aspects.problems, *told, *one.problems]


def _table(options: argparse.Namespace, found: Sequence[AnnotatedLabels]) -> AnswerScores:
    """Put the labels into a table, beside those of other dimensions and answers where a file has them.

    Raises
    ------
    LabelsError
    """
    cells: dict[tuple[Key, str], Fraction | None] = {}
    names = [own.dimension for own in found]
    if options.into is not None:
        known = read_labels(options.into)
        scale = Fraction(10) ** known.scores.exponent
        names = [*known.dimensions, *(name for name in names if name not in known.dimensions)]
        for key, row in known.index.items():
            for d, dimension in enumerate(known.dimensions):
                cells[key, dimension] = int(known.scores.units[row, d]) * scale if known.given[row, d] else None
    cells.update({(key, own.dimension): label for own in found for key, label in own.labels.items()})
    return AnswerScores.of_cells(options.output.stem, names, cells)


def _incomplete(table: AnswerScores) -> list[Problem]:
    """Say that labels of some of the four dimensions are no set to score against."""
    lacking = [name for name in DIMENSIONS if name not in table.dimensions]
    if not lacking or len(lacking) == len(DIMENSIONS):
        return []
    message = f"the file lacks {', '.join(lacking)}, without which runs cannot be scored on it."
    return [Problem("note", "missing_dimension", message, "Name labels that have them under --into.")]


def _json(found: Sequence[AnnotatedLabels]) -> dict[str, Any]:
    return {
        "dimensions": {
            own.dimension: {
                "answers": len(own.labels),
                "same_pair": own.same_pair,
                "items_used": own.icc.items_used,
                "icc": {name: form.value for name, form in _forms(own).items()},
                "reason": own.icc.reason,
                "disagreements": [
                    {
                        "question": one.question,
                        "answer": one.answer,
                        "ratings": {who: float(score) for who, score in (one.first, one.second)},
                        "third": None if one.third is None else {one.third[0]: float(one.third[1])},
                        "label": float(one.label),
                    }
                    for one in own.disagreements
                ],
            }
            for own in found
        }
    }


def _forms(own: AnnotatedLabels) -> dict[str, ICC]:
    """Give the forms that mean something: one-way only where the two annotators are not always the same."""
    return {name: form for name, form in own.icc.forms.items() if own.same_pair or name.startswith("(1,")}


def _report(
    options: argparse.Namespace, table: AnswerScores, found: Sequence[AnnotatedLabels], problems: Sequence[Problem]
) -> list[str]:
    lines = [f"{options.output}: {len(table)} answers, {', '.join(table.dimensions)}", *problem_lines(problems), ""]
    rows = [["dimension", "ICC", "value", "95 % interval", "answers"]]
    for own in found:
        for name, form in _forms(own).items():
            interval = f"[{number(form.low)}, {number(form.high)}]" if form.low is not None else "–"
            rows.append([own.dimension, name, number(form.value), interval, str(own.icc.items_used)])
    lines += [*aligned(rows), "(of the first two ratings, before anybody decided)", ""]
    disputed = [(own.dimension, one) for own in found for one in own.disagreements]
    lines.append(f"{len(disputed)} ratings differ by more than {float(options.rule):g}:")
    rows = [["dimension", "question", "answer", "first", "second", "third", "label"]]
    for dimension, one in disputed[:_MOST_SHOWN]:
        given = [f"{own[0]} {float(own[1]):g}" if own else "–" for own in (one.first, one.second, one.third)]
        rows.append([dimension, one.question, one.answer, *given, f"{float(one.label):.6g}"])
    lines += aligned(rows, 6) if disputed else []
    return [*lines, f"and {len(disputed) - _MOST_SHOWN} more (--json)"] if len(disputed) > _MOST_SHOWN else lines
