"""``jobs``: run the parts of a judge run as Hugging Face Jobs, each beside a vLLM server."""

from __future__ import annotations

import argparse
import os
import shlex

from aeollm.cli.judging import recipe_of, whole, wrong
from aeollm.cli.terminal import DONE, UNUSABLE, complain, print_lines
from aeollm.errors import AeollmError
from aeollm.judging.jobs import Job, Plan, jobs_of, submit
from aeollm.judging.prompts import PROMPTS
from aeollm.methods import Method, write_method


def add(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    plan = Plan("", "", "", "", "")
    parser.add_argument("recipe", metavar="RECIPE", help="a judge recipe of one judge: a file, or a bundled one's name")
    add = parser.add_argument
    add("--jobs", type=whole, required=True, metavar="N", help="parts, a machine each")
    add("--model", required=True, metavar="M", help="the model that vLLM serves")
    add("--reports", required=True, metavar="OWNER/NAME", help="data set on the Hub with the reports")
    add("--answers", default=".", metavar="PATH", help="folder or table of reports in it (default: its top)")
    add("--bucket", required=True, metavar="OWNER/NAME", help="bucket on the Hub where the parts are kept")
    add("--name", required=True, metavar="NAME", help="of the run, its folder in the bucket")
    add("--labels-set", metavar="NAME", help="label set by name")
    add("--judge-options", default="", metavar="OPTIONS", help="more options of `judge`, as one text")
    add("--serve-options", default="", metavar="OPTIONS", help="more options of `vllm serve`, as one text")
    add("--image", default=plan.image, help=f"default: {plan.image}")
    add("--flavor", default=plan.flavor, help=f"of the machine (default: {plan.flavor})")
    add("--job-timeout", default=plan.timeout, metavar="T", help=f"default: {plan.timeout}")
    add("--code", default=plan.code, metavar="OWNER/NAME", help=f"Space with this package (default: {plan.code})")
    add("--namespace", metavar="OWNER", help="who pays (default: the token's owner)")
    add("--token-env", default="HF_TOKEN", metavar="VARIABLE", help="environment variable with the token")
    add("--dry-run", action="store_true", help="only print the jobs")


def run(options: argparse.Namespace) -> int:
    """Print or start the jobs."""
    try:
        jobs = jobs_of(_plan(options), options.jobs)
        if options.dry_run:
            print_lines(line for job in jobs for line in _shown(job))
            return DONE
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


def _plan(options: argparse.Namespace) -> Plan:
    method = recipe_of(options.recipe)
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


def _refuse_own_prompts(method: Method) -> None:
    """Refuse prompts that lie beside the recipe, which does not travel with more than its own text."""
    made = {ask.name for ask in method.asks if ask.kind.gives == "prompt"}
    own = {str(ask.options["prompt"]) for ask in method.asks} - made
    lacking = sorted(name for name in own if not (PROMPTS / f"{name}.en.md").is_file())
    if lacking:
        told = f"the prompt {lacking[0]} is not one of the bundled ones."
        raise wrong(told, "Put it into assets/prompts of a Space of yours, and name that by --code.")


def _words(text: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise wrong(f"options cannot be read: {error}.") from None


def _shown(job: Job) -> list[str]:
    mounts = ", ".join(f"{kind} {source} at {mount}" for kind, source, mount in job.volumes)
    return [
        f"{job.name}: {job.image} on {job.flavor}, {job.timeout} at most",
        f"  mounts: {mounts}",
        f"  secrets: {', '.join(job.secrets)}; environment: {', '.join(job.environment)} (the recipe's text)",
        "  bash -c:",
        *(f"  | {line}" for line in job.script.splitlines()),
    ]
