"""``python -m aeollm deploy`` as a process against a fake Hub that can be written to."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from aeollm.deployment import space_files
from aeollm.judging.jobs import Plan, jobs_of
from aeollm.sources import DEMO_FOLDER
from tests.hub.conftest import PATIENCE
from tests.hub.fake_hub import Fault
from tests.hub.fake_hub_writes import WritableHub

ROOT = Path(__file__).resolve().parents[2]
TOKEN = "hf_writer"
CANARY = "canary-of-a-secret-7f3a"
README = "---\ntitle: T\nsdk: gradio\n---\n\n# T\n"
PROJECT = {
    "README.md": README,
    "app.py": "print(1)\n",
    "requirements.txt": "gradio\n",
    "LICENSE": "MIT\n",
    "aeollm/__init__.py": "",
    "aeollm/ui/words.py": "x = 1\n",
    "assets/pages/a.md": "# 中文\n",
}
# What lies about in a project's folder, and is nobody else's business.
JUNK = {
    ".env": "HF_TOKEN=x\n",
    "aeollm/.env": "HF_TOKEN=x\n",
    "aeollm/__pycache__/a.pyc": "x",
    "aeollm/server.key": "x",
    "assets/store.sqlite": "x",
    "tests/test_a.py": "x",
    "benchmarks/load.py": "x",
    "aeollm-host-demo/runs/1.json": "{}",
    "my_run.txt": "0 1 a 1 2 3 4\n",
    "pyproject.toml": "x",
    ".venv/lib/x.py": "x",
}
HOST = """
[labels]
place = "hf://datasets/me/labels"
[store]
place = "hf://datasets/me/store"
[phases.formal]
start = 2026-01-01T00:00:00Z
end = 2027-01-01T00:00:00Z
labels = "formal"
"""


@pytest.fixture(scope="module")
def running():
    with WritableHub() as started:
        yield started


@pytest.fixture
def hub(running):
    running.reset()
    running.add_token(TOKEN, "me", owners=("me", "lab"))
    yield running
    running.reset()


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    for path, text in (PROJECT | JUNK).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, "utf-8")
    (folder / "assets" / "link.md").symlink_to("/etc/hostname")
    return folder


class Deploy:
    """Runs the command, and keeps everything it wrote."""

    def __init__(self, hub, project, tmp_path):
        kept = {name: text for name, text in os.environ.items() if not name.startswith(("HF_", "HUGGING", "AEOLLM_"))}
        kept = {name: text for name, text in kept.items() if not name.upper().endswith("_PROXY")}
        ours = {"HF_ENDPOINT": hub.endpoint, "HF_HOME": str(tmp_path / "hf"), "HF_TOKEN": TOKEN}
        self.environment = kept | ours | {"HF_HUB_DISABLE_TELEMETRY": "1", "PYTHONPATH": str(ROOT)}
        self.folder = project
        self.told = ""

    def command(self, *arguments):
        return [sys.executable, "-m", "aeollm", "deploy", *map(str, arguments), "--folder", str(self.folder)]

    def __call__(self, *arguments, **variables):
        environment = {name: text for name, text in (self.environment | variables).items() if text is not None}
        done = subprocess.run(
            self.command(*arguments),
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        self.told = done.stdout + done.stderr
        assert "Traceback" not in self.told
        assert TOKEN not in self.told
        assert CANARY not in self.told
        return done


@pytest.fixture
def deploy(hub, project, tmp_path):
    return Deploy(hub, project, tmp_path)


@pytest.fixture
def host_toml(tmp_path):
    path = tmp_path / "host.toml"
    path.write_text(HOST, "utf-8")
    return path


def sent(hub, repo="me/judge"):
    return {path: text.decode() for path, text in hub.files(f"spaces/{repo}").items() if path != ".gitattributes"}


def test_a_dry_run_lists_this_project_and_reaches_nobody(hub, tmp_path):
    deploy = Deploy(hub, ROOT, tmp_path)
    done = deploy("me/judge", "--dry-run", "--json", "--secret", "HF_TOKEN", "--variable", "AEOLLM_REPO=a/b")
    assert done.returncode == 0
    told = json.loads(done.stdout)
    sizes = {file["path"]: file["bytes"] for file in told["files"]}
    assert sizes["app.py"] == (ROOT / "app.py").stat().st_size
    assert {"README.md", "requirements.txt", "aeollm/ui/__init__.py", "assets/words.toml"} <= sizes.keys()
    modules = {path.relative_to(ROOT).as_posix() for path in (ROOT / "aeollm").rglob("*.py")}
    untracked = {note.split(" is not in git")[0] for note in told["notes"]}
    assert modules - untracked == {path for path in sizes if path.startswith("aeollm/") and path.endswith(".py")}
    assert {path.split("/")[0] for path in sizes if "/" in path} == {"aeollm", "assets"}
    assert told["variables"] == {"AEOLLM_REPO": "a/b"}
    assert told["secrets"] == ["HF_TOKEN"]
    assert told["done"] is None
    assert hub.seen == []


def test_a_dry_run_tells_where_secrets_will_come_from(deploy, host_toml):
    done = deploy("me/judge", "--dry-run", "--hosted", host_toml, AEOLLM_HOST_KEY=CANARY)
    assert done.returncode == 0
    assert "AEOLLM_HOST_KEY, where it has none; from the environment" in done.stdout
    assert "AEOLLM_HOST_TOKEN, where it has none; asked for" in done.stdout
    assert "AEOLLM_HOST=host.toml" in done.stdout
    assert "aeollm/ui/words.py" in done.stdout


def test_a_new_space_gets_the_project_and_nothing_else(deploy, hub):
    done = deploy(
        "me/judge", "--private", "--secret", "HF_TOKEN", "--variable", "AEOLLM_REPO=a/b", "--secret", "K", K=CANARY
    )
    assert done.returncode == 0, deploy.told
    assert f"Created {hub.endpoint}/spaces/me/judge: 7 files sent" in done.stdout
    assert sent(hub) == PROJECT
    assert hub.repos["spaces/me/judge"].private
    space = hub.spaces["me/judge"]
    assert space.sdk == "gradio"
    assert space.variables == {"AEOLLM_REPO": "a/b"}
    assert space.secrets == {"HF_TOKEN": TOKEN, "K": CANARY}


def test_settings_are_there_before_the_files(deploy, hub):
    deploy("me/judge", "--secret", "K", K=CANARY)
    asked = [seen.path for seen in hub.seen if seen.method == "POST"]
    assert asked.index("/api/spaces/me/judge/secrets") < asked.index("/api/spaces/me/judge/commit/main")
    assert not hub.repos["spaces/me/judge"].private


def test_again_changes_only_what_changed(deploy, hub):
    deploy("lab/judge")
    before = hub.repos["spaces/lab/judge"].branches["main"]
    assert "all files were there already" in deploy("lab/judge").stdout
    assert hub.repos["spaces/lab/judge"].branches["main"] == before
    (deploy.folder / "aeollm" / "ui" / "words.py").unlink()
    (deploy.folder / "app.py").write_text("print(2)\n")
    hub.commit("spaces/lab/judge", {"notes.md": b"the organisers' own", ".env": b"x"})
    done = deploy("lab/judge", "--private", "--json")
    assert json.loads(done.stdout)["done"] | {"commit": 1} == {
        "url": f"{hub.endpoint}/spaces/lab/judge",
        "created": False,
        "commit": 1,
        "added": 1,
        "removed": 1,
    }
    there = sent(hub, "lab/judge")
    assert there["app.py"] == "print(2)\n"
    assert "aeollm/ui/words.py" not in there
    assert there["notes.md"] == "the organisers' own"
    assert hub.repos["spaces/lab/judge"].private


def test_a_hosted_evaluation_has_login_configuration_and_secrets(deploy, hub, host_toml):
    secrets = {"AEOLLM_HOST_TOKEN": "hf_reader", "AEOLLM_HOST_KEY": CANARY, "AEOLLM_HOST_ROSTER": "[teams.a]\n"}
    assert deploy("me/judge", "--hosted", host_toml, **secrets).returncode == 0, deploy.told
    there = sent(hub)
    assert there["host.toml"] == HOST
    assert there["README.md"] == README.replace("gradio\n---", "gradio\nhf_oauth: true\n---")
    space = hub.spaces["me/judge"]
    assert space.variables == {"AEOLLM_HOST": "host.toml"}
    assert space.secrets == secrets | {"AEOLLM_HOST_ROSTER": "[teams.a]"}
    # Receipts were sealed with the key: it stays, though nobody has it at hand.
    assert deploy("me/judge", "--hosted", host_toml).returncode == 0, deploy.told
    assert space.secrets["AEOLLM_HOST_KEY"] == CANARY
    # A Space that hosts nothing any more does not keep the configuration.
    assert deploy("me/judge").returncode == 0
    assert "host.toml" not in sent(hub)


@pytest.mark.parametrize(
    ("change", "options", "told"),
    [
        (('place = "hf://datasets/me/store"', 'place = "store"'), (), "store are to be in the folder"),
        (("[labels]", '[teams.a]\naccounts = ["ann"]\n[labels]'), (), "lists the teams' accounts"),
        (("", ""), ("--variable", "AEOLLM_HOST_STORE=/data/store"), "store are to be in the folder /data/store"),
        (("", ""), ("--variable", "AEOLLM_HOST_LABEL=x"), "AEOLLM_HOST_LABEL is no setting"),
        (("", ""), ("--variable", "AEOLLM_HOST=demo"), "AEOLLM_HOST is set twice"),
        (("start = 2026", "start = 2028"), ("--private",), "does not come after the start"),
        (("[labels]", f"# hf_{'a' * 34}\n[labels]"), ("--private",), "holds what looks like a secret"),
    ],
)
def test_a_configuration_that_would_fail_or_leak_is_refused_before_anything_is_sent(
    deploy, host_toml, change, options, told
):
    host_toml.write_text(HOST.replace(*change), "utf-8")
    done = deploy("me/judge", "--hosted", host_toml, *options, HF_ENDPOINT="http://127.0.0.1:9")
    assert done.returncode == 2
    assert told in done.stderr
    assert "cannot be reached" not in done.stderr


def test_places_may_be_variables_and_teams_are_asked_for(deploy, host_toml):
    place = "hf://datasets/me/elsewhere"
    host_toml.write_text(HOST.replace('place = "hf://datasets/me/store"', ""), "utf-8")
    asked = ("me/judge", "--dry-run", "--hosted", host_toml, "--variable", f"AEOLLM_HOST_STORE={place}")
    told = deploy(*asked)
    assert told.returncode == 0, told.stderr
    assert f"AEOLLM_HOST_STORE={place}" in told.stdout
    assert "Note: no teams are listed: add --secret AEOLLM_HOST_ROSTER" in told.stdout
    assert "no teams" not in deploy(*asked, "--secret", "AEOLLM_HOST_ROSTER").stdout


def expired(hub):
    hub.add_token(TOKEN, "me", expired=True)


def reads_only(hub):
    hub.add_token(TOKEN, "me", owners=())


def unknown(hub):
    hub.accounts.clear()


def somebody_elses(hub):
    hub.publish("spaces/me/judge", {"app.py": b"theirs", "README.md": b"x"})
    hub.create("spaces/me/other")


def faulty(fault):
    return lambda hub: hub.script.append(fault)


FAILURES = {
    "no token": (None, {"HF_TOKEN": None}, "no token for the Hub", "hf auth login"),
    "unknown token": (unknown, {}, "does not accept the token", "settings/tokens"),
    "expired": (expired, {}, "or has expired", "settings/tokens"),
    "reads only": (reads_only, {}, "may only read", "may write"),
    "odd token": (None, {"HF_TOKEN": "hf_写"}, "does not accept the token", ""),
    "taken": (somebody_elses, {}, "not this project's", "another name"),
    "offline": (None, {"HF_ENDPOINT": "http://127.0.0.1:9"}, "cannot be reached", "connection"),
    "switched off": (None, {"HF_HUB_OFFLINE": "1"}, "HF_HUB_OFFLINE", "Unset it"),
    "rate limit": (faulty(Fault(429, {"Retry-After": "1"}, where="create")), {}, "too many requests", "in 1 seconds"),
    "server error": (faulty(Fault(500, where="create")), {}, "failed to answer", "try again"),
    "dropped": (faulty(Fault(dropped=True, where="create")), {}, "cannot be reached", "again"),
}


@pytest.mark.parametrize("name", FAILURES)
def test_a_failure_is_told_in_words(deploy, hub, name):
    prepare, variables, told, remedy = FAILURES[name]
    if prepare is not None:
        prepare(hub)
    before = {repo: dict(found.branches) for repo, found in hub.repos.items()}
    done = deploy("me/judge", "--secret", "K", K=CANARY, **variables)
    assert done.returncode == 2
    assert told in done.stderr
    assert remedy in done.stderr
    assert done.stdout == ""
    assert {repo: dict(found.branches) for repo, found in hub.repos.items()} == before


def test_somebody_elses_name_is_refused(deploy):
    done = deploy("you/judge")
    assert done.returncode == 2
    assert "may not write to you/judge" in done.stderr


def test_a_deployment_that_broke_off_goes_on(deploy, hub):
    hub.script.append(Fault(503, where="/commit/"))
    assert deploy("me/judge").returncode == 2
    assert "failed to answer" in deploy.told
    assert sent(hub) == {}
    assert deploy("me/judge").returncode == 0, deploy.told
    assert sent(hub) == PROJECT


def test_only_what_git_tracks_is_sent(deploy, hub):
    def git(*arguments):
        identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
        subprocess.run(["git", "-C", str(deploy.folder), *identity, *arguments], check=True, capture_output=True)

    git("init", "-q")
    (deploy.folder / ".gitignore").write_text("ignored.py\n")
    git("add", *PROJECT, ".env", "aeollm/server.key", "tests", ".gitignore")
    (deploy.folder / "aeollm" / "draft.py").write_text("x")
    (deploy.folder / "aeollm" / "ignored.py").write_text("x")
    done = deploy("me/judge")
    assert done.returncode == 0, deploy.told
    assert sent(hub) == PROJECT
    assert "aeollm/draft.py is not in git, and is left out" in done.stdout
    assert "ignored.py" not in done.stdout
    (deploy.folder / "app.py").unlink()
    assert deploy("me/judge").returncode == 2
    assert "app.py is in git, but not there" in deploy.told


def test_a_secret_in_a_file_is_never_sent(deploy, hub):
    (deploy.folder / "aeollm" / "ui" / "words.py").write_text(f"key = {CANARY!r}\n")
    done = deploy("me/judge", "--secret", "K", K=CANARY)
    assert done.returncode == 2
    assert "aeollm/ui/words.py holds what looks like a secret" in done.stderr
    assert "spaces/me/judge" not in hub.repos
    (deploy.folder / "aeollm" / "ui" / "words.py").write_text(f"token = 'hf_{'b' * 34}'\n")
    assert deploy("me/judge").returncode == 2
    assert "holds what looks like a secret" in deploy.told


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("nameless",), "no name of a Space"),
        (("me/../x",), "no name of a Space"),
        (("me/judge", "--secret", f"K={CANARY}"), "Name secrets only"),
        (("me/judge", "--variable", "HF_TOKEN=x"), "sounds like a secret"),
        (("me/judge", "--variable", "x"), "NAME=VALUE"),
        (("me/judge", "--secret", "K"), "nobody to ask"),
    ],
)
def test_wrong_usage_is_told(deploy, hub, arguments, told):
    done = deploy(*arguments)
    assert done.returncode == 2
    assert told in done.stderr
    assert "spaces/me/judge" not in hub.repos


def test_what_is_missing_is_told_at_once(deploy):
    (deploy.folder / "app.py").unlink()
    (deploy.folder / "requirements.txt").unlink()
    done = deploy("me/judge", "--dry-run", "--json")
    assert done.returncode == 2
    problems = json.loads(done.stdout)["problems"]
    assert [problem["kind"] for problem in problems] == ["file_missing"] * 2
    (deploy.folder / "app.py").write_text("")
    (deploy.folder / "requirements.txt").write_text("")
    (deploy.folder / "README.md").write_text("# T\n")
    assert "does not tell the Hub how to run" in deploy("me/judge", "--dry-run").stderr


def test_a_secret_is_asked_for_and_not_shown(deploy, hub):
    """In a terminal: what is typed does not come back."""
    ours, theirs = pty.openpty()
    command = deploy.command("me/judge", "--secret", "K")
    process = subprocess.Popen(
        command, env=deploy.environment, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
    )
    os.close(theirs)
    shown = b""
    with suppress(OSError):  # the terminal is closed with the process
        while chunk := os.read(ours, 1000):
            shown += chunk
            if b"K (not shown)" in shown and CANARY.encode() not in shown and shown.count(b"K (not shown)") == 1:
                os.write(ours, f"{CANARY}\n".encode())
                shown += b"[typed]"
                while chunk := os.read(ours, 1000):
                    shown += chunk
    os.close(ours)
    assert process.wait(PATIENCE) == 0, shown
    assert CANARY.encode() not in shown
    assert hub.spaces["me/judge"].secrets == {"K": CANARY}


def test_what_the_page_and_jobs_read_of_this_project_is_sent():
    content, _ = space_files(ROOT)
    demo = [path for path in DEMO_FOLDER.rglob("*") if path.is_file() and not path.name.startswith(".")]
    assert {path.relative_to(ROOT).as_posix() for path in demo} <= content.keys()
    (job,) = jobs_of(Plan("run", "", "m", "me/r", "me/b"), 1)
    wanted = re.findall(r"-r code/(\S+)", job.script)
    assert wanted == ["requirements.txt", "requirements-judge.txt"]
    assert set(wanted) <= content.keys()
