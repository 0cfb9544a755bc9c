"""A trial of a calibration as text."""

from __future__ import annotations

from aeollm.calibration import QUALITIES
from aeollm.cli.text_tables import aligned, number, problem_lines
from aeollm.exports.calibration_words import TITLES, notes, protocol_in_words
from aeollm.trials import Trial
from aeollm.validation import Validated

_MOST_EFFECTS = 30


def trial_lines(trial: Trial) -> list[str]:
    """Say what was tried, how well it works, and what to know about the numbers."""
    demo = "   DEMO: simulated data" if trial.material.demo else ""
    return [
        f"target   {trial.target}{demo}",
        f"protocol {protocol_in_words(trial)}",
        *problem_lines(trial.material.problems),
        "",
        *aligned(_models(trial), text_columns=1),
        *(f"  {name}: not shown, since {why}" for name, why in trial.skipped),
        "",
        *_smece(trial),
        *_effects(trial),
        *(f"  note:    {note}" for note in notes(trial)),
        "",
        f"signature  {trial.signature}",
    ]


def _models(trial: Trial) -> list[list[str]]:
    rows = [["model", *(TITLES[name] for name in QUALITIES)]]
    for name, found in trial.validation.models.items():
        mark = " *" if name == trial.choices.model else ""
        rows.append([name + mark, *(_cell(found, score) for score in QUALITIES)])
    return rows


def _cell(found: Validated, score: str) -> str:
    value, low, high = (getattr(quality, score) for quality in (found.quality, found.low, found.high))
    interval = f" [{number(low, 3)}, {number(high, 3)}]" if low == low else ""
    return number(value, 3) + interval


def _smece(trial: Trial) -> list[str]:
    chosen = trial.chosen
    if not chosen.smece:
        return []
    rows = [["answer", *(f"{answer:g}" for answer in chosen.smece)]]
    rows.append(["smooth ECE", *(number(value, 3) for value in chosen.smece.values())])
    rows.append(["floor (97.5 %)", *(number(chosen.floors[answer].high, 3) for answer in chosen.smece)])
    return [*aligned(rows, text_columns=1), ""]


def _effects(trial: Trial) -> list[str]:
    if not trial.effects:
        return []
    rows = [["judge", "answers", "effect"]]
    half = _MOST_EFFECTS // 2
    shown = trial.effects if len(trial.effects) <= _MOST_EFFECTS else (*trial.effects[:half], *trial.effects[-half:])
    rows += [[effect.judge, str(effect.answers), f"{effect.effect:+.3f}"] for effect in shown]
    return ["judges, the strictest first (against what all share)", *aligned(rows, text_columns=1), ""]
