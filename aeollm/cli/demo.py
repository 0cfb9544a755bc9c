"""``demo``: the demo labels and runs, to try things out."""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

from aeollm.cli.terminal import DONE, UNUSABLE, complain, print_lines
from aeollm.sources import DEMO_FOLDER


def add(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("folder", nargs="?", default="aeollm-demo", type=Path, metavar="FOLDER")


def run(options: argparse.Namespace) -> int:
    """Write the demo data to a folder."""
    folder: Path = options.folder
    try:
        empty = folder.is_dir() and not any(folder.iterdir())
        shutil.copytree(DEMO_FOLDER, folder, dirs_exist_ok=empty)
    except OSError as error:
        complain(f"{folder} cannot be written: {error.strerror or error}. Name a new or an empty folder.")
        return UNUSABLE
    said = f"Demo labels, four runs and what judges said are in {folder} (simulated, for trying out)."
    print_lines([said, f"Next: python -m aeollm score {folder}/runs/good_judge.txt --labels {folder}"])
    return DONE
