"""HTML of the Judge tab. Reports, prompts and replies are texts of others: the builders escape them."""

from aeollm.ui.judge_notices.blocks import boxed, problems, said
from aeollm.ui.judge_notices.calls import looked
from aeollm.ui.judge_notices.estimates import estimate, found, other_labels, small_whole
from aeollm.ui.judge_notices.progress import progress
from aeollm.ui.judge_notices.results import LostCall, result

__all__ = [
    "LostCall",
    "boxed",
    "estimate",
    "found",
    "looked",
    "other_labels",
    "problems",
    "progress",
    "result",
    "said",
    "small_whole",
]
