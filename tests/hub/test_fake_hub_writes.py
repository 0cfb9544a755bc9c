"""The writable fake Hub against the official client: else the tests that use it would prove nothing."""

from __future__ import annotations

import pytest

from tests.hub.fake_hub import Fault
from tests.hub.fake_hub_writes import STORE, TOKEN

CLIENT = "from huggingface_hub import HfApi, CommitOperationAdd as Add, CommitOperationDelete as Delete\n"
COMMIT = "api.create_commit({repo!r}, [Add('a/{n}.txt', b'{n}')], commit_message='m', repo_type='dataset'{more})\n"


@pytest.fixture
def hub(lab_hub):
    return lab_hub


def called(client, code, token=TOKEN):
    """Run calls of the client with a token; errors are printed as type and status."""
    body = "".join(f"    {line}\n" for line in code.splitlines())
    return client.run(
        f"{CLIENT}from huggingface_hub.errors import HfHubHTTPError\napi = HfApi(token={token!r})\n"
        f"try:\n{body}except HfHubHTTPError as error: print(type(error).__name__, error.response.status_code)"
    ).strip()


def test_commits_are_read_back_at_their_revision(client):
    code = (
        f"first = {COMMIT.format(repo=STORE, n=1, more='')}"
        f"second = {COMMIT.format(repo=STORE, n=2, more=', parent_commit=first.oid')}"
        f"api.create_commit({STORE!r}, [Delete('a/1.txt')], commit_message='m', repo_type='dataset')\n"
        f"saved = api.hf_hub_download({STORE!r}, 'a/2.txt', repo_type='dataset', revision=second.oid)\n"
        f"listed = lambda revision: api.list_repo_files({STORE!r}, repo_type='dataset', revision=revision)\n"
        f"print(open(saved).read(), listed(first.oid), listed(None), api.dataset_info({STORE!r}).private)\n"
        "print(api.whoami()['name'])"
    )
    assert called(client, code) == "2 ['.gitattributes', 'a/1.txt'] ['.gitattributes', 'a/2.txt'] True\nann"


@pytest.mark.parametrize(
    ("token", "told"),
    [(False, "RepositoryNotFoundError 401"), ("hf_wrong", "HfHubHTTPError 401"), ("hf_old", "HfHubHTTPError 401")],
)
@pytest.mark.parametrize("code", [f"api.list_repo_files({STORE!r}, repo_type='dataset')", COMMIT])
def test_private_repositories_need_a_good_token(client, hub, code, token, told):
    assert called(client, code.format(repo=STORE, n=1, more=""), token) == told
    assert list(hub.files(STORE)) == [".gitattributes"]


def test_a_reader_cannot_write(client):
    assert called(client, f"print(api.dataset_info({STORE!r}).id)", "hf_reader") == STORE
    assert called(client, COMMIT.format(repo=STORE, n=1, more=""), "hf_reader") == "HfHubHTTPError 403"


def test_a_commit_on_an_old_parent_is_refused(client, hub):
    parent = hub.repos[STORE].branches["main"]
    hub.before_commit = lambda: hub.commit(STORE, {"other.txt": b"faster"})
    assert called(client, COMMIT.format(repo=STORE, n=1, more=f", parent_commit='{parent}'")) == "HfHubHTTPError 412"
    assert sorted(hub.files(STORE)) == [".gitattributes", "other.txt"]


def test_a_lost_answer_leaves_the_commit(client, hub):
    hub.script = [Fault(lost=True, where="/commit/")]
    code = f"import httpx2\ntry: {COMMIT.format(repo=STORE, n=1, more='')}except httpx2.TransportError: print('lost')"
    assert called(client, code) == "lost"
    assert hub.files(STORE)["a/1.txt"] == b"1"


def test_each_scripted_fault_hits_one_request(client, hub):
    hub.script = [Fault(429, where="/commit/"), Fault(500, where="/commit/")]
    for told in ("HfHubHTTPError 429", "HfHubHTTPError 500", ""):
        assert called(client, COMMIT.format(repo=STORE, n=1, more="")) == told


def test_a_space_with_variables_and_secrets(client, hub):
    code = (
        "args = dict(repo_type='space', space_sdk='gradio', exist_ok=True)\n"
        "print(api.create_repo('lab/page', private=True, **args), api.create_repo('lab/page', **args).repo_id)\n"
        "api.add_space_variable('lab/page', 'A', '1')\napi.add_space_variable('lab/page', 'B', '2')\n"
        "api.delete_space_variable('lab/page', 'B')\napi.add_space_secret('lab/page', 'S', 'hush')\n"
        "api.upload_file(path_or_fileobj=b'x', path_in_repo='app.py', repo_id='lab/page', repo_type='space')\n"
        "variables, secrets = api.get_space_variables('lab/page'), api.get_space_secrets('lab/page')\n"
        "print({k: v.value for k, v in variables.items()}, list(secrets))\n"
        "print(api.space_info('lab/page').id, api.list_repo_files('lab/page', repo_type='space'))\n"
        "print(api.restart_space('lab/page').stage, api.get_space_runtime('lab/page').stage)\n"
        "api.create_repo('other/page', repo_type='space', space_sdk='gradio')"
    )
    assert called(client, code).splitlines() == [
        f"{hub.endpoint}/spaces/lab/page lab/page",
        "{'A': '1'} ['S']",
        "lab/page ['.gitattributes', 'app.py']",
        "RUNNING RUNNING",
        "HfHubHTTPError 403",
    ]
    assert hub.spaces["lab/page"].secrets == {"S": "hush"}
    assert hub.repos["spaces/lab/page"].private
