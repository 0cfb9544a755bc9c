"""Agreement of automatic judges with people, computed exactly."""

from aeollm.errors import AeollmError, HubError, LabelsError, Problem, RubricsError, RunError, UsageError
from aeollm.files import inspect_run, labels_from_dataset, read_labels, read_rubrics, read_run
from aeollm.measures import kendall, pair_counts, pairwise_accuracy, spearman
from aeollm.scoring import score, score_runs
from aeollm.tables import DIMENSIONS, MEASURES, Labels, Policy, Rubrics, Run, Scores
from aeollm.version import __version__

__all__ = [
    "DIMENSIONS",
    "MEASURES",
    "AeollmError",
    "HubError",
    "Labels",
    "LabelsError",
    "Policy",
    "Problem",
    "Rubrics",
    "RubricsError",
    "Run",
    "RunError",
    "Scores",
    "UsageError",
    "__version__",
    "inspect_run",
    "kendall",
    "labels_from_dataset",
    "pair_counts",
    "pairwise_accuracy",
    "read_labels",
    "read_rubrics",
    "read_run",
    "score",
    "score_runs",
    "spearman",
]
