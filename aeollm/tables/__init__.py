"""The nouns: runs, labels, rubrics, scores, and the policy a score is computed under."""

from aeollm.tables.annotations import Annotations
from aeollm.tables.comparison import Comparison, FamilyFigures, PairFigures, Plan, RunFigures, signature_parts
from aeollm.tables.inputs import Criterion, Key, Labels, Rubrics, Run
from aeollm.tables.joined import Dropped, Join, exchanged_hints, join
from aeollm.tables.names import DIMENSIONS, KEY_COLUMNS, MEASURES, OVERALL, PAIR_KINDS, SCORE_SUFFIX
from aeollm.tables.opinions import Answers, Opinions
from aeollm.tables.policy import Policy, signature
from aeollm.tables.scores import Mean, Scores, TieChange

__all__ = [
    "DIMENSIONS",
    "KEY_COLUMNS",
    "MEASURES",
    "OVERALL",
    "PAIR_KINDS",
    "SCORE_SUFFIX",
    "Annotations",
    "Answers",
    "Comparison",
    "Criterion",
    "Dropped",
    "FamilyFigures",
    "Join",
    "Key",
    "Labels",
    "Mean",
    "Opinions",
    "PairFigures",
    "Plan",
    "Policy",
    "Rubrics",
    "Run",
    "RunFigures",
    "Scores",
    "TieChange",
    "exchanged_hints",
    "join",
    "signature",
    "signature_parts",
]
