"""Readers of what a judge says: criterion scores, comparisons, aspect ratings, and which of them a file is."""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeollm.errors import AeollmError, AnnotationsError, JudgmentsError
from aeollm.files import read_aspects, read_criterion_scores, read_judgments, recognise
from aeollm.tables import UNREAD, AspectRatings, CriterionScores, Judgments

CASES = Path(__file__).resolve().parents[1] / "cases" / "dev"

CRITERIA = (
    "questionId,answerId,dimension,criterion,score,order,repeat\n"
    "01,Doc_1,insight,深度,7.10,original,1\n"
    "01,Doc_1,insight,2,8,reversed,1\n"
)
PAIRS = "questionId,dimension,left,right,winner\n1,insight,a,b,left\n1,insight,b,a,right\n1,insight,a,c,tie\n"
ASPECTS = "questionId,answerId,annotator,aspect,score,weight\n1,a,A,logic,7,0.5\n1,a,A,form,8,0.5\n1,a,B,logic,,0.5\n"


def problems_of(error):
    return [(problem.kind, problem.line, problem.column) for problem in error.value.problems]


def test_criterion_scores_keep_ids_as_text_and_numbers_as_written():
    found = read_criterion_scores(CRITERIA.encode())
    assert found.questions == ("01", "01")
    assert found.criteria == ("深度", "2")
    assert (found.scores.units.tolist(), found.scores.exponent) == ([710, 800], -2)
    assert (found.orders, found.repeats, found.judges) == (("original", "reversed"), ("1", "1"), None)
    assert found.lines == (2, 3)


@pytest.mark.parametrize("separator", [",", "\t"])
def test_csv_and_tsv_read_alike(separator):
    found = read_criterion_scores(CRITERIA.replace(",", separator).encode())
    assert found.criteria == ("深度", "2")


def test_json_lines_keep_numbers_as_written():
    rows = [{"questionId": "1", "answerId": "a", "dimension": "insight", "criterion": 1, "score": 0.1}]
    rows.append({"questionId": "1", "answerId": "b", "dimension": "insight", "criterion": "1", "score": None})
    found = read_criterion_scores("\n".join(json.dumps(row) for row in rows).encode())
    assert (found.criteria, found.scores.units.tolist(), found.scores.exponent) == (("1",), [1], -1)
    assert [(problem.kind, problem.line) for problem in found.problems] == [("missing_score", 2)]


def test_all_problems_of_a_criterion_file_come_at_once():
    text = (
        "questionId,answerId,dimension,criterion,score,order\n"
        ",a,insight,1,7,original\n1,a b,insight,1,7,original\n1,a,insight,1,seven,original\n"
        "1,a,insight,1,7,backwards\n1,a,insight,1,7,original\n1,a,insight,1,7,original\n1,a\n"
    )
    with pytest.raises(JudgmentsError) as error:
        read_criterion_scores(text.encode())
    assert sorted(problems_of(error), key=lambda found: found[1]) == [
        ("empty_cell", 2, "questionId"),
        ("blank_in_id", 3, "answerId"),
        ("not_a_number", 4, "score"),
        ("unknown_order", 5, "order"),
        ("duplicate_key", 7, "criterion"),
        ("column_count", 8, None),
    ]


def test_a_wrong_file_is_told_what_it_looks_like_and_what_was_expected():
    with pytest.raises(JudgmentsError, match="looks like pairwise judgments; criterion scores were expected"):
        read_criterion_scores(PAIRS.encode())
    with pytest.raises(JudgmentsError, match="looks like criterion scores; pairwise judgments were expected"):
        read_judgments(CRITERIA.encode())
    with pytest.raises(JudgmentsError, match="looks like run"):
        read_judgments(b"0 1 Doc_1 7 7 7 7\n")
    with pytest.raises(AnnotationsError, match="looks like annotations; aspect ratings were expected"):
        read_aspects(b"questionId,answerId,annotator,insight_score\n1,a,A,7\n")


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (CRITERIA.encode(), "criterion scores"),
        (PAIRS.encode(), "pairwise judgments"),
        (b"questionId,firstAnswer,secondAnswer,verdict\n", "pairwise judgments"),
        (ASPECTS.encode(), "aspect ratings"),
        (b"item,rater,score\n", "annotations"),
        (b"questionId,answerId,insight_score\n", "labels"),
        (b"taskId questionId answerId insight_score\n", "run"),
        (b"taskId\tquestionId\tanswerId\tinsight_score\n", "run"),
        (b"0 1 a 7 7 7 7\n", "run"),
        (b'{"questionId": "1", "left": "a", "right": "b", "winner": "tie"}\n', "pairwise judgments"),
        (b"\x89PNG", "unknown"),
        (b"", "unknown"),
        (b"once upon a time\n", "unknown"),
    ],
)
def test_files_are_recognised_by_their_columns(content, kind):
    assert recognise(content) == kind


