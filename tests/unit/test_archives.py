"""Zip files: what is looked into, and every zip that is refused before it can do harm."""

import io
import stat
import struct
import time
import tracemalloc
import warnings
import zipfile
import zlib

import pytest

from aeollm import LabelsError, RunError, inspect_run, read_labels, read_run
from aeollm.sources import read_upload
from tests.small_files import labels_csv, rubric, run_text

ROWS = [("1", "A", 1), ("1", "B", 2)]
LABELS = read_labels(labels_csv(ROWS))
RUN = run_text(ROWS)
MAC = {"__MACOSX/._run.txt": b"\x00\x05\x16\x07", ".DS_Store": b"\x00\x00\x00\x01Bud1"}


def zipped(files, method=zipfile.ZIP_DEFLATED):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, content in files.items():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                archive.writestr(name, content)
    return stream.getvalue()


def the_error(content, name="run.zip"):
    inspection = inspect_run(content, LABELS, name=name)
    assert inspection.run is None
    assert inspection.coverage == (0, 2)
    (problem,) = inspection.problems
    assert problem.severity == "error"
    assert problem.remedy
    return problem


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
@pytest.mark.parametrize(
    "path", ["run.txt", "team/run.txt", "team/final/run.txt", "run", "RUN.TSV", "run.csv", "团队/run.txt"]
)
def test_one_run_in_a_zip(path, method):
    inspection = inspect_run(zipped({path: RUN}, method), LABELS, name="team.zip")
    assert inspection.problems == ()
    assert inspection.coverage == (2, 2)
    assert inspection.name == "team.zip"


def test_the_digest_is_that_of_the_file_handed_in():
    one, other = zipped({"a.txt": RUN}), zipped({"b.txt": RUN})
    assert inspect_run(one, LABELS).digest != inspect_run(other, LABELS).digest
    assert read_run(one, LABELS).digest == inspect_run(one, LABELS).digest


def test_mac_and_windows_extras_and_one_folder_are_ignored():
    files = {"team/": b"", "team/run.txt": RUN, "team/._run.txt": b"\x00", "team/.DS_Store": b"\x00"} | MAC
    files |= {"Thumbs.db": b"\x00", "team/desktop.ini": b"[x]"}
    assert inspect_run(zipped(files), LABELS, name="a.zip").problems == ()


@pytest.mark.parametrize("name", ["run.txt", "run", "run.ZIP.txt"])
def test_a_zip_is_recognised_by_content_with_a_warning(name):
    inspection = inspect_run(zipped({"run.txt": RUN}), LABELS, name=name)
    (warning,) = inspection.problems
    assert (warning.severity, warning.kind) == ("warning", "is_archive")
    assert "zip" in warning.message
    assert inspect_run(zipped({"run.txt": RUN}), LABELS, name="run.ZIP").problems == ()
    assert inspect_run(RUN, LABELS, name="run.zip").problems == ()


def test_problems_inside_keep_their_lines():
    problem = the_error_after_coverage(zipped({"run.txt": RUN.replace(b"2", b"x")}))
    assert (problem.kind, problem.line, problem.column) == ("not_a_number", 2, "comprehensiveness_score")


def the_error_after_coverage(content):
    with pytest.raises(RunError) as raised:
        read_run(content, LABELS, name="run.zip")
    return raised.value.problems[0]


def test_other_files_beside_the_one_run_are_passed_over():
    files = {"run.txt": RUN, "README.md": b"how", "plot.png": b"\x89PNG"}
    assert inspect_run(zipped(files), LABELS, name="a.zip").problems == ()


@pytest.mark.parametrize("paths", [("run1.txt", "run2.txt"), ("a/run.txt", "b/run.txt"), ("one.md", "two.csv")])
def test_several_runs_are_refused_naming_them(paths):
    problem = the_error(zipped(dict.fromkeys(paths, RUN)))
    assert problem.kind == "archive_ambiguous"
    assert all(path in problem.message for path in paths)


def test_nothing_in_it():
    assert the_error(zipped({})).kind == "archive_empty"
    assert the_error(zipped(MAC)).kind == "archive_empty"
    assert the_error(zipped({"folder/": b""})).kind == "archive_empty"


