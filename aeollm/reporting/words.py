"""Fixed words in English and Chinese, from ``assets/words.toml``: the report takes the English, the page both."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from html import escape

from aeollm.figures import view_title
from aeollm.reporting.html import Html, text
from aeollm.sources import ASSETS
from aeollm.tables import DIMENSIONS, OVERALL

LANGUAGES = ("en", "zh")
VIEWS = (OVERALL, *DIMENSIONS)
"""Views whose names are words; others are called as their labels call them."""
Say = Callable[..., Html]
"""Gives the words of a key, with values for what is in braces: `told` in English, `both` in both languages."""


@cache
def words() -> Mapping[str, Mapping[str, str]]:
    """Read the words: key -> language -> text."""
    return tomllib.loads((ASSETS / "words.toml").read_text(encoding="utf-8"))


def known(key: str) -> bool:
    """Tell whether there is such a word."""
    return key in words()


def told(key: str, **values: object) -> Html:
    """Give a word or a sentence for HTML, in English; the parameters are those of `both`.

    Raises
    ------
    KeyError
        If the words have no such key.
    """
    return _filled(_counted(key, values)["en"], values)


def both(key: str, **values: object) -> Html:
    """Give a word or a sentence for HTML, in both languages, of which the style sheet shows one.

    Parameters
    ----------
    key : of the words; where ``n`` is 1 and there is ``<key>_one``, that one.
    **values : what stands for ``{name}`` in it; texts are escaped, `Html` stays.

    Raises
    ------
    KeyError
        If the words have no such key.
    """
    return spans(_counted(key, values), **values)


def spans(words: Mapping[str, str], **values: object) -> Html:
    """Write the same in both languages, of which the style sheet shows one."""
    return Html(
        "".join(f'<span class="ae-{tag}" lang="{tag}">{_filled(words[tag], values)}</span>' for tag in LANGUAGES)
    )


def in_words(say: Say, view: str) -> Html:
    """Give a view's title."""
    return say(view) if view in VIEWS else text(view_title(view))


def language_in_words(say: Say, name: str) -> Html:
    """Give the name of a language, as `question_language` calls it."""
    return say(name.lower()) if known(name.lower()) else text(name)


def _counted(key: str, values: Mapping[str, object]) -> Mapping[str, str]:
    return words()[f"{key}_one" if values.get("n") == 1 and known(f"{key}_one") else key]


def _filled(template: str, values: Mapping[str, object]) -> Html:
    shown = {name: text(value if isinstance(value, str) else f"{value:,}") for name, value in values.items()}
    return Html(escape(template, quote=False).format_map(shown) if shown else escape(template))
