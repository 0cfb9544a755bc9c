"""``judge``: ask an LLM about reports by a recipe, and build a run of what it says."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from aeollm.cli.judge_estimate import estimate_lines
from aeollm.cli.judge_keys import keys_of, without_key
from aeollm.cli.judge_progress import Telling
from aeollm.cli.judging import (
    add_material,
    add_size,
    asked_as,
    finish,
    price,
    recipe_of,
    refuse_parts,
    task_of,
    with_made,
    wrong,
)
from aeollm.cli.options import whole_number
from aeollm.cli.terminal import DONE, UNUSABLE, complain, print_lines
from aeollm.cli.text_tables import problem_lines
from aeollm.errors import AeollmError
from aeollm.judging import Budget, Limits, Price, read_shard
from aeollm.methods import Judge, Judged, Method, Running, Task, bundled_recipes, estimated, first_prompts, run_method
from aeollm.methods.carrying import warnings_of
from aeollm.methods.endpoints import endpoints_of
from aeollm.methods.trying import TRIAL
from aeollm.methods.values import MOST_SEED

_MANY = 2_000
"""Reports of which counting what is asked takes a while."""
_count = whole_number(1, 10**12)


def add(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    named = ", ".join(bundled_recipes())
    parser.add_argument("recipe", metavar="RECIPE", help=f"a judge recipe's file, or a bundled one: {named}")
    add_material(parser, told="where everything goes; replies in it are not asked for again")
    add_judges(parser)
    add, attempts, money = parser.add_argument, whole_number(1, 100), _between(0.0, 1e12)
    add("--dry-run", action="store_true", help="only tell calls, tokens, time and money")
    add("--show-prompt", action="store_true", help="only print a prompt of each kind and language, filled in")
    add("--budget-calls", type=_count, metavar="N", help="stop this start before more calls; each start counts anew")
    add("--budget-tokens", type=_count, metavar="N", help="stop this start before more tokens, in and out")
    add("--budget-money", type=money, metavar="M", help="stop this start before it costs more; needs --price")
    add("--price", type=price, default=Price(), metavar="IN,OUT", help="of a million tokens, in and out")
    add("--concurrency", type=whole_number(1, 10_000), default=8, metavar="N", help="calls at a time (default: 8)")
    add("--attempts", type=attempts, default=3, metavar="N", help="times to ask in all if unreadable (default: 3)")
    add("--shard", metavar="I/N", help="only this part; see `merge`")
    add("--trial", type=_count, metavar="N", help="only the first N reports")


def add_judges(parser: argparse.ArgumentParser) -> None:
    """Add who is asked, where and how."""
    add = parser.add_argument
    add("--model", metavar="M", help="the model that is asked")
    add("--base-url", metavar="URL", help="an OpenAI-compatible endpoint, such as http://127.0.0.1:8000/v1")
    add("--provider", metavar="P", help="a Hugging Face provider (default: auto, with the login of this machine)")
    told = "another model for one of the recipe's judges, at another endpoint if needed; may be repeated"
    add("--judge", action="append", default=[], metavar="NAME=MODEL[@URL]", help=told)
    told = "environment variable with the key for --base-url or --provider, or with one judge's own; may be repeated"
    add("--token-env", action="append", default=[], metavar="[NAME=]VARIABLE", help=told)
    add("--temperature", type=_between(0.0, 2.0), metavar="T", help="from 0 to 2 (default: the recipe's, else 0)")
    add("--seed", type=_seed, metavar="N", help="sent with every call (default: the recipe's, else 0)")
    add_size(parser)
    add("--timeout", type=_between(0.1, 1e6), default=600.0, metavar="S", help="seconds for a call (default: 600)")


def run(options: argparse.Namespace) -> int:
    """Judge reports."""
    try:
        method = recipe_of(options.recipe)
        options = with_made(options, method)
        method = asked_as(options, method)
        if options.shard is not None:
            refuse_parts(method, read_shard(options.shard).of, "Leave out --shard.")
        judges = judges_of(options, method)
        # Before the reports are read, and in a dry run too: a wrong address or key is told at once.
        running = _running(options, judges)
        endpoints_of(judges, running.keys, running.timeout)
        for line in without_key(options, judges, running.keys):
            complain(line)
        task = task_of(options, method, judges, _folder(options.recipe))
        _warn(task)
        if options.show_prompt:
            shown = first_prompts(task)
            print_lines(line for name, text in shown.items() for line in (f"--- {name}", *text.split("\n")))
            return DONE
        if options.dry_run:
            print_lines(estimate_lines(options, task))
            return DONE
        if options.output is None:
            raise wrong("there is no folder to write to.", "Name it by -o, or see what it takes by --dry-run.")
        return finish(options, _asked(options, task, running), options.price, timed=True)
    except AeollmError as error:
        complain(str(error))
        return UNUSABLE


def _warn(task: Task) -> None:
    """Tell before anything is paid what is known before."""
    told = (problem for problem in warnings_of(task) if problem.severity != "note" or problem.kind == TRIAL)
    for line in problem_lines(told):
        complain(line)


def _asked(options: argparse.Namespace, task: Task, running: Running) -> Judged:
    if len(task.material.reports) >= _MANY:
        complain("counting what is to be asked")
    telling = Telling(estimated(task, options.price), options.price)
    watched = replace(running, on_progress=telling.progress, on_ask=telling.ask, on_stop=telling.stopping)
    try:
        return run_method(task, options.output, watched)
    finally:
        telling.close()


def _folder(recipe: str) -> Path | None:
    """Give where a recipe's own prompts are; a bundled one has none."""
    return None if recipe in bundled_recipes() else Path(recipe).parent


