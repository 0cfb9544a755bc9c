"""Which copy is taken: what counts as complete, what is asked of the Hub, and when an older one serves."""

from __future__ import annotations

import errno
import json
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from aeollm.hub import _write
from tests.hub.conftest import OFFLINE
from tests.hub.fake_hub import FAULTS, Fault
from tests.hub.small_dataset import FILES, LABELS, NEWER, REPO, WANTED

TRAIN = "aeollm-2-train/train_deepresearch.csv"


def asked(hub):
    """Give the last part of every path that was asked for, in order of the alphabet."""
    return sorted(seen.path.split("?")[0].rsplit("/", 1)[1] for seen in hub.seen)


def test_first_download(hub, client, first):
    outcome = client.fetch()
    expected = {"repo": REPO, "revision": first, "cached": False, "fetched": None, "stale": None}
    assert outcome.snapshot == expected
    assert outcome.texts == {path: FILES[path].decode() for path in WANTED}
    assert asked(hub) == sorted(["main", *(path.rsplit("/", 1)[1] for path in WANTED)])
    assert {seen.method for seen in hub.seen} == {"GET"}


@pytest.mark.parametrize("spelling", [str.lower, str.upper])
def test_a_complete_pinned_revision_asks_nothing(hub, client, first, spelling):
    client.fetch()
    hub.seen.clear()
    outcome = client.fetch(revision=spelling(first))
    assert not hub.seen
    assert outcome.snapshot["cached"]
    assert outcome.snapshot["revision"] == first


def test_a_branch_is_resolved_by_one_request(hub, client, first):
    client.fetch()
    hub.seen.clear()
    outcome = client.fetch()
    assert asked(hub) == ["main"]
    assert outcome.snapshot["cached"]
    assert outcome.snapshot["stale"] is None
    newer = hub.publish(REPO, NEWER)
    outcome = client.fetch()
    assert outcome.snapshot["revision"] == newer
    assert not outcome.snapshot["cached"]
    assert outcome.texts[TRAIN] == NEWER[TRAIN].decode()
    assert client.fetch(revision=first).texts[TRAIN] == LABELS


def test_a_tag_with_a_slash_and_a_short_hash(hub, client, first, refused):
    hub.publish(REPO, FILES, branch="release/2.0")
    hub.publish(REPO, FILES, branch=first[:7])
    for revision in ("release/2.0", first[:7]):
        assert client.fetch(revision=revision).snapshot["revision"] == first
    for revision in ("release/2.0", first[:7]):
        assert client.fetch(refused, revision=revision).snapshot["stale"] == "offline"
    assert client.fetch(refused, revision="main").problem["kind"] == "offline"  # never asked for by that name


@pytest.mark.parametrize("harm", ["missing", "short", "dangling"])
def test_half_a_copy_is_completed(hub, client, first, refused, harm):
    client.fetch(revision=first)
    victim = client.folder(first) / TRAIN
    victim.unlink()
    if harm == "short":
        victim.write_text(LABELS[:50])
    elif harm == "dangling":
        victim.symlink_to(client.home / "gone")
    hub.seen.clear()
    outcome = client.fetch(revision=first)
    assert outcome.texts[TRAIN] == LABELS
    assert not outcome.snapshot["cached"]
    assert asked(hub) == sorted([first, "train_deepresearch.csv"])
    victim.unlink()
    assert client.fetch(refused, revision=first).problem["kind"] == "offline"  # not read as if complete


def test_a_download_that_broke_off_is_taken_up(hub, client, first, refused):
    hub.fault = Fault(503, where="train_deepresearch.csv")
    assert client.fetch().problem["kind"] == "server_error"
    there = {path.name for path in client.folder(first).rglob("*.json")}
    assert client.fetch(refused, revision=first).problem["kind"] == "offline"
    hub.fault = None
    hub.seen.clear()
    assert sorted(client.fetch().texts) == WANTED
    assert not there & set(asked(hub))


def test_other_folders_of_the_same_commit(client, first):
    client.fetch(revision=first)
    outcome = client.fetch(revision=first, folders=["other/"])
    assert not outcome.snapshot["cached"]
    assert outcome.texts["other/notes.json"] == "{}"


STALE = {"rate_limited": "rate_limited", "server_error": "server_error", "web_page": "server_error", "drip": "offline"}


@pytest.mark.parametrize("fault", STALE)
def test_a_stale_branch(hub, client, first, fault):
    client.fetch()
    hub.publish(REPO, NEWER)
    hub.fault = FAULTS[fault]
    outcome = client.fetch()
    today = time.strftime("%Y-%m-%d", time.gmtime())
    expected = {"repo": REPO, "revision": first, "cached": True, "fetched": today, "stale": STALE[fault]}
    assert outcome.snapshot == expected
    assert outcome.texts[TRAIN] == LABELS
    assert outcome.seconds < 6


def test_a_stale_branch_offline(client, refused):
    client.fetch()
    for variables in (OFFLINE, refused):
        outcome = client.fetch(variables)
        assert outcome.snapshot["stale"] == "offline"
        assert outcome.seconds < 3


