"""Parts of a run as Hugging Face Jobs: printed, quoted, started at a Hub on the loopback."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys

import pytest

from aeollm.judging.jobs import Plan, jobs_of
from aeollm.methods import bundled_recipes, read_method
from tests.commands import ROOT, call
from tests.hub.fake_hub_jobs import TOKEN, FakeJobs

PLACES = ("--reports", "me/reports", "--bucket", "me/runs", "--name", "first", "--labels-set", "aeollm-2-test")


def jobs(*options, **environment):
    """Call the command as a process, for the Hub's address is read at its start."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("AEOLLM_", "HF_"))}
    command = [sys.executable, "-m", "aeollm", "jobs", "per-criterion", "--model", "org/Judge-32B", *PLACES, *options]
    env = plain | {"PYTHONPATH": str(ROOT)} | environment
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60, env=env)


@pytest.fixture(scope="module")
def hub():
    with FakeJobs(most=3) as running:
        yield running


def test_jobs_are_started_with_the_token_as_a_secret_only(hub):
    size = ("--max-tokens", "9000", "--extra", '{"top_k": 1}')
    done = jobs("--jobs", "3", "--flavor", "l40sx1", *size, HF_TOKEN=TOKEN, HF_ENDPOINT=hub.address)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [f"first-{n}-of-3: {hub.address}/jobs/me/job{n}" for n in (1, 2, 3)]
    for number, job in enumerate(hub.started, 1):
        assert job["owner"] == "me"
        assert job["secrets"] == {"HF_TOKEN": TOKEN}
        assert (job["flavor"], job["dockerImage"], job["timeoutSeconds"]) == (
            "l40sx1",
            "vllm/vllm-openai:latest",
            43200,
        )
        assert [(own["type"], own["source"], own["mountPath"]) for own in job["volumes"]] == [
            ("dataset", "me/reports", "/reports"),
            ("bucket", "me/runs", "/out"),
        ]
        assert f"--shard {number}/3" in job["command"][2]
        assert "--labels-set aeollm-2-test" in job["command"][2]
        assert TOKEN not in str({key: value for key, value in job.items() if key != "secrets"})
        # The recipe's text travels with the job, and is one.
        recipe = read_method(job["environment"]["RECIPE"].encode())
        assert (recipe.name, recipe.sampling.extra) == ("per-criterion", '{"top_k": 1}')
        assert [ask.options["max_tokens"] for ask in recipe.asks] == [9000]
    refused = jobs("--jobs", "1", HF_TOKEN=TOKEN, HF_ENDPOINT=hub.address)
    assert refused.returncode == 2
    assert "first-1-of-1 was not started" in refused.stderr
    assert TOKEN not in refused.stdout + refused.stderr
    unknown = jobs("--jobs", "1", HF_TOKEN="hf_wrong0123456789", HF_ENDPOINT=hub.address)
    assert unknown.returncode == 2
    assert "hf_wrong0123456789" not in unknown.stdout + unknown.stderr
    assert len(hub.started) == 3


def test_dry_run_prints_the_jobs_and_asks_nobody(capsys, monkeypatch):
    monkeypatch.delenv("HF_TOKEN", raising=False)
    arguments = ("jobs", "holistic", "--jobs", "2", "--model", "m", *PLACES, "--dry-run")
    code, told, _ = call(capsys, *arguments)
    assert code == 0
    # What the jobs have in common is printed once.
    assert told.count("vllm serve m --port 8000 --enable-prefix-caching") == 1
    assert [line.split(":")[0] for line in told.splitlines()[:2]] == ["first-1-of-2", "first-2-of-2"]
    assert "--shard 1/2" in told
    assert "prices: `hf jobs hardware`" in told
    assert "at most: 24 hours of a100-large, all 2 together" in told
    code, _, complaint = call(capsys, *arguments[:-1])
    assert code == 2
    assert "HF_TOKEN is not set" in complaint


