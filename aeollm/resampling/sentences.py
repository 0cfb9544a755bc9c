"""A pair's comparison in plain words."""

from __future__ import annotations

import math

from aeollm.errors import printable
from aeollm.tables import OVERALL, Comparison

Place = tuple[int, int, int]

_NAMES = {"spearman": "Spearman's rho", "kendall": "Kendall's tau", "accuracy": "accuracy"}
_SMALL = 0.001
_HALF_UP = 1 + 1e-9
"""Exact p-values are often halfway between two decimals, where formatting would round to even."""
_AN = {8, 11, 18, *range(80, 90)}


def pair_sentence(comparison: Comparison, pair: tuple[str, str], view: str = OVERALL, measure: str = "accuracy") -> str:
    """Say which of two runs is ahead, whether that could be chance, and how many questions would show it.

    The names quote the user: escape them before they are shown as HTML. The questions needed take the difference
    seen for the true one.

    Parameters
    ----------
    comparison : the runs' comparison.
    pair : the names of two different runs, in any order.
    view, measure : by their official names.

    Raises
    ------
    ValueError
        If the comparison holds no such pair, view or measure.
    """
    names, sign = (pair, 1) if pair in comparison.pair_names else (pair[::-1], -1)
    place = (comparison.pair_names.index(names), *comparison.place(view, measure))
    figures = comparison.pairs
    what = _NAMES[measure] + ("" if view == OVERALL else f" in {printable(view)}")
    first, second = (printable(name) for name in pair)
    n, difference = int(figures.questions[place]), sign * float(figures.difference[place])
    if n == 0:
        return f"No question has {what} defined for both {first} and {second}."
    if figures.ties[place] == n:
        said = f"{first} and {second} have the same {what} on {_questions(n, 'all ')}."
    elif difference == 0:
        won, lost = (int(figures.wins[place]), int(figures.losses[place]))[::sign]
        said = (
            f"{first} and {second} have the same mean {what} over {_questions(n)}, ahead on {won} and {lost} of them."
        )
    else:
        ahead, behind = (first, second) if difference > 0 else (second, first)
        said = f"{ahead} is ahead of {behind} by {_number(abs(difference))} {what}; {_judged(comparison, place)}."
    return said + _left_out(int(figures.dropped[place]), n, sign * float(figures.headline_difference[place]))


def _judged(comparison: Comparison, place: Place) -> str:
    """Say whether the difference could be chance, by the adjusted p, and what would tell."""
    figures, alpha = comparison.pairs, comparison.plan.alpha
    family = place[1:]
    p, adjusted, smallest = (float(table[place]) for table in (figures.p, figures.p_adjusted, figures.smallest_p))
    n, several = int(figures.questions[place]), int(comparison.families.pairs[family]) > 1
    if smallest > alpha:
        return f"{_questions(n)} cannot show any difference to be more than chance (the smallest p is {_p(smallest)})"
    told = f"p {_equals(p)}"
    if several and comparison.plan.correction != "none":
        told += f"; {_adjusted(adjusted)} for all {comparison.families.pairs[family]} pairs"
    if adjusted <= alpha:
        return f"with {_questions(n)} this is hardly chance ({told})"
    judged = f"with {_questions(n)} this could be chance ({told})"
    least = float(comparison.families.smallest_p_adjusted[family])
    if least > alpha:
        judged += f", as could any difference among so many pairs (the smallest adjusted p is {_p(least)})"
    needed, test = int(figures.questions_needed[place]), "a test of this pair alone " if several else ""
    if needed <= n:
        return judged
    chance = round(100 * comparison.plan.power)
    article = "an" if chance in _AN else "a"
    return (
        f"{judged}; about {needed} questions would give {test}{article} {chance} % chance to show it, "
        "if the true difference is this large"
    )


def _adjusted(p: float) -> str:
    return "none adjusted" if math.isnan(p) else f"p {_equals(p)} adjusted"


def _left_out(dropped: int, questions: int, headline_difference: float) -> str:
    if not dropped:
        return ""
    verb = "is" if dropped == 1 else "are"
    told = f" {dropped} of {_questions(dropped + questions)} {verb} left out, undefined for one of them"
    if math.isnan(headline_difference):
        return f"{told}."
    sign = "-" if headline_difference < 0 else ""
    return f"{told}; the runs' own means differ by {sign}{_number(abs(headline_difference))}."


def _questions(n: int, which: str = "") -> str:
    return "one question" if n == 1 else f"{which}{n:,} questions"


def _number(value: float) -> str:
    return f"{value * _HALF_UP:.3f}".removeprefix("0") if value >= _SMALL / 2 else "less than .001"


def _p(p: float) -> str:
    """Write two digits, and nothing that rounding makes 0 or 1."""
    if p < _SMALL:
        return "below .001"
    return "1" if p == 1 else f"{min(p * _HALF_UP, 0.99):.2g}".removeprefix("0")


def _equals(p: float) -> str:
    return "< .001" if p < _SMALL else f"= {_p(p)}"
