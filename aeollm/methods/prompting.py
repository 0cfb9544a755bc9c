"""The prompt templates of a method: a user's own beside the recipe, else the bundled ones."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from aeollm.errors import JudgingError, Problem, printable
from aeollm.judging.prompts import PROMPTS, Template, parse_template, read_template


@dataclass
class Prompts:
    """Gives templates by name and language, each read once; ``made`` holds those that this run has made itself."""

    folder: Path | None = None
    made: dict[tuple[str, str], str] = field(default_factory=dict)
    _read: dict[tuple[str, str], Template] = field(default_factory=dict)

    def template(self, name: str, language: str) -> Template:
        """Give one.

        Raises
        ------
        JudgingError
            If there is none, or it cannot be read.
        """
        key = (name, language)
        if key not in self._read:
            if key in self.made:
                self._read[key] = parse_template(self.made[key], name, language)
            elif (own := self._own(name, language)) is not None:
                self._read[key] = read_template(name, language, own.parent)
            else:
                self._read[key] = self._bundled(name, language)
        return self._read[key]

    def _own(self, name: str, language: str) -> Path | None:
        """Give the file beside the recipe, where there is one."""
        own = None if self.folder is None else self.folder / f"{name}.{language}.md"
        return own if own is not None and own.is_file() else None

    def _bundled(self, name: str, language: str) -> Template:
        if not (PROMPTS / f"{name}.{language}.md").is_file():
            beside = f"neither in {printable(str(self.folder))} nor" if self.folder is not None else "not"
            message = f"there is no prompt {printable(name)} for {language}: {name}.{language}.md is {beside} bundled."
            known = ", ".join(sorted({path.name.split(".")[0] for path in PROMPTS.glob("*.md")}))
            remedy = f"Put it beside the recipe, or name a bundled one: {known}."
            raise JudgingError(f"{name}.{language}.md", [Problem("error", "prompt", message, remedy)])
        return read_template(name, language)

    def own_files(self) -> dict[str, bytes]:
        """Give the templates used that are not bundled, by file name, so that a run can be repeated."""
        found: dict[str, bytes] = {}
        for (name, language), content in self.made.items():
            found[f"{name}.{language}.md"] = content.encode()
        for name, language in self._read.keys() - self.made.keys():
            own = self._own(name, language)
            if own is not None:
                found[own.name] = own.read_bytes()
        return found
