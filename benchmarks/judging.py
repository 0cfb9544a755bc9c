"""Own cost of judging: ``python benchmarks/judging.py``. CPU seconds, without the judge's.

``--calls`` requests go to a server in another process that answers at once; then ``--cached`` replies on disk are
turned into scores, and by the recipe `per-criterion` into a run, in processes of their own whose memory is told beside
that of a tenth of them. Last, what all pairs of ``--reports`` reports of 40 kB would take is told, a hundred to a
question.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from aeollm.decimals import Decimal
from aeollm.judging import Data, Limits, Message, Options, Price, Reply, ReplyStore, Request, Session, read_template
from aeollm.judging.asking import Endpoint, connect
from aeollm.judging.reading import Scale, dimension_fields, scores_reader
from aeollm.judging.reports import Report
from aeollm.judging.wording import list_dimensions, scores_form
from aeollm.methods import Judge, Material, Running, Task, estimated, read_method, run_method
from aeollm.methods.collecting import requests_of
from aeollm.methods.running import REPLIES
from aeollm.tables import DIMENSIONS, Criterion, Rubrics

CRITERIA = 25
"""Criteria of a question, as the task's rubrics have on average."""
FIELDS, SCALE = dimension_fields(DIMENSIONS), Scale()
READ = scores_reader(FIELDS, SCALE)
# The median report of the task is 9.6 thousand tokens long.
REPORT = "The loop of a heat pump carries more heat than the work it takes. " * 480
TEXT = "```json\n" + json.dumps({"reason": "It covers the request. " * 20, **dict.fromkeys(DIMENSIONS, 7.5)}) + "\n```"
SERVER = """
import asyncio, json, re, sys
body = json.dumps({"model": "m", "choices": [{"message": {"content": sys.argv[1]}, "finish_reason": "stop"}],
                   "usage": {"prompt_tokens": 9600, "completion_tokens": 150}}).encode()
answer = b"HTTP/1.1 200 OK\\r\\nContent-Type: application/json\\r\\nContent-Length: %d\\r\\n\\r\\n" % len(body) + body
async def serve(reader, writer):
    try:
        while True:
            head = await reader.readuntil(b"\\r\\n\\r\\n")
            length = int(re.search(rb"(?i)content-length: *([0-9]+)", head)[1])
            await reader.readexactly(length)
            writer.write(answer)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()
async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()
asyncio.run(main())
"""


def requests(count: int) -> Iterator[Request]:
    """Make requests one by one, each with a report of the usual length."""
    template = read_template("holistic", "en")
    for number in range(count):
        values: dict[str, str | Data] = {
            "question": Data("question", "Compare three ways of heating a house."),
            "report": Data("report", f"{number}\n{REPORT}"),
            "dimensions": list_dimensions(DIMENSIONS, "en"),
            "low": "0",
            "high": "10",
            "format": scores_form(FIELDS, SCALE),
        }
        yield Request((str(number),), template.fill(values), Options("judge"), template.name_and_version)


async def ask(messages: tuple[Message, ...], options: Options) -> Reply:
    """Answer without a network."""
    return Reply(TEXT, options.model if messages else "")


async def judge(address: str, path: Path, count: int) -> int:
    """Ask a server and count the scores."""
    with ReplyStore(path) as store:
        async with connect(Endpoint(address)) as over_http:
            session = Session(over_http, store, Limits(concurrency=16))
            return len([1 async for answer in session.run(requests(count), READ) if answer.value])


def per_call(count: int) -> None:
    """Print the CPU time of one call over HTTP, the reply put on disk and read."""
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen([sys.executable, "-c", SERVER, TEXT], stdout=subprocess.PIPE, text=True) as server,
    ):
        address = f"http://127.0.0.1:{server.stdout.readline().strip() if server.stdout else 0}/v1"
        path = Path(folder) / "replies.jsonl"
        asyncio.run(judge(address, path, 20))
        start, wall = time.process_time(), time.perf_counter()
        done = asyncio.run(judge(address, path, count + 20))
        cpu, wall = time.process_time() - start, time.perf_counter() - wall
        server.kill()
    cost = f"{1000 * cpu / count:.2f} ms CPU a call, {count / wall:.0f} calls a second"
    print(f"{done - 20} calls over HTTP, reports of {len(REPORT):,} characters: {cost}")


async def fill(path: Path, count: int) -> None:
    """Put replies on disk."""
    with ReplyStore(path) as store:
        for request in requests(count):
            store.add(request, await ask(request.messages, request.options), {"seconds": 1.0})


