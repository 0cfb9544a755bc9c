"""Make the simulated demo data set in ``assets/demo``, the same bytes every time.

``python scripts/make_demo.py`` writes the labels, the rubric files and the runs;
``--check`` writes nothing and exits 1 if a file differs; ``--out`` names another folder.
The prompts and rubrics are texts written for this demo, in ``demo_questions.json``.
The card ``README.md`` of the data set is written by hand and left alone.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

HERE = Path(__file__).resolve().parent
DEMO = HERE.parent / "assets" / "demo"
QUESTIONS = HERE / "demo_questions.json"

N_SYSTEMS, N_VARIANTS = 4, 4
N_ANSWERS = N_SYSTEMS * N_VARIANTS

# One stream for each part, so that tuning one judge leaves all other files as they are.
# ANSWERS_SEED was picked from the first 20,000: its tied pairs come near the shares of the
# AEOLLM-2 train set (in 960 pairs: about 8, 27, 81 and 5, at most 28 on one question).
ANSWERS_SEED = 8735
GOOD_SEED = 1
LENGTH_SEED = 2
BROKEN_SEED = 4
COARSE_SEED = 11

SYSTEM_EFFECTS = np.array([0.75, 0.3, -0.25, -0.8])
VARIANT_EFFECTS = np.array([0.45, 0.15, -0.15, -0.45])
SYSTEM_LENGTHS = np.array([0.3, -0.5, 0.7, -0.5])
"""Shift of the log length by system; the longest reports are not the best system's."""
VARIANT_LENGTHS = np.array([0.4, 0.1, -0.1, -0.4])

SHARED = 0.65
"""Part of a score's variance that the four dimensions have in common, hence their correlation."""


@dataclass(frozen=True)
class Dimension:
    """How the human scores of one dimension are spread and rounded.

    ``spread`` is the range from which each question's standard deviation is drawn. The coarser
    the ``grid`` and the narrower the spread, the more pairs of answers tie: about
    ``0.28 * grid / spread`` of them.
    """

    name: str
    mean: float
    spread: tuple[float, float]
    grid: float
    decimals: int


DIMENSIONS = (
    Dimension("comprehensiveness", 6.9, (0.8, 1.2), 0.025, 3),
    Dimension("insight", 6.3, (0.8, 1.3), 0.1, 1),
    Dimension("instruction_following", 7.3, (0.3, 1.3), 0.25, 2),
    Dimension("readability", 7.0, (0.7, 1.2), 0.02, 2),
)


@dataclass(frozen=True)
class Answers:
    """The simulated answers in blind order: human scores and the hidden report length.

    ``scores`` has the shape (question, answer, dimension). ``length`` is a log length with
    mean 0, of the shape (question, answer); no file shows it.
    """

    scores: Floats
    length: Floats


def to_grid(values: Floats, grid: Floats | float) -> Floats:
    """Round to multiples of ``grid`` within 0 to 10."""
    return np.clip(np.round(values / grid) * grid, 0.0, 10.0)


def simulate_answers(n_questions: int, rng: np.random.Generator) -> Answers:
    """Draw human scores with effects of system, variant and question, then blind the order."""
    cells = (n_questions, N_SYSTEMS, N_VARIANTS)
    effects = SYSTEM_EFFECTS[:, None] + VARIANT_EFFECTS
    quality = effects + rng.normal(0.0, 0.7, cells)
    length = SYSTEM_LENGTHS[:, None] + VARIANT_LENGTHS + rng.normal(0.0, 0.4, cells)
    scores = human_scores(quality.reshape(n_questions, N_ANSWERS), rng)
    blind = rng.permuted(np.tile(np.arange(N_ANSWERS), (n_questions, 1)), axis=1)
    return Answers(
        scores=np.take_along_axis(scores, blind[..., None], axis=1),
        length=np.take_along_axis(length.reshape(n_questions, N_ANSWERS), blind, axis=1),
    )


def human_scores(quality: Floats, rng: np.random.Generator) -> Floats:
    """Turn the hidden quality into four correlated scores, each on the grid of its dimension."""
    n_questions = quality.shape[0]
    low, high = np.array([dimension.spread for dimension in DIMENSIONS]).T
    spread = rng.uniform(low, high, (n_questions, len(DIMENSIONS)))
    level = rng.normal(0.0, 0.25, (n_questions, 1, 1))
    own = rng.normal(0.0, 1.0, (*quality.shape, len(DIMENSIONS)))
    mixed = np.sqrt(SHARED) * quality[..., None] + np.sqrt(1.0 - SHARED) * own
    mean = np.array([dimension.mean for dimension in DIMENSIONS])
    grid = np.array([dimension.grid for dimension in DIMENSIONS])
    return to_grid(mean + level + spread[:, None, :] * mixed, grid)


def judge_noise(answers: Answers, halo: float, own: float, rng: np.random.Generator) -> Floats:
    """Draw a judge's errors: a halo shared by the dimensions of an answer, and one for each."""
    shared = rng.normal(0.0, halo, (*answers.length.shape, 1))
    return shared + rng.normal(0.0, own, answers.scores.shape)


def good_judge(answers: Answers) -> Floats:
    """Follow the human scores closely, a little too mildly, to three decimals."""
    noise = judge_noise(answers, 0.35, 0.5, np.random.default_rng(GOOD_SEED))
    return to_grid(1.6 + 0.8 * answers.scores + noise, 0.001)


