"""Agreement of automatic judges with people, computed exactly."""

from importlib import import_module
from typing import TYPE_CHECKING

from aeollm.errors import (
    AeollmError,
    AnswersError,
    HubError,
    LabelsError,
    OpinionsError,
    Problem,
    RubricsError,
    RunError,
    UsageError,
)
from aeollm.files import (
    inspect_run,
    labels_from_dataset,
    read_answers,
    read_labels,
    read_opinions,
    read_rubrics,
    read_run,
)
from aeollm.measures import kendall, pair_counts, pairwise_accuracy, spearman
from aeollm.scoring import score, score_runs
from aeollm.tables import DIMENSIONS, MEASURES, Answers, Labels, Opinions, Policy, Rubrics, Run, Scores
from aeollm.version import __version__

if TYPE_CHECKING:
    from aeollm.calibration import Calibrator, fit, from_opinions, from_run, load_calibrator, save_calibrator

# Scoring does not wait for what only calibration needs.
_LATER = ("Calibrator", "fit", "from_opinions", "from_run", "load_calibrator", "save_calibrator")

__all__ = [
    "DIMENSIONS",
    "MEASURES",
    "AeollmError",
    "Answers",
    "AnswersError",
    "Calibrator",
    "HubError",
    "Labels",
    "LabelsError",
    "Opinions",
    "OpinionsError",
    "Policy",
    "Problem",
    "Rubrics",
    "RubricsError",
    "Run",
    "RunError",
    "Scores",
    "UsageError",
    "__version__",
    "fit",
    "from_opinions",
    "from_run",
    "inspect_run",
    "kendall",
    "labels_from_dataset",
    "load_calibrator",
    "pair_counts",
    "pairwise_accuracy",
    "read_answers",
    "read_labels",
    "read_opinions",
    "read_rubrics",
    "read_run",
    "save_calibrator",
    "score",
    "score_runs",
    "spearman",
]


def __getattr__(name: str) -> object:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("aeollm.calibration"), name)
