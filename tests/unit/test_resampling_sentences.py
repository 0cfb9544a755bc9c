"""One sentence a pair, in every case that a reader can meet."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest

from aeollm.resampling import compare_runs, pair_sentence
from aeollm.tables import Plan
from tests.scored import scores

NAN = math.nan
A = [0.7, 0.9, 0.6, 0.5, 0.8, 0.9, 0.5]
B = [0.6, 0.7, 0.5, 0.6, 0.6, 0.6, 0.5]


def compared(*rows, names="ABCDE", **choices):
    found = [scores(row, views=("overall", "insight")) for row in rows]
    return compare_runs(found, list(names[: len(rows)]), Plan(resamples=200, **choices))


def sentence(*rows, pair=("A", "B"), **choices):
    return pair_sentence(compared(*rows, **choices), pair)


def test_what_could_be_chance_says_how_many_questions_would_tell():
    comparison = compared(A, B)
    needed = int(comparison.pairs.questions_needed[0, 0, 2])
    assert needed > 7
    assert pair_sentence(comparison, ("A", "B")) == (
        "A is ahead of B by .114 accuracy; with 7 questions this could be chance (p = .13); "
        f"about {needed} questions would give an 80 % chance to show it, if the true difference is this large."
    )


def test_the_one_ahead_comes_first_whatever_the_order():
    assert sentence(A, B, pair=("B", "A")) == sentence(A, B)
    assert sentence(B, A).startswith("B is ahead of A by .114 accuracy; ")


def test_views_and_measures_are_named():
    comparison = compared(A, B)
    assert " by .114 Kendall's tau in insight; " in pair_sentence(comparison, ("A", "B"), "insight", "kendall")
    assert " by .114 Spearman's rho; " in pair_sentence(comparison, ("A", "B"), measure="spearman")


def test_more_than_chance():
    rows = [np.linspace(0.8, 0.9, 20), np.linspace(0.6, 0.8, 20)]
    assert sentence(*rows) == ("A is ahead of B by .150 accuracy; with 20 questions this is hardly chance (p < .001).")


def test_corrected_for_a_family():
    rows = [A, B, [0.65, 0.8, 0.55, 0.55, 0.7, 0.8, 0.5]]
    said = sentence(*rows, correction="holm")
    assert "this could be chance (p = .13; p = .38 adjusted for all 3 pairs)" in said
    assert "about " in said
    assert " questions would give a test of this pair alone an 80 % chance to show it" in said
    assert "adjusted" not in sentence(*rows, correction="none")


def test_a_family_in_which_nothing_can_be_significant():
    rows = np.array([0.9, 0.7, 0.5, 0.3, 0.1])[:, None] + np.linspace(0, 0.05, 6) * np.arange(5)[:, None]
    assert "as could any difference among so many pairs (the smallest adjusted p is .31)" in sentence(
        *rows, correction="holm"
    )


def test_too_few_questions_for_any_difference():
    assert sentence([0.9, 0.8, 0.9], [0.1, 0.2, 0.3]) == (
        "A is ahead of B by .667 accuracy; 3 questions cannot show any difference to be more than chance "
        "(the smallest p is .25)."
    )
    assert "one question cannot show" in sentence([0.9], [0.1])


def test_no_difference():
    assert sentence(A, A) == "A and B have the same accuracy on all 7 questions."
    assert sentence([0.5], [0.5]) == "A and B have the same accuracy on one question."
    # Binary fractions, so that the means are equal to the last digit.
    rows = [0.5, 0.75, 0.5, 0.25], [0.25, 0.5, 0.75, 0.5]
    assert sentence(*rows) == "A and B have the same mean accuracy over 4 questions, ahead on 2 and 2 of them."
    rows = [0.5, 0.75, 0.5], [0.25, 0.5, 1.0]
    assert sentence(*rows) == "A and B have the same mean accuracy over 3 questions, ahead on 2 and 1 of them."
    assert sentence(*rows, pair=("B", "A")).endswith(
        "B and A have the same mean accuracy over 3 questions, ahead on 1 and 2 of them."
    )


def test_nothing_in_common():
    assert sentence([0.5, NAN], [NAN, 0.5]) == "No question has accuracy defined for both A and B."


def test_questions_left_out_are_named():
    said = sentence([*A, 0.9, NAN], [*B, NAN, 0.1])
    # Means .725 and .525.
    assert said.endswith(
        " 2 of 9 questions are left out, undefined for one of them; the runs' own means differ by .200."
    )
    # The other way round on the seven, 4.1 / 7 - 5 / 8 in the means.
    said = sentence([*B, NAN], [*A, 0.1])
    assert said.endswith(
        " 1 of 8 questions is left out, undefined for one of them; the runs' own means differ by -.039."
    )
    assert sentence([*A, NAN], [*B, NAN]).endswith(" 1 of 8 questions is left out, undefined for one of them.")


def test_a_tiny_difference_is_not_said_to_be_zero():
    said = sentence([0.5, 0.6, 0.7, 0.5, 0.4, 0.5001], [0.6, 0.5, 0.5, 0.7, 0.4, 0.5])
    assert " by less than .001 accuracy; " in said


def test_no_adjusted_p_is_said():
    rows = [[*A, NAN], [NAN, *A], [*B[:1], *[NAN] * 7]]
    assert "none adjusted for all 2 pairs" in sentence(*rows)


@pytest.mark.parametrize(
    ("power", "words"), [(0.8, "an 80 % chance"), (0.9, "a 90 % chance"), (0.11, "an 11 % chance")]
)
def test_the_power_asked_for_is_named(power, words):
    rows = [0.5, 0.6, 0.7, 0.5, 0.4, 0.51], [0.6, 0.5, 0.5, 0.7, 0.4, 0.5]
    assert words in sentence(*rows, power=power)


def test_names_show_no_control_characters():
    comparison = compared(A, B, names=["A\x1b[31m", "B\u202e"])
    said = pair_sentence(comparison, ("A\x1b[31m", "B\u202e"))
    assert re.search(r"^A\\x1b\[31m is ahead of B\\u202e by", said)


def test_unknown_pairs_are_refused():
    for pair in (("A", "Z"), ("A", "A")):
        with pytest.raises(ValueError, match=r"not in tuple|x not in"):
            pair_sentence(compared(A, B), pair)


def test_p_is_written_without_a_false_zero_or_one():
    comparison = compared(A, B)

    def told(p):
        pairs = replace(comparison.pairs, p=np.full((1, 2, 3), p), p_adjusted=np.full((1, 2, 3), 0.5))
        return re.search(r"\((p .*?)\)", pair_sentence(replace(comparison, pairs=pairs), ("A", "B")))[1]

    written = {1.0: "p = 1", 0.997: "p = .99", 0.0421: "p = .042", 0.00123: "p = .0012", 0.0009: "p < .001"}
    assert {p: told(p) for p in written} == written
