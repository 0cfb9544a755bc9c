"""Opinion files: long and wide, how many options a criterion has, and every problem with its line."""

import math

import numpy as np
import pytest

from aeollm.errors import OpinionsError
from aeollm.files import read_opinions

LONG = "text_id,criterion,answer1_prob,answer2_prob,answer3_prob"


def read(*lines, **options):
    return read_opinions("\n".join(lines).encode(), **options)


def problems(*lines, **options):
    with pytest.raises(OpinionsError) as caught:
        read(*lines, **options)
    return [(problem.kind, problem.line, problem.column) for problem in caught.value.problems]


def test_long_files():
    found = read(LONG, "01,Q0,.25,.25,.5", "02,Q0,1,0,0", "01,Q1,0.1,0.2,0.3")
    assert (found.texts, found.criteria, found.n_options) == (("01", "02"), ("Q0", "Q1"), (3, 3))
    np.testing.assert_array_equal(found.probabilities[:, 0], [[0.25, 0.25, 0.5], [1, 0, 0]])
    np.testing.assert_array_equal(found.probabilities[:, 1], [[0.1, 0.2, 0.3], [math.nan] * 3])
    # By hand: 1*.25 + 2*.25 + 3*.5 = 2.25, and (.1 + .4 + .9) / .6.
    np.testing.assert_allclose(found.expected(), [[2.25, 1.4 / 0.6], [1, math.nan]])
    assert [problem.kind for problem in found.problems] == ["missing_opinion"]


def test_wide_files_say_the_same_as_long_ones():
    long = read(LONG.replace(",", "\t"), "a\tQ0\t.25\t.25\t.5", "b\tQ0\t1\t0\t0", "a\tQ_1\t.5\t.5\t0")
    wide = read(
        "text_id,Q0_answer1_prob,Q0_answer2_prob,Q0_answer3_prob,Q_1_p1,Q_1_p2,model",
        "a,.25,.25,.5,.5,.5,x",
        "b,1,0,0,,,y",
    )
    assert (
        (wide.texts, wide.criteria, wide.n_options)
        == (long.texts, long.criteria, (3, 2))
        == (
            ("a", "b"),
            ("Q0", "Q_1"),
            long.n_options,
        )
    )
    np.testing.assert_array_equal(wide.probabilities, long.probabilities)


def test_an_option_that_never_has_mass_does_not_exist():
    rows = [LONG, "a,Q0,.5,.2,.3", "a,Q8,.5,.4,0", "b,Q8,.1,.9,0.0"]
    found = read(*rows)
    assert found.n_options == (3, 2)
    assert math.isnan(found.probabilities[0, 1, 2])
    [note] = [problem for problem in found.problems if problem.kind == "options"]
    assert (note.severity, note.column) == ("note", "Q8")
    assert read(*rows, options={"Q8": 3}).n_options == (3, 3)
    assert read(*rows, options={"Q8": 4}).probabilities[1, 1].tolist() == [0.1, 0.9, 0, 0]


def test_blank_cells_are_options_that_do_not_exist():
    found = read(LONG, "a,Q0,.5,.2,.3", "a,Q8,.5,.4,", "b,Q8,.1,.9,")
    assert found.n_options == (3, 2)
    assert "options" not in {problem.kind for problem in found.problems}
    assert problems(LONG, "a,Q0,.5,.2,.3", "b,Q0,.5,.4,") == [("empty_cell", 3, "answer3_prob")]


def test_a_file_can_say_how_many_options_there_are():
    head = f"{LONG},n_options"
    found = read(head, "a,Q0,.5,.5,0,4", "b,Q0,1,0,0,4", "a,Q1,1,0,0,2")
    assert found.n_options == (4, 2)
    np.testing.assert_array_equal(found.probabilities[:, 0], [[0.5, 0.5, 0, 0], [1, 0, 0, 0]])
    assert not any(problem.kind == "options" for problem in found.problems)
    assert read(head, "a,Q0,.5,.5,0,4", options={"Q0": 3}).n_options == (3,)
    wrong = ["a,Q0,.5,.5,0,4", "b,Q0,1,0,0,3", "a,Q1,1,0,0,", "a,Q2,1,0,0,eleven", "a,Q3,1,0,0,11", "a,Q4,.5,0,.5,2"]
    assert [told for told in problems(head, *wrong) if told[0] != "options"] == [
        ("bad_number", 3, "n_options"),
        ("bad_number", 4, "n_options"),
        ("bad_number", 5, "n_options"),
        ("bad_number", 6, "n_options"),
        ("no_such_option", 7, "answer3_prob"),
    ]


