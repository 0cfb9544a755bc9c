"""Speed of tests and intervals beside scipy.stats in the same process, and how often the intervals cover the truth.

    python benchmarks/resampling.py [--quick]

CPU seconds, all threads, best of three where that is cheap. Coverage is printed as found.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import get_args

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from aeollm.measures import compare, kendall_of, rank, spearman_of
from aeollm.resampling import bootstrap_intervals, sign_flip_test, tukey_hsd_test
from aeollm.tables.comparison import Interval

Floats = NDArray[np.float64]

RUNS, VIEWS, QUESTIONS, ANSWERS = 91, 5, 20, 16
RESAMPLES = 10_000


def cpu(work: Callable[[], object], times: int = 1) -> float:
    """Give the least CPU time of several calls, in seconds."""
    least = np.inf
    for _ in range(times):
        start = time.process_time()
        work()
        least = min(least, time.process_time() - start)
    return float(least)


def rng() -> np.random.Generator:
    """Give the same random numbers to everyone."""
    return np.random.default_rng(0)


def simulated_runs() -> Floats:
    """Score judges of different noise against noisy people, shape (runs, views x measures, questions)."""
    random = rng()
    truth = random.normal(size=(VIEWS, QUESTIONS, ANSWERS))
    labels = rank(np.rint(10 * (truth + 0.5 * random.normal(size=truth.shape))))
    noise = np.linspace(0.4, 1.4, RUNS)[:, None, None, None]
    runs = rank(np.rint(10 * (truth + noise * random.normal(size=(RUNS, *truth.shape)))))
    pairs = compare(runs, labels)
    accuracy = (pairs.concordant + pairs.tied_both) / sum(pairs)
    values = np.stack([spearman_of(runs, labels), kendall_of(pairs), accuracy], axis=2)
    return values.reshape(RUNS, VIEWS * 3, QUESTIONS)


def report(what: str, seconds: float, target: float | None = None) -> None:
    """Print one figure."""
    told = "" if target is None else f"   target {target:g}: {'met' if seconds < target else 'MISSED'}"
    print(f"{what:<66}{seconds:>10.4f}{told}")


def scipys_test(differences: Floats, resamples: float) -> Callable[[], object]:
    """Give scipy's paired permutation test of one vector."""

    def test() -> object:
        return stats.permutation_test(
            (differences, np.zeros(len(differences))),
            lambda x, y, axis: np.mean(x - y, axis=axis),
            permutation_type="samples",
            vectorized=True,
            batch=2**14,
            n_resamples=resamples,
            rng=rng(),
        )

    return test


def ours(table: Floats) -> Callable[[], object]:
    """Give our paired test of many vectors."""
    return lambda: sign_flip_test(table, rng=rng(), resamples=RESAMPLES)


def tests(values: Floats, differences: Floats, *, quick: bool) -> None:
    """Print the figures of the tests, and scipy's beside them."""
    pair = differences[0]
    exact = cpu(ours(pair), 5)
    report("exact paired test, 15 columns", exact, 0.010)
    sampled = 15 * cpu(scipys_test(pair[2], RESAMPLES), 3)
    report("  scipy.stats.permutation_test, sampled, one column x 15", sampled)
    print(f"  exact here is {sampled / exact:,.0f} times faster than sampled there")
    if not quick:
        listed = 15 * cpu(scipys_test(pair[2], np.inf))
        report("  scipy.stats.permutation_test, all 2**20 patterns, one column x 15", listed)
        print(f"  exact here is {listed / exact:,.0f} times faster than exact there")
    report(f"exact paired test, {len(differences):,} pairs x 15 columns", cpu(ours(differences)), 15)
    report("randomised Tukey HSD, 91 runs x 15 columns", cpu(lambda: tukey_hsd_test(values, rng=rng())), 6)
    many = np.random.default_rng(1).normal(0.02, 0.1, (15, 100))
    report("sampled paired test, 100 questions x 15 columns", cpu(ours(many), 3))
    theirs = 15 * cpu(scipys_test(many[0], RESAMPLES), 3)
    report("  scipy.stats.permutation_test, one column x 15", theirs)


def intervals(values: Floats, differences: Floats) -> None:
    """Print the figures of the bootstrap, and scipy's beside them."""
    # What is imported on first use is no part of an interval.
    bootstrap_intervals(values[0], rng=rng(), resamples=10)
    one = cpu(lambda: bootstrap_intervals(values[0], rng=rng(), kind="bca"), 3)
    scipys = cpu(lambda: stats.bootstrap((values[0],), np.mean, axis=-1, n_resamples=RESAMPLES, rng=rng()), 3)
    report("bootstrap, one run x 15 columns, BCa", one)
    report("  scipy.stats.bootstrap, BCa", scipys)
    print(f"  {scipys / one:,.1f} times faster here")
    report("bootstrap, 91 runs x 15 columns", cpu(lambda: bootstrap_intervals(values, rng=rng()), 3), 2)
    pairs = cpu(lambda: bootstrap_intervals(differences, rng=rng()))
    report(f"bootstrap, {len(differences):,} pairs x 15 columns", pairs)


def coverage(sets: int) -> None:
    """Print how many of the simulated test sets have an interval that holds the true mean.

    Questions differ in difficulty: a judge's scores correlate with people's by a number drawn for each question, from
    evenly between .3 and .9 (tau nearly symmetric) or mostly near .9 (skewed, as good judges are). The true mean tau of
    normal scores is the mean of 2/pi asin(correlation).
    """
    print(f"\nCoverage of 95 % intervals of the mean tau, {sets:,} simulated sets each; standard error about .005")
    difficulties = {"even": (1.0, 1.0), "skewed": (4.0, 0.8)}
    kinds: tuple[Interval, ...] = get_args(Interval)
    print(f"{'':<12}{'questions':>10}" + "".join(f"{kind:>22}" for kind in (*kinds, "Student's t")))
    for difficulty, (a, b) in difficulties.items():
        truth = float(np.mean(2 / np.pi * np.arcsin(0.3 + 0.6 * rng().beta(a, b, 10**6))))
        for n in (8, 20, 100):
            random = np.random.default_rng(n)
            correlation = (0.3 + 0.6 * random.beta(a, b, (sets, n)))[..., None]
            people = random.normal(size=(sets, n, ANSWERS))
            judge = correlation * people + np.sqrt(1 - correlation**2) * random.normal(size=people.shape)
            values = kendall_of(compare(rank(judge), rank(people)))
            shares = []
            for kind in kinds:
                found = bootstrap_intervals(values, rng=random, resamples=2_000, kind=kind)
                shares.append(float(np.mean((found.low <= truth) & (truth <= found.high))))
            half = stats.t.ppf(0.975, n - 1) * stats.sem(values, axis=1)
            shares.append(float(np.mean(np.abs(values.mean(axis=1) - truth) <= half)))
            print(f"{difficulty:<12}{n:>10}" + "".join(f"{share:>22.3f}" for share in shares))


def main() -> None:
    """Print all figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="leave out scipy's exact test; fewer simulated sets")
    quick = parser.parse_args().quick
    values = simulated_runs()
    first, second = np.triu_indices(RUNS, 1)
    differences = values[first] - values[second]
    print(f"CPU seconds; {QUESTIONS} questions, {RESAMPLES:,} resamples\n")
    tests(values, differences, quick=quick)
    intervals(values, differences)
    coverage(500 if quick else 2_000)


if __name__ == "__main__":
    main()
