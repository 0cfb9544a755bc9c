"""What the Build tab's events call: plain values in, component values out."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import gradio as gr

from aeollm.errors import AeollmError
from aeollm.exports import json_bytes
from aeollm.exports.build_json import build_json
from aeollm.figures import what_steps_bring
from aeollm.recipes import write_recipe
from aeollm.sources import DEMO, LabelSet
from aeollm.tables import MEASURES
from aeollm.ui import build_notices as notices
from aeollm.ui.build_edits import edited
from aeollm.ui.build_form import form
from aeollm.ui.build_inputs import DEMO_FILES, Handed, demo_files, sort
from aeollm.ui.build_steps import Bench, Outcome, asked, carried_out
from aeollm.ui.callbacks import Callbacks, label_sets
from aeollm.ui.session import Session
from aeollm.ui.uploads import Upload, named_files

_LONGEST_NAME = 60
_SHOWN = 9
"""What is filled when steps have been carried out."""
_NOTHING = (gr.update(interactive=False),) * 4
"""Nothing to take: run, recipe, JSON, and the way to the Score tab."""


@dataclass
class Builds:
    """The callbacks, over the Score tab's label sets and downloads; the example's outcome is kept for everybody."""

    score: Callbacks

    def __post_init__(self) -> None:
        """Start without the example, which is built when somebody opens the tab."""
        self._lock = threading.Lock()
        self._example: Outcome | None = None

    def opened(self, bench: Bench, uploads: Sequence[Upload] | None, name: str, session: Session) -> list[Any]:
        """Show the example while nothing is handed in, and the choices that other labels leave.

        What another tab has put into the zone is read here, too, whichever of the two events comes last.
        """
        if uploads and bench.uploaded != _paths(uploads):
            return self.dropped(bench, uploads, name, session)
        if not uploads and not bench.handed.inputs:
            handed = demo_files()
            bench = replace(Bench.of(handed, self.score.catalogue.demo.labels), latest=bench.latest)
        return self._shown(bench, name, session, example=not uploads)

    def dropped(self, before: Bench, uploads: Sequence[Upload] | None, name: str, session: Session) -> list[Any]:
        """Take what lies in the drop zone, and suggest steps for it."""
        if not uploads:
            return self.opened(Bench(latest=before.latest), None, name, session)
        try:
            files = named_files(uploads)
            handed = replace(sort(files), demo=_are_demo(files))
            bench = Bench.of(handed, self._label_set(handed, name, session).labels)
        except AeollmError as error:
            bench = Bench(Handed(problems=error.problems))
        bench = replace(bench, latest=before.latest, uploaded=_paths(uploads))
        return self._shown(bench, name, session, example=False)

    def edited(
        self, bench: Bench, uploads: Sequence[Upload] | None, name: str, session: Session, event: gr.EventData
    ) -> list[Any]:
        """Take the list of steps as it stands in the browser."""
        labels = self._label_set(bench.handed, name, session).labels
        return self._shown(edited(bench, labels, event._data), name, session, example=not uploads)

    def _shown(self, bench: Bench, name: str, session: Session, *, example: bool) -> list[Any]:
        labels = self._label_set(bench.handed, name, session).labels
        bench.latest.bench = bench
        # Until the steps have been carried out, the files are those of other steps.
        return [bench, *_NOTHING, notices.found(bench, example=example), form(bench, labels)]

    def _label_set(self, handed: Handed, name: str, session: Session) -> LabelSet:
        """Give the labels chosen on the Score tab; the demo's own for the demo files."""
        catalogue = self.score.catalogue
        if handed.demo:
            return catalogue.demo
        offer = catalogue.offer()
        sets = label_sets(session, offer)
        return sets.get(name) or sets[offer.default]

    def built(self, bench: Bench, held: Outcome | None, name: str, session: Session, measure: str) -> list[Any]:
        """Carry the steps out, unless that has been done already, and show what came of them."""
        label_set = self._label_set(bench.handed, name, session)
        wanted = asked(bench, label_set)
        if not bench.steps and not bench.handed.inputs:
            held = None
        elif held is None or held.asked != wanted:
            held = self._known(wanted) or carried_out(bench, label_set)
            self._keep(bench, held)
        if bench.passed:
            # The change that came meanwhile has its own steps carried out; its files are not these.
            return [gr.skip()] * _SHOWN
        return [held, *self.looked_at(held, measure), notices.details(held), *self._to_take(held, bench.turn)]

    def looked_at(self, held: Outcome | None, measure: str) -> list[Any]:
        """Show another measure."""
        measure = measure if measure in MEASURES else MEASURES[0]
        built = None if held is None else held.built
        drawn = None
        if built is not None and held is not None and any(stage.scores for stage in built.stages):
            drawn = what_steps_bring(built.stages, measure, demo=held.label_set.labels.demo)
        return [notices.result(held, measure), gr.update(value=drawn, visible=drawn is not None)]

    def _to_take(self, held: Outcome | None, turn: int | None) -> list[Any]:
        """Offer run, recipe and everything as JSON, and the run for the Score tab."""
        if held is None or held.built is None or held.recipe is None:
            return [*_NOTHING, ""]
        stem, downloads = _file_name(held.recipe.name), self.score.downloads
        paths = [
            downloads.write(f"{stem}.txt", held.built.text.encode()),
            downloads.write(f"{stem}.toml", write_recipe(held.recipe).encode()),
            downloads.write(f"{stem}.json", json_bytes(build_json(held.built))),
        ]
        offered = [gr.update(value=path, interactive=True) for path in paths]
        accepted = held.built.inspection.run is not None
        return [*offered, gr.update(interactive=accepted), notices.how_to_repeat(held, f"{stem}.toml", turn)]

    def labels_to_score(self, held: Outcome | None, name: str, session: Session) -> list[Any]:
        """Choose on the Score tab the labels that the run was built by."""
        value = DEMO if held is not None and held.demo else name
        return [self.score.picker(session, value), *self.score.chosen(value, session)]

    def to_score(self, held: Outcome | None, uploads: Sequence[Upload] | None) -> list[Any]:
        """Put the run beside those of the Score tab, which scores whatever lies in its drop zone."""
        if held is None or held.built is None or held.recipe is None:
            return [gr.skip()] * 2
        path = self.score.downloads.write(f"{_file_name(held.recipe.name)}.txt", held.built.text.encode())
        there = [str(own) for own, _ in named_files(uploads)]
        return [[*there, path], gr.update(selected="score")]

    def demo(self) -> list[str]:
        """Put the demo files into the drop zone, which says that it has changed."""
        return [str(path) for path in DEMO_FILES]

    def _known(self, wanted: tuple[Any, ...]) -> Outcome | None:
        with self._lock:
            return self._example if self._example is not None and self._example.asked == wanted else None

    def _keep(self, bench: Bench, outcome: Outcome) -> None:
        """Keep what every visitor sees first."""
        demo = Bench.of(bench.handed, outcome.label_set.labels) if bench.handed.demo else None
        if demo is not None and demo.steps == bench.steps:
            with self._lock:
                self._example = self._example or outcome


def _are_demo(files: Sequence[tuple[Path, str]]) -> bool:
    """Say whether these are the bundled files and no others, whoever dropped them."""
    known = {path.read_bytes() for path in DEMO_FILES}
    return {path.read_bytes() for path, _ in files} == known


def _paths(uploads: Sequence[Upload]) -> tuple[str, ...]:
    return tuple(str(upload.get("path")) for upload in uploads if isinstance(upload, dict))


def _file_name(name: str) -> str:
    """Keep what every file system takes, Chinese letters included."""
    return re.sub(r"[^\w.-]+", "_", name)[:_LONGEST_NAME].strip(".") or "built"
