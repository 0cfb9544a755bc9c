"""Runs compared: every figure where it can be known by hand, under every policy, and what is refused."""

import json
import math
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from aeollm.errors import UsageError
from aeollm.resampling import compare_runs, extend
from aeollm.tables import MEASURES, Comparison, Plan, Policy
from tests.scored import scores

NAN = math.nan
# Differences .1, .2, .1, -.1, .2, .3, 0: four figures below are theirs.
A = [0.7, 0.9, 0.6, 0.5, 0.8, 0.9, 0.5]
B = [0.6, 0.7, 0.5, 0.6, 0.6, 0.6, 0.5]
PLAN = Plan(resamples=500)


def compared(*rows, plan=PLAN, **options):
    names = "ABCDEFGH"[: len(rows)]
    return compare_runs([scores(row, **options) for row in rows], list(names), plan)


def run_cell(comparison, run=0, view="overall", measure="accuracy"):
    return comparison.to_json()["runs"][run][view][measure]


def pair_cell(comparison, pair=0, view="overall", measure="accuracy"):
    return comparison.to_json()["pairs"][pair][view][measure]


def test_a_pair_by_hand():
    cell = pair_cell(compared(A, B))
    assert cell["difference"] == pytest.approx(0.8 / 7, abs=1e-15)
    assert (cell["wins"], cell["ties"], cell["losses"], cell["questions"], cell["dropped"]) == (5, 1, 1, 7, 0)
    # In tenths, +-1 +-1 +-1 +-2 +-2 +-3 (the 0 doubles both sides): a sum of 8 or more needs signs lost of at most 1
    # in all: none, or one of the three ones. Four of 64 patterns, and their opposites.
    assert cell["p"] == cell["p_adjusted"] == 8 / 64
    assert cell["exact"] is True
    assert cell["smallest_p"] == 2 / 2**7
    assert cell["reason"] is None
    assert "headline_difference" not in cell
    assert cell["low"] < 0.8 / 7 < cell["high"]


def test_what_the_questions_can_show():
    cell = pair_cell(compared(A, B))
    differences = np.subtract(A, B)
    spread = differences.std(ddof=1)
    # Found by scipy's noncentral t: the effect shown with power .8, and the power at the number needed.
    effect = cell["detectable"] / spread
    assert stats.nct.sf(stats.t.ppf(0.975, 6), 6, effect * math.sqrt(7)) == pytest.approx(0.8, abs=1e-4)
    seen, n = 0.8 / 7 / spread, cell["questions_needed"]
    power = [stats.nct.sf(stats.t.ppf(0.975, m - 1), m - 1, seen * math.sqrt(m)) for m in (n - 1, n)]
    assert power[0] < 0.8 <= power[1]


def test_means_are_those_of_the_scores():
    values = [*A, NAN]
    for policy in (Policy(), Policy(undefined="zero"), Policy(undefined="strict")):
        own = scores(values, policy=policy)
        comparison = compare_runs([own, scores([*B, NAN], policy=policy)], ["A", "B"], PLAN)
        assert run_cell(comparison)["mean"] == own.mean("overall", "accuracy").mean


# C26 of the project's cases: a run against itself.
def test_identical_runs():
    comparison = compared(A[:3], A[:3])
    cell = pair_cell(comparison)
    assert (cell["difference"], cell["low"], cell["high"], cell["p"]) == (0.0, 0.0, 0.0, 1.0)
    assert cell["degenerate"] is True
    assert (cell["wins"], cell["ties"], cell["losses"]) == (0, 3, 0)
    assert (cell["detectable"], cell["questions_needed"]) == (None, None)
    assert comparison.to_json()["smallest_p"] == 0.25
    assert [run_cell(comparison, run)["cluster"] for run in (0, 1)] == [1, 1]


def test_runs_that_differ_everywhere_by_the_same_have_a_marked_interval():
    # .8 - .7 and .7 - .6 differ in float64.
    cell = pair_cell(compared([0.8, 0.7, 0.6, 0.5, 0.9, 0.4, 0.3], [0.7, 0.6, 0.5, 0.4, 0.8, 0.3, 0.2]))
    assert cell["degenerate"] is True
    assert cell["low"] == cell["high"] == cell["difference"] == pytest.approx(0.1)
    assert (cell["detectable"], cell["questions_needed"]) == (None, None)
    assert cell["p"] == 2 / 2**7


def test_rounding_is_a_tie_not_a_win():
    cell = pair_cell(compared([0.1 + 0.2, 0.5], [0.3, 0.5]))
    assert (cell["wins"], cell["ties"], cell["losses"], cell["difference"]) == (0, 2, 0, 0.0)


