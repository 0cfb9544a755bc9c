"""Run files, demand by demand: what is read, what is refused, and what the refusal says."""

import hashlib
import json
import time

import pytest

from aeollm import Policy, RunError, inspect_run, read_labels, read_run
from tests.small_files import DIMENSIONS, HEADER, labels_csv, run_text

ANSWERS = [("1", "Doc_01"), ("1", "Doc_02"), ("1", "Doc_03"), ("2", "Doc_01"), ("2", "Doc_02")]
LABELS = read_labels(labels_csv([(*key, 2 * place) for place, key in enumerate(ANSWERS, 1)]), name="five")
LINES = [f"0 {question} {answer} 7.5 6 5 4.25" for question, answer in ANSWERS]
GOOD = "\n".join(LINES) + "\n"


def inspected(text, labels=LABELS, policy=None):
    return inspect_run(text.encode() if isinstance(text, str) else text, labels, policy)


def told(inspection, severity=None):
    return [problem for problem in inspection.problems if severity in (None, problem.severity)]


def the_error(text, labels=LABELS, policy=None):
    inspection = inspected(text, labels, policy)
    assert inspection.run is None
    (problem,) = told(inspection, "error")
    return problem


def with_cell(cell, column=3):
    tokens = LINES[1].split()
    tokens[column] = cell
    return "\n".join([LINES[0], " ".join(tokens), *LINES[2:]])


# Columns and lines


def test_a_plain_file():
    inspection = inspected(GOOD)
    assert inspection.problems == ()
    assert inspection.coverage == (5, 5)
    assert inspection.digest == hashlib.sha256(GOOD.encode()).hexdigest()
    run = inspection.run
    assert list(run.keys()) == ANSWERS
    assert run.lines == (1, 2, 3, 4, 5)
    assert run.dimensions == DIMENSIONS
    assert run.scores.values.tolist() == [[7.5, 6.0, 5.0, 4.25]] * 5


@pytest.mark.parametrize("gap", [" ", "\t", "    ", "\t\t", " \t ", "\t \t"])
@pytest.mark.parametrize("around", ["", " ", "\t"])
def test_any_mix_of_tabs_and_blanks(gap, around):
    text = "\n".join(around + gap.join(line.split()) + around for line in LINES)
    inspection = inspected(text)
    assert inspection.problems == ()
    assert inspection.run.answers == tuple(answer for _, answer in ANSWERS)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("last", ["", "end", "end end"])
def test_line_ends(end, last):
    inspection = inspected(end.join(LINES) + end * len(last.split()))
    assert inspection.problems == ()
    assert inspection.run.lines == (1, 2, 3, 4, 5)


def test_mixed_line_ends_count_as_one_line_each():
    run = inspected("\r".join(LINES[:2]) + "\r\n" + "\n".join(LINES[2:])).run
    assert run.lines == (1, 2, 3, 4, 5)


@pytest.mark.parametrize("space", ["\xa0", "\u2003", "\u2007", "\u2028", "\x0b", "\x0c", "\x85", "\x1c", "\u3000"])
def test_no_other_character_separates(space):
    problem = the_error(GOOD.replace("Doc_02 7.5", f"Doc_02{space}7.5", 1))
    assert problem.kind == ("full_width" if space == "\u3000" else "invisible_character")
    assert (problem.line, problem.column) == (2, "answerId")
    assert f"U+{ord(space):04X}" in problem.message
    assert "ordinary blank" in problem.remedy


@pytest.mark.parametrize(("place", "space"), [(0, "\xa0"), (6, "\u3000"), (6, "\xa0")])
def test_odd_blanks_in_every_column_name_that_column(place, space):
    columns = HEADER.split()
    tokens = LINES[0].split()
    tokens[place] += space
    problem = the_error("\n".join([" ".join(tokens), *LINES[1:]]) if place else GOOD.replace("0 1", f"0{space}1", 1))
    assert problem.column == columns[place]
    assert f"U+{ord(space):04X}" in problem.message


def test_an_odd_blank_at_the_end_of_a_line():
    problem = the_error(GOOD.replace("4.25", "4.25 \xa0", 1))
    assert (problem.kind, problem.line, problem.column) == ("invisible_character", 1, "readability_score")


@pytest.mark.parametrize("column", range(7))
def test_an_empty_cell_between_tabs_is_named(column):
    tokens = LINES[1].split()
    tokens[column] = ""
    found = told(inspected("\n".join([LINES[0], "\t".join(tokens), *LINES[2:]])), "error")
    # Without its id a line stands for nobody.
    assert [problem.answer for problem in found[1:]] == (["Doc_02"] if column in {1, 2} else [])
    problem = found[0]
    assert (problem.kind, problem.line, problem.column, problem.value) == ("empty_cell", 2, HEADER.split()[column], "")
    assert problem.remedy


