"""Bradley-Terry and Davidson at published values, and where there are no strengths, by name."""

import math

import numpy as np
import pytest

from aeollm.aggregation.pairwise import (
    Comparisons,
    bootstrap_errors,
    comparisons_of,
    copeland_scores,
    covariances,
    fit_anchored,
    fit_bradley_terry,
    fit_davidson,
    separations,
    standard_errors,
    win_rates,
)
from aeollm.tables.judgments import Judgments


def counts(size, rows):
    """Make tables of wins and ties from (i, j, wins of i, wins of j, ties) rows."""
    wins, ties = np.zeros((size, size)), np.zeros((size, size))
    for i, j, won, lost, *tied in rows:
        wins[i, j] += won
        wins[j, i] += lost
        ties[i, j] = ties[j, i] = sum(tied)
    return Comparisons.of_counts(wins, ties)


def against_first(strengths):
    """Give strengths less the first, with the standard errors of these differences."""
    c = covariances(strengths)[0]
    return strengths.values - strengths.values[0], np.sqrt(np.maximum(c[0, 0] + np.diag(c) - 2 * c[0], 0))


# Stigler 1994, the data set `citations` of R's BradleyTerry2; log abilities and standard errors against Biometrika
# from the project's notes on statistics: Biometrika, Communications in Statistics, JASA, JRSS-B.
CITATIONS = [(0, 1, 730, 33), (0, 2, 498, 320), (0, 3, 221, 284), (1, 2, 68, 813), (1, 3, 17, 276), (2, 3, 142, 325)]


def test_journal_citations():
    values, errors = against_first(fit_bradley_terry(counts(4, CITATIONS)))
    assert values == pytest.approx([0, -2.94907, -0.47957, 0.26895], abs=5e-6)
    assert errors == pytest.approx([0, 0.10255, 0.06059, 0.07083], abs=5e-6)


# Baseball results of 1987 (Agresti 2002, section 10.6; `baseball` of BradleyTerry2, home and away games together).
# Estimates and errors against Baltimore as printed in that package's `tests/baseball.Rout.save` and, to two digits, in
# Agresti's table 10.11.
TEAMS = ("Baltimore", "Boston", "Cleveland", "Detroit", "Milwaukee", "New York", "Toronto")
HOME_GAMES = {
    "Milwaukee": {"Detroit": "43", "Toronto": "42", "New York": "43", "Boston": "61", "Cleveland": "42"},
    "Detroit": {"Milwaukee": "33", "Toronto": "42", "New York": "43", "Boston": "60", "Cleveland": "61"},
    "Toronto": {"Milwaukee": "25", "Detroit": "43", "New York": "24", "Boston": "43", "Cleveland": "42"},
    "New York": {"Milwaukee": "33", "Detroit": "51", "Toronto": "25", "Boston": "43", "Cleveland": "42"},
    "Boston": {"Milwaukee": "51", "Detroit": "25", "Toronto": "33", "New York": "42", "Cleveland": "52"},
    "Cleveland": {"Milwaukee": "25", "Detroit": "33", "Toronto": "34", "New York": "43", "Boston": "42"},
    "Baltimore": {"Milwaukee": "25", "Detroit": "15", "Toronto": "16", "New York": "24", "Boston": "16"},
}
AGAINST_BALTIMORE = {"Milwaukee": "60", "Detroit": "43", "Toronto": "60", "New York": "61", "Boston": "60"}
AGAINST_BALTIMORE |= {"Cleveland": "24"}


def test_baseball():
    games = [(home, away, result) for home, others in HOME_GAMES.items() for away, result in others.items()]
    games += [(home, "Baltimore", result) for home, result in AGAINST_BALTIMORE.items()]
    games.append(("Baltimore", "Cleveland", "34"))
    assert len(games) == 42
    wins = np.zeros((7, 7))
    for home, away, (won, lost) in games:
        wins[TEAMS.index(home), TEAMS.index(away)] += int(won)
        wins[TEAMS.index(away), TEAMS.index(home)] += int(lost)
    values, errors = against_first(fit_bradley_terry(Comparisons.of_counts(wins)))
    assert values == pytest.approx([0, 1.1077, 0.6839, 1.4364, 1.5814, 1.2476, 1.2945], abs=5e-5)
    assert errors == pytest.approx([0, 0.3339, 0.3319, 0.3396, 0.3433, 0.3359, 0.3367], abs=5e-5)


