"""``agreement``: annotators among each other."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterable, Sequence
from pathlib import Path

from aeollm.agreement import ICC, Agreement
from aeollm.cli.options import add_json
from aeollm.cli.terminal import DONE, REFUSED, UNUSABLE, complain, print_json, print_lines
from aeollm.cli.text_tables import aligned, problem_lines
from aeollm.diagnosis import AnnotatorAgreement, annotator_agreement
from aeollm.errors import AeollmError, Problem
from aeollm.exports.agreement_json import agreement_json, refused_json
from aeollm.exports.wording import number, p_value
from aeollm.files import read_annotations
from aeollm.tables import Annotations

_MOST_PAIRS = 10


def add(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    told = "CSV with questionId, answerId (or item), annotator (or rater) and *_score columns"
    parser.add_argument("annotations", type=Path, metavar="ANNOTATIONS.csv", help=told)
    add_json(parser)
    told = "an annotator who decided disputed items only, to be set aside (default: found by the ratings)"
    parser.add_argument("--adjudicated", action="append", metavar="NAME", help=told)
    parser.add_argument("--all-ratings", action="store_true", help="set nobody's ratings aside")


def run(options: argparse.Namespace) -> int:
    """Print intraclass correlations and ranking agreement of the annotators."""
    adjudicated = [] if options.all_ratings else options.adjudicated
    try:
        annotations = read_annotations(options.annotations)
    except AeollmError as error:
        if options.json:
            print_json(refused_json(options.annotations.name, error.problems))
        complain(str(error))
        return REFUSED
    unknown = set(adjudicated or ()) - set(annotations.annotators)
    if unknown:
        message = f"no annotator is called {', '.join(sorted(unknown))}."
        problem = Problem("error", "usage", message, f"There are {', '.join(annotations.annotators)}.")
        if options.json:
            print_json(refused_json(options.annotations.name, [problem]))
        complain(str(problem))
        return UNUSABLE
    found = annotator_agreement(annotations, adjudicated)
    if options.json:
        print_json(agreement_json(annotations, found))
    else:
        print_lines(_report(annotations, found))
    return DONE


def _report(annotations: Annotations, found: Sequence[AnnotatorAgreement]) -> list[str]:
    counts = [_several(len(annotations.items), "item"), _several(len(annotations.annotators), "annotator")]
    if annotations.questions is not None:
        counts.insert(0, _several(len(set(annotations.questions)), "question"))
    return [
        f"{annotations.name}: {', '.join(counts)}",
        *problem_lines(annotations.problems),
        *(line for own in found for line in _set_aside(own)),
        "",
        *aligned(_icc_rows(found)),
        "(Shrout and Fleiss 1979: model 1, 2 or 3, for one annotator or the mean of k; intervals and p of the F test)",
        *(f"  {own.dimension}: {line}" for own in found for line in _reasons(own.icc)),
        "",
        *_rankings(annotations, found),
    ]


def _several(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _set_aside(own: AnnotatorAgreement) -> Iterable[str]:
    if own.set_aside:
        who = ", ".join(own.set_aside)
        yield f"  note:    {own.dimension}: {who} decided disputed items only, set aside (--all-ratings keeps them)."


def _icc_rows(found: Sequence[AnnotatorAgreement]) -> list[list[str]]:
    rows = [["dimension", "ICC", "value", "95 % interval", "F (df)", "p", "items"]]
    for own in found:
        icc = own.icc
        used = f"{icc.items_used} of {icc.items_total}"
        rows += [[own.dimension, name, *_form(form), used] for name, form in icc.forms.items()]
        if _unbalanced(icc):
            used = f"{icc.unbalanced_items} of {icc.items_total}"
            rows += [[own.dimension, f"{name} k0", *_form(form), used] for name, form in icc.unbalanced.items()]
    return rows


def _unbalanced(icc: Agreement) -> bool:
    """Say whether the forms for unequal numbers of ratings are others than those for complete items."""
    return icc.unbalanced_items != icc.items_used


def _form(form: ICC) -> list[str]:
    interval = f"[{number(form.low)}, {number(form.high)}]" if form.low is not None else "–"
    tested = f"{form.f:.2f} ({form.df1}, {form.df2})" if form.f is not None else "–"
    return [number(form.value), interval, tested, p_value(math.nan if form.p is None else form.p)]


def _reasons(icc: Agreement) -> list[str]:
    lines = [f"undefined, since {icc.reason}"] if icc.reason else []
    if not _unbalanced(icc):
        return lines
    if icc.unbalanced_reason:
        return [*lines, f"k0 forms undefined, since {icc.unbalanced_reason}"]
    told = f"one-way over all {icc.unbalanced_items} items with two ratings or more, k0 = {icc.mean_ratings:.3g}"
    return [*lines, f"k0 forms: {told}"]


def _rankings(annotations: Annotations, found: Sequence[AnnotatorAgreement]) -> list[str]:
    """Give the mean tau-b of every two annotators over questions, or of all pairs where they are many."""
    rows = [["dimension", "annotators", "tau-b", "questions"]]
    for own in found:
        if own.ranking is None:
            rows.append([own.dimension, f"{len(own.ranked)} annotators are too many to pair", "–", "–"])
            continue
        means = [own.ranking.mean(k) for k in range(len(own.ranking.pairs))]
        if len(means) <= _MOST_PAIRS:
            names = [f"{own.ranked[a]}, {own.ranked[b]}" for a, b in own.ranking.pairs]
            rows += [[own.dimension, name, number(mean), str(n)] for name, (mean, n) in zip(names, means, strict=True)]
        else:
            defined = [mean for mean, _ in means if mean is not None]
            mean = math.fsum(defined) / len(defined) if defined else None
            told = f"mean of {len(defined)} of {len(means)} pairs (--json has each)"
            rows.append([own.dimension, told, number(mean), "–"])
    where = "questions" if annotations.questions is not None else "all items at once, for want of a questionId column"
    return [*aligned(rows), f"(Kendall's tau-b between two annotators, mean over {where})"] if len(rows) > 1 else []
