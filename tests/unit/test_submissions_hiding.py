"""Labels that a host keeps hidden are found out wherever they turn up."""

from dataclasses import replace
from pathlib import Path

import pytest

from aeollm import read_labels
from aeollm.errors import HostingError
from aeollm.sources import Settings, demo_set, read_set
from aeollm.submissions import HubPlace, open_host
from tests.hosted import LABELS, host
from tests.small_files import labels_csv

ELSEWHERE = [(q, a, s + 1) for q, a, s in LABELS]


def labels_of(rows, **fields):
    return replace(read_labels(labels_csv(rows), name="own"), **fields)


@pytest.mark.parametrize(
    ("rows", "hidden"),
    [
        (LABELS, True),
        (LABELS[::-1], True),
        ([*LABELS, ("3", "z", 5)], True),
        (LABELS[:2], True),
        ([(q, a, f"{s}.00") for q, a, s in LABELS], True),
        ([*LABELS[:4], ("2", "b", 9), ("2", "c", 9)], True),
        (ELSEWHERE, False),
        ([*LABELS[:2], *ELSEWHERE[2:]], False),
        ([("7", a, s) for _, a, s in LABELS[:3]], False),
    ],
)
def test_by_what_they_score(tmp_path, rows, hidden):
    assert host(tmp_path).hides(labels_of(rows)) is hidden


def test_by_other_dimensions_nothing_is_told(tmp_path):
    content = labels_csv(LABELS, ("helpfulness",))
    assert not host(tmp_path).hides(read_labels(content, name="own"))
    assert not host(tmp_path).hides(read_labels(b"questionId,answerId\n1,a\n", name="keys"))


def test_by_where_they_lie(tmp_path):
    given = host(tmp_path)
    (tmp_path / "labels" / "other").mkdir()
    (tmp_path / "labels" / "other" / "labels.csv").write_bytes(labels_csv(ELSEWHERE))
    assert given.hides(read_set(tmp_path / "labels", "other").labels)
    (tmp_path / "public.csv").write_bytes(labels_csv(ELSEWHERE))
    assert not given.hides(read_set(tmp_path / "public.csv").labels)


def test_by_their_data_set(tmp_path):
    given = host(tmp_path, labels=HubPlace("Lab/labels"), token="hf_hush")
    assert given.hides(labels_of(ELSEWHERE, source="lab/Labels@0123", revision="0123"))
    assert given.hides_place(Settings(repo="LAB/labels"))
    assert not given.hides_place(Settings(repo="lab/other"))


def test_where_it_cannot_be_told_it_is_said(tmp_path):
    given = host(tmp_path, labels=tmp_path / "gone")
    with pytest.raises(HostingError):
        given.hides(labels_of(ELSEWHERE))


@pytest.mark.parametrize("place", ["labels", "labels/hidden/labels.csv", "store", "spool/waiting", "", "x/../labels"])
def test_places_are_known_before_anything_is_read(tmp_path, place):
    assert host(tmp_path).hides_place(Settings(labels=tmp_path / place))


@pytest.mark.parametrize("place", ["other", "labels2", "labels/../other"])
def test_other_places_are_left_alone(tmp_path, place):
    assert not host(tmp_path).hides_place(Settings(labels=tmp_path / place))


def test_the_demos_labels_are_public(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("AEOLLM_HOST", "demo")
    given = open_host()
    assert not given.hides(demo_set().labels)
    assert given.private_paths == (Path("aeollm-host-demo").resolve(), Path("aeollm-spool").resolve())