def test_two_empty_cells_are_two_problems():
    found = told(inspected("\n".join([*LINES[:4], "0\t2\tDoc_02\t\t6\t\t4"])), "error")
    assert [(problem.line, problem.column) for problem in found] == [
        (5, "comprehensiveness_score"),
        (5, "instruction_following_score"),
    ]


def test_an_empty_cell_of_blanks_between_tabs():
    problem = the_error("\n".join([*LINES[:4], "0\t2\tDoc_02\t \t6\t5\t4"]))
    assert (problem.kind, problem.column) == ("empty_cell", "comprehensiveness_score")


@pytest.mark.parametrize(
    ("line", "count"),
    [("0 2 Doc_02 1 2 3", 6), ("0 2 Doc_02 1 2 3 4 5", 8), ("0 2 Doc_02 1 2 3 4 # best", 9), ("0\t2\tDoc_02", 3)],
)
def test_wrong_column_count_shows_the_tokens_seen(line, count):
    problem = the_error("\n".join([*LINES[:4], line]))
    assert (problem.kind, problem.line, problem.value) == ("column_count", 5, line.replace("\t", "\\t"))
    assert f"{count} columns instead of 7" in problem.message
    assert " | ".join(line.split()) in problem.message


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (LINES[4].replace(" ", ","), "commas"),
        (LINES[4].replace(" ", ";"), "semicolons"),
        (LINES[4].replace(" ", "\uff0c"), "full-width commas"),
        ("# made by a judge", "no comments"),
        ("0 2 Doc 02 1 2 3 4", "Doc_02"),
    ],
)
def test_remedy_for_a_wrong_column_count(line, said):
    text = "\n".join([*LINES[:4], line] if "made" not in line else [*LINES, line])
    assert said in the_error(text).remedy


def test_a_line_with_a_blank_in_its_id_is_not_missing_as_well():
    assert the_error(GOOD.replace("Doc_02", "Doc 02", 1)).kind == "column_count"


def test_blank_lines_are_skipped_but_counted():
    inspection = inspected("\n\n".join(LINES) + "\n \t\n")
    assert inspection.run.lines == (1, 3, 5, 7, 9)
    (note,) = inspection.problems
    assert (note.severity, note.kind, note.line) == ("note", "blank_lines", 2)
    assert "4 blank lines" in note.message


def test_blank_lines_at_the_end_are_nothing_to_say():
    assert inspected(GOOD + "\n\n \t\n\n").problems == ()


def test_lines_are_numbered_through_header_and_blank_lines():
    problem = the_error("\n".join([HEADER, "", *LINES[:4], "", "0 2 Doc_02 x 1 1 1"]))
    assert problem.line == 8


# Encodings


def test_utf8_with_mark():
    assert inspected(b"\xef\xbb\xbf" + GOOD.encode()).problems == ()


@pytest.mark.parametrize("codec", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf16_with_mark(codec):
    mark = {"utf-16": b"", "utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}[codec]
    inspection = inspected(mark + GOOD.replace("\n", "\r\n").encode(codec))
    assert inspection.problems == ()
    assert inspection.coverage == (5, 5)


def test_utf16_without_mark_is_named():
    problem = the_error_of_bytes(GOOD.encode("utf-16-le"))
    assert problem.kind == "encoding"
    assert "UTF-16" in problem.message
    assert "UTF-8" in problem.remedy


def the_error_of_bytes(content):
    inspection = inspect_run(content, LABELS)
    assert inspection.run is None
    assert inspection.coverage == (0, 5)
    (problem,) = inspection.problems
    return problem


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"\xfe\xff\xd8", "\ufeff".encode("utf-16-le")[:2] + b"\x00\xd8"])
def test_damaged_utf16(content):
    assert the_error_of_bytes(content).kind == "encoding"


@pytest.mark.parametrize("codec", ["utf-32", "utf-32-be"])
def test_utf32_is_named(codec):
    mark = b"" if codec == "utf-32" else b"\x00\x00\xfe\xff"
    problem = the_error_of_bytes(mark + GOOD.encode(codec))
    assert (problem.kind, problem.remedy) == ("encoding", "Save it as UTF-8.")


def test_gb18030_as_a_fallback_with_a_warning():
    chinese = read_labels(labels_csv([("一", "文档_1", 1), ("一", "文档_2", 2)]))
    text = run_text([("一", "文档_1", 1), ("一", "文档_2", 2)])
    inspection = inspected(text.decode().encode("gb18030"), chinese)
    (warning,) = inspection.problems
    assert (warning.severity, warning.kind) == ("warning", "encoding")
    assert "GB18030" in warning.message
    assert inspection.run.answers == ("文档_1", "文档_2")
    assert inspected(text, chinese).problems == ()


