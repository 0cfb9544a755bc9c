"""Replies on disk: an append-only JSONL file that survives a kill, is read by key and shared by processes."""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from filelock import FileLock

from aeollm.errors import JudgingError, Problem
from aeollm.judging.messages import Reply, Request

_PRIVATE = 0o600
_BLOCK = 2**20
_DAY = 86_400
LOGPROBS = "top_logprobs"
"""The option that asks for token probabilities."""
START = b'{"key":"'
"""How a file of replies begins."""


@dataclass(frozen=True, slots=True)
class Record:
    """One line of the file: whose reply it is, and the bytes it is written as.

    ``line`` leaves out what differs from run to run (place, time), so that merging gives the same bytes.
    """

    key: str
    asked: str
    model: str
    line: bytes


class ReplyStore:
    """The replies of one folder's runs, by request key and the model that answered.

    Only the place of a reply in the file is kept in memory. A torn last line is closed off; lines that are no replies
    are counted in ``damaged`` and left where they are. Of two replies to one request the first stands. Several
    processes may write to the same file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.damaged = 0
        self._places: dict[bytes, int] = {}
        self._models: dict[str, str] = {}
        self._aside: dict[str, Counter[str]] = {}
        self._lacking: dict[str, frozenset[str]] = {}
        self._telling: dict[str, bool] = {}
        self._read = 0
        self._lock = FileLock(f"{path}.lock")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), _PRIVATE)
        except OSError as error:
            problem = Problem("error", "unreadable_file", f"cannot be opened: {error.strerror}.", "Check the path.")
            raise JudgingError(str(path), [problem]) from None
        try:
            self.refresh()
            self._refuse_other_files()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> ReplyStore:
        """Keep it open."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        self.close()

    def __len__(self) -> int:
        """Count the replies."""
        return len(self._places)

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)

    def served(self, asked: str) -> str | None:
        """Give the model that first answered to this name; a judge is one model, so the others do not count."""
        return self._models.get(asked)

    @property
    def models(self) -> Mapping[str, str]:
        """Map the names that were asked for to the models that serve them."""
        return self._models

    @property
    def aside(self) -> Mapping[str, Mapping[str, int]]:
        """Count the replies that other models than those gave, and that are not used, by the name asked for."""
        return self._aside

    @property
    def lacks(self) -> Mapping[str, frozenset[str]]:
        """Map the names that were asked for to the options refused."""
        return self._lacking

    def get(self, request: Request) -> Reply | None:
        """Give the reply to this very request, from the model that serves it, without options that were refused."""
        request = request.without(self.lacking(request.options.model))
        place = self._find(request)
        if place is None and self.refresh():
            place = self._find(request)
        if place is None:
            return None
        return Reply.from_json(_entry(self._line_at(place))["reply"])

    def seconds(self, request: Request) -> float | None:
        """Give how long the call to this request took; None where there is no reply, or nobody timed it."""
        place = self._find(request.without(self.lacking(request.options.model)))
        made = None if place is None else _entry(self._line_at(place)).get("made")
        found = made.get("seconds") if isinstance(made, dict) else None
        return float(found) if isinstance(found, int | float) and 0 <= found < _DAY else None

    def _find(self, request: Request) -> int | None:
        model = self.served(request.options.model)
        return None if model is None else self._places.get(request_digest(request.key, model))

    def add(self, request: Request, reply: Reply, made: Mapping[str, object]) -> None:
        """Write a reply at once and to the disk; ``made`` is told beside it (time, retries) and never compared."""
        options = request.options.to_json()
        asked = options.pop("model")
        sent = options | {"seed": request.options.sent_seed, "temperature": request.options.sent_temperature}
        entry: dict[str, object] = {"key": request.key, "asked": asked, "prompt": request.prompt, "sent": sent}
        entry |= {"reply": reply.to_json(), "made": {"place": list(request.place), **made}}
        self._append(_bytes(entry))

    def lacking(self, asked: str) -> frozenset[str]:
        """Name the options that the endpoint of this model has refused, so that its replies are found again."""
        return self._lacking.get(asked, frozenset())

    def tells_probabilities(self, asked: str) -> bool | None:
        """Tell whether this model's replies have token probabilities, if asked for; None where no reply told it yet.

        Where some have none, they are not to be counted on.
        """
        return False if LOGPROBS in self.lacking(asked) else self._telling.get(asked)

    def note_lacking(self, asked: str, features: frozenset[str]) -> None:
        """Put on disk which options an endpoint has refused."""
        self._append(lacking_line(asked, features))

    def _append(self, line: bytes) -> None:
        try:
            with self._lock:
                end = os.fstat(self._file).st_size
                torn = end > 0 and self._at(end - 1, 1) != b"\n"
                _write(self._file, b"\n" + line if torn else line)
                os.fsync(self._file)
        except OSError as error:
            message = f"a reply cannot be written: {error.strerror or error}."
            problem = Problem("error", "unwritable_file", message, "Make room, or choose another folder.")
            raise JudgingError(str(self.path), [problem]) from None
        self.refresh()

    def refresh(self) -> bool:
        """Take in what was written since, by this or another process; tell whether anything was."""
        if os.fstat(self._file).st_size <= self._read:
            return False
        before = len(self._places)
        for place, line in self._lines(self._read):
            self._take(place, line)
        return len(self._places) > before

    def records(self) -> Iterator[Record]:
        """Give every reply of the models that serve, in the order of the file."""
        self.refresh()
        for digest in self._places:
            line = self.line(digest)
            entry = _entry(line)
            asked, model = entry["asked"], entry["reply"]["model"]
            if model == self.served(asked):
                yield Record(entry["key"], asked, model, line)

    def line(self, digest: bytes) -> bytes:
        """Give a reply as it is merged: without what differs from run to run."""
        entry = _entry(self._line_at(self._places[digest]))
        entry.pop("made", None)
        return _bytes(entry)

    def _lines(self, start: int) -> Iterator[tuple[int, bytes]]:
        """Give the whole lines from a place on; a last one without its end only if it is complete all the same."""
        rest = b""
        while block := self._at(start + len(rest), _BLOCK):
            *lines, rest = (rest + block).split(b"\n")
            for line in lines:
                yield start, line
                start += len(line) + 1
            self._read = start
        if rest and _is_entry(rest):
            yield start, rest
            self._read = start + len(rest)

    def _take(self, place: int, line: bytes) -> None:
        if not line:
            return
        try:
            entry = _entry(line)
            key, asked = str(entry["key"]), str(entry["asked"])
            if "lacking" in entry:
                self._lacking[asked] = self.lacking(asked) | frozenset(map(str, entry["lacking"]))
                return
            reply = Reply.from_json(entry["reply"])
        except (ValueError, KeyError, TypeError, RecursionError):
            self.damaged += 1
            return
        if reply.model != self._models.setdefault(asked, reply.model):
            self._aside.setdefault(asked, Counter())[reply.model] += 1
        sent = entry.get("sent")
        if isinstance(sent, dict) and sent.get(LOGPROBS) is not None:
            self._telling[asked] = self._telling.get(asked, True) and reply.tokens is not None
        self._places.setdefault(request_digest(key, reply.model), place)

    def _line_at(self, place: int) -> bytes:
        line, size = b"", 2**14
        while b"\n" not in line and (block := self._at(place + len(line), size)):
            line += block
            size *= 2
        return line.split(b"\n", 1)[0]

    def _at(self, place: int, size: int) -> bytes:
        os.lseek(self._file, place, os.SEEK_SET)
        return os.read(self._file, size)

    def _refuse_other_files(self) -> None:
        start = self._at(0, len(START))
        # A disk may have lost the first lines of a file that holds many more.
        if start and not START.startswith(start) and not self._places and not self._lacking:
            message = "the file does not start as a file of replies does."
            raise JudgingError(self.path.name, [Problem("error", "not_replies", message, "Choose another name.")])


def request_digest(key: str, model: str) -> bytes:
    """Give the short name of a reply: its request's key and the model that answered."""
    return hashlib.blake2b(f"{key}\0{model}".encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _entry(line: bytes) -> dict[str, Any]:
    entry = json.loads(line)
    if not isinstance(entry, dict):
        raise TypeError("not an object")
    return entry


def _is_entry(line: bytes) -> bool:
    try:
        return bool(_entry(line))
    except (ValueError, TypeError, RecursionError):
        return False


def _bytes(entry: Mapping[str, object]) -> bytes:
    # Lone surrogates, which a model can write as \\ud800, are no UTF-8: escapes hold them.
    return json.dumps(entry, ensure_ascii=True, separators=(",", ":")).encode("ascii") + b"\n"


def lacking_line(asked: str, features: frozenset[str]) -> bytes:
    """Write a note on refused options as a line."""
    return _bytes({"key": "", "asked": asked, "lacking": sorted(features)})


def _write(file: int, content: bytes) -> None:
    while content:
        content = content[os.write(file, content) :]
