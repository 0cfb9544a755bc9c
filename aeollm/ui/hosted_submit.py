"""The page where a team hands in: checked at once, submitted on a button, with a receipt once it is stored."""

from __future__ import annotations

from typing import Any, NamedTuple

import gradio as gr

from aeollm.submissions.fields import LONGEST_DESCRIPTION, LONGEST_METHOD
from aeollm.ui import hosted_notices as told
from aeollm.ui.door import guarded
from aeollm.ui.hosted_calls import SubmitCalls
from aeollm.ui.hosted_live import QUIET
from aeollm.ui.words import say, say_phase

_SECONDS = 10.0
"""Between looks at a submission that is not stored yet."""
BUSY: dict[str, Any] = {**QUIET, "show_progress": "full"}


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
