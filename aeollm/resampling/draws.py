"""Random numbers for a comparison: one generator a purpose, all from its seed."""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from aeollm.tables import Plan


class Purpose(IntEnum):
    """What random numbers are drawn for."""

    BOOTSTRAP = 0
    SIGNS = 1
    SHUFFLES = 2


def draws(plan: Plan, purpose: Purpose) -> np.random.Generator:
    """Give the purpose's generator, at its start: no figure changes with what else is computed."""
    return np.random.default_rng([plan.seed, purpose])
