"""Calibrators tried on rows they did not see: protocols, intervals over texts, paired tests, studies."""

from aeollm.validation.protocols import cross_validate, leave_one_question_out, train_test
from aeollm.validation.results import Difference, Plan, Validated, Validation
from aeollm.validation.studies import Ablation, Point, ablations, learning_curve

__all__ = [
    "Ablation",
    "Difference",
    "Plan",
    "Point",
    "Validated",
    "Validation",
    "ablations",
    "cross_validate",
    "learning_curve",
    "leave_one_question_out",
    "train_test",
]
