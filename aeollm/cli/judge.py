"""``judge``: ask an LLM about reports by a recipe, and build a run of what it says."""

from __future__ import annotations

import argparse
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from aeollm.cli.judging import add_material, finish, price, sampling_of, task_of, token_of, whole, with_made, wrong
from aeollm.cli.options import whole_number
from aeollm.cli.terminal import DONE, UNUSABLE, complain, print_lines
from aeollm.cli.text_tables import aligned
from aeollm.errors import AeollmError
from aeollm.judging import Budget, Limits, OnProgress, Price, Progress, ReplyStore
from aeollm.methods import Ask, Judge, Method, Running, Task, bundled_recipes, estimated, first_prompts, read_method
from aeollm.methods.running import REPLIES, run_method
from aeollm.methods.values import MOST_SEED, wrong_extra


def add(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    named = ", ".join(bundled_recipes())
    parser.add_argument("recipe", metavar="RECIPE", help=f"a judge recipe's file, or a bundled one: {named}")
    add_material(parser)
    add_judges(parser)
    add = parser.add_argument
    add("--dry-run", action="store_true", help="only tell what it takes")
    add("--show-prompt", action="store_true", help="only print the first prompt of each kind, filled in")
    add("--budget-calls", type=whole, metavar="N", help="stop before more calls")
    add("--budget-tokens", type=whole, metavar="N", help="stop before more tokens, in and out")
    add("--budget-money", type=_number, metavar="M", help="stop before it costs more; needs --price")
    add("--price", type=price, default=Price(), metavar="IN,OUT", help="of a million tokens, in and out")
    add("--concurrency", type=_at_once, default=8, metavar="N", help="calls at a time (default: 8)")
    add("--attempts", type=_attempts, default=3, metavar="N", help="times to ask in all if unreadable (default: 3)")
    add("--shard", metavar="I/N", help="only this part; see `merge`")
    add("--trial", type=whole, metavar="N", help="only the first N reports")


def add_judges(parser: argparse.ArgumentParser) -> None:
    """Add who is asked, where and how."""
    add = parser.add_argument
    add("--model", metavar="M", help="the model that is asked")
    add("--base-url", metavar="URL", help="an OpenAI-compatible endpoint, such as http://127.0.0.1:8000/v1")
    add("--provider", metavar="P", help="a Hugging Face provider (default: auto, with the login of this machine)")
    told = "another model for one of the recipe's judges, at another endpoint if needed; may be repeated"
    add("--judge", action="append", default=[], metavar="NAME=MODEL[@URL]", help=told)
    add("--token-env", metavar="VARIABLE", help="environment variable with the endpoint's key")
    add("--temperature", type=_temperature, metavar="T", help="from 0 to 2 (default: the recipe's, else 0)")
    add("--seed", type=_seed, metavar="N", help="sent with every call (default: the recipe's, else 0)")
    add("--extra", type=_extra, metavar="JSON", help="what this endpoint knows alone, as a JSON object")
    add("--timeout", type=_seconds, default=600.0, metavar="S", help="seconds for a call (default: 600)")


def run(options: argparse.Namespace) -> int:
    """Judge reports."""
    try:
        method = read_method(options.recipe)
        options = with_made(options, method)
        method = replace(method, sampling=sampling_of(options, method))
        task = task_of(options, method, judges_of(options, method), _folder(options.recipe))
        if options.show_prompt:
            shown = first_prompts(task)
            print_lines(line for name, text in shown.items() for line in (f"--- {name}", *text.split("\n")))
            return DONE
        if options.dry_run:
            print_lines(_estimate(options, task))
            return DONE
        judged = run_method(task, options.output, _running(options))
        return finish(options, judged, options.price, timed=True)
    except AeollmError as error:
        complain(str(error))
        return UNUSABLE


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


def _running(options: argparse.Namespace) -> Running:
    if options.budget_money is not None and options.price == Price():
        raise wrong("--budget-money needs a price.", "Name it by --price IN,OUT, of a million tokens.")
    budget = Budget(options.budget_calls, options.budget_tokens, options.budget_money, options.price)
    limits = Limits(concurrency=options.concurrency, attempts=options.attempts, budget=budget)
    return Running(token_of(options), options.timeout, limits, on_progress=_telling(), on_ask=_tell_ask)


def _tell_ask(ask: Ask) -> None:
    complain(f"asking: {ask.name}")


def _telling() -> OnProgress | None:
    """Tell on a terminal how far it is, on one line."""
    if not sys.stderr.isatty():
        return None

    def tell(progress: Progress) -> None:
        spent, waiting = progress.spent, f" ({progress.waiting})" if progress.waiting else ""
        line = f"{progress.done} done, {progress.missing} missing, {spent.calls} asked, {progress.from_disk} from disk"
        # A terminal that was closed ends no run.
        with suppress(OSError):
            sys.stderr.write(f"\r{line}{waiting}\x1b[K")
            sys.stderr.flush()

    return tell


def _estimate(options: argparse.Namespace, task: Task) -> list[str]:
    """Tell what a method takes."""
    path = options.output / REPLIES
    if path.is_file():
        with ReplyStore(path) as store:
            found = estimated(task, options.price, store)
    else:
        found = estimated(task, options.price)
    head = ["asked", "calls", "on disk", "tokens in", "tokens out at most", "longest call", "money at most"]
    rows = [head]
    for own in found:
        calls = ("at most " if own.at_most else "") + str(own.calls)
        numbers = [own.on_disk, own.prompt, own.completion, own.longest]
        rows.append([own.name, calls, *map(str, numbers), f"{own.money:.4g}"])
    total = [sum(getattr(own, key) for own in found) for key in ("calls", "on_disk", "prompt", "completion")]
    longest, money = max(own.longest for own in found), sum(own.money for own in found)
    rows.append(["together", *map(str, [*total, longest]), f"{money:.4g}"])
    told = "(tokens are estimated; asking again after replies that cannot be read comes on top; nothing was sent)"
    return [f"{task.method.name}: {len(task.material.reports)} reports", *aligned(rows, 1), told]


def _number(text: str) -> float:
    return _between(text, 0.0, 1e12)


def _temperature(text: str) -> float:
    return _between(text, 0.0, 2.0)


def _seconds(text: str) -> float:
    return _between(text, 0.1, 1e6)


def _at_once(text: str) -> int:
    return whole_number(1, 10_000)(text)


def _attempts(text: str) -> int:
    return whole_number(1, 100)(text)


def _seed(text: str) -> int:
    sign, digits = (-1, text[1:]) if text.startswith("-") else (1, text)
    return sign * whole_number(0, MOST_SEED)(digits)


def _between(text: str, low: float, high: float) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not low <= value <= high:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from {low:g} to {high:g}")
    return abs(value)


def _extra(text: str) -> str:
    wrong = wrong_extra(text)
    if wrong is not None:
        raise argparse.ArgumentTypeError(wrong)
    return text