# Chocolate puddings, Davidson 1970, example 2 (`pudding` of R's PlackettLuce): brands, preferences, no preference.
PUDDINGS = [
    (0, 1, 19, 22, 16), (0, 2, 16, 19, 12), (1, 2, 19, 19, 10), (0, 3, 18, 23, 13), (1, 3, 23, 19, 9),
    (2, 3, 19, 20, 15), (0, 4, 13, 19, 18), (1, 4, 16, 20, 12), (2, 4, 16, 15, 17), (3, 4, 17, 14, 16),
    (0, 5, 18, 21, 12), (1, 5, 22, 20, 12), (2, 5, 13, 18, 10), (3, 5, 14, 19, 18), (4, 5, 11, 21, 12),
]  # fmt: skip


def test_puddings():
    # PlackettLuce's overview prints these, after the seven iterations that reproduce Davidson's figures.
    strengths = fit_davidson(counts(6, PUDDINGS))
    values, errors = against_first(strengths)
    assert values == pytest.approx([0, 0.2202, 0.1530, 0.1753, 0.1339, 0.3771], abs=2e-4)
    assert errors == pytest.approx([0, 0.1872, 0.1935, 0.1882, 0.1927, 0.1924], abs=2e-4)
    assert math.log(strengths.nu[0]) == pytest.approx(-0.2919, abs=2e-4)
    worths = np.exp(strengths.values) / np.exp(strengths.values).sum()
    assert worths == pytest.approx([0.1388, 0.1730, 0.1617, 0.1654, 0.1587, 0.2024], abs=1e-4)


def test_davidson_of_two_and_three():
    # The project's notes on statistics: closed form of two items; three items, where wins + ties/2 meet expectation.
    two = fit_davidson(counts(2, [(0, 1, 12, 5, 8)]))
    assert np.exp(two.values[0] - two.values[1]) == pytest.approx(2.4, abs=1e-12)
    assert two.nu[0] == pytest.approx(1.032795558989, abs=1e-12)
    three = fit_davidson(counts(3, [(0, 1, 7, 3, 2), (0, 2, 9, 1, 1), (1, 2, 6, 4, 5)]))
    assert three.values - three.values[0] == pytest.approx([0, -1.278732, -1.880924], abs=5e-7)
    assert three.nu[0] == pytest.approx(0.641804, abs=5e-7)
    assert three.log_likelihood[0] == pytest.approx(-35.455817, abs=5e-7)
    assert three.values.sum() == pytest.approx(0, abs=1e-9)


def test_without_ties_davidson_is_bradley_terry():
    one, other = fit_davidson(counts(4, CITATIONS)), fit_bradley_terry(counts(4, CITATIONS))
    assert one.values == pytest.approx(other.values)
    assert one.nu.tolist() == [0]
    assert one.win_shares == pytest.approx(other.win_shares)


def test_win_shares_are_expected_wins_and_half_ties():
    # By hand: 12, 5 and 8 of 25 are met exactly by two items.
    strengths = fit_davidson(counts(2, [(0, 1, 12, 5, 8)]))
    assert strengths.win_shares == pytest.approx([16 / 25, 9 / 25])
    extreme = fit_bradley_terry(counts(2, [(0, 1, 1, 0)]), ridge=1e-6)
    # By hand, with d apart the penalty is 1e-6 d**2 / 2: e^-d = 1e-6 d at d near 11.4.
    assert extreme.win_shares == pytest.approx([1 - 1.14e-5, 1.14e-5], abs=1e-7)


def test_counts_alone():
    compared = counts(4, [(0, 1, 3, 1, 2), (0, 2, 1, 1), (1, 2, 0, 4)])
    assert win_rates(compared) == pytest.approx([5 / 8, 2 / 10, 5 / 6, math.nan], nan_ok=True)
    assert copeland_scores(compared) == pytest.approx([0.75, 0, 0.75, math.nan], nan_ok=True)


def named(rows):
    return comparisons_of(Judgments.of([("7", "insight", *row) for row in rows]), orders="any")


# PlackettLuce's overview, "disconnected networks": D only loses; without it the estimates are printed there.
TOY = [("A", "B", "left"), ("A", "C", "right"), ("A", "D", "left"), ("A", "B", "right"), ("B", "C", "left")]


def test_who_is_never_a_winner_is_named():
    compared = counts(4, [(0, 1, 1, 1), (2, 0, 1, 0), (0, 3, 1, 0), (1, 2, 1, 0)])
    strengths = fit_bradley_terry(compared)
    assert np.isnan(strengths.values).all()
    assert np.isnan(strengths.win_shares).all()
    assert np.isnan(standard_errors(strengths)).all()
    found = strengths.separations[0]
    assert (found.undefeated, found.winless, found.islands) == ((("0", "1", "2"),), (("3",),), ())
    without = fit_bradley_terry(counts(3, [(0, 1, 1, 1), (2, 0, 1, 0), (1, 2, 1, 0)]))
    values, errors = against_first(without)
    assert values == pytest.approx([0, 0.8392, 0.4196], abs=1e-4)
    assert errors == pytest.approx([0, 1.3596, 1.5973], abs=1e-4)


