"""``build``: a run from a judge's outputs, by a recipe."""

from __future__ import annotations

import argparse
from pathlib import Path

from aeollm.cli.built import add_outcome, carry_out, failed
from aeollm.cli.terminal import UNUSABLE
from aeollm.errors import AeollmError
from aeollm.recipes import files_beside, read_recipe


def add(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("recipe", type=Path, metavar="RECIPE.toml", help="its files are looked for beside it")
    add_outcome(parser)


def run(options: argparse.Namespace) -> int:
    """Build the run of a recipe."""
    try:
        recipe = read_recipe(options.recipe)
    except AeollmError as error:
        return failed(options, options.recipe.name, error, UNUSABLE)
    folder = options.recipe.parent
    files = {name: path for name, path in files_beside(recipe, folder).items() if isinstance(path, Path)}
    return carry_out(options, recipe, files, folder)
