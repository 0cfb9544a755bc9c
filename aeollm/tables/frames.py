"""Tables to and from pandas frames; pandas is imported only when a frame is made."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from aeollm.decimals import Decimal, Decimals, decimal_of
from aeollm.tables.names import DIMENSIONS, KEY_COLUMNS, MEASURES, PAIR_KINDS, SCORE_SUFFIX

if TYPE_CHECKING:
    import pandas as pd

    from aeollm.tables.inputs import Labels, Rubrics, Run
    from aeollm.tables.scores import Scores

RUBRIC_COLUMNS = (
    "questionId",
    "prompt",
    "dimension",
    "dimension_weight",
    "criterion",
    "explanation",
    "criterion_weight",
)
_WHOLE_RUN = ("name", "digest", "policy", "signature", "coverage", "near_ties", "float64", "demo", "problems")


def frame_of_run(run: Run) -> pd.DataFrame:
    """Give a frame in the columns of a run file: ids as text, scores as float64."""
    scores = {name + SCORE_SUFFIX: run.scores.values[:, d] for d, name in enumerate(run.dimensions)}
    return _frame({"taskId": run.tasks, "questionId": run.questions, "answerId": run.answers, **scores})


def frame_of_labels(labels: Labels) -> pd.DataFrame:
    """Give a frame in the columns of a labels file: ids as text, blank cells as nan."""
    values = np.where(labels.given, labels.scores.values, np.nan)
    scores = {name + SCORE_SUFFIX: values[:, d] for d, name in enumerate(labels.dimensions)}
    return _frame({"questionId": labels.questions, "answerId": labels.answers, **scores})


def frame_of_rubrics(rubrics: Rubrics) -> pd.DataFrame:
    """Give one row a criterion, in the columns `RUBRIC_COLUMNS`."""
    rows = [
        (
            question,
            rubrics.prompts[question],
            dimension,
            float(rubrics.weights[question][dimension]),
            criterion.text,
            criterion.explanation,
            float(criterion.weight),
        )
        for question, dimensions in rubrics.criteria.items()
        for dimension, criteria in dimensions.items()
        for criterion in criteria
    ]
    return _frame({name: [row[place] for row in rows] for place, name in enumerate(RUBRIC_COLUMNS)})


def frame_of_scores(scores: Scores) -> pd.DataFrame:
    """Give one row a (view, question); what belongs to the run as a whole travels in ``frame.attrs``."""
    views, questions = scores.answers.shape
    columns: dict[str, object] = {
        "run": [scores.name] * (views * questions),
        "view": [view for view in scores.views for _ in range(questions)],
        "question": [*scores.questions] * views,
        "answers": scores.answers.ravel(),
    }
    columns |= {measure: scores.values(measure).ravel() for measure in MEASURES}
    columns |= {kind: scores.pairs[..., k].ravel() for k, kind in enumerate(PAIR_KINDS)}
    frame = _frame(columns | {"signature": [scores.signature] * (views * questions)})
    frame.attrs = {name: getattr(scores, name) for name in _WHOLE_RUN}
    return frame


def run_of_frame(frame: pd.DataFrame) -> dict[str, Any]:
    """Take a run's fields, all but its name."""
    dimensions = _dimensions(frame)
    if not dimensions:
        raise ValueError(f"columns missing: at least one *{SCORE_SUFFIX} column")
    questions, answers = _keys(frame)
    parsed = [decimal_of(number) for number in _numbers(frame, dimensions)]
    return {
        "digest": digest_of_frame(frame),
        "tasks": _ids(frame, "taskId") if "taskId" in frame else ("0",) * len(frame),
        "questions": questions,
        "answers": answers,
        "dimensions": dimensions,
        "scores": Decimals.of(parsed, (len(frame), len(dimensions))),
        "lines": tuple(range(1, len(frame) + 1)),
    }


def labels_of_frame(frame: pd.DataFrame) -> dict[str, Any]:
    """Take the labels' fields, all but name and source."""
    dimensions = _dimensions(frame)
    questions, answers = _keys(frame)
    numbers = _numbers(frame, dimensions)
    shape = (len(frame), len(dimensions))
    parsed = [Decimal(0, 0) if math.isnan(number) else decimal_of(number) for number in numbers]
    return {
        "revision": None,
        "digest": digest_of_frame(frame),
        "questions": questions,
        "answers": answers,
        "dimensions": dimensions,
        "scores": Decimals.of(parsed, shape),
        "given": np.array([not math.isnan(number) for number in numbers], dtype=bool).reshape(shape),
    }


