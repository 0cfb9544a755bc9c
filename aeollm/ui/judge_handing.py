"""What the Judge tab hands to other tabs: a run to be scored, tables to be built on, opinions to be calibrated."""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import gradio as gr

from aeollm.files import kind_of
from aeollm.methods import BUILD, Judged
from aeollm.recipes import write_recipe
from aeollm.ui.calibrate_inputs import FILES, RUN
from aeollm.ui.calibrating import Bench, Calibrations
from aeollm.ui.callbacks import Callbacks, label_sets
from aeollm.ui.judge_calls import Judging
from aeollm.ui.judge_desk import Desk
from aeollm.ui.judge_outcome import labels_of_run, opinions_of, tables_of
from aeollm.ui.session import Session
from aeollm.ui.uploads import Upload, named_files

_FILLED = 12
"""What is filled when the Calibrate tab is handed something."""


class Handing:
    """The callbacks; each gives nothing where there is nothing to hand over."""

    def __init__(self, judging: Judging, calibrations: Calibrations) -> None:
        self.judging, self.calibrations = judging, calibrations

    @property
    def score(self) -> Callbacks:
        """Give what the Score tab's events call."""
        return self.judging.score

    def labels(self, desk: Desk | None, session: Session) -> list[Any]:
        """Choose on the Score tab the labels of the answers that were judged."""
        judged = judged_of(desk)
        if desk is None or desk.job is None or judged is None:
            return [gr.skip()] * 4
        sets = label_sets(session, self.score.catalogue.offer())
        session, value = labels_of_run(desk.job, judged, session, sets)
        whole = desk.job.made
        if value in dict(session.own) and len(dict(session.own)[value].labels) < len(whole.label_set.labels):
            # What is judged next goes by the whole again.
            desk.parts[value] = whole.labels
        return [session, self.score.picker(session, value), *self.score.chosen(value, session)]

    def to_score(self, desk: Desk | None, uploads: Sequence[Upload] | None) -> list[Any]:
        """Put the run beside those of the Score tab, which scores what lies in its drop zone by the labels chosen."""
        handed = self._run(desk, uploads)
        return [gr.skip()] * 2 if handed is None else [handed, gr.update(selected="score")]

    def to_build(self, desk: Desk | None, uploads: Sequence[Upload] | None) -> list[Any]:
        """Put the tables into the Build tab's drop zone, with the recipe's steps where nothing else lies there."""
        judged = judged_of(desk)
        if desk is None or judged is None or not (tables := tables_of(judged)):
            return [gr.skip()] * 2
        # A recipe of ours names its own files: beside others the steps are to be suggested anew.
        known = {sha256(content).hexdigest() for content in tables.values()} | desk.passing
        others = [own for own in uploads or [] if _digest(own) not in known and _name(own) != BUILD]
        if judged.task.method.steps and not others:
            tables[BUILD] = write_recipe(judged.task.recipe()).encode()
        return [self._beside(desk, tables, others), gr.update(selected="build")]

    def labels_to_calibrate(self, desk: Desk | None, session: Session) -> list[Any]:
        """Choose the labels that a run is to be calibrated to; opinions are calibrated to answers."""
        return self.labels(desk, session) if _run_alone(desk) else [gr.skip()] * 4

    def run_to_calibrate(self, desk: Desk | None, uploads: Sequence[Upload] | None) -> Any:  # noqa: ANN401  files or nothing
        """Put a run that is to be calibrated beside those of the Score tab: it is calibrated to the labels there."""
        handed = self._run(desk, uploads) if _run_alone(desk) else None
        return gr.skip() if handed is None else handed

    def scored(self, desk: Desk | None, *again: Any) -> Any:  # noqa: ANN401  as gradio gives them
        """Score such a run, unless that has been done."""
        return self.score.dropped(*again) if _run_alone(desk) else gr.skip()

    def to_calibrate(
        self, desk: Desk | None, uploads: Sequence[Upload] | None, bench: Bench, session: Session
    ) -> list[Any]:
        """Put the opinions into the Calibrate tab's drop zone, or choose the run among those scored."""
        judged = judged_of(desk)
        if desk is not None and judged is not None and (opinions := opinions_of(judged)):
            others = [own for own in uploads or [] if kind_of(Path(own["path"]).read_bytes()) != "opinions"]
            # The zone says that it has changed, and is read then.
            there = gr.update(value=self._beside(desk, opinions, others), visible=True)
            return [FILES, there, *[gr.skip()] * (_FILLED - 2)]
        name = None if judged is None else _shown(session, judged)
        if name is None:
            return [gr.skip()] * _FILLED
        files, more, run, *told = self.calibrations.chosen(bench, RUN, None, None, None, name, session)
        run |= self.calibrations.runs(session, name)
        return [RUN, files, more, run, *told]

    def show_calibrate(self, desk: Desk | None, session: Session) -> dict[str, Any]:
        """Show the Calibrate tab; where the run was refused, the Score tab, which says why."""
        judged = judged_of(desk)
        if judged is None:
            return dict(gr.skip())
        ready = opinions_of(judged) or _shown(session, judged) is not None
        return dict(gr.update(selected="calibrate" if ready else "score"))

    def _run(self, desk: Desk | None, uploads: Sequence[Upload] | None) -> list[str] | None:
        judged = judged_of(desk)
        if desk is None or judged is None or judged.built is None:
            return None
        name = re.sub(r"[^\w.-]+", "_", judged.task.method.name)[:60]
        return self._beside(desk, {f"{name}_run.txt": judged.built.text.encode()}, uploads)

    def _beside(self, desk: Desk, files: dict[str, bytes], uploads: Sequence[Upload] | None) -> list[str]:
        """Write files that go with the session, beside those that are there.

        Each content is there once, and what an unfinished run gave before makes room.
        """
        digests = {sha256(content).hexdigest() for content in files.values()}
        known = digests | desk.passing
        there = [str(path) for path, _ in named_files(uploads) if sha256(path.read_bytes()).hexdigest() not in known]
        paths = [desk.write(name, content) for name, content in files.items()]
        if desk.unfinished:
            desk.passing |= digests
        return [*there, *map(str, paths)]


def judged_of(desk: Desk | None) -> Judged | None:
    """Give what came of the work that was shown last."""
    return None if desk is None or desk.job is None or desk.told is not desk.job else desk.job.judged


def _run_alone(desk: Desk | None) -> bool:
    """Tell whether a run came of it, and no opinions."""
    judged = judged_of(desk)
    return judged is not None and not opinions_of(judged)


def _shown(session: Session, judged: Judged) -> str | None:
    """Find the run among those that are scored; None where it was refused."""
    if judged.built is None:
        return None
    digest = sha256(judged.built.text.encode()).hexdigest()
    names = (name for name, own in session.ranked if own.inspection.digest == digest and own.scores is not None)
    return next(names, None)


def _digest(upload: Upload) -> str:
    return sha256(Path(upload["path"]).read_bytes()).hexdigest()


def _name(upload: Upload) -> str:
    return named_files([upload])[0][1]
