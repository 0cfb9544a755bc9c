"""Tables of a TOML file, read so that everything wrong with them is found at once."""

from __future__ import annotations

import contextlib
import difflib
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import TypeVar, cast

from aeollm.errors import Problem, printable

Choice = TypeVar("Choice", bound=str)
_DAY = datetime(2000, 1, 1, tzinfo=UTC)


class Table:
    """One table; what is read is checked, what is not read is reported by `finish`.

    ``where`` names the table in messages; ``problems`` is shared with the tables inside.
    """

    def __init__(self, content: Mapping[str, object], where: str, problems: list[Problem]) -> None:
        self._content = content
        self._where = where
        self._known: set[str] = set()
        self.problems = problems

    def _named(self, key: str) -> str:
        return f"{self._where}.{key}" if self._where else key

    def refuse(self, key: str, message: str, remedy: str, value: object = None) -> None:
        """Note a problem with a key."""
        shown = None if value is None else str(value)
        self.problems.append(
            Problem("error", "setting", f"{self._named(key)} {message}", remedy, column=key, value=shown)
        )

    def _get(self, key: str) -> object:
        self._known.add(key)
        return self._content.get(key)

    def tables(self, key: str) -> Iterator[tuple[str, Table]]:
        """Give the tables inside a table, by name."""
        found = self._get(key)
        if found is None:
            return
        if not isinstance(found, dict) or not all(isinstance(inner, dict) for inner in found.values()):
            self.refuse(key, "is no table of tables.", f"Write [{key}.NAME] sections.")
            return
        for name, inner in found.items():
            yield name, Table(inner, self._named(key) + "." + name, self.problems)

    def table(self, key: str) -> Table:
        """Give the table inside; an absent one is empty."""
        found = self._get(key)
        if found is not None and not isinstance(found, dict):
            self.refuse(key, "is no table.", f"Write a [{key}] section.")
        return Table(found if isinstance(found, dict) else {}, self._named(key), self.problems)

    def text(self, key: str, default: str | None = None) -> str:
        """Give a text; without a default it must be there."""
        found = self._get(key)
        if found is None and default is not None:
            return default
        if not isinstance(found, str) or not found.strip():
            self._wrong(key, found, "text between quotation marks")
            return default or ""
        return found.strip()

    def texts(self, key: str) -> tuple[str, ...]:
        """Give a list of texts, empty where absent."""
        found = self._get(key)
        if found is None:
            return ()
        if not isinstance(found, list) or not all(isinstance(item, str) and item.strip() for item in found):
            self._wrong(key, found, 'a list of texts, such as ["ann", "bob"]')
            return ()
        return tuple(item.strip() for item in found)

    def titles(self, key: str, default: str) -> dict[str, str]:
        """Give a text by language; a plain text is the English one."""
        found = self._get(key)
        if isinstance(found, dict) and "en" in found and all(isinstance(text, str) for text in found.values()):
            return dict(found)
        if found is not None and not isinstance(found, str):
            self._wrong(key, found, 'a text, or {en = "…", zh = "…"}')
        return {"en": found if isinstance(found, str) else default}

    def flag(self, key: str) -> bool:
        """Give true or false; absent is false."""
        found = self._get(key)
        if found is not None and not isinstance(found, bool):
            self._wrong(key, found, "true or false")
        return found is True

    def whole(self, key: str, default: int, bounds: tuple[int, int]) -> int:
        """Give a whole number within bounds."""
        found = self._get(key)
        if found is None:
            return default
        low, high = bounds
        if isinstance(found, bool) or not isinstance(found, int) or not low <= found <= high:
            self._wrong(key, found, f"a whole number from {low} to {high}")
            return default
        return found

    def choice(self, key: str, default: Choice, allowed: Sequence[Choice]) -> Choice:
        """Give one of the words allowed."""
        found = self._get(key)
        if found is None:
            return default
        if found not in allowed:
            self._wrong(key, found, " or ".join(f'"{word}"' for word in allowed))
            return default
        return cast("Choice", found)

    def moment(self, key: str, *, needed: bool = True) -> datetime | None:
        """Give a time in UTC; one without an offset could mean any, so that it is refused."""
        found = self._get(key)
        if found is None and not needed:
            return None
        if isinstance(found, datetime) and found.tzinfo is not None:
            with contextlib.suppress(OverflowError):  # in UTC before the year 1, or after 9999
                return found.astimezone(UTC)
        self._wrong(key, found, "a time with its offset, such as 2026-07-15T00:00:00Z")
        return _DAY if needed else None

    def _wrong(self, key: str, found: object, wanted: str) -> None:
        message = "is missing." if found is None else "cannot be used."
        self.refuse(key, message, f"Write {wanted}.", found)

    def finish(self) -> None:
        """Report keys that nothing reads: a misspelt setting would otherwise not act."""
        for key in self._content:
            if key not in self._known:
                near = difflib.get_close_matches(key, self._known, 1)
                known = f"Did you mean {near[0]}?" if near else f"Known are {', '.join(sorted(self._known))}."
                self.refuse(printable(key), "is no setting.", known)
