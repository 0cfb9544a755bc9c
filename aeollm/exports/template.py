"""A run to be filled in."""

from __future__ import annotations

from aeollm.tables import DIMENSIONS, SCORE_SUFFIX, Labels


def template_run(labels: Labels) -> bytes:
    """Write a run for these labels in which only the scores are to be filled in.

    Every score is 0, so that the file is accepted as it is (and says that all scores are equal); labels
    with dimensions of their own get the header line that their runs need.
    """
    lines = []
    if labels.run_dimensions != DIMENSIONS:
        lines.append(
            "\t".join(["taskId", "questionId", "answerId", *(d + SCORE_SUFFIX for d in labels.run_dimensions)])
        )
    zeros = ["0"] * len(labels.run_dimensions)
    keys = zip(labels.questions, labels.answers, strict=True)
    lines += ["\t".join(["0", question, answer, *zeros]) for question, answer in keys]
    return "\n".join([*lines, ""]).encode()
