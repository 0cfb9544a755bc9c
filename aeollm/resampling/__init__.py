"""Scores of runs -> intervals, exact paired tests, corrections, clusters, what the questions can show."""

from aeollm.resampling.clusters import clusters
from aeollm.resampling.comparing import compare_runs, extend
from aeollm.resampling.corrections import benjamini_hochberg, holm
from aeollm.resampling.intervals import Intervals, bootstrap_intervals
from aeollm.resampling.power import detectable_effect, fewest_questions, questions_needed
from aeollm.resampling.repeats import RepeatSpread, group_repeats
from aeollm.resampling.sentences import pair_sentence
from aeollm.resampling.sign_flip import MOST_EXACT, SignFlip, sign_flip_test
from aeollm.resampling.tukey import TukeyHSD, tukey_hsd_test

__all__ = [
    "MOST_EXACT",
    "Intervals",
    "RepeatSpread",
    "SignFlip",
    "TukeyHSD",
    "benjamini_hochberg",
    "bootstrap_intervals",
    "clusters",
    "compare_runs",
    "detectable_effect",
    "extend",
    "fewest_questions",
    "group_repeats",
    "holm",
    "pair_sentence",
    "questions_needed",
    "sign_flip_test",
    "tukey_hsd_test",
]
