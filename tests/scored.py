"""Scores written down value by value, for tests of what is made of scores."""

import numpy as np

from aeollm.tables import MEASURES, Policy, Scores, signature


def scores(values, *, views=("overall",), labels="labels@0123", policy=None, **fields):
    """Give Scores whose measures all have these values: one row a view, or one row for all views; nan is undefined."""
    policy = policy or Policy()
    table = np.broadcast_to(np.array(values, dtype=float), (len(views), np.shape(values)[-1])).copy()
    digest = fields.pop("digest", "0" * 64)
    partial = fields.pop("partial", False)
    shape = table.shape
    return Scores(
        **{
            "name": "run",
            "digest": digest,
            "views": tuple(views),
            "questions": tuple(f"q{number}" for number in range(1, shape[1] + 1)),
            "answers": np.full(shape, 16),
            "pairs": np.zeros((*shape, 5), dtype=int),
            "policy": policy,
            "signature": signature(labels, "equal", policy, digest, partial=partial),
            "coverage": (shape[1] * 16 - partial, shape[1] * 16),
        }
        | dict.fromkeys(MEASURES, table)
        | fields
    )
