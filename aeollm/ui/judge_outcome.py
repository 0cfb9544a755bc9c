"""What a run of the Judge tab leaves: files to take away, and the run for the Score tab."""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar

import gradio as gr
import numpy as np
from gradio.processing_utils import hash_file
from gradio.utils import get_upload_folder

from aeollm.decimals import Decimals
from aeollm.exports import json_bytes
from aeollm.exports.judged import judged_json, judged_markdown
from aeollm.methods import Judged, files_of
from aeollm.sources import DEMO, LabelSet
from aeollm.tables import Labels
from aeollm.ui.callbacks import OWN
from aeollm.ui.judge_desk import REPLIES, Desk, Job
from aeollm.ui.judge_setup import TRIAL, place_of
from aeollm.ui.session import Session

_DATE = (2026, 1, 1, 0, 0, 0)
"""Of the files in a zip: the same contents give the same bytes."""


@dataclass(frozen=True)
class Taken:
    """Files by the button that offers them; ``run`` says whether there is one to be scored."""

    COUNT: ClassVar[int] = 6

    run: Path | None
    replies: Path | None
    report: Path | None
    recipe: Path | None
    whole: Path | None

    def updates(self) -> list[Any]:
        """Give what the buttons become: run, replies, report, recipe, everything, and the way to the Score tab."""
        files = (self.run, self.replies, self.report, self.recipe, self.whole)
        shown = [gr.update(value=str(path) if path else None, interactive=path is not None) for path in files]
        return [*shown, gr.update(interactive=self.run is not None)]


def to_take(desk: Desk, job: Job) -> Taken:
    """Write the files of a run."""
    judged = job.judged
    if judged is None:
        return Taken(None, None, None, None, None)
    task = judged.task
    reports = desk.reports
    made = {"trial": TRIAL if job.trial else None, "digest": reports.digest if reports is not None else None}
    method = replace(task.method, judges=task.judges, made={key: value for key, value in made.items() if value})
    found = judged_json(judged, job.price)
    files = files_of(judged, method)
    files |= {"report.md": judged_markdown(found).encode("utf-8", "surrogatepass"), "report.json": json_bytes(found)}
    replies = desk.replies(place_of(task)) / REPLIES
    if replies.is_file():
        files[REPLIES] = replies.read_bytes()
    paths = {name: desk.write(name, content) for name, content in files.items()}
    paths["judged.zip"] = desk.write("judged.zip", _zipped(files))
    desk.remember(path for own in paths.values() for path in copies(own))
    names = ("run.txt", REPLIES, "report.md", "recipe.toml", "judged.zip")
    return Taken(*(paths.get(name) for name in names))


def copies(path: Path) -> list[Path]:
    """Give where gradio copies a file that is offered, so that the copy goes with the session, too."""
    return [Path(get_upload_folder()) / hash_file(path) / path.name]


def _zipped(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            archive.writestr(zipfile.ZipInfo(name, _DATE), files[name], zipfile.ZIP_DEFLATED)
    return out.getvalue()


def labels_of_run(judged: Judged, demo: bool, name: str, session: Session, demo_set: LabelSet) -> tuple[Session, str]:  # noqa: FBT001
    """Give the labels to score a run against: those chosen, or of them the answers that it judges, as a set apart."""
    labels, rubrics = judged.task.material.labels, judged.task.material.rubrics
    if labels is None or judged.built is None:
        return session, name
    judges = set(judged.built.run.keys())
    rows = [row for key, row in labels.index.items() if key in judges]
    if len(rows) == len(labels):
        return session, DEMO if demo else name
    called = f"{OWN}{len(rows)} of {len(labels)} answers of {DEMO if demo else name.removeprefix(OWN)}"
    part = LabelSet(part_of(labels, rows), rubrics, demo_set.notice if demo else "")
    return replace(session, own=tuple({**dict(session.own), called: part}.items())), called


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
