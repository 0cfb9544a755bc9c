"""Parts of a run as Hugging Face Jobs: each beside a vLLM server of its own, with replies in a bucket."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field

import httpx2
from huggingface_hub import HfApi, Volume
from huggingface_hub.errors import HfHubHTTPError

from aeollm.errors import JudgingError, Problem, printable
from aeollm.judging.asking.failures import redacting

REPORTS, OUT, HERE = "/reports", "/out", "part"
# -e: what fails before the server must not be followed by hours of a paid machine.
_SCRIPT = """set -eu
mkdir -p {here} {out}
cp -r {out}/. {here}/
printf '%s' "$RECIPE" > recipe.toml
python3 -m venv env
env/bin/pip install -q huggingface_hub
env/bin/hf download --quiet --repo-type space {code} --local-dir code
env/bin/pip install -q -r code/requirements.txt -r code/requirements-judge.txt
vllm serve {model} --port 8000 --enable-prefix-caching {serve} &
server=$!
until env/bin/python -c "import urllib.request as u; u.urlopen('http://127.0.0.1:8000/health')" 2>/dev/null; do
  kill -0 $server || exit 1
  sleep 5
done
(while sleep 120; do cp -r {here}/. {out}/ || true; done) &
ended=0
PYTHONPATH=code env/bin/python -m aeollm judge {judge} -o {here} || ended=$?
cp -r {here}/. {out}/
exit $ended
"""


@dataclass(frozen=True, slots=True)
class Job:
    """One part of a run on a machine of its own.

    ``secrets`` names environment variables only; their values are given to `submit` and stand in no other place.
    """

    name: str
    image: str
    flavor: str
    timeout: str
    script: str
    environment: Mapping[str, str]
    volumes: tuple[tuple[str, str, str], ...]
    secrets: tuple[str, ...] = ("HF_TOKEN",)

    def to_json(self) -> dict[str, object]:
        """Give what would be sent, to be looked at."""
        return {
            "name": self.name,
            "image": self.image,
            "flavor": self.flavor,
            "timeout": self.timeout,
            "command": ["bash", "-c", self.script],
            "environment": dict(self.environment),
            "volumes": [{"type": kind, "source": source, "mount": mount} for kind, source, mount in self.volumes],
            "secrets": list(self.secrets),
        }


@dataclass(frozen=True)
class Plan:
    """What all jobs of a run share.

    ``reports`` is a data set on the Hub, ``bucket`` where the parts are kept, ``code`` a Space with this package;
    ``judge`` are further options of the command, ``serve`` of the server.
    """

    name: str
    recipe: str
    model: str
    reports: str
    bucket: str
    judge: tuple[str, ...] = ()
    serve: tuple[str, ...] = ()
    image: str = "vllm/vllm-openai:latest"
    flavor: str = "a100-large"
    timeout: str = "12h"
    code: str = "THUIR/AEOLLM"
    answers: str = "."
    environment: Mapping[str, str] = field(default_factory=dict)


def jobs_of(plan: Plan, count: int) -> tuple[Job, ...]:
    """Give the jobs of a run in ``count`` parts; what users wrote is quoted for the shell."""
    return tuple(_job(plan, number, count) for number in range(1, count + 1))


def _job(plan: Plan, number: int, count: int) -> Job:
    answers = REPORTS if plan.answers == "." else f"{REPORTS}/{plan.answers}"
    judge = ["recipe.toml", "--answers", answers, "--model", plan.model, "--base-url", "http://127.0.0.1:8000/v1"]
    judge += ["--shard", f"{number}/{count}", "--concurrency", "64", *plan.judge]
    script = _SCRIPT.format(
        here=HERE,
        out=shlex.quote(f"{OUT}/{plan.name}/{number}-of-{count}"),
        code=shlex.quote(plan.code),
        model=shlex.quote(plan.model),
        serve=shlex.join(plan.serve),
        judge=shlex.join(judge),
    )
    volumes = (("dataset", plan.reports, REPORTS), ("bucket", plan.bucket, OUT))
    environment = {**plan.environment, "RECIPE": plan.recipe}
    return Job(f"{plan.name}-{number}-of-{count}", plan.image, plan.flavor, plan.timeout, script, environment, volumes)


def submit(job: Job, token: str, *, namespace: str | None = None, endpoint: str | None = None) -> str:
    """Start a job; give the address where it can be watched.

    Raises
    ------
    JudgingError
        If the Hub refuses it or cannot be reached; the token is in no message.
    """
    redact = redacting(token)
    volumes = [Volume(type=kind, source=source, mount_path=mount) for kind, source, mount in job.volumes]
    try:
        started = HfApi(endpoint=endpoint, token=token).run_job(
            image=job.image,
            command=["bash", "-c", job.script],
            env=dict(job.environment),
            secrets=dict.fromkeys(job.secrets, token),
            flavor=job.flavor,
            timeout=job.timeout,
            labels={"name": job.name},
            volumes=volumes,
            namespace=namespace,
        )
    except (HfHubHTTPError, httpx2.HTTPError, OSError) as error:
        words = printable(redact(str(error).split("\n", 1)[0]), 300)
        message = f"{printable(job.name)} was not started: {words}."
        remedy = "Jobs need a token with the right to run them, and credits. Jobs started before it go on."
        raise JudgingError("jobs", [Problem("error", "job", message, remedy)]) from None
    except (json.JSONDecodeError, KeyError, TypeError) as error:
        message = f"{printable(job.name)}: the Hub answered in another form ({type(error).__name__})."
        raise JudgingError("jobs", [Problem("error", "job", message, "Look at the jobs' page.")]) from None
    return str(started.url)
