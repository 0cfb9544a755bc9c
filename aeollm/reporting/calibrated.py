"""A calibration tried out, as HTML: the page's tables, and one file to pass on."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from aeollm.calibration import QUALITIES
from aeollm.errors import Problem, ProblemGroup, group_problems
from aeollm.exports import p_value
from aeollm.exports.calibration_words import MODEL_TITLES, TITLES, notes, protocol_in_words
from aeollm.figures.calibration import Panel, predicted_against_human, reliability, strictness
from aeollm.reporting.html import (
    SIGNS,
    Html,
    figure,
    folded,
    joined,
    number,
    section,
    signed,
    table,
    tag,
    text,
    with_interval,
)
from aeollm.reporting.page import page
from aeollm.trials import Trial
from aeollm.validation import Validated, Validation

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

_MOST_EFFECTS = 60


def calibration_report(trial: Trial, targets: Sequence[tuple[str, Validation]] = ()) -> bytes:
    """Write a self-contained HTML report about a trial; the same input gives the same bytes."""
    name = trial.choices.model
    parts = [
        ("results", "Models", section("results", "Models", models_table(trial))),
        ("reliability", "Reliability", section("reliability", "Reliability", *_reliability(trial, name))),
        ("predicted", "Predicted against answered", section("predicted", "Predicted", *_predicted(trial, name))),
        ("judges", "People", section("judges", "People", *_judges(trial)) if trial.effects else Html("")),
        ("targets", "Every criterion", _targets(trial, targets)),
        ("notes", "Notes", section("notes", "Notes", notes_list(trial))),
        ("files", "Files", section("files", "Files", problem_list(trial.material.problems))),
        ("signature", "Signature", section("signature", "Signature", tag("p", tag("code", trial.signature)))),
    ]
    return page(f"Calibration: {trial.target}", _head(trial), parts)


def _head(trial: Trial) -> Html:
    badge = tag("p", tag("span", "DEMO: simulated data", class_="ae-badge")) if trial.material.demo else ""
    title = tag("h1", f"A judge calibrated to people: {trial.target}")
    return tag("header", title, badge, tag("p", protocol_in_words(trial), class_="ae-status"))


def models_table(trial: Trial, titles: Mapping[str, str] = MODEL_TITLES) -> Html:
    """Compare the models: every score with its interval, the chosen one in bold, and its test against the judge.

    ``titles`` say how models are called.
    """
    heads = ["model", *(TITLES[score] for score in QUALITIES), "p, RMSE against the judge's"]
    rows = [
        _model_row(titles[name], found, chosen=name == trial.choices.model)
        for name, found in trial.validation.models.items()
    ]
    caption = f"{protocol_in_words(trial)} 95 % bootstrap intervals."
    skipped = [tag("li", f"{name}: not shown, since {why}.") for name, why in trial.skipped]
    return joined([table(heads, rows, caption), tag("ul", *skipped, class_="ae-foot") if skipped else ""])


def _model_row(title: str, found: Validated, *, chosen: bool) -> list[Html]:
    p = found.p.get("rmse", math.nan)
    row = [text(title), *(_scored(found, score) for score in QUALITIES), text(p_value(p))]
    return [tag("strong", cell) for cell in row] if chosen else row


def _scored(found: Validated, score: str) -> Html:
    value, low, high = (getattr(quality, score) for quality in (found.quality, found.low, found.high))
    if math.isinf(value):
        return tag("span", "∞", title="an answer was given that the model had called impossible")
    return with_interval(value, low, high)


def smece_table(trial: Trial, name: str) -> Html:
    """Give every answer's smooth calibration error beside its floor."""
    found = trial.validation.models[name]
    if not found.smece:
        return Html("")
    rows = []
    for answer, value in found.smece.items():
        floor = found.floors[answer]
        verdict = "above the floor" if value > floor.high else "nothing to be concluded"
        rows.append([f"{answer:g}", number(value), number(floor.mean), number(floor.high), verdict])
    heads = ["answer", "smooth ECE", "floor, mean", "floor, 97.5 %", ""]
    return table(heads, rows, f"{MODEL_TITLES[name]}: smooth calibration error of every answer's forecasts")


def effects_table(trial: Trial) -> Html:
    """List the judges, the strictest first."""
    rows = [[effect.judge, str(effect.answers), signed(effect.effect)] for effect in trial.effects[:_MOST_EFFECTS]]
    more = f" The {_MOST_EFFECTS} strictest of {len(trial.effects)}." if len(trial.effects) > _MOST_EFFECTS else ""
    caption = f"How much higher each person answers {trial.target} than the part all share; below 0 is strict.{more}"
    return folded("Everybody's strictness in numbers", table(["judge", "answers", "effect"], rows, caption))