def test_several_judges_and_names_that_are_no_folder_are_refused(capsys):
    for recipe, name, words in (("tie-break", "a", "several judges"), ("holistic", "a/b", "name of a folder")):
        places = ("--reports", "me/r", "--bucket", "me/b", "--name", name, "--dry-run")
        code, _, complaint = call(capsys, "jobs", recipe, "--jobs", "2", "--model", "m", *places)
        assert code == 2
        assert words in complaint


@pytest.mark.parametrize(
    ("recipe", "options", "note"),
    [
        ("holistic", (), "no labels or rubrics go along, and `judge` refuses"),
        ("own", ("--judge-options=--rubrics /reports/r",), "a prompt is optimised on labels"),
        (
            "per-criterion",
            ("--judge-options=--rubrics=/reports/r",),
            "whether every answer has its report is not checked, no step learns anything from labels.",
        ),
        (
            "llm-rubric",
            (),
            "has its report is not checked, the judge is not shown what the reports were asked for.",
        ),
        (
            "llm-rubric",
            ("--judge-options=--rubrics /reports/r",),
            "whether every answer has its report is not checked.",
        ),
    ],
)
def test_what_follows_where_no_labels_go_along_is_told(recipe, options, note, capsys, tmp_path):
    if recipe == "own":
        recipe = tmp_path / "own.toml"
        recipe.write_text('recipe = 1\nname = "own"\n[[ask]]\ndo = "optimise"\nname = "optimised"\n')
    # A prompt is optimised in one part.
    parts = "2" if recipe in bundled_recipes() else "1"
    arguments = ("jobs", recipe, "--jobs", parts, "--model", "m", *PLACES[:-2], *options)
    arguments += ("--token-env", "NO_TOKEN_OF_MINE")
    code, told, complaint = call(capsys, *arguments, "--dry-run")
    assert code == 0
    (line,) = [line for line in told.splitlines() if line.startswith("note: ")]
    assert note in line
    assert complaint == f"{line}\n"
    code, _, complaint = call(capsys, *arguments)
    assert code == 2
    assert line[6:] in complaint
    # What would end with nothing is not started, the rest is: the token is looked for.
    assert ("NO_TOKEN_OF_MINE" in complaint) != ("every job would" in line)


@pytest.mark.parametrize(
    "options", [("--labels-set", "a"), ("--judge-options=--labels /reports/l",), ("--judge-options=--repo a/b",)]
)
def test_labels_that_go_along_need_no_note(options, capsys):
    arguments = ("jobs", "holistic", "--jobs", "2", "--model", "m", *PLACES[:-2], *options, "--dry-run")
    code, told, complaint = call(capsys, *arguments)
    assert (code, complaint) == (0, "")
    assert "note: " not in told


def test_what_users_write_is_quoted_and_the_script_is_one():
    hostile = "m; touch owned $(id) 'x"
    plan = Plan("run", 'recipe = 1\nname = "it\'s $HOME"', hostile, "me/r", "me/b", judge=("--extra", '{"a": 1}'))
    (job,) = jobs_of(plan, 1)
    assert subprocess.run(["bash", "-n", "-c", job.script], check=False).returncode == 0
    (line,) = [line for line in job.script.splitlines() if line.startswith("vllm serve")]
    assert shlex.split(line)[2] == hostile
    (line,) = [line for line in job.script.splitlines() if " -m aeollm judge " in line]
    words = shlex.split(line)
    assert words[words.index("--model") + 1] == hostile
    assert words[words.index("--extra") + 1] == '{"a": 1}'
    # The recipe comes by the environment and is not read by the shell.
    assert "$HOME" not in job.script


