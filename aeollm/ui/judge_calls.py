"""What the Judge tab's events call: plain values in, component values out."""

from __future__ import annotations

import time
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import gradio as gr

from aeollm.errors import AeollmError, Problem, UsageError
from aeollm.judging import Price
from aeollm.judging.reports import Reports
from aeollm.methods import Task, estimated, estimated_in
from aeollm.sources import DEMO, LabelSet
from aeollm.ui import judge_notices as notices
from aeollm.ui.callbacks import Callbacks, label_sets
from aeollm.ui.door import sent
from aeollm.ui.identity import signed_in
from aeollm.ui.judge_access import Access
from aeollm.ui.judge_desk import Desk
from aeollm.ui.judge_inputs import DEMO_REPORTS, laid_out, reports_of, uploaded_files
from aeollm.ui.judge_recipes import Chosen, bundled, read_own
from aeollm.ui.judge_setup import Setup, Wanted, place_of, who_of
from aeollm.ui.judge_standing import buttons, came_of
from aeollm.ui.notices import shown_name
from aeollm.ui.session import Session
from aeollm.ui.uploads import Upload, named_files

_TOKEN_LENGTH = 32
_MADE_OF, _HELD = 2, 20
"""The name of the labels and the session stand before the page's fields; with their notices it is so many in all."""


