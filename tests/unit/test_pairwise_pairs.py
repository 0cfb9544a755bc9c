"""Both orders of a pair make one comparison, and what the place did is reported."""

import json
from dataclasses import asdict
from math import comb
from pathlib import Path

import numpy as np
import pytest

from aeollm.aggregation.pairwise import comparisons_of, pairs_of, position_bias
from aeollm.errors import JudgmentsError
from aeollm.files import read_judgments
from aeollm.tables.judgments import Judgments

CASE = Path(__file__).resolve().parents[1] / "cases" / "dev" / "C36"
EXPECTED = json.loads((CASE / "expected.json").read_text())["checks"][0]
WINNERS = {"first": "left", "second": "right", "tie": "tie", "unparsed": None}


def judgments_of_case():
    lines = (CASE / "verdicts.csv").read_text().splitlines()[1:]
    rows = [line.split(",") for line in lines]
    return Judgments.of([(q, "insight", left, right, WINNERS[verdict]) for q, left, right, verdict in rows])


def test_case_c36_as_read():
    pairs, read = pairs_of(judgments_of_case()), pairs_of(read_judgments(CASE / "verdicts.csv"))
    assert (read.questions, read.first, read.second) == (pairs.questions, pairs.first, pairs.second)
    assert read.counts.tolist() == pairs.counts.tolist()


def bias_of(judgments, **choices):
    return position_bias(pairs_of(judgments), rng=np.random.default_rng(0), **choices)


def outcome_of(row, pairs):
    """Say a pair's outcome in the words of the case."""
    won, tied, lost = pairs.outcomes[row].tolist()
    names = pairs.first[row], pairs.second[row]
    if np.isnan(won):
        return None
    if 1.0 in (won, tied, lost):
        return {won: names[0], tied: "tie", lost: names[1]}[1.0]
    return {names[0]: won + tied / 2, names[1]: lost + tied / 2}


@pytest.mark.parametrize("expected", EXPECTED["pairs"], ids=lambda expected: "-".join(expected["pair"]))
def test_case_c36_pairs(expected):
    pairs = pairs_of(judgments_of_case())
    key = (expected["questionId"], *expected["pair"])
    row = [*zip(pairs.questions, pairs.first, pairs.second, strict=True)].index(key)
    allowed = expected["result_any_of"] if "result_any_of" in expected else [expected["result"]]
    assert outcome_of(row, pairs) in allowed
    assert pairs.reason(row) == expected.get("reason")
    if "consistent" in expected:
        assert pairs.consistent[row] == expected["consistent"]
    assert bool(pairs.flips[row]) == expected.get("flip", False)


def test_case_c36_summary():
    bias = bias_of(judgments_of_case())
    assert len(bias) == 1
    found, summary = bias[0], EXPECTED["summary"]
    assert (found.complete, found.incomplete) == (summary["complete_pairs"], summary["incomplete_pairs"])
    assert found.consistent == (summary["consistent_pairs"], summary["complete_pairs"])
    assert found.flips == (summary["flips"], summary["complete_pairs"])
    assert list(found.first_share) == summary["first_place_share_complete"]
    assert list(found.first_share_all) == summary["first_place_share_all"]
    assert (found.questions, found.unread) == (2, 1)
    # By hand: 01-03 was won by the place shown first twice; 02-03 by the second once beside a tie.
    assert found.leaning_first == (1, 2)
    assert found.p_pairs == found.p_questions == 1.0
    assert found.first_share_interval.low <= 5 / 9 <= found.first_share_interval.high


def test_case_c36_must_not():
    for orders in ("both", "agreeing"):
        comparisons = comparisons_of(judgments_of_case(), orders=orders)
        pairs = {
            (comparisons.questions[group], *(comparisons.answers[group][place] for place in places)): outcome
            for group, *places, outcome in zip(
                comparisons.group.tolist(),
                comparisons.first.tolist(),
                comparisons.second.tolist(),
                comparisons.outcomes.tolist(),
                strict=True,
            )
        }
        assert ("1", "Doc_03", "Doc_04") not in pairs
        assert pairs.get(("1", "Doc_01", "Doc_03"), [0, 1, 0]) == [0, 1, 0]
        # Two orders are one comparison.
        assert {sum(outcome) for outcome in pairs.values()} == {1.0}
        assert len(pairs) == {"both": 6, "agreeing": 4}[orders]
        assert comparisons.problems[0].kind == "one_order"
        assert "2 of 8" in comparisons.problems[0].message


def test_one_order_counts_only_where_asked():
    comparisons = comparisons_of(judgments_of_case(), orders="any")
    assert len(comparisons.group) == 8
    assert comparisons.outcomes.sum() == 8
    with pytest.raises(ValueError, match="one of both, agreeing, any"):
        comparisons_of(judgments_of_case(), orders="all")


