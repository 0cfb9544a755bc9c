"""Label files: the CSV of human scores, the key list, and everything that is neither."""

import csv
import hashlib
import io
import zipfile

import pytest
from datasets import Dataset

from aeollm import LabelsError, labels_from_dataset, read_labels
from aeollm.evaluation import evaluate
from aeollm.sources import LabelSet
from tests.small_files import DIMENSIONS, labels_csv, run_text

ROWS = [("1", "A", 1, 2, 3, 4), ("1", "B", "2.5", 3, 4, 5), ("2", "A", 3, 4, 5, "6.25")]
GOOD = labels_csv(ROWS)
VALUES = [[1, 2, 3, 4], [2.5, 3, 4, 5], [3, 4, 5, 6.25]]


def the_error(content):
    with pytest.raises(LabelsError) as raised:
        read_labels(content)
    (problem,) = raised.value.problems
    assert problem.severity == "error"
    return problem


def test_a_plain_file():
    labels = read_labels(GOOD, name="train")
    assert (labels.name, labels.revision, labels.demo) == ("train", None, False)
    assert labels.questions == ("1", "1", "2")
    assert labels.answers == ("A", "B", "A")
    assert labels.dimensions == DIMENSIONS
    assert labels.scores.values.tolist() == VALUES
    assert labels.given.all()
    assert labels.labelled
    assert labels.problems == ()
    assert labels.digest == hashlib.sha256(GOOD).hexdigest()


def test_name_and_source_come_from_the_path(tmp_path):
    path = tmp_path / "train.v2.csv"
    path.write_bytes(GOOD)
    labels = read_labels(path)
    assert (labels.name, labels.source) == ("train.v2", str(path))
    assert read_labels(str(path), name="set", source="here").source == "here"


def test_columns_in_any_order_with_a_task_and_others_ignored():
    header = "note,readability_score,answerId,insight_score,taskId,comprehensiveness_score,questionId"
    header += ",instruction_following_score,model"
    labels = read_labels((header + '\n"a, b",4,A,2,0,1,7,3,x\n').encode())
    assert labels.dimensions == DIMENSIONS
    assert labels.scores.values.tolist() == [[1, 2, 3, 4]]
    assert (labels.questions, labels.answers) == (("7",), ("A",))
    assert labels.problems == ()


def test_columns_without_the_suffix_are_ignored():
    lines = GOOD.decode().splitlines()
    content = "\n".join([lines[0] + ",insight", *(line + ",9" for line in lines[1:])])
    labels = read_labels(content.encode())
    assert labels.dimensions == DIMENSIONS
    assert labels.scores.values.tolist() == VALUES
    assert labels.problems == ()


def test_dimensions_without_the_suffix_alone_are_told():
    labels = read_labels(GOOD.replace(b"_score", b""))
    assert not labels.labelled
    assert [(problem.kind, problem.column) for problem in labels.problems] == [
        ("ignored_column", name) for name in DIMENSIONS
    ]
    assert "insight_score" in labels.problems[1].remedy


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16", "gb18030"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_encodings_and_line_ends(codec, end):
    text = GOOD.decode().replace("A,", "甲乙,").replace("\n", end)
    labels = read_labels(text.encode(codec))
    assert labels.answers == ("甲乙", "B", "甲乙")
    assert labels.scores.values.tolist() == VALUES
    assert [problem.kind for problem in labels.problems] == (["encoding"] if codec == "gb18030" else [])


def test_quoted_cells_blank_lines_and_blanks_around_ids():
    header = '"questionId","answerId",' + ",".join(f'"{name}_score"' for name in DIMENSIONS)
    labels = read_labels(f'\n{header}\n\n"1"," A ","1","2","3","4"\n,,,,,\n1,B, 2.5 ,3,4,5\n\n'.encode())
    assert labels.answers == ("A", "B")
    assert labels.scores.values.tolist() == VALUES[:2]
    (warning,) = labels.problems
    assert (warning.severity, warning.kind, warning.line, warning.column) == ("warning", "blank_in_id", 4, "answerId")


def test_ids_are_text():
    ids = ["01", "1", "NA", "nan", "null", "None", "1.0", "TRUE"]
    assert read_labels(labels_csv([(name, name, 1) for name in ids])).questions == tuple(ids)


def test_scores_are_exact():
    labels = read_labels(labels_csv([("1", "A", "0.1"), ("1", "B", "7.3333333333333333333")]))
    assert labels.scores.exponent == -19
    assert labels.scores.units[0, 0] == 10**18
    assert labels.scores.units[1, 0] == 73333333333333333333


# Blank cells