def test_a_copy_of_the_reports_tells_calls_tokens_hours_and_money(capsys, tmp_path):
    rows = [{"questionId": "1", "answerId": f"a{n}", "text": "cool " * 100_000 + str(n)} for n in range(4)]
    (tmp_path / "reports.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    here = ("--here", tmp_path / "reports.jsonl", "--rubrics", ROOT / "tests" / "cases" / "rubric")
    places = ("--reports", "me/r", "--bucket", "me/b", "--name", "first", "--dry-run", "--price-hour", "2.5")
    options = ("--jobs", "2", "--model", "m", "--job-timeout", "90m", *places, *here)
    code, told, complaint = call(capsys, "jobs", "holistic", *options, "--max-tokens", "500000")
    assert code == 0, complaint
    assert "2 million out at most" in told
    assert "at most: 3 hours of a100-large, 7.5 in money, all 2 together" in told
    # Four reports of 500,000 letters at 0.3 tokens: .6 million, and a prompt of a thousand tokens or so each.
    calls, millions = re.search(r"about: (\d+) calls, ([0-9.]+) million tokens in", told).groups()
    assert (calls, round(float(millions), 1)) == ("4", 0.6)
    # .6 million at 5,000 a second are two minutes.
    hours, money = re.search(r"([0-9.]+) hours of a100-large in all, ([0-9.]+) in money", told).groups()
    assert float(hours) == pytest.approx(0.0333, rel=0.02)
    assert float(money) == pytest.approx(2.5 * float(hours), rel=0.02)


ENVIRONMENT = """mkdir -p env/bin
for name in pip hf; do printf '#!/bin/sh\\n' > env/bin/$name; done
cat > env/bin/python <<'END'
#!/bin/sh
[ "$1" = -c ] && exit 0
cp part/replies.jsonl found
echo new >> part/replies.jsonl
exit 3
END
chmod +x env/bin/*"""
"""What `python3 -m venv` is here: a server that is there at once, and a judge that adds a reply and then fails."""


def test_a_job_goes_on_from_what_is_kept_and_keeps_what_it_did(tmp_path):
    _, job = jobs_of(Plan("run", "the recipe", "m", "me/r", "me/b"), 2)
    commands, kept = tmp_path / "bin", tmp_path / "out" / "run" / "2-of-2"
    commands.mkdir()
    kept.mkdir(parents=True)
    (kept / "replies.jsonl").write_text("old\n")
    for name, script in (("python3", ENVIRONMENT), ("vllm", "exec sleep 60")):
        (commands / name).write_text(f"#!/bin/sh\n{script}\n")
        (commands / name).chmod(0o755)
    script = job.script.replace("/out/", f"{tmp_path}/out/")
    env = {"PATH": f"{commands}:{os.environ['PATH']}", **job.environment}
    # The server and what copies now and then end with the machine; here with their group.
    with subprocess.Popen(["bash", "-c", script], cwd=tmp_path, env=env, start_new_session=True) as run:
        try:
            assert run.wait(timeout=30) == 3, "as the judge ended"
        finally:
            os.killpg(run.pid, signal.SIGKILL)
    assert (tmp_path / "found").read_text() == "old\n"
    assert (tmp_path / "recipe.toml").read_text() == "the recipe"
    assert (kept / "replies.jsonl").read_text() == "old\nnew\n"
    assert [path.name for path in kept.parent.iterdir()] == ["2-of-2"]


def test_what_fails_before_the_server_ends_the_job(tmp_path):
    (job,) = jobs_of(Plan("run", "", "m", "me/r", "me/b"), 1)
    commands = tmp_path / "bin"
    commands.mkdir()
    pip = "mkdir -p env/bin; printf '#!/bin/sh\\nexit 1\\n' > env/bin/pip; chmod +x env/bin/pip"
    for name, script in (("python3", pip), ("vllm", "touch started; sleep 60")):
        (commands / name).write_text(f"#!/bin/sh\n{script}\n")
        (commands / name).chmod(0o755)
    script = job.script.replace("/out/", f"{tmp_path}/out/")
    env = {"PATH": f"{commands}:{os.environ['PATH']}", "RECIPE": "x"}
    done = subprocess.run(["bash", "-c", script], cwd=tmp_path, env=env, capture_output=True, check=False, timeout=30)
    assert done.returncode != 0
    assert (tmp_path / "env" / "bin" / "pip").is_file()
    assert not (tmp_path / "started").exists()