def test_an_empty_run_in_a_zip():
    assert the_error(zipped({"run.txt": b""})).kind == "empty"


def test_a_zip_in_a_zip():
    assert the_error(zipped({"inner.zip": zipped({"run.txt": RUN})})).kind == "archive_nested"


def test_a_workbook_is_no_zip_of_runs():
    problem = the_error(zipped({"[Content_Types].xml": b"<x/>", "xl/sheet1.xml": b"<x/>"}), "run.xlsx")
    assert problem.kind == "spreadsheet"
    assert "tab" in problem.remedy


# Bounds


@pytest.mark.parametrize(("entries", "accepted"), [(100, True), (101, False)])
def test_at_most_a_hundred_entries(entries, accepted):
    content = zipped({"run.txt": RUN} | {f"__MACOSX/{number}": b"" for number in range(entries - 1)})
    if accepted:
        assert inspect_run(content, LABELS, name="a.zip").problems == ()
    else:
        problem = the_error(content)
        assert problem.kind == "archive_too_large"
        assert "101" in problem.message


def test_half_a_million_entries_are_refused_at_once():
    entry = zipped({"x": b""})
    start, end = entry.index(b"PK\x01\x02"), entry.index(b"PK\x05\x06")
    directory = entry[start:end] * 500_000
    closing = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 0xFFFF, 0xFFFF, len(directory), start, 0)
    started = time.process_time()
    assert the_error(entry[:start] + directory + closing).kind == "archive_too_large"
    assert time.process_time() - started < 2


@pytest.mark.parametrize(("length", "accepted"), [(255, True), (256, False)])
def test_names_of_at_most_255_characters(length, accepted):
    content = zipped({"r" * (length - 4) + ".txt": RUN})
    if accepted:
        assert inspect_run(content, LABELS, name="a.zip").problems == ()
    else:
        problem = the_error(content)
        assert problem.kind == "archive_unsafe"
        assert "255" in problem.message
        assert len(problem.message) < 300


def test_at_most_20_mib_unpacked():
    fits = RUN + b" " * (20 * 2**20 - len(RUN))
    assert len(fits) == 20 * 2**20
    assert inspect_run(zipped({"run.txt": fits}), LABELS, name="a.zip").problems == ()
    problem = the_error(zipped({"run.txt": fits + b" "}))
    assert problem.kind == "archive_too_large"
    assert "20 MiB" in problem.message
    half = b" " * (10 * 2**20 + 1)
    assert the_error(zipped({"run.txt": half, "__MACOSX/x": half})).kind == "archive_too_large"


def lying(content, size):
    """Make a zip's headers claim a size for its one entry."""
    local, central = content.index(b"PK\x03\x04"), content.index(b"PK\x01\x02")
    claimed = bytearray(content)
    claimed[local + 22 : local + 26] = claimed[central + 24 : central + 28] = struct.pack("<L", size)
    return bytes(claimed)


@pytest.fixture(scope="module")
def bomb():
    return zipped({"run.txt": b"0" * (100 * 2**20)})


@pytest.mark.parametrize("size", [0, 10, 1000, 20 * 2**20])
def test_a_bomb_that_lies_in_its_header_is_never_inflated(bomb, size):
    assert len(bomb) < 2**17
    bomb = lying(bomb, size)
    tracemalloc.start()
    problem = the_error(bomb)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert problem.kind in {"archive_damaged", "empty"}
    assert peak < 64 * 2**20


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_methods_whose_inflation_has_no_bound_are_refused(method):
    problem = the_error(zipped({"run.txt": RUN}, method))
    assert problem.kind == "archive_method"
    assert "deflate" in problem.remedy


def with_method(number):
    content = bytearray(zipped({"run.txt": RUN}))
    local, central = content.index(b"PK\x03\x04"), content.index(b"PK\x01\x02")
    content[local + 8 : local + 10] = content[central + 10 : central + 12] = struct.pack("<H", number)
    return bytes(content)


@pytest.mark.parametrize("method", [1, 9, 93, 99])
def test_unknown_methods_are_not_called_a_password(method):
    assert the_error(with_method(method)).kind == "archive_method"


# Unsafe


