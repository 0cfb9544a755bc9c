"""Annotation files: which columns make which table, and every problem with its line."""

import math

import numpy as np
import pytest

from aeollm.errors import AnnotationsError
from aeollm.files import read_annotations

OFFICIAL = "questionId,answerId,annotator,insight_score,readability_score"


def read(*lines):
    return read_annotations("\n".join(lines).encode())


def problems(*lines):
    with pytest.raises(AnnotationsError) as caught:
        read(*lines)
    return [(problem.kind, problem.line) for problem in caught.value.problems if problem.severity == "error"]


def test_the_columns_of_the_labels():
    found = read(OFFICIAL, "1,Doc_01,A,7.5,8", "1,Doc_01,B,6,", "2,Doc_01,A,1e1,3")
    assert found.questions == ("1", "2")
    assert found.items == ("Doc_01", "Doc_01")
    assert (found.annotators, found.dimensions) == (("A", "B"), ("insight", "readability"))
    np.testing.assert_array_equal(found.table("insight"), [[7.5, 6], [10, math.nan]])
    np.testing.assert_array_equal(found.table("readability"), [[8, math.nan], [3, math.nan]])
    assert {problem.kind for problem in found.problems} == {"missing_rating"}


def test_the_shape_of_c28():
    found = read("item,rater,score", "i1,A,9", "i1,B,7", "i2,A,")
    assert (found.questions, found.items, found.dimensions) == (None, ("i1", "i2"), ("score",))
    np.testing.assert_array_equal(found.table("score"), [[9, 7], [math.nan, math.nan]])


def test_order_and_other_columns_do_not_matter():
    first = read(OFFICIAL, "1,a,A,1,2", "1,a,B,3,4")
    other = read("note,readability_score,annotator,answerId,insight_score,questionId", "x,2,A,a,1,1", "y,4,B,a,3,1")
    np.testing.assert_array_equal(first.table("insight"), other.table("insight"))
    np.testing.assert_array_equal(first.table("readability"), other.table("readability"))
    assert first.problems == other.problems == ()


def test_ids_are_text():
    found = read("item,rater,score", "01,007,1", "1,7,2", "NA,nan,3")
    assert found.items == ("01", "1", "NA")
    assert found.annotators == ("007", "7", "nan")


def test_the_same_answer_id_of_two_questions_is_two_items():
    found = read(OFFICIAL, "1,a,A,1,1", "2,a,A,2,2")
    assert found.table("insight").tolist() == [[1], [2]]


def test_blank_lines_marks_and_chinese():
    found = read_annotations("\ufeffitem,rater,score\n\n文档,张三,7\n\n".encode())
    assert (found.items, found.annotators) == (("文档",), ("张三",))


def test_all_problems_at_once():
    assert problems(
        "item,rater,score",
        "i1,A,x",
        "i1,B",
        ",A,3",
        "i2,,3",
        "i3,A,nan",
        "i4,A,1",
        "i4,A,2",
        "i5,A,1e400",
    ) == [
        ("not_a_number", 2),
        ("column_count", 3),
        ("empty_cell", 4),
        ("empty_cell", 5),
        ("non_finite", 6),
        ("duplicate_key", 8),
        ("too_large", 9),
    ]


def test_a_second_rating_names_the_first():
    with pytest.raises(AnnotationsError, match="A rates question 1, a again; first on line 2"):
        read(OFFICIAL, "1,a,A,1,1", "1,a,A,1,1")


@pytest.mark.parametrize(
    ("header", "kind", "column"),
    [
        ("answerId,annotator,insight_score", "missing_column", "questionId"),
        ("rater,score", "missing_column", "answerId"),
        ("item,score", "missing_column", "annotator"),
        ("item,rater,points", "missing_column", "score"),
        ("item,rater,rater,score", "duplicate_column", "rater"),
        ("item;rater;score", "missing_column", None),
    ],
)
def test_headers_that_are_refused(header, kind, column):
    with pytest.raises(AnnotationsError) as caught:
        read(header, "1,2,3,4")
    [problem] = caught.value.problems
    assert (problem.kind, problem.line, problem.column) == (kind, 1, column)


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"", "empty"),
        (b"item,rater,score\n", "no_rows"),
        (b"<!doctype html>", "html"),
        (b"PK\x03\x04", "missing_column"),
        (b'item,rater,score\n"i1,A,1\n', "csv"),
    ],
)
def test_files_that_are_no_table(content, kind):
    with pytest.raises(AnnotationsError) as caught:
        read_annotations(content)
    assert kind in {problem.kind for problem in caught.value.problems}


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(AnnotationsError, match=r"none\.csv: 1 problem"):
        read_annotations(tmp_path / "none.csv")
