"""Pairwise comparisons: what a place in the prompt does to them, and strengths of the answers."""

from aeollm.aggregation.pairwise.anchors import (
    STRENGTHS,
    AnchorChoice,
    Trial,
    fit_learned_anchors,
    fit_stated_anchors,
    fitted_slope,
)
from aeollm.aggregation.pairwise.comparisons import MOST_ANSWERS, Comparisons, Orders, comparisons_of
from aeollm.aggregation.pairwise.connection import Separation, separations
from aeollm.aggregation.pairwise.counting import copeland_scores, win_rates
from aeollm.aggregation.pairwise.models import (
    LEAST_PENALTY,
    MOST_PENALTY,
    Model,
    Strengths,
    fit_anchored,
    fit_bradley_terry,
    fit_davidson,
)
from aeollm.aggregation.pairwise.pairs import Pairs, pairs_of
from aeollm.aggregation.pairwise.position import Count, Interval, PositionBias, position_bias
from aeollm.aggregation.pairwise.scale import Scale, scores_of_strengths, uneven_spreads
from aeollm.aggregation.pairwise.uncertainty import bootstrap_errors, covariances, standard_errors

__all__ = [
    "LEAST_PENALTY",
    "MOST_ANSWERS",
    "MOST_PENALTY",
    "STRENGTHS",
    "AnchorChoice",
    "Comparisons",
    "Count",
    "Interval",
    "Model",
    "Orders",
    "Pairs",
    "PositionBias",
    "Scale",
    "Separation",
    "Strengths",
    "Trial",
    "bootstrap_errors",
    "comparisons_of",
    "copeland_scores",
    "covariances",
    "fit_anchored",
    "fit_bradley_terry",
    "fit_davidson",
    "fit_learned_anchors",
    "fit_stated_anchors",
    "fitted_slope",
    "pairs_of",
    "position_bias",
    "scores_of_strengths",
    "separations",
    "standard_errors",
    "uneven_spreads",
    "win_rates",
]
