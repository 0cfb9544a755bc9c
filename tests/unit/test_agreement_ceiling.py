"""The simulated ceiling against closed forms of the bivariate normal."""

import math

import pytest

from aeollm.agreement import PUBLISHED_RELIABILITY, simulate_ceiling


def expected(correlation, n):
    """Give Spearman's rho, tau and accuracy expected of n normal pairs (Kendall 1949; Moran 1948)."""
    tau = 2 / math.pi * math.asin(correlation)
    rho = 6 / (math.pi * (n + 1)) * (math.asin(correlation) + (n - 2) * math.asin(correlation / 2))
    return {"spearman": rho, "kendall": tau, "accuracy": (1 + tau) / 2}


@pytest.mark.parametrize("reliability", [0.3, PUBLISHED_RELIABILITY, 0.95])
@pytest.mark.parametrize("n", [4, 16])
def test_closed_forms(reliability, n):
    found = simulate_ceiling(reliability, [n] * 20, draws=2000)
    for measure, value in expected(math.sqrt(reliability), n).items():
        assert found.perfect[measure].mean == pytest.approx(value, abs=0.006)
    for measure, value in expected(reliability, n).items():
        assert found.second_panel[measure].mean == pytest.approx(value, abs=0.006)


def test_published_ceiling():
    # Project notes on statistics, section 5.
    found = simulate_ceiling(0.76, [16] * 20, draws=3000)
    assert [round(found.perfect[measure].mean, 2) for measure in found.perfect] == [0.83, 0.67, 0.84]
    assert found.second_panel["spearman"].mean == pytest.approx(0.71, abs=0.01)
    assert found.second_panel["accuracy"].mean == pytest.approx(0.77, abs=0.01)


def test_one_label_set_may_lie_off():
    few, many = (simulate_ceiling(0.76, [8] * n, draws=500).perfect["kendall"] for n in (2, 50))
    assert few.low < many.low < many.mean < many.high < few.high


def test_perfect_labels():
    found = simulate_ceiling(1.0, [5, 9], draws=10)
    assert {(r.mean, r.low, r.high) for r in found.perfect.values()} == {(1.0, 1.0, 1.0)}


def test_the_seed_is_stated_and_decides():
    one, same, other = (simulate_ceiling(0.76, [16] * 5, draws=50, seed=seed) for seed in (1, 1, 2))
    assert one == same
    assert one.perfect != other.perfect
    assert "seed 1" in one.assumptions
    assert one.assumptions.startswith("Simulated")
    assert "0.76" in one.assumptions


def test_questions_of_one_answer_do_not_count():
    assert simulate_ceiling(0.76, [1, 6, 0], draws=5).questions == 1


def test_draws_beyond_one_block():
    assert simulate_ceiling(0.76, [200] * 40, draws=70).draws == 70


@pytest.mark.parametrize("reliability", [0.0, -0.1, 1.01, math.nan])
def test_a_reliability_is_a_share(reliability):
    with pytest.raises(ValueError, match="reliability"):
        simulate_ceiling(reliability, [16])


def test_no_question_no_ceiling():
    with pytest.raises(ValueError, match="two answers"):
        simulate_ceiling(0.76, [1, 1])