def judges_of(options: argparse.Namespace, method: Method) -> dict[str, Judge]:
    """Give every judge of the recipe its model and place.

    Raises
    ------
    UsageError
        If a judge has no model or two places, or one is named that the recipe does not have.
    """
    if options.base_url is not None and options.provider is not None:
        raise wrong("--base-url and --provider are two places.", "Name one of them.")
    named = dict(_named(text) for text in options.judge)
    unknown = sorted(named.keys() - set(method.roles))
    if unknown:
        raise wrong(f"the recipe has no judge {', '.join(unknown)}.", f"It has {', '.join(method.roles)}.")
    judges: dict[str, Judge] = {}
    for name in method.roles:
        known = method.judges.get(name)
        model, url = named.get(name, (options.model or (known.model if known else None), None))
        if not model:
            raise wrong(f"there is no model for the judge {name}.", "Name it by --model, or --judge NAME=MODEL.")
        if url is None and options.base_url is None and options.provider is None and known is not None:
            judges[name] = replace(known, model=model)
        else:
            judges[name] = Judge(name, model, url or options.base_url, None if url else options.provider)
    return judges


def _named(text: str) -> tuple[str, tuple[str, str | None]]:
    name, _, rest = text.partition("=")
    model, at, url = rest.partition("@http")
    if not name or not model:
        raise wrong(f"--judge {text} is not NAME=MODEL or NAME=MODEL@URL.")
    return name, (model, f"http{url}" if at else None)


def _running(options: argparse.Namespace, judges: Mapping[str, Judge]) -> Running:
    if options.budget_money is not None and options.price == Price():
        raise wrong("--budget-money needs a price.", "Name it by --price IN,OUT, of a million tokens.")
    budget = Budget(options.budget_calls, options.budget_tokens, options.budget_money, options.price)
    limits = Limits(concurrency=options.concurrency, attempts=options.attempts, budget=budget)
    return Running(keys_of(options, judges), options.timeout, limits)


def _seed(text: str) -> int:
    sign, digits = (-1, text[1:]) if text.startswith("-") else (1, text)
    return sign * whole_number(0, MOST_SEED)(digits)


def _between(low: float, high: float) -> Callable[[str], float]:
    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = -1.0
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(f"{text!r} is not a number from {low:g} to {high:g}")
        return abs(value)

    return read
