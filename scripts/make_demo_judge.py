"""Make the demo's judge outputs in ``assets/demo/judge``, the same bytes every time.

``python scripts/make_demo_judge.py`` writes them; ``--check`` writes nothing and exits 1 if a file differs;
``--out`` names another folder. They belong to the answers that ``make_demo.py`` simulates, and every effect in them
is known, because it is stated here:

* ``criteria.tsv``: a judge scores every criterion in the original and the reversed order. Its score is the human one,
  shrunk, plus a shift of the answer and dimension in that order (standard deviation `ORDER`) and noise of the single
  score (`NOISE`), rounded to whole numbers.
* ``pairs.tsv``: two judges compare answers that a good judge ranks near each other on insight, in both orders.
  They follow Davidson's model: log-odds of the human difference times `SLOPE`, plus `PLACE` for the place shown first
  of the first judge, none of the second, and ties by `NU`.
* ``counts.tsv``: what is counted in the reports that nobody wrote; words follow the hidden length.
* ``annotators.tsv``: two annotators score three aspects of readability with weights of the document, and a third
  where they differ by more than `RULE`.
* ``two_judges.toml``, ``tie_break.toml``, ``length.toml``: recipes that use them.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import make_demo as demo  # noqa: E402  the script beside this one

FOLDER = demo.DEMO / "judge"

CRITERIA_SEED, PAIRS_SEED, COUNTS_SEED, ANNOTATORS_SEED = 101, 102, 103, 104

ORDER, NOISE = 0.9, 0.7
SLOPE, PLACE, NU = 1.6, 0.9, 0.6
NEAR = 3
"""Answers at most so many ranks apart are compared."""
RULE = 2.0
ANNOTATED = 4
"""Questions that the annotator table holds."""
ASPECTS = ("logical_structure", "presentation_form", "bias_checking")
ASPECT_WEIGHTS = ((50, 30, 20), (40, 40, 20), (40, 30, 30))
ANNOTATOR_SPREAD = 0.9
ORDERS = ("original", "reversed")

TWO_JUDGES = """\
recipe = 1
name = "two_judges"
rubrics = "../aeollm-2-train/rubric_dataset"

[inputs]
criteria = "criteria.tsv"
pairs = "pairs.tsv"

[[step]]
do = "criteria"
name = "scored"
from = "criteria"

[[step]]
do = "pairwise"
name = "compared"
from = "pairs"
anchor = "scored"
strength = 0.3
scale = "anchors"
"""

TIE_BREAK = """\
recipe = 1
name = "tie_break"
rubrics = "../aeollm-2-train/rubric_dataset"

[inputs]
coarse = "../runs/coarse_judge.txt"
criteria = "criteria.tsv"

[[step]]
do = "criteria"
name = "scored"
from = "criteria"

[[step]]
do = "ties"
name = "untied"
from = "coarse"
by = "scored"
"""

LENGTH = """\
recipe = 1
name = "length"
rubrics = "../aeollm-2-train/rubric_dataset"
reports = "counts.tsv"

[inputs]
biased = "../runs/length_biased_judge.txt"

[[step]]
do = "length"
name = "corrected"
from = "biased"

[[step]]
do = "structure"
name = "blended"
"""

Rows = Iterator[Sequence[str]]


def criteria_rows(questions: Sequence[dict[str, Any]], answers: demo.Answers) -> Rows:
    """Score every criterion of every answer in both orders."""
    rng = np.random.default_rng(CRITERIA_SEED)
    yield ("questionId", "answerId", "dimension", "criterion", "score", "order")
    for number, question in enumerate(questions):
        for d, dimension in enumerate(demo.DIMENSIONS):
            count = len(question["criterions"][dimension.name])
            human = 1.6 + 0.8 * answers.scores[number, :, d]
            offsets = rng.normal(0.0, 0.4, count)
            for order in ORDERS:
                shifts = rng.normal(0.0, ORDER, demo.N_ANSWERS)
                noise = rng.normal(0.0, NOISE, (demo.N_ANSWERS, count))
                scores = demo.to_grid((human + shifts)[:, None] + offsets + noise, 1.0)
                for a in range(demo.N_ANSWERS):
                    for c in range(count):
                        key = (str(question["id"]), f"Doc_{a + 1:03d}", dimension.name, str(c + 1))
                        yield (*key, str(int(scores[a, c])), order)


def pairs_rows(ids: Sequence[int], answers: demo.Answers) -> Rows:
    """Compare near answers on insight in both orders; winners follow Davidson's model."""
    rng = np.random.default_rng(PAIRS_SEED)
    good = demo.good_judge(answers)[:, :, 1]
    yield ("questionId", "dimension", "left", "right", "winner", "judge")
    for number, question in enumerate(ids):
        ranks = good[number].argsort(kind="stable").argsort(kind="stable")
        for one in range(demo.N_ANSWERS):
            for other in range(one + 1, demo.N_ANSWERS):
                if abs(int(ranks[one]) - int(ranks[other])) > NEAR:
                    continue
                for judge, place in (("J1", PLACE), ("J2", 0.0)):
                    for left, right in ((one, other), (other, one)):
                        lead = SLOPE * (answers.scores[number, left, 1] - answers.scores[number, right, 1]) + place
                        winner = drawn_winner(lead, rng)
                        yield (str(question), "insight", *(f"Doc_{a + 1:03d}" for a in (left, right)), winner, judge)


