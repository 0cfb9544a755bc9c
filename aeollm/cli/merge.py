"""``merge``: one run of the parts that `judge --shard` gave."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from aeollm.cli.judging import add_material, finish, price, task_of, with_made
from aeollm.cli.terminal import UNUSABLE, complain
from aeollm.errors import AeollmError
from aeollm.judging import Price
from aeollm.methods import Running, run_method
from aeollm.methods.merging import merge_replies, read_parts


def add(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("parts", nargs="+", type=Path, metavar="FOLDER", help="what `judge` wrote, a folder a part")
    add_material(parser, needed=True)
    parser.add_argument(
        "--price", type=price, default=Price(), metavar="IN,OUT", help="of a million tokens, in and out"
    )


def run(options: argparse.Namespace) -> int:
    """Merge the parts of a run; nobody is asked."""
    try:
        parts = read_parts(options.parts)
        options = with_made(options, parts.method)
        options.shard = None
        # The prompts that are not bundled lie in every part.
        task = task_of(options, parts.method, parts.method.judges, options.parts[0])
        merged = merge_replies(options.parts, options.output)
        judged = run_method(task, options.output, Running(online=False))
        if merged.conflicts:
            complain(f"{merged.conflicts} calls were made in two parts with different replies; one of each stands.")
        judged = replace(judged, problems=(*parts.problems, *judged.problems))
        return finish(options, judged, options.price, timed=False)
    except AeollmError as error:
        complain(str(error))
        return UNUSABLE