def test_judgments_have_the_first_shown_answer_on_the_left():
    found = read_judgments(PAIRS.encode())
    assert found.left == ("a", "b", "a")
    assert found.outcomes.tolist() == [1, -1, 0]
    assert found.dimensions == ("insight",) * 3


def test_an_order_column_turns_rows_that_name_the_pair_round():
    text = "questionId,left,right,order,winner\n1,a,b,original,left\n1,a,b,reversed,left\n1,a,c,reversed,c\n"
    found = read_judgments(text.encode())
    assert list(zip(found.left, found.right, found.winners, strict=True)) == [
        ("a", "b", "left"),
        ("b", "a", "right"),
        ("c", "a", "left"),
    ]
    assert [problem.kind for problem in found.problems] == ["order_column"]


def test_an_order_column_beside_exchanged_answers_changes_nothing():
    text = "questionId,left,right,order,winner\n1,a,b,original,left\n1,b,a,reversed,left\n"
    assert read_judgments(text.encode()).left == ("a", "b")


def test_case_c36_reads_with_its_unread_verdict_named():
    found = read_judgments(CASES / "C36" / "verdicts.csv")
    assert found.dimension_order == ("overall",)
    assert found.outcomes.tolist()[-1] == UNREAD
    assert (np.array(found.outcomes) == UNREAD).sum() == 1
    assert [(problem.kind, problem.line) for problem in found.problems] == [("unread_winner", 16)]


def test_problems_of_a_comparison_file_come_at_once():
    text = "questionId,left,right,winner\n1,a,a,left\n1,,b,left\n1,a,b,left\n1,a,b,right\n"
    with pytest.raises(JudgmentsError) as error:
        read_judgments(text.encode())
    assert problems_of(error) == [
        ("same_answer", 2, "right"),
        ("empty_cell", 3, "left"),
        ("duplicate_key", 5, "left"),
    ]


def test_a_file_without_one_winner_read_is_refused():
    with pytest.raises(JudgmentsError, match="no winner of the file can be read"):
        read_judgments(b"questionId,left,right,winner\n1,a,b,lefft\n")


def test_aspects_have_weights_by_document_and_blank_scores_are_missing():
    found = read_aspects(ASPECTS.encode())
    assert found.scores == {(("1", "a"), "A", "logic"): 7, (("1", "a"), "A", "form"): 8}
    assert found.weights == {(("1", "a"), "logic"): Fraction(1, 2), (("1", "a"), "form"): Fraction(1, 2)}


def test_aspects_of_one_answer_cannot_have_two_weights():
    text = ASPECTS.replace("B,logic,,0.5", "B,logic,7,0.4")
    with pytest.raises(AnnotationsError) as error:
        read_aspects(text.encode())
    assert problems_of(error) == [("other_weight", 4, "weight")]


_LINES = st.lists(st.sampled_from([*CRITERIA.split("\n"), *PAIRS.split("\n"), *ASPECTS.split("\n"), '"', "{}", "\t"]))


@given(st.one_of(st.binary(max_size=60), _LINES.map(lambda lines: "\n".join(lines).encode())))
def test_readers_are_total(content):
    for read, noun in (
        (read_criterion_scores, CriterionScores),
        (read_judgments, Judgments),
        (read_aspects, AspectRatings),
    ):
        found = error = None
        try:
            found = read(content)
        except AeollmError as refused:
            error = refused
        assert isinstance(found, noun) or any(problem.severity == "error" for problem in error.problems)
    assert isinstance(recognise(content), str)
