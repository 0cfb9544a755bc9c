"""Speed of scoring against a plain loop over scipy, in one process: ``python benchmarks/scoring.py``.

CPU seconds (medians), not wall time. The peer loop calls `spearmanr`, `kendalltau` and
`itertools.combinations` for every question and view on lists of floats; no pandas on either side.
"""

from __future__ import annotations

import argparse
import itertools
import statistics
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

import numpy as np
from scipy import stats

from aeollm import DIMENSIONS, MEASURES, Labels, Rubrics, Run, score, score_runs
from aeollm.decimals import Decimal, Decimals

WEIGHTS = (30, 36, 20, 14)


def make_labels(questions: int, answers: int, rng: np.random.Generator) -> tuple[Labels, Rubrics]:
    """Make labels with one decimal and the rubric weights of the overview's range."""
    keys = [(str(q), f"Doc_{a:03}") for q in range(questions) for a in range(answers)]
    scores = Decimals(rng.integers(20, 100, (len(keys), 4)), -1)
    given = np.ones((len(keys), 4), dtype=bool)
    ids = tuple(zip(*keys, strict=True))
    labels = Labels("made", "benchmark", None, "0" * 64, *ids, DIMENSIONS, scores, given)
    weights = {str(q): dict(zip(DIMENSIONS, (Decimal(w, -2) for w in WEIGHTS), strict=True)) for q in range(questions)}
    return labels, Rubrics("0" * 64, weights, {}, {})


def make_run(labels: Labels, rng: np.random.Generator) -> Run:
    """Make a run of two-decimal scores."""
    scores = Decimals(rng.integers(0, 1001, (len(labels), 4)), -2)
    rows = tuple(range(len(labels)))
    return Run("made", "0" * 64, ("0",) * len(labels), labels.questions, labels.answers, DIMENSIONS, scores, rows)


def peer(labels: Labels, run: Run) -> list[list[float]]:
    """Compute the 15 means with scipy, one question and view at a time."""
    total = sum(WEIGHTS)
    columns: list[list[list[list[float]]]] = []
    for scores in (run.scores.values, labels.scores.values):
        by_question = scores.reshape(len(labels.question_order), -1, 4).tolist()
        columns.append(
            [
                [
                    [sum(w / total * s for w, s in zip(WEIGHTS, row, strict=True)) for row in rows],
                    *map(list, zip(*rows, strict=True)),
                ]
                for rows in by_question
            ]
        )
    means = []
    for view in range(5):
        found = []
        for mine, theirs in zip(columns[0], columns[1], strict=True):
            x, y = mine[view], theirs[view]
            pairs = list(itertools.combinations(range(len(x)), 2))
            agree = sum((x[i] > x[j]) - (x[i] < x[j]) == (y[i] > y[j]) - (y[i] < y[j]) for i, j in pairs)
            found.append((stats.spearmanr(x, y).statistic, stats.kendalltau(x, y).statistic, agree / len(pairs)))
        means.append(np.nanmean(found, axis=0).tolist())
    return means


def ours(labels: Labels, rubrics: Rubrics, run: Run) -> list[list[float | None]]:
    """Compute the same 15 means."""
    scores = score(run, labels, rubrics)
    return [[scores.mean(view, measure).mean for measure in MEASURES] for view in scores.views]


def cpu_seconds(work: Callable[[], object], repeats: int) -> float:
    """Give the median CPU seconds of a call."""
    taken = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        taken.append(time.process_time() - start)
    return statistics.median(taken)


def compare(questions: int, answers: int, repeats: tuple[int, int]) -> float:
    """Print one row; give the seconds of our side."""
    rng = np.random.default_rng(1)
    labels, rubrics = make_labels(questions, answers, rng)
    run = make_run(labels, rng)
    difference = np.abs(np.array(ours(labels, rubrics, run), dtype=float) - np.array(peer(labels, run))).max()
    mine = cpu_seconds(lambda: ours(labels, rubrics, run), repeats[0])
    theirs = cpu_seconds(lambda: peer(labels, run), repeats[1])
    print(f"{questions:>6} x {answers:<5} {mine:>10.5f} {theirs:>10.4f} {theirs / mine:>8.0f}x {difference:>12.1e}")
    return mine


def start_up(arguments: list[str]) -> float:
    """Give the median CPU seconds of a Python process."""
    root = Path(__file__).parent.parent
    code = (
        "import resource,subprocess,sys;"
        "subprocess.run([sys.executable,*sys.argv[1:]],stdout=subprocess.DEVNULL,check=True);"
        "u=resource.getrusage(resource.RUSAGE_CHILDREN);print(u.ru_utime+u.ru_stime)"
    )
    command = [sys.executable, "-c", code, *arguments]
    return statistics.median(
        float(subprocess.run(command, cwd=root, capture_output=True, check=True).stdout) for _ in range(9)
    )


def main() -> None:
    """Print all figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="leave out the large sizes")
    quick = parser.parse_args().quick
    warnings.simplefilter("ignore")
    print(f"{'questions x answers':<14} {'aeollm s':>8} {'scipy s':>10} {'ratio':>9} {'largest difference':>12}")
    small = compare(20, 16, (101, 5))
    if not quick:
        large = compare(2_000, 16, (7, 1))
        compare(20, 1_000, (7, 1))
        print(f"linear in questions: {large / small / 100:.2f} of 100 times the cost of 20 questions for 2,000")
    rng = np.random.default_rng(2)
    labels, rubrics = make_labels(20, 16, rng)
    runs = [make_run(labels, rng) for _ in range(91)]
    together = cpu_seconds(lambda: score_runs(runs, labels, rubrics), 9)
    single = cpu_seconds(lambda: [score(run, labels, rubrics) for run in runs], 9)
    print(f"91 runs of 20 x 16: together {together:.4f} s, one by one {single:.4f} s, share {together / single:.2f}")
    numpy_alone = start_up(["-c", "import numpy"])
    demo = ["-m", "aeollm", "score", "assets/demo/runs/good_judge.txt", "--labels-set", "demo"]
    command = start_up(demo)
    print(f"command line: {command:.3f} s, import numpy: {numpy_alone:.3f} s, ratio {command / numpy_alone:.2f}")


if __name__ == "__main__":
    main()
