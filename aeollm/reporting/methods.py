"""The report's last word: how its numbers were made."""

from __future__ import annotations

from aeollm.evaluation import Evaluation
from aeollm.exports import plan_in_words
from aeollm.reporting.html import Html, section, tag
from aeollm.tables import Comparison, Policy
from aeollm.version import __version__

_UNDEFINED = {
    "skip": "are left out of a mean, and counted",
    "zero": "count as 0 in a mean",
    "strict": "make a mean undefined",
}
_TIES = {
    "exact": "Weighted totals are compared as the decimals written, so that equal totals tie.",
    "float64": "Weighted totals are compared as float64 sums, in which equal totals may come out unequal.",
}


def methods_section(evaluation: Evaluation, comparison: Comparison | None) -> Html:
    """Say in words how scores, intervals and tests were made."""
    told = [*_scoring(evaluation.policy, rubrics=evaluation.label_set.rubrics is not None)]
    if comparison is not None:
        told += _comparing(comparison)
    told.append(f"Computed by aeollm {__version__}; the same files and options give this file again, byte by byte.")
    return section("methods", "Methods", *(tag("p", line) for line in told))


def _scoring(policy: Policy, *, rubrics: bool) -> list[str]:
    weights = "weighted by each question's rubric" if rubrics else "all dimensions weighing the same, without rubrics"
    least = policy.min_answers
    return [
        "Every question is measured by itself, in every dimension and overall "
        f"({weights}); then the mean over questions is taken. Spearman ρ: Pearson's correlation of average ranks. "
        "Kendall τ-b: (C − D) / √((C + D + T)(C + D + U)), with T pairs tied in the run only and U in the labels only. "
        "Pairwise accuracy: the share of pairs of answers ordered alike; a tie agrees only with a tie.",
        f"{_TIES[policy.ties]} Questions with fewer than {least} answers are undefined, as are ρ and τ where run or "
        f"labels are constant; undefined questions {_UNDEFINED[policy.undefined]}.",
    ]


def _comparing(comparison: Comparison) -> list[str]:
    pairs = len(comparison.pair_names)
    told = [plan_in_words(comparison.plan, pairs) + " The question is the unit that is resampled."]
    if pairs:
        told.append(
            "A pair's difference uses the questions defined for both runs. Its p-value is exact where at most 26 "
            "questions differ (all patterns of signs are counted), else sampled with (hits + 1) / (resamples + 1). "
            "Detectable differences and questions needed come from the noncentral t distribution on the standard "
            "deviation of the pair's differences."
        )
    if pairs > 1 and comparison.plan.correction == "tukey":
        told.append(
            "Randomised Tukey HSD: the runs' values are shuffled within every question, and the largest difference of "
            "two means is compared with each difference seen (Carterette 2012, ACM TOIS 30:4)."
        )
    return told
