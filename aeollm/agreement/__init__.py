"""Annotators among each other, and what their labels leave possible: ICC, adjudication, ceilings, diagnostics."""

from aeollm.agreement.adjudication import adjudicators, set_adjudication_aside
from aeollm.agreement.annotated import (
    AnnotatedLabels,
    Disagreement,
    annotation_scores,
    aspect_scores,
    labels_of_ratings,
)
from aeollm.agreement.ceiling import PUBLISHED_RELIABILITY, Ceiling, Range, simulate_ceiling
from aeollm.agreement.diagnostics import ScaleDiagnostics, TieDiagnostics, scale_diagnostics, tie_diagnostics
from aeollm.agreement.icc import ICC, Agreement, intraclass_correlations
from aeollm.agreement.ranking import RankingAgreement, ranking_agreement
from aeollm.agreement.references import References, reference_scores
from aeollm.agreement.tie_grid import TieGrid, best_tie_grid

__all__ = [
    "ICC",
    "PUBLISHED_RELIABILITY",
    "Agreement",
    "AnnotatedLabels",
    "Ceiling",
    "Disagreement",
    "Range",
    "RankingAgreement",
    "References",
    "ScaleDiagnostics",
    "TieDiagnostics",
    "TieGrid",
    "adjudicators",
    "annotation_scores",
    "aspect_scores",
    "best_tie_grid",
    "intraclass_correlations",
    "labels_of_ratings",
    "ranking_agreement",
    "reference_scores",
    "scale_diagnostics",
    "set_adjudication_aside",
    "simulate_ceiling",
    "tie_diagnostics",
]