def drawn_winner(lead: float, rng: np.random.Generator) -> str:
    """Draw left, tie or right by Davidson's model from the log-odds of a win of left over one of right."""
    shares = np.array([np.exp(lead / 2), NU, np.exp(-lead / 2)])
    return ("left", "tie", "right")[int(rng.choice(3, p=shares / shares.sum()))]


def counts_rows(ids: Sequence[int], answers: demo.Answers) -> Rows:
    """Count words, headings and citations of reports that the hidden length describes."""
    rng = np.random.default_rng(COUNTS_SEED)
    words = np.round(3000 * np.exp(answers.length)).astype(int)
    headings, citations = rng.poisson(words / 350), rng.poisson(words / 150)
    yield ("questionId", "answerId", "words", "headings", "citations")
    for number, question in enumerate(ids):
        for a in range(demo.N_ANSWERS):
            counted = (words[number, a], headings[number, a], citations[number, a])
            yield (str(question), f"Doc_{a + 1:03d}", *map(str, counted))


def annotators_rows(ids: Sequence[int], answers: demo.Answers) -> Rows:
    """Score three aspects by two annotators, and by a third where their weighted means differ too much."""
    rng = np.random.default_rng(ANNOTATORS_SEED)
    yield ("questionId", "answerId", "annotator", "aspect", "score", "weight")
    for number, question in enumerate(ids[:ANNOTATED]):
        for a in range(demo.N_ANSWERS):
            weights = ASPECT_WEIGHTS[int(rng.integers(len(ASPECT_WEIGHTS)))]
            bias = rng.normal(0.0, ANNOTATOR_SPREAD, (3, 1))
            human = answers.scores[number, a, 3] + bias + rng.normal(0.0, 0.6, (3, len(ASPECTS)))
            scores = demo.to_grid(human, 0.5)
            means = scores @ np.array(weights) / sum(weights)
            people = 3 if abs(means[0] - means[1]) > RULE else 2
            for who in range(people):
                for aspect, weight, score in zip(ASPECTS, weights, scores[who], strict=True):
                    key = (str(question), f"Doc_{a + 1:03d}", f"A{who + 1}", aspect)
                    yield (*key, f"{score:g}", f"0.{weight // 10}")


def judge_files() -> dict[str, bytes]:
    """Make every file, by its name."""
    questions = json.loads(demo.QUESTIONS.read_text(encoding="utf-8"))
    ids = [question["id"] for question in questions]
    answers = demo.simulate_answers(len(ids), np.random.default_rng(demo.ANSWERS_SEED))
    return {
        "criteria.tsv": demo.lines(list(criteria_rows(questions, answers)), "\t"),
        "pairs.tsv": demo.lines(list(pairs_rows(ids, answers)), "\t"),
        "counts.tsv": demo.lines(list(counts_rows(ids, answers)), "\t"),
        "annotators.tsv": demo.lines(list(annotators_rows(ids, answers)), "\t"),
        "two_judges.toml": TWO_JUDGES.encode(),
        "tie_break.toml": TIE_BREAK.encode(),
        "length.toml": LENGTH.encode(),
    }


if __name__ == "__main__":
    demo.main(made=judge_files, folder=FOLDER, script="make_demo_judge.py")
