"""The interface's labels in English and Chinese.

Two ways, since gradio translates a component's labels and choices, but nothing inside of HTML: `say` for the first,
`both` for the second, which holds both languages and lets the style sheet show the one of the document. Headings of
gradio's tables are neither; `heading_styles` puts the Chinese over them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import gradio as gr

from aeollm.figures import view_title
from aeollm.reporting.html import Html, text
from aeollm.reporting.words import LANGUAGES, VIEWS, both, in_words, known, language_in_words, spans, words
from aeollm.tables import MEASURES

__all__ = [
    "LANGUAGES",
    "both",
    "both_language",
    "both_view",
    "english",
    "heading_styles",
    "known",
    "say",
    "say_measures",
    "say_phase",
    "say_view",
    "spans",
    "translations",
    "untranslated",
]

# gradio also replaces a component's value that happens to be a key, such as the measure "kendall".
_PREFIX = "word_"
# What gradio 6.31 names a button by, without having words for it.
_MISSING = {"common.upload": {"en": "Add files", "zh": "添加文件"}}


def say(key: str) -> str:
    """Give what gradio shows in the visitor's language: for labels, choices, placeholders, tabs, buttons.

    Raises
    ------
    KeyError
        If the words have no such key.
    """
    if not known(key):
        raise KeyError(key)
    return str(gr.I18n()(_PREFIX + key))


def say_view(view: str) -> str:
    """Give a view's title for gradio's choices: the official ones in both languages, others as they are called."""
    return say(view) if view in VIEWS else view_title(view)


def say_phase(phase: str) -> str:
    """Give the title of a hosted evaluation's phase for gradio's choices; `translations` has to know it."""
    return str(gr.I18n()(f"{_PREFIX}phase_{phase}"))


def say_measures() -> list[tuple[str, str]]:
    """Give the measures as choices: what is shown, and the official name."""
    return [(say(f"{measure}_long"), measure) for measure in MEASURES]


def both_view(view: str) -> Html:
    """Give a view's title for HTML."""
    return in_words(both, view)


def both_language(name: str) -> Html:
    """Give a language's name for HTML."""
    return language_in_words(both, name)


def untranslated(content: str) -> Html:
    """Mark what is told in English alone, for those who have it read aloud."""
    return Html(f'<span lang="en">{text(content)}</span>')


def english(key: str) -> str:
    """Give a word in English, for figures, files and names that assistive tools read."""
    return str(words()[key]["en"])


def heading_styles(ids: Iterable[str], headings: Mapping[str, str]) -> str:
    """Write the style that puts the Chinese over a gradio table's English headings, which gradio cannot translate.

    Parameters
    ----------
    ids : elements with such tables.
    headings : English heading -> key of the words.
    """
    within = ", ".join(f"#{name}" for name in ids)
    rules = []
    for heading, key in headings.items():
        place = f':lang(zh) :is({within}) th[title="{heading}"] .header'
        # The English stays for the eyes of nobody: its letters have no size.
        over = f'{place}::after {{ font-size: .875rem; content: "{words()[key]["zh"]}"; }}'
        rules.append(f"{place} {{ font-size: 0; }} {over}")
    return "\n".join(rules)


def translations(phases: Mapping[str, Mapping[str, str]] | None = None) -> gr.I18n:
    """Give what `gr.Blocks.launch` needs as ``i18n`` for `say` to work.

    Parameters
    ----------
    phases : titles of a hosted evaluation's phases by id and language, for `say_phase`.
    """
    by_language = {tag: {_PREFIX + key: told[tag] for key, told in words().items()} for tag in LANGUAGES}
    for tag, there in by_language.items():
        there |= {key: told[tag] for key, told in _MISSING.items()}
        there |= {f"{_PREFIX}phase_{name}": title.get(tag, title["en"]) for name, title in (phases or {}).items()}
    return gr.I18n(**by_language)


def in_each(key: str) -> Mapping[str, str]:
    """Give a word by language, for what can hold one language at a time."""
    return words()[key]
