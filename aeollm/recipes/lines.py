"""Where in a recipe's text a key stands."""

from __future__ import annotations

import re

_TABLE = re.compile(r"\s*\[")
"""What starts a table in TOML; in a list over several lines nothing is looked for behind it."""


class Lines:
    """Where in the text a key stands, as far as that can be told without a TOML parser that says so.

    ``table`` names the entries, ``[[step]]`` in a recipe.
    """

    def __init__(self, text: str, table: str = "step") -> None:
        self.lines = text.split("\n")
        header = re.compile(rf"\s*\[\[\s*{table}\s*\]\]")
        self.steps = [number for number, line in enumerate(self.lines) if header.match(line)]

    def of(self, key: str, step: int | None = None) -> int | None:
        """Give the line of a key, counted from 1; of its step where the key is not found."""
        start, end = 0, self.steps[0] if self.steps else len(self.lines)
        if step is not None:
            if step >= len(self.steps):
                return None
            start = self.steps[step]
            after = (number for number in range(start + 1, len(self.lines)) if _TABLE.match(self.lines[number]))
            end = next(after, len(self.lines))
        wanted = re.compile(rf"""\s*["']?{re.escape(key)}["']?\s*=""")
        found = next((number for number in range(start, end) if wanted.match(self.lines[number])), None)
        if found is not None:
            return found + 1
        return start + 1 if step is not None else None
