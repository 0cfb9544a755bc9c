"""Reading what judges really write: scores, winners, options and their probabilities; or why there are none."""

from aeollm.judging.reading.choices import (
    Outcome,
    choice_reader,
    outcome_of,
    outcomes_reader,
    read_choice,
    read_outcomes,
)
from aeollm.judging.reading.fields import ANSWER, SCORE, WINNER, Field, criterion_fields, dimension_fields
from aeollm.judging.reading.numbers import Scale
from aeollm.judging.reading.probabilities import (
    OptionProbabilities,
    option_probabilities,
    probabilities_reader,
    sampled_probabilities,
    told_apart,
)
from aeollm.judging.reading.schemas import outcomes_schema, scores_schema
from aeollm.judging.reading.scores import read_scores, scores_reader

__all__ = [
    "ANSWER",
    "SCORE",
    "WINNER",
    "Field",
    "OptionProbabilities",
    "Outcome",
    "Scale",
    "choice_reader",
    "criterion_fields",
    "dimension_fields",
    "option_probabilities",
    "outcome_of",
    "outcomes_reader",
    "outcomes_schema",
    "probabilities_reader",
    "read_choice",
    "read_outcomes",
    "read_scores",
    "sampled_probabilities",
    "scores_reader",
    "scores_schema",
    "told_apart",
]
