"""Speed of the pairwise models over all questions and dimensions at once, beside choix question by question.

    python benchmarks/pairwise.py

CPU seconds, all threads, best of three, in one process; and how far the two are apart.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import choix
import numpy as np

from aeollm.aggregation.pairwise import (
    Comparisons,
    Strengths,
    bootstrap_errors,
    comparisons_of,
    fit_bradley_terry,
    fit_davidson,
    pairs_of,
    position_bias,
    standard_errors,
)
from aeollm.tables.judgments import Judgments

QUESTIONS, ANSWERS, DIMENSIONS = 20, 16, 4
RIDGE = 0.1
TARGET = 1.0


def cpu(work: Callable[[], object], times: int = 3) -> float:
    """Give the least CPU time of several calls, in seconds."""

    def once() -> float:
        start = time.process_time()
        work()
        return time.process_time() - start

    return min(once() for _ in range(times))


def simulated() -> Judgments:
    """Judge all pairs in both orders, with ties and a taste for the place shown first."""
    rng = np.random.default_rng(0)
    rows = []
    for question in range(QUESTIONS):
        for dimension in range(DIMENSIONS):
            truth = 0.7 * rng.normal(size=ANSWERS)
            for left in range(ANSWERS):
                for right in range(ANSWERS):
                    if left != right:
                        lead = truth[left] - truth[right] + 0.2 + rng.logistic()
                        winner = "tie" if abs(lead) < 0.4 else "left" if lead > 0 else "right"
                        rows.append((str(question), str(dimension), str(left), str(right), winner))
    return Judgments.of(rows)


def contests(comparisons: Comparisons) -> list[list[tuple[int, int]]]:
    """Give choix's input for every group: a comparison as four quarters, since it knows neither ties nor weights."""
    found: list[list[tuple[int, int]]] = [[] for _ in range(len(comparisons))]
    columns = (comparisons.group, comparisons.first, comparisons.second, comparisons.outcomes)
    for group, first, second, (won, tied, _) in zip(*columns, strict=True):
        quarters = round(4 * (won + tied / 2))
        found[group] += [(int(first), int(second))] * quarters + [(int(second), int(first))] * (4 - quarters)
    return found


def apart(strengths: Strengths, theirs: list[np.ndarray]) -> float:
    """Give the largest difference from choix's estimates."""
    return float(np.nanmax(np.abs(strengths.values - np.concatenate(theirs))))


def report(what: str, seconds: float, target: float | None = None) -> None:
    """Print one figure."""
    told = "" if target is None else f"   target {target:g}: {'met' if seconds < target else 'MISSED'}"
    print(f"{what:<72}{seconds:>9.4f}{told}")


def beside_choix(comparisons: Comparisons) -> None:
    """Print the figures of Bradley-Terry, and choix's beside them."""
    pairs = contests(comparisons)
    maximum, ridged = fit_bradley_terry(comparisons), fit_bradley_terry(comparisons, ridge=RIDGE)
    print(f"  groups without a maximum: {len(maximum.separations)} of {len(comparisons)}")

    def by_chains() -> list[np.ndarray]:
        nothing = np.full(ANSWERS, np.nan)
        return [
            nothing if group in maximum.separations else choix.ilsr_pairwise(ANSWERS, contest)
            for group, contest in enumerate(pairs)
        ]

    def by_newton() -> list[np.ndarray]:
        # A comparison is four quarters there, against which the ridge weighs four times.
        return [choix.opt_pairwise(ANSWERS, contest, alpha=4 * RIDGE, tol=1e-8) for contest in pairs]

    ours = cpu(lambda: fit_bradley_terry(comparisons))
    report("Bradley-Terry, all together", ours)
    theirs = cpu(by_chains, 1)
    report("  choix.ilsr_pairwise, question by question", theirs)
    print(f"  {theirs / ours:,.0f} times faster here; largest difference {apart(maximum, by_chains()):.1e}")
    ours = cpu(lambda: fit_bradley_terry(comparisons, ridge=RIDGE))
    report("Bradley-Terry with a ridge, all together", ours)
    theirs = cpu(by_newton, 1)
    report("  choix.opt_pairwise, question by question", theirs)
    print(f"  {theirs / ours:,.0f} times faster here; largest difference {apart(ridged, by_newton()):.1e}")


def main() -> None:
    """Print all figures."""
    judgments = simulated()
    comparisons = comparisons_of(judgments)
    fitted = fit_davidson(comparisons, ridge=RIDGE)  # What is imported on first use is no part of a fit.
    pairs = ANSWERS * (ANSWERS - 1) // 2
    print(f"CPU seconds; {QUESTIONS} questions x {pairs} pairs x {DIMENSIONS} dimensions x 2 orders\n")
    whole = cpu(lambda: fit_davidson(comparisons_of(judgments), ridge=RIDGE))
    report("rows to Davidson strengths, all together", whole, TARGET)
    report("  of which the fit", cpu(lambda: fit_davidson(comparisons, ridge=RIDGE)))
    beside_choix(comparisons)
    report("standard errors from the information", cpu(lambda: standard_errors(fitted)))
    report("standard errors by 200 random weightings of pairs", cpu(lambda: bootstrap_errors(fitted, rng=rng()), 1))
    report("position bias, all judges and dimensions", cpu(lambda: position_bias(pairs_of(judgments), rng=rng())))


def rng() -> np.random.Generator:
    """Give the same random numbers to everyone."""
    return np.random.default_rng(0)


if __name__ == "__main__":
    main()
