"""What the Submit page's events call: plain values in, component values out; each request tells who asks."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import gradio as gr

from aeollm.errors import AeollmError, HostingError
from aeollm.reporting.html import Html, joined
from aeollm.submissions import Draft, Host, OwnSubmission, Receipt, split_file_name
from aeollm.ui import hosted_notices as told
from aeollm.ui.identity import Identify
from aeollm.ui.notices import checked
from aeollm.ui.uploads import Upload, named_files


class SubmitCalls:
    """What the page's events call.

    Parameters
    ----------
    host : the evaluation.
    account : gives the account of a request, None for nobody.
    sign_in : whether one can sign in here.
    """

    def __init__(self, host: Host, account: Identify, *, sign_in: bool = False) -> None:
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

    def _not_submitted(self, error: AeollmError, draft: Draft) -> list[Any]:
        """Say why, keep what is filled in, and take away what says the same of the file."""
        of_file = any(problem.line is not None or problem.question is not None for problem in error.problems)
        again = any(problem.kind == "identical_file" for problem in error.problems)
        said = joined([told.trouble(error, "h_not_submitted"), self._earlier(draft) if again else ""])
        return [said, gr.skip(), Html("") if of_file else gr.skip(), gr.skip(), gr.skip()]

    def _earlier(self, draft: Draft) -> Html:
        """Offer the receipt of the same file where it was submitted already; a double click ends here, too."""
        digest = sha256(draft.content).hexdigest()
        for own in self.host.own(draft.account, draft.team):
            known = own.submission
            if own.state == "stored" and (known.phase, known.digest) == (draft.phase, digest):
                return told.receipt_link(self.host.receipt(draft.account, known.id))
        return Html("")

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
            # After a double click the second finds the form empty: what became of the first stays.
            return [
                gr.skip(),
                gr.skip(),
                told.hint("h_no_file"),
                *[gr.skip()] * 2,
                *self.standing(phase, team, request),
            ]
        account = self.account(request)
        try:
            content, name = _read(upload)
            draft = Draft(phase or "", team or "", account, name, content, method or "", description or "")
        except AeollmError as error:
            return [told.trouble(error, "h_not_submitted"), *[gr.skip()] * 4, *self.standing(phase, team, request)]
        try:
            done = self.host.submit(draft)
        except AeollmError as error:
            return [*self._not_submitted(error, draft), *self.standing(phase, team, request)]
        [known] = [own for own in self.host.teams_of(account) if own.id == team]
        empty = [None, told.hint("h_checking"), "", ""]
        return [told.outcome(done, known), *empty, *self.standing(phase, team, request)]


def _read(upload: Upload) -> tuple[bytes, str]:
    """Give content and name of an upload."""
    [(path, name)] = named_files([upload])
    return path.read_bytes(), name
