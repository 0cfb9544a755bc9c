"""HTML of the Calibrate tab. Whatever is quoted from a visitor is escaped by the builders of `reporting.html`."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from aeollm.calibration import MODELS
from aeollm.errors import Problem
from aeollm.reporting.calibrated import (
    effects_table,
    models_table,
    notes_list,
    problem_list,
    smece_table,
    targets_table,
)
from aeollm.reporting.html import Html, joined, tag
from aeollm.trials import Material, Trial
from aeollm.ui.words import both
from aeollm.validation import Validation


def badge(material: Material) -> Html:
    """Mark simulated data."""
    return tag("span", "DEMO: simulated data", class_="ae-badge") if material.demo else Html("")


def found(material: Material | None, refused: Sequence[Problem], said: str = "") -> str:
    """Say what was handed in: refusals in full, the rest folded below the counts."""
    if refused:
        head = tag("h2", tag("span", "✗", aria_hidden="true"), f" {_several(len(refused), 'problem')}")
        return tag("section", head, problem_list(refused), class_="ae-box ae-error", role="alert")
    if material is None:
        return tag("p", Html(both(said)) if said else "", class_="ae-note", role="status")
    train, test = material.train, material.test
    counts = [
        _several(len(train), "answer"),
        _several(len(set(train.groups)), "question" if material.run is not None else "text"),
        *([] if material.run is not None else [_several(len(set(train.judges)), "person", "people")]),
        *([] if test is None else [f"{len(test)} answers to be scored on"]),
    ]
    line = tag("p", badge(material), " ", " · ".join(counts), class_="ae-status", role="status")
    worst = "warning" if any(problem.severity == "warning" for problem in material.problems) else "note"
    summary = tag("summary", Html(both("cal_found")), f" ({len(material.problems)})")
    details = tag("details", summary, problem_list(material.problems), **({"open": ""} if worst == "warning" else {}))
    return joined([line, tag("section", details, class_=f"ae-box ae-{worst}")]) if material.problems else line


def progress(share: float, doing: str) -> str:
    """Show how far a fit is."""
    percent = f"{100 * min(max(share, 0.0), 1.0):.0f}"
    bar = tag("div", class_="ae-bar", style=f"width: {percent}%")
    attributes = {"aria_valuenow": percent, "aria_valuemin": "0", "aria_valuemax": "100", "aria_label": "progress"}
    track = tag("div", bar, class_="ae-progress", role="progressbar", **attributes)
    return joined([track, tag("p", f"{percent} % · {doing}", class_="ae-note")])


def said(key: str) -> str:
    """Say one sentence in both languages."""
    return tag("p", Html(both(key)), class_="ae-note", role="status")


def failed(problems: Sequence[Problem]) -> str:
    """Say why there is no result."""
    return tag("section", problem_list(problems), class_="ae-box ae-error", role="alert")


def results(trial: Trial) -> str:
    """Give the table of models, with the signature below."""
    line = tag("p", badge(trial.material), tag("strong", f" {trial.target}"), class_="ae-status")
    signature = tag("details", tag("summary", "signature"), tag("code", trial.signature), class_="ae-signatures")
    return joined([line, models_table(trial, _titles()), signature])


def details(trial: Trial, name: str) -> str:
    """Give the tables that belong to the figures, and what to know about the numbers."""
    heading = tag("h2", Html(both("cal_notes")))
    parts = [
        smece_table(trial, name),
        effects_table(trial) if trial.effects else "",
        heading,
        notes_list(trial),
        Html(published()),
    ]
    return joined(tag("div", part, class_="ae-block") for part in parts if part)


def published() -> str:
    """Say what is known of the numbers that people compare theirs with."""
    facts = (tag("li", Html(both(f"cal_published_{name}"))) for name in ("bound", "seeds", "hurts"))
    return tag("details", tag("summary", Html(both("cal_published"))), tag("ul", *facts, class_="ae-foot ae-notes"))


def criteria(trial: Trial, targets: Sequence[tuple[str, Validation]]) -> str:
    """Give the table of all criteria."""
    return tag("div", targets_table(trial, targets, _titles()), class_="ae-block") if targets else ""


def _titles() -> dict[str, Html]:
    """Name the models in both languages."""
    return {name: Html(both(f"cal_model_{name}")) for name in MODELS}


def _several(count: int, what: str, many: str = "") -> str:
    return f"{count:,} {what if count == 1 else many or escape(what) + 's'}"
