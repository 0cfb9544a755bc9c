"""Tables to plotly figures: no files, no state, no computing beyond picking rows."""

from aeollm.figures.compare import forest, paired_differences
from aeollm.figures.embedding import figure_json, plotly_script
from aeollm.figures.questions import matrix, rank_slopes, score_scatter
from aeollm.figures.scores import dimensions_by_measure, per_question
from aeollm.figures.steps import what_steps_bring
from aeollm.figures.style import INK, view_colour, view_title

__all__ = [
    "INK",
    "dimensions_by_measure",
    "figure_json",
    "forest",
    "matrix",
    "paired_differences",
    "per_question",
    "plotly_script",
    "rank_slopes",
    "score_scatter",
    "view_colour",
    "view_title",
    "what_steps_bring",
]