def test_neither_utf8_nor_gb18030():
    problem = the_error_of_bytes("\n".join(LINES).replace("Doc_03", "caf\xe9").encode("latin-1"))
    assert (problem.kind, problem.line) == ("encoding", 3)
    assert "UTF-8" in problem.remedy


@pytest.mark.parametrize("before", ["", " ", "\t"])
def test_mark_at_a_later_line_is_removed_with_a_warning(before):
    inspection = inspected("\n".join([*LINES[:3], before + "\ufeff" + LINES[3], LINES[4]]))
    (warning,) = inspection.problems
    assert (warning.severity, warning.kind, warning.line) == ("warning", "invisible_character", 4)
    assert "U+FEFF" in warning.message
    assert set(inspection.run.tasks) == {"0"}


def test_joined_files_with_mark_and_header():
    text = "\ufeff" + HEADER + "\n" + "\n".join(LINES[:3]) + "\n\ufeff" + HEADER + "\n" + "\n".join(LINES[3:])
    inspection = inspected(text)
    assert [(problem.severity, problem.kind, problem.line) for problem in inspection.problems] == [
        ("warning", "invisible_character", 5),
        ("note", "header", 1),
        ("note", "header", 5),
    ]
    assert inspection.coverage == (5, 5)


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"", "empty"),
        (b"\n \t\n", "empty"),
        (b"\xef\xbb\xbf", "empty"),
        (b"<!DOCTYPE html><html>", "html"),
        (b"\n <html>", "html"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n", "lfs_pointer"),
        (b'{"answers": []}', "json"),
        (b"[1, 2]", "json"),
        (b"\x1f\x8b\x08\x00rest", "is_archive"),
        (b"7z\xbc\xaf\x27\x1c", "is_archive"),
        (b"Rar!\x1a\x07", "is_archive"),
        (b"%PDF-1.7", "binary"),
        (b"\x89PNG\r\n", "binary"),
        (b"\xd0\xcf\x11\xe0", "spreadsheet"),
        (b"1 2\x00 3", "encoding"),
    ],
)
def test_files_that_are_something_else(content, kind):
    problem = the_error_of_bytes(content)
    assert (problem.severity, problem.kind) == ("error", kind)
    assert problem.remedy


def test_a_file_that_is_not_there(tmp_path):
    for path in (tmp_path / "none.txt", tmp_path, tmp_path / ("x" * 300), tmp_path / "a\0b"):
        inspection = inspect_run(path, LABELS)
        (problem,) = inspection.problems
        assert (problem.kind, inspection.run, inspection.coverage) == ("unreadable_file", None, (0, 5))
        assert inspection.name == path.name


def test_too_large_a_file_is_not_read_to_its_end(tmp_path):
    path = tmp_path / "huge.txt"
    with path.open("wb") as stream:
        stream.truncate(64 * 2**20 + 1)
    (problem,) = inspect_run(path, LABELS).problems
    assert problem.kind == "file_too_large"
    assert "64 MiB" in problem.message


# Headers


@pytest.mark.parametrize(
    "header",
    [
        HEADER,
        HEADER.replace("_score", ""),
        HEADER.replace("insight_score", "insight"),
        "\t".join(HEADER.split()),
    ],
)
def test_a_header_is_skipped_with_a_note(header):
    inspection = inspected("\n".join([header, *LINES]))
    (note,) = inspection.problems
    assert (note.severity, note.kind, note.line) == ("note", "header", 1)
    assert inspection.coverage == (5, 5)


@pytest.mark.parametrize(
    "header",
    [
        HEADER.replace("comprehensiveness_score insight_score", "insight_score comprehensiveness_score"),
        HEADER.replace("taskId questionId", "questionId taskId"),
        HEADER.lower(),
        HEADER.replace("insight_score", "depth_score"),
        HEADER.replace(" readability_score", ""),
        "#" + HEADER,
        '"taskId" "questionId" "answerId" "a" "b" "c" "d"',
    ],
)
def test_a_header_with_other_names_or_order_is_an_error(header):
    problem = the_error("\n".join([header, *LINES]))
    assert (problem.kind, problem.line) == ("header", 1)
    assert HEADER in problem.remedy


def test_only_score_columns_may_lack_or_have_the_suffix():
    assert the_error("\n".join([HEADER.replace("taskId", "taskId_score"), *LINES])).kind == "header"


