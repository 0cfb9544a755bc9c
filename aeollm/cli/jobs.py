"""``jobs``: run the parts of a judge run as Hugging Face Jobs, each beside a vLLM server."""

from __future__ import annotations

import argparse
import os
import re
import shlex
from collections.abc import Sequence
from pathlib import Path

from aeollm.cli.judging import add_size, asked_as, recipe_of, refuse_parts, task_of, wrong
from aeollm.cli.options import add_labels, from_zero, whole_number
from aeollm.cli.terminal import DONE, UNUSABLE, complain, print_lines
from aeollm.errors import AeollmError
from aeollm.judging import Price
from aeollm.judging.jobs import Job, Plan, jobs_of, submit
from aeollm.judging.prompts import PROMPTS
from aeollm.methods import Judge, Method, estimated, write_method

_HOURS = {"": 1 / 3600, "s": 1 / 3600, "m": 1 / 60, "h": 1.0, "d": 24.0}
_LABELS = ("labels", "labels_set", "repo", "revision", "folders")
_SEND_LABELS = "Name them by --labels-set, or what the mounts hold by --judge-options='--rubrics /reports/FOLDER'."
_READ_BY_A_SERVER = 5_000
"""Prompt tokens a second, as the page assets/recipes/scale.md assumes."""


def add(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    plan = Plan("", "", "", "", "")
    parser.add_argument("recipe", metavar="RECIPE", help="a judge recipe of one judge: a file, or a bundled one's name")
    add = parser.add_argument
    add("--jobs", type=whole_number(1, 999_999), required=True, metavar="N", help="parts, a machine each")
    add("--model", required=True, metavar="M", help="the model that vLLM serves")
    add("--reports", required=True, metavar="OWNER/NAME", help="data set on the Hub with the reports")
    add("--answers", default=".", metavar="PATH", help="folder or table of reports in it (default: its top)")
    add("--bucket", required=True, metavar="OWNER/NAME", help="bucket on the Hub where the parts are kept")
    add("--name", required=True, metavar="NAME", help="of the run, its folder in the bucket")
    add("--labels-set", metavar="NAME", help="label set by name")
    add_size(parser)
    add("--judge-options", default="", metavar="OPTIONS", help="more options of `judge`, as one text")
    add("--serve-options", default="", metavar="OPTIONS", help="more options of `vllm serve`, as one text")
    add("--image", default=plan.image, help=f"default: {plan.image}")
    add("--flavor", default=plan.flavor, help=f"of the machine (default: {plan.flavor})")
    add("--job-timeout", default=plan.timeout, metavar="T", help=f"default: {plan.timeout}")
    add("--code", default=plan.code, metavar="OWNER/NAME", help=f"Space with this package (default: {plan.code})")
    add("--namespace", metavar="OWNER", help="who pays (default: the token's owner)")
    add("--token-env", default="HF_TOKEN", metavar="VARIABLE", help="environment variable with the token")
    add("--dry-run", action="store_true", help="only print the jobs and what they take")
    add("--here", type=Path, metavar="PATH", help="with --dry-run: a copy of the reports, to tell calls, tokens, hours")
    add("--rubrics", type=Path, metavar="FOLDER", help="with --here: folder of criterion<questionId>.json")
    add("--price-hour", type=from_zero, metavar="M", help="with --dry-run: what one of these machines costs an hour")


def run(options: argparse.Namespace) -> int:
    """Print or start the jobs."""
    try:
        plan = _plan(options)
        jobs = jobs_of(plan, options.jobs)
        futile, notes = _without_labels(_method(options), plan)
        if options.dry_run:
            told = [f"note: {one}" for one in (*futile, *notes)]
            for line in told:
                complain(line)
            print_lines([*_shown(jobs), "", *told, *_takes(options, jobs[0])])
            return DONE
        if futile:
            raise wrong(futile[0], _SEND_LABELS)
        for note in notes:
            complain(f"note: {note}")
        token = os.environ.get(options.token_env)
        if not token:
            raise wrong(f"the environment variable {options.token_env} is not set.", "Set it to a token of yours.")
        endpoint = os.environ.get("HF_ENDPOINT") or None
        for job in jobs:
            place = submit(job, token, namespace=options.namespace, endpoint=endpoint)
            print_lines([f"{job.name}: {place}"])
    except AeollmError as error:
        complain(str(error))
        return UNUSABLE
    return DONE


def _method(options: argparse.Namespace) -> Method:
    return asked_as(options, recipe_of(options.recipe))


def _plan(options: argparse.Namespace) -> Plan:
    method = _method(options)
    refuse_parts(method, options.jobs, "Name --jobs 1.")
    if len(method.roles) > 1:
        told = "a job serves one model, and the recipe has several judges."
        raise wrong(told, "Serve them yourself and name each by --judge NAME=MODEL@URL of `judge`.")
    _refuse_own_prompts(method)
    if not options.name.replace("-", "").replace("_", "").isalnum():
        raise wrong("--name is the name of a folder.", "Use letters, digits and hyphens.")
    judge = ["--labels-set", options.labels_set] if options.labels_set else []
    return Plan(
        options.name,
        write_method(method),
        options.model,
        options.reports,
        options.bucket,
        (*judge, *_words(options.judge_options)),
        _words(options.serve_options),
        options.image,
        options.flavor,
        options.job_timeout,
        options.code,
        options.answers,
    )


def _without_labels(method: Method, plan: Plan) -> tuple[list[str], list[str]]:
    """Say what follows where no labels go along: why nothing would come of the jobs, and what they would lack."""
    parser = argparse.ArgumentParser(add_help=False)
    add_labels(parser)
    named = vars(parser.parse_known_args(plan.judge)[0]) | {key: own for key, own in method.made.items() if own}
    rubrics = named.pop("rubrics")
    if any(named[key] for key in _LABELS):
        return [], []
    asked = [ask for ask in method.asks if ask.kind.gives == "opinions" and ask.options["request"] != "no"]
    if method.makes:
        return ["no labels go along, and a prompt is optimised on labels: every job would be charged for nothing."], []
    if not rubrics and any(ask.kind.gives != "opinions" for ask in method.asks):
        told = "no labels or rubrics go along, and `judge` refuses reports of which nothing says what was asked for"
        return [f"{told}: every job would load its model, be charged, and end with nothing."], []
    lacking = ["whether every answer has its report is not checked"]
    lacking += ["the judge is not shown what the reports were asked for"] if asked and not rubrics else []
    lacking += ["no step learns anything from labels"] if any(step.kind.learns for step in method.steps) else []
    return [], [f"no labels go along (--labels-set): {', '.join(lacking)}."]


def _refuse_own_prompts(method: Method) -> None:
    """Refuse prompts that lie beside the recipe, which does not travel with more than its own text."""
    own = {str(ask.options["prompt"]) for ask in method.asks} - method.makes
    lacking = sorted(name for name in own if not (PROMPTS / f"{name}.en.md").is_file())
    if lacking:
        told = f"the prompt {lacking[0]} is not one of the bundled ones."
        raise wrong(told, "Put it into assets/prompts of a Space of yours, and name that by --code.")


def _words(text: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise wrong(f"options cannot be read: {error}.") from None


def _shown(jobs: Sequence[Job]) -> list[str]:
    """Print the jobs, and once what they have in common."""
    first = jobs[0]
    mounts = ", ".join(f"{kind} {source} at {mount}" for kind, source, mount in first.volumes)
    others = f" (the others': the same with their numbers, to {len(jobs)})" if len(jobs) > 1 else ""
    return [
        *(f"{job.name}: {job.image} on {job.flavor}, {job.timeout} at most" for job in jobs),
        f"mounts: {mounts}",
        f"secrets: {', '.join(first.secrets)}; environment: {', '.join(first.environment)} (the recipe's text)",
        f"bash -c of {first.name}{others}:",
        *(f"  | {line}" for line in first.script.splitlines()),
    ]


def _takes(options: argparse.Namespace, job: Job) -> list[str]:
    """Tell what the jobs take: at most by their time limit, and about, where the reports can be counted."""
    machines = options.jobs
    price = None if options.price_hour is None else float(options.price_hour)
    lines = [] if price is not None else [f"prices: `hf jobs hardware`; name that of {job.flavor} by --price-hour."]
    limit = re.fullmatch(r"([0-9.]+)([smhd]?)", job.timeout)
    if limit is not None:
        hours = float(limit[1]) * _HOURS[limit[2]] * machines
        lines.append(f"at most: {hours:.4g} hours of {job.flavor}{_money(hours, price)}, all {machines} together")
    if options.here is None:
        return [*lines, "about: name a copy of the reports by --here, for calls, tokens and hours."]
    method = _method(options)
    own = argparse.Namespace(answers=options.here, labels_set=options.labels_set, rubrics=options.rubrics, partial=True)
    own.labels = own.repo = own.revision = own.folders = own.shard = own.trial = None
    judges = {name: Judge(name, options.model) for name in method.roles}
    found = estimated(task_of(own, method, judges, None), Price())
    calls, prompt, completion = (sum(getattr(row, key) for row in found) for key in ("calls", "prompt", "completion"))
    hours = prompt / _READ_BY_A_SERVER / 3600
    tokens = f"{prompt / 1e6:.4g} million tokens in, {completion / 1e6:.4g} million out at most"
    return [
        *lines,
        f"about: {calls} calls, {tokens} (rough; see `judge --dry-run`)",
        f"       {hours:.3g} hours of {job.flavor} in all{_money(hours, price)}, {hours / machines:.2g} on each",
        f"       (assumed: a machine reads {_READ_BY_A_SERVER} tokens a second, nothing cached; loading comes on top)",
    ]


def _money(hours: float, price: float | None) -> str:
    return "" if price is None else f", {hours * price:.4g} in money"
