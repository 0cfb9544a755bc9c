"""Requests measured without being written: every text is counted once, and counts are added up."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import NamedTuple

from aeollm.judging.messages import Options, Request
from aeollm.judging.prompts import Data, Template
from aeollm.judging.tokens import A_MESSAGE, prompt_tokens, tokens_of

_KEPT = 1024
"""Texts whose counts are kept: those of one question's reports, which are shown together many times."""


@dataclass(frozen=True)
class Sized(Request):
    """A request without its messages: their estimated tokens, and ``filled``, a digest of what fills them.

    Two have one ``key`` where the requests that are written have, but it is not theirs.
    """

    tokens: int = 0
    filled: bytes = b""

    @property
    def digest(self) -> bytes:
        """Give a digest over all that can change the reply."""
        return hashlib.blake2b(_of_options(self.options, self.prompt) + self.filled, digest_size=16).digest()

    @cached_property
    def key(self) -> str:
        """Give the digest as text."""
        return self.digest.hex()

    def asked(self, options: Options) -> Sized:
        """Give the same under other options."""
        return replace(self, options=options)


class _Frame(NamedTuple):
    """One message of a template: letters and bytes outside of its slots, the slots, and those at its two ends."""

    letters: int
    octets: int
    slots: tuple[str, ...]
    ends: tuple[str, ...]


class Sizer:
    """Measures requests as they would be written."""

    def __init__(self) -> None:
        self._measured = lru_cache(_KEPT)(_measured)
        self._frames: dict[str, tuple[tuple[str, ...], list[_Frame]]] = {}

    def request(
        self, place: tuple[str, ...], template: Template, values: Mapping[str, str | Data], options: Options
    ) -> Sized:
        """Give a request of so many tokens.

        Raises
        ------
        JudgingError
            Where the template cannot be filled.
        """
        template.check(values)
        prompt = template.name_and_version
        if prompt not in self._frames:
            frames = [_frame(pieces) for _, pieces in template.parts if pieces != ("",)]
            self._frames[prompt] = (tuple(sorted(values)), frames)
        names, frames = self._frames[prompt]
        found = {name: self._measured(values[name]) for name in names}
        whole = b"".join([own[2] for own in found.values()])
        tokens = 0
        for frame in frames:
            for name in frame.ends:
                if _loose(values[name]):
                    return Sized(place, (), options, prompt, prompt_tokens(template.fill(values)), whole)
            letters, octets = frame.letters, frame.octets
            for name in frame.slots:
                own = found[name]
                letters += own[0]
                octets += own[1]
            tokens += tokens_of(letters, octets) + A_MESSAGE
        return Sized(place, (), options, prompt, tokens, whole)


def _frame(pieces: tuple[str, ...]) -> _Frame:
    texts, slots = pieces[::2], pieces[1::2]
    ends = (*slots[: not texts[0]], *slots[len(slots) - (not texts[-1]) :])
    return _Frame(sum(map(len, texts)), sum(len(text.encode("utf-8")) for text in texts), slots, ends)


def _loose(value: str | Data) -> bool:
    """Tell whether a message that begins or ends with it would lose blanks there; a fence has none."""
    return isinstance(value, str) and (not value or value[0].isspace() or value[-1].isspace())


def _measured(value: str | Data) -> tuple[int, int, bytes]:
    # Of a copy: what is kept holds no second text.
    text = value if isinstance(value, str) else Data(value.name, value.text).fenced
    content = text.encode("utf-8", "surrogatepass")
    return len(text), len(content), hashlib.blake2b(content, digest_size=16).digest()


@lru_cache(_KEPT)
def _of_options(options: Options, prompt: str) -> bytes:
    return hashlib.blake2b(repr((options, prompt)).encode("utf-8", "surrogatepass"), digest_size=16).digest()
