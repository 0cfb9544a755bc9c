"""What a run of the Judge tab leaves: files to take away, and what other tabs can be handed."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar

import gradio as gr
import numpy as np

from aeollm.decimals import Decimals
from aeollm.exports.judged import REPORT, judged_json, report_files
from aeollm.methods import COUNTS, Judged, files_of
from aeollm.methods.running import RECIPE, REPLIES, RUN
from aeollm.sources import LabelSet
from aeollm.tables import Labels
from aeollm.ui.callbacks import OWN
from aeollm.ui.judge_desk import Desk
from aeollm.ui.judge_job import Job
from aeollm.ui.judge_setup import TRIAL
from aeollm.ui.session import Session

_DATE = (2026, 1, 1, 0, 0, 0)
"""Of the files in a zip: the same contents give the same bytes."""


@dataclass(frozen=True)
class Taken:
    """Run, replies, report, recipe, everything; and whether there is something to score, build on, calibrate."""

    COUNT: ClassVar[int] = 8

    files: tuple[Path | None, ...] = (None,) * 5
    ways: tuple[bool, ...] = (False,) * 3

    def updates(self) -> list[Any]:
        """Give what the buttons become."""
        shown = [gr.update(value=str(path) if path else None, interactive=path is not None) for path in self.files]
        return [*shown, *(gr.update(interactive=there) for there in self.ways)]


def to_take(desk: Desk, job: Job) -> Taken:
    """Write the files of a run."""
    judged = job.judged
    if judged is None:
        return Taken()
    task = judged.task
    made = {"trial": TRIAL if job.trial else None, "digest": task.material.digest}
    method = replace(task.method, judges=task.judges, made={key: value for key, value in made.items() if value})
    files = files_of(judged, method) | report_files(judged_json(judged, job.price))
    replies = job.made.replies / REPLIES
    if replies.is_file():
        files[REPLIES] = replies.read_bytes()
    paths = {name: desk.write(name, content) for name, content in files.items()}
    paths["judged.zip"] = desk.write("judged.zip", _zipped(files))
    names = (RUN, REPLIES, REPORT, RECIPE, "judged.zip")
    ran = judged.built is not None
    ways = ran, bool(tables_of(judged)), bool(opinions_of(judged)) or (ran and task.material.labels is not None)
    return Taken(tuple(paths.get(name) for name in names), ways)


def tables_of(judged: Judged) -> dict[str, bytes]:
    """Give the tables that runs are built of, with what was counted in the reports, if that is needed."""
    found = _given(judged, "scores", "criterion scores", "pairwise judgments")
    return found | ({COUNTS: judged.files[COUNTS]} if found and COUNTS in judged.files else {})


def opinions_of(judged: Judged) -> dict[str, bytes]:
    """Give the opinions, where those were asked for: the first table of them, as one is calibrated at a time."""
    return dict(list(_given(judged, "opinions").items())[:1])


def _given(judged: Judged, *kinds: str) -> dict[str, bytes]:
    names = [ask.file for ask in judged.task.method.asks if ask.kind.gives in kinds]
    return {name: judged.files[name] for name in names if name in judged.files}


def _zipped(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            archive.writestr(zipfile.ZipInfo(name, _DATE), files[name], zipfile.ZIP_DEFLATED)
    return out.getvalue()


def labels_of_run(job: Job, judged: Judged, session: Session, sets: Mapping[str, LabelSet]) -> tuple[Session, str]:
    """Give the labels to score by: those that the run was made with, or of them the answers that were judged.

    Where others are called as those by now, those of the run are offered under a name of their own.
    """
    whole, name = job.made.label_set, job.made.labels
    labels = whole.labels
    there = [report.key for report in judged.task.material.reports]
    judges = set(there if judged.built is None else judged.built.run.keys())
    rows = [row for key, row in labels.index.items() if key in judges]
    if len(rows) < len(labels):
        called = f"{OWN}{len(rows)} of {len(labels)} answers of {name.removeprefix(OWN)}"
        whole = LabelSet(part_of(labels, rows), whole.rubrics, whole.notice)
    elif name in sets and _weighed(sets[name]) == _weighed(whole):
        return session, name
    else:
        called = f"{OWN}{name.removeprefix(OWN)} as judged with"
    return replace(session, own=tuple({**dict(session.own), called: whole}.items())), called


def _weighed(label_set: LabelSet) -> tuple[str, str]:
    return label_set.labels.digest, label_set.weights_signed


def part_of(labels: Labels, rows: list[int]) -> Labels:
    """Give some rows of labels, as labels of their own, under a digest of their own."""
    at = np.array(rows, dtype=np.intp)
    keys = [(labels.questions[row], labels.answers[row]) for row in rows]
    return replace(
        labels,
        name=f"{labels.name}-part",
        revision=None,
        digest=sha256(repr((labels.digest, keys)).encode()).hexdigest(),
        questions=tuple(question for question, _ in keys),
        answers=tuple(answer for _, answer in keys),
        scores=Decimals(labels.scores.units[at], labels.scores.exponent),
        given=labels.given[at],
    )
