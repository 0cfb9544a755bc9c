"""Calibration tried out under a protocol: what page and command line do with files, and what comes of it."""

from aeollm.trials.material import (
    DEMO_PAIR,
    Files,
    Material,
    Pair,
    Reading,
    of_annotated_run,
    of_pairs,
    of_run,
    read_pairs,
)
from aeollm.trials.remote import Cancelled, Done, Jobs, Step
from aeollm.trials.trial import (
    BASELINES,
    REFERENCE,
    Choices,
    Protocol,
    Trial,
    calibrated_scores,
    curve,
    every_target,
    predicted,
    try_out,
    try_out_in_full,
)

__all__ = [
    "BASELINES",
    "DEMO_PAIR",
    "REFERENCE",
    "Cancelled",
    "Choices",
    "Done",
    "Files",
    "Jobs",
    "Material",
    "Pair",
    "Protocol",
    "Reading",
    "Step",
    "Trial",
    "calibrated_scores",
    "curve",
    "every_target",
    "of_annotated_run",
    "of_pairs",
    "of_run",
    "predicted",
    "read_pairs",
    "try_out",
    "try_out_in_full",
]
