"""What the page's handlers accept: they are private, but the page's configuration tells how to call them all the same.

The kinds of values follow from the components that hand them in; what fits no kind is refused in words, before anything
is done with it, and without filling the log.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from html import escape
from typing import Any

import gradio as gr

from aeollm.errors import AeollmError

_LONGEST = 100_000
"""Characters of one value; a name of a run or of a view is far shorter."""
_MOST = 10_000
_REFUSED = "The page cannot use what it was sent. Reload it and try again."
_GONE = "A file that was handed in is no longer here. Drop it again."


def guarded(handler: Callable[..., Any], inputs: Sequence[gr.components.Component]) -> Callable[..., Any]:
    """Let a handler be called with values of its inputs' kinds only.

    Raises
    ------
    gr.Error
        From the handler given: for other values, for a mistake it tells of, and for an upload that is gone.
    """
    kinds = [_kind(component) for component in inputs]

    @wraps(handler)
    def call(*values: Any) -> Any:  # noqa: ANN401  whatever was sent
        if not all(fits(value) for fits, value in zip(kinds, values, strict=False)):
            raise gr.Error(_REFUSED, print_exception=False)
        try:
            return handler(*values)
        except AeollmError as error:
            raise gr.Error(escape(str(error)), print_exception=False) from None
        except FileNotFoundError as error:
            raise gr.Error(_GONE, print_exception=False) from error

    return call


def sent(event: gr.EventData, name: str) -> Any:  # noqa: ANN401  whatever was sent
    """Give what an event says under a name; None where it says nothing."""
    data = event._data
    return data.get(name) if isinstance(data, dict) else None


def _kind(component: gr.components.Component) -> Callable[[Any], bool]:
    """Give the test that a component's value has to pass."""
    match component:
        case gr.State():
            return lambda _: True  # kept here, never sent
        case gr.File() | gr.UploadButton():
            return _files if component.file_count == "multiple" else _file
        case gr.Dropdown() if component.multiselect:
            return _texts
        case gr.CheckboxGroup():
            return _texts
        case _:
            return _text


def _text(value: object) -> bool:
    return value is None or (isinstance(value, str) and len(value) <= _LONGEST)


def _texts(value: object) -> bool:
    return value is None or (isinstance(value, list) and len(value) <= _MOST and all(map(_text, value)))


def _file(value: object) -> bool:
    return value is None or isinstance(value, dict)


def _files(value: object) -> bool:
    return value is None or (isinstance(value, list) and len(value) <= _MOST and all(map(_file, value)))
