"""Whether replies have room: where the first ones are all cut, others would be paid for just as much in vain."""

from __future__ import annotations

from collections import Counter

from aeollm.judging.messages import Missing, Options, Reply
from aeollm.judging.reading.visible import in_thought

FIRST = 6
"""Requests whose replies are all cut before nothing more is asked."""
CUTS = 2
"""Cut replies after which a request is not asked again.

The second one has another seed and a temperature of .5 or more, which ends what went round in circles at 0; a third
would differ by its seed alone.
"""


class Room:
    """What is known of replies' room, by the model asked and the most tokens it may write."""

    def __init__(self) -> None:
        self._cut = Counter[tuple[str, int]]()
        self._enough: set[tuple[str, int]] = set()
        self._thinks: set[tuple[str, int]] = set()

    def had(self, options: Options) -> None:
        """Note a reply that came to its end, or to its answer."""
        self._enough.add((options.model, options.max_tokens))

    def lacked(self, options: Options, reply: Reply) -> None:
        """Note a request whose reply was cut before its answer."""
        size = (options.model, options.max_tokens)
        self._cut[size] += 1
        if in_thought(reply):
            self._thinks.add(size)

    def futile(self, options: Options) -> Missing | None:
        """Give why not to ask: the first replies were all cut, and none has ever had room."""
        size = (options.model, options.max_tokens)
        if size in self._enough or self._cut[size] < FIRST:
            return None
        words = f"the first {FIRST} calls to {options.model} were all cut at {options.max_tokens} tokens"
        if size in self._thinks:
            return Missing("no_room_to_think", f"{words}, in the middle of its thoughts")
        return Missing("no_room", f"{words}, before an answer")
