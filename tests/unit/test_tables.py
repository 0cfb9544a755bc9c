"""The nouns: frames there and back, JSON, and what a table says about itself."""

import json
import math
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from aeollm import Labels, Policy, Problem, Rubrics, Run, Scores, read_labels, read_rubrics, read_run, score
from aeollm.errors import group_problems
from aeollm.tables import Mean
from tests.small_files import DIMENSIONS, labels_csv, rubric, run_text

GOLD = [("01", "NA", 8, "", 9, 8), ("01", "nan", 6, 5, 7, "7.3"), ("2", "null", 1), ("2", "\u6587_1", 2)]
RUN = [("2", "null", 1), ("2", "\u6587_1", "0.1"), ("01", "nan", 6, "5.5", 7, 7), ("01", "NA", 8, 7, 9, 8)]
LABELS = read_labels(labels_csv(GOLD), name="set")
RUBRICS = read_rubrics(
    {"criterion01.json": rubric("01", ("0.30", "0.36", "0.20", "0.14")), "criterion2.json": rubric("2")}, LABELS
)
SCORES = score(read_run(run_text(RUN), LABELS, name="judge.txt"), LABELS, RUBRICS)


def same(one, other):
    """Compare the decimals of two tables as numbers."""
    assert one.exponent <= 0
    assert one.values.tolist() == other.values.tolist()
    scale = [10 ** (table.exponent - min(one.exponent, other.exponent)) for table in (one, other)]
    assert (one.units * scale[0] == other.units * scale[1]).all()


# Frames


def test_run_there_and_back():
    run = read_run(run_text(RUN), name="judge.txt")
    frame = run.to_frame()
    assert list(frame) == ["taskId", "questionId", "answerId", *(f"{name}_score" for name in DIMENSIONS)]
    assert frame["answerId"].tolist() == ["null", "\u6587_1", "nan", "NA"]
    assert frame["insight_score"].tolist() == [1.0, 0.1, 5.5, 7.0]
    back = Run.from_frame(frame, name="judge.txt")
    assert (back.tasks, back.questions, back.answers, back.dimensions) == (
        run.tasks, run.questions, run.answers, run.dimensions,
    )  # fmt: skip
    same(back.scores, run.scores)
    assert score(back, LABELS, RUBRICS).pairs.tolist() == SCORES.pairs.tolist()


def test_labels_there_and_back():
    frame = LABELS.to_frame()
    assert list(frame) == ["questionId", "answerId", *(f"{name}_score" for name in DIMENSIONS)]
    assert frame["insight_score"].isna().tolist() == [True, False, False, False]
    back = Labels.from_frame(frame, name="set")
    assert (back.questions, back.answers, back.dimensions) == (LABELS.questions, LABELS.answers, DIMENSIONS)
    assert back.given.tolist() == LABELS.given.tolist()
    same(back.scores, LABELS.scores)


def test_a_key_list_there_and_back():
    keys = read_labels(b"questionId,answerId\n1,A\n1,B\n")
    back = Labels.from_frame(keys.to_frame())
    assert not back.labelled
    assert (back.questions, back.answers) == (("1", "1"), ("A", "B"))


def test_rubrics_there_and_back():
    frame = RUBRICS.to_frame()
    assert len(frame) == 8
    assert frame["dimension_weight"].tolist()[:4] == [0.3, 0.36, 0.2, 0.14]
    back = Rubrics.from_frame(frame)
    assert back.prompts == RUBRICS.prompts
    for question, weights in RUBRICS.weights.items():
        assert {name: float(weight) for name, weight in back.weights[question].items()} == {
            name: float(weight) for name, weight in weights.items()
        }
    assert {q: list(own) for q, own in back.criteria.items()} == {q: list(own) for q, own in RUBRICS.criteria.items()}
    assert back.criteria["2"]["insight"][0].text == "Says it"
    run = read_run(run_text(RUN), LABELS)
    assert score(run, LABELS, back).pairs.tolist() == SCORES.pairs.tolist()


def test_scores_there_and_back():
    frame = SCORES.to_frame()
    assert list(frame)[:4] == ["run", "view", "question", "answers"]
    assert len(frame) == 10
    assert frame["signature"].unique().tolist() == [SCORES.signature]
    row = frame[(frame["view"] == "insight") & (frame["question"] == "2")].iloc[0]
    assert (row["answers"], row["kendall"], row["discordant"]) == (2, -1.0, 1)
    back = Scores.from_frame(frame)
    assert back.to_json(per_question=True) == SCORES.to_json(per_question=True)
    assert (back.policy, back.demo, back.views, back.questions) == (
        SCORES.policy, SCORES.demo, SCORES.views, SCORES.questions,
    )  # fmt: skip


def test_scores_keep_badge_and_partial_mark_in_the_frame():
    scores = replace(SCORES, demo=True, coverage=(3, 4))
    back = Scores.from_frame(scores.to_frame())
    assert back.demo
    assert back.partial


@pytest.mark.parametrize(
    "lose", [lambda f: f.iloc[:-1], lambda f: f.iloc[[1, 0, *range(2, 10)]], lambda f: pd.concat([f, f])]
)
def test_scores_with_lost_or_moved_rows_are_refused(lose):
    frame = SCORES.to_frame()
    lost = lose(frame)
    lost.attrs = frame.attrs
    with pytest.raises(ValueError, match="row"):
        Scores.from_frame(lost)


def test_scores_without_attributes_are_refused():
    frame = SCORES.to_frame()
    frame.attrs = {}
    with pytest.raises(ValueError, match="attrs"):
        Scores.from_frame(frame)


