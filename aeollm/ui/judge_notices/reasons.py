"""Why there is no value, in words, and what can be done about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from aeollm.methods import Judged
from aeollm.reporting.html import Html, joined, text
from aeollm.ui.judge_notices.blocks import listed
from aeollm.ui.words import both, known, untranslated

STOPPED_BY_HAND = {"cancelled", "budget"}
"""Kinds of reasons that are no failure."""


def in_words(kind: str) -> Html:
    """Name a kind of reason."""
    key = f"j_kind_{kind}"
    return both(key) if known(key) else text(kind)


def counted(counts: Mapping[str, int]) -> Html:
    """Name every reason with how often it was one, the most frequent first; a single one is named alone."""
    ordered = Counter(counts).most_common()
    if len(ordered) == 1:
        return in_words(ordered[0][0])
    return listed([joined([in_words(kind), f" × {count:,}"]) for kind, count in ordered], ", ")


def detailed(kind: str, words: str) -> Html:
    """Name a reason, with what the engine says of it, which is English."""
    return in_words(kind) if words == kind else joined([in_words(kind), " – ", untranslated(words.rstrip("."))])


def reasons_of(judged: Judged) -> Counter[str]:
    """Count what is missing by its reason."""
    return Counter(lost.missing.kind for own in judged.collected for lost in own.lost)


def told_of(judged: Judged) -> tuple[str, str] | None:
    """Give kind and words of the reason that ended the work, else of the most frequent one."""
    if judged.stopped is not None:
        return judged.stopped.kind, judged.stopped.words
    for kind, _ in reasons_of(judged).most_common(1):
        words = (lost.missing.words for own in judged.collected for lost in own.lost if lost.missing.kind == kind)
        return kind, next(words)
    return None


def advice(kind: str, *, at_address: bool) -> Html | None:
    """Say what can be done about it, at an address or a provider; None where there is nothing to say."""
    own = f"j_do_{kind}_provider"
    key = own if known(own) and not at_address else f"j_do_{kind}"
    return both(key) if known(key) else None
