"""The nouns: runs, labels, rubrics, scores, and the policy a score is computed under."""

from aeollm.tables.inputs import Criterion, Key, Labels, Rubrics, Run
from aeollm.tables.names import DIMENSIONS, KEY_COLUMNS, MEASURES, OVERALL, PAIR_KINDS, SCORE_SUFFIX
from aeollm.tables.policy import Policy, signature
from aeollm.tables.scores import Mean, Scores, TieChange

__all__ = [
    "DIMENSIONS",
    "KEY_COLUMNS",
    "MEASURES",
    "OVERALL",
    "PAIR_KINDS",
    "SCORE_SUFFIX",
    "Criterion",
    "Key",
    "Labels",
    "Mean",
    "Policy",
    "Rubrics",
    "Run",
    "Scores",
    "TieChange",
    "signature",
]
