"""Annotators' ratings to labels: two annotators, a third where they differ too much, the mean."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from aeollm.agreement.adjudication import adjudicators
from aeollm.agreement.icc import Agreement, intraclass_correlations
from aeollm.errors import AnnotationsError, Problem, printable
from aeollm.tables import Annotations, AspectRatings, Key

_PAIR = 2

Ratings = Mapping[Key, Mapping[str, Fraction]]
"""What each annotator gave an answer, in the order of the file."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """An answer whose first two ratings differ by more than the rule allows; ``third`` is None where nobody decided."""

    question: str
    answer: str
    first: tuple[str, Fraction]
    second: tuple[str, Fraction]
    third: tuple[str, Fraction] | None
    label: Fraction

    @property
    def gap(self) -> Fraction:
        """Give by how much the first two differ."""
        return abs(self.first[1] - self.second[1])


@dataclass(frozen=True, eq=False)
class AnnotatedLabels:
    """Labels of one dimension, with the agreement of the first two ratings, before anybody decided.

    ``same_pair`` says whether the same two annotators rated all answers; where not, only the one-way forms of ``icc``
    mean anything, since who is first is then chance.
    """

    dimension: str
    labels: Mapping[Key, Fraction]
    icc: Agreement
    same_pair: bool
    disagreements: tuple[Disagreement, ...]
    problems: tuple[Problem, ...]


def aspect_scores(aspects: AspectRatings) -> tuple[Ratings, tuple[Problem, ...]]:
    """Give every annotator's weighted mean of an answer's aspects; one who left an aspect out gave no rating.

    Raises
    ------
    AnnotationsError
        For an answer whose weights are all 0.
    """
    found: dict[Key, dict[str, Fraction]] = {}
    problems: list[Problem] = []
    for key in aspects.keys:
        weights = {a: Fraction(1) if aspects.weights is None else aspects.weights[key, a] for a in aspects.aspects
                   if aspects.weights is None or (key, a) in aspects.weights}  # fmt: skip
        total = sum(weights.values(), Fraction(0))
        if not total:
            message = f"all aspects of question {printable(key[0])}, answer {printable(key[1])} weigh 0."
            raise AnnotationsError(aspects.name, [Problem("error", "zero_weights", message, "Weigh at least one.")])
        for who in aspects.annotators:
            given = {aspect: aspects.scores.get((key, who, aspect)) for aspect, weight in weights.items() if weight}
            own = {aspect: score for aspect, score in given.items() if score is not None}
            if len(own) == len(given):
                summed = sum((weights[aspect] * score for aspect, score in own.items()), Fraction(0))
                found.setdefault(key, {})[who] = summed / total
            elif own:
                problems.append(_left_out(key, who, [aspect for aspect in given if aspect not in own]))
    return found, tuple(problems)


def _left_out(key: Key, who: str, absent: Sequence[str]) -> Problem:
    message = f"{printable(who)} left out {printable(', '.join(absent))} of question {printable(key[0])}, answer "
    message += f"{printable(key[1])}: the rating does not count."
    return Problem("warning", "missing_rating", message, "", None, None, None, *key)


def annotation_scores(annotations: Annotations, dimension: str) -> Ratings:
    """Give a dimension's ratings by answer and annotator; items of a file without questions are of question ``""``."""
    table = annotations.table(dimension)
    questions = annotations.questions or ("",) * len(annotations.items)
    found: dict[Key, dict[str, Fraction]] = {}
    for row, key in enumerate(zip(questions, annotations.items, strict=True)):
        given = {
            who: Fraction(repr(value))
            for who, value in zip(annotations.annotators, table[row].tolist(), strict=True)
            if value == value
        }
        if given:
            found[key] = given
    return found