def test_header_only():
    inspection = inspected(HEADER + "\n")
    assert inspection.run is None
    assert inspection.coverage == (0, 5)
    assert {problem.kind for problem in told(inspection, "error")} == {"missing_answers"}
    without = inspected(HEADER + "\n", labels=None)
    assert without.run is None
    assert [problem.kind for problem in told(without, "error")] == ["empty"]


OWN = read_labels(labels_csv([("1", "A", 1, 2), ("1", "B", 2, 1)], ("truth", "style")))
OWN_HEADER = "taskId questionId answerId truth_score style_score"


@pytest.mark.parametrize("header", [OWN_HEADER, OWN_HEADER.replace("_score", "")])
def test_other_dimensions_need_a_header(header):
    inspection = inspected(header + "\n0 1 A 1 2\n0 1 B 2 1\n", OWN)
    assert [problem.kind for problem in inspection.problems] == ["header"]
    assert inspection.run.dimensions == ("truth", "style")
    assert inspection.run.scores.values.tolist() == [[1, 2], [2, 1]]


@pytest.mark.parametrize("header", ["", OWN_HEADER.replace("truth", "lies") + "\n"])
def test_other_dimensions_without_their_header_are_refused_once(header):
    problem = the_error(header + "0 1 A 1 2\n0 1 B 2 1\n", OWN)
    assert (problem.kind, problem.line) == ("header", 1)
    assert OWN_HEADER in problem.remedy


def test_without_labels_a_header_names_the_dimensions():
    run = inspected(OWN_HEADER + "\n0 1 A 1 2\n", None).run
    assert run.dimensions == ("truth", "style")
    assert inspected("0 1 A 1 2 3 4", None).run.dimensions == DIMENSIONS


# Ids


def test_ids_are_text_and_never_converted():
    ids = ["01", "1", "1.0", "1e3", "NA", "nan", "null", "None", "TRUE", "-", "#1", "0x1"]
    labels = read_labels(labels_csv([(name, name, 1) for name in ids]))
    inspection = inspected(run_text([(name, name, 1) for name in ids]), labels)
    assert told(inspection, "error") == []
    assert list(inspection.run.questions) == list(inspection.run.answers) == ids


def test_the_task_is_kept_and_not_compared():
    text = "\n".join(line.replace("0 ", f"task{place} ", 1) for place, line in enumerate(LINES))
    inspection = inspected(text)
    assert inspection.problems == ()
    assert inspection.run.tasks == ("task0", "task1", "task2", "task3", "task4")


def test_the_key_is_question_and_answer():
    again = LINES[0].replace("0 1", "9 1", 1)
    problem = the_error("\n".join([*LINES, again]))
    assert (problem.kind, problem.line, problem.column) == ("duplicate_key", 6, "answerId")
    assert (problem.question, problem.answer) == ("1", "Doc_01")
    assert "line 1" in problem.message
    assert "one line" in problem.remedy


@pytest.mark.parametrize(
    ("scores", "same"),
    [("7.5 6 5 4.25", True), ("7.50 06 5e0 +4.25", True), ("7.5 6 5 4.26", False), ("6 7.5 5 4.25", False)],
)
def test_duplicates_say_whether_the_numbers_are_the_same(scores, same):
    problem = the_error("\n".join([*LINES, f"0 1 Doc_01 {scores}"]))
    assert ("same scores" in problem.message) is same


def test_unreadable_scores_are_not_the_same_scores():
    found = told(inspected("\n".join(["0 1 Doc_01 x 1 1 1", "0 1 Doc_01 y 1 1 1", *LINES[1:]])), "error")
    (duplicate,) = [problem for problem in found if problem.kind == "duplicate_key"]
    assert "same scores" not in duplicate.message


def test_three_of_a_kind_are_two_problems():
    found = told(inspected("\n".join([*LINES, LINES[3], LINES[3]])), "error")
    assert [(problem.kind, problem.line) for problem in found] == [("duplicate_key", 6), ("duplicate_key", 7)]
    assert all("line 4" in problem.message for problem in found)


