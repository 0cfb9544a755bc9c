"""Criterion scores, orders, several judges and ties, by hand and by property."""

from dataclasses import replace
from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from aeollm.aggregation.criteria import dimension_scores
from aeollm.aggregation.judges import combine_judges
from aeollm.aggregation.orders import order_effects
from aeollm.aggregation.ties import break_ties
from aeollm.decimals import parse_decimal
from aeollm.errors import JudgmentsError
from aeollm.files import read_criterion_scores, read_run
from aeollm.tables import AnswerScores, Criterion, Rubrics, write_run


def rubrics_of(weights, question="1", dimension="insight", share="1"):
    criteria = [Criterion(f"c{n}", "", parse_decimal(weight)) for n, weight in enumerate(weights, 1)]
    return Rubrics("", {question: {dimension: parse_decimal(share)}}, {question: ""}, {question: {dimension: criteria}})


def criteria_of(*rows, header="questionId,answerId,dimension,criterion,score,order,repeat,judge"):
    return read_criterion_scores("\n".join([header, *rows]).encode())


def table_of(scores, dimensions=("insight",), question="1", name="t"):
    values = np.empty((len(scores), len(dimensions)), dtype=object)
    for row, own in enumerate(scores.values()):
        values[row] = [None if value is None else F(value) for value in own]
    return AnswerScores(name, tuple((question, answer) for answer in scores), dimensions, values)


SHORT = "questionId,answerId,dimension,criterion,score"


def test_a_dimension_is_the_weighted_mean_of_its_criteria():
    # (.3 x 7 + .5 x 8 + .2 x 4) / 1 = 6.9; by text, by number, and by text in another case alike.
    scores = criteria_of("1,a,insight,c1,7", "1,a,insight,2,8", "1,a,insight,C3,4", header=SHORT)
    found = dimension_scores(scores, rubrics_of(["0.3", "0.5", "0.2"]))
    assert found.values.tolist() == [[F("6.9")]]


def test_a_missing_criterion_under_each_policy():
    scores = criteria_of("1,a,insight,1,7", "1,a,insight,2,8", "1,b,insight,1,5", header=SHORT)
    rubrics = rubrics_of(["0.3", "0.7"])
    renormalised = dimension_scores(scores, rubrics)
    assert renormalised.values.tolist() == [[F("7.7")], [5]]
    assert [problem.kind for problem in renormalised.problems] == ["missing_criterion"]
    undefined = dimension_scores(scores, rubrics, missing="undefined")
    assert undefined.values.tolist() == [[F("7.7")], [None]]
    run = undefined.to_run()
    assert run.answers == ("a",)
    assert run.problems[-1].kind == "undefined_score"
    with pytest.raises(JudgmentsError, match="answer b lacks criterion 2"):
        dimension_scores(scores, rubrics, missing="refuse")


def test_thirds_are_written_half_even_to_twelve_digits():
    scores = criteria_of(*(f"1,a,insight,{n},{v}" for n, v in ((1, 7), (2, 7), (3, 8))), header=SHORT)
    run = dimension_scores(scores, rubrics_of(["1", "1", "1"])).to_run()
    assert write_run(run).splitlines()[1].split("\t")[3] == "7.333333333333"


def test_equal_weighted_totals_stay_equal_whatever_float64_does():
    # .1 x 1 + .2 x 1 + .7 x 0 = .3 = .1 x 0 + .2 x 0 + .7 x 3/7 ... in decimals: .1 x 3 + .7 x 0 = .3 too,
    # while 0.1 + 0.2 != 0.3 in float64.
    rows = ["1,a,insight,1,1", "1,a,insight,2,1", "1,a,insight,3,0", "1,b,insight,1,3", "1,b,insight,2,0"]
    found = dimension_scores(criteria_of(*rows, "1,b,insight,3,0", header=SHORT), rubrics_of(["0.1", "0.2", "0.7"]))
    assert found.values[0, 0] == found.values[1, 0] == F("0.3")