@pytest.mark.parametrize(
    "path",
    [
        "../run.txt",
        "a/../../run.txt",
        "/etc/run.txt",
        "C:/run.txt",
        "c:\\run.txt",
        "..\\run.txt",
        "\\\\host\\run.txt",
        "..",
    ],
)
def test_paths_that_lead_outside(path):
    problem = the_error(zipped({path: RUN}))
    assert problem.kind == "archive_unsafe"


def test_an_unsafe_path_beside_a_good_one():
    assert the_error(zipped({"run.txt": RUN, "__MACOSX/../../x": b""})).kind == "archive_unsafe"


def test_links():
    link = zipfile.ZipInfo("run.txt")
    link.create_system = 3
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    problem = the_error(zipped({link: b"/etc/passwd"}))
    assert problem.kind == "archive_unsafe"
    assert "link" in problem.message


def test_two_entries_of_one_name():
    twice = zipped({zipfile.ZipInfo("run.txt"): RUN, zipfile.ZipInfo("./run.txt"): b"x"})
    assert the_error(twice).kind == "archive_ambiguous"


def test_control_characters_in_names_are_escaped():
    problem = the_error(zipped({"a\x1b[31m.txt": RUN, "b\u202e.txt": RUN}))
    assert problem.message.isprintable()
    assert "\\x1b" in problem.message


def encrypted():
    content = bytearray(zipped({"run.txt": RUN}))
    local, central = content.index(b"PK\x03\x04"), content.index(b"PK\x01\x02")
    content[local + 6] |= 1
    content[central + 8] |= 1
    return bytes(content)


def test_encrypted():
    problem = the_error(encrypted())
    assert problem.kind == "archive_encrypted"
    assert "password" in problem.message


@pytest.mark.parametrize(
    "content",
    [
        b"PK\x03\x04",
        b"PK\x05\x06" + bytes(18),
        zipped({"run.txt": RUN})[:-30],
        zipped({"run.txt": RUN})[:40],
        zipped({"run.txt": RUN}).replace(b"run.txt", b"xyz.txt", 1),
        zipped({"run.txt": RUN}, zipfile.ZIP_STORED).replace(b"0 1 A", b"0 1 B"),
    ],
    ids=["start only", "end only", "end cut", "directory cut", "names differ", "checksum"],
)
def test_damaged(content):
    assert the_error(content).kind in {"archive_damaged", "archive_empty"}


def test_garbage_in_place_of_deflated_bytes():
    whole = zipped({"run.txt": RUN * 50})
    body = whole.index(b"run.txt") + len("run.txt")
    broken = whole[:body] + b"\xff" * 20 + whole[body + 20 :]
    with pytest.raises(zlib.error):
        zlib.decompressobj(-15).decompress(b"\xff" * 20)
    assert the_error(broken).kind == "archive_damaged"


# Uploaded labels


def test_labels_with_rubrics_in_a_zip():
    files = {"set/train.csv": labels_csv(ROWS), "set/rubric_dataset/criterion1.json": rubric("1"), "set/note.txt": b"x"}
    found = read_upload(zipped(files | MAC), "mine.zip")
    assert (found.labels.name, found.labels.source) == ("mine", "upload")
    assert list(found.rubrics.weights) == ["1"]
    assert read_upload(zipped({"l.csv": labels_csv(ROWS)}), "m.zip").rubrics is None


@pytest.mark.parametrize(
    ("files", "kind"),
    [
        ({"a.csv": labels_csv(ROWS), "b.csv": labels_csv(ROWS)}, "archive_ambiguous"),
        ({"run.txt": RUN}, "archive_ambiguous"),
        ({"../a.csv": labels_csv(ROWS)}, "archive_unsafe"),
        ({"[Content_Types].xml": b"<x/>"}, "spreadsheet"),
        (
            {"a.csv": labels_csv(ROWS), "x/criterion1.json": rubric("1"), "y/criterion1.json": rubric("1")},
            "archive_ambiguous",
        ),
    ],
)
def test_labels_in_a_zip_that_are_refused(files, kind):
    with pytest.raises(LabelsError) as raised:
        read_upload(zipped(files), "mine.zip")
    assert [problem.kind for problem in raised.value.problems] == [kind]
