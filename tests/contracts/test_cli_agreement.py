"""`agreement` as a user meets it, against published and hand-computed values."""

import json
import math

import pytest

from tests.commands import ROOT, call, loaded_by

C28 = ROOT / "tests" / "cases" / "dev" / "C28"
SHROUT_FLEISS = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
"""Shrout and Fleiss 1979, table 2: rows are targets, columns judges."""
PUBLISHED = {
    "(1,1)": (448 / 2703, -0.13, 0.72),
    "(2,1)": (184 / 635, 0.02, 0.76),
    "(3,1)": (920 / 1287, 0.34, 0.95),
    "(1,k)": (1792 / 4047, -0.88, 0.91),
    "(2,k)": (736 / 1187, 0.07, 0.93),
    "(3,k)": (3680 / 4047, 0.68, 0.99),
}


@pytest.fixture
def agreement(capsys):
    return lambda *arguments: call(capsys, "agreement", *arguments)


@pytest.fixture
def write(tmp_path):
    """Write a table of annotators (None is blank), one question, as an annotation file."""

    def write(table, people="ABCDEFGH", question="q"):
        rows = [
            f"{question},{item},{who},{'' if cell is None else cell}"
            for item, ratings in enumerate(table)
            for who, cell in zip(people, ratings, strict=False)
        ]
        path = tmp_path / "annotations.csv"
        path.write_text("\n".join(["questionId,answerId,annotator,insight_score", *rows]) + "\n", encoding="utf-8")
        return path

    return write


def the_object(out):
    return json.loads(out, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))


def test_shrout_and_fleiss(agreement, write):
    code, out, err = agreement(write(SHROUT_FLEISS), "--json")
    assert (code, err) == (0, "")
    found = the_object(out)["dimensions"]["insight"]
    assert (found["items_used"], found["items_total"], found["raters"], found["reason"]) == (6, 6, 4, None)
    for form, (value, low, high) in PUBLISHED.items():
        cell = found["icc"][form]
        assert cell["value"] == pytest.approx(value, abs=1e-12)
        assert (round(cell["low"], 2), round(cell["high"], 2)) == (low, high)
    assert [found["icc"]["(1,1)"][name] for name in ("f", "df1", "df2")] == [pytest.approx(1.794678, abs=1e-6), 5, 18]
    assert [found["icc"]["(2,1)"][name] for name in ("f", "df1", "df2")] == [pytest.approx(11.027248, abs=1e-6), 5, 15]
    assert found["unbalanced"]["mean_ratings"] == pytest.approx(4)
    assert found["unbalanced"]["icc"] == {form: found["icc"][form] for form in ("(1,1)", "(1,k)")}


def test_c28(agreement):
    [check, one_rater] = json.loads((C28 / "expected.json").read_text("utf-8"))["checks"]
    code, out, _ = agreement(C28 / check["input"], "--json")
    found = the_object(out)
    assert code == 0
    assert [problem["severity"] for problem in found["problems"]] == ["warning"]
    own = found["dimensions"]["score"]
    for name, value in check["values"].items():
        if name.startswith("ICC"):
            form = f"({name[3]},{'k' if name.endswith('k') else '1'})"
            assert own["icc"][form]["value"] == pytest.approx(value, abs=1e-9)
        else:
            assert own[name] == value
    found = the_object(agreement(C28 / one_rater["input"], "--json")[1])["dimensions"]["score"]
    assert {form["value"] for form in found["icc"].values()} == {None}
    assert found["reason"] == one_rater["reason"]
    out = agreement(C28 / one_rater["input"])[1]
    assert "score: undefined, since each item has one rating" in out


def test_pingouin_gives_the_same_text(agreement, write):
    out = agreement(write(SHROUT_FLEISS))[1]
    rows = {line.split()[1]: line.split() for line in out.splitlines() if line.startswith("insight ") and "(" in line}
    assert rows["(1,1)"][2:] == [".166", "[-.133,", ".723]", "1.79", "(5,", "18)", ".165", "6", "of", "6"]
    assert rows["(2,k)"][2] == ".620"
    assert rows["(3,1)"][2:5] == [".715", "[.342,", ".946]"]
    assert "k0" not in out


def test_unequal_numbers_of_ratings(agreement):
    """Items 1 to 5 of C28 have 3, 3, 3, 3 and 2 ratings: k0 is (14 - 40 / 14) / 4."""
    own = the_object(agreement(C28 / "ratings.csv", "--json")[1])["dimensions"]["score"]["unbalanced"]
    assert own["items_used"] == 5
    assert own["mean_ratings"] == pytest.approx((14 - 40 / 14) / 4)
    out = agreement(C28 / "ratings.csv")[1]
    assert "one-way over all 5 items with two ratings or more, k0 = 2.79" in out