def test_undefined_questions_are_dropped_and_the_headline_difference_is_shown_beside():
    cell = pair_cell(compared([0.9, 0.8, NAN, 0.7], [0.5, NAN, 0.1, 0.6]))
    assert (cell["questions"], cell["dropped"]) == (2, 2)
    assert cell["difference"] == pytest.approx((0.4 + 0.1) / 2)
    assert cell["headline_difference"] == pytest.approx(0.8 - 0.4)
    assert cell["p"] == 2 / 4


def test_a_headline_difference_that_is_the_same_is_not_repeated():
    cell = pair_cell(compared([0.9, NAN, 0.7], [0.5, NAN, 0.3]))
    assert cell["dropped"] == 1
    assert "headline_difference" not in cell


def test_undefined_as_zero_counts_every_question():
    comparison = compared([0.9, 0.8, NAN], [0.5, NAN, NAN], policy=Policy(undefined="zero"))
    cell = pair_cell(comparison)
    assert (cell["questions"], cell["wins"], cell["ties"]) == (3, 2, 1)
    assert cell["difference"] == pytest.approx(1.2 / 3)
    assert run_cell(comparison, 1)["questions"] == 1
    assert run_cell(comparison, 1)["values"] == [0.5, None, None]


def test_strict_leaves_nothing_to_compare():
    comparison = compared([0.9, 0.8, 0.7], [0.5, NAN, 0.1], policy=Policy(undefined="strict"))
    assert run_cell(comparison, 0)["mean"] == pytest.approx(0.8)
    assert run_cell(comparison, 1)["mean"] is None
    assert run_cell(comparison, 1)["reason"] == "undefined in 1 of 3 questions"
    assert run_cell(comparison, 1)["cluster"] is None
    cell = pair_cell(comparison)
    assert (cell["difference"], cell["p"], cell["reason"]) == (None, None, "no question defined for both")


def test_reasons_where_there_is_no_interval():
    comparison = compared([0.9, NAN, NAN], [NAN, NAN, NAN], [0.5, 0.6, 0.7])
    cells = [run_cell(comparison, run) for run in range(3)]
    assert [cell["reason"] for cell in cells] == ["one defined question", "no defined question", None]
    assert [cell["mean"] for cell in cells[:2]] == [0.9, None]
    assert [(cell["low"], cell["high"]) for cell in cells[:2]] == [(None, None)] * 2
    pairs = [pair_cell(comparison, pair) for pair in range(3)]
    assert [pair["reason"] for pair in pairs][:2] == ["no question defined for both", "one question defined for both"]
    assert [pair["p"] for pair in pairs] == [None, 1.0, None]


def test_one_run_has_intervals_and_no_family():
    content = compared(A).to_json()
    assert content["pairs"] == []
    assert (content["family"], content["smallest_p"], content["smallest_p_adjusted"]) == (None, None, None)
    assert content["runs"][0]["overall"]["accuracy"]["low"] is not None
    assert content["runs"][0]["overall"]["accuracy"]["cluster"] == 1


def test_all_pairs_in_order():
    comparison = compared(A, B, A, B)
    assert [(pair["a"], pair["b"]) for pair in comparison.to_json()["pairs"]] == list(combinations("ABCD", 2))


RUNS = np.clip(np.random.default_rng(1).normal(0.6, 0.15, (5, 12)) + np.array([[0.3], [0.2], [0], [0], [-0.3]]), 0, 1)


@pytest.mark.parametrize(
    ("correction", "smallest"), [("none", 2 / 2**12), ("holm", 10 * 2 / 2**12), ("bh", 2 / 2**12), ("tukey", 1 / 2001)]
)
def test_the_smallest_adjusted_p_of_ten_pairs(correction, smallest):
    comparison = compared(*RUNS, plan=Plan(resamples=2000, correction=correction))
    content = comparison.to_json()
    assert content["correction"] == correction
    assert content["smallest_p"] == 2 / 2**12
    assert content["smallest_p_adjusted"] == pytest.approx(smallest)
    adjusted = [pair["overall"]["accuracy"]["p_adjusted"] for pair in content["pairs"]]
    plain = [pair["overall"]["accuracy"]["p"] for pair in content["pairs"]]
    assert min(adjusted) >= smallest * (1 - 1e-12)
    if correction == "bh":
        assert adjusted == pytest.approx(stats.false_discovery_control(plain).tolist())
    if correction == "none":
        assert adjusted == plain