@pytest.mark.parametrize(
    ("written", "kind", "said", "remedy"),
    [
        ("doc_02", "unknown_answer", "letter case", "Write Doc_02."),
        ("Doc_2", "unknown_answer", "leading zeros", "Write Doc_02."),
        ("Doc_0002", "unknown_answer", "leading zeros", "Write Doc_02."),
        ("Doc_02\u200b", "invisible_character", "U+200B", "Write Doc_02."),
        ("\u2060Doc_02", "invisible_character", "U+2060", "Write Doc_02."),
        ("Doc\u00ad_02", "invisible_character", "U+00AD", "Write Doc_02."),
        ("\uff24oc_02", "full_width", "U+FF24", "Write Doc_02."),
        ("Doc_\uff10\uff12", "full_width", "U+FF10, U+FF12", "Write Doc_02."),
        ('"Doc_02', "unknown_answer", "quotation mark", "Write Doc_02."),
        ("Doc_02.docx", "unknown_answer", "not in the labels of question 1", "nearest known id is Doc_02"),
        ("Dok_02", "unknown_answer", "not in the labels of question 1", "nearest known id is Doc_02"),
        ("D\u043ec_02", "unknown_answer", "not in the labels of question 1", "nearest known id is Doc_02"),
    ],
)
def test_unknown_answers_with_what_was_meant(written, kind, said, remedy):
    found = told(inspected(GOOD.replace("Doc_02", written, 1)), "error")
    unknown = next(problem for problem in found if problem.kind != "missing_answers")
    assert (unknown.kind, unknown.line, unknown.column) == (kind, 2, "answerId")
    assert said in unknown.message
    assert remedy in unknown.remedy
    assert unknown.question == "1"
    missing = [problem.answer for problem in found if problem.kind == "missing_answers"]
    # An answer that was surely meant is not missing as well.
    assert missing == ([] if remedy.startswith("Write") else ["Doc_02"])


@pytest.mark.parametrize(
    ("written", "said", "remedy"),
    [("\uff10\uff11", "U+FF10", "Write 1."), ("01", "leading zeros", "Write 1."), ("1\u200d", "U+200D", "Write 1.")],
)
def test_unknown_questions_with_what_was_meant(written, said, remedy):
    found = told(inspected(GOOD.replace("0 1 ", f"0 {written} ")), "error")
    assert [(problem.line, problem.column, problem.question is None) for problem in found] == [
        (line, "questionId", False) for line in (1, 2, 3)
    ]
    assert all(said in problem.message and problem.remedy == remedy for problem in found)


def test_an_unknown_question_with_a_prefix_is_near_the_bare_number():
    found = told(inspected(GOOD.replace("0 2 ", "0 Report2 ")), "error")
    unknown = [problem for problem in found if problem.kind == "unknown_question"]
    assert len(unknown) == 2
    assert all("nearest known id is 2" in problem.remedy for problem in unknown)


def test_a_hundred_is_no_ten_with_zeros():
    labels = read_labels(labels_csv([("q", "Doc_10", 1), ("q", "Doc_11", 2)]))
    found = told(inspected(run_text([("q", "Doc_100", 1), ("q", "Doc_11", 2)]), labels), "error")
    assert sorted(problem.kind for problem in found) == ["missing_answers", "unknown_answer"]
    assert "zeros" not in found[0].message + found[1].message


def test_ids_of_the_labels_with_invisible_or_full_width_characters():
    labels = read_labels(labels_csv([("q", "Doc_1\u200b", 1), ("q", "\uff24oc_2", 2)]))
    found = told(inspected(run_text([("q", "Doc_1", 1), ("q", "Doc_2", 2)]), labels), "error")
    assert [(problem.kind, problem.line) for problem in found] == [("invisible_character", 1), ("full_width", 2)]
    assert "labels" in found[0].message
    assert "U+200B" in found[0].message
    assert "U+FF24" in found[1].message


def test_quoted_ids_are_named_and_found():
    found = told(inspected(GOOD.replace("Doc_02", '"Doc_02"', 1)), "error")
    assert [(problem.kind, problem.line, problem.column) for problem in found] == [("quoted_field", 2, "answerId")]
    assert "Write Doc_02" in found[0].remedy


# Coverage


def test_missing_answers_are_listed():
    found = told(inspected("\n".join([LINES[0], LINES[3]])), "error")
    missing = [(problem.question, problem.answer) for problem in found]
    assert missing == [("1", "Doc_02"), ("1", "Doc_03"), ("2", "Doc_02")]
    assert {problem.kind for problem in found} == {"missing_answers"}
    assert all("3 of 5" in problem.message for problem in found)
    assert inspected(LINES[0]).coverage == (1, 5)


def test_partial_accepts_with_a_warning():
    inspection = inspected("\n".join(LINES[:2]), policy=Policy(partial=True))
    assert inspection.coverage == (2, 5)
    assert len(inspection.run) == 2
    assert [problem.severity for problem in inspection.problems] == ["warning"] * 3


def test_partial_still_refuses_unknown_answers_and_nothing_at_all():
    assert the_error("\n".join([*LINES, "0 3 Doc_01 1 1 1 1"]), policy=Policy(partial=True)).kind == "unknown_question"
    kinds = [problem.kind for problem in told(inspected("0 3 D 1 1 1 1", policy=Policy(partial=True)), "error")]
    assert "no_answers" in kinds


