"""The nouns: runs, labels, rubrics, scores, and the policy a score is computed under."""

from aeollm.tables.annotations import Annotations
from aeollm.tables.answers import AnswerScores, fitted, write_labels, write_run
from aeollm.tables.aspects import AspectRatings
from aeollm.tables.comparison import Comparison, FamilyFigures, PairFigures, Plan, RunFigures, signature_parts
from aeollm.tables.features import Features
from aeollm.tables.inputs import Criterion, Key, Labels, Rubrics, Run
from aeollm.tables.judgments import ORDERS, UNREAD, WINNERS, CriterionScores, Judgments, Order, Winner
from aeollm.tables.names import DIMENSIONS, KEY_COLUMNS, MEASURES, OVERALL, PAIR_KINDS, SCORE_SUFFIX
from aeollm.tables.policy import Policy, signature
from aeollm.tables.scores import Mean, Scores, TieChange

__all__ = [
    "DIMENSIONS",
    "KEY_COLUMNS",
    "MEASURES",
    "ORDERS",
    "OVERALL",
    "PAIR_KINDS",
    "SCORE_SUFFIX",
    "UNREAD",
    "WINNERS",
    "Annotations",
    "AnswerScores",
    "AspectRatings",
    "Comparison",
    "Criterion",
    "CriterionScores",
    "FamilyFigures",
    "Features",
    "Judgments",
    "Key",
    "Labels",
    "Mean",
    "Order",
    "PairFigures",
    "Plan",
    "Policy",
    "Rubrics",
    "Run",
    "RunFigures",
    "Scores",
    "TieChange",
    "Winner",
    "fitted",
    "signature",
    "signature_parts",
    "write_labels",
    "write_run",
]
