"""What the page's handlers accept: they are private, but the page's configuration tells how to call them all the same.

The kinds of values follow from the components that hand them in; what fits no kind is refused in words, before anything
is done with it, and without filling the log.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from html import escape
from types import UnionType
from typing import Any

import gradio as gr

from aeollm.errors import AeollmError

_LONGEST = 100_000
"""Characters of one value; a name of a run or of a view is far shorter."""
_MOST = 10_000
_LARGEST = 1e15
_ADDED = ("gr.Request", "gr.EventData", "gr.OAuthProfile", "gr.OAuthToken")
_REFUSED = "The page cannot use what it was sent. Reload it and try again."
_GONE = "A file that was handed in is no longer here. Drop it again."


def guard_handlers(app: gr.Blocks) -> None:
    """Guard every private handler of a page that is laid out, those of tabs to come among them."""
    for event in app.fns.values():
        if event.fn is not None and event.api_visibility == "private" and not hasattr(event.fn, "guards"):
            event.fn = guarded(event.fn, event.inputs)


def guarded(handler: Callable[..., Any], inputs: Sequence[Any]) -> Callable[..., Any]:
    """Let a handler be called with values of its inputs' kinds only.

    Raises
    ------
    gr.Error
        From the handler given: for other values, for a mistake it tells of, and for an upload that is gone.
    """
    kinds = [_kind(component) for component in inputs]
    added = _added(handler)

    @contextmanager
    def guard(values: Sequence[Any]) -> Iterator[None]:
        handed = [value for place, value in enumerate(values) if place not in added]
        if not all(fits(value) for fits, value in zip(kinds, handed, strict=False)):
            raise gr.Error(_REFUSED, print_exception=False)
        try:
            yield
        except AeollmError as error:
            raise gr.Error(escape(str(error)), print_exception=False) from None
        except FileNotFoundError as error:
            raise gr.Error(_GONE, print_exception=False) from error

    @wraps(handler)
    def call(*values: Any) -> Any:  # noqa: ANN401  whatever was sent
        with guard(values):
            return handler(*values)

    @wraps(handler)
    def steps(*values: Any) -> Iterator[Any]:  # noqa: ANN401  as above
        with guard(values):
            yield from handler(*values)

    # gradio asks the function itself whether it is one of many answers.
    door = steps if inspect.isgeneratorfunction(handler) else call
    vars(door)["guards"] = handler
    return door


def sent(event: gr.EventData, name: str) -> Any:  # noqa: ANN401  whatever was sent
    """Give what an event says under a name; None where it says nothing."""
    data = event._data
    return data.get(name) if isinstance(data, dict) else None


def _added(handler: Callable[..., Any]) -> set[int]:
    """Find the places of what gradio itself adds to a handler's values: who asks, what happened."""
    parameters = inspect.signature(handler).parameters.values()
    return {place for place, own in enumerate(parameters) if any(name in str(own.annotation) for name in _ADDED)}


def _kind(component: gr.components.Component) -> Callable[[Any], bool]:
    """Give the test that a component's value has to pass."""
    if isinstance(component, gr.File | gr.UploadButton):
        return _files if component.file_count == "multiple" else _file
    if isinstance(component, gr.Dropdown) and component.multiselect:
        return _texts
    return next((fits for kinds, fits in _KINDS if isinstance(component, kinds)), _text)


def _text(value: object) -> bool:
    return value is None or (isinstance(value, str) and len(value) <= _LONGEST)


def _number(value: object) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _LARGEST)


def _switch(value: object) -> bool:
    return value is None or isinstance(value, bool)


def _texts(value: object) -> bool:
    return value is None or (isinstance(value, list) and len(value) <= _MOST and all(map(_text, value)))


def _file(value: object) -> bool:
    return value is None or isinstance(value, dict)


def _files(value: object) -> bool:
    return value is None or (isinstance(value, list) and len(value) <= _MOST and all(map(_file, value)))


_KINDS: tuple[tuple[type | UnionType, Callable[[object], bool]], ...] = (
    (gr.State, lambda _: True),  # kept here, never sent
    (gr.CheckboxGroup, _texts),
    (gr.Number | gr.Slider | gr.Timer, _number),
    (gr.Checkbox, _switch),
)