def test_repeats_judges_and_orders_are_averaged_in_this_order():
    scores = criteria_of(
        "1,a,insight,1,6,original,1,x", "1,a,insight,1,8,original,2,x", "1,a,insight,1,9,original,1,y",
        "1,a,insight,1,4,reversed,1,x",
    )  # fmt: skip
    rubrics = rubrics_of(["1"])
    # In original order the judges' mean of (6 + 8) / 2 and 9, which is 8; in reversed order 4.
    assert dimension_scores(scores, rubrics).values.tolist() == [[6]]
    assert dimension_scores(scores, rubrics, orders="original").values.tolist() == [[8]]
    assert dimension_scores(scores, rubrics, orders="reversed").values.tolist() == [[4]]


def test_unknown_questions_dimensions_and_criteria_are_all_named():
    scores = criteria_of("1,a,insight,zzz,6", "1,a,beauty,1,6", "2,a,insight,1,6", "1,a,insight,3,6", header=SHORT)
    with pytest.raises(JudgmentsError) as error:
        dimension_scores(scores, rubrics_of(["0.5", "0.5"]))
    assert [(problem.kind, problem.line) for problem in error.value.problems] == [
        ("unknown_criterion", 2),
        ("unknown_dimension", 3),
        ("missing_rubric", 4),
        ("unknown_criterion", 5),
    ]


def test_without_rubrics_the_criteria_of_the_file_weigh_alike():
    scores = criteria_of("1,a,insight,x,6", "1,a,insight,y,7", "1,b,insight,y,7", header=SHORT)
    assert dimension_scores(scores, None).values.tolist() == [[F("6.5")], [7]]


def test_order_effect_against_repeat_noise_by_hand():
    # One answer: original 6, 8 (mean 7), reversed 3, 5 (mean 4). Within: 2 + 2 over 2 degrees = 2.
    # Between: 2 x 1.5^2 x 2 = 9 over 1; n0 = 2; order = (9 - 2) / 2 = 3.5; F = 4.5; shift = -3.
    rows = [f"1,a,insight,c,{v},{o},{r}," for v, o, r in ((6, "original", 1), (8, "original", 2), (3, "reversed", 1))]
    dimension, criterion = order_effects(criteria_of(*rows, "1,a,insight,c,5,reversed,2,"))
    assert (criterion.order, criterion.repeat, criterion.f, criterion.shift) == (3.5, 2.0, 4.5, -3.0)
    assert (criterion.both, criterion.degrees, criterion.criterion) == (None, (1, 2), "c")
    assert (dimension.order, dimension.criterion, dimension.question) == (3.5, None, None)


def test_order_components_equal_those_of_an_anova():
    # scipy's one-way F of a single answer is the ratio of the same mean squares.
    rng = np.random.default_rng(3)
    one, other = rng.integers(0, 11, (2, 5)).tolist()
    rows = [f"1,a,insight,c,{v},original,{r}," for r, v in enumerate(one)]
    rows += [f"1,a,insight,c,{v},reversed,{r}," for r, v in enumerate(other)]
    assert order_effects(criteria_of(*rows))[0].f == pytest.approx(stats.f_oneway(one, other).statistic, rel=1e-12)


def test_without_repeats_order_and_noise_cannot_be_told_apart():
    effect = order_effects(criteria_of("1,a,insight,c,6,original,,", "1,a,insight,c,8,reversed,,"))[0]
    # The variance of 6 and 8.
    assert (effect.both, effect.order, effect.repeat) == (2.0, None, None)


def test_the_order_variance_of_a_simulation_is_recovered():
    # Order sd 1.5, repeat sd .5, drawn 600 times; three standard errors of a variance with 600 and 1,200 degrees.
    rng = np.random.default_rng(0)
    shifts, noise = rng.normal(0, 1.5, (600, 2)), rng.normal(0, 0.5, (600, 2, 2))
    rows = [
        f"1,a{answer},insight,c,{50 + shifts[answer, o] + noise[answer, o, r]:.4f},{order},{r},"
        for answer in range(600)
        for o, order in enumerate(("original", "reversed"))
        for r in range(2)
    ]
    effect = order_effects(criteria_of(*rows))[0]
    assert effect.order == pytest.approx(2.25, rel=0.18)
    assert effect.repeat == pytest.approx(0.25, rel=0.12)


