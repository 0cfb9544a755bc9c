"""A reader is total: any bytes give a table or an AeollmError, in bounded time, and never another exception."""

import io
import json
import math
import time
import unicodedata
import zipfile
from fractions import Fraction
from pathlib import Path

from hypothesis import example, given, settings
from hypothesis import strategies as st

from aeollm import AeollmError, Labels, Policy, Rubrics, inspect_run, read_labels, read_rubrics
from aeollm.sources import LabelSet, read_upload
from aeollm.tables import KEY_COLUMNS
from tests.small_files import DIMENSIONS, HEADER, labels_csv, rubric, run_text

CASES = Path(__file__).resolve().parents[1] / "cases"
LONGEST_SECONDS = 3
KEYS = [("1", "Doc_01"), ("1", "Doc_02"), ("2", "\u6587_1"), ("02", "NA")]
LABELS = read_labels(labels_csv([(*key, place) for place, key in enumerate(KEYS)]))
RUN = run_text([(*key, f"{place}.5") for place, key in enumerate(KEYS)])
RUBRIC = rubric("1")


def zipped(files, method):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return stream.getvalue()


ZIPS = [
    zipped({"a/run.txt": RUN, "__MACOSX/._run.txt": b"\x00"}, zipfile.ZIP_DEFLATED),
    zipped({"run.txt": RUN}, zipfile.ZIP_STORED),
    zipped({"l.csv": labels_csv([("1", "A", 1)]), "r/criterion1.json": RUBRIC}, zipfile.ZIP_DEFLATED),
]
FILES = [RUN, RUN.decode().encode("utf-16"), RUN.decode().encode("gb18030"), labels_csv([("1", "A", 1)]), RUBRIC, *ZIPS]
FILES += [path.read_bytes() for path in sorted(CASES.rglob("*")) if path.suffix in {".txt", ".csv", ".zip"}]

TOKENS = [
    *(
        "0",
        "1",
        "2",
        "02",
        "Doc_01",
        "doc_01",
        "\u6587_1",
        "NA",
        "7.5",
        "7,5",
        "-1e300",
        "1e-330",
        "1e400",
        "nan",
        "inf",
    ),
    *(
        "\uff17",
        "\u3000",
        "\xa0",
        "\u200b",
        "\ufeff",
        "\u2028",
        '"',
        "'",
        '"7"',
        "_" * 50,
        "1" * 50,
        "{",
        "}",
        "[",
        "<html>",
    ),
    *(" ", "\t", "\n", "\r", ",", ";", "\x00", "\x1b", *HEADER.split(), "question_score", "_score", "overall_score"),
    *(
        "id",
        "dimension_weight",
        "criterions",
        *DIMENSIONS,
        "criterion",
        "weight",
        ":",
        "null",
        "true",
        "0.25",
        "\ud800",
    ),
]
SOUP = st.lists(st.sampled_from(TOKENS), max_size=60).map(
    lambda tokens: "".join(tokens).encode("utf-8", "surrogatepass")
)
LINES = st.lists(st.lists(st.sampled_from(TOKENS), min_size=5, max_size=9).map(" ".join), max_size=8).map(
    lambda lines: "\n".join(lines).encode("utf-8", "replace")
)


@st.composite
def damaged(draw, files):
    """Give a good file after a few cuts, doublings and foreign bytes."""
    content = draw(files)
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(content)))
        end = draw(st.integers(start, min(len(content), start + 40)))
        middle = draw(
            st.one_of(st.binary(max_size=8), st.just(content[start:end] * 2), st.sampled_from(TOKENS).map(encoded))
        )
        content = content[:start] + middle + content[end:]
    return content


def encoded(token):
    return token.encode("utf-8", "surrogatepass")


ANY = st.one_of(st.binary(max_size=300), SOUP, LINES, damaged(st.sampled_from(FILES)))


def in_time(call, *arguments):
    started = time.process_time()
    refused = None
    try:
        table = call(*arguments)
    except AeollmError as error:
        table, refused = None, error
    assert time.process_time() - started < LONGEST_SECONDS
    if refused is not None:
        assert any(problem.severity == "error" for problem in refused.problems)
        assert shows(str(refused).replace("\n", ""))
        check_problems(refused.problems)
    return table


def shows(text):
    """Say that a text holds nothing that steers a terminal or hides."""
    return not any(unicodedata.category(letter)[0] == "C" or letter in "\u2028\u2029" for letter in text)


def check_problems(problems, lines=math.inf):
    for problem in problems:
        assert problem.severity in {"error", "warning", "note"}
        assert problem.kind.isidentifier()
        assert problem.message
        assert shows(str(problem))
        assert problem.line is None or 1 <= problem.line <= lines
        assert shows(json.dumps(problem.to_json(), ensure_ascii=False, allow_nan=False))