def test_inner_join_drops_unknown_answers_with_a_warning():
    inspection = inspected("\n".join([*LINES, "0 1 Doc_09 1 1 1 1", "0 7 x 1 1 1 1"]), policy=Policy.official())
    assert [(problem.severity, problem.kind, problem.line) for problem in inspection.problems] == [
        ("warning", "unknown_answer", 6),
        ("warning", "unknown_question", 7),
    ]
    assert len(inspection.run) == 5


def test_coverage_is_counted_for_refused_runs():
    assert inspected(with_cell("x")).coverage == (5, 5)
    assert inspected("\n".join([*LINES[:3], LINES[0]])).coverage == (3, 5)


# Numbers


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("8", 8.0),
        ("8.25", 8.25),
        ("-1.5", -1.5),
        ("+7", 7.0),
        ("07", 7.0),
        ("7.5e-1", 0.75),
        ("7.5E1", 75.0),
        ("1e+2", 100.0),
        ("0", 0.0),
        ("-0", 0.0),
        ("0e99", 0.0),
        ("1e-330", 0.0),
        ("1.7976931348623157e308", 1.7976931348623157e308),
        ("0." + "1" * 39, float("0." + "1" * 39)),
    ],
)
def test_numbers_read(cell, value):
    inspection = inspected(with_cell(cell))
    assert told(inspection, "error") == []
    assert float(inspection.run.scores.values[1, 0]) == value


@pytest.mark.parametrize(
    ("cell", "kind", "said", "remedy"),
    [
        ("nan", "non_finite", "not a finite number", "number"),
        ("NaN", "non_finite", "not a finite number", "number"),
        ("inf", "non_finite", "not a finite number", "number"),
        ("-Infinity", "non_finite", "not a finite number", "number"),
        ("∞", "non_finite", "not a finite number", "number"),
        ("NA", "not_a_number", "missing value", "number"),
        ("-", "not_a_number", "missing value", "number"),
        ("0x1F", "not_a_number", "hexadecimal", "decimal"),
        ("0x1.8p3", "not_a_number", "hexadecimal", "decimal"),
        ("1_000", "not_a_number", "underscores", "digits only"),
        ("7,5", "not_a_number", "decimal comma", "7.5"),
        ("-,5", "not_a_number", "decimal comma", "-.5"),
        ("1,234,567.8", "not_a_number", "thousands", "1234567.8"),
        ("\uff17.\uff15", "full_width", "U+FF17, U+FF15", "7.5"),
        ("\uff17\uff0e\uff15", "full_width", "U+FF17, U+FF0E, U+FF15", "7.5"),
        ("7。5", "full_width", "U+3002", "7.5"),
        ("\uff17\uff0c\uff15", "full_width", "U+FF17, U+FF0C, U+FF15", "half-width"),
        ("7.5\u200b", "invisible_character", "U+200B", "7.5"),
        ("\u202a7.5", "invisible_character", "U+202A", "7.5"),
        ("−1.5", "not_a_number", "typographic minus", "U+002D"),
        ("80%", "not_a_number", "percentage", "number alone"),
        ("4/5", "not_a_number", "fraction", "number alone"),
        ('"7.5"', "quoted_field", "quotation marks", "7.5"),
        ("'7.5'", "quoted_field", "quotation marks", "7.5"),
        ("“7.5”", "quoted_field", "quotation marks", "7.5"),
        ("7.5,", "not_a_number", "not a number", "7.5"),
        ("good", "not_a_number", "not a number", "plain decimal"),
        ("7²", "not_a_number", "not a number", "plain decimal"),
        ("\u0667", "not_a_number", "not a number", "plain decimal"),
        ("1.2.3", "not_a_number", "not a number", "plain decimal"),
        ("1e", "not_a_number", "not a number", "plain decimal"),
        ("1d5", "not_a_number", "not a number", "plain decimal"),
        ("1" * 41, "too_many_digits", "40 digits", "Round"),
        ("1e" + "1" * 40, "too_many_digits", "40 digits", "Round"),
        ("1e400", "too_large", "float64", "smaller scale"),
        ("-1.7976931348623159e308", "too_large", "float64", "smaller scale"),
        ("1e999999999999", "too_large", "float64", "smaller scale"),
        ("1e-331", "too_small", "1e-330", "Write 0"),
        ("-9.9e-331", "too_small", "1e-330", "Write 0"),
    ],
)
def test_numbers_refused_by_name_with_the_remedy(cell, kind, said, remedy):
    problem = the_error(with_cell(cell, 4))
    assert (problem.kind, problem.line, problem.column) == (kind, 2, "insight_score")
    assert (problem.question, problem.answer) == ("1", "Doc_02")
    assert said in problem.message
    assert remedy in problem.remedy
    assert problem.value == cell.replace("\u200b", "\\u200b").replace("\u202a", "\\u202a")


