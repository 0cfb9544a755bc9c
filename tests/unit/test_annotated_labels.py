"""Annotators to labels: aspects weighed by document, two ratings, a third where they differ, the agreement before."""

from fractions import Fraction as F

import pytest

from aeollm.agreement import annotation_scores, aspect_scores, labels_of_ratings
from aeollm.errors import AnnotationsError
from aeollm.files import read_annotations, read_aspects

HEADER = "questionId,answerId,annotator,aspect,score,weight"


def aspects_of(*rows, header=HEADER):
    return read_aspects("\n".join([header, *rows]).encode())


def ratings_of(table, people=("A", "B", "C")):
    return {
        ("1", f"d{number}"): {who: F(score) for who, score in zip(people, row, strict=False) if score is not None}
        for number, row in enumerate(table)
    }


def test_aspects_are_weighed_by_the_document():
    rows = ("1,a,A,logic,8,0.5", "1,a,A,form,6,0.3", "1,a,A,bias,2,0.2", "1,b,A,logic,8,0.2", "1,b,A,form,6,0.3")
    ratings, problems = aspect_scores(aspects_of(*rows, "1,b,A,bias,2,0.5"))
    # .5 x 8 + .3 x 6 + .2 x 2 = 6.2 and .2 x 8 + .3 x 6 + .5 x 2 = 4.4.
    assert ratings == {("1", "a"): {"A": F("6.2")}, ("1", "b"): {"A": F("4.4")}}
    assert problems == ()


def test_weights_are_divided_by_their_sum_and_without_them_all_weigh_alike():
    assert aspect_scores(aspects_of("1,a,A,x,8,3", "1,a,A,y,4,1"))[0] == {("1", "a"): {"A": F(7)}}
    alone = aspects_of("1,a,A,x,8", "1,a,A,y,4", header="questionId,answerId,annotator,aspect,score")
    assert aspect_scores(alone)[0] == {("1", "a"): {"A": F(6)}}
    assert [problem.kind for problem in alone.problems] == ["equal_weights"]


def test_an_annotator_who_left_an_aspect_out_gave_no_rating():
    ratings, problems = aspect_scores(aspects_of("1,a,A,x,8,1", "1,a,A,y,,1", "1,a,B,x,5,1", "1,a,B,y,7,1"))
    assert ratings == {("1", "a"): {"B": F(6)}}
    assert [(problem.kind, problem.answer) for problem in problems] == [("missing_rating", "a")]


def test_aspects_that_all_weigh_nothing_are_refused():
    with pytest.raises(AnnotationsError, match="weigh 0"):
        aspect_scores(aspects_of("1,a,A,x,8,0"))


def test_labels_are_the_mean_of_two_and_of_a_third_where_the_rule_asks_for_it():
    # Gaps 1, 2, 2.5 and 4 under the rule 2: the last two are disputed, and only the third row has a third rating.
    found = labels_of_ratings(
        ratings_of([[7, 8, None], [5, 7, None], [4, F("6.5"), 6], [2, 6, None]]), F(2), dimension="r"
    )
    assert [found.labels["1", f"d{n}"] for n in range(4)] == [F("7.5"), 6, F("5.5"), 4]
    assert [(one.answer, one.gap, one.third) for one in found.disagreements] == [
        ("d2", F("2.5"), ("C", 6)),
        ("d3", 4, None),
    ]
    assert [(problem.kind, problem.answer) for problem in found.problems] == [("undecided", "d3")]


def test_the_agreement_is_that_of_the_first_two_ratings():
    # Rows 9 7, 6 5, 8 8, 4 3 by hand: between items MS = 8.5 (sum of squares 2 x (8 - 6.25)^2 + ... = 26.5 over 3
    # = 8.8333), within MS = (2 + .5 + 0 + .5) / 4 = .75: (1,1) = (8.8333 - .75) / (8.8333 + .75).
    table = [[9, 7, None], [6, 5, None], [8, 8, None], [4, 3, None]]
    found = labels_of_ratings(ratings_of(table), F(1), dimension="r")
    between = F(sum(2 * (F(a + b, 2) - F("6.25")) ** 2 for a, b, _ in table), 3)
    assert found.icc.forms["(1,1)"].value == pytest.approx(float((between - F("0.75")) / (between + F("0.75"))))
    assert found.same_pair
    decided = labels_of_ratings(ratings_of([[9, 7, 8], *table[1:]]), F(1), dimension="r")
    assert decided.icc.forms["(1,1)"].value == found.icc.forms["(1,1)"].value


def test_a_third_rating_that_nobody_asked_for_does_not_count():
    found = labels_of_ratings(ratings_of([[7, 8, 1], [3, 9, 9]]), F(2), dimension="r", third=["C"])
    assert found.labels["1", "d0"] == F("7.5")
    assert found.labels["1", "d1"] == 7
    assert [problem.kind for problem in found.problems] == ["third_rating"]


def test_who_decides_may_stand_first_in_the_file():
    rows = ratings_of([[9, 3, 8], [None, 4, 5], [None, 6, 6], [None, 8, 7]], people=("C", "A", "B"))
    found = labels_of_ratings(rows, F(2), dimension="r")
    assert found.disagreements[0].third == ("C", 9)
    assert found.icc.items_used == 4


def test_pairs_of_several_annotators_are_told():
    rows = {("1", "a"): {"A": F(7), "B": F(8)}, ("1", "b"): {"A": F(3), "C": F(4)}}
    assert not labels_of_ratings(rows, F(2), dimension="r").same_pair


def test_ratings_by_dimension_give_labels_by_dimension():
    text = b"questionId,answerId,annotator,insight_score\n1,a,A,7\n1,a,B,8.5\n1,b,A,\n1,b,B,6\n"
    ratings = annotation_scores(read_annotations(text), "insight")
    found = labels_of_ratings(ratings, F(2), dimension="insight")
    assert found.labels == {("1", "a"): F("7.75"), ("1", "b"): 6}
    assert [problem.kind for problem in found.problems] == ["missing_rating"]


def test_no_ratings_are_refused():
    with pytest.raises(AnnotationsError, match="no ratings"):
        labels_of_ratings({}, F(2), dimension="r")
