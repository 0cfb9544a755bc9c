"""What can be counted in a report, such as its length."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from aeollm.tables.inputs import Key


@dataclass(frozen=True, eq=False)
class Features:
    """Counts and shares of each answer's report, in the order of ``names``."""

    names: tuple[str, ...]
    values: Mapping[Key, tuple[float, ...]]