def coarse_judge(answers: Answers) -> Floats:
    """Turn one overall impression into whole numbers, so that many answers tie."""
    noise = judge_noise(answers, 0.6, 0.15, np.random.default_rng(COARSE_SEED))
    impression = answers.scores.mean(axis=2, keepdims=True)
    return to_grid(3.2 + 0.55 * impression + noise, 1.0)


def length_biased_judge(answers: Answers) -> Floats:
    """Reward long reports, with only a faint look at their quality."""
    noise = judge_noise(answers, 0.2, 0.3, np.random.default_rng(LENGTH_SEED))
    return to_grid(5.8 + 1.0 * answers.length[..., None] + 0.2 * answers.scores + noise, 0.01)


def sloppy_judge(answers: Answers) -> Floats:
    """Give the scores under the mistakes of the broken run."""
    noise = judge_noise(answers, 0.5, 0.5, np.random.default_rng(BROKEN_SEED))
    return to_grid(1.5 + 0.8 * answers.scores + noise, 0.01)


def keyed_rows(ids: Sequence[int], scores: Floats, decimals: Sequence[int]) -> list[list[str]]:
    """List the seven fields of every answer, with a fixed number of decimals a dimension."""
    return [
        [
            "0",
            str(question),
            f"Doc_{number:03d}",
            *(f"{score:.{places}f}" for score, places in zip(row, decimals, strict=True)),
        ]
        for question, block in zip(ids, scores, strict=True)
        for number, row in enumerate(block, start=1)
    ]


def lines(rows: Sequence[Sequence[str]], separator: str) -> bytes:
    """Join fields and rows, with a line feed at the end of each row on every system."""
    return "".join(separator.join(row) + "\n" for row in rows).encode()


def header() -> list[str]:
    """Give the official column names."""
    return ["taskId", "questionId", "answerId", *(f"{d.name}_score" for d in DIMENSIONS)]


def with_mistakes(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Copy the rows and put in six mistakes, each in another question."""
    broken = {(row[1], row[2]): list(row) for row in rows}
    # At the end of the file and with other scores, as from a judge that was asked again.
    again = [*broken["3", "Doc_002"][:3], *broken["3", "Doc_003"][3:]]
    broken["2", "Doc_009"][4] = broken["2", "Doc_009"][4].replace(".", ",")
    broken["5", "Doc_004"][2] = "doc_004"
    broken["11", "Doc_007"][2] = "Doc 007"
    broken["16", "Doc_013"][5] = "nan"
    del broken["21", "Doc_011"]
    return [*broken.values(), again]


def run_files(ids: Sequence[int], answers: Answers) -> dict[str, bytes]:
    """Make the four run files, by their path."""

    def rows(judge: Callable[[Answers], Floats], places: int) -> list[list[str]]:
        return keyed_rows(ids, judge(answers), [places] * len(DIMENSIONS))

    return {
        "runs/good_judge.txt": lines(rows(good_judge, 3), " "),
        "runs/coarse_judge.txt": lines(rows(coarse_judge, 0), " "),
        # The one run with the official header and tabs, to show that both are allowed.
        "runs/length_biased_judge.txt": lines([header(), *rows(length_biased_judge, 2)], "\t"),
        "runs/broken_run.txt": lines(with_mistakes(rows(sloppy_judge, 2)), " "),
    }


def rubric_files(questions: Sequence[dict[str, Any]]) -> dict[str, bytes]:
    """Make one rubric file a question, by its path."""
    return {
        f"aeollm-2-train/rubric_dataset/criterion{question['id']}.json": (
            json.dumps(question, indent=1, ensure_ascii=False) + "\n"
        ).encode()
        for question in questions
    }


def demo_files() -> dict[str, bytes]:
    """Make every generated file of the data set, by its path below the folder."""
    questions = json.loads(QUESTIONS.read_text(encoding="utf-8"))
    ids = [question["id"] for question in questions]
    answers = simulate_answers(len(ids), np.random.default_rng(ANSWERS_SEED))
    places = [dimension.decimals for dimension in DIMENSIONS]
    labels = [header(), *keyed_rows(ids, answers.scores, places)]
    return {
        "aeollm-2-train/train_deepresearch.csv": lines(labels, ","),
        **rubric_files(questions),
        **run_files(ids, answers),
    }


def differing(files: dict[str, bytes], folder: Path) -> list[str]:
    """List the paths that are missing, changed, or there although nothing makes them.

    Folders of which no file is made here belong to other scripts.
    """
    own = {Path(path).parts[0] for path in files}
    found = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.relative_to(folder).parts[0] in own
    }
    return sorted(path for path in files.keys() | found.keys() if files.get(path) != found.get(path))


def write(files: dict[str, bytes], folder: Path) -> None:
    """Write the files below the folder, making folders as needed."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def main(
    arguments: Sequence[str] | None = None,
    made: Callable[[], dict[str, bytes]] = demo_files,
    folder: Path = DEMO,
    script: str = "make_demo.py",
) -> None:
    """Write or check simulated files.

    Raises
    ------
    SystemExit
        With ``--check``, if a file differs; the message lists the paths.
    """
    parser = argparse.ArgumentParser(description="Make simulated demo data.")
    parser.add_argument("--out", type=Path, default=folder, help="another folder than that of the repository")
    parser.add_argument("--check", action="store_true", help="exit 1 if the files differ")
    options = parser.parse_args(arguments)
    if not options.check:
        write(made(), options.out)
    elif paths := differing(made(), options.out):
        sys.exit("\n".join([f"These files differ; run scripts/{script}:", *paths]))


if __name__ == "__main__":
    main()