def targets_table(
    trial: Trial, targets: Sequence[tuple[str, Validation]], titles: Mapping[str, str] = MODEL_TITLES
) -> Html:
    """Compare the chosen model with the judge's own mean and people's means, for every criterion."""
    shown = [name for name in (trial.choices.model, *trial.choices.beside) if name != "argmax"]
    heads = ["criterion", "answers", *(titles[name] for name in shown)]
    rows = []
    for target, found in targets:
        cells = [_pair(found.models[name]) if name in found.models else text("–") for name in shown]
        rows.append([target, str(found.n_test), *cells])
    worse = [word for target, found in targets if (word := _hurt(trial, target, found))]
    told = f"A higher RMSE than the judge's own mean: {', '.join(worse)}." if worse else ""
    return joined([table(heads, rows, f"RMSE / Pearson's r of every criterion. {told}")])


def _hurt(trial: Trial, target: str, found: Validation) -> str:
    """Name a criterion that calibration makes worse, and say whether by more than chance."""
    chosen = found.models.get(trial.choices.model)
    gap = chosen.difference.get("rmse") if chosen is not None else None
    if gap is None or not gap.value > 0:
        return ""
    return f"{target} ({'beyond' if gap.low > 0 else 'within'} chance)"


def _pair(found: Validated) -> Html:
    return text(f"{number(found.quality.rmse)} / {number(found.quality.pearson)}")


def notes_list(trial: Trial) -> Html:
    """List what a reader would get wrong about the numbers."""
    return tag("ul", *(tag("li", note) for note in notes(trial)), class_="ae-foot ae-notes")


def problem_list(problems: Iterable[Problem]) -> Html:
    """List what was found about the files, the first few of a kind; a remedy they share is told once."""
    items = [item for group in group_problems(problems) for item in _items(group)]
    return tag("ul", *items, class_="ae-foot") if items else tag("p", "Nothing was found wrong with the files.")


def _items(group: ProblemGroup) -> Iterable[Html]:
    shared = len({problem.remedy for problem in group.shown}) == 1
    sign = tag("span", f"{SIGNS[group.severity]} ", aria_hidden="true")
    last = len(group.shown) - 1
    for place, problem in enumerate(group.shown):
        remedy = problem.remedy if not shared or place == last else ""
        more = f" And {group.more} more of this kind." if group.more and place == last else ""
        told = f"{problem.place}{problem.message}"
        word = tag("span", group.severity, class_="ae-word")
        yield tag("li", sign, word, " ", told, more, " ", tag("span", remedy, class_="ae-remedy") if remedy else "")


def panels(trial: Trial, name: str) -> list[Panel]:
    """Give the reliability of every answer's forecasts by one model."""
    found = trial.validation.models[name]
    return [
        Panel(f"answer {answer:g}", curve.at, curve.observed, curve.density, f"ECE {number(found.smece[answer])}")
        for answer, curve in found.curves.items()
    ]


def _reliability(trial: Trial, name: str) -> list[Html]:
    shown = panels(trial, name)
    if not shown:
        return [tag("p", f"{MODEL_TITLES[name]}: no probabilities of single answers.")]
    drawn = reliability(shown, demo=trial.material.demo)
    return [
        figure(drawn, "reliability", f"{MODEL_TITLES[name]}: observed over forecast frequency"),
        smece_table(trial, name),
    ]


def _predicted(trial: Trial, name: str) -> list[Html]:
    return [
        figure(
            predicted_figure(trial, name), "predicted", f"{MODEL_TITLES[name]}: predicted mean over the answer given"
        )
    ]


def predicted_figure(trial: Trial, name: str) -> Figure:
    """Draw a model's predictions over the answers."""
    found = trial.validation.models[name].predictions
    discrete = trial.rows.options[trial.rows.place] > 0
    values = trial.fitted.values if discrete else trial.fitted.values[:0]
    return predicted_against_human(
        found.expected, trial.rows.answered, values, target=trial.target, demo=trial.material.demo
    )


def effects_figure(trial: Trial) -> Figure:
    """Draw the judges' strictness."""
    effects = trial.effects
    names, sizes, counts = zip(*((one.judge, one.effect, one.answers) for one in effects), strict=True)
    return strictness(names, sizes, counts, target=trial.target, demo=trial.material.demo)


def _judges(trial: Trial) -> list[Html]:
    return [figure(effects_figure(trial), "strictness", "How strict people are"), effects_table(trial)]


def _targets(trial: Trial, targets: Sequence[tuple[str, Validation]]) -> Html:
    return section("targets", "Every criterion", targets_table(trial, targets)) if targets else Html("")
