"""Whatever small tables are calibrated: a trial that can be told, or a refusal; never another exception."""

import json

import numpy as np
import pytest

from aeollm.calibration import load_calibrator, save_calibrator
from aeollm.cli.calibrated_text import trial_lines
from aeollm.errors import AeollmError
from aeollm.exports.calibration_json import predictions_csv, trial_json
from aeollm.files import read_answers, read_opinions
from aeollm.reporting.calibrated import calibration_report
from aeollm.trials import Choices, Pair, of_pairs, try_out_in_full

MODELS = ("raw", "argmax", "constant", "judge_mean", "ridge", "ridge_slopes", "ordinal")


def shares(rng, options):
    """Draw probabilities as odd as a file may hold: none at all, certainty, indifference, mass outside."""
    kind = rng.random()
    if kind < 0.1:
        return np.zeros(options)
    if kind < 0.3:
        return np.eye(options)[rng.integers(options)]
    return np.full(options, 1 / options) if kind < 0.4 else rng.dirichlet(np.full(options, 0.3)) * rng.uniform(0.3, 1)


def tables(rng):
    """Write opinions with holes and answers to texts that may have none, by few people, perhaps all alike."""
    texts, criteria, options = (int(rng.integers(low, high)) for low, high in ((1, 9), (1, 4), (2, 11)))
    opinions = ["\t".join(["text_id", "criterion", *(f"p{k}" for k in range(1, options + 1))])]
    for text in range(texts):
        for criterion in range(criteria):
            if rng.random() > 0.15:
                opinions.append("\t".join([f"t{text}", f"Q{criterion}", *map(repr, shares(rng, options).tolist())]))
    alike = rng.random() < 0.2
    answers = ["\t".join(["text_id", "judge", *(f"Q{criterion}" for criterion in range(criteria))])]
    for _ in range(rng.integers(1, 25)):
        given = [1 if alike else int(rng.integers(0, options + 1)) for _ in range(criteria)]
        answers.append("\t".join([f"t{rng.integers(texts + 1)}", f"j{rng.integers(4)}", *map(str, given)]))
    counts = {f"Q{criterion}": options for criterion in range(criteria)}
    return "\n".join(opinions).encode(), "\n".join(answers).encode(), counts


def tried(rng):
    opinions, answers, counts = tables(rng)
    read = read_opinions(opinions, options=counts)
    pair = Pair(read, read_answers(answers, read))
    material = of_pairs(pair, None, str(rng.choice(list(counts))))
    choices = Choices(str(rng.choice(MODELS)), beside=("raw", "judge_mean"), folds=2, seeds=1)
    return try_out_in_full(material, choices, lambda _share, _doing: None)


@pytest.mark.parametrize("seed", range(16))
def test_a_trial_that_can_be_told_or_a_refusal(seed):
    try:
        trial = tried(np.random.default_rng(seed))
    except AeollmError:
        return
    told = json.loads(json.dumps(trial_json(trial), allow_nan=False))
    assert told["n_test"] == len(trial.rows) >= 2
    assert all("nan" not in line for line in trial_lines(trial)[3:])
    assert predictions_csv(trial)
    assert calibration_report(trial)
    assert load_calibrator(save_calibrator(trial.fitted)).signed == trial.fitted.signed