ONE = table_of({"a": [2], "b": [4], "c": [9]})
TWO = table_of({"a": [1], "b": [1], "c": [4]})


def test_the_mean_of_judges_is_exact_and_weighted():
    assert combine_judges([ONE, TWO]).values.tolist() == [[F(3, 2)], [F(5, 2)], [F(13, 2)]]
    assert combine_judges([ONE, TWO], weights=[F(3), F(1)]).values.tolist() == [[F(7, 4)], [F(13, 4)], [F(31, 4)]]


def test_borda_is_ten_times_the_share_of_others_below():
    # ONE: 0, 1/2, 1 of the others; TWO: a and b tie, half of one other each.
    assert combine_judges([ONE, TWO], "borda").values.tolist() == [[F(10, 8)], [F(30, 8)], [10]]


def test_z_scores_equal_scipys_and_come_back_on_the_judges_scale():
    one, two = np.array([2.0, 4, 9]), np.array([1.0, 1, 4])
    z = (stats.zscore(one) + stats.zscore(two)) / 2
    expected = (one.mean() + two.mean()) / 2 + z * (one.std() + two.std()) / 2
    assert combine_judges([ONE, TWO], "z").floats[:, 0] == pytest.approx(expected, abs=1e-9)


def test_a_judge_of_one_score_for_all_says_nothing_in_z_scores():
    flat = table_of({"a": [7], "b": [7], "c": [7]})
    order = np.argsort(combine_judges([ONE, flat], "z").floats[:, 0])
    assert order.tolist() == [0, 1, 2]


def test_the_median_is_of_three_judges_the_middle_and_of_two_the_mean():
    three = table_of({"a": [8], "b": [0], "c": [5]})
    assert combine_judges([ONE, TWO, three], "median").values.tolist() == [[2], [1], [5]]
    assert combine_judges([ONE, TWO], "median").values.tolist() == [[F(3, 2)], [F(5, 2)], [F(13, 2)]]
    assert combine_judges([ONE, TWO], "median", weights=[F(2), F(1)]).values.tolist() == [[2], [4], [9]]


def test_scores_missing_in_a_judge_under_each_policy():
    fewer = table_of({"a": [1], "c": [4]})
    with pytest.raises(JudgmentsError, match="answer b"):
        combine_judges([ONE, fewer])
    assert combine_judges([ONE, fewer], missing="renormalise").values.tolist() == [[F(3, 2)], [4], [F(13, 2)]]
    assert combine_judges([ONE, fewer], missing="undefined").values.tolist() == [[F(3, 2)], [None], [F(13, 2)]]


@pytest.mark.parametrize("weights", [[F(1)], [F(0), F(0)], [F(1), F(-1)]])
def test_weights_that_fit_no_judges_are_refused(weights):
    with pytest.raises(JudgmentsError, match="Give one weight a judge"):
        combine_judges([ONE, TWO], weights=weights)


def test_ties_are_broken_by_the_secondary_and_counted():
    primary = table_of({"a": [7], "b": [7], "c": [8], "d": [7], "e": [8]})
    secondary = table_of({"a": [3], "b": [1], "c": [0], "d": [3], "e": [None]})
    found, (overall, insight) = break_ties(primary, secondary)
    a, b, c, d, e = found.floats[:, 0].tolist()
    assert b < a == d < c == e == 8
    # a, b, d tie in three pairs, of which the secondary ties one; it does not know e.
    assert (insight.before, insight.after, insight.broken, insight.undecided, insight.unknown) == (4, 2, 2, 1, 1)
    assert (overall.before, overall.after) == (4, 2)