def test_blank_cells_drop_the_answer_there_and_overall_counted():
    labels = read_labels(labels_csv([("q", "A", 1, "", 1, 1), ("q", "B", 2, " ", 2, 2), ("q", "C", 3), ("q", "D", "")]))
    assert labels.given.tolist() == [[True, False, True, True]] * 2 + [[True] * 4, [False] * 4]
    evaluation = evaluate([(run_text([("q", name, 5) for name in "ABCD"]), "run")], LabelSet(labels, None))
    (scores,) = (result.scores for result in evaluation.results)
    assert dict(zip(scores.views, scores.answers[:, 0].tolist(), strict=True)) == {
        "overall": 1,
        "comprehensiveness": 3,
        "insight": 1,
        "instruction_following": 3,
        "readability": 3,
    }
    told = {problem.column: problem for problem in evaluation.label_problems if problem.kind == "missing_label"}
    assert {column: problem.message[:6] for column, problem in told.items()} == {
        f"{name}_score": f"{count} of 4" for name, count in zip(DIMENSIONS, (1, 3, 1, 1), strict=True)
    }
    assert all("overall" in problem.message for problem in told.values())


def test_a_key_list_has_no_scores():
    labels = read_labels(b"taskId,questionId,answerId\n0,1,A\n0,1,B\n")
    assert not labels.labelled
    assert (labels.dimensions, labels.views, len(labels)) == ((), ("overall",), 2)
    assert labels.run_dimensions == DIMENSIONS
    assert labels.problems == ()


def test_all_cells_blank_is_a_key_list_with_a_warning():
    labels = read_labels(labels_csv([("1", "A", ""), ("1", "B", "")]))
    assert not labels.labelled
    assert [(problem.severity, problem.kind) for problem in labels.problems] == [("warning", "no_scores")]


# Other dimensions


def test_other_score_columns_make_other_views():
    labels = read_labels(labels_csv([("1", "A", 1, 2)], ("truth", "style")))
    assert labels.dimensions == labels.run_dimensions == ("truth", "style")
    assert labels.views == ("overall", "truth", "style")


def test_official_dimensions_come_first_among_others():
    labels = read_labels(labels_csv([("1", "A", 1, 2, 3)], ("style", "readability", "insight")))
    assert labels.dimensions == ("insight", "readability", "style")
    assert labels.scores.values.tolist() == [[3, 2, 1]]


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        ("overall_score", "reserved_column"),
        ("question_score", "reserved_column"),
        ("_score", "column_name"),
        ("my view_score", "column_name"),
        ("a\xa0b_score", "column_name"),
    ],
)
def test_score_columns_that_cannot_be_a_view(column, kind):
    problem = the_error(f"questionId,answerId,{column}\n1,A,3\n".encode())
    assert (problem.kind, problem.line) == (kind, 1)
    assert problem.remedy


# Refused


@pytest.mark.parametrize("missing", ["questionId", "answerId", "insight_score", "readability_score"])
def test_a_missing_column_is_named(missing):
    header = ["questionId", "answerId", *(f"{name}_score" for name in DIMENSIONS)]
    cut = header.index(missing)
    rows = [line.split(",") for line in GOOD.decode().splitlines()]
    content = "\n".join(",".join(row[:cut] + row[cut + 1 :]) for row in rows).encode()
    problem = the_error(content)
    assert (problem.kind, problem.line, problem.column) == ("missing_column", 1, missing)
    assert missing in problem.message
    assert header[1 if cut == 0 else 0] in problem.message


@pytest.mark.parametrize(("separator", "said"), [(";", "semicolons"), ("\t", "tabs")])
def test_other_separators_are_named(separator, said):
    problem = the_error(GOOD.replace(b",", separator.encode()))
    assert (problem.kind, problem.line) == ("missing_column", 1)
    assert said in problem.message
    assert "comma" in problem.remedy


def test_a_column_that_stands_twice():
    problem = the_error(GOOD.replace(b"insight", b"readability"))
    assert (problem.kind, problem.column) == ("duplicate_column", "readability_score")


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"", "empty"),
        (b"\n\n", "empty"),
        (b"<!doctype html>\n<html><body>Sign in</body></html>", "html"),
        (b"\n<html lang='zh'>", "html"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:12\nsize 3\n", "lfs_pointer"),
        (b'[{"questionId": 1, "answerId": "A"}]', "json"),
        (b'{"questionId": [1]}', "json"),
        (GOOD.split(b"\n")[0] + b"\n", "no_rows"),
        (b"questionId,answerId\n\n,\n", "no_rows"),
        (b"\x1f\x8b\x08", "is_archive"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "spreadsheet"),
        (GOOD + b'3,"A,1,2,3,4\n3,B,1,2,3,4\n', "csv"),
        (GOOD + b'3,"A"x,1,2,3,4\n', "csv"),
    ],
)
def test_files_that_are_no_labels(content, kind):
    problem = the_error(content)
    assert problem.kind == kind
    assert problem.remedy


def test_an_unbalanced_quote_is_refused_with_a_line():
    assert the_error(GOOD + b'3,"A,1,2,3,4\n').line is not None


