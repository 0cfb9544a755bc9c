"""Simulate a judge's opinions and people's answers, for the demo's ``llm-rubric`` folder.

Called by ``make_demo.py``. Every number is drawn; nobody answered anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SEED = 7
N_TEXTS, N_JUDGES, JUDGES_A_TEXT = 120, 12, 3
OPTIONS = {"Q0": 4, "Q1": 4, "Q2": 4, "Q3": 4, "Q4": 3}
CUTS = {4: np.array([-2.0, -0.6, 0.9]), 3: np.array([-1.0, 0.8])}
STRICTNESS = np.linspace(-1.3, 1.3, N_JUDGES)
"""What a judge takes off the quality of every text, on the logistic scale; judge 12 is the strictest."""
LLM_KINDNESS, LLM_SHARPNESS, LLM_NOISE = 1.1, 2.2, 0.7
NOT_APPLICABLE = ("Q3", 0.2)
"""A criterion that does not apply to this share of texts: nobody answers it there."""


def probabilities(strength: Floats, options: int, sharpness: float = 1.0) -> Floats:
    """Give the probabilities of a cumulative logit, shape (n, options)."""
    below = 1 / (1 + np.exp(-sharpness * (CUTS[options] - strength[:, None])))
    edges = np.concatenate([np.zeros((len(strength), 1)), below, np.ones((len(strength), 1))], axis=1)
    return np.diff(edges, axis=1)


def qualities(rng: np.random.Generator) -> dict[str, Floats]:
    """Draw every text's hidden quality by criterion; Q0, the overall one, is made of the others."""
    shared = rng.normal(0.0, 0.9, N_TEXTS)
    drawn = {name: 0.6 + shared + rng.normal(0.0, 0.9, N_TEXTS) for name in list(OPTIONS)[1:]}
    overall = 0.5 * drawn["Q1"] + 0.35 * drawn["Q2"] + 0.15 * drawn["Q4"]
    return {"Q0": overall + rng.normal(0.0, 0.3, N_TEXTS)} | drawn


def opinion_rows(quality: dict[str, Floats], rng: np.random.Generator) -> Iterable[list[str]]:
    """Write the judge's opinions: too kind, too sure of itself, a little mass outside the options."""
    yield ["text_id", "criterion", *(f"answer{k}_prob" for k in range(1, 5))]
    for name, strength in quality.items():
        seen = strength + LLM_KINDNESS + rng.normal(0.0, LLM_NOISE, N_TEXTS)
        held = probabilities(seen, OPTIONS[name], LLM_SHARPNESS) * rng.uniform(0.97, 1.0, (N_TEXTS, 1))
        for text, row in enumerate(held.tolist()):
            # Cut, not rounded, so that no sum exceeds 1.
            cells = [f"{int(value * 10_000) / 10_000:.4f}" for value in row]
            yield [text_id(text), name, *cells, *["0.0000"] * (4 - len(cells))]


def answer_rows(quality: dict[str, Floats], rng: np.random.Generator) -> Iterable[list[str]]:
    """Write people's answers, each text answered by some of the judges; 0 is no answer."""
    yield ["text_id", "annotator_id", *OPTIONS]
    absent = rng.random(N_TEXTS) < NOT_APPLICABLE[1]
    for text in range(N_TEXTS):
        judges = rng.choice(N_JUDGES, JUDGES_A_TEXT, replace=False)
        for judge in sorted(judges.tolist()):
            given = {name: answer(quality[name][text] - STRICTNESS[judge], OPTIONS[name], rng) for name in OPTIONS}
            if absent[text]:
                given[NOT_APPLICABLE[0]] = 0
            yield [text_id(text), f"judge_{judge + 1:02d}", *map(str, given.values())]


def answer(strength: float, options: int, rng: np.random.Generator) -> int:
    """Draw one answer, from 1."""
    return int(rng.choice(options, p=probabilities(np.array([strength]), options)[0])) + 1


def text_id(text: int) -> str:
    """Name a text."""
    return f"T{text + 1:03d}"


def opinion_files() -> dict[str, bytes]:
    """Make both files, by their path in the demo's folder."""
    hidden, judged, answered = np.random.default_rng(SEED).spawn(3)
    quality = qualities(hidden)
    return {
        "llm-rubric/opinions.tsv": tabbed(opinion_rows(quality, judged)),
        "llm-rubric/answers.tsv": tabbed(answer_rows(quality, answered)),
    }


def tabbed(rows: Iterable[Sequence[str]]) -> bytes:
    """Join fields by tabs, with a line feed after each row on every system."""
    return "".join("\t".join(row) + "\n" for row in rows).encode()
