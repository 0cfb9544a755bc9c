"""The page where a team hands in: checked at once, submitted on a button, with a receipt once it is stored."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import gradio as gr

from aeollm.errors import AeollmError, HostingError
from aeollm.reporting.html import Html, joined
from aeollm.submissions import Draft, Host, OwnSubmission, Receipt, split_file_name
from aeollm.submissions.fields import LONGEST_DESCRIPTION, LONGEST_METHOD
from aeollm.ui import hosted_notices as told
from aeollm.ui.door import guarded
from aeollm.ui.hosted_live import QUIET
from aeollm.ui.notices import checked
from aeollm.ui.uploads import Upload, named_files
from aeollm.ui.words import say, say_phase

_SECONDS = 10.0
"""Between looks at a submission that is not stored yet."""
BUSY: dict[str, Any] = {**QUIET, "show_progress": "full"}


class SubmitCalls:
    """What the page's events call; who asks is found out from each request."""

    def __init__(self, host: Host, account: Callable[[gr.Request], str | None], *, sign_in: bool = False) -> None:
        self.host = host
        self.account = account
        self.sign_in = sign_in

    def button(self, request: gr.Request) -> str:
        """Give what the sign-in button says; its script goes by the first of the two."""
        account = self.account(request)
        return "Sign in with Hugging Face" if account is None else f"Logout ({account})"

    def opened(self, request: gr.Request) -> list[Any]:
        """Fill a page that has just been opened."""
        account = self.account(request)
        teams, phase = self.host.teams_of(account), self.host.current_phase().id
        choices = [(team.name, team.id) for team in teams]
        team = next((team.id for team in teams if not team.baseline), teams[0].id if teams else None)
        return [
            gr.update(value=phase),
            told.who(self.host, account, teams, sign_in=self.sign_in),
            gr.update(choices=choices, value=team, visible=bool(teams)),
            gr.update(interactive=bool(teams)),
            *self.looked(phase, team, request),
        ]

    def looked(self, phase: str | None, team: str | None, request: gr.Request) -> list[Any]:
        """Show a phase, what a team has left in it, and the team's submissions."""
        return [told.phase_facts(self.host, self.host.phase(phase or "")), *self.standing(phase, team, request)]

    def standing(self, phase: str | None, team: str | None, request: gr.Request) -> list[Any]:
        """Show what a team has left and has submitted; look again while something is not stored yet."""
        account = self.account(request)
        known = next((own for own in self.host.teams_of(account) if own.id == team), None)
        if known is None:
            return [Html(""), Html(""), gr.update(active=False)]
        try:
            left = joined(
                [told.quota(known, self.host.allowance(known.id, phase or "")), told.store_trouble(self.host)]
            )
            found = self.host.own(account, known.id)
        except HostingError as error:
            return [Html(""), told.trouble(error, "h_away"), gr.update(active=False)]
        listed = told.own_list(known, found, self._receipts(account, found), self.host.phases)
        return [left, listed, gr.update(active=any(own.state == "received" for own in found))]

    def _receipts(self, account: str | None, found: list[OwnSubmission]) -> dict[str, Receipt]:
        stored = [own.submission.id for own in found if own.state == "stored"]
        return {known: self.host.receipt(account, known) for known in stored}

    def checked(self, upload: Upload | None, phase: str | None, method: str | None, filled: str) -> list[Any]:
        """Say at once what a file is like, and take the method from its name where nobody wrote one.

        What became of the file before stays until there is another one. ``filled`` is the method that the file
        before gave.
        """
        if upload is None:
            return [told.hint("h_checking"), gr.skip(), gr.skip(), filled]
        try:
            content, name = _read(upload)
            report = checked(self.host.check(content, name, phase or ""))
        except AeollmError as error:
            return [told.trouble(error, "h_not_checked"), gr.skip(), "", filled]
        written = (method or "").strip()
        if written and written != filled:
            return [report, gr.skip(), "", ""]
        named = split_file_name(name).method or ""
        return [report, named, "", named]

    def submitted(  # noqa: PLR0913, PLR0917  as many as the form has fields
        self,
        upload: Upload | None,
        phase: str | None,
        team: str | None,
        method: str | None,
        description: str | None,
        request: gr.Request,
    ) -> list[Any]:
        """Submit; what was not taken stays in the form."""
        if upload is None:
            return [told.hint("h_no_file"), *[gr.skip()] * 4, *self.standing(phase, team, request)]
        account = self.account(request)
        try:
            content, name = _read(upload)
            draft = Draft(phase or "", team or "", account, name, content, method or "", description or "")
            done = self.host.submit(draft)
        except AeollmError as error:
            # What is wrong with the file stands there already; once is enough.
            of_file = any(problem.line is not None or problem.question is not None for problem in error.problems)
            kept = [gr.skip(), Html("") if of_file else gr.skip(), gr.skip(), gr.skip()]
            return [told.trouble(error, "h_not_submitted"), *kept, *self.standing(phase, team, request)]
        [known] = [own for own in self.host.teams_of(account) if own.id == team]
        empty = [None, told.hint("h_checking"), "", ""]
        return [told.outcome(done, known), *empty, *self.standing(phase, team, request)]


