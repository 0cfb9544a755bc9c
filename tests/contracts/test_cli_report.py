"""`report` as a user meets it: one file that needs nothing else, and holds what was found."""

import base64
import hashlib
import json
import re
from html.parser import HTMLParser

import pytest

from tests.commands import ROOT, call, process
from tests.small_files import labels_csv, rubric, run_text

DEMO = ROOT / "assets" / "demo"
RUNS = [DEMO / "runs" / f"{name}.txt" for name in ("good_judge", "coarse_judge", "length_biased_judge")]
BROKEN = DEMO / "runs" / "broken_run.txt"
LABELS = ("--labels", DEMO)
FEW = ("--resamples", 200)
VOID = {"meta", "link", "img", "br", "hr", "input"}


class Page(HTMLParser):
    """A page read strictly: elements must nest, ids must differ."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.ids, self.links, self.loads = [], [], [], []
        self.texts, self.scripts, self.headings = [], [], []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, name, attributes):
        given = dict(attributes)
        assert len(given) == len(attributes)
        self.loads += [given[key] for key in ("src", "srcset", "action", "data") if key in given]
        assert not [key for key in given if key.startswith("on")]
        if "id" in given:
            self.ids.append(given["id"])
        if name == "a":
            self.links.append(given["href"])
        if name == "script":
            self.scripts.append((given.get("type"), ""))
        if name == "th":
            assert given["scope"] in ("col", "row")
        if name not in VOID:
            self.open.append(name)

    def handle_endtag(self, name):
        assert self.open.pop() == name

    def handle_data(self, data):
        inside = self.open[-1] if self.open else ""
        if inside == "script":
            kind, before = self.scripts[-1]
            self.scripts[-1] = (kind, before + data)
        elif inside != "style":
            self.texts.append(data)
        if inside in ("h1", "h2"):
            self.headings.append(data)

    @property
    def text(self):
        return " ".join("".join(self.texts).split())


@pytest.fixture
def report(capsys, tmp_path, monkeypatch):
    """Write a report; give exit code, the page's text and standard error."""
    monkeypatch.delenv("AEOLLM_LABELS", raising=False)

    def write(*arguments):
        path = tmp_path / "report.html"
        code, _, err = call(capsys, "report", *arguments, "-o", path)
        return code, path.read_text(encoding="utf-8") if path.exists() else None, err

    return write


@pytest.fixture
def demo(report):
    code, text, err = report(*RUNS, *LABELS, *FEW)
    assert (code, err) == (0, "")
    return text


def test_what_is_in_it(demo):
    page = Page(demo)
    assert page.headings == [
        "Agreement of judges with people",
        "Files",
        "Results",
        "Comparison",
        "Questions",
        "Diagnostics",
        "Chance and ceiling",
        "Methods",
        "Signatures",
    ]
    assert page.links == [f"#{name}" for name in page.ids if not name.startswith("figure-")]
    assert len(set(page.ids)) == len(page.ids)
    for told in (
        "DEMO: simulated labels, not human ones",
        "3 runs · 8 questions · 128 answers · rubric weights",
        "good_judge.txt is ahead of coarse_judge.txt by .188 accuracy",
        "The questions that decide",
        "line 1 a header line was skipped.",
        "200 resamples, seed 0",
        "randomised Tukey HSD over all 3 pairs",
        "Overall by language of the question",
        "if the labels' reliability is .76",
        "How alike the runs are to each other",
        "fitted on the labels shown, so no score",
    ):
        assert told in page.text, told
    for run in ("bebb8520", "dc83e9ff", "868729c5"):
        assert f"|run={run}|" in page.text


def test_it_needs_nothing_else(demo):
    page = Page(demo)
    assert page.loads == []
    assert all(link.startswith("#") for link in page.links)
    assert "<link" not in demo
    assert "@import" not in demo
    assert not re.search(r"url\(", demo.split("</style>")[0])


def test_plotly_stands_in_it_once_and_only_its_scripts_may_run(demo):
    page = Page(demo)
    code = [text for kind, text in page.scripts if kind is None]
    assert [text.count("Copyright 2012-2026, Plotly") + text.count("* plotly.js v") > 0 for text in code] == [
        True,
        False,
    ]
    [policy] = re.findall(r'Content-Security-Policy" content="([^"]*)"', demo)
    policy = policy.replace("&#x27;", "'")
    digests = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in code]
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests)
    assert f"script-src {allowed};" in policy
    assert policy.startswith("default-src 'none';")


def test_figures_are_whole_and_named(demo):
    page = Page(demo)
    figures = [json.loads(text) for kind, text in page.scripts if kind == "application/json"]
    named = [name for name in page.ids if name.startswith("figure-")]
    assert len(figures) == len(named)
    assert {"figure-runs", "figure-forest-kendall", "figure-pair-2", "figure-questions-0", "figure-matrix-2"} <= set(
        named
    )
    assert all(figure["data"] and "layout" in figure for figure in figures)
    shown = [note.get("text") for figure in figures for note in figure["layout"].get("annotations", [])]
    assert shown.count("DEMO: simulated labels") == len(figures)