def test_scores_at_the_ends_of_the_range_do_not_leave_it():
    primary = table_of({"a": [10], "b": [10], "c": [0], "d": [0]})
    secondary = table_of({"a": [1], "b": [2], "c": [1], "d": [2]})
    numbers = break_ties(primary, secondary)[0].floats
    assert numbers.min() == 0
    assert numbers.max() == 10
    assert numbers[1] > numbers[0] > numbers[3] > numbers[2]


def _order(values):
    return [(a > b) - (a < b) for a in values for b in values]


_SCORE = st.sampled_from([F(7), F(7), F(8), F("7.5"), F("7.333333333333"), F(22, 3), F(0), F(10)])
_WEIGHT = st.sampled_from(["0.3", "0.36", "0.2", "0.14", "0", "1"])


@given(st.data())
def test_breaking_ties_never_changes_the_order_of_untied_answers(data):
    names = ("insight", "readability")
    answers = [f"d{n}" for n in range(data.draw(st.integers(2, 6)))]
    first, second = ({answer: [data.draw(_SCORE), data.draw(_SCORE)] for answer in answers} for _ in range(2))
    weights = {name: parse_decimal(data.draw(_WEIGHT)) for name in names}
    rubrics = data.draw(st.sampled_from([None, Rubrics("", {"1": weights}, {}, {})]))
    primary = table_of(first, names).rounded()
    found, _ = break_ties(primary, table_of(second, names), rubrics)
    again = read_run(write_run(found.to_run()).encode())
    assert AnswerScores.of_run(again).values.tolist() == found.values.tolist()
    shares = [1, 1] if rubrics is None else [F(weight.units) * F(10) ** weight.exponent for weight in weights.values()]
    for d in range(2):
        before, after = _order(primary.values[:, d]), _order(found.values[:, d])
        secondary = _order([first_second[d] for first_second in second.values()])
        assert all(new == (old or other) for old, new, other in zip(before, after, secondary, strict=True))
    totals = [[sum(s * v for s, v in zip(shares, row, strict=True)) for row in t.values] for t in (primary, found)]
    assert all(old in (new, 0) for old, new in zip(*map(_order, totals), strict=True))


@given(st.permutations(["a", "b", "c"]), st.sampled_from(["mean", "z", "borda", "median"]))
def test_judges_answers_and_names_may_come_in_any_order(order, by):
    one, two = (table.in_order([("1", answer) for answer in order], ("insight",)) for table in (ONE, TWO))
    found = combine_judges([two, one], by).in_order(ONE.keys, ("insight",))
    assert found.values.tolist() == combine_judges([ONE, TWO], by).values.tolist()


def test_a_run_is_written_the_same_way_every_time_and_read_back():
    table = replace(table_of({"a": [F(2, 3)], "b": [F("7.50")]}), dimensions=("insight",))
    text = write_run(table.to_run())
    assert text == "taskId\tquestionId\tanswerId\tinsight_score\n0\t1\ta\t0.666666666667\n0\t1\tb\t7.5\n"
    assert read_run(text.encode()).digest == table.to_run().digest


@given(st.randoms(use_true_random=False), st.permutations(["a", "b", "c"]))
def test_criterion_scores_do_not_depend_on_the_order_of_rows_or_on_names(random, names):
    rows = [
        (answer, n, order, random.randint(0, 10))
        for answer in "abc"
        for n in (1, 2)
        for order in ("original", "reversed")
    ]
    rubrics = rubrics_of(["0.3", "0.7"])
    renamed = dict(zip("abc", names, strict=True))

    def scored(listed, called):
        lines = [f"1,{called[answer]},insight,{n},{score},{order},," for answer, n, order, score in listed]
        return dimension_scores(criteria_of(*lines), rubrics)

    found = scored(rows, {answer: answer for answer in "abc"})
    shuffled = list(rows)
    random.shuffle(shuffled)
    other = scored(shuffled, renamed)
    assert all(found.get(("1", a), "insight") == other.get(("1", renamed[a]), "insight") for a in "abc")
