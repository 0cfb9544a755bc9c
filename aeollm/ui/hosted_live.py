"""The page of the live leaderboard: it follows the store without a restart."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import gradio as gr

from aeollm.errors import HostingError
from aeollm.reporting.html import joined
from aeollm.submissions import Host
from aeollm.tables import MEASURES
from aeollm.ui.door import guarded
from aeollm.ui.hosted_board import live_board, seen
from aeollm.ui.hosted_notices import phase_facts, store_trouble, trouble
from aeollm.ui.words import say, say_measures, say_phase

_SECONDS = 20.0
"""Between looks at the store."""
QUIET: dict[str, Any] = {
    "api_visibility": "private",
    "preprocess": False,
    "show_progress": "hidden",
    "concurrency_id": "scoring",
}


class LiveCalls:
    """What the page's events call."""

    def __init__(self, host: Host) -> None:
        self.host = host

    def opened(self, request: gr.Request) -> list[Any]:
        """Fill a page that has just been opened, as its address asks: phase, measure."""
        asked = dict(request.query_params)
        known = [phase.id for phase in self.host.phases]
        phase = asked.get("phase") if asked.get("phase") in known else self.host.current_phase().id
        measure = asked.get("measure") if asked.get("measure") in MEASURES else MEASURES[0]
        return [gr.update(value=phase), gr.update(value=measure), *self.shown(phase, measure)]

    def shown(self, phase: str | None, measure: str | None) -> list[Any]:
        """Show a phase's leaderboard as the store has it now.

        Raises
        ------
        UsageError
            If there is no such phase.
        """
        chosen = self.host.phase(phase or "")
        facts = phase_facts(self.host, chosen)
        try:
            board = self.host.board(chosen.id)
        except HostingError as error:
            return [facts, trouble(error, "h_away"), "", ""]
        drawn = live_board(board, measure if measure in MEASURES else MEASURES[0])
        told = joined([seen(board, self.host.now()), store_trouble(self.host)])
        return [facts, drawn, told, _digest(facts, drawn)]

    def looked(self, phase: str | None, measure: str | None, shown: str) -> list[Any]:
        """Look again; what is the same stays as it is, unfolded where it was."""
        facts, drawn, told, digest = self.shown(phase, measure)
        if digest and digest == shown:
            return [gr.skip(), gr.skip(), told, digest]
        return [facts, drawn, told, digest]


def _digest(*parts: str) -> str:
    return sha256(joined(parts).encode()).hexdigest()


def build(app: gr.Blocks, host: Host) -> None:
    """Lay out the leaderboard with its choices, and wire its events."""
    calls = LiveCalls(host)
    with gr.Row(elem_id="v-choices"):
        phases = [(say_phase(phase.id), phase.id) for phase in host.phases]
        phase = gr.Radio(phases, value=phases[0][1], label=say("h_phase"), elem_id="v-phase", min_width=220)
        measure = gr.Radio(say_measures(), value=MEASURES[0], label=say("measure"), elem_id="v-measure", min_width=300)
        again = gr.Button(say("h_refresh"), size="sm", scale=0, min_width=120, elem_id="v-refresh")
    facts = gr.HTML(elem_id="v-facts")
    told = gr.HTML(elem_id="v-seen")
    board = gr.HTML(elem_id="v-board")
    shown = gr.State("")
    timer = gr.Timer(_SECONDS)
    looked, seen_now = [phase, measure], [facts, board, told, shown]
    app.load(calls.opened, None, [*looked, *seen_now], **QUIET)
    chosen = [phase.input, measure.input, again.click]
    gr.on(chosen, guarded(calls.shown, looked), looked, seen_now, trigger_mode="always_last", **QUIET)
    kept = [*looked, shown]
    timer.tick(guarded(calls.looked, kept), kept, seen_now, **QUIET)