def test_separation_is_told_with_names_and_a_way_out():
    strengths = fit_bradley_terry(named(TOY))
    problem = next(problem for problem in strengths.problems if problem.kind == "separated")
    assert "Question 7, insight" in problem.message
    assert "without a win: D" in problem.message
    assert "ridge" in problem.remedy
    assert problem.severity == "warning"
    ridged = fit_bradley_terry(named(TOY), ridge=0.1)
    assert not np.isnan(ridged.values).any()
    assert min(ridged.of("7", "insight"), key=ridged.of("7", "insight").get) == "D"
    assert ridged.values.sum() == pytest.approx(0, abs=1e-9)
    held = next(problem for problem in ridged.problems if problem.kind == "separated")
    assert held.severity == "note"
    assert "penalty" in held.message


def test_groups_that_are_not_compared_are_named():
    compared = counts(5, [(0, 1, 2, 1), (2, 3, 1, 1)])
    found = fit_davidson(compared).separations[0]
    assert found.islands == (("0", "1"), ("2", "3"), ("4",))
    assert (found.undefeated, found.winless) == ((), ())
    ridged = fit_davidson(compared, ridge=0.5)
    assert ridged.values[4] == pytest.approx(0, abs=1e-12)
    assert [problem.severity for problem in ridged.problems] == ["warning"]
    assert ridged.values[2:4] == pytest.approx([0, 0])
    assert ridged.values[0] == pytest.approx(-ridged.values[1])
    assert ridged.values[0] > 0.05


def test_ties_join_groups():
    joined = counts(3, [(0, 1, 1, 1), (1, 2, 0, 0, 1)])
    assert not separations(joined, ties=False)
    assert fit_bradley_terry(joined).values[2] == pytest.approx(fit_bradley_terry(joined).values[1])


def test_wins_that_fit_a_threshold_have_no_davidson_strengths():
    # 0 beats 2, and ties with 1 which ties with 2: places 1, .5, 0 and a growing threshold explain it ever better.
    uncontradicted = counts(3, [(0, 2, 3, 0), (0, 1, 0, 0, 1), (1, 2, 0, 0, 1)])
    found = fit_davidson(uncontradicted).separations[0]
    assert found.uncontradicted
    assert "threshold" in found.sentence
    # Half wins each way have a maximum, and so has Davidson's model as soon as 2 beats 0 once.
    assert not fit_bradley_terry(uncontradicted).separations
    assert not fit_davidson(counts(3, [(0, 2, 3, 1), (0, 1, 0, 0, 1), (1, 2, 0, 0, 1)])).separations
    # Ridged, the threshold is finite and the strengths are.
    ridged = fit_davidson(uncontradicted, ridge=0.1)
    assert np.isfinite(ridged.nu).all()
    assert ridged.values[0] > ridged.values[1] > ridged.values[2]


def test_a_win_across_a_tie_contradicts():
    # 0 over 1, 1 over 2, 0 tied with 2: the wins ask for places 2 apart, the tie for 1.
    contradicted = counts(3, [(0, 1, 1, 0), (1, 2, 1, 0), (0, 2, 0, 0, 1)])
    assert not fit_davidson(contradicted).separations
    assert np.isfinite(fit_davidson(contradicted).values).all()


def test_ties_alone():
    tied = counts(3, [(0, 1, 0, 0, 2), (1, 2, 0, 0, 1)])
    found = fit_davidson(tied)
    assert found.separations[0].all_tied
    assert np.isnan(found.values).all()
    assert fit_bradley_terry(tied).values.tolist() == [0, 0, 0]
    anchored = fit_anchored(tied, [2.0, 1.0, -3.0], 0.5)
    assert anchored.values.tolist() == [2, 1, -3]
    assert anchored.nu.tolist() == [math.inf]
    assert anchored.win_shares.tolist() == [0.5, 0.5, 0.5]
    # What is left of the uncertainty is the penalty's: variance 1 / (2 * .5), less the mean of three.
    assert standard_errors(anchored) == pytest.approx([math.sqrt(2 / 3)] * 3)