def test_every_bad_cell_is_told():
    found = told(inspected(GOOD.replace("7.5 6 5 4.25", "7,5 x 5 nan")), "error")
    assert [(problem.line, problem.column) for problem in found] == [
        (line, f"{name}_score") for line in range(1, 6) for name in ("comprehensiveness", "insight", "readability")
    ]


def test_all_problems_at_once():
    text = "\n".join(
        [
            HEADER,
            "0 1 Doc_01 7,5 6 5 4",
            "0 1 Doc_02 6 5 4",
            "0 1 doc_03 1 2 3 4",
            "0 1 Doc_01 1 2 3 4",
            "0 2 Doc_01 nan 2 3 40",
        ]
    )
    inspection = inspected(text)
    assert [(problem.severity, problem.kind, problem.line) for problem in inspection.problems] == [
        ("error", "not_a_number", 2),
        ("error", "column_count", 3),
        ("error", "unknown_answer", 4),
        ("error", "duplicate_key", 5),
        ("error", "non_finite", 6),
        ("error", "missing_answers", None),
        ("note", "header", 1),
    ]


def test_values_are_cut_and_control_characters_escaped():
    long = the_error(with_cell("x" * 201)).value
    assert len(long) == 200
    assert the_error(with_cell("x" * 200)).value == "x" * 200
    for cell in ("7\x1b[31m", "\u202e57", "7\x07"):
        problem = the_error(with_cell(cell))
        assert json.dumps(problem.to_json(), ensure_ascii=False).isprintable()
        assert str(problem).isprintable()
    assert the_error(with_cell("7\x07")).value == "7\\x07"


def test_a_quoted_cell_of_a_million_letters_is_cut_in_the_remedy_too():
    problem = the_error(with_cell('"' + "\x1b" * 10**6 + '"'))
    assert len(problem.message) + len(problem.remedy) < 5000
    assert (problem.message + problem.remedy).isprintable()


@pytest.mark.parametrize("cell", ["_", "1", ",", "\uff17", "\u200b", '"', "7,"])
def test_long_cells_take_no_longer_than_their_length(cell):
    started = time.process_time()
    problem = the_error(with_cell(cell * 10**5 + "x"))
    assert time.process_time() - started < 5
    assert len(problem.message) + len(problem.remedy) < 5000


def test_json_of_a_problem_has_the_documented_keys():
    problem = the_error(with_cell("7,5"))
    assert problem.to_json() == {
        "severity": "error",
        "kind": "not_a_number",
        "line": 2,
        "column": "comprehensiveness_score",
        "value": "7,5",
        "question": "1",
        "answer": "Doc_02",
        "message": problem.message,
        "remedy": problem.remedy,
    }


# Scales


def warnings(text, labels=LABELS, policy=None):
    inspection = inspected(text, labels, policy)
    assert inspection.run is not None
    return told(inspection, "warning")


@pytest.mark.parametrize("cell", ["0", "10", "10.0"])
def test_scores_from_0_to_10_are_fine(cell):
    assert warnings(with_cell(cell)) == []


@pytest.mark.parametrize("cell", ["10.5", "-0.5"])
def test_scores_outside_0_to_10(cell):
    (warning,) = warnings(with_cell(cell, 5))
    assert (warning.kind, warning.line, warning.column) == ("out_of_range", 2, "instruction_following_score")
    assert (warning.value, warning.question, warning.answer) == (cell, "1", "Doc_02")
    assert "0 to 10" in warning.message


def test_the_scale_is_widened_to_the_labels_extremes():
    wide = read_labels(labels_csv([(*key, score) for key, score in zip(ANSWERS, (-3, 1, 2, 3, 20), strict=True)]))
    assert warnings(with_cell("20"), wide) == []
    assert warnings(with_cell("-3"), wide) == []
    assert [warning.message for warning in warnings(with_cell("20.5"), wide) if "-3 to 20" in warning.message]
    assert [warning.kind for warning in warnings(with_cell("-3.5"), wide)] == ["out_of_range"]


def test_narrow_labels_do_not_narrow_the_scale():
    narrow = read_labels(labels_csv([(*key, score) for key, score in zip(ANSWERS, (4, 5, 5, 5, 6), strict=True)]))
    assert warnings(with_cell("9"), narrow) == []


