"""What people take away opens as it was written, in a spreadsheet too."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeollm import DIMENSIONS, read_labels, read_run, score
from aeollm.evaluation import evaluate
from aeollm.exports import csv_bytes, questions_csv, scores_json, template_run
from aeollm.sources import DEMO_FOLDER, LabelSet, demo_set
from tests.small_files import labels_csv, run_text

CASES = Path(__file__).parents[1] / "cases"
C38 = CASES / "dev" / "C38"
HUMAN = [("a", "1", 1), ("a", "2", 2), ("a", "3", 3), ("=b", "-1", 1), ("=b", "2", 2)]
JUDGE = [("a", "1", 3), ("a", "2", 2), ("a", "3", 1), ("=b", "-1", 5), ("=b", "2", 5)]


def read_back(content):
    """Read a CSV as a spreadsheet does."""
    return list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline="")))


def scores_of(name="judge.txt"):
    labels = read_labels(labels_csv(HUMAN), name="set")
    return score(read_run(run_text(JUDGE), labels, name=name), labels)


class TestCsv:
    def test_c38(self):
        cells = [cell["value"] for cell in json.loads((C38 / "cells.json").read_text("utf-8"))]
        [check] = json.loads((C38 / "expected.json").read_text("utf-8"))["checks"]
        _, *rows = read_back(csv_bytes(["value"], [[cell, "end"] for cell in cells]))
        written = [row[0] for row in rows]
        expected = check["cells_after_reading_the_csv_back"]
        assert len(written) == len(expected)
        for cell, wanted in zip(written, expected, strict=True):
            assert cell == wanted or (wanted is None and float(cell) == -1e-07)
        assert {row[1] for row in rows} == {"end"}

    def test_excel_sees_utf_8(self):
        content = csv_bytes(["问题"], [["答案"]])
        assert content.startswith("﻿".encode())
        assert content.endswith(b"\r\n")

    @pytest.mark.parametrize("text", ["=1", "+1", "-1", "@x", " =1", "\t=1", "\r=1", "\n=1", "\u00a0=1", "\u3000-1"])
    def test_formulas_are_text_in_headers_too(self, text):
        assert read_back(csv_bytes([text], [[text]])) == [[f"'{text}"]] * 2

    @pytest.mark.parametrize("text", ["1", "a=1", "Doc_1", "'=1", "中文", "", "a-b", "1+1"])
    def test_other_text_stays(self, text):
        assert read_back(csv_bytes(["x"], [[text, "end"]]))[1] == [text, "end"]

    @pytest.mark.parametrize("number", [-0.25, -1e-07, 0.1, 3, -3, 1e300, -0.0, np.float64(-0.25), np.int64(-3)])
    def test_numbers_stay_numbers(self, number):
        [_, [cell, _]] = read_back(csv_bytes(["x"], [[number, "end"]]))
        assert float(cell) == number

    @pytest.mark.parametrize("nothing", [None, float("nan"), np.float64("nan")])
    def test_nothing_is_an_empty_cell(self, nothing):
        assert read_back(csv_bytes(["x"], [[nothing, "end"]]))[1] == ["", "end"]

    def test_half_a_surrogate_pair_does_not_break_the_file(self):
        assert b"\\ud800" in csv_bytes(["x"], [["\ud800"]])

    @given(st.lists(st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=2, max_size=2), max_size=5))
    def test_any_text_comes_back_with_an_apostrophe_at_most(self, rows):
        _, *found = read_back(csv_bytes(["x", "y"], rows))
        assert len(found) == len(rows)
        for written, row in zip(found, rows, strict=True):
            for cell, text in zip(written, row, strict=True):
                assert cell in (text, f"'{text}")
                assert not cell.lstrip().startswith(("=", "+", "-", "@"))


class TestQuestions:
    def test_one_row_a_run_view_and_question(self):
        runs = [scores_of("=1.txt"), scores_of("two.txt")]
        head, *rows = read_back(questions_csv(runs, ["=1.txt", "two.txt"]))
        assert head[:4] == ["run", "view", "question", "answers"]
        assert len(rows) == 2 * 5 * 2
        assert {row[0] for row in rows} == {"'=1.txt", "two.txt"}
        assert {row[2] for row in rows} == {"a", "'=b"}
        found = [dict(zip(head, row, strict=True)) for row in rows]
        assert [row["signature"] for row in found] == [run.signature for run in runs for _ in range(10)]
        first = found[0]
        assert (first["spearman"], first["kendall"], first["accuracy"]) == ("-1.0", "-1.0", "0.0")
        assert [first[kind] for kind in head[7:12]] == ["0", "3", "0", "0", "0"]

    def test_undefined_is_an_empty_cell(self):
        head, *rows = read_back(questions_csv([scores_of()], ["judge.txt"]))
        undefined = [dict(zip(head, row, strict=True)) for row in rows if row[2] == "'=b"]
        assert {(row["spearman"], row["kendall"], row["accuracy"]) for row in undefined} == {("", "", "0.0")}
        assert {row["tied_run"] for row in undefined} == {"1"}

    def test_the_demo_is_marked_in_every_row(self):
        demo = demo_set()
        run = DEMO_FOLDER / "runs" / "good_judge.txt"
        [result] = evaluate([(run, None)], demo).results
        head, *rows = read_back(questions_csv([result.scores], [run.name]))
        place = head.index("labels_are")
        assert {row[place] for row in rows} == {"DEMO (simulated)"}
        head, *rows = read_back(questions_csv([scores_of()], ["judge.txt"]))
        assert not [row for row in rows if "DEMO" in row[place]]

    def test_names_have_to_fit_the_runs(self):
        with pytest.raises(ValueError, match="zip"):
            questions_csv([scores_of()], [])


class TestJson:
    @pytest.fixture
    def evaluation(self):
        label_set = LabelSet(read_labels(labels_csv(HUMAN), name="set"), None)
        return evaluate([(run_text(JUDGE), "好\ud800.txt"), (b"nonsense", "bad.txt")], label_set)

    def test_it_is_the_documented_object(self, evaluation):
        taken = json.loads(scores_json(evaluation))
        assert taken == evaluation.to_json(per_question=True)
        assert list(taken) == ["signature", "labels", "runs"]
        assert [run["accepted"] for run in taken["runs"]] == [True, False]
        undefined = next(row for row in taken["runs"][0]["questions"] if row["question"] == "=b")
        assert undefined["overall"]["spearman"] is None

    def test_it_is_strict_and_legible(self, evaluation):
        content = scores_json(evaluation).decode()
        assert "好" in content
        json.loads(content, parse_constant=pytest.fail)


class TestTemplate:
    @pytest.mark.parametrize("labels", ["labels.csv", "dev/C07/labels.csv", "dev/C08/labels.csv"])
    def test_it_is_a_run_for_its_labels(self, labels):
        known = read_labels(CASES / labels)
        run = read_run(template_run(known), known)
        assert list(run.keys()) == list(zip(known.questions, known.answers, strict=True))
        assert run.dimensions == DIMENSIONS

    def test_other_dimensions_have_their_header(self):
        known = read_labels(labels_csv([("a", "1", 1, 2), ("a", "2", 2, 3)], ("warmth", "length")), name="own")
        content = template_run(known)
        assert content.splitlines()[0] == b"taskId\tquestionId\tanswerId\twarmth_score\tlength_score"
        assert read_run(content, known).dimensions == ("warmth", "length")

    def test_a_list_of_answers_gets_the_official_columns(self):
        known = read_labels(b"questionId,answerId\n1,a\n1,b\n", name="keys")
        assert template_run(known) == b"0\t1\ta\t0\t0\t0\t0\n0\t1\tb\t0\t0\t0\t0\n"