def test_annotators_rank_by_question(agreement, tmp_path):
    """A and B agree on q1 and are opposed on q2; C gives q2 one rating, so that its tau is undefined there."""
    ratings = {"q1": {"A": (1, 2, 3), "B": (2, 4, 6), "C": (3, 2, 1)}, "q2": {"A": (1, 2), "B": (2, 1), "C": (5, 5)}}
    rows = [
        f"{question},d{number},{who},{score}"
        for question, people in ratings.items()
        for who, scores in people.items()
        for number, score in enumerate(scores)
    ]
    path = tmp_path / "a.csv"
    path.write_text("\n".join(["questionId,answerId,annotator,insight_score", *rows]))
    found = the_object(agreement(path, "--json")[1])
    assert (found["items"], found["questions"], found["annotators"]) == (5, 2, ["A", "B", "C"])
    pairs = {(pair["a"], pair["b"]): pair for pair in found["dimensions"]["insight"]["ranking"]}
    assert pairs["A", "B"]["questions"] == {"q1": 1.0, "q2": -1.0}
    assert (pairs["A", "B"]["kendall"], pairs["A", "B"]["defined"]) == (0.0, 2)
    assert pairs["A", "C"]["questions"] == {"q1": -1.0, "q2": None}
    assert (pairs["A", "C"]["kendall"], pairs["A", "C"]["defined"]) == (-1.0, 1)
    text = agreement(path)[1]
    assert "a.csv: 2 questions, 5 items, 3 annotators" in text
    assert any(line.split() == ["insight", "A,", "C", "-1.000", "1"] for line in text.splitlines())


def test_files_without_questions_are_ranked_as_one(agreement):
    found = the_object(agreement(C28 / "ratings.csv", "--json")[1])
    assert found["questions"] is None
    [first, *_] = found["dimensions"]["score"]["ranking"]
    # A and B on five items: 8 pairs in order, 1 tied by B... as scipy's kendalltau([9, 6, 8, 4, 7], [7, 5, 8, 3, 6]).
    assert (first["a"], first["b"], first["questions"]) == ("A", "B", None)
    assert first["kendall"] == pytest.approx(0.8)


DISPUTED = [[7, 8, None], [4, 9, 8], [6, 6, None], [5, 6, None], [2, 9, 3], [6, 5, None]]


def test_third_ratings_of_disputed_items_are_set_aside(agreement, write):
    path = write(DISPUTED)
    own = the_object(agreement(path, "--json")[1])["dimensions"]["insight"]
    assert (own["set_aside"], own["raters"], own["items_used"]) == (["C"], 2, 6)
    assert [(pair["a"], pair["b"]) for pair in own["ranking"]] == [("A", "B")]
    assert own == the_object(agreement(path, "--json", "--adjudicated", "C")[1])["dimensions"]["insight"]
    assert "insight: C decided disputed items only, set aside" in agreement(path)[1]
    two = the_object(agreement(write([row[:2] for row in DISPUTED]), "--json")[1])["dimensions"]["insight"]
    assert own["icc"] == two["icc"]


def test_all_ratings_on_demand(agreement, write):
    own = the_object(agreement(write(DISPUTED), "--json", "--all-ratings")[1])["dimensions"]["insight"]
    assert (own["set_aside"], own["raters"], own["items_used"]) == ([], 3, 2)


def test_an_annotator_nobody_knows(agreement, write):
    code, out, err = agreement(write(SHROUT_FLEISS), "--adjudicated", "Z")
    assert (code, out) == (2, "")
    assert "no annotator is called Z. There are A, B, C, D." in err
    found = the_object(agreement(write(SHROUT_FLEISS), "--adjudicated", "Z", "--json")[1])
    assert (found["dimensions"], found["problems"][0]["kind"]) == ({}, "usage")


def test_constant_ratings_are_undefined(agreement, write):
    code, out, _ = agreement(write([[5, 5], [5, 5], [5, 5]]), "--json")
    own = the_object(out)["dimensions"]["insight"]
    assert (code, own["reason"]) == (0, "all ratings are equal")
    assert {form["value"] for form in own["icc"].values()} == {None}


def test_many_annotators(agreement, write):
    # The seventh gives 0 throughout, so that no tau with it is defined.
    table = [[(row * column) % 7 for column in range(1, 8)] for row in range(1, 9)]
    out = agreement(write(table))[1]
    assert "mean of 15 of 21 pairs (--json has each)" in out


def test_more_annotators_than_can_be_paired(agreement, write):
    people = [f"p{number}" for number in range(51)]
    table = [[(row * column) % 7 for column in range(51)] for row in range(1, 4)]
    own = the_object(agreement(write(table, people), "--json")[1])["dimensions"]["insight"]
    assert own["ranking"] is None
    assert "51 annotators are too many to pair" in agreement(write(table, people))[1]


def test_a_file_that_is_refused(agreement, write):
    path = write([[1, "x"], [2, "7,5"], [3, 4]])
    code, out, err = agreement(path, "--json")
    found = the_object(out)
    assert code == 1
    assert [(problem["kind"], problem["line"]) for problem in found["problems"]] == [
        ("not_a_number", 3),
        ("column_count", 5),
    ]
    assert found["dimensions"] == {}
    assert "line 3: insight_score is 'x'" in err
    assert agreement(path)[:2] == (1, "")
    assert agreement(path.parent / "none.csv")[0] == 1


def test_real_annotators(agreement, shared_data):
    code, out, err = agreement(shared_data / "dialsummeval" / "annotations.csv", "--json")
    assert (code, err) == (0, "")
    found = the_object(out)
    assert (found["items"], found["questions"], found["problems"]) == (1400, 100, [])
    for own in found["dimensions"].values():
        assert (own["items_used"], own["raters"], own["set_aside"]) == (1400, 3, [])
        assert all(math.isfinite(form["value"]) for form in own["icc"].values())
        assert [pair["defined"] <= 100 for pair in own["ranking"]] == [True] * 3


def test_what_is_loaded():
    loaded = loaded_by("agreement", C28 / "ratings.csv")
    assert not {"plotly", "gradio", "pandas", "datasets", "huggingface_hub"} & loaded