class Judging:
    """The callbacks of what is handed in, estimated and looked into."""

    def __init__(self, score: Callbacks, access: Access) -> None:
        self.score, self.access = score, access
        # By session and by page, only to find them again; the desks themselves are in the sessions' state.
        self._desks: weakref.WeakValueDictionary[str, Desk] = weakref.WeakValueDictionary()
        self._pages: weakref.WeakValueDictionary[str, Desk] = weakref.WeakValueDictionary()

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
            desk.hand_replies([])
            self._take_demo(desk)
        return [desk, *self.described(desk, *setup)]

    def own_recipe(
        self,
        request: gr.Request,
        desk: Desk | None,
        uploads: Sequence[Upload] | None,
        *setup: Any,  # noqa: ANN401
    ) -> list[Any]:
        """Take a recipe of the visitor's own with its prompts, and choose it; one that cannot be used is not."""
        desk = self.desk(desk, request)
        try:
            files = named_files(uploads)
            desk.remember(path for path, _ in files)
            given, own = read_own(files, desk.recipe_folder())
            name = f"own: {shown_name(given.rsplit('.', 1)[0], 40)}"
            known = {**desk.recipes, name: own}
            self._refuse_unusable(desk, (*setup[:_MADE_OF], name, *setup[_MADE_OF + 1 :]), known)
        except AeollmError as error:
            return [desk, gr.skip(), notices.problems(error.problems)]
        desk.recipes = known
        return [desk, gr.update(choices=[*bundled(), *desk.recipes], value=name), ""]

    def described(self, desk: Desk | None, *setup: Any) -> list[Any]:  # noqa: ANN401
        """Tell what is there and what it would take; the calls to look into begin anew."""
        told = self.measured(desk, *setup)
        if desk is not None:
            desk.looking = None
        asks = self._asks(desk, setup)
        return [*told, gr.update(choices=asks, value=asks[0] if asks else None), gr.update(value=1), ""]

    def measured(self, desk: Desk | None, *setup: Any) -> list[Any]:  # noqa: ANN401
        """Tell what is there, what it would take, and how the rest stands to it.

        A refusal to start stays until something changes; so does what is looked into.
        """
        if desk is None:
            return ["", "", *[gr.skip()] * 4]
        fields = held(desk, setup)
        if fields != desk.chosen:
            desk.chosen, desk.looking = fields, None
        told = self._told(desk, setup)
        stays = desk.going or desk.refused == fields
        return [*told, gr.skip() if stays else "", *buttons(desk)[:2], came_of(desk)]

    def _told(self, desk: Desk, setup: Sequence[Any]) -> list[Any]:
        desk.signed, desk.wrong, desk.small_whole = "", (), False
        try:
            made, wanted, task = self.task(desk, setup)
            limits, _ = wanted.limits, wanted.seconds
            rows = estimated_in(desk.replies(place_of(task)), task, wanted.price)
        except AeollmError as error:
            desk.wrong = error.problems
            return [self._refused(desk, setup, error), ""]
        desk.signed, desk.label_set, desk.wrong = made.signed(task), made.label_set, made.wrong(wanted)
        seconds = desk.pace.seconds(who_of(task), task.method.name, rows, limits.concurrency)
        told = notices.estimate(task.method, rows, seconds, wanted.price, sent=desk.job is not None)
        desk.small_whole = bool(task.method.makes)
        if desk.small_whole and desk.signed not in desk.tried:
            told += notices.small_whole(made.trial(task).material)
        # That the demo has labels for more answers than reports is no news.
        problems = [own for own in task.material.problems if not (made.demo and own.kind == "missing_answers")]
        return [notices.found(task.material, demo=made.demo) + notices.problems([*desk.wrong, *problems]), told]

    def _refused(self, desk: Desk, setup: Sequence[Any], error: AeollmError) -> str:
        """Tell why there is nothing to do; first, if so, that the labels are of other questions."""
        name, chosen = self._labels(desk, setup[0], setup[1])
        if desk.reports is None or not desk.reports.by_key.keys().isdisjoint(chosen.labels.index):
            return notices.problems(error.problems)
        return notices.other_labels(name, error.problems)

    def _asks(self, desk: Desk | None, setup: Sequence[Any]) -> list[str]:
        if desk is None or desk.reports is None:
            return []
        try:
            return [ask.name for ask in self.task(desk, setup)[2].method.asks]
        except AeollmError:
            return []

    def left(self, request: gr.Request) -> None:
        """Stop asking for somebody whose connection broke."""
        desk = self._desks.get(str(request.session_hash))
        if desk is not None:
            desk.leave()

    def alive(self, request: gr.Request, desk: Desk | None, event: gr.EventData) -> list[Any]:
        """Take a page's sign of life; one that was loaded anew finds its work again."""
        page = sent(event, "page")
        if not isinstance(page, str) or len(page) != _TOKEN_LENGTH:
            return [gr.skip()] * 3
        if desk is not None:
            if not desk.closed:
                self._pages[page] = self.desk(desk, request)
            return [gr.skip()] * 3
        found = self._pages.get(page)
        if found is None or found.closed or found.job is None or found.account != signed_in(request):
            return [gr.skip()] * 3
        found.again = found.chosen
        return [self.desk(found, request), page, gr.update(selected="judge")]

    def loaded(self, desk: Desk | None) -> Any:  # noqa: ANN401  a word, or nothing
        """Give another word for work that was found again before the page was whole: it is then restored once more."""
        return gr.skip() if desk is None or not desk.again else f"loaded {time.monotonic()}"

    def found_again(self, desk: Desk | None, session: Session) -> list[Any]:
        """Give a page that was loaded anew what it held: session, labels chosen on the Score tab, recipe, fields."""
        if desk is None or not desk.again:
            return [gr.skip()] * _HELD
        name, recipe, *fields, _ = desk.again
        if desk.label_set is not None and name not in label_sets(session, self.score.catalogue.offer()):
            session = replace(session, own=(*session.own, (name, desk.label_set)))
        shown = gr.update(choices=[*bundled(), *desk.recipes], value=recipe)
        return [session, self.score.picker(session, name), *self.score.chosen(name, session), shown, *fields]

    def desk(self, desk: Desk | None, request: gr.Request) -> Desk:
        """Give the visitor's desk, a new one for the first time or where the old one was cleared."""
        if desk is None:
            desk = Desk()
        elif desk.closed:
            desk = self._cleared(desk)
        desk.come_back()
        self._desks[str(request.session_hash)] = desk
        return desk

    def _cleared(self, before: Desk) -> Desk:
        """Give a new desk in place of one whose page was away for too long: with the demo's reports, or none."""
        desk = Desk()
        if before.demo:
            self._take_demo(desk)
        else:
            message = "the page was away for too long, and its reports and replies are deleted."
            desk.problems = (Problem("error", "gone", message, "Hand the reports in again."),)
        return desk

    def _take_demo(self, desk: Desk) -> None:
        files = [(path, f"{path.parent.name}/{path.name}") for path in sorted(DEMO_REPORTS.glob("*/*.md"))]
        desk.reports, desk.problems, desk.demo = reports_of(files, desk.new_folder()), (), True

    def _take(self, desk: Desk, uploads: Sequence[Upload]) -> None:
        desk.reports, desk.problems, desk.demo = None, (), False
        try:
            files = uploaded_files(uploads)
            desk.remember(path for path, _ in files)
            layout = laid_out(files, desk.new_folder())
            desk.hand_replies(layout.replies)
            if layout.only_replies:
                self._take_demo(desk)
            else:
                desk.reports = layout.read()
        except AeollmError as error:
            desk.problems = error.problems

    def task(self, desk: Desk, setup: Sequence[Any], *, named: bool = False) -> tuple[Setup, Wanted, Task]:
        """Make the task of what is chosen; where models may be missing, under a name that stands for them."""
        if desk.reports is None:
            raise UsageError("judge", desk.problems or [Problem("error", "no_reports", "there are no reports.", "")])
        made, wanted = self._setup(desk, desk.reports, setup)
        try:
            return made, wanted, made.task(wanted)
        except AeollmError:
            if named:
                raise
            return made, wanted, made.task(wanted, named=False)

    def _refuse_unusable(self, desk: Desk, setup: Sequence[Any], recipes: Mapping[str, Chosen]) -> None:
        """Refuse a recipe whose prompts do not do for these reports; what else is wrong is told with the estimate."""
        if desk.reports is None:
            return
        made, wanted = self._setup(desk, desk.reports, setup)
        try:
            estimated(replace(made, recipes=recipes).task(wanted, named=False), Price())
        except AeollmError as error:
            if any(problem.kind == "prompt" for problem in error.problems):
                raise

    def _setup(self, desk: Desk, reports: Reports, setup: Sequence[Any]) -> tuple[Setup, Wanted]:
        """Put together what is chosen."""
        name, session, *fields = setup
        named, labels = self._labels(desk, name, session)
        return Setup(self.access, reports, labels, desk.recipes, desk.demo, named), Wanted(*fields)

    def _labels(self, desk: Desk, name: str, session: Session) -> tuple[str, LabelSet]:
        """Give the labels chosen on the Score tab, with their name; the demo's for the demo's reports."""
        if desk.demo:
            return DEMO, self.score.catalogue.demo
        offer = self.score.catalogue.offer()
        sets, whole = label_sets(session, offer), desk.parts.get(name, name)
        whole = whole if whole in sets else offer.default
        return whole, sets[whole]


def held(desk: Desk, setup: Sequence[Any]) -> tuple[Any, ...]:
    """Give what a page holds: the name of the labels, the fields, and which reports."""
    name, _, *fields = setup
    return (name, *fields, id(desk.reports))
