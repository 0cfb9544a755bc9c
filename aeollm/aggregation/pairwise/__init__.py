"""Pairwise comparisons: what a place in the prompt does to them, and strengths of the answers."""

from aeollm.aggregation.pairwise.comparisons import MOST_ANSWERS, Comparisons, Orders, comparisons_of
from aeollm.aggregation.pairwise.connection import Separation, separations
from aeollm.aggregation.pairwise.counting import copeland_scores, win_rates
from aeollm.aggregation.pairwise.models import (
    Model,
    Strengths,
    fit_anchored,
    fit_bradley_terry,
    fit_davidson,
)
from aeollm.aggregation.pairwise.pairs import Pairs, pairs_of
from aeollm.aggregation.pairwise.position import Count, Interval, PositionBias, position_bias
from aeollm.aggregation.pairwise.uncertainty import bootstrap_errors, covariances, standard_errors

__all__ = [
    "MOST_ANSWERS",
    "Comparisons",
    "Count",
    "Interval",
    "Model",
    "Orders",
    "Pairs",
    "PositionBias",
    "Separation",
    "Strengths",
    "bootstrap_errors",
    "comparisons_of",
    "copeland_scores",
    "covariances",
    "fit_anchored",
    "fit_bradley_terry",
    "fit_davidson",
    "pairs_of",
    "position_bias",
    "separations",
    "standard_errors",
    "win_rates",
]
