"""The command line called from tests."""

import os
import subprocess
import sys
from pathlib import Path

from aeollm.cli import main

ROOT = Path(__file__).resolve().parents[1]


def call(capsys, *arguments):
    """Run a command in this process: exit code, standard output, standard error."""
    try:
        code = main([str(argument) for argument in arguments])
    except SystemExit as stop:
        code = stop.code
    return code, *capsys.readouterr()


def process(*arguments, environment=(), **options):
    """Run a command as a process of its own, without network and settings but its own; output as bytes."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("AEOLLM_", "HF_"))}
    env = plain | {"HF_HUB_OFFLINE": "1", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(ROOT)}
    env |= dict(environment)
    command = [sys.executable, "-m", "aeollm", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, check=False, timeout=120, env=env, **options)


def loaded_by(*arguments):
    """Name the modules that a command loads."""
    code = (
        "import runpy, sys\nsys.argv = ['aeollm', *sys.argv[1:]]\n"
        "try:\n runpy.run_module('aeollm', run_name='__main__')\n"
        "except SystemExit as stop:\n assert stop.code == 0\n"
        "print('\\n', *sys.modules, file=sys.stderr)"
    )
    env = os.environ | {"HF_HUB_OFFLINE": "1", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", code, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, check=True, timeout=120, env=env)
    return set(done.stderr.decode().splitlines()[-1].split())
