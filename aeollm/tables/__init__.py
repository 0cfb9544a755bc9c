"""The nouns: runs, labels, rubrics, scores, and the policy a score is computed under."""

from aeollm.tables.annotations import Annotations
from aeollm.tables.answers import AnswerScores, fitted, write_labels, write_run
from aeollm.tables.aspects import AspectRatings
from aeollm.tables.comparison import Comparison, FamilyFigures, PairFigures, RunFigures, signature_parts
from aeollm.tables.features import Features
from aeollm.tables.inputs import Criterion, Key, Labels, Rubrics, Run
from aeollm.tables.joined import Dropped, Join, exchanged_hints, join
from aeollm.tables.judgments import ORDERS, UNREAD, WINNERS, CriterionScores, Judgments, Order, Winner
from aeollm.tables.names import DIMENSIONS, KEY_COLUMNS, MEASURES, OVERALL, PAIR_KINDS, SCORE_SUFFIX
from aeollm.tables.opinions import Answers, Opinions
from aeollm.tables.plan import Plan
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
    "Answers",
    "AspectRatings",
    "Comparison",
    "Criterion",
    "CriterionScores",
    "Dropped",
    "FamilyFigures",
    "Features",
    "Join",
    "Judgments",
    "Key",
    "Labels",
    "Mean",
    "Opinions",
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
    "exchanged_hints",
    "fitted",
    "join",
    "signature",
    "signature_parts",
    "write_labels",
    "write_run",
]