def test_sums_below_one_are_kept_and_sums_above_refused():
    kept = read(LONG, "a,Q0,.1,.2,.3", "b,Q0,.3333336,.3333336,.3333336")  # 1.0000008: rounded, not wrong
    np.testing.assert_allclose(kept.probabilities.sum(axis=2)[:, 0], [0.6, 1.0000008])
    assert problems(LONG, "a,Q0,.5,.5,.1", "b,Q0,.5,.4,.1", "c,Q0,.5,.500002,0") == [
        ("sum_above_one", 2, None),
        ("sum_above_one", 4, None),
    ]


def test_no_mass_at_all_is_told():
    found = read(LONG, "a,Q0,0,0,0", "b,Q0,.1,.2,.7")
    assert [(problem.kind, problem.severity, problem.line) for problem in found.problems] == [("no_mass", "warning", 2)]
    assert math.isnan(found.expected()[0, 0])


def test_all_problems_at_once():
    assert problems(
        LONG,
        "a,Q0,nan,.2,.3",
        "a,Q1,-0.1,.2,.3",
        "b,Q0,57,.2,.3",
        "b,Q1,0.1",
        ",Q0,.1,.1,.1",
        "c,,.1,.1,.1",
        'd,Q0,"0,5",.1,.1',
        "a,Q0,.1,.2,.3",
    ) == [
        ("non_finite", 2, "answer1_prob"),
        ("negative", 3, "answer1_prob"),
        ("above_one", 4, "answer1_prob"),
        ("column_count", 5, None),
        ("empty_cell", 6, "text_id"),
        ("empty_cell", 7, "criterion"),
        ("not_a_number", 8, "answer1_prob"),
        ("duplicate_key", 9, "criterion"),
    ]


def test_every_problem_tells_value_and_remedy():
    with pytest.raises(OpinionsError) as caught:
        read(LONG, "a,Q0,-0.1,.2,.3", "b,Q0,NA,.2,.3")
    negative, missing = caught.value.problems
    assert (negative.value, "log-probability" in negative.remedy) == ("-0.1", True)
    assert (missing.value, "leave the row out" in missing.remedy) == ("NA", True)


@pytest.mark.parametrize(
    ("header", "kind"),
    [
        ("text_id,criterion", "missing_column"),
        ("criterion,answer1_prob,answer2_prob", "missing_column"),
        ("text_id,answer1_prob,answer2_prob", "missing_column"),
        ("text_id,criterion,answer1_prob", "option_columns"),
        ("text_id,criterion,answer1_prob,answer3_prob", "option_columns"),
        ("text_id,criterion," + ",".join(f"p{k}" for k in range(1, 12)), "option_columns"),
        ("text_id,text_id,criterion,p1,p2", "duplicate_column"),
        ("text_id,annotator_id,Q0", "other_kind"),
        ("questionId,answerId,insight_score", "other_kind"),
        ("0 2 Doc_001 5.5 4.8 6.9 7.0", "other_kind"),
        ("taskId\tquestionId\tanswerId\tinsight_score", "other_kind"),
    ],
)
def test_headers(header, kind):
    assert [problem[0] for problem in problems(header)] == [kind]


def test_a_file_without_rows():
    assert problems(LONG) == [("no_rows", None, None)]


def test_ten_options_and_mass_where_there_is_no_option():
    ten = "text_id,criterion," + ",".join(f"p{k}" for k in range(1, 11))
    assert read(ten, "a,Q0," + ",".join(["0.1"] * 10)).n_options == (10,)
    assert problems(LONG, "a,Q0,.5,.2,.3", options={"Q0": 2}) == [("no_such_option", 2, "answer3_prob")]


def test_a_table_that_would_not_fit_into_memory_is_refused():
    rows = [f"t{n},c{n},0.1,0.2,0.3" for n in range(3000)]  # 3000 * 3000 * 3 cells
    assert problems(LONG, *rows) == [("too_many_cells", None, None)]


def test_more_criteria_than_any_rubric_has_are_refused():
    header = ",".join(["text_id", *(f"c{c}_p{k}" for c in range(1_001) for k in (1, 2))])
    assert problems(header, "a" + ",.5" * 2_002) == [("too_many_cells", None, None)]


def test_the_public_data(shared_data):
    folder = shared_data / "llm_rubric"
    synth = read_opinions(folder / "gpt-3.5-turbo-16k_synth_evaluations_FIXED.tsv")
    real = read_opinions(folder / "gpt-3.5-turbo-16k_real_evaluations_FIXED.tsv")
    for found, texts in ((synth, 225), (real, 223)):  # shared data's README
        assert len(found) == texts
        assert dict(zip(found.criteria, found.n_options, strict=True)) == {f"Q{n}": 4 - (n == 8) for n in range(9)}
        assert np.nanmax(np.nansum(found.probabilities, axis=2)) <= 1 + 1e-6
    assert np.nanmin(np.nansum(real.probabilities, axis=2)) < 1 - 1e-7
