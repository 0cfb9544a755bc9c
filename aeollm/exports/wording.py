"""How a comparison was made and what it can show, in words that text, HTML and LaTeX share."""

from __future__ import annotations

import math

from aeollm.tables import OVERALL, Comparison, Plan

CORRECTIONS = {
    "tukey": "randomised Tukey HSD",
    "holm": "Holm's correction",
    "bh": "the correction of Benjamini and Hochberg",
    "none": "no correction",
}
INTERVALS = {
    "expanded-percentile": "expanded percentile bootstrap",
    "percentile": "percentile bootstrap",
    "bca": "bias-corrected and accelerated (BCa) bootstrap",
}
_MOST_PAIRS = 10
_SMALL = 0.001
_HALF_UP = 1 + 1e-12
"""Powers of two, which exact p-values are, often end in 5: rounded up, as people do."""


def number(value: float | None, digits: int = 3) -> str:
    """Write so many decimals without the leading zero; undefined as a dash.

    >>> number(0.5), number(-0.1239), number(1.0), number(-0.0001), number(None)
    ('.500', '-.124', '1.000', '.000', '–')
    """
    if value is None or math.isnan(value):
        return "–"
    text = f"{abs(value):.{digits}f}".removeprefix("0")
    return f"-{text}" if value < 0 and text.strip("0.") else text


def p_value(p: float) -> str:
    """Write a p-value with three decimals, and nothing that rounding makes 0."""
    if math.isnan(p):
        return "–"
    return "< .001" if p < _SMALL else number(p * _HALF_UP)


def ranked_runs(comparison: Comparison, view: str = OVERALL, measure: str = "spearman") -> list[int]:
    """Give the runs' places, best mean first (as the task ranks them: overall Spearman), undefined ones last."""
    v, m = comparison.place(view, measure)
    means = comparison.runs.mean[:, v, m].tolist()
    return sorted(range(len(means)), key=lambda r: (math.isnan(means[r]), -means[r] if means[r] == means[r] else 0, r))


def told_pairs(comparison: Comparison, view: str = OVERALL, measure: str = "accuracy") -> list[tuple[str, str]]:
    """Choose the pairs to tell in sentences, better run first: all of them up to ten, else those of the best run."""
    order = [comparison.names[r] for r in ranked_runs(comparison, view, measure)]
    pairs = [(first, second) for place, first in enumerate(order) for second in order[place + 1 :]]
    return pairs if len(pairs) <= _MOST_PAIRS else pairs[: len(order) - 1]


def plan_in_words(plan: Plan, pairs: int) -> str:
    """Say how intervals and tests were made."""
    told = (
        f"{1 - plan.alpha:.0%} intervals: {INTERVALS[plan.interval]} over questions, {plan.resamples:,} resamples, "
        f"seed {plan.seed}."
    )
    if pairs:
        family = f", {CORRECTIONS[plan.correction]} over all {pairs} pairs of a view and measure" if pairs > 1 else ""
        told += f" Tests: sign flips of the differences by question, two-sided{family}, level {number(plan.alpha, 2)}."
    return told


def reach(comparison: Comparison, view: str = OVERALL, measure: str = "accuracy") -> str:
    """Say the smallest p that could have come out, and when that means nothing could; empty without a pair."""
    v, m = comparison.place(view, measure)
    families, plan = comparison.families, comparison.plan
    if not int(families.pairs[v, m]):
        return ""
    least, adjusted = float(families.smallest_p[v, m]), float(families.smallest_p_adjusted[v, m])
    told = f"The smallest p that {int(families.questions[v, m])} questions can give is {_least(least)}"
    if int(families.pairs[v, m]) > 1 and plan.correction != "none":
        told += f", adjusted {_least(adjusted)}"
    if adjusted > plan.alpha:
        return f"{told}: nothing could have been significant at level {number(plan.alpha, 2)}."
    return f"{told}."


def _least(p: float) -> str:
    return p_value(p).replace("<", "below")
