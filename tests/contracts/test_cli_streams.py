"""Standard output that is closed, full, or no longer read: no traceback, and the exit code of what was found."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.commands import ROOT

BROKEN = ROOT / "assets" / "demo" / "runs" / "broken_run.txt"
COMMAND = f'"{sys.executable}" -m aeollm score "{BROKEN}" --labels-set demo --json'


def bash(script):
    env = {**os.environ, "HF_HUB_OFFLINE": "1"}
    return subprocess.run(["bash", "-c", script], cwd=ROOT, env=env, capture_output=True, text=True, check=False)


def test_closed():
    done = bash(f"{COMMAND} >&-")
    assert done.returncode == 2
    assert done.stderr.strip() == "standard output is closed: there is nowhere to answer."


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full on this system")  # noqa: PTH110  a device
def test_full():
    done = bash(f"{COMMAND} >/dev/full")
    assert done.returncode == 2
    assert "standard output cannot be written" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_reader_that_leaves_changes_no_exit_code(tmp_path):
    # Far more than a pipe holds: 20,000 lines, each with an unknown question.
    run = tmp_path / "run.txt"
    run.write_text("".join(f"0 x{line} Doc_001 1 2 3 4\n" for line in range(20_000)), encoding="utf-8")
    command = COMMAND.replace(str(BROKEN), str(run))
    done = bash(f"{command} | head -c1; exit ${{PIPESTATUS[0]}}")
    assert done.returncode == 1
    assert done.stderr == ""