def _read(upload: Upload) -> tuple[bytes, str]:
    """Give content and name of an upload."""
    [(path, name)] = named_files([upload])
    return path.read_bytes(), name


class Form(NamedTuple):
    """What is filled in."""

    file: gr.File
    phase: gr.Radio
    team: gr.Dropdown
    method: gr.Textbox
    description: gr.Textbox


class Standing(NamedTuple):
    """How a team stands."""

    quota: gr.HTML
    own: gr.HTML
    timer: gr.Timer


def build(app: gr.Blocks, calls: SubmitCalls) -> None:
    """Lay the page out and wire its events."""
    phases = [(say_phase(phase.id), phase.id) for phase in calls.host.phases]
    phase = gr.Radio(phases, value=phases[0][1], label=say("h_phase"), elem_id="h-phase")
    facts = gr.HTML(elem_id="h-facts")
    if calls.sign_in:
        button = gr.LoginButton(elem_id="h-login", size="sm")
        # Its own event would be a public endpoint, on whichever page is laid out last.
        button.load_event_to_attach = None
        app.load(calls.button, None, button, **QUIET)
    who = gr.HTML(elem_id="h-who")
    with gr.Row(elem_id="h-team-row", equal_height=True):
        team = gr.Dropdown([], label=say("h_team"), elem_id="h-team", visible=False, min_width=220, scale=0)
        left = gr.HTML(elem_id="h-quota")
    file = gr.File(label=say("h_drop"), file_count="single", height=130, elem_id="h-file")
    report = gr.HTML(told.hint("h_checking"), elem_id="h-report")
    with gr.Row(elem_id="h-texts"):
        method = _text("h_method", "h-method", 1, LONGEST_METHOD)
        description = _text("h_description", "h-description", 2, LONGEST_DESCRIPTION)
    send = gr.Button(say("h_send"), variant="primary", elem_id="h-send", interactive=False)
    outcome = gr.HTML(elem_id="h-outcome")
    standing = Standing(left, gr.HTML(elem_id="h-own"), gr.Timer(_SECONDS, active=False))
    app.load(calls.opened, None, [phase, who, team, send, facts, *standing], **QUIET)
    form = Form(file, phase, team, method, description)
    _wire(calls, form, send, (facts, report, outcome), standing)


def _text(key: str, elem_id: str, lines: int, longest: int) -> gr.Textbox:
    return gr.Textbox(
        label=say(key), info=say(f"{key}_info"), lines=lines, max_length=longest, elem_id=elem_id, min_width=300
    )


def _wire(
    calls: SubmitCalls, form: Form, send: gr.Button, shown: tuple[gr.HTML, gr.HTML, gr.HTML], standing: Standing
) -> None:
    facts, report, outcome = shown
    filled = gr.State("")
    asked, handed = [form.phase, form.team], [form.file, form.phase, form.method, filled]
    looked = guarded(calls.looked, asked)
    gr.on([form.phase.input, form.team.input], looked, asked, [facts, *standing], trigger_mode="always_last", **QUIET)
    checks = [form.file.change, form.phase.input]
    gr.on(checks, guarded(calls.checked, handed), handed, [report, form.method, outcome, filled], **BUSY)
    emptied = [outcome, form.file, report, form.method, form.description]
    send.click(guarded(calls.submitted, form), list(form), [*emptied, *standing], trigger_mode="once", **BUSY)
    standing.timer.tick(guarded(calls.standing, asked), asked, list(standing), **QUIET)
