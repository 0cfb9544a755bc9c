"""A method from start to end in one call: connections, the replies on disk, and the files that come of it."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from filelock import FileLock, Timeout

from aeollm.errors import JudgingError, Problem, printable
from aeollm.judging import Control, Limits, OnProgress, ReplyStore, Session
from aeollm.methods.carrying import Judged, OnAsk, Task, carry_out
from aeollm.methods.endpoints import connect_judges
from aeollm.methods.method import Method
from aeollm.methods.writing import write_method
from aeollm.recipes import write_recipe

REPLIES, RUN, RECIPE, BUILD = "replies.jsonl", "run.txt", "recipe.toml", "build.toml"


class OnStop(Protocol):
    """Takes how many calls are under way, and whether they are given up now."""

    def __call__(self, under_way: int, *, now: bool) -> None:
        """Tell it."""


@dataclass(frozen=True)
class Running:
    """How a method is run: keys by the judge's name, patience, budget, and how to steer and watch it.

    ``on_stop`` is told at once of a Ctrl-C: how many calls are under way, and whether they are given up. ``online``
    False asks nobody, and makes do with the replies on disk. Keys are in no repr and no file.
    """

    keys: Mapping[str, str] = field(default_factory=dict, repr=False)
    timeout: float = 600.0
    limits: Limits = field(default_factory=Limits)
    control: Control = field(default_factory=Control)
    on_progress: OnProgress | None = None
    on_ask: OnAsk | None = None
    on_stop: OnStop | None = None
    online: bool = True


def run_method(task: Task, folder: Path, running: Running) -> Judged:
    """Carry out a method; replies are in ``folder`` as they come, and those that are there are not asked for again.

    Raises
    ------
    JudgingError
        If the folder cannot be used, or judges cannot be told apart.
    """
    found: list[Judged] = []

    async def carried_out() -> None:
        # Not returned: on its way out asyncio writes a result's repr, which of a large run takes hundreds of megabytes.
        found.append(await _run(task, folder, running))

    asyncio.run(carried_out())
    return found[0]


async def _run(task: Task, folder: Path, running: Running) -> Judged:
    with ReplyStore(folder / REPLIES) as store, _alone(folder):
        if not running.online:
            judged = await carry_out(task, Session(None, store, running.limits), running.on_ask)
        else:
            async with connect_judges(task.judges, running.keys, running.timeout) as ask:
                session = Session(ask, store, running.limits, running.control, running.on_progress)
                with _interruptible(session, running):
                    judged = await carry_out(task, session, running.on_ask)
        return replace(judged, problems=(*_damaged(store), *_aside(store), *judged.problems))


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Keep a second run out of the folder: both would ask, and pay for, the same. A lock ends with its process.

    Raises
    ------
    JudgingError
        If there is one.
    """
    lock = FileLock(folder / "running.lock", timeout=0)
    try:
        lock.acquire()
    except Timeout:
        message = "another run is at work in this folder, and would be paid for twice."
        problem = Problem("error", "at_work", message, "Wait for it, or choose another folder.")
        raise JudgingError(str(folder), [problem]) from None
    try:
        yield
    finally:
        lock.release()


def _damaged(store: ReplyStore) -> list[Problem]:
    """Tell of lines that are no replies any more: what they held is asked, and paid, again."""
    if not store.damaged:
        return []
    message = f"lines of {REPLIES} that cannot be read, and are left aside: {store.damaged}."
    remedy = "What they held is asked again. A kill in mid-line leaves one; more are the disk's, or another program's."
    return [Problem("warning", "damaged_replies", message, remedy)]


def _aside(store: ReplyStore) -> list[Problem]:
    """Tell of calls that were paid for nothing, because another model answered than before."""
    found = []
    for asked, others in store.aside.items():
        told = ", ".join(f"{printable(model)} ({count})" for model, count in sorted(others.items()))
        message = (
            f"{sum(others.values())} calls to {printable(asked)} were paid for and their replies thrown away: "
            f"{told} answered, and {printable(store.models[asked])}, which had answered first, is the judge."
        )
        remedy = "Name one version of the model, or one provider: behind an alias or a router there are several."
        found.append(Problem("warning", "other_model", message, remedy))
    return found


class _interruptible:
    """Take Ctrl-C, and a request to terminate, for a wish to stop: once cleanly, twice at once."""

    def __init__(self, session: Session, running: Running) -> None:
        self._session, self._control, self._told = session, running.control, running.on_stop
        self._signals: list[signal.Signals] = []

    def _stop(self) -> None:
        now = self._control.cancelled
        if self._told is not None:
            self._told(self._session.under_way, now=now)
        self._control.cancel(now=now)

    def __enter__(self) -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            # Not in threads other than the main one, and not on every system: there Ctrl-C is as ever.
            with suppress(NotImplementedError, RuntimeError, ValueError):
                loop.add_signal_handler(number, self._stop)
                self._signals.append(number)

    def __exit__(self, *error: object) -> None:
        loop = asyncio.get_running_loop()
        for number in self._signals:
            loop.remove_signal_handler(number)


def files_of(judged: Judged, method: Method) -> dict[str, bytes]:
    """Give the files of a run besides the replies: tables, run, and the recipes that repeat it.

    ``method`` is written as ``recipe.toml``. ``build.toml`` builds the run of the tables, without any judge.
    """
    found = dict(judged.files)
    found |= judged.task.prompts.own_files()
    found[RECIPE] = write_method(method).encode()
    if judged.task.method.steps:
        # Steps for which there was nothing to ask have no table to be carried out on.
        recipe = judged.built.recipe if judged.built is not None and judged.spared else judged.task.recipe()
        used = {name: file for name, file in recipe.inputs.items() if name in recipe.needed}
        found[BUILD] = write_recipe(replace(recipe, inputs=used)).encode()
    if judged.built is not None:
        found[RUN] = judged.built.text.encode()
    return found


def put_aside(files: Mapping[str, bytes], folder: Path, tables: Iterable[str] = ()) -> list[str]:
    """Rename what an earlier run of this folder gave and this one did not, so that it is not taken for this one's."""
    old = [name for name in (RUN, BUILD, *tables) if name not in files and (folder / name).is_file()]
    for name in old:
        (folder / name).replace(folder / f"earlier-{name}")
    return [f"earlier-{name}" for name in old]


def write_files(files: dict[str, bytes], folder: Path) -> None:
    """Write a run's files, each at once.

    Raises
    ------
    JudgingError
        If one cannot be written.
    """
    for name, content in files.items():
        # Two processes may write to one folder.
        part = folder / f".{name}.{os.getpid()}.part"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            part.write_bytes(content)
            part.replace(folder / name)
        except OSError as error:
            message = f"{printable(name)} cannot be written: {error.strerror}."
            raise JudgingError(str(folder), [Problem("error", "unwritable", message, "Check the folder.")]) from None