def test_the_same_bytes_every_time_and_everywhere(tmp_path):
    contents = []
    for folder in ("one", "two"):
        place = tmp_path / folder
        place.mkdir()
        done = process("report", *RUNS, *LABELS, *FEW, "-o", "r.html", cwd=place)
        assert (done.returncode, done.stderr) == (0, b"")
        contents.append((place / "r.html").read_bytes())
    assert contents[0] == contents[1]
    assert str(tmp_path).encode() not in contents[0]


def test_numbers_are_those_of_the_other_commands(demo, capsys):
    found = json.loads(call(capsys, "compare", *RUNS, *LABELS, *FEW, "--json")[1])
    text = Page(demo).text
    for run in found["runs"]:
        for measure in ("spearman", "kendall", "accuracy"):
            cell = run["overall"][measure]
            low, high = (f"{cell[name]:.3f}".removeprefix("0") for name in ("low", "high"))
            assert f"{cell['mean']:.3f}".removeprefix("0") + f"[{low}, {high}]" in text.replace(" [", "[")


def test_refused_files_are_in_it(report):
    code, text, err = report(RUNS[0], BROKEN, *LABELS, *FEW)
    assert code == 1
    assert "broken_run.txt: REFUSED" in err
    page = Page(text)
    assert "broken_run.txt refused: 6 problems" in page.text
    assert "line 9 insight_score is '5,31', which has a decimal comma. Write 5.31 with a decimal point." in page.text
    assert "Comparison" not in page.headings
    assert "Results" in page.headings


def test_nothing_but_refused_files(report):
    code, text, _ = report(BROKEN, *LABELS)
    page = Page(text)
    assert code == 1
    assert page.headings[1:] == ["Files", "Chance and ceiling", "Methods", "Signatures"]


def test_unusable_labels(report, tmp_path):
    code, text, err = report(RUNS[0], "--labels", tmp_path / "none")
    assert (code, text) == (2, None)
    assert "no such file" in err
    (tmp_path / "keys.csv").write_text("questionId,answerId\nq,a\n")
    (tmp_path / "run.txt").write_bytes(run_text([("q", "a", 1)]))
    code, text, _ = report(tmp_path / "run.txt", "--labels", tmp_path / "keys.csv")
    assert code == 2
    assert "without human scores" in text


def test_a_file_that_cannot_be_written(capsys, tmp_path):
    code, _, err = call(capsys, "report", *RUNS, *LABELS, *FEW, "-o", tmp_path / "no" / "r.html")
    assert code == 2
    assert "cannot be written" in err


HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"'&%{x}"


@pytest.fixture
def hostile(tmp_path):
    """Labels, rubrics and runs whose every text tries to get out of its place."""
    names = ["q<b>", "<td>", "=3", "问题", "q&amp;"]
    gold = [(q, f"<i>{rank}", rank) for q in names for rank in range(4)]
    (tmp_path / "l<b>.csv").write_bytes(labels_csv(gold, ("<u>truth",)))
    folder = tmp_path / "rubrics"
    folder.mkdir()
    for q in names:
        content = json.loads(rubric(q, ("1",), ("<u>truth",)))
        content["prompt"] = HOSTILE + "\u202e<!--"
        (folder / f"criterion{q}.json").write_text(json.dumps(content))
    header = b"taskId questionId answerId <u>truth_score\n"
    flipped = [(q, a, 3 - rank if q == "=3" else rank) for q, a, rank in gold]
    runs = [tmp_path / f"{place}<script>alert(3)<script>\"'\u202e%{{x}}.txt" for place in range(2)]
    for path, rows in zip(runs, (gold, flipped), strict=True):
        path.write_bytes(header + run_text(rows, 1))
    return [*runs, "--labels", tmp_path / "l<b>.csv"]


@pytest.mark.parametrize("more", [(), ("--rubrics", "rubrics")])
def test_everything_is_escaped(report, hostile, more, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, text, _ = report(*hostile, *more, *FEW)
    assert code == 0
    page = Page(text)
    assert len([script for kind, script in page.scripts if kind is None]) == 2
    assert page.loads == []
    for out in ("<script>alert", "<img src", "\u202e", "<i>0", "<td>=3", "<u>"):
        assert out not in text, out
    assert "0<script>alert(3)<script>" in page.text
    assert (HOSTILE[:40] in page.text) is bool(more)


def test_more_runs_than_are_told_in_full(report):
    code, text, _ = report(*RUNS[:1] * 13, *LABELS, "--resamples", 20)
    page = Page(text)
    assert code == 0
    assert "1 more runs are left out here" in page.text
    assert "66 more pairs are left out" in page.text
    assert "good_judge.txt (13)" in page.text