def test_no_judgments_and_one_answer():
    nothing = fit_davidson(comparisons_of(Judgments.of([])))
    assert len(nothing.values) == len(nothing.nu) == 0
    assert standard_errors(nothing).shape == bootstrap_errors(nothing, rng=np.random.default_rng(0)).shape == (0,)
    one = fit_davidson(Comparisons.of_counts([[0]]))
    assert one.values.tolist() == [0]
    assert np.isnan(one.win_shares).all()


def test_answers_of_equal_records_are_tied_exactly():
    rows = [(i, (i + 1) % 7, 3, 1, 1) for i in range(7)] + [(i, (i + 2) % 7, 2, 2, 1) for i in range(7)]
    for fit in (fit_bradley_terry, fit_davidson):
        strengths = fit(counts(7, rows))
        assert len(set(strengths.values.tolist())) == 1
        assert len(set(strengths.win_shares.tolist())) == 1


def test_anchors_draw_strengths():
    compared = counts(3, [(0, 1, 2, 1), (1, 2, 2, 1), (2, 0, 2, 1)])
    centre = np.array([3.0, 1.0, -1.0])
    strong, weak = fit_anchored(compared, centre, 1e4), fit_anchored(compared, centre, 1e-6)
    # The mean of the centre, 1, is taken off.
    assert strong.values == pytest.approx([2, 0, -2], abs=1e-3)
    assert weak.values == pytest.approx([0, 0, 0], abs=1e-4)
    between = fit_anchored(compared, centre, 0.3).values
    assert 0 < between[0] < 2
    assert between.sum() == pytest.approx(0, abs=1e-9)
    for wrong in ([1.0, 2.0], [1.0, 2.0, math.nan]):
        with pytest.raises(ValueError, match="one finite number an answer"):
            fit_anchored(compared, wrong, 1.0)
    with pytest.raises(ValueError, match="above 0"):
        fit_anchored(compared, centre, 0.0)
    for wrong in (-1, math.nan, math.inf, 1e-7, 1e5):
        with pytest.raises(ValueError, match="0, or from 1e-06 to 10000"):
            fit_davidson(compared, ridge=wrong)


def test_the_penalised_maximum_has_no_slope():
    # Derivatives by differences of the penalised likelihood, written out from the model's definition.
    rows = [(0, 1, 4, 1, 2), (0, 2, 3, 0, 1), (1, 2, 2, 1, 1), (0, 3, 1, 0, 0)]
    centre, strength = np.array([0.5, 0.2, -0.3, -0.4]), 0.7
    fitted = fit_anchored(counts(4, rows), centre, strength)

    def penalised(strengths, nu):
        total = -strength * ((strengths - centre) ** 2).sum()
        for i, j, won, lost, tied in rows:
            worth = np.exp(strengths[i]), np.exp(strengths[j])
            tie = nu * math.sqrt(worth[0] * worth[1])
            whole = sum(worth) + tie
            total += won * math.log(worth[0] / whole) + lost * math.log(worth[1] / whole)
            total += tied * math.log(tie / whole)
        return total

    nu, h = fitted.nu[0], 1e-5
    for place in range(4):
        step = h * np.eye(4)[place]
        slope = (penalised(fitted.values + step, nu) - penalised(fitted.values - step, nu)) / (2 * h)
        assert slope == pytest.approx(0, abs=1e-8)
    assert (penalised(fitted.values, nu + h) - penalised(fitted.values, nu - h)) / (2 * h) == pytest.approx(0, abs=1e-8)
    apart = strength * ((fitted.values - centre) ** 2).sum()
    assert fitted.log_likelihood[0] == pytest.approx(penalised(fitted.values, nu) + apart)


def test_bootstrap_errors_are_near_the_informations():
    rng = np.random.default_rng(5)
    truth = np.linspace(1, -1, 24)
    won = rng.random((24, 24)) < 1 / (1 + np.exp(truth - truth[:, None]))
    wins = np.triu(won, 1) + np.tril(~won.T, -1)
    strengths = fit_bradley_terry(Comparisons.of_counts(wins))
    assert not strengths.separations
    by_weights = bootstrap_errors(strengths, rng=np.random.default_rng(1), resamples=300)
    assert np.mean(by_weights / standard_errors(strengths)) == pytest.approx(1, abs=0.1)
    assert (bootstrap_errors(strengths, rng=np.random.default_rng(1), resamples=300) == by_weights).all()


def test_tables_of_counts_are_checked():
    for wins, ties in (([[0, 1]], None), ([[0, -1], [0, 0]], None), ([[0, 1], [1, 0]], [[0, 1], [2, 0]])):
        with pytest.raises(ValueError, match="wins and ties are"):
            Comparisons.of_counts(wins, ties)
