"""LLM-Rubric: from an automatic judge's opinions and people's answers, predict what each person would answer."""

from aeollm.calibration.calibrator import (
    DEFAULT_MODEL,
    MODELS,
    Calibrator,
    JudgeEffect,
    Predictions,
    fit,
    judge_effects,
)
from aeollm.calibration.examples import NOBODY, POOLED, Examples, cases_for, cases_for_run, from_opinions, from_run
from aeollm.calibration.folds import grouped_folds
from aeollm.calibration.settings import Cancelled, Settings, Watch

__all__ = [
    "DEFAULT_MODEL",
    "MODELS",
    "NOBODY",
    "POOLED",
    "Calibrator",
    "Cancelled",
    "Examples",
    "JudgeEffect",
    "Predictions",
    "Settings",
    "Watch",
    "cases_for",
    "cases_for_run",
    "fit",
    "from_opinions",
    "from_run",
    "grouped_folds",
    "judge_effects",
]