def criteria_of_frame(frame: pd.DataFrame) -> Iterator[tuple[tuple[str, str], str, Decimal, tuple[str, str, Decimal]]]:
    """Take (question, dimension), prompt, dimension weight and (text, explanation, weight) of every criterion."""
    missing = [column for column in RUBRIC_COLUMNS if column not in frame]
    if missing:
        raise ValueError(f"columns missing: {', '.join(missing)}")
    columns = [frame[column].tolist() for column in RUBRIC_COLUMNS[1:]]
    rows = zip(_ids(frame, "questionId"), *columns, strict=True)
    for question, prompt, dimension, share, text, explanation, weight in rows:
        criterion = (str(text), str(explanation), decimal_of(float(weight)))
        yield (question, str(dimension)), str(prompt), decimal_of(float(share)), criterion


def scores_of_frame(frame: pd.DataFrame) -> dict[str, Any]:
    """Take the fields of scores."""
    if any(name not in frame.attrs for name in _WHOLE_RUN):
        raise ValueError("frame.attrs does not hold what Scores.to_frame put there")
    views, questions = tuple(dict.fromkeys(frame["view"])), tuple(dict.fromkeys(frame["question"]))
    shape = (len(views), len(questions))
    wanted = [(view, question) for view in views for question in questions]
    if list(zip(frame["view"], frame["question"], strict=True)) != wanted:
        raise ValueError("one row a (view, question) needed, in the order of Scores.to_frame")
    fields = {name: frame[name].to_numpy(dtype=np.float64).reshape(shape) for name in MEASURES}
    return {
        **fields,
        "views": views,
        "questions": questions,
        "answers": frame["answers"].to_numpy(dtype=np.int64).reshape(shape),
        "pairs": frame[list(PAIR_KINDS)].to_numpy(dtype=np.int64).reshape(*shape, len(PAIR_KINDS)),
        **{name: frame.attrs[name] for name in _WHOLE_RUN},
    }


def digest_of_frame(frame: pd.DataFrame) -> str:
    """Give the SHA-256 of the frame as CSV."""
    return hashlib.sha256(frame.to_csv(index=False).encode(errors="surrogatepass")).hexdigest()


def _frame(columns: Mapping[str, object]) -> pd.DataFrame:
    import pandas  # noqa: PLC0415  only pandas users pay for its import

    return pandas.DataFrame(dict(columns))


def _dimensions(frame: pd.DataFrame) -> tuple[str, ...]:
    missing = [column for column in KEY_COLUMNS[1:] if column not in frame]
    if missing:
        raise ValueError(f"columns missing: {', '.join(missing)}")
    names = [str(column).removesuffix(SCORE_SUFFIX) for column in frame if str(column).endswith(SCORE_SUFFIX)]
    official = [name for name in DIMENSIONS if name in names]
    return (*official, *(name for name in names if name not in official))


def _ids(frame: pd.DataFrame, column: str) -> tuple[str, ...]:
    ids = frame[column]
    wrong = [value for value, gone in zip(ids, ids.isna(), strict=True) if gone or isinstance(value, float)]
    if wrong:
        raise ValueError(f"{column} holds {wrong[0]!r}: read ids as text (pandas: dtype=str, keep_default_na=False)")
    return tuple(str(value) for value in ids)


def _keys(frame: pd.DataFrame) -> tuple[tuple[str, ...], tuple[str, ...]]:
    questions, answers = _ids(frame, "questionId"), _ids(frame, "answerId")
    if len(set(zip(questions, answers, strict=True))) != len(frame):
        raise ValueError("duplicate (questionId, answerId): keep one row an answer")
    return questions, answers


def _numbers(frame: pd.DataFrame, dimensions: Sequence[str]) -> list[float]:
    columns = [name + SCORE_SUFFIX for name in dimensions]
    return [number for row in frame[columns].to_numpy(dtype=np.float64).tolist() for number in row]