def check_run(content, labels, policy=None):
    inspection = in_time(inspect_run, content, labels, policy)
    check_problems(inspection.problems)
    refused = any(problem.severity == "error" for problem in inspection.problems)
    assert (inspection.run is None) is refused
    found, of = inspection.coverage
    assert 0 <= found <= of == (len(labels) if labels is not None else 0)
    columns = {*KEY_COLUMNS, *(f"{name}_score" for name in DIMENSIONS)}
    if labels is not None:
        assert {problem.column for problem in inspection.problems} <= columns | {None}
    if inspection.run is not None:
        keys = list(inspection.run.keys())
        assert len(set(keys)) == len(keys) == len(inspection.run.scores.values)
        assert math.isfinite(inspection.run.scores.values.sum() / 1e10)
        if labels is not None and not (policy and policy.partial):
            assert set(keys) == set(labels.index)


@given(ANY)
@example(b"\xff\xfe")
@example(b"PK\x03\x04")
@example(b"\x84\x31\x95\x330 1 Doc_01 1 2 3 4")
def test_run_files(content):
    check_run(content, LABELS)
    check_run(content, None)
    check_run(content, LABELS, Policy.official())


@given(damaged(st.sampled_from([RUN, *ZIPS[:2]])))
@settings(max_examples=300)
def test_damaged_runs(content):
    check_run(content, LABELS, Policy(partial=True))


@given(ANY)
@example(b"questionId,answerId,_score\n1,A,1")
@example(b"questionId,answerId,question_score\n1,A,1")
@example(b'questionId,answerId\n1,"A\n')
def test_label_files(content):
    labels = in_time(read_labels, content)
    if labels is not None:
        assert isinstance(labels, Labels)
        assert len(labels.index) == len(labels) > 0
        assert labels.given.shape == labels.scores.values.shape == (len(labels), len(labels.dimensions))
        check_problems(labels.problems)
        # What was accepted can be written by a run.
        assert all(question.split() and answer.split() for question, answer in labels.index)


@given(damaged(st.sampled_from([labels_csv([("1", "A", 1), ("1", "B", 2)])])))
@settings(max_examples=300)
def test_damaged_labels(content):
    in_time(read_labels, content)


@given(st.one_of(ANY, damaged(st.just(RUBRIC))))
@settings(max_examples=300)
@example(b"[" * 100_000)
@example(b'{"id":' * 100_000)
@example(b'{"id": "1", "dimension_weight": {"insight": ' + b"1" * 5000 + b"}}")
def test_rubric_files(content):
    labels = read_labels(b"questionId,answerId\n1,A\n")
    rubrics = in_time(read_rubrics, {"criterion1.json": content}, labels)
    if rubrics is not None:
        assert isinstance(rubrics, Rubrics)
        assert set(rubrics.weights["1"]) == set(DIMENSIONS)
        assert sum(float(weight) for weight in rubrics.weights["1"].values()) > 0
        check_problems(rubrics.problems)


@given(st.one_of(ANY, damaged(st.sampled_from(ZIPS))), st.text(max_size=5))
@settings(max_examples=300)
def test_uploads(content, name):
    found = in_time(read_upload, content, name)
    assert found is None or isinstance(found, LabelSet)


SIGNED = st.sampled_from(["", "+", "-"])
DIGITS = st.text("0123456789", min_size=1, max_size=12)
NUMBERS = st.builds(
    "{}{}{}{}".format,
    SIGNED,
    DIGITS,
    st.one_of(st.just(""), DIGITS.map(".{}".format)),
    st.one_of(st.just(""), st.integers(-300, 290).map("e{}".format), st.integers(-300, 290).map("E{:+d}".format)),
)


@given(st.lists(NUMBERS, min_size=4, max_size=4), st.sampled_from([" ", "\t", "  ", " \t"]))
def test_numbers_are_read_as_they_were_written(cells, gap):
    run = inspect_run(gap.join(["0", "1", "A", *cells]).encode()).run
    assert run.scores.values.tolist() == [[float(cell) for cell in cells]]
    exact = [Fraction(int(units)) * Fraction(10) ** run.scores.exponent for units in run.scores.units[0]]
    assert exact == [Fraction(cell) for cell in cells]


@given(
    st.text("0123456789+-.eE_,xaninf\uff17\u0667 \u200b", min_size=1, max_size=12).filter(lambda cell: " " not in cell)
)
def test_a_cell_is_a_number_or_a_named_error(cell):
    inspection = inspect_run(f"0 1 A 1 2 3 {cell}".encode())
    plain = cell.isascii() and "_" not in cell and cell.lower().strip("+-") not in {"nan", "inf"}
    try:
        value = float(cell) if plain else math.nan
    except ValueError:
        value = math.nan
    if math.isfinite(value) and (value or float(cell.lower().split("e")[0]) == 0):
        assert inspection.run.scores.values[0, 3] == value
    elif value != value:
        (problem,) = inspection.problems
        assert (problem.severity, problem.line, problem.column) == ("error", 1, "readability_score")