def test_two_runs_need_no_correction():
    for correction in ("tukey", "holm", "bh", "none"):
        cell = pair_cell(compared(A, B, plan=Plan(resamples=100, correction=correction)))
        assert cell["p_adjusted"] == cell["p"] == 8 / 64


def test_a_family_is_one_view_and_measure():
    table = np.stack([RUNS, np.where(np.arange(12) < 3, RUNS, NAN)], axis=1)
    rows = [scores(rows, views=("overall", "insight")) for rows in table]
    content = compare_runs(rows, list("ABCDE"), Plan(resamples=200, correction="holm")).to_json()
    families = {view: content["families"][view]["kendall"] for view in ("overall", "insight")}
    assert [families[view]["questions"] for view in families] == [12, 3]
    assert [families[view]["pairs"] for view in families] == [10, 10]
    # With three questions, nothing could be significant among ten pairs: 10 * 2 / 8 is above 1.
    assert [families[view]["smallest_p_adjusted"] for view in families] == [pytest.approx(20 / 2**12), 1.0]


def test_a_constant_run_leaves_the_others_their_family():
    rows = [scores(row) for row in RUNS]
    rows[2] = replace(rows[2], kendall=np.full((1, 12), NAN))
    content = compare_runs(rows, list("ABCDE"), PLAN).to_json()
    assert content["families"]["overall"]["kendall"] == content["families"]["overall"]["accuracy"] | {"pairs": 6}
    assert [pair["overall"]["kendall"]["p_adjusted"] is None for pair in content["pairs"]] == [
        "C" in pair for pair in combinations("ABCDE", 2)
    ]


def test_clusters_follow_the_adjusted_p():
    rows = np.repeat([0.9, 0.88, 0.5, 0.1], 24).reshape(4, 24) + np.tile([0.02, -0.02, 0, 0.03, -0.03, 0], 4)
    rows[1] += np.tile([0.05, -0.05], 12)
    for order in ([0, 1, 2, 3], [3, 1, 0, 2]):
        comparison = compared(*rows[order], plan=Plan(resamples=2000))
        found = {order[run]: run_cell(comparison, run)["cluster"] for run in range(4)}
        assert found == {0: 1, 1: 1, 2: 2, 3: 3}


def test_what_only_the_correction_makes_chance_is_one_cluster():
    # Three pairs with p = 2 / 64 each; three times that is above .05.
    rows = np.array([[0.9], [0.5], [0.1]]) + np.linspace(0, 0.05, 6)
    for correction, expected in (("none", [1, 2, 3]), ("holm", [1, 1, 1]), ("bh", [1, 2, 3])):
        comparison = compared(*rows, plan=Plan(resamples=100, correction=correction))
        assert comparison.runs.cluster[:, 0, 0].tolist() == expected


def test_too_few_shuffles_can_show_nothing():
    rows = np.random.default_rng(0).uniform(0.4, 0.6, (2, 30))
    assert pair_cell(compared(*rows, plan=Plan(resamples=18)))["detectable"] is None
    assert pair_cell(compared(*rows, plan=Plan(resamples=19)))["detectable"] > 0


def test_a_hundred_runs_in_a_hundred_clusters():
    rows = np.linspace(0.9, 0.1, 100)[:, None] + np.linspace(-0.001, 0.001, 20)
    comparison = compare_runs(
        [scores(row) for row in rows], [f"run{r}" for r in range(100)], Plan(resamples=50, correction="none")
    )
    assert comparison.runs.cluster[:, 0, 2].tolist() == list(range(1, 101))


@pytest.mark.parametrize("n", [1, 2, 27, 40])
def test_p_is_never_zero(n):
    rng = np.random.default_rng(n)
    for correction in ("tukey", "holm", "bh"):
        comparison = compared(
            np.full(n, 0.9), rng.uniform(0, 0.2, n), np.full(n, 0.9), plan=Plan(resamples=99, correction=correction)
        )
        assert (comparison.pairs.p > 0).all()
        assert (comparison.pairs.p_adjusted > 0).all()
        assert comparison.pairs.exact.all() == (n <= 26)


def test_same_input_same_bytes():
    by_seed = [compared(*RUNS, plan=Plan(seed=seed, resamples=300)) for seed in (3, 4)]
    assert not np.array_equal(by_seed[0].runs.low, by_seed[1].runs.low)
    assert not np.array_equal(by_seed[0].pairs.p_adjusted, by_seed[1].pairs.p_adjusted)
    texts = {json.dumps(compared(*RUNS, plan=Plan(seed=3, resamples=300)).to_json()) for _ in range(2)}
    assert len(texts) == 1


