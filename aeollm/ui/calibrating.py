"""What the Calibrate tab's events call: plain methods of values in, component values out."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import gradio as gr

from aeollm.calibration import save_calibrator
from aeollm.errors import AeollmError, Problem
from aeollm.exports.calibration_json import predictions_csv
from aeollm.exports.run_file import run_file
from aeollm.reporting.calibrated import calibration_report
from aeollm.trials import (
    Cancelled,
    Choices,
    Done,
    Jobs,
    Material,
    Protocol,
    Step,
    Trial,
    calibrated_scores,
    curve,
    every_target,
    try_out_in_full,
)
from aeollm.ui import calibrate_notices as notices
from aeollm.ui.calibrate_inputs import EXAMPLE, FILES, RUN, example, from_session, from_uploads, is_example
from aeollm.ui.downloads import Downloads
from aeollm.ui.notices import shown_name
from aeollm.ui.rendering_calibration import curve_figure, figures_of
from aeollm.ui.session import Session
from aeollm.ui.uploads import Upload
from aeollm.ui.words import say
from aeollm.validation import Validation

MODEL, RUN_MODEL = "ridge_slopes", "ridge"
FIRST = (5, 3)
"""Folds and seeds."""
BESIDE = ("raw", "judge_mean", "ridge")


@dataclass(frozen=True)
class Bench:
    """What one visitor has handed in and what came of it; ``job`` names the work that is going on.

    ``made`` holds what was computed on demand: the learning curve, all criteria, the calibrated run's scores.
    """

    material: Material | None = None
    refused: tuple[Problem, ...] = ()
    waiting: str = ""
    job: str = ""
    trial: Trial | None = None
    made: dict[str, Any] = field(default_factory=dict)


class Calibrations:
    """The callbacks, and the processes that they start."""

    def __init__(self, downloads: Downloads) -> None:
        self.downloads = downloads
        self.jobs = Jobs()
        self._example: Trial | None = None
        self._lock = threading.Lock()

    def opened(self, bench: Bench, source: str, run: str | None, session: Session) -> list[Any]:
        """Fill the tab when it is opened for the first time, and start the example's fit; later only offer the runs."""
        if source != EXAMPLE or bench.material is not None:
            return [*[gr.skip()] * 6, self.runs(session, run), *[gr.skip()] * 3]
        bench = Bench(example(), job=self.jobs.new())
        described = self.taken(bench)
        described[-1] = gr.update(interactive=False)
        return [*described, self.runs(session, run), notices.said("cal_waiting"), gr.update(visible=True), bench.job]

    def runs(self, session: Session, chosen: str | None) -> dict[str, Any]:
        """Offer the runs that are scored; the one chosen stays, if it is among them."""
        names = [name for name, _ in session.scored]
        value = chosen if chosen in names else names[0] if names else None
        return dict(gr.update(choices=[(shown_name(name), name) for name in names], value=value))

    def chosen(self, bench: Bench, source: str, *inputs: Any) -> list[Any]:  # noqa: ANN401  as gradio gives them
        """Read what another source, a dropped file or another run hands in; what was going on ends."""
        self.jobs.cancel(bench.job)
        uploads, tests, renames, run, session = inputs
        visible = [gr.update(visible=source == kind) for kind in (FILES, FILES, RUN)]
        taken = self.taken(self._read(source, uploads, tests, renames, (run, session)))
        return [*visible, *taken, "", gr.update(visible=False)]

    def _read(
        self,
        source: str,
        uploads: Sequence[Upload] | None,
        tests: Sequence[Upload] | None,
        renames: str | None,
        scored: tuple[str | None, Session],
    ) -> Bench:
        try:
            if source == EXAMPLE:
                return Bench(example())
            if source == RUN:
                return Bench(from_session(scored[1], scored[0]), waiting="cal_no_run")
            waiting = "cal_one_file" if uploads else ""
            return Bench(from_uploads(uploads, tests, renames), waiting=waiting)
        except AeollmError as error:
            return Bench(refused=error.problems)

    def taken(self, bench: Bench) -> list[Any]:
        """Say what was found, and offer targets and protocols that fit."""
        material = bench.material
        ready = material is not None
        targets = list(material.targets) if material is not None else []
        protocols = _protocols(material)
        return [
            bench,
            notices.found(material, bench.refused, bench.waiting),
            gr.update(choices=targets, value=material.train.target if material is not None else None),
            gr.update(choices=[(say(f"cal_protocol_{name}"), name) for name in protocols], value=protocols[0]),
            gr.update(value=RUN_MODEL if material is not None and material.run is not None else MODEL),
            gr.update(interactive=ready),
        ]

    def begun(self, bench: Bench) -> list[Any]:
        """Name the work, so that it can be cancelled even while it waits."""
        bench = replace(bench, job=self.jobs.new())
        return [bench, notices.said("cal_waiting"), *_buttons(working=True)]

    def fitted(self, bench: Bench, *asked: Any) -> Iterator[list[Any]]:  # noqa: ANN401  as gradio gives them
        """Try the models out; what was there stays if it comes to nothing."""
        target, model, beside, protocol, *counts = asked
        if bench.material is None:
            yield [gr.skip(), ""]
            return
        try:
            material = bench.material.aimed_at(str(target))
            wanted = _choices(material, model, beside, protocol, counts)
            material = material.without_test() if wanted.protocol == "folds" else material
        except AeollmError as error:
            yield [gr.skip(), notices.failed(error.problems)]
            return
        if known := self._known_example(material, wanted):
            yield [replace(bench, trial=known, made={}), notices.said("cal_done")]
            return
        for outcome, shown in self._worked(bench, partial(try_out_in_full, material, wanted)):
            if isinstance(outcome, Trial):
                self._keep_example(outcome)
                yield [replace(bench, trial=outcome, made={}), shown]
            else:
                yield [gr.skip(), shown]

    def made(self, kind: str, bench: Bench) -> Iterator[list[Any]]:
        """Compute what is only wanted on demand."""
        trial = bench.trial
        if trial is None:
            yield [gr.skip(), ""]
            return
        work = {
            "curve": partial(curve, trial.material, trial.choices),
            "criteria": partial(every_target, trial.material, trial.choices),
            "run": partial(calibrated_scores, trial.material, trial.choices),
        }[kind]
        for outcome, shown in self._worked(bench, work):
            yield [gr.skip() if outcome is None else replace(bench, made=bench.made | {kind: outcome}), shown]

    def _worked(self, bench: Bench, work: Any) -> Iterator[tuple[Any, str]]:  # noqa: ANN401  any outcome
        """Give None with the progress while it goes on, at last the outcome."""
        try:
            for said in self.jobs.run(bench.job, work):
                if isinstance(said, Step):
                    yield None, notices.progress(said.share, said.doing)
                elif isinstance(said, Done):
                    yield said.outcome, notices.said("cal_done")
        except Cancelled:
            yield None, notices.said("cal_cancelled")
        except AeollmError as error:
            yield None, notices.failed(error.problems)

    def cancelled(self, bench: Bench) -> list[Any]:
        """End the visitor's work at once, also while it waits for its turn."""
        self.jobs.cancel(bench.job)
        return [notices.said("cal_cancelled"), *_buttons(working=False)]

    def finished(self) -> list[Any]:
        """Let another fit be asked for."""
        return _buttons(working=False)

    def shown(self, bench: Bench, name: str | None) -> list[Any]:
        """Fill everything that shows results."""
        trial = bench.trial
        if trial is None:
            return [gr.update(visible=False), *[gr.skip()] * 11]
        names = list(trial.validation.models)
        name = name if name in names else trial.choices.model
        is_run = trial.material.run is not None
        return [
            gr.update(visible=True),
            notices.results(trial),
            gr.update(choices=[(say(f"cal_model_{known}"), known) for known in names], value=name),
            *[gr.update(value=drawn, visible=drawn is not None) for drawn in figures_of(trial, name)],
            notices.details(trial, name),
            gr.update(visible=not is_run),
            gr.update(visible=is_run),
            *self.extras(bench),
        ]

    def looked_at(self, bench: Bench, name: str) -> list[Any]:
        """Show another model."""
        trial = bench.trial
        if trial is None or name not in trial.validation.models:
            return [gr.skip()] * 3
        drawn = figures_of(trial, name)[:2]
        return [*[gr.update(value=one, visible=one is not None) for one in drawn], notices.details(trial, name)]

    def extras(self, bench: Bench) -> list[Any]:
        """Show what was made on demand, and nothing where it was not."""
        trial, made = bench.trial, bench.made
        if trial is None:
            return [gr.update(visible=False), "", gr.update(visible=False)]
        drawn = curve_figure(trial, made["curve"]) if "curve" in made else None
        offered = gr.update(visible=False)
        if "run" in made and trial.material.run is not None and trial.material.labels is not None:
            content = run_file(trial.material.run, made["run"].tolist(), trial.material.labels.dimensions)
            offered = gr.update(value=self.downloads.write("calibrated_run.txt", content), visible=True)
        return [
            gr.update(value=drawn, visible=drawn is not None),
            notices.criteria(trial, made.get("criteria", ())),
            offered,
        ]

    def files_to_take(self, bench: Bench) -> list[Any]:
        """Write predictions and calibrator."""
        if bench.trial is None:
            return [gr.update(interactive=False)] * 2
        paths = [
            self.downloads.write("predictions.csv", predictions_csv(bench.trial)),
            self.downloads.write("calibrator.json", save_calibrator(bench.trial.fitted)),
        ]
        return [gr.update(value=path, interactive=True) for path in paths]

    def report_to_take(self, bench: Bench) -> dict[str, Any]:
        """Write the report."""
        if bench.trial is None:
            return dict(gr.update(visible=False))
        targets: tuple[tuple[str, Validation], ...] = bench.made.get("criteria", ())
        path = self.downloads.write("calibration.html", calibration_report(bench.trial, targets))
        return dict(gr.update(value=path, visible=True))

    def _known_example(self, material: Material, choices: Choices) -> Trial | None:
        known = self._example
        if known is None or known.choices != choices or known.target != material.train.target:
            return None
        return known if is_example(material) else None

    def _keep_example(self, trial: Trial) -> None:
        """Keep what every visitor sees first."""
        if is_example(trial.material) and trial.choices == _choices(trial.material, MODEL, BESIDE, "folds", FIRST):
            with self._lock:
                self._example = self._example or trial


def _buttons(*, working: bool) -> list[Any]:
    """Let nothing be started while work goes on, and only then be cancelled."""
    return [*[gr.update(interactive=not working)] * 4, gr.update(visible=working)]


def _protocols(material: Material | None) -> list[Protocol]:
    if material is not None and material.run is not None:
        return ["questions"]
    return ["test", "folds"] if material is not None and material.test is not None else ["folds"]


def _choices(
    material: Material, model: str, beside: Sequence[str] | None, protocol: str, counts: Sequence[float]
) -> Choices:
    """Take what was chosen; the page's numbers come as they were typed.

    Raises
    ------
    UsageError
        For what cannot be done.
    """
    folds, seeds = (int(count or 0) for count in counts)
    fitting = protocol if protocol in _protocols(material) else _protocols(material)[0]
    return Choices(model, fitting, tuple(beside or ()), folds, seeds)
