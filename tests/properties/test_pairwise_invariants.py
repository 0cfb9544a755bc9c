"""What holds for any judgments: names, sides, repetition and order of rows do not matter; strengths are recovered."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeollm.aggregation.pairwise import (
    bootstrap_errors,
    comparisons_of,
    copeland_scores,
    fit_bradley_terry,
    fit_davidson,
    pairs_of,
    position_bias,
    scores_of_strengths,
    separations,
    standard_errors,
    win_rates,
)
from aeollm.tables.judgments import WINNERS, Judgments

ANSWERS = "abcde"
FITS = [fit_bradley_terry, fit_davidson]
PAIR = st.tuples(st.sampled_from(ANSWERS), st.sampled_from(ANSWERS)).filter(lambda pair: pair[0] != pair[1])
REPLY = st.tuples(st.sampled_from("12"), st.just("insight"), PAIR, st.sampled_from([*WINNERS, None]))
REPLIES = st.lists(REPLY.map(lambda reply: (*reply[:2], *reply[2], reply[3])), max_size=40)
ORDERS = st.sampled_from(["both", "agreeing", "any"])


def fitted(rows, orders, fit=fit_davidson, ridge=0.2):
    """Give strengths by (question, answer)."""
    strengths = fit(comparisons_of(Judgments.of(rows), orders=orders), ridge=ridge)
    places = strengths.comparisons.places()
    return {(q, answer): value for q, d in places for answer, value in strengths.of(q, d).items()}


@pytest.mark.parametrize("fit", FITS)
@given(rows=REPLIES, orders=ORDERS)
def test_any_judgments_have_ridged_strengths(fit, rows, orders):
    comparisons = comparisons_of(Judgments.of(rows), orders=orders)
    strengths = fit(comparisons, ridge=0.1)
    assert np.isfinite(strengths.values).all()
    sums = np.bincount(comparisons.of_answer, weights=strengths.values, minlength=len(comparisons))
    assert sums == pytest.approx(np.zeros(len(comparisons)), abs=1e-8)
    assert np.isfinite(standard_errors(strengths)).all()
    assert ((strengths.win_shares >= 0) & (strengths.win_shares <= 1)).all()
    assert scores_of_strengths(strengths).missing == 0
    for counted in (win_rates(comparisons), copeland_scores(comparisons)):
        assert np.nan_to_num(counted, nan=0.5) == pytest.approx(np.nan_to_num(counted, nan=0.5).clip(0, 1))


@pytest.mark.parametrize("fit", FITS)
@given(rows=REPLIES, orders=ORDERS)
def test_there_are_strengths_exactly_where_no_separation_is_named(fit, rows, orders):
    comparisons = comparisons_of(Judgments.of(rows), orders=orders)
    strengths = fit(comparisons)
    found = separations(comparisons, ties=fit is fit_davidson)
    for group in range(len(comparisons)):
        own = strengths.values[comparisons.starts[group] : comparisons.starts[group + 1]]
        assert np.isnan(own).all() == (group in found)
        assert group not in found or found[group].sentence
    # The weakest ridge stays near the maximum where there is one, and runs off where there is none.
    loose = fit(comparisons, ridge=1e-6)
    for group in range(len(comparisons)):
        place = slice(comparisons.starts[group], comparisons.starts[group + 1])
        if group not in found:
            assert loose.values[place] == pytest.approx(strengths.values[place], abs=1e-2)
        elif found[group].undefeated or found[group].winless or found[group].uncontradicted:
            assert np.abs(loose.values[place]).max() > 3


@pytest.mark.parametrize("fit", FITS)
@given(rows=REPLIES, orders=ORDERS, renamed=st.permutations(ANSWERS))
def test_names_do_not_matter(fit, rows, orders, renamed):
    names = dict(zip(ANSWERS, renamed, strict=True))
    one = fitted(rows, orders, fit)
    other = fitted([(q, d, names[left], names[right], winner) for q, d, left, right, winner in rows], orders, fit)
    assert {(q, names[answer]): value for (q, answer), value in one.items()} == pytest.approx(other, abs=1e-9)


@given(rows=REPLIES, orders=ORDERS, random=st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(rows, orders, random):
    shuffled = rows[:]
    random.shuffle(shuffled)
    assert fitted(rows, orders) == pytest.approx(fitted(shuffled, orders), abs=1e-9)


@given(rows=REPLIES, orders=ORDERS)
def test_exchanging_left_and_right_exchanges_the_place_alone(rows, orders):
    sides = {"left": "right", "right": "left"}
    exchanged = [(q, d, right, left, sides.get(winner, winner)) for q, d, left, right, winner in rows]
    assert fitted(rows, orders) == pytest.approx(fitted(exchanged, orders), abs=1e-9)
    one, other = (
        position_bias(pairs_of(Judgments.of(given_rows)), rng=np.random.default_rng(0), resamples=50)[0]
        for given_rows in (rows, exchanged)
    )
    assert (one.consistent, one.flips, one.p_pairs) == (other.consistent, other.flips, other.p_pairs)
    assert one.p_questions == pytest.approx(other.p_questions)
    assert one.first_share.found == other.first_share.of - other.first_share.found
    assert one.leaning_first.found == other.leaning_first.of - other.leaning_first.found


@given(rows=REPLIES, orders=ORDERS)
def test_reversing_every_verdict_reverses_strengths(rows, orders):
    sides = {"left": "right", "right": "left"}
    reversed_rows = [(q, d, left, right, sides.get(winner, winner)) for q, d, left, right, winner in rows]
    turned = {key: -value for key, value in fitted(reversed_rows, orders).items()}
    assert fitted(rows, orders) == pytest.approx(turned, abs=1e-9)


@given(rows=REPLIES, orders=ORDERS)
def test_handing_in_everything_twice_changes_nothing(rows, orders):
    once, twice = (comparisons_of(Judgments.of(given_rows), orders=orders) for given_rows in (rows, rows + rows))
    assert once.outcomes == pytest.approx(twice.outcomes)
    one, other = fit_davidson(once, ridge=0.2), fit_davidson(twice, ridge=0.2)
    assert one.values == pytest.approx(other.values, abs=1e-9)
    assert standard_errors(one) == pytest.approx(standard_errors(other), abs=1e-9)


def test_counting_every_comparison_twice_moves_no_maximum():
    rng = np.random.default_rng(2)
    rows = [("1", "i", i, j, str(rng.choice(["left", "right", "tie"]))) for i in "abcdefg" for j in "abcdefg" if i != j]
    once = comparisons_of(Judgments.of(rows))
    twice = comparisons_of(Judgments.of(rows))
    twice.outcomes[:] *= 2
    one, other = fit_davidson(once), fit_davidson(twice)
    assert not one.separations
    assert one.values == pytest.approx(other.values, abs=1e-9)
    assert one.nu == pytest.approx(other.nu)
    assert standard_errors(one) == pytest.approx(np.sqrt(2) * standard_errors(other))


@pytest.mark.parametrize(("model", "threshold"), [(fit_bradley_terry, 0.0), (fit_davidson, 0.8)])
def test_known_strengths_are_recovered(model, threshold):
    """Errors over 30 simulated questions are as large as the standard errors say."""
    rng = np.random.default_rng(11)
    truth = rng.normal(size=(30, 10))
    truth -= truth.mean(axis=1, keepdims=True)
    rows, judges = [], []
    for q, strengths in enumerate(truth):
        for i in range(10):
            for j in range(i):
                for judge in range(6):
                    worth = np.exp(strengths[[i, j]])
                    weights = np.array([*worth, threshold * np.sqrt(worth.prod())])
                    winner = ("left", "right", "tie")[rng.choice(3, p=weights / weights.sum())]
                    rows.append((str(q), "i", str(i), str(j), winner))
                    judges.append(str(judge))
    plain = Judgments.of(rows)
    columns = (plain.questions, plain.dimensions, plain.left, plain.right, plain.winners, plain.lines)
    fit = model(comparisons_of(Judgments("j", "", *columns, judges=tuple(judges)), orders="any"))
    assert not fit.separations
    values = np.array([[fit.of(str(q), "i")[str(i)] for i in range(10)] for q in range(30)])
    errors = standard_errors(fit)
    scaled = (values - truth).ravel() / np.array(
        [
            errors[fit.comparisons.starts[q] + fit.comparisons.answers[q].index(str(i))]
            for q in range(30)
            for i in range(10)
        ]
    )
    # 300 errors, nine to a question free: standard errors of these two figures are .08 and .013.
    assert np.mean(scaled**2) == pytest.approx(1, abs=0.25)
    assert np.mean(np.abs(scaled) < 1.96) == pytest.approx(0.95, abs=0.04)
    # Errors of that size, beside the spread of the truth, leave this correlation.
    expected = np.sqrt(truth.var() / (truth.var() + np.mean(errors**2)))
    assert np.corrcoef(values.ravel(), truth.ravel())[0, 1] == pytest.approx(expected, abs=0.02)
    if threshold:
        assert np.mean(fit.nu) == pytest.approx(threshold, abs=0.05)


def test_bootstrap_draws_are_the_seeds():
    rng = np.random.default_rng(4)
    rows = [("1", "i", i, j, str(rng.choice(WINNERS))) for i in "abcdef" for j in "abcdef" if i != j]
    strengths = fit_davidson(comparisons_of(Judgments.of(rows)), ridge=0.1)
    one, other = (bootstrap_errors(strengths, rng=np.random.default_rng(seed), resamples=20) for seed in (3, 3))
    assert (one == other).all()
    assert (one > 0).any()
