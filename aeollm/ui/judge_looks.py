"""What the Judge tab's events call to look into one call."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import gradio as gr

from aeollm.errors import AeollmError
from aeollm.methods import Task, number_of_calls
from aeollm.ui import judge_notices as notices
from aeollm.ui.door import sent
from aeollm.ui.judge_calls import Judging
from aeollm.ui.judge_desk import Desk
from aeollm.ui.judge_looking import look_into
from aeollm.ui.judge_setup import place_of


class Looks:
    """The callbacks: a call of what is chosen, or of the run whose lost call was clicked."""

    def __init__(self, judging: Judging) -> None:
        self.judging = judging

    def looked(self, by: int, desk: Desk | None, ask: str, number: float | None, *setup: Any) -> list[Any]:  # noqa: ANN401
        """Show one call, what is sent and what came back: the one of a number, or so many after it."""
        if desk is None:
            return [gr.skip(), notices.said("j_no_call")]
        try:
            task, attempts, folder = self._task(desk, setup)
            asks = [own for own in task.method.asks if own.name == ask] or list(task.method.asks[:1])
            total = number_of_calls(task, asks[0].name)
            at = min(max(int(number or 1) + by, 1), max(total, 1))
            call = look_into(task, asks[0].name, at, folder, attempts)
        except AeollmError as error:
            return [gr.skip(), notices.problems(error.problems)]
        return [gr.update(value=at, maximum=max(total, 1)), notices.looked(call, total)]

    def clicked(self, desk: Desk | None, event: gr.EventData) -> list[Any]:
        """Choose the call of the outcome that is shown whose number was clicked, and unfold it."""
        ask, _, number = str(sent(event, "call")).rpartition(":")
        if desk is None or desk.job is None or not number.isdecimal():
            return [gr.skip()] * 3
        desk.looking = desk.job.task
        asks = [own.name for own in desk.job.task.method.asks]
        return [gr.update(open=True), gr.update(choices=asks, value=ask), int(number)]

    def _task(self, desk: Desk, setup: Sequence[Any]) -> tuple[Task, int, Path]:
        """Give the task that is looked into, with the attempts at a call and the folder of the replies."""
        job = desk.job
        if job is not None and desk.looking is job.task:
            return job.task, job.attempts, job.made.replies
        _, wanted, task = self.judging.task(desk, setup)
        return task, wanted.limits.attempts, desk.replies(place_of(task))
