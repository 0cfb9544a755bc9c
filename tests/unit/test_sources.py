"""Where labels come from: a file, a folder, several sets, an upload, the demo, the Hub's folder."""

import shutil
from pathlib import Path

import pytest

from aeollm import DIMENSIONS, AeollmError, LabelsError, RubricsError, UsageError
from aeollm.hub import DEFAULT_FOLDERS, DEFAULT_REPO, Snapshot
from aeollm.sources import DEMO_FOLDER, Settings, demo_set, find_labels, hub_sets, local_sets, read_set, read_upload
from tests.small_files import labels_csv, rubric

LABELS = labels_csv([("1", "A", 1), ("1", "B", 2)])


@pytest.fixture
def folder(tmp_path):
    def write(files):
        for name, content in files.items():
            path = tmp_path / "set" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        return tmp_path / "set"

    return write


RUBRIC = {"rubric_dataset/criterion1.json": rubric("1", ("0.4", "0.3", "0.2", "0.1"))}


# A file


def test_a_file_has_its_name_and_equal_weights(folder):
    path = folder({"train.csv": LABELS}) / "train.csv"
    found = read_set(path)
    assert (found.labels.name, found.labels.source, found.labels.revision) == ("train", str(path), None)
    assert (found.rubrics, found.weights_signed, found.notice) == (None, "equal", "")
    assert found.labels.problems == ()
    assert read_set(path, "mine").labels.name == "mine"


def test_a_file_with_named_rubrics(folder):
    path = folder({"train.csv": LABELS, "weights/criterion1.json": rubric("1", "4321")})
    found = read_set(path / "train.csv", rubrics=path / "weights")
    assert found.weights_signed == found.rubrics.signed
    assert float(found.rubrics.weights["1"]["insight"]) == 3


def test_rubrics_beside_a_file_are_not_taken_unasked_and_that_is_said(folder):
    found = read_set(folder({"train.csv": LABELS} | RUBRIC) / "train.csv")
    assert found.rubrics is None
    assert [(problem.severity, problem.kind) for problem in found.labels.problems] == [("warning", "equal_weights")]


# A folder


@pytest.mark.parametrize("name", ["train.csv", "TRAIN.CSV"])
def test_a_folder_with_a_table_and_rubrics(folder, name):
    found = read_set(folder({name: LABELS} | RUBRIC))
    assert found.labels.name == "set"
    assert found.labels.source.endswith(name)
    assert found.rubrics is not None
    assert found.labels.problems == ()


def test_a_folder_without_rubrics(folder):
    assert read_set(folder({"train.csv": LABELS})).rubrics is None


def test_named_rubrics_come_before_the_folders_own(folder):
    path = folder({"train.csv": LABELS, "other/criterion1.json": rubric("1", "1111")} | RUBRIC)
    assert float(read_set(path, rubrics=path / "other").rubrics.weights["1"]["insight"]) == 1


def test_the_layout_of_the_hub_has_a_folder_a_set(folder):
    path = folder({"aeollm-2-train/t.csv": LABELS, "aeollm-2-train/rubric_dataset/criterion1.json": rubric("1")})
    assert read_set(path).labels.name == "aeollm-2-train"
    folder({"aeollm-2-test/t.csv": b"questionId,answerId\n9,A\n"})
    with pytest.raises(UsageError) as raised:
        read_set(path)
    (problem,) = raised.value.problems
    assert problem.kind == "ambiguous_set"
    assert "aeollm-2-test, aeollm-2-train" in problem.message
    assert read_set(path, "aeollm-2-test").labels.questions == ("9",)
    assert read_set(path, "aeollm-2-train").rubrics is not None
    assert {name: found.labels.labelled for name, found in local_sets(path).items()} == {
        "aeollm-2-train": True,
        "aeollm-2-test": False,
    }


def test_the_table_of_the_folder_itself_comes_before_those_of_folders_in_it(folder):
    path = folder({"mine.csv": LABELS, "old/labels.csv": LABELS})
    assert read_set(path).labels.source.endswith("mine.csv")
    assert read_set(path, "old").labels.source.endswith("labels.csv")


def test_several_tables_in_one_folder_are_named_by_their_files(folder):
    path = folder({"a.csv": LABELS, "b.csv": LABELS, "c/a.csv": LABELS, "c/b.csv": labels_csv([("7", "A", 1)])})
    with pytest.raises(UsageError, match="a, b"):
        read_set(path)
    assert read_set(path, "a").labels.questions == ("1", "1")
    assert read_set(path, "c/b").labels.questions == ("7",)
    assert sorted(local_sets(path)) == ["a", "b", "c/a", "c/b"]


def test_an_unknown_set_lists_those_there_are(folder):
    with pytest.raises(UsageError) as raised:
        read_set(folder({"one/a.csv": LABELS, "two/a.csv": LABELS}), "three")
    (problem,) = raised.value.problems
    assert problem.kind == "unknown_set"
    assert "'three'" in problem.message
    assert "one, two" in problem.message


@pytest.mark.parametrize(
    ("name", "kind"), [("", "no_labels"), ("none", "unreadable_file"), ("x" * 300, "unreadable_file")]
)
def test_nothing_there(tmp_path, name, kind):
    with pytest.raises(LabelsError) as raised:
        read_set(tmp_path / name)
    assert [problem.kind for problem in raised.value.problems] == [kind]
    assert raised.value.problems[0].remedy


