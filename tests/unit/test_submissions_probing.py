"""The attack of benchmarks/probing.py: what it expects to see is what scipy computes, and it does learn."""

import numpy as np
import pytest
from scipy.stats import kendalltau, spearmanr

from benchmarks.probing import ANSWERS, assignments, played, predicted


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_what_an_assignment_would_show(count):
    rng = np.random.default_rng(count)
    for place in rng.integers(0, len(assignments(count)), 5):
        ranks = assignments(count)[place]
        rest = [rank for rank in range(1, ANSWERS + 1) if rank not in ranks]
        human, run = [*ranks, *rest], [*range(count, 0, -1), *[0] * len(rest)]
        pairs = [(i, j) for i in range(ANSWERS) for j in range(i)]
        agree = sum(np.sign(human[i] - human[j]) == np.sign(run[i] - run[j]) for i, j in pairs)
        expected = [spearmanr(human, run)[0], kendalltau(human, run)[0], agree / len(pairs)]
        assert predicted(count)[place] == pytest.approx(expected, abs=1e-12)


def test_the_attack_learns_with_every_submission_and_nothing_where_nothing_is_shown():
    sharp, blunt = (dict(played(0, undefined, decimals, 25)) for undefined, decimals in (("skip", 4), ("zero", 1)))
    assert sharp[0][0] < sharp[12][0] < sharp[25][0]
    assert blunt[25][0] == pytest.approx(blunt[0][0], abs=0.01)