@pytest.mark.parametrize("fault", ["gated", "repo_missing", "revision_missing", "bad_token"])
def test_a_refusal_is_not_papered_over_with_an_older_copy(hub, client, fault):
    client.fetch()
    hub.fault = FAULTS[fault]
    assert client.fetch().problem


def test_half_a_copy_never_stands_in_for_a_branch(client, first, refused):
    client.fetch()
    (client.folder(first) / TRAIN).unlink()
    assert client.fetch(refused).problem["kind"] == "offline"


def test_a_copy_made_by_the_official_client(client, first, refused):
    client.run(f"from huggingface_hub import snapshot_download\nsnapshot_download({REPO!r}, repo_type='dataset')")
    outcome = client.fetch(refused, revision=first)
    assert {path: outcome.texts[path] for path in WANTED} == {path: FILES[path].decode() for path in WANTED}
    assert client.fetch(refused).snapshot["stale"] == "offline"


def test_single_files_of_the_official_client_are_not_taken_for_all(hub, client, first):
    client.run(
        "from huggingface_hub import hf_hub_download\n"
        f"hf_hub_download({REPO!r}, {TRAIN!r}, repo_type='dataset', revision={first!r})",
    )
    hub.seen.clear()
    hub.fault = FAULTS["server_error"]
    assert client.fetch(revision=first).problem["kind"] == "server_error"
    hub.fault = None
    assert sorted(client.fetch(revision=first).texts) == WANTED
    assert "train_deepresearch.csv" not in asked(hub)


def test_the_official_client_finds_our_copy(client, first):
    client.fetch()
    path, scanned = client.run(
        "from huggingface_hub import hf_hub_download, scan_cache_dir\n"
        f"print(hf_hub_download({REPO!r}, {TRAIN!r}, repo_type='dataset', local_files_only=True))\n"
        "(repo,) = scan_cache_dir().repos\n"
        "print(repo.repo_id, [sorted(revision.refs) for revision in repo.revisions])",
    ).splitlines()
    assert path == str(client.folder(first) / TRAIN)
    assert scanned == f"{REPO} [['main']]"


def test_notes_that_cannot_be_read_are_made_again(hub, client, first):
    client.fetch(revision=first)
    (notes,) = client.home.rglob(f"{first}.json")
    notes.write_bytes(b"\xff{")
    hub.seen.clear()
    for _ in range(2):
        assert client.fetch(revision=first).snapshot["cached"]
    assert asked(hub) == [first]


def test_a_hub_that_does_not_tell_sizes(client, first, refused, monkeypatch):
    monkeypatch.setattr("tests.hub.fake_hub.Found.flag", lambda *_: False)
    assert sorted(client.fetch().texts) == WANTED
    (client.folder(first) / TRAIN).write_text("short")
    assert client.fetch(refused, revision=first).problem["kind"] == "offline"  # the length that arrived is noted


def test_a_cache_elsewhere(client, first, tmp_path):
    client.fetch(cache_dir=str(tmp_path / "elsewhere"))
    assert (tmp_path / "elsewhere" / "datasets--THUIR--AEOLLM" / "snapshots" / first / TRAIN).read_text() == LABELS
    assert not client.home.exists()


def test_the_default_cache_is_the_clients(client, first):
    client.run("from aeollm.hub import fetch_snapshot\nfetch_snapshot()")
    assert (client.folder(first) / TRAIN).read_text() == LABELS


def test_several_at_once(client):
    done = client.run(
        "from concurrent.futures import ThreadPoolExecutor\n"
        "from aeollm.hub import fetch_snapshot\n"
        "with ThreadPoolExecutor() as pool: snapshots = list(pool.map(lambda _: fetch_snapshot(), range(6)))\n"
        f"print({{(snapshot.folder / {TRAIN!r}).read_text() for snapshot in snapshots}} == {{{LABELS!r}}})"
    )
    assert done == "True\n"


def test_a_read_only_copy_serves(client, first):
    client.fetch()
    store = client.folder(first).parents[1]
    for folder in ("aeollm", "refs"):
        shutil.rmtree(store / folder)
        (store / folder).write_text("a file where a folder should be")
    assert client.fetch().snapshot["cached"]


def test_a_full_disk_leaves_no_half_file(tmp_path, monkeypatch):
    def write_half(path, content):
        with path.open("wb") as file:
            file.write(content[:1])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", write_half)
    with pytest.raises(OSError, match="No space"):
        _write(tmp_path / "folder" / "labels.csv", b"questionId")
    assert not list((tmp_path / "folder").iterdir())


def test_the_commit_asked_for_is_the_one_fetched(hub, client, first):
    listing = {"id": REPO, "sha": "b" * 40, "siblings": [{"rfilename": TRAIN, "size": len(LABELS)}]}
    hub.fault = Fault(body=json.dumps(listing).encode(), where="/api/")
    outcome = client.fetch(revision=first)
    assert outcome.snapshot["revision"] == first
    assert outcome.texts == {TRAIN: LABELS}


def test_importing_the_module_does_not_import_the_client():
    code = "import sys, aeollm.hub\nassert not [n for n in sys.modules if n.startswith(('huggingface_hub', 'httpx'))]"
    subprocess.run([sys.executable, "-c", code], check=True)
