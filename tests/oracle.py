"""Scores the long way: exact fractions, every pair by itself, scipy for the coefficients.

Nothing here is taken from the package under test.
"""

import functools
import math
import operator
from fractions import Fraction
from itertools import combinations

from scipy import stats

NAN = math.nan
PAIR_KINDS = ("concordant", "discordant", "tied_run", "tied_labels", "tied_both")


def exact_total(scores, weights):
    return sum((Fraction(weight) * Fraction(score) for weight, score in zip(weights, scores, strict=True)), Fraction(0))


def float_total(scores, weights):
    """Sum ``(w / W) * s`` from left to right; the built-in `sum` compensates from Python 3.12 on."""
    whole = functools.reduce(operator.add, map(float, weights), 0.0)
    parts = (float(weight) / whole * float(score) for weight, score in zip(weights, scores, strict=True))
    return functools.reduce(operator.add, parts, 0.0)


def count_pairs(run, labels):
    counts = dict.fromkeys(PAIR_KINDS, 0)
    for (run_a, gold_a), (run_b, gold_b) in combinations(zip(run, labels, strict=True), 2):
        if run_a == run_b and gold_a == gold_b:
            counts["tied_both"] += 1
        elif run_a == run_b:
            counts["tied_run"] += 1
        elif gold_a == gold_b:
            counts["tied_labels"] += 1
        else:
            counts["concordant" if (run_a < run_b) == (gold_a < gold_b) else "discordant"] += 1
    return counts


def dense(values):
    places = {value: place for place, value in enumerate(sorted(set(values)))}
    return [places[value] for value in values]


def agreement(run, labels, fewest=2):
    """Give one question's values in one view, as the JSON has them."""
    found = {"answers": len(run), "spearman": None, "kendall": None, "accuracy": None}
    if len(run) < fewest:
        return found | {"pairs": dict.fromkeys(PAIR_KINDS, 0)}
    pairs = count_pairs(run, labels)
    found["accuracy"] = (pairs["concordant"] + pairs["tied_both"]) / sum(pairs.values())
    if len(set(run)) > 1 and len(set(labels)) > 1:
        found["spearman"] = float(stats.spearmanr(dense(run), dense(labels)).statistic)
        found["kendall"] = float(stats.kendalltau(dense(run), dense(labels)).statistic)
    return found | {"pairs": pairs}


def questions(sides, dimensions, weights=None, *, floats=False, fewest=2):
    """Score every question in every view.

    ``sides`` are run and labels; both map (question, answer) to the scores as text, "" being a blank; the labels'
    order counts. ``weights`` maps a question to its weights as text; None weighs all alike.
    """
    run, labels = sides
    number, total = (float, float_total) if floats else (Fraction, exact_total)
    found = []
    for question in dict.fromkeys(question for question, _ in labels):
        keys = [key for key in labels if key[0] == question and key in run]
        views = {}
        whole = [key for key in keys if all(labels[key])]
        share = weights[question] if weights else ["1"] * len(dimensions)
        views["overall"] = agreement(*([total(side[key], share) for key in whole] for side in sides), fewest)
        for place, name in enumerate(dimensions):
            given = [key for key in keys if labels[key][place]]
            views[name] = agreement(*([number(side[key][place]) for key in given] for side in sides), fewest)
        found.append({"question": question, **views})
    return found


def mean(found, view, measure):
    """Give mean over defined questions, how many there are, and how many there are not."""
    values = [question[view][measure] for question in found]
    defined = [value for value in values if value is not None]
    return (math.fsum(defined) / len(defined) if defined else None), len(defined), len(values) - len(defined)


def pooled(found, view):
    counts = [question[view]["pairs"] for question in found]
    pairs = sum(sum(count.values()) for count in counts)
    return sum(count["concordant"] + count["tied_both"] for count in counts) / pairs if pairs else None


def near_pairs(side, weights=None):
    """Count the pairs of one question's answers that nearly tie in at least one view; no blanks."""
    dimensions = len(next(iter(side.values())))
    share = weights or ["1"] * dimensions
    views = [{key: exact_total(scores, share) for key, scores in side.items()}]
    views += [{key: Fraction(scores[place]) for key, scores in side.items()} for place in range(dimensions)]
    return sum(
        any(
            0 < abs(view[a] - view[b]) < Fraction(1, 10**9) * (max(view.values()) - min(view.values()))
            for view in views
        )
        for a, b in combinations(side, 2)
    )
