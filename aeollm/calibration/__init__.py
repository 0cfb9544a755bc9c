"""LLM-Rubric: from an automatic judge's opinions and people's answers, predict what each person would answer."""

from aeollm.calibration.calibrator import (
    DEFAULT_MODEL,
    MODELS,
    Calibrator,
    JudgeEffect,
    fit,
    fit_models,
    judge_effects,
)
from aeollm.calibration.examples import NOBODY, POOLED, Examples, cases_for, cases_for_run, from_opinions, from_run
from aeollm.calibration.folds import grouped_folds
from aeollm.calibration.predictions import Predictions, measure_predictions, pool
from aeollm.calibration.quality import QUALITIES, Quality, mean_quality, measure, rmse_bound
from aeollm.calibration.reliability import Curve, Floor, reliability_curve, smooth_ece, smooth_ece_floor
from aeollm.calibration.saving import CalibratorError, load_calibrator, save_calibrator
from aeollm.calibration.settings import Cancelled, Settings, Watch

__all__ = [
    "DEFAULT_MODEL",
    "MODELS",
    "NOBODY",
    "POOLED",
    "QUALITIES",
    "Calibrator",
    "CalibratorError",
    "Cancelled",
    "Curve",
    "Examples",
    "Floor",
    "JudgeEffect",
    "Predictions",
    "Quality",
    "Settings",
    "Watch",
    "cases_for",
    "cases_for_run",
    "fit",
    "fit_models",
    "from_opinions",
    "from_run",
    "grouped_folds",
    "judge_effects",
    "load_calibrator",
    "mean_quality",
    "measure",
    "measure_predictions",
    "pool",
    "reliability_curve",
    "rmse_bound",
    "save_calibrator",
    "smooth_ece",
    "smooth_ece_floor",
]
