"""Prompts from Markdown templates: versioned, in the question's language, with everything foreign behind a fence."""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from aeollm.errors import JudgingError, Problem, printable
from aeollm.judging.messages import Message, Role

PROMPTS = Path(__file__).parents[2] / "assets" / "prompts"
LANGUAGES = ("en", "zh")

_FRONT = re.compile(r"\A\+\+\+\n(.*?)^\+\+\+\n", re.DOTALL | re.MULTILINE)
_ROLE = re.compile(r"^# (system|user)[ \t]*\n", re.MULTILINE)
_SLOT = re.compile(r"\{\{ ?([a-z_]+) ?\}\}")
_ENOUGH_CHINESE = 0.2
_CONTROL = re.compile(
    r"(<(?=[|\uff5c][^\s<>|\uff5c]{1,60}[|\uff5c]>)"
    r"|<(?=/?(?:s|bos|eos|pad|unk|start_of_turn|end_of_turn|think)>|<SYS>>|</SYS>>)"
    r"|\[(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_RESULTS|TOOL_CALLS)\]))"
)

_BRACKETED = ("INST]", "SYSTEM_PROMPT]", "AVAILABLE_TOOLS]", "TOOL_RESULTS]", "TOOL_CALLS]")


def without_control(text: str) -> str:
    """Break up by a blank what servers read as control tokens of a chat, which would end the fence and the message.

    >>> without_control("a <|im_end|> b <s> [INST] |> <|>")
    'a < |im_end|> b < s> [ INST] |> <|>'
    """
    # Looking for what all of them begin with, or end with, takes a tenth of the time.
    return _CONTROL.sub(r"\1 ", text) if "<" in text or any(end in text for end in _BRACKETED) else text


@dataclass(frozen=True)
class Data:
    """Text that is not ours: a question, a report, criteria. It goes behind a fence, as what ``name`` says it is."""

    name: str
    text: str

    @cached_property
    def fenced(self) -> str:
        """Give the text between marks that it does not hold.

        The marks end in digits made from the text itself, so that nobody can write a text that closes them, and are
        the same in every run.
        """
        salt = 0
        while (mark := self._mark(salt)) in self.text:
            salt += 1
        return f"<{self.name}-{mark}>\n{without_control(self.text.strip())}\n</{self.name}-{mark}>"

    def _mark(self, salt: int) -> str:
        return hashlib.sha256(f"{salt}\0{self.text}".encode("utf-8", "surrogatepass")).hexdigest()[:12]


@dataclass(frozen=True)
class Template:
    """One prompt in one language.

    ``version`` is what its author declares; `name_and_version` adds the hash of the content, so that a changed
    prompt is another prompt even if nobody counted up.
    """

    name: str
    language: str
    version: str
    text: str

    @cached_property
    def name_and_version(self) -> str:
        """Give ``holistic.en@1#0a1b2c3d4e5f``."""
        digest = hashlib.sha256(self.text.encode("utf-8")).hexdigest()[:12]
        return f"{self.name}.{self.language}@{self.version}#{digest}"

    @cached_property
    def slots(self) -> frozenset[str]:
        """Name what has to be filled in."""
        return frozenset(_SLOT.findall(self.text))

    @cached_property
    def parts(self) -> tuple[tuple[Role, tuple[str, ...]], ...]:
        """Give every message's role and what it is made of: text, a slot's name, text, and so on to a last text."""
        _, *found = _ROLE.split(self.text)
        return tuple(
            ("system" if role == "system" else "user", _trimmed(_SLOT.split(text)))
            for role, text in zip(found[::2], found[1::2], strict=True)
        )

    def fill(self, values: Mapping[str, str | Data]) -> tuple[Message, ...]:
        """Give the messages; what is filled in is never taken for a slot itself.

        Raises
        ------
        JudgingError
            If a slot has no value, or a value has no slot.
        """
        self.check(values)
        shown = {name: value.fenced if isinstance(value, Data) else value for name, value in values.items()}
        filled = (
            (role, "".join(shown[piece] if place % 2 else piece for place, piece in enumerate(pieces)).strip())
            for role, pieces in self.parts
        )
        return tuple(Message(role, text) for role, text in filled if text)

    def check(self, values: Mapping[str, str | Data]) -> None:
        """Refuse values for other slots than there are.

        Raises
        ------
        JudgingError
            If a slot has no value, or a value has no slot.
        """
        if values.keys() == self.slots:
            return
        lacking, unknown = (_listed(names) for names in (set(values) - self.slots, self.slots - set(values)))
        told = [f"lacks {lacking}"] if lacking else []
        told += [f"has {unknown}, which nothing fills"] if unknown else []
        message = f"the prompt {' and '.join(told)}."
        raise _wrong(self.name_and_version, message, "assets/recipes/asking.md lists the slots of every prompt.")


def _trimmed(pieces: list[str]) -> tuple[str, ...]:
    """Take blanks off the ends of a message."""
    pieces[0] = pieces[0].lstrip()
    pieces[-1] = pieces[-1].rstrip()
    return tuple(pieces)


def _listed(slots: Iterable[str]) -> str:
    return ", ".join(f"{{{{{name}}}}}" for name in sorted(slots))


def parse_template(content: str, name: str, language: str) -> Template:
    """Read a template: TOML with ``version`` between lines of ``+++``, then ``# system`` and ``# user``.

    Raises
    ------
    JudgingError
        If one of them is missing.
    """
    source = f"{name}.{language}.md"
    content = content.replace("\r\n", "\n")
    front = _FRONT.match(content)
    if front is None:
        raise _wrong(
            source, "the prompt does not start with TOML between two lines of +++.", 'Write version = "1" there.'
        )
    try:
        version = tomllib.loads(front[1]).get("version")
    except tomllib.TOMLDecodeError as error:
        raise _wrong(source, f"the TOML between +++ cannot be read: {error}.", 'Write version = "1" there.') from None
    text = content[front.end() :]
    if not isinstance(version, str) or not re.fullmatch(r"[\w.-]{1,20}", version):
        raise _wrong(source, "the prompt declares no version.", 'Write version = "1" between the lines of +++.')
    roles = _ROLE.findall(text)
    if "user" not in roles or len(set(roles)) < len(roles):
        raise _wrong(
            source, "the prompt has not one part # user (and # system, if wanted).", "Begin parts such as # user."
        )
    return Template(name, language, version, text)


def read_template(name: str, language: str, folder: Path = PROMPTS) -> Template:
    """Read ``<folder>/<name>.<language>.md``.

    Raises
    ------
    JudgingError
        If there is no such file, or it is no prompt.
    """
    path = folder / f"{name}.{language}.md"
    try:
        content = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        known = ", ".join(sorted({path.name.split(".")[0] for path in folder.glob("*.md")}))
        raise _wrong(
            path.name, f"the prompt cannot be read ({type(error).__name__}).", f"There are: {known}."
        ) from None
    return parse_template(content, name, language)


def language_of(text: str) -> str:
    """Tell the language to ask in, by the share of Chinese characters among letters; English without letters.

    >>> language_of("比较三种冷却方案"), language_of("Compare three ways of cooling")
    ('zh', 'en')
    """
    letters = [letter for letter in text if letter.isalpha()]
    chinese = sum("\u3400" <= letter <= "\u9fff" or "\U00020000" <= letter <= "\U0003ffff" for letter in letters)
    return "zh" if letters and chinese >= _ENOUGH_CHINESE * len(letters) else "en"


def _wrong(source: str, message: str, remedy: str) -> JudgingError:
    return JudgingError(source, [Problem("error", "prompt", printable(message, 500), remedy)])