def test_several_replies_to_one_presentation_are_averaged():
    row = ("1", "insight", "a", "b")
    replies = [(*row, "left"), (*row, "left"), (*row, "right"), ("1", "insight", "b", "a", "right")]
    pairs = pairs_of(Judgments.of(replies))
    # a wins 2/3 in one order and 1 in the other: 5/6 to 1/6, of which 1/6 each way cancel to a tie.
    assert pairs.outcomes[0] == pytest.approx([4 / 6, 2 / 6, 0])
    assert pairs.consistent[0]
    contradictory = pairs_of(Judgments.of([(*row, "left"), (*row, "right"), ("1", "insight", "b", "a", "tie")]))
    assert contradictory.outcomes[0].tolist() == [0, 1, 0]
    told = comparisons_of(Judgments.of(replies)).problems
    assert [problem.kind for problem in told] == ["contradictory"]
    assert told[0].message.startswith("1 presentations")


def test_judges_are_comparisons_of_their_own():
    rows = [("1", "i", "a", "b", "left"), ("1", "i", "b", "a", "right"), ("1", "i", "a", "b", "right")]
    rows.append(("1", "i", "b", "a", "left"))
    plain = Judgments.of(rows)
    judged = Judgments(
        plain.name, "", plain.questions, plain.dimensions, plain.left, plain.right, plain.winners, plain.lines,
        judges=("one", "one", "two", "two"),
    )  # fmt: skip
    assert comparisons_of(judged).outcomes.tolist() == [[1, 0, 1]]
    assert comparisons_of(plain).outcomes.tolist() == [[0, 1, 0]]
    bias = bias_of(judged)
    assert [(part.judge, part.dimension) for part in bias] == [(None, None), ("one", "i"), ("two", "i")]
    assert [part.consistent for part in bias] == [(2, 2), (1, 1), (1, 1)]


def biased(flips_first, flips_second, questions):
    rows = []
    for number in range(flips_first + flips_second):
        place, question = ("left", "right")[number >= flips_first], str(number % questions)
        names = f"a{number}", f"b{number}"
        rows += [(question, "i", *names, place), (question, "i", *names[::-1], place)]
    return Judgments.of(rows)


def test_tests_are_exact():
    found = bias_of(biased(9, 1, 10))[0]
    # Sign test, by hand: two tails of 1 or fewer out of ten.
    p = 2 * (comb(10, 0) + comb(10, 1)) / 2**10
    assert found.p_pairs == pytest.approx(p)
    # One pair a question: changing questions' signs is the same test.
    assert found.p_questions == pytest.approx(p)
    assert found.leaning_first == (9, 10)
    # Clopper and Pearson for 9 of 10, 95 %: published tables give .555 to .998.
    assert tuple(found.leaning_interval) == pytest.approx((0.555, 0.9975), abs=5e-4)


def test_questions_are_the_unit_of_the_second_test():
    found = bias_of(biased(12, 0, 2))[0]
    assert found.p_pairs == pytest.approx(2 / 2**12)
    # Two questions of +6: sums of 12 and -12 out of four.
    assert found.p_questions == pytest.approx(0.5)


def test_many_questions_and_judges_are_told_in_one():
    # 1,200 questions lean first, 1,000 second: z = 200 / sqrt(2200) = 4.264, two-sided 2.01e-5 in a normal table.
    found = bias_of(biased(1_200, 1_000, 2_200), resamples=20)[0]
    assert found.p_questions == pytest.approx(2.01e-5, rel=5e-3)
    assert found.p_pairs == pytest.approx(found.p_questions, rel=0.1)
    rows = [("1", f"d{n}", "a", "b", "left") for n in range(120)]
    assert len(bias_of(Judgments.of(rows))) == 1
    assert len(bias_of(Judgments.of(rows[:100]))) == 101


def test_nothing_to_tell_is_undefined():
    found = bias_of(Judgments.of([]))[0]
    assert found.p_pairs is found.p_questions is found.flips.share is found.first_share.share is None
    assert tuple(found.first_share_interval) == tuple(found.leaning_interval) == (None, None)
    json.dumps(asdict(found), allow_nan=False)
    one = bias_of(biased(1, 0, 1))[0]
    assert tuple(one.first_share_interval) == (None, None)
    ties = bias_of(Judgments.of([("1", "i", "a", "b", "tie"), ("1", "i", "b", "a", "tie")]))[0]
    assert ties.p_pairs is None
    assert ties.consistent == (1, 1)


def test_an_answer_is_not_compared_with_itself():
    with pytest.raises(ValueError, match="itself"):
        pairs_of(Judgments.of([("1", "i", "a", "a", "left")]))


def test_too_many_answers_are_refused():
    with pytest.raises(JudgmentsError, match="At most 500"):
        comparisons_of(Judgments.of([("1", "i", "0", str(other), "left") for other in range(1, 502)]))
    # Fifty times 500 answers: each may be, all together are too much.
    many = [(str(q), "i", "0", str(other), "left") for q in range(50) for other in range(1, 500)]
    with pytest.raises(JudgmentsError, match="50 questions and dimensions with up to 500 answers each"):
        comparisons_of(Judgments.of(many))
