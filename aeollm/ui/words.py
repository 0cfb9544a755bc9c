"""The interface's labels in English and Chinese, from ``assets/words.toml``.

Two ways, since gradio translates a component's labels and choices, but nothing inside of HTML: `say` for the first,
`both` for the second, which holds both languages and lets the style sheet show the one of the document.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from html import escape

import gradio as gr

from aeollm.sources import ASSETS

LANGUAGES = ("en", "zh")
# gradio also replaces a component's value that happens to be a key, such as the measure "kendall".
_PREFIX = "word_"
# What gradio 6.31 names a button by, without having words for it.
_MISSING = {"common.upload": {"en": "Add files", "zh": "添加文件"}}


@cache
def _words() -> Mapping[str, Mapping[str, str]]:
    return tomllib.loads((ASSETS / "words.toml").read_text(encoding="utf-8"))


def say(key: str) -> str:
    """Give what gradio shows in the visitor's language: for labels, choices, placeholders, tabs, buttons.

    Raises
    ------
    KeyError
        If the words have no such key.
    """
    if key not in _words():
        raise KeyError(key)
    return str(gr.I18n()(_PREFIX + key))


def both(key: str) -> str:
    """Give a word for HTML, in both languages.

    Raises
    ------
    KeyError
        If the words have no such key.
    """
    return spans(_words()[key])


def spans(words: Mapping[str, str]) -> str:
    """Write the same in both languages, of which the style sheet shows one."""
    return "".join(f'<span class="ae-{tag}" lang="{tag}">{escape(words[tag])}</span>' for tag in LANGUAGES)


def english(key: str) -> str:
    """Give a word in English, for figures, files and names that assistive tools read."""
    return str(_words()[key]["en"])


def known(key: str) -> bool:
    """Tell whether there is such a word."""
    return key in _words()


def translations() -> gr.I18n:
    """Give what `gr.Blocks.launch` needs as ``i18n`` for `say` to work."""
    by_language = {tag: {_PREFIX + key: words[tag] for key, words in _words().items()} for tag in LANGUAGES}
    for tag, words in by_language.items():
        words |= {key: told[tag] for key, told in _MISSING.items()}
    return gr.I18n(**by_language)


def in_each(key: str) -> Mapping[str, str]:
    """Give a word by language, for what can hold one language at a time."""
    return _words()[key]
