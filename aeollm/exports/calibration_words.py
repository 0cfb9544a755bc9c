"""What has to be said beside a trial's numbers, in words: on the page, in the report, on the command line."""

from __future__ import annotations

import math

import numpy as np

from aeollm.calibration import rmse_bound
from aeollm.exports.wording import number
from aeollm.trials import Trial

TITLES = {
    "rmse": "RMSE",
    "pearson": "Pearson r",
    "spearman": "Spearman ρ",
    "kendall": "Kendall τ-b",
    "nll": "log-loss",
}
MODEL_TITLES = {
    "raw": "judge's own mean",
    "argmax": "judge's most probable answer",
    "constant": "one mean for all",
    "judge_mean": "each person's mean",
    "ridge": "ridge, own intercepts",
    "ridge_slopes": "ridge, own slopes",
    "ordinal": "ordinal, own intercepts",
    "ordinal_slopes": "ordinal, own slopes",
    "net": "LLM-Rubric network",
    "net_own": "network, own opinion only",
    "mix": "mix: ridge, ordinal, net",
}
"""``own`` is of the people: everybody's intercept or slopes, shrunk to what all share."""
_PROTOCOLS = {
    "folds": "{folds} folds that keep a text together, predictions of all folds pooled",
    "test": "fitted on the first files, scored on the test files",
    "questions": "each question left out in turn, predictions pooled",
}


def protocol_in_words(trial: Trial) -> str:
    """Say how the numbers came about."""
    choices, found = trial.choices, trial.validation
    how = _PROTOCOLS[choices.protocol].format(folds=choices.folds)
    rows = f"{found.n_test} answers scored" + (f", {found.n_train} learnt from" if choices.protocol == "test" else "")
    seeds = f"mean of {len(found.seeds)} seeds" if len(found.seeds) > 1 else "one seed"
    return f"{how}; {rows}; {seeds}."


def notes(trial: Trial) -> list[str]:
    """List what a reader would get wrong about these numbers."""
    found = [
        _bound(trial),
        _seeds(trial),
        _in_sample(trial),
        _intervals(trial),
        _floors(trial),
        _constants(trial),
        _strangers(trial),
    ]
    return [note for note in found if note]


def _bound(trial: Trial) -> str:
    quality = trial.chosen.quality
    answers = trial.rows.answered
    spread = float(np.nanstd(answers))
    if math.isnan(quality.pearson) or not spread > 0:
        return ""
    least, r = rmse_bound(spread, quality.pearson), number(quality.pearson, 3)
    return (
        f"The answers' standard deviation is {number(spread, 3)}: no prediction that correlates {r} with them can have "
        f"an RMSE below {number(least, 3)}. A lower one reported beside such a correlation is a mistake."
    )


def _seeds(trial: Trial) -> str:
    values = [quality.pearson for quality in trial.chosen.per_seed if not math.isnan(quality.pearson)]
    if len(values) < 2:
        return "One seed only: another one can give other numbers. Report the mean of several." if values else ""
    low, high = number(min(values), 3), number(max(values), 3)
    return f"Pearson over {len(values)} seeds: {low} to {high}; the mean is reported, never the best."


def _in_sample(trial: Trial) -> str:
    inside, outside = (
        f"RMSE {number(quality.rmse, 3)} and Pearson {number(quality.pearson, 3)}"
        for quality in (trial.in_sample, trial.chosen.quality)
    )
    return f"On the rows it was fitted on the model has {inside}, on others {outside}: only these say what it is worth."


def _intervals(trial: Trial) -> str:
    unit = "questions" if trial.choices.protocol == "questions" else "texts"
    return f"Intervals (95 %) come from resampling {unit}; they know nothing of other people or other data."


def _floors(trial: Trial) -> str:
    chosen = trial.chosen
    beyond = [
        f"{answer:g}"
        for answer, value in chosen.smece.items()
        if answer in chosen.floors and value > chosen.floors[answer].high
    ]
    if not chosen.floors:
        return ""
    told = f"above it for answer {', '.join(beyond)}" if beyond else "not above it for any answer"
    return (
        "Smooth calibration errors are never 0: the floor is what answers drawn from the predictions themselves would "
        f"give (97.5 % of draws lie below). Here they are {told}. Resampling would only add to them, so that they have "
        "no interval."
    )


def _constants(trial: Trial) -> str:
    if "constant" not in trial.validation.models or trial.choices.protocol == "test":
        return ""
    return (
        "The constant correlates negatively with what is held out, since it is the mean of the rest: that is no fault."
    )


def _strangers(trial: Trial) -> str:
    unknown = {
        judge
        for judge, known in zip(trial.rows.judges, trial.chosen.predictions.known.tolist(), strict=True)
        if not known
    }
    if not unknown:
        return ""
    several = f"{len(unknown)} people" if len(unknown) > 1 else "one person"
    return f"{several} gave no answer to learn from: what all people share speaks for them."
