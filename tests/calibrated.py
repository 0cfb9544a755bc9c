"""Small made opinions and answers, and judges of known strictness, for the tests of calibration."""

import numpy as np

from aeollm.calibration import Examples
from aeollm.tables import Answers, Opinions


def made_opinions(texts, n_options=(4, 3), seed=0):
    """Give opinions drawn from Dirichlet distributions; text ids are t000, t001, …"""
    rng = np.random.default_rng(seed)
    widest = max(n_options)
    probabilities = np.full((texts, len(n_options), widest), np.nan)
    for place, options in enumerate(n_options):
        probabilities[:, place, :options] = rng.dirichlet(np.ones(options), texts)
    names = tuple(f"t{text:03}" for text in range(texts))
    return Opinions("made", "", names, tuple(f"Q{c}" for c in range(len(n_options))), n_options, probabilities)


def made_answers(opinions, strictness, seed=0, noise=0.5):
    """Let every judge answer every text: the judge's mean answer plus strictness plus noise, rounded."""
    rng = np.random.default_rng([seed, 1])
    expected, rows = opinions.expected(), []
    for judge, shift in strictness.items():
        for place, text in enumerate(opinions.texts):
            drawn = expected[place] + shift + rng.normal(0, noise, len(opinions.criteria))
            rows.append((text, judge, np.clip(np.rint(drawn), 1, opinions.n_options).astype(np.int64)))
    texts, judges, values = zip(*rows, strict=True)
    return Answers("made", "", texts, judges, opinions.criteria, np.array(values))


def decimals(rows=60, questions=6, seed=0):
    """Give examples of decimals, as from a run: two inputs, the target near the first, ids of one question each."""
    rng = np.random.default_rng([seed, 2])
    inputs = rng.normal(5, 2, (rows, 2))
    answers = (inputs[:, 0] * 0.5 + 3 + rng.normal(0, 0.3, rows))[:, None]
    groups = tuple(f"q{row % questions}" for row in range(rows))
    return Examples(
        texts=tuple(f"{group}\t{row}" for row, group in enumerate(groups)),
        groups=groups,
        judges=("pooled",) * rows,
        inputs=("depth", "clarity"),
        expected=inputs,
        probabilities=None,
        targets=("depth",),
        options=(0,),
        answers=answers,
        target="depth",
    )