def test_a_declared_range_refuses():
    policy = Policy(score_range=(0, 7))
    found = told(inspected(GOOD, policy=policy), "error")
    assert [(problem.kind, problem.column) for problem in found] == [("out_of_range", "comprehensiveness_score")] * 5
    assert inspected(GOOD.replace("7.5", "7"), policy=policy).run is not None


def test_a_run_on_the_unit_scale():
    unit = GOOD.replace("7.5 6 5 4.25", "0.75 0.6 1 0")
    (warning,) = warnings(unit)
    assert (warning.kind, warning.line) == ("unit_scale", None)
    assert "0 to 1" in warning.message
    assert "calibration" in warning.remedy
    assert "Kendall" in warning.remedy
    labels = read_labels(labels_csv([(*key, score) for key, score in zip(ANSWERS, "00110", strict=True)]))
    assert warnings(unit, labels) == []
    assert warnings(unit.replace("0.75", "1.01")) == []


@pytest.mark.parametrize(("cell", "meant"), [("75", "7.5"), ("0.75", "7.5")])
def test_a_slipped_point_is_told_with_what_was_meant(cell, meant):
    keys = [("1", f"Doc_{number}") for number in range(10)]
    labels = read_labels(labels_csv([(*key, 5) for key in keys]))
    rows = [(*key, f"{6 + place / 5:g}") for place, key in enumerate(keys)]
    assert warnings(run_text(rows), labels) == []
    rows[3] = (*keys[3], "7", cell, "7", "7")
    slipped = [warning for warning in warnings(run_text(rows), labels) if warning.kind == "slipped_point"]
    assert [(warning.line, warning.column, warning.value) for warning in slipped] == [(4, "insight_score", cell)]
    assert meant in slipped[0].remedy


def test_scale_warnings_are_told_for_refused_runs_too():
    found = inspected("\n".join([*LINES[:4], "0 2 Doc_02 x 1 1 1"]).replace("7.5", "75", 1))
    assert [problem.kind for problem in found.problems] == ["not_a_number", "out_of_range"]


# Calls


def test_read_run_raises_every_problem():
    with pytest.raises(RunError) as raised:
        read_run(with_cell("7,5").encode(), LABELS, name="team.txt")
    assert raised.value.source == "team.txt"
    assert [problem.kind for problem in raised.value.problems] == ["not_a_number"]
    assert "line 2" in str(raised.value)


def test_the_name_is_the_file_name_without_folder(tmp_path):
    path = tmp_path / "run【1】.TXT"
    path.write_text(GOOD)
    assert inspect_run(path, LABELS).name == inspect_run(str(path), LABELS).name == "run【1】.TXT"
    assert inspect_run(path, LABELS, name="shown").name == "shown"
    assert inspect_run(f"{tmp_path}/folder/", LABELS).name == "folder"


def test_without_labels_only_the_form_is_checked():
    inspection = inspected("\n".join([*LINES, "0 9 anything 1 1 1 1"]), None)
    assert inspection.problems == ()
    assert inspection.coverage == (0, 0)
    assert [problem.kind for problem in told(inspected("0 1 A 1 2 3", None), "error")] == ["column_count"]


def test_a_file_for_other_labels_is_judged_in_bounded_time():
    keys = [(question, f"Doc_{answer:04d}") for question in range(20) for answer in range(300)]
    labels = read_labels(labels_csv([(*key, 1) for key in keys]))
    started = time.process_time()
    found = told(inspected(run_text([(question, f"Other_{answer}", 1) for question, answer in keys]), labels), "error")
    assert time.process_time() - started < 5
    # One for every line, one for every answer missing, and the likely cause before them.
    assert len(found) == 2 * len(keys) + 1
    assert found[0].kind == "other_labels"


def test_a_file_far_longer_than_the_labels_is_read_only_so_far():
    labels = read_labels(labels_csv([("1", "A", 1), ("1", "B", 2)]))
    line = "0 1 A 1 2 3 4\n"
    inspection = inspected((line * 200_000).encode(), labels)
    problems = [problem for problem in told(inspection) if problem.kind == "too_many_lines"]
    assert [problem.line for problem in problems] == [2 * 2 + 1_000 + 1]
    assert "200,001 lines" in problems[0].message
    assert len(told(inspection)) < 1_100
    assert inspection.run is None


def test_a_run_of_which_the_rest_is_dropped_may_be_long():
    labels = read_labels(labels_csv([("1", "A", 1), ("1", "B", 2), ("1", "C", 3)]))
    others = [(f"x{number}", "A", 1) for number in range(1_500)]
    inspection = inspected(run_text([*others, ("1", "A", 1), ("1", "B", 2), ("1", "C", 3)]), labels, Policy.official())
    assert inspection.coverage == (3, 3)
    assert inspection.run is not None