def test_rubrics_that_are_not_there(folder):
    path = folder({"train.csv": LABELS})
    for rubrics in (path / "none", path / ("x" * 300)):
        with pytest.raises(RubricsError):
            read_set(path, rubrics=rubrics)


def test_rubrics_that_do_not_cover_the_labels(folder):
    with pytest.raises(RubricsError) as raised:
        read_set(folder({"t.csv": labels_csv([("1", "A", 1), ("2", "A", 1)])} | RUBRIC))
    assert [(problem.kind, problem.question) for problem in raised.value.problems] == [("missing_rubric", "2")]


# The demo


def test_the_demo_carries_its_badge():
    found = demo_set()
    assert (found.labels.name, found.labels.demo, found.labels.source) == ("demo", True, "bundled demo")
    assert (len(found.labels.question_order), len(found.labels)) == (8, 128)
    assert set(found.rubrics.weights) == set(found.labels.question_order)
    assert found.labels.dimensions == DIMENSIONS


def test_the_demo_keeps_its_badge_wherever_it_lies(tmp_path):
    shutil.copytree(DEMO_FOLDER, tmp_path / "real")
    table = next((tmp_path / "real").rglob("*.csv"))
    shutil.copy(table, tmp_path / "official.csv")
    for path in (tmp_path / "real", tmp_path / "official.csv", table):
        labels = read_set(path, None).labels
        assert (labels.name, labels.demo) == ("demo", True)
    assert read_upload(table.read_bytes(), "official.csv").labels.demo
    assert not read_upload(table.read_bytes() + b"0,99,X,1,1,1,1\n", "official.csv").labels.demo


# Uploads


def test_an_upload_has_the_name_of_its_file_and_no_path():
    labels = read_upload(LABELS, "my labels.v2.csv").labels
    assert (labels.name, labels.source, labels.demo) == ("my labels.v2", "upload", False)
    with pytest.raises(LabelsError):
        read_upload(b"<html>", "x.csv")


# Which of them


def test_settings_from_the_environment():
    assert Settings.from_environment({}) == Settings(None, DEFAULT_REPO, "main", DEFAULT_FOLDERS, None)
    settings = Settings.from_environment(
        {
            "AEOLLM_LABELS": "/data",
            "AEOLLM_REPO": "me/mine",
            "AEOLLM_REVISION": "v1",
            "AEOLLM_FOLDERS": "a, b,",
            "HF_TOKEN": "hf_secret",
        }
    )
    assert settings == Settings(Path("/data"), "me/mine", "v1", ("a", "b"), "hf_secret")
    assert "hf_secret" not in repr(settings)
    empty = dict.fromkeys(("AEOLLM_LABELS", "AEOLLM_REPO", "AEOLLM_REVISION", "AEOLLM_FOLDERS", "HF_TOKEN"), "")
    assert Settings.from_environment(empty) == Settings()


@pytest.fixture
def hub(monkeypatch, folder):
    """Answer every question to the Hub from a folder, and note what was asked."""
    asked = []

    def fetch(repo, revision, folders, *, token):
        asked.append((repo, revision, folders, token))
        return Snapshot(path, repo, "c0ffee", *state)

    path = folder({"aeollm-2-train/t.csv": LABELS, "aeollm-2-test/t.csv": b"questionId,answerId\n9,A\n"})
    state = [False, None, None]
    monkeypatch.setattr("aeollm.sources.fetch_snapshot", fetch)
    return asked, state


def test_a_local_path_is_tried_first_and_the_demo_only_by_name(hub, folder):
    asked, _ = hub
    path = folder({}) / "aeollm-2-train"
    assert find_labels(Settings(labels=path)).labels.source.endswith("t.csv")
    assert find_labels(Settings(), "demo").labels.demo
    assert asked == []
    labels = find_labels(Settings(token="t")).labels
    assert (labels.name, labels.revision, labels.source) == ("aeollm-2-train", "c0ffee", "THUIR/AEOLLM@c0ffee")
    assert labels.signed == "aeollm-2-train@c0ffee"
    assert find_labels(Settings(repo="a/b"), "aeollm-2-test").labels.questions == ("9",)
    assert asked == [
        (DEFAULT_REPO, "main", DEFAULT_FOLDERS, "t"),
        ("a/b", "main", ("aeollm-2-test",), None),
    ]


@pytest.mark.parametrize(
    ("state", "notice"),
    [
        ([False, None, None], ""),
        ([True, "2026-11-01", None], "local copy of 2026-11-01"),
        ([True, None, None], "local copy"),
        ([True, "2026-11-01", "rate_limited"], "local copy of 2026-11-01; the Hub could not be asked (rate limited)"),
    ],
)
def test_how_fresh_a_copy_is_is_said(hub, state, notice):
    hub[1][:] = state
    assert {found.notice for found in hub_sets(Settings()).values()} == {notice}


def test_one_set_that_cannot_be_read_does_not_hide_the_other(hub, folder):
    folder({"aeollm-2-test/t.csv": b"id,text\n1,x\n"})
    sets = hub_sets(Settings())
    assert list(sets) == ["aeollm-2-train"]
    assert "aeollm-2-test cannot be used" in sets["aeollm-2-train"].notice
    assert "questionId" in sets["aeollm-2-train"].notice
    with pytest.raises(AeollmError, match="questionId"):
        hub_sets(Settings(), ["aeollm-2-test"])
    assert hub[0]
