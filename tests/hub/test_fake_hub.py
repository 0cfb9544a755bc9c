"""The fake Hub against the official clients: else the tests that use it would prove nothing."""

from __future__ import annotations

import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from tests.hub.small_dataset import FILES, LABELS, REPO

TRAIN = "aeollm-2-train/train_deepresearch.csv"


def test_load_dataset(client):
    code = (
        "from datasets import load_dataset\n"
        f"table = load_dataset({REPO!r}, split='train')\n"
        "print(table.num_rows, table.column_names[:2], table[5]['insight_score'])"
    )
    assert client.run(code) == "6 ['questionId', 'answerId'] 3\n"


def test_labels_from_a_loaded_dataset_are_those_of_the_file(client):
    code = (
        "from datasets import load_dataset\n"
        "from huggingface_hub import hf_hub_download\n"
        "from aeollm import labels_from_dataset, read_labels\n"
        f"loaded = labels_from_dataset(load_dataset({REPO!r}, split='train'), name='train')\n"
        f"read = read_labels(hf_hub_download({REPO!r}, {TRAIN!r}, repo_type='dataset'))\n"
        "assert loaded.index == read.index and loaded.dimensions == read.dimensions\n"
        "assert (loaded.scores.values == read.scores.values).all() and (loaded.given == read.given).all()\n"
        "print(len(loaded), len(loaded.question_order))"
    )
    assert client.run(code) == "6 2\n"


def test_the_clients_own_calls(client, first):
    code = (
        "from huggingface_hub import HfApi, HfFileSystem, hf_hub_download, snapshot_download\n"
        "from pathlib import Path\n"
        f"repo, path, commit = {REPO!r}, {TRAIN!r}, {first!r}\n"
        "api = HfApi()\n"
        "info = api.dataset_info(repo, revision='main', files_metadata=True)\n"
        "assert info.sha == commit\n"
        "sizes = {file.rfilename: file.size for file in info.siblings}\n"
        "assert sizes[path] == Path(hf_hub_download(repo, path, repo_type='dataset')).stat().st_size\n"
        "assert sorted(api.list_repo_files(repo, repo_type='dataset')) == sorted(sizes)\n"
        "folder = Path(snapshot_download(repo, repo_type='dataset', allow_patterns=['aeollm-2-train/*']))\n"
        "assert folder.name == commit and not (folder / 'other').exists()\n"
        "names = HfFileSystem().ls(f'datasets/{repo}/aeollm-2-train', detail=False)\n"
        "assert len(names) == 3, names\n"
        "assert api.get_paths_info(repo, [path], repo_type='dataset')[0].size == sizes[path]\n"
        "print(HfFileSystem().read_text(f'datasets/{repo}@{commit}/{path}'), end='')"
    )
    assert client.run(code) == LABELS


@pytest.mark.parametrize(
    ("call", "error"),
    [
        ("dataset_info('no/such')", "RepositoryNotFoundError"),
        (f"dataset_info({REPO!r}, revision='none')", "RevisionNotFoundError"),
        (f"hf_hub_download({REPO!r}, 'none.csv', repo_type='dataset')", "RemoteEntryNotFoundError"),
        (f"list_repo_tree({REPO!r}, 'none', repo_type='dataset')", "RemoteEntryNotFoundError"),
    ],
)
def test_refusals_have_the_clients_types(client, call, error):
    code = (
        "from huggingface_hub import HfApi\n"
        "from huggingface_hub.errors import HfHubHTTPError\n"
        f"try: list(HfApi().{call})\n"
        "except HfHubHTTPError as error: print(type(error).__name__)"
    )
    assert client.run(code) == f"{error}\n"


def test_as_a_program(tmp_path: Path):
    for path, content in FILES.items():
        target = tmp_path / REPO / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    command = [sys.executable, str(Path(__file__).with_name("fake_hub.py")), "--root", str(tmp_path), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            endpoint = process.stdout.readline().strip()
            with urllib.request.urlopen(f"{endpoint}/datasets/{REPO}/resolve/main/{TRAIN}", timeout=5) as reply:
                assert reply.read().decode() == LABELS
        finally:
            process.terminate()