async def from_disk(path: Path, count: int) -> int:
    """Turn replies on disk into scores."""
    with ReplyStore(path) as store:
        session = Session(ask, store, Limits())
        done = 0
        async for answer in session.run(requests(count), READ):
            done += answer.value is not None
        return done if session.progress.spent.calls == 0 else -1


def cached(path: Path, count: int) -> None:
    """Print the time and memory of turning replies on disk into scores; runs in a process of its own."""
    start, wall = time.process_time(), time.perf_counter()
    done = asyncio.run(from_disk(path, count))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    cpu, wall = time.process_time() - start, time.perf_counter() - wall
    told = f"{wall:.1f} s ({cpu:.1f} s CPU), {path.stat().st_size / 2**20:.0f} MiB on disk, peak memory {peak:.0f} MiB"
    print(f"{done} cached replies to scores: {told}")


def task_of(count: int, recipe: str = "per-criterion", answers: int = 16, text: str = REPORT) -> Task:
    """Make reports, so many to a question, and rubrics of 25 criteria; judge every criterion alone, or by a recipe."""
    reports = [
        Report(str(number // answers), f"Doc_{number % answers:03d}", text + str(number), "made")
        for number in range(count)
    ]
    questions = dict.fromkeys(report.question for report in reports)
    own = {
        dimension: [Criterion(f"criterion {dimension} {place}", "", Decimal(1, 0)) for place in range(size)]
        for dimension, size in zip(DIMENSIONS, (7, 6, 6, 6), strict=True)
    }
    weights = {question: dict.fromkeys(DIMENSIONS, Decimal(25, -2)) for question in questions}
    prompts = dict.fromkeys(questions, "Compare three ways of cooling a building.")
    rubrics = Rubrics("made", weights, prompts, dict.fromkeys(questions, own))
    material = Material(tuple(reports), None, rubrics, len(reports))
    return Task(read_method(recipe), material, {"judge": Judge("judge", "m")})


def fill_run(folder: Path, count: int) -> None:
    """Put a reply to every criterion on disk."""
    task = task_of(count // CRITERIA)
    with ReplyStore(folder / REPLIES) as store:
        for request in requests_of(task.asking(task.method.asks[0])):
            store.add(request, Reply(f'{{"score": {len(store) % 21 / 2}}}', "m"), {"seconds": 1.0})


def to_run(folder: Path, count: int) -> None:
    """Print the time and memory from replies on disk to a run; runs in a process of its own."""
    start, wall = time.process_time(), time.perf_counter()
    task = task_of(count // CRITERIA)
    held = sum(len(report.text) for report in task.material.reports) / 2**20
    judged = run_method(task, folder, Running(online=False))
    answers = len(judged.built.run) if judged.built is not None else 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    cpu, wall = time.process_time() - start, time.perf_counter() - wall
    told = f"{wall:.1f} s ({cpu:.1f} s CPU), peak memory {peak:.0f} MiB, reports {held:.0f} of it"
    print(f"{judged.from_disk} cached replies to a run of {answers} answers: {told}")


def estimating(count: int) -> None:
    """Print the CPU time of telling what all pairs take."""
    task = task_of(count, "pairwise", 100, (2 * REPORT)[:40_000])
    start = time.process_time()
    (found,) = estimated(task, Price())
    cpu = time.process_time() - start
    cost = f"{cpu:.1f} s CPU, {1e6 * cpu / found.calls:.0f} µs a call"
    print(f"estimate of {found.calls:,} calls, {found.prompt / 1e9:.1f} thousand million tokens in: {cost}")


def main() -> None:
    """Print all figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=500)
    parser.add_argument("--cached", type=int, default=32_000)
    parser.add_argument("--reports", type=int, default=10_000)
    parser.add_argument("--from-disk", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--to-run", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.to_run:
        to_run(Path(options.to_run[0]), int(options.to_run[1]))
        return
    if options.from_disk:
        cached(Path(options.from_disk[0]), int(options.from_disk[1]))
        return
    per_call(options.calls)
    with tempfile.TemporaryDirectory() as folder:
        for count in (options.cached // 10, options.cached):
            path = Path(folder) / f"{count}.jsonl"
            asyncio.run(fill(path, count))
            subprocess.run([sys.executable, __file__, "--from-disk", str(path), str(count)], check=True)
            fill_run(path.with_suffix(""), count)
            subprocess.run([sys.executable, __file__, "--to-run", str(path.with_suffix("")), str(count)], check=True)
    estimating(options.reports)


if __name__ == "__main__":
    main()
