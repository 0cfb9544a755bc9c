"""The fields of the Judge tab: model, where it is asked, key, options."""

from __future__ import annotations

from typing import Any

import gradio as gr

from aeollm.ui.judge_access import PROVIDERS, Access
from aeollm.ui.judge_setup import ADDRESS, PROVIDER, Wanted
from aeollm.ui.words import say

_PRIVATE: dict[str, Any] = {"api_visibility": "private", "preprocess": False}
_NUMBERS = (
    (
        ("concurrency", 1, 64, 0),
        ("attempts", 1, 10, 0),
        ("temperature", 0, 2, None),
        ("seed", None, None, 0),
        ("timeout", 1, 36_000, 0),
    ),
    (
        ("price_in", 0, None, None),
        ("price_out", 0, None, None),
        ("most_calls", 0, None, 0),
        ("most_money", 0, None, None),
    ),
)


def fields_of(access: Access) -> tuple[list[Any], gr.Textbox | None]:
    """Lay out the fields, in the order of `Wanted`; the key is none of them."""
    with gr.Row(elem_id="j-where"):
        models = gr.Textbox(
            label=say("j_models"), placeholder="Qwen/Qwen3-32B", max_lines=1, elem_id="j-models", scale=2
        )
        place, token = _here() if access.local else (_hosted(), None)
    missing = gr.Checkbox(value=False, label=say("j_partial"), elem_id="j-partial", container=False)
    with gr.Accordion(say("j_options"), open=False, elem_id="j-options"):
        numbers = [_numbers(own) for own in _NUMBERS]
    return [models, *place, missing, *numbers[0], *numbers[1]], token


def _here() -> tuple[list[Any], gr.Textbox]:
    """Let the machine's own user name any address, or a provider."""
    where = [(say("j_address"), ADDRESS), (say("j_provider"), PROVIDER)]
    place = gr.Radio(where, value=ADDRESS, label=say("j_ask_at"), elem_id="j-place", min_width=330)
    hint = "http://127.0.0.1:8000/v1"
    address = gr.Textbox(label=say("j_base_url"), placeholder=hint, max_lines=1, elem_id="j-address", min_width=260)
    provider = _provider(visible=False)
    token = gr.Textbox(label=say("j_key"), type="password", max_lines=1, elem_id="j-key", min_width=260)
    place.input(_shown_place, [place], [address, provider], concurrency_limit=None, **_PRIVATE)
    return [place, address, provider], token


def _hosted() -> list[Any]:
    """Let a visitor name a provider; where is a constant of the server's, and checked again all the same."""
    provider = _provider(visible=True)
    gr.LoginButton(elem_id="j-login", scale=0, min_width=220)
    return [gr.State(PROVIDER), gr.State(""), provider]


def _provider(*, visible: bool) -> gr.Dropdown:
    label = say("j_provider")
    return gr.Dropdown(list(PROVIDERS), value="auto", label=label, elem_id="j-provider", visible=visible)


def _shown_place(place: str) -> list[Any]:
    return [gr.update(visible=place == ADDRESS), gr.update(visible=place == PROVIDER)]


def _numbers(fields: tuple[tuple[str, float | None, float | None, int | None], ...]) -> list[gr.Number]:
    """Lay out a row of number fields: name, least, most, decimals."""
    with gr.Row():
        return [
            gr.Number(
                getattr(Wanted(), name),
                label=say(f"j_{name}"),
                minimum=least,
                maximum=most,
                precision=precision,
                elem_id=f"j-{name.replace('_', '-')}",
                min_width=130,
            )
            for name, least, most, precision in fields
        ]
