"""Splitting work over machines so that every part is the same wherever it is computed."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

from aeollm.errors import JudgingError, Problem

_WRITTEN = re.compile(r"([0-9]{1,6})/([0-9]{1,6})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Shard:
    """Part ``number`` (from 1) of ``of``.

    A unit of work belongs to the part its name's hash falls in, whatever other units there are and in which order.
    """

    number: int = 1
    of: int = 1

    def takes(self, *name: str) -> bool:
        """Tell whether a unit of work, such as (question,), is this part's.

        >>> sum(Shard(number, 3).takes("q", str(unit)) for number in (1, 2, 3) for unit in range(100))
        100
        """
        digest = hashlib.sha256("\0".join(name).encode("utf-8", "surrogatepass")).digest()
        return int.from_bytes(digest[:8], "big") % self.of == self.number - 1


def read_shard(text: str) -> Shard:
    """Read ``2/8``.

    Raises
    ------
    JudgingError
        If it is not I/N with 1 <= I <= N.
    """
    match = _WRITTEN.fullmatch(text.strip())
    number, of = (int(part) for part in match.groups()) if match else (0, 0)
    if not 1 <= number <= of:
        problem = Problem(
            "error", "usage", f"{text!r} is no part of a whole.", "Write I/N, such as 1/4, 2/4, 3/4, 4/4."
        )
        raise JudgingError("shard", [problem])
    return Shard(number, of)