def test_a_figure_does_not_change_with_the_company():
    # All but the family's: adjusted p and clusters.
    two, five = compared(*RUNS[:2]), compared(*RUNS)
    assert {k: v for k, v in run_cell(two, 1).items() if k != "cluster"} == {
        k: v for k, v in run_cell(five, 1).items() if k != "cluster"
    }
    without = {k: v for k, v in pair_cell(two).items() if k != "p_adjusted"}
    assert without == {k: v for k, v in pair_cell(five).items() if k != "p_adjusted"}


def test_extending_gives_what_comparing_at_once_gives():
    rows = [scores(row) for row in RUNS]
    at_once = compare_runs(rows, list("ABCDE"), PLAN)
    saved = json.loads(json.dumps(compare_runs(rows[:2], list("AB"), PLAN).to_json()))
    extended = extend(Comparison.from_json(saved), rows[2:], list("CDE"))
    assert json.dumps(extended.to_json()) == json.dumps(at_once.to_json())


def test_the_signature_is_what_the_runs_share():
    one, other = scores(A, digest="a" * 64), scores(B, digest="b" * 64)
    comparison = compare_runs([one, other], ["A", "B"], PLAN)
    assert comparison.signature == one.signature.replace("run=aaaaaaaa|", "")
    partial = compare_runs([one, scores(B, digest="b" * 64, partial=True)], ["A", "B"], PLAN)
    assert "partial=yes" in partial.signature
    assert [run["partial"] for run in partial.to_json()["runs"]] == [False, True]


def test_runs_scored_otherwise_are_refused():
    one = scores(A)
    others = {
        "labels": scores(B, labels="other@9999"),
        "undefined": scores(B, policy=Policy(undefined="zero")),
        "min_answers": scores(B, policy=Policy(min_answers=3)),
    }
    for what, other in others.items():
        with pytest.raises(UsageError, match=f"B was not scored as A was: {what} is"):
            compare_runs([one, other], ["A", "B"], PLAN)
        with pytest.raises(UsageError, match="not scored"):
            extend(compare_runs([one], ["A"], PLAN), [other], ["B"])
    with pytest.raises(UsageError, match="different questions"):
        compare_runs([one, scores(B[:5])], ["A", "B"], PLAN)


def test_names_that_repeat_and_no_runs_are_refused():
    with pytest.raises(UsageError, match="several runs are called A"):
        compare_runs([scores(A), scores(B)], ["A", "A"], PLAN)
    with pytest.raises(UsageError, match="no run"):
        compare_runs([], [], PLAN)


def test_demo_labels_mark_the_comparison():
    assert compare_runs([scores(A, demo=True), scores(B, demo=True)], ["A", "B"], PLAN).to_json()["demo"] is True


@pytest.mark.parametrize(
    "choice",
    [
        {"interval": "normal"},
        {"correction": "bonferroni"},
        {"seed": -1},
        {"seed": 1.5},
        {"resamples": 0},
        {"resamples": True},
        {"alpha": 0.0},
        {"alpha": NAN},
        {"power": 1.0},
        {"alpha": 0.5, "power": 0.4},
    ],
)
def test_a_plan_refuses_what_it_does_not_know(choice):
    with pytest.raises(ValueError, match=r"is one of|is a whole number|needed"):
        Plan(**choice)


def test_json_has_the_documented_keys():
    content = compared(A, B, [*B[:-1], NAN]).to_json()
    top = "signature seed resamples family interval correction alpha power smallest_p smallest_p_adjusted demo views"
    assert list(content) == [*top.split(), "questions", "families", "runs", "pairs"]
    run = "mean low high cluster questions resamples_left_out degenerate reason values"
    pair = "difference low high p p_adjusted exact questions wins ties losses detectable questions_needed smallest_p"
    pair += " dropped resamples_left_out degenerate reason"
    assert list(content["runs"][0]) == ["name", "signature", "partial", "overall"]
    assert list(content["runs"][0]["overall"]) == list(MEASURES)
    assert list(content["runs"][0]["overall"]["spearman"]) == run.split()
    assert list(content["pairs"][0]) == ["a", "b", "overall"]
    assert list(content["pairs"][0]["overall"]["kendall"]) == pair.split()
    assert set(content["pairs"][1]["overall"]["kendall"]) == {*pair.split(), "headline_difference"}
    json.dumps(content, allow_nan=False)
