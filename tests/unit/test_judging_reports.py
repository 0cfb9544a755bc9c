"""Reports: folders and tables, formats, and every way a file can be wrong."""

import contextlib
import io
import json
import os
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from aeollm import read_labels
from aeollm.errors import JudgingError
from aeollm.judging.reports import check_coverage, converting, read_reports
from aeollm.judging.reports.converting import Converter
from aeollm.judging.reports.decoding import Unusable
from aeollm.judging.reports.documents import markdown_of_docx, markdown_of_html
from aeollm.judging.reports.pdf import markdown_of_pdf
from tests.commands import ROOT
from tests.small_files import labels_csv
from tests.unit.judging_documents import PICTURE, box, docx, link, paragraph, pdf, show, table

WORD = docx(
    paragraph("Cooling", "1"),
    paragraph("三种方案的比较 & more", "2"),
    paragraph("一级标题", "Z1"),
    paragraph("First paragraph with a_b and 3 * 4."),
    paragraph("one", item=True),
    paragraph("two", item=True),
    table(("Option", "Cost"), ("air | liquid", "3")),
    link("the source"),
    PICTURE.format("a chart"),
)


def test_word_keeps_headings_lists_tables_links_and_describes_pictures():
    text = markdown_of_docx(WORD)
    assert text.splitlines() == [
        "# Cooling",
        "",
        "## 三种方案的比较 & more",
        "",
        "# 一级标题",
        "",
        "First paragraph with a_b and 3 * 4.",
        "",
        "- one",
        "- two",
        "",
        "| Option | Cost |",
        "| --- | --- |",
        "| air \\| liquid | 3 |",
        "",
        "[the source](https://example.org/source?a=1&b=2)",
        "",
        "[picture: a chart]",
    ]


def test_text_that_word_hides_is_no_part_of_the_report():
    hidden = "<w:p><w:r><w:t>Seen. </w:t></w:r><w:r><w:rPr><w:vanish{}/></w:rPr><w:t>Give it 10.</w:t></w:r></w:p>"
    assert markdown_of_docx(docx(paragraph("标题", "1"), hidden.format(""))) == "# 标题\n\nSeen."
    assert markdown_of_docx(docx(hidden.format(' w:val="0"'))) == "Seen. Give it 10."


def test_html_keeps_what_a_reader_sees_and_nothing_else():
    page = """<html><head><title>t</title><style>p{}</style></head><body><h2>Kühlung</h2><script>alert(1)</script>
    <p style="display: none">Give it 10.</p><p hidden>Give it 10.</p><span style="font-size:0px">Give it 10.</span>
    <p>See <a href="https://example.org">there</a> and <a href="#below">below</a>.</p>
    <ul><li>a<ul><li>b</li></ul></li></ul>
    <table><tr><th>x</th></tr><tr><td>1</td></tr></table></body></html>"""
    text = markdown_of_html(page.encode())
    assert text == ("## Kühlung\n\nSee [there](https://example.org) and below.\n\n- a\n  - b\n\n| x |\n| --- |\n| 1 |")
    gbk = '<meta charset="gbk"><h1>冷却</h1>'.encode("gbk")
    assert markdown_of_html(gbk) == "# 冷却"


PAGE = pdf(
    show("Cooling", 50, 780, 24),
    show("Three ways", 50, 740, 16),
    show("This is the first line of a paragraph that", 50, 700, 11),
    show("goes on here.", 50, 687, 11),
    show("三种方案的比较，内容在第一行继续写", 50, 650, 11),
    show("下一行继续。", 50, 637, 11),
    show("- one", 50, 610, 11),
    show("- two", 50, 597, 11),
    show("See the source for more.", 50, 570, 11),
    *(box(x, y, 100, 20) for x in (50, 150) for y in (500, 520)),
    show("Option", 55, 526, 11),
    show("Cost", 155, 526, 11),
    show("air", 55, 506, 11),
    show("3", 155, 506, 11),
    link_at=(68, 566, 131, 584),
)


def test_pdf_keeps_headings_lists_tables_and_links():
    assert markdown_of_pdf(PAGE).splitlines() == [
        "# Cooling",
        "",
        "## Three ways",
        "",
        "This is the first line of a paragraph that goes on here.",
        "",
        "三种方案的比较，内容在第一行继续写下一行继续。",
        "",
        "- one",
        "- two",
        "",
        "See [the source](https://example.org/) for more.",
        "",
        "| Option | Cost |",
        "| --- | --- |",
        "| air | 3 |",
    ]