def labels_of_ratings(
    ratings: Ratings, rule: Fraction, *, dimension: str, third: Sequence[str] | None = None
) -> AnnotatedLabels:
    """Average the first two annotators of every answer, and a third where these differ by more than the rule.

    Parameters
    ----------
    ratings : what each annotator gave an answer, in the order of the file.
    rule : two ratings that differ by more than this need a third.
    dimension : what was rated.
    third : annotators who decide disputed answers only; by default those whose ratings say so (`adjudicators`), and
        else whoever comes third.

    Raises
    ------
    AnnotationsError
        For no ratings.
    """
    if not ratings:
        raise AnnotationsError(dimension, [Problem("error", "no_rows", "there are no ratings.", "Check the file.")])
    deciding = _deciding(ratings) if third is None else set(third)
    labels: dict[Key, Fraction] = {}
    pairs: list[tuple[tuple[str, Fraction], ...]] = []
    disputed: list[Disagreement] = []
    problems: list[Problem] = []
    spare = 0
    for key, given in ratings.items():
        ordered = sorted(given.items(), key=lambda own: own[0] in deciding)
        pair, others = tuple(ordered[:_PAIR]), ordered[_PAIR:]
        pairs.append(pair)
        problems += _too_few(key, pair, deciding)
        if len(pair) == _PAIR and abs(pair[0][1] - pair[1][1]) > rule:
            decided = others[0] if others else None
            labels[key] = _mean([*pair, *others[:1]])
            disputed.append(Disagreement(*key, pair[0], pair[1], decided, labels[key]))
            problems += [] if decided else [_undecided(disputed[-1])]
        else:
            labels[key] = _mean(pair)
            spare += len(others)
    if spare:
        message = f"{dimension}: {spare} further ratings do not count, since the rule asks for none there."
        problems.append(Problem("note", "third_rating", message))
    icc, same = _agreement(pairs)
    return AnnotatedLabels(dimension, labels, icc, same, tuple(disputed), tuple(problems))


def _mean(given: Iterable[tuple[str, Fraction]]) -> Fraction:
    scores = [score for _, score in given]
    return sum(scores, Fraction(0)) / len(scores)


def _table(ratings: Ratings) -> tuple[np.ndarray, list[str]]:
    people = list(dict.fromkeys(who for given in ratings.values() for who in given))
    rows = [[float(given[who]) if who in given else np.nan for who in people] for given in ratings.values()]
    return np.array(rows), people


def _deciding(ratings: Ratings) -> set[str]:
    table, people = _table(ratings)
    return {who for who, found in zip(people, adjudicators(table).tolist(), strict=True) if found}


def _agreement(pairs: Sequence[tuple[tuple[str, Fraction], ...]]) -> tuple[Agreement, bool]:
    """Give the ICC of the first two ratings, in the columns of the two annotators where these are always the same."""
    people = sorted({who for pair in pairs for who, _ in pair})
    same = len(people) <= _PAIR
    table = np.full((len(pairs), _PAIR), np.nan)
    for row, pair in enumerate(pairs):
        for place, (who, score) in enumerate(pair):
            table[row, people.index(who) if same else place] = float(score)
    return intraclass_correlations(table), same


def _too_few(key: Key, pair: Sequence[tuple[str, Fraction]], deciding: set[str]) -> list[Problem]:
    regular = [who for who, _ in pair if who not in deciding]
    if len(regular) == _PAIR:
        return []
    where = f"question {printable(key[0])}, answer {printable(key[1])}"
    message = f"{where} has {len(regular)} rating{'' if len(regular) == 1 else 's'} instead of two."
    return [Problem("warning", "missing_rating", message, "Ask for another.", None, None, None, *key)]


def _undecided(found: Disagreement) -> Problem:
    where = f"question {printable(found.question)}, answer {printable(found.answer)}"
    message = f"{where}: {printable(found.first[0])} and {printable(found.second[0])} differ by {float(found.gap):g}, "
    message += "and nobody decided; the label is their mean."
    place = (None, None, None, found.question, found.answer)
    return Problem("warning", "undecided", message, "Ask a third annotator.", *place)
