"""The README's Python blocks run, its commands run, and its table of options is the parser's."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ANNOTATIONS = ROOT / "tests" / "cases" / "dev" / "C28" / "ratings.csv"
COMMANDS = (
    *(
        "score",
        "check",
        "compare",
        "agreement",
        "report",
        "demo",
        "deploy",
        "calibrate",
        "build",
        "preferences",
        "judge",
        "merge",
        "jobs",
    ),
    *(f"aggregate {way}" for way in ("criteria", "pairwise", "judges", "ties", "annotators")),
)
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.DOTALL | re.MULTILINE)


def run(arguments, cwd=ROOT):
    env = {**os.environ, "HF_HUB_OFFLINE": "1", "PYTHONPATH": str(ROOT)}
    return subprocess.run(arguments, cwd=cwd, env=env, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.parametrize("block", blocks("python"))
def test_python_blocks_run(block):
    done = run([sys.executable, "-c", block])
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


def test_ten_lines_say_what_they_promise():
    done = run([sys.executable, "-c", next(block for block in blocks("python") if "read_rubrics" in block)])
    first, *others = done.stdout.splitlines()
    kendall, signature = first.split(" ", 1)
    assert 0 < float(kendall) < 1
    assert signature.startswith("labels=demo@")
    assert others[0] == "broken_run.txt: 6 problems"


def test_commands_run(tmp_path):
    (tmp_path / "annotations.csv").write_bytes(ANNOTATIONS.read_bytes())
    told = [block for block in blocks("bash") if block.startswith("python -m aeollm")]
    commands = [command for block in told for command in block.splitlines()]
    names = {"demo", "score", "check", "compare", "agreement", "report", "deploy", "calibrate", "build", "aggregate"}
    assert {command.split()[3] for command in commands} == names
    for command in commands:
        arguments = command.split()
        assert arguments[:3] == ["python", "-m", "aeollm"]
        done = run([sys.executable, *arguments[1:]], cwd=tmp_path)
        assert done.returncode == 0, done.stderr + done.stdout


def test_options_are_all_told():
    told = set(re.findall(r"--[a-z-]+", README))
    shown = {
        option
        for name in COMMANDS
        for option in re.findall(r"--[a-z-]+", run([sys.executable, "-m", "aeollm", *name.split(), "--help"]).stdout)
    }
    assert shown - {"--help"} <= told


def test_environment_variables_are_all_told():
    source = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "aeollm").rglob("*.py"))
    for name in set(re.findall(r"\bAEOLLM_[A-Z]+", source)):
        assert f"`{name}`" in README, name