def zipped(**files):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return stream.getvalue()


def test_a_workbook_and_a_zip_in_place_of_the_csv():
    assert the_error(zipped(**{"[Content_Types].xml": "<x/>", "xl/workbook.xml": "<x/>"})).kind == "spreadsheet"
    assert the_error(zipped(**{"labels.csv": GOOD})).kind == "is_archive"
    assert the_error(b"PK\x03\x04rest").kind == "archive_damaged"


def test_duplicates_name_both_lines():
    problem = the_error(GOOD + b"\n1,B,1,1,1,1\n")
    assert (problem.kind, problem.line, problem.question, problem.answer) == ("duplicate_key", 6, "1", "B")
    assert "line 3" in problem.message
    assert problem.remedy


@pytest.mark.parametrize("row", [b"3,A,1,2,3\n", b"3,A,1,2,3,4,5\n", b"3\n"])
def test_rows_of_another_width(row):
    problem = the_error(GOOD + row)
    assert (problem.kind, problem.line) == ("column_count", 5)
    assert f"{row.count(b',') + 1} cells instead of 6" in problem.message


@pytest.mark.parametrize(
    ("cell", "kind", "said"),
    [
        ("nan", "non_finite", "finite"),
        ("inf", "non_finite", "finite"),
        ("7.5.1", "not_a_number", "number"),
        ("1e400", "too_large", "float64"),
        ("NA", "not_a_number", "missing"),
        ("\uff17", "full_width", "U+FF17"),
        ('"7,5"', "not_a_number", "decimal comma"),
    ],
)
def test_cells_that_are_no_numbers(cell, kind, said):
    problem = the_error(GOOD + f"3,A,1,{cell},3,4\n".encode())
    assert (problem.kind, problem.line, problem.column) == (kind, 5, "insight_score")
    assert (problem.question, problem.answer, problem.value) == ("3", "A", cell.strip('"'))
    assert said in problem.message


@pytest.mark.parametrize(
    ("row", "kind", "column"),
    [
        (",A,1,2,3,4", "empty_cell", "questionId"),
        ("3,,1,2,3,4", "empty_cell", "answerId"),
        ("3,Doc 1,1,2,3,4", "blank_in_id", "answerId"),
        ("3,Doc\t1,1,2,3,4", "blank_in_id", "answerId"),
        ('3,"Doc\n1",1,2,3,4', "blank_in_id", "answerId"),
    ],
)
def test_ids_that_no_run_could_write(row, kind, column):
    problem = the_error(GOOD + row.encode() + b"\n")
    assert (problem.kind, problem.column) == (kind, column)


def test_all_problems_at_once():
    with pytest.raises(LabelsError) as raised:
        read_labels(GOOD + b"3,A,x,2,3,4\n3,B\n1,A,1,2,3,4\n4,,1,2,y,4\n", name="set")
    assert [(problem.kind, problem.line) for problem in raised.value.problems] == [
        ("not_a_number", 5),
        ("column_count", 6),
        ("empty_cell", 8),
        ("not_a_number", 8),
        ("duplicate_key", 7),
    ]
    assert str(raised.value).startswith("set: 5 problems\n")


def test_a_path_that_is_not_there(tmp_path):
    for path in (tmp_path / "no.csv", tmp_path):
        with pytest.raises(LabelsError) as raised:
            read_labels(path)
        assert [problem.kind for problem in raised.value.problems] == ["unreadable_file"]


# Datasets


def test_labels_from_a_dataset_are_those_of_its_csv():
    rows = list(csv.DictReader(io.StringIO(GOOD.decode())))
    scores = {name: [float(row[name]) for row in rows] for name in rows[0] if name.endswith("_score")}
    ids = {name: [row[name] for row in rows] for name in ("questionId", "answerId")}
    labels = labels_from_dataset(Dataset.from_dict({"prompt": ["x"] * 3, **scores, **ids}), name="hub")
    assert (labels.name, labels.questions, labels.answers) == ("hub", ("1", "1", "2"), ("A", "B", "A"))
    assert labels.dimensions == DIMENSIONS
    assert labels.scores.values.tolist() == VALUES


def test_a_dataset_with_whole_numbers_as_ids_and_blank_scores():
    columns = {f"{name}_score": [1.5, None] for name in DIMENSIONS}
    labels = labels_from_dataset(Dataset.from_dict({"questionId": [1, 2], "answerId": ["A", "A"], **columns}))
    assert labels.questions == ("1", "2")
    assert labels.given.tolist() == [[True] * 4, [False] * 4]


def test_a_dataset_without_the_columns_is_refused():
    with pytest.raises(LabelsError) as raised:
        labels_from_dataset(Dataset.from_dict({"text": ["a"]}))
    assert raised.value.problems[0].kind in {"missing_column", "empty"}