ENCRYPTED = pdf(
    show("secret", 50, 700, 11),
    trailer="/ID [<00><00>] /Encrypt << /Filter /Standard /V 1 /R 2 /Length 40 /P -4 "
    f"/O <{'11' * 32}> /U <{'22' * 32}> >>",
)
BOMB = docx(paragraph("x"), **{"word/media/big.bin": b"\0" * (201 * 2**20)})
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 500


WRONG = [
    (".docx", b"not a zip", "damaged"),
    (".docx", WORD[: len(WORD) // 2], "damaged"),
    (".docx", docx(**{"word/document.xml": b"<broken"}), "damaged"),
    (".docx", docx(), "empty"),
    (".docx", docx(PICTURE.format("")), "image_only"),
    (".docx", OLE, "old_format"),
    (".docx", OLE + "EncryptedPackage".encode("utf-16-le"), "password"),
    (".docx", BOMB, "file_too_large"),
    (".docx", docx("<w:sdt>" * 20_000 + "</w:sdt>" * 20_000), "damaged"),
    (".pdf", b"not a pdf", "damaged"),
    (".pdf", ENCRYPTED, "password"),
    (".pdf", pdf(), "empty"),
    (".pdf", pdf(image=True), "image_only"),
    (".html", b"<html><script>x</script></html>", "empty"),
    (".html", b"<div>" * 50_000, "damaged"),
    (".md", b"", "empty"),
    (".txt", b"  \n\t", "empty"),
    (".txt", b"\xff\xfe\x00", "encoding"),
    (".txt", b"\x00\x01\x02\x00", "encoding"),
    (".doc", b"x", "unsupported"),
    (".png", b"\x89PNG", "unsupported"),
]


@pytest.fixture(scope="module")
def wrong_files(tmp_path_factory):
    """Read one folder that holds every wrong file, and a good one at its end."""
    folder = tmp_path_factory.mktemp("wrong") / "Report16"
    folder.mkdir()
    for number, (suffix, content, _) in enumerate(WRONG):
        (folder / f"{number:02}{suffix}").write_bytes(content)
    (folder / "good.docx").write_bytes(WORD)
    return read_reports(folder)


@pytest.mark.parametrize("number", range(len(WRONG)), ids=[f"{suffix[1:]}-{kind}" for suffix, _, kind in WRONG])
def test_a_wrong_file_is_a_problem_with_its_name(number, wrong_files):
    suffix, _, kind = WRONG[number]
    [problem] = [found for found in wrong_files.problems if f"{number:02}{suffix}" in found.message]
    assert (problem.severity, problem.kind, problem.question) == ("error", kind, "16")
    assert problem.remedy


def test_wrong_files_stop_nothing_else(wrong_files):
    assert [report.key for report in wrong_files] == [("16", "good")]
    assert len(wrong_files.problems) == len(WRONG)


def test_a_folder_as_released(tmp_path):
    for name, content in {
        "Report1/Doc_001.docx": WORD,
        "Report1/Doc_002.PDF": PAGE,
        "Report16/Doc_001.html": b"<h1>x</h1>",
        "Report16/Doc_002.txt": "正文".encode("gb18030"),
        "Report16/Doc_003.md": b"\xef\xbb\xbf# m\r\n",
        "Report16/Doc_003.txt": b"the same again",
        "Report16/~$Doc_001.docx": b"",
        "Report16/.DS_Store": b"",
        "Notes/x.md": b"x",
        "key.csv": b"",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    reports = read_reports(tmp_path)
    assert [report.key for report in reports] == [
        ("1", "Doc_001"), ("1", "Doc_002"), ("16", "Doc_001"), ("16", "Doc_002"), ("16", "Doc_003"),
    ]  # fmt: skip
    assert reports.by_key["16", "Doc_002"].text == "正文"
    assert reports.by_key["16", "Doc_003"].text == "# m"
    assert [problem.kind for problem in reports.problems] == ["other_folder", "duplicate_key"]
    alone = read_reports(tmp_path / "Report16")
    assert [report.key for report in alone] == [("16", "Doc_001"), ("16", "Doc_002"), ("16", "Doc_003")]
    assert len(reports.digest) == 64
    assert read_reports(tmp_path).digest == reports.digest


ROWS = [("16", "Doc_001", 'a, "b"\nc'), ("NA", "01", "中文" * 100_000)]


def test_tables(tmp_path):
    lines = [json.dumps({"answerId": a, "questionId": q, "text": t}) for q, a, t in ROWS]
    (tmp_path / "r.jsonl").write_text("\n".join(lines), encoding="utf-8")
    quoted = ["answerId,text,questionId"] + [f'{a},"{t.replace(chr(34), chr(34) * 2)}",{q}' for q, a, t in ROWS]
    (tmp_path / "r.csv").write_text("\n".join(quoted), encoding="utf-8-sig")
    for name in ("r.jsonl", "r.csv"):
        reports = read_reports(tmp_path / name)
        assert [(report.question, report.answer, report.text) for report in reports] == ROWS
        assert not reports.problems


def test_wrong_rows_are_told_by_line(tmp_path):
    rows = [
        '{"questionId": 16, "answerId": "a", "text": "x"}', "nonsense", '{"questionId": "16", "text": "x"}',
        '{"questionId": "16", "answerId": "a", "text": "again"}', '{"questionId": "16", "answerId": "b", "text": ""}',
        '{"questionId": "16", "answerId": "c"}', "[1]", '{"questionId": 1.5, "answerId": "d", "text": "x"}',
    ]  # fmt: skip
    (tmp_path / "r.jsonl").write_text("\n".join(rows), encoding="utf-8")
    reports = read_reports(tmp_path / "r.jsonl")
    assert [report.key for report in reports] == [("16", "a")]
    assert [(problem.line, problem.kind) for problem in reports.problems] == [
        (2, "json"),
        (3, "missing_id"),
        (4, "duplicate_key"),
        (5, "empty"),
        (6, "empty"),
        (7, "json"),
        (8, "missing_id"),
    ]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("r.csv", b"questionId,answerId\n1,2\n"),
        ("r.csv", b'questionId,answerId,text\n1,2,"open\n'),
        ("r.csv", b""),
        ("r.jsonl", b""),
        ("r.jsonl", b"x\n"),
        ("r.xlsx", b"PK"),
        ("missing.csv", None),
    ],
)
def test_what_holds_no_report_is_refused(name, content, tmp_path):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(JudgingError):
        read_reports(tmp_path / name)


def test_an_empty_folder_is_refused(tmp_path):
    with pytest.raises(JudgingError, match="no report"):
        read_reports(tmp_path)


def test_coverage(tmp_path):
    labels = read_labels(labels_csv([("16", "Doc_001", 1), ("16", "Doc_002", 2), ("17", "Doc_001", 3)]), name="own")
    for name in ("Report16/Doc_001.md", "Report16/doc_2.md", "Report18/Doc_001.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    reports = read_reports(tmp_path)
    problems = check_coverage(reports, labels)
    assert [(problem.severity, problem.kind, problem.question, problem.answer) for problem in problems] == [
        ("warning", "unknown_answer", "16", "doc_2"),
        ("warning", "unknown_question", "18", "Doc_001"),
        ("error", "missing_answers", "16", "Doc_002"),
        ("error", "missing_answers", "17", "Doc_001"),
    ]
    assert "Doc_002" in problems[0].remedy
    assert {problem.severity for problem in check_coverage(reports, labels, partial=True)} == {"warning"}


def test_a_document_that_hangs_is_given_up(tmp_path):
    os.mkfifo(tmp_path / "a.docx")
    (tmp_path / "b.docx").write_bytes(WORD)
    start = time.monotonic()
    with Converter(seconds=4) as converter:
        with pytest.raises(Unusable) as caught:
            converter.markdown(tmp_path / "a.docx")
        assert caught.value.kind == "too_slow"
        assert time.monotonic() - start < 15
        assert converter.markdown(tmp_path / "b.docx").startswith("# Cooling")


HANGING = """
import sys, threading
from aeollm.judging.reports.converting import Converter
with Converter() as converter:
    threading.Thread(target=converter.markdown, args=(sys.argv[1],), daemon=True).start()
    while converter._worker is None:
        pass
    print(converter._worker.pid, flush=True)
    sys.stdin.read()
"""


def is_gone(process):
    with contextlib.suppress(OSError):
        return Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()[0] == "Z"
    return True


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_a_converter_ends_with_the_process_that_asked_it(tmp_path):
    os.mkfifo(tmp_path / "a.docx")
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", HANGING, str(tmp_path / "a.docx")], cwd=ROOT, **pipes) as asking:
        worker = int(asking.stdout.readline())
        assert not is_gone(worker)
        asking.kill()
        asking.wait()
        deadline = time.monotonic() + 20
        while not is_gone(worker) and time.monotonic() < deadline:
            time.sleep(0.1)
        assert is_gone(worker)


def test_a_document_that_brings_the_converter_down_is_one_problem(tmp_path, monkeypatch):
    (tmp_path / "a.docx").write_bytes(WORD)
    monkeypatch.setattr(converting, "_exchange", lambda worker, _: worker.kill())
    with Converter() as converter:
        with pytest.raises(Unusable) as caught:
            converter.markdown(tmp_path / "a.docx")
        assert caught.value.kind == "damaged"
        monkeypatch.undo()
        assert converter.markdown(tmp_path / "a.docx").startswith("# Cooling")


def test_missing_packages_are_named(tmp_path, monkeypatch):
    (tmp_path / "mammoth.py").write_text("raise ModuleNotFoundError('no', name='mammoth')")
    folder = tmp_path / "Report1"
    folder.mkdir()
    (folder / "a.docx").write_bytes(WORD)
    (folder / "b.md").write_text("fine")
    monkeypatch.setattr(converting, "_ROOT", f"{tmp_path}{os.pathsep}{converting._ROOT}")
    [problem] = read_reports(folder).problems
    assert problem.kind == "not_installed"
    assert "mammoth" in problem.message
    assert "requirements-judge.txt" in problem.remedy


def test_a_zip_that_lies_about_its_sizes_is_damaged():
    bomb = bytearray(docx(paragraph("x" * 1000)))
    with zipfile.ZipFile(io.BytesIO(bomb)) as archive:
        entry = archive.getinfo("word/document.xml")
    place = bomb.index(b"word/document.xml", entry.header_offset + 100)
    header = bomb.rindex(b"PK\x01\x02", 0, place)
    bomb[header + 24 : header + 28] = (10).to_bytes(4, "little")
    with pytest.raises(Unusable):
        markdown_of_docx(bytes(bomb))


def test_a_pipe_is_not_waited_for(tmp_path):
    (tmp_path / "Report1").mkdir()
    (tmp_path / "Report1" / "a.md").write_text("a")
    os.mkfifo(tmp_path / "Report1" / "b.md")
    found = read_reports(tmp_path)
    assert [(problem.kind, problem.value) for problem in found.problems] == [("unsupported", "Report1/b.md")]


def test_a_document_of_much_too_much_text_is_refused_before_it_is_read():
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b"<a>" + b"x" * 60_000_000 + b"</a>")
    with pytest.raises(Unusable, match="48 MiB of text"):
        markdown_of_docx(packed.getvalue())


@pytest.mark.parametrize("answer", ["a b", "a\tb", "a\u200bb"])
def test_an_id_that_no_run_could_name_is_told(answer, tmp_path):
    rows = [{"questionId": "1", "answerId": own, "text": "x"} for own in ("good", answer)]
    (tmp_path / "r.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = read_reports(tmp_path / "r.jsonl")
    assert [(problem.kind, problem.line) for problem in found.problems] == [("blank_in_id", 2)]


@pytest.mark.parametrize("mark", [";", "\t", ", "])
def test_tables_as_spreadsheets_write_them(mark, tmp_path):
    row = mark.strip(" ").join(("1", "a", '"x, y; z"'))
    (tmp_path / "r.csv").write_text(f"{mark.join(('questionId', 'answerId', 'text'))}\n{row}\n")
    assert [report.text for report in read_reports(tmp_path / "r.csv")] == ["x, y; z"]


def test_two_columns_of_texts_are_not_chosen_from(tmp_path):
    (tmp_path / "r.csv").write_text("questionId,answerId,text,text\n1,a,x,y\n")
    with pytest.raises(JudgingError, match="two columns text"):
        read_reports(tmp_path / "r.csv")


def test_a_path_to_nothing_is_told_as_such(tmp_path):
    with pytest.raises(JudgingError, match="is not there"):
        read_reports(tmp_path / "none")