FRAME = pd.DataFrame({"questionId": ["1", "1"], "answerId": ["A", "B"], "truth_score": [1, 2.5], "note": ["x", "y"]})


def test_a_frame_of_ones_own():
    run = Run.from_frame(FRAME)
    assert (run.name, run.tasks, run.dimensions, run.lines) == ("frame", ("0", "0"), ("truth",), (1, 2))
    assert run.scores.values.tolist() == [[1.0], [2.5]]
    assert Run.from_frame(FRAME.assign(questionId=[1, 2])).questions == ("1", "2")


@pytest.mark.parametrize("noun", [Run, Labels])
@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda f: f.drop(columns="questionId"), "questionId"),
        (lambda f: f.drop(columns="answerId"), "answerId"),
        (lambda f: f.assign(answerId=["A", "A"]), "duplicate"),
        (lambda f: f.assign(answerId=[1.0, 2.0]), "text"),
        (lambda f: f.assign(questionId=["1", None]), "text"),
        (lambda f: f.assign(questionId=pd.array([1, None], dtype="Int64")), "text"),
        (lambda f: f.assign(truth_score=[1, math.inf]), "inf"),
        (lambda f: f.assign(truth_score=["good", "bad"]), "good"),
    ],
)
def test_frames_that_are_refused(noun, change, said):
    with pytest.raises(ValueError, match=said):
        noun.from_frame(change(FRAME))


def test_a_run_needs_scores_and_has_no_blanks():
    with pytest.raises(ValueError, match="_score"):
        Run.from_frame(FRAME[["questionId", "answerId"]])
    with pytest.raises(ValueError, match="nan"):
        Run.from_frame(FRAME.assign(truth_score=[1, math.nan]))
    assert Labels.from_frame(FRAME.assign(truth_score=[1, math.nan])).given.tolist() == [[True], [False]]


def test_rubric_frames_that_are_refused():
    frame = RUBRICS.to_frame()
    with pytest.raises(ValueError, match="prompt"):
        Rubrics.from_frame(frame.drop(columns="prompt"))
    with pytest.raises(ValueError, match="nan"):
        Rubrics.from_frame(frame.assign(dimension_weight=math.nan))


# JSON


def test_json_of_scores():
    found = SCORES.to_json()
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert found["name"] == "judge.txt"
    assert found["questions"] is None
    assert found["coverage"] == {"answers": 4, "of": 4}
    assert found["accepted"] is True
    assert found["partial"] is False
    assert list(found["scores"]) == ["overall", *DIMENSIONS]
    assert found["scores"]["overall"]["spearman"] == {"mean": -1.0, "defined": 1, "undefined": 1}
    assert found["scores"]["overall"]["accuracy"] == {"mean": 0.0, "defined": 1, "undefined": 1, "pooled": 0.0}
    questions = SCORES.to_json(per_question=True)["questions"]
    assert [question["question"] for question in questions] == ["01", "2"]
    assert questions[0]["overall"]["answers"] == 1
    assert questions[0]["insight"]["kendall"] is None


def test_floats_are_told_in_full():
    scores = replace(SCORES, kendall=np.full(SCORES.kendall.shape, 0.1 + 0.2))
    assert json.dumps(scores.to_json()).count("0.30000000000000004") == 5


@pytest.mark.parametrize(
    ("mean", "pooled", "differs"),
    [(0.5, 0.5, False), (0.5, 0.5 + 1e-16, False), (0.5, 0.5001, True), (None, None, False), (None, 0.5, True)],
)
def test_when_pooled_and_mean_differ(mean, pooled, differs):
    assert Mean(mean, 1, 0, pooled).pooled_differs is differs


def test_unknown_measures_and_views():
    with pytest.raises(KeyError):
        SCORES.values("pairs")
    with pytest.raises(KeyError, match="beauty"):
        SCORES.mean("beauty", "kendall")


# What tables say about themselves


def test_labels_know_their_grid():
    assert LABELS.question_order == ("01", "2")
    assert LABELS.question_numbers.tolist() == [0, 0, 1, 1]
    ragged = read_labels(labels_csv([("b", "A", 1), ("a", "A", 1), ("b", "C", 1), ("b", "B", 1)]))
    assert ragged.grid.tolist() == [[0, 2, 3], [1, -1, -1]]
    assert ragged.index == {("b", "A"): 0, ("a", "A"): 1, ("b", "C"): 2, ("b", "B"): 3}


def test_names_in_signatures():
    assert LABELS.signed == f"set@{LABELS.digest[:8]}"
    assert replace(LABELS, revision="abc").signed == "set@abc"


def test_tables_cannot_be_changed():
    for table, name in ((LABELS, "name"), (SCORES, "near_ties"), (RUBRICS, "digest"), (Policy(), "ties")):
        with pytest.raises(AttributeError):
            setattr(table, name, "other")


def test_problems_group_by_kind():
    found = [Problem("error", "a", f"number {n}", "Mend it.", n) for n in range(1, 8)]
    found.insert(3, Problem("warning", "a", "softer"))
    errors, warnings = group_problems(found)
    assert (errors.count, errors.more, len(errors.shown)) == (7, 2, 5)
    assert errors.lines() == [*(f"line {n}: number {n}" for n in range(1, 6)), "and 2 more of this kind", "Mend it."]
    assert warnings.lines() == ["softer"]


def test_pandas_is_imported_by_frames_alone():
    code = (
        "import sys, aeollm; run = aeollm.read_run(b'0 1 A 1 2 3 4'); assert 'pandas' not in sys.modules; "
        "run.to_frame(); assert 'pandas' in sys.modules"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
