"""The replies of shards as one file, the same bytes as without shards."""

from __future__ import annotations

import hashlib
from collections.abc import Container, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from aeollm.errors import JudgingError, Problem, printable
from aeollm.judging.store import ReplyStore, lacking_line, request_digest


@dataclass(frozen=True, slots=True)
class Merged:
    """What came together: replies, and requests to which two files hold different replies (the lesser bytes stand)."""

    replies: int
    conflicts: int


def merge(paths: Sequence[Path], into: Path) -> Merged:
    """Write the replies of several files as one, sorted by key, without what differs from run to run.

    Shards merged and the unsharded file merged alone give the same bytes where the replies are the same. ``into``
    may be one of the files, or hold replies that one of them has.

    Raises
    ------
    JudgingError
        If a file cannot be read or is no file of replies, if different models answered to one name, or if ``into``
        holds replies that would be lost.
    """
    _refuse_missing(paths)
    try:
        return _merged(paths, into)
    except OSError as error:
        message = f"cannot be written: {error.strerror or error}."
        problem = Problem("error", "unwritable_file", message, "Make room, or choose another folder.")
        raise JudgingError(str(into), [problem]) from None


def _merged(paths: Sequence[Path], into: Path) -> Merged:
    found: dict[bytes, tuple[str, str, int, bytes]] = {}
    conflicts = 0
    into.parent.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        stores = [stack.enter_context(ReplyStore(path)) for path in paths]
        _refuse_two_judges(stores)
        for number, store in enumerate(stores):
            for record in store.records():
                content = hashlib.sha256(record.line).digest()
                mine = (record.key, record.model, number, content)
                other = found.setdefault(request_digest(record.key, record.model), mine)
                if other[3] != content:
                    conflicts += 1
                    found[request_digest(record.key, record.model)] = min(mine, other, key=lambda entry: entry[3])
        _refuse_losing(into, found)
        written = into.with_name(f"{into.name}.part")
        with written.open("wb") as file:
            for asked in sorted({asked for store in stores for asked in store.lacks}):
                file.write(lacking_line(asked, frozenset().union(*(store.lacking(asked) for store in stores))))
            for digest, (_, _, number, _) in sorted(found.items(), key=lambda entry: entry[1][:2]):
                file.write(stores[number].line(digest))
        written.replace(into)
    return Merged(len(found), conflicts)


def _refuse_losing(into: Path, found: Container[bytes]) -> None:
    """Refuse to write over replies that are in no part: they were paid for."""
    if not into.is_file():
        return
    with ReplyStore(into) as store:
        lost = sum(request_digest(record.key, record.model) not in found for record in store.records())
    if lost:
        message = f"it holds {lost} replies that are in no part and would be lost."
        raise JudgingError(str(into), [Problem("error", "overwrites", message, "Choose another folder.")])


def _refuse_missing(paths: Sequence[Path]) -> None:
    missing = [str(path) for path in paths if not path.is_file()]
    if missing:
        message = f"there is no file {printable(', '.join(missing))}."
        raise JudgingError("merge", [Problem("error", "unreadable_file", message, "Name files of replies.")])


def _refuse_two_judges(stores: Sequence[ReplyStore]) -> None:
    served: dict[str, str] = {}
    for store in stores:
        for asked, model in store.models.items():
            if served.setdefault(asked, model) != model:
                names = f"{printable(served[asked])} and {printable(model)}"
                message = f"{names} answered to the name {printable(asked)}: two models are not one judge."
                remedy = "Run the parts against one model."
                raise JudgingError(store.path.name, [Problem("error", "other_model", message, remedy)])
