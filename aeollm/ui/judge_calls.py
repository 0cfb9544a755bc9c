"""What the Judge tab's events call: plain values in, component values out."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import gradio as gr

from aeollm.errors import AeollmError, Problem, UsageError
from aeollm.judging import Price, ReplyStore
from aeollm.methods import Estimated, Task, bundled_recipes, estimated, read_method
from aeollm.sources import LabelSet
from aeollm.ui import judge_notices as notices
from aeollm.ui.callbacks import Callbacks, label_sets
from aeollm.ui.judge_access import Access
from aeollm.ui.judge_desk import REPLIES, Desk
from aeollm.ui.judge_inputs import DEMO_REPORTS, reports_of, uploaded_files
from aeollm.ui.judge_looking import look_into
from aeollm.ui.judge_setup import Setup, Wanted, place_of
from aeollm.ui.notices import shown_name
from aeollm.ui.session import Session
from aeollm.ui.uploads import Upload, named_files


class Judging:
    """The callbacks of what is handed in, estimated and looked into."""

    def __init__(self, score: Callbacks, access: Access) -> None:
        self.score, self.access = score, access
        # By session, only to know whose page was closed; the desks themselves are in the sessions' state.
        self._desks: weakref.WeakValueDictionary[str, Desk] = weakref.WeakValueDictionary()

    def opened(self, request: gr.Request, desk: Desk | None, *setup: Any) -> list[Any]:  # noqa: ANN401  as gradio gives them
        """Offer the demo's reports while nothing is handed in."""
        desk = self.desk(desk, request)
        if desk.reports is None and not desk.problems:
            self._take_demo(desk)
        return [desk, *self.described(desk, *setup)]

    def dropped(
        self,
        request: gr.Request,
        desk: Desk | None,
        uploads: Sequence[Upload] | None,
        *setup: Any,  # noqa: ANN401
    ) -> list[Any]:
        """Read the reports that lie in the drop zone."""
        desk = self.desk(desk, request)
        if uploads:
            self._take(desk, uploads)
        else:
            self._take_demo(desk)
        return [desk, *self.described(desk, *setup)]

    def own_recipe(self, request: gr.Request, desk: Desk | None, upload: Upload) -> list[Any]:
        """Take a recipe of the visitor's own, and choose it."""
        desk = self.desk(desk, request)
        try:
            [(path, given)] = named_files([upload])
            name = f"own: {shown_name(Path(given).stem, 40)}"
            desk.recipes[name] = read_method(path.read_bytes(), name=given)
        except AeollmError as error:
            return [desk, gr.skip(), notices.problems(error.problems)]
        return [desk, gr.update(choices=[*self.recipes(), *desk.recipes], value=name), ""]

    def recipes(self) -> list[str]:
        """Name the bundled recipes, the simplest first."""
        first = ["holistic", "one-dimension", "one-call", "per-criterion", "pairwise", "tie-break"]
        return [*first, *(name for name in bundled_recipes() if name not in first)]

    def described(self, desk: Desk | None, *setup: Any) -> list[Any]:  # noqa: ANN401
        """Tell what is there and what it would take; the calls to look into begin anew."""
        told = self.measured(desk, *setup)
        asks = self._asks(desk, setup)
        return [*told, gr.update(choices=asks, value=asks[0] if asks else None), gr.update(value=1), ""]

    def measured(self, desk: Desk | None, *setup: Any) -> list[Any]:  # noqa: ANN401
        """Tell what is there, and what it would take."""
        if desk is None or desk.reports is None:
            return [notices.problems(desk.problems) if desk is not None else "", ""]
        try:
            made, wanted, task = self.task(desk, setup)
            rows = self._rows(desk, task, wanted)
            pace = desk.pace.get(task.method.name)
            seconds = notices.seconds_of(rows, wanted.limits.concurrency, pace), pace is not None
            told = notices.estimate(task.method, rows, seconds, wanted.price)
        except AeollmError as error:
            return [notices.problems(error.problems), ""]
        # That the demo has labels for more answers than reports is no news.
        problems = [own for own in task.material.problems if not (made.demo and own.kind == "missing_answers")]
        return [notices.found(task.material, demo=made.demo) + notices.problems(problems), told]

    def _asks(self, desk: Desk | None, setup: Sequence[Any]) -> list[str]:
        if desk is None or desk.reports is None:
            return []
        try:
            return [ask.name for ask in self.task(desk, setup)[2].method.asks]
        except AeollmError:
            return []

    def looked(self, desk: Desk | None, ask: str, number: float, *setup: Any) -> str:  # noqa: ANN401
        """Show one call: what is sent, and what came back."""
        if desk is None or desk.reports is None:
            return notices.said("j_no_call")
        try:
            _, wanted, task = self.task(desk, setup)
            asks = [own for own in task.method.asks if own.name == ask] or list(task.method.asks[:1])
            attempts = wanted.limits.attempts
            at = int(number) if isinstance(number, int | float) and 0 < number < 1e9 else 1
            call = look_into(task, asks[0].name, at, desk.replies(place_of(task)), attempts)
            total = next(own.calls for own in estimated(task, Price()) if own.name == asks[0].name)
        except AeollmError as error:
            return notices.problems(error.problems)
        return notices.looked(call, total)

    def stepped(self, by: int, number: float | None) -> int:
        """Go to the next call, or the one before."""
        at = int(number) if isinstance(number, int | float) else 1
        return max(at + by, 1)

    def clicked(self, event: gr.EventData) -> list[Any]:
        """Choose the call whose number was clicked, and unfold it."""
        ask, _, number = str(event._data.get("call", "")).rpartition(":")
        return [gr.update(open=True), ask, int(number)] if number.isdecimal() else [gr.skip()] * 3

    def left(self, request: gr.Request) -> None:
        """Stop asking for somebody whose page is closed."""
        desk = self._desks.get(str(request.session_hash))
        if desk is not None:
            desk.leave()

    def desk(self, desk: Desk | None, request: gr.Request) -> Desk:
        """Give the visitor's desk, a new one for the first time or where the old one was cleared."""
        if desk is None or desk.closed:
            desk = Desk()
        desk.come_back()
        self._desks[str(request.session_hash)] = desk
        return desk

    def _take_demo(self, desk: Desk) -> None:
        files = [(path, f"{path.parent.name}/{path.name}") for path in sorted(DEMO_REPORTS.glob("*/*.md"))]
        desk.reports, desk.problems, desk.demo = reports_of(files, desk.new_folder()), (), True

    def _take(self, desk: Desk, uploads: Sequence[Upload]) -> None:
        desk.reports, desk.problems, desk.demo = None, (), False
        try:
            files = uploaded_files(uploads)
            desk.remember(path for path, _ in files)
            desk.reports = reports_of(files, desk.new_folder())
        except AeollmError as error:
            desk.problems = error.problems

    def task(self, desk: Desk, setup: Sequence[Any], *, named: bool = False) -> tuple[Setup, Wanted, Task]:
        """Make the task of what is chosen; where models may be missing, under a name that stands for them."""
        name, session, *fields = setup
        if desk.reports is None:
            raise UsageError("judge", desk.problems or [Problem("error", "no_reports", "there are no reports.", "")])
        made = Setup(self.access, desk.reports, self._labels(desk, name, session), desk.recipes, desk.demo)
        wanted = Wanted(*fields)
        try:
            return made, wanted, made.task(wanted)
        except UsageError:
            if named:
                raise
            return made, wanted, made.task(wanted, named=False)

    def _labels(self, desk: Desk, name: str, session: Session) -> LabelSet:
        """Give the labels chosen on the Score tab; the demo's for the demo's reports."""
        if desk.demo:
            return self.score.catalogue.demo
        offer = self.score.catalogue.offer()
        sets = label_sets(session, offer)
        return sets.get(desk.parts.get(name, name)) or sets[offer.default]

    def _rows(self, desk: Desk, task: Task, wanted: Wanted) -> tuple[Estimated, ...]:
        path = desk.replies(place_of(task)) / REPLIES
        if not path.is_file():
            return estimated(task, wanted.price)
        with ReplyStore(path) as store:
            return estimated(task, wanted.price, store)
