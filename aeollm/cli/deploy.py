"""``deploy``: this project as a Space on the Hub."""

from __future__ import annotations

import argparse
import getpass
import os
import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from aeollm.cli.options import add_json
from aeollm.cli.terminal import DONE, UNUSABLE, complain, print_json, print_lines
from aeollm.deployment import Deployed, Deployment, Wishes, deploy, plan_deployment
from aeollm.errors import AeollmError, Problem, UsageError

_PROJECT = Path(__file__).resolve().parents[2]


def add(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add = parser.add_argument
    add("space", metavar="OWNER/NAME", help="the Space to create or to update")
    add("--private", action="store_true", help="let only its owners see it")
    add("--hosted", type=Path, metavar="CONFIG", help="host an evaluation: host.toml, or a folder with it")
    add("--variable", action="append", default=[], type=_pair, metavar="NAME=VALUE", help="set a public variable")
    told = "set a secret: the value of that environment variable, or asked for; never on the command line"
    add("--secret", action="append", default=[], metavar="NAME", help=told)
    add("--folder", type=Path, default=_PROJECT, metavar="PATH", help="the project's folder (default: this one)")
    add("--dry-run", action="store_true", help="list what would be done; ask nothing, send nothing")
    add_json(parser)


def _pair(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign:
        raise argparse.ArgumentTypeError("a variable is written NAME=VALUE")
    return name, value


def run(options: argparse.Namespace) -> int:
    """Deploy, or tell what that would be."""
    try:
        secrets = tuple(dict.fromkeys([*options.secret, *_roster(options)]))
        wishes = Wishes(options.private, options.hosted, dict(options.variable), secrets)
        plan = plan_deployment(options.folder, options.space, wishes)
        done = None if options.dry_run else deploy(plan, _values)
    except AeollmError as error:
        if options.json:
            print_json({"problems": [problem.to_json() for problem in error.problems]})
        complain(str(error))
        return UNUSABLE
    if options.json:
        print_json({**plan.to_json(), "done": None if done is None else asdict(done)})
    else:
        print_lines(_planned(plan) if done is None else _done(plan, done))
    return DONE


def _roster(options: argparse.Namespace) -> list[str]:
    """Take the roster along where it is in the environment of whoever deploys a hosted evaluation."""
    name = "AEOLLM_HOST_ROSTER"
    return [name] if options.hosted and name in os.environ else []


def _values(names: tuple[str, ...]) -> Mapping[str, str]:
    """Take secrets from the environment, or ask for them without showing them."""
    return {name: os.environ.get(name, "").strip() or _asked(name) for name in names}


def _asked(name: str) -> str:
    if not sys.stdin.isatty():
        message = f"the secret {name} is not in the environment, and there is nobody to ask for it."
        raise UsageError("deploy", [Problem("error", "secret_missing", message, f"Set {name}, or use a terminal.")])
    value = getpass.getpass(f"{name} (not shown): ").strip()
    if not value:
        raise UsageError(
            "deploy", [Problem("error", "secret_missing", f"no value was given for {name}.", "Try again.")]
        )
    return value


def _planned(plan: Deployment) -> list[str]:
    size = sum(map(len, plan.content.values()))
    visible = "private" if plan.private else "public where it is new, as it is where it exists"
    secrets = [*((name, "set anew") for name in plan.secrets), *((name, "where it has none") for name in plan.needed)]
    return [
        f"Space {plan.repo} ({visible}); nothing is sent now.",
        f"{len(plan.content)} files, {size:,} bytes:",
        *(f"  {len(content):>9,}  {path}" for path, content in plan.content.items()),
        "Variables, which everybody can read:" if plan.variables else "No variables.",
        *(f"  {name}={value}" for name, value in plan.variables.items()),
        "Secrets:" if secrets else "No secrets.",
        *(f"  {name}, {when}; {_source(name)}" for name, when in secrets),
        *(f"Note: {note}" for note in plan.notes),
    ]


def _source(name: str) -> str:
    return "from the environment" if os.environ.get(name, "").strip() else "asked for"


def _done(plan: Deployment, done: Deployed) -> list[str]:
    files = f"{done.added} files sent, {done.removed} removed" if done.commit else "all files were there already"
    return [
        f"{'Created' if done.created else 'Updated'} {done.url}: {files}.",
        *(f"Note: {note}" for note in plan.notes),
        "The Hub builds it now, which takes some minutes; its /health then says what runs.",
    ]
