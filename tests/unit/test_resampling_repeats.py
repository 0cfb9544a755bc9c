"""Repeats of one judge: their mean, and their spread by hand and by published analysis of variance."""

import math

import numpy as np
import pytest
from scipy import stats

from aeollm.errors import UsageError
from aeollm.resampling import compare_runs, group_repeats
from aeollm.tables import Plan, Policy
from tests.scored import scores

NAN = math.nan


def grouped(*rows, policy=None):
    found = [scores(row, policy=policy, digest=f"{r:064x}", name=f"r{r}") for r, row in enumerate(rows)]
    return group_repeats(found, "judge")


def test_the_mean_of_every_question():
    run, spread = grouped([0.2, 0.4, 0.9], [0.4, 0.4, 0.5])
    assert run.name == "judge"
    assert run.accuracy[0].tolist() == pytest.approx([0.3, 0.4, 0.7])
    # Deviations within: .1 twice, .2 twice: (2 * .01 + 2 * .04) / 3; means .5 and .4333.
    assert spread.between_repeats[0, 2] == pytest.approx(math.sqrt(0.1 / 3))
    assert spread.of_means[0, 2] == pytest.approx(abs(0.5 - 1.3 / 3) / math.sqrt(2))
    # Between: 2 * (.1667**2 + .0667**2 + .2333**2) / 2 = .0867; less .0333, halved.
    assert spread.between_questions[0, 2] == pytest.approx(math.sqrt((0.26 / 3 - 0.1 / 3) / 2))
    assert spread.questions.tolist() == [[3, 3, 3]]


def test_scipys_analysis_of_variance():
    values = np.random.default_rng(0).normal(0.6, 0.1, (4, 15)) + np.random.default_rng(1).normal(0, 0.2, 15)
    _, spread = grouped(*values)
    within = values.var(axis=0, ddof=1).mean()
    f = stats.f_oneway(*values.T).statistic
    assert spread.between_repeats[0, 0] == pytest.approx(math.sqrt(within))
    assert spread.between_questions[0, 0] == pytest.approx(math.sqrt(within * (f - 1) / 4))
    assert spread.of_means[0, 0] == pytest.approx(values.mean(axis=1).std(ddof=1))


def test_noise_that_explains_all_leaves_questions_no_spread():
    _, spread = grouped([0.1, 0.9], [0.9, 0.1])
    assert spread.between_questions[0, 0] == 0.0
    assert spread.of_means[0, 0] == pytest.approx(0.0, abs=1e-15)


def test_identical_repeats():
    _, spread = grouped([0.1, 0.3], [0.1, 0.3])
    assert spread.between_repeats[0, 0] == 0.0
    assert spread.between_questions[0, 0] == pytest.approx(0.1 * math.sqrt(2))


def test_one_repeat_or_one_question_tells_no_spread():
    _, spread = grouped([0.1, 0.3])
    assert np.isnan([spread.between_repeats, spread.between_questions, spread.of_means]).all()
    _, spread = grouped([0.1], [0.3])
    assert spread.between_repeats[0, 0] == pytest.approx(0.1 * math.sqrt(2))
    assert np.isnan(spread.between_questions).all()


def test_undefined_in_some_repeats_follows_the_policy():
    rows = [0.2, NAN, NAN], [0.4, 0.6, NAN]
    for policy, expected in (("skip", [0.3, 0.6, NAN]), ("zero", [0.3, 0.3, 0.0]), ("strict", [0.3, NAN, NAN])):
        run, spread = grouped(*rows, policy=Policy(undefined=policy))
        assert run.kendall[0].tolist() == pytest.approx(expected, nan_ok=True)
        assert spread.questions[0, 0] == (3 if policy == "zero" else 1)


def test_the_grouped_run_compares_like_any_other():
    run, _ = grouped([0.2, 0.4, 0.9], [0.4, 0.4, 0.5])
    assert "|run=mean-of-2:" in run.signature
    comparison = compare_runs([run, scores([0.1, 0.2, 0.3])], ["judge", "other"], Plan(resamples=50))
    assert comparison.runs.mean[0, 0, 2] == pytest.approx((0.3 + 0.4 + 0.7) / 3)
    assert "run=" not in comparison.signature


def test_the_order_of_questions_and_counts_are_kept():
    pairs = np.full((1, 2, 5), 3)
    run, _ = group_repeats([scores([0.1, 0.2], pairs=pairs, near_ties=2), scores([0.3, 0.2], pairs=pairs)], "judge")
    assert (run.pairs == 6).all()
    assert run.near_ties == 2


def test_runs_scored_otherwise_are_refused():
    with pytest.raises(UsageError, match="not scored as"):
        group_repeats([scores([0.1]), scores([0.1], labels="other@1")], "judge")
    with pytest.raises(UsageError, match="no run"):
        group_repeats([], "judge")
