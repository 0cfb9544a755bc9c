"""Opinions and answers joined; runs and labels joined; what cannot be joined."""

import numpy as np
import pytest

from aeollm import Labels, Run
from aeollm.calibration import POOLED, cases_for, cases_for_run, from_opinions, from_run, grouped_folds
from aeollm.decimals import Decimals
from aeollm.errors import UsageError
from aeollm.tables import Answers, Opinions

NAN = np.nan
OPINIONS = Opinions(
    "o",
    "",
    ("a", "b"),
    ("Q0", "Q8"),
    (4, 3),
    # Text b has no opinion on Q8; a's mass on Q0 is 0.8.
    np.array([[[0.2, 0.2, 0.2, 0.2], [0.5, 0.5, 0.0, NAN]], [[0.0, 0.0, 0.0, 1.0], [NAN] * 4]]),
)
ANSWERS = Answers(
    "p", "", ("b", "c", "a", "a"), ("1", "1", "01", "1"), ("Q8", "Q0", "Q5"), np.array([[3, 4, 1]] * 3 + [[0, 2, 1]])
)


def test_rows_are_answers_whose_text_has_opinions():
    joined = from_opinions(OPINIONS, ANSWERS, "Q0")
    assert joined.texts == ("b", "a", "a")
    assert joined.judges == ("1", "01", "1")
    assert joined.groups == joined.texts
    assert joined.answered.tolist() == [4, 4, 2]


def test_only_criteria_with_opinions_are_targets_and_zero_is_missing():
    joined = from_opinions(OPINIONS, ANSWERS, "Q0")
    assert joined.targets == ("Q8", "Q0")
    assert joined.options == (3, 4)
    assert np.isnan(joined.answers).tolist() == [[False, False], [False, False], [True, False]]


def test_the_mean_divides_by_the_mass():
    # (0.2 + 0.4 + 0.6 + 0.8) / 0.8 = 2.5; on Q8 (0.5 + 1.0) / 1 = 1.5.
    joined = from_opinions(OPINIONS, ANSWERS, "Q0")
    np.testing.assert_allclose(joined.expected, [[4, NAN], [2.5, 1.5], [2.5, 1.5]])


def test_own_probabilities_stop_at_the_options():
    assert from_opinions(OPINIONS, ANSWERS, "Q8").own.shape == (3, 3)
    assert from_opinions(OPINIONS, ANSWERS, "Q0").without(["Q0"]).own is None


@pytest.mark.parametrize("target", ["Q5", "Q1", ""])
def test_a_target_without_opinions_or_answers_is_refused(target):
    with pytest.raises(UsageError, match="no target"):
        from_opinions(OPINIONS, ANSWERS, target)


def test_nothing_in_common_is_refused():
    strangers = Answers("p", "", ("x",), ("1",), ("Q0",), np.array([[1]]))
    with pytest.raises(UsageError, match="No text"):
        from_opinions(OPINIONS, strangers, "Q0")


def test_an_input_must_be_left():
    joined = from_opinions(OPINIONS, ANSWERS, "Q0")
    assert joined.without(["Q0"]).inputs == ("Q8",)
    with pytest.raises(UsageError, match="No input"):
        joined.without(["Q0", "Q8"])


def test_cases_ask_every_judge_about_every_text():
    cases = cases_for(OPINIONS, "Q0", ("x", "y"))
    assert list(zip(cases.texts, cases.judges, strict=True)) == [("a", "x"), ("b", "x"), ("a", "y"), ("b", "y")]
    assert np.isnan(cases.answers).all()


def run_and_labels():
    run = Run(
        "r", "", ("0",) * 3, ("q1", "q1", "q2"), ("a", "b", "a"), ("depth", "clarity"),
        Decimals(np.array([[10, 20], [30, 40], [50, 60]]), -1), (1, 2, 3),
    )  # fmt: skip
    labels = Labels(
        "l", "test", None, "", ("q2", "q1", "q3"), ("a", "a", "a"), ("depth",),
        Decimals(np.array([[7], [0], [9]]), 0), np.array([[True], [False], [True]]),
    )  # fmt: skip
    return run, labels


def test_runs_are_joined_by_question_and_answer():
    joined = from_run(*run_and_labels(), "depth")
    assert joined.texts == ("q1\ta", "q2\ta")
    assert joined.groups == ("q1", "q2")
    assert set(joined.judges) == {POOLED}
    assert joined.expected.tolist() == [[1.0, 2.0], [5.0, 6.0]]
    # A blank cell is missing, whatever number stands behind it.
    np.testing.assert_array_equal(joined.answered, [NAN, 7.0])


def test_cases_for_a_run_are_all_its_rows():
    cases = cases_for_run(run_and_labels()[0], "depth")
    assert len(cases) == 3
    assert cases.inputs == ("depth", "clarity")


def test_folds_keep_groups_whole_and_do_not_see_the_order():
    groups = [f"t{row % 7}" for row in range(30)]
    folds = grouped_folds(groups, 3, seed=5)
    assert all(
        len({fold for fold, name in zip(folds.tolist(), groups, strict=True) if name == one}) == 1 for one in groups
    )
    assert np.array_equal(grouped_folds(groups[::-1], 3, seed=5), folds[::-1])
    assert not np.array_equal(grouped_folds(groups, 3, seed=6), folds)
    # Seven groups in three folds: 3, 2, 2.
    assert sorted(np.bincount([folds[groups.index(f"t{t}")] for t in range(7)]).tolist()) == [2, 2, 3]
