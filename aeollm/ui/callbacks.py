"""What the Score tab's events call: plain values in, component values out."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import gradio as gr

from aeollm.errors import AeollmError
from aeollm.evaluation import evaluate
from aeollm.exports import questions_csv, scores_json, template_run
from aeollm.sources import DEMO, DEMO_FOLDER, LabelSet, read_upload
from aeollm.tables import MEASURES, OVERALL
from aeollm.ui import notices
from aeollm.ui.catalogue import Catalogue, Offer
from aeollm.ui.door import sent
from aeollm.ui.downloads import Downloads
from aeollm.ui.rendering import (
    Look,
    overview,
    question_columns,
    questions_figure,
    questions_table,
)
from aeollm.ui.session import Session
from aeollm.ui.uploads import Upload, named_files, refuse_many
from aeollm.ui.words import say_view

DEMO_RUNS = tuple(sorted((DEMO_FOLDER / "runs").glob("*.txt")))
OWN = "own: "


def first_session(catalogue: Catalogue) -> Session:
    """Score the demo runs that are whole, as the example of an empty page."""
    runs = [(path, None) for path in DEMO_RUNS if "broken" not in path.name]
    return Session.of(evaluate(runs, catalogue.demo), example=True)


def _file_name(text: str) -> str:
    """Keep what every file system takes, Chinese letters included."""
    return re.sub(r"[^\w.-]+", "_", text)[:60]


def label_sets(session: Session, offer: Offer) -> dict[str, LabelSet]:
    """Give the sets a visitor can choose: everybody's, and the ones uploaded here."""
    return offer.sets | dict(session.own)


def score_files(
    session: Session, offer: Offer, name: str, files: Sequence[tuple[Path, str | None]], *, example: Session
) -> Session:
    """Score files against the label set of that name; without files show the example again.

    The example is scored on the demo's labels: beside a visitor's own it would be taken for theirs.
    """
    if not files and name not in dict(session.own):
        return replace(example, own=session.own)
    sets = label_sets(session, offer)
    return Session.of(evaluate(files, sets.get(name) or sets[offer.default]), session.own)


def add_labels(session: Session, upload: Upload) -> tuple[Session, str | None]:
    """Take uploaded labels; give the session with them, or with what is wrong, and their name."""
    try:
        [(path, given)] = named_files([upload])
        name = f"{OWN}{notices.shown_name(Path(given).stem, 40)}"
        found = read_upload(path.read_bytes(), given)
        refuse_many(found.labels)
    except AeollmError as error:
        return replace(session, refused=error.problems), None
    own = {**dict(session.own), name: found}
    return replace(session, own=tuple(own.items()), refused=()), name


def _choices(session: Session, before: Session | None, run: str | None, view: str) -> list[Any]:
    """Offer the runs and the views; what is offered already is only chosen.

    gradio 6.31 keeps every dropdown that it ever gave new choices to for as long as the session lasts.
    """
    names, views = [name for name, _ in session.scored], session.evaluation.label_set.labels.views
    same = before is not None and names == [name for name, _ in before.scored]
    alike = before is not None and views == before.evaluation.label_set.labels.views
    return [
        run if same else gr.update(choices=[(notices.shown_name(name), name) for name in names], value=run),
        view if alike else gr.update(choices=[(say_view(name), name) for name in views], value=view),
    ]


class Callbacks:
    """What the tab's events call: plain methods of values in, component values out."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        self.example = first_session(catalogue)
        self.downloads = Downloads()

    def scored(self, uploads: Sequence[Upload] | None, name: str, session: Session, *look: str) -> list[Any]:
        """Score what lies in the drop zone."""
        offer = self.catalogue.offer()
        try:
            files = named_files(uploads)
        except AeollmError as error:
            return self.contents(replace(session, refused=error.problems), *look)
        return self.contents(score_files(session, offer, name, files, example=self.example), *look, before=session)

    def dropped(
        self, uploads: Sequence[Upload] | None, name: str, session: Session, *look: str
    ) -> list[Any] | dict[str, Any]:
        """Score what was dropped or taken away; nothing where it is scored already.

        The zone also says that it has changed when the demo put its runs there, and may still name the labels
        chosen before.
        """
        with contextlib.suppress(AeollmError, OSError):
            there = [(given, sha256(path.read_bytes()).hexdigest()) for path, given in named_files(uploads)]
            if there and not session.example and not session.refused and there == session.files:
                return dict(gr.skip())
        return self.scored(uploads, name, session, *look)

    def demo_runs(self, session: Session, *look: str) -> list[Any]:
        """Score the four demo runs, the broken one too, against the demo labels."""
        files = [(path, path.name) for path in DEMO_RUNS]
        session = score_files(session, self.catalogue.offer(), DEMO, files, example=self.example)
        described = [self.picker(session, DEMO), *self.chosen(DEMO, session)]
        return [[str(path) for path in DEMO_RUNS], *described, *self.contents(session, *look)]

    def contents(
        self, session: Session, run: str, view: str, measure: str, *, before: Session | None = None
    ) -> list[Any]:
        """Fill everything that shows results; ``before`` is what the page has shown so far."""
        look = Look(run, view, measure)
        found = look.resolve(session)
        shown_run, _, shown_view, shown_measure = found or (None, None, OVERALL, MEASURES[0])
        return [
            session,
            notices.report(session),
            notices.results(session, shown_measure),
            gr.update(value=overview(session) if found else None, visible=found is not None),
            *_choices(session, before, shown_run, shown_view),
            gr.update(visible=found is not None),
            self.questions(session, look),
            questions_figure(session, look),
            # Until `files_to_take` has written them anew, the files are those of what was shown before.
            *[gr.update(interactive=False)] * 2,
        ]

    def looked_at(self, session: Session, run: str, view: str, measure: str) -> list[Any]:
        """Show another run, view or measure of what is scored already."""
        look = Look(run, view, measure)
        found = look.resolve(session)
        shown = found[3] if found else MEASURES[0]
        return [notices.results(session, shown), self.questions(session, look), questions_figure(session, look)]

    def questions(self, session: Session, look: Look) -> dict[str, Any]:
        """Fill the table of questions with the columns it needs."""
        table = questions_table(session, look)
        return dict(gr.update(value=table, **question_columns(table)))

    def picker(self, session: Session, value: str) -> dict[str, Any]:
        """Offer every label set there is."""
        return dict(gr.update(choices=list(label_sets(session, self.catalogue.offer())), value=value))

    def chosen(self, name: str, session: Session) -> list[Any]:
        """Describe the chosen labels and offer their template."""
        offer = self.catalogue.offer()
        sets = label_sets(session, offer)
        chosen = sets.get(name) or sets[offer.default]
        template = self.downloads.write(f"template_{_file_name(chosen.labels.name)}.txt", template_run(chosen.labels))
        return [notices.status(chosen, offer, name), template]

    def opened(self, session: Session, request: gr.Request) -> list[Any]:
        """Fill a page that has just been opened, as its address asks: labels, view, measure.

        On a busy server this may come after what the visitor did meanwhile, which is left alone then: the timer looks
        for labels once more, by what the page has chosen. Nothing is sent that the page shows already.
        """
        asked = dict(request.query_params)
        offer = self.catalogue.offer(retry=True)
        if session.own or not session.example:
            return [*[gr.skip()] * 3, gr.update(active=True), *[gr.skip()] * 5]
        name = asked.get("labels", "")
        value = name if name in offer.sets else offer.default
        described = [self.picker(session, value), *self.chosen(value, session), gr.update(active=bool(offer.pending))]
        look = Look(None, asked.get("view"), asked.get("measure")).resolve(session)
        if look is None or look[2:] == (OVERALL, MEASURES[0]):
            return [*described, *[gr.skip()] * 5]
        return [*described, *look[2:], *self.looked_at(session, "", *look[2:])]

    def refreshed(self, uploads: Sequence[Upload] | None, name: str, session: Session) -> list[Any]:
        """See whether the labels have arrived; they are chosen only while nothing is scored yet."""
        offer = self.catalogue.offer()
        sets = label_sets(session, offer)
        value = name if name in sets and (uploads or name != DEMO) else offer.default
        return [self.picker(session, value), *self.chosen(value, session), gr.update(active=bool(offer.pending))]

    def own_labels(
        self, upload: Upload, uploads: Sequence[Upload] | None, name: str, session: Session, *look: str
    ) -> list[Any]:
        """Take uploaded labels, choose them, and score again what lies in the drop zone."""
        session, added = add_labels(session, upload)
        if added is None:
            return [self.picker(session, name), *self.chosen(name, session), *self.contents(session, *look)]
        return [self.picker(session, added), *self.chosen(added, session), *self.scored(uploads, added, session, *look)]

    def clicked_run(self, session: Session, view: str, measure: str, event: gr.EventData) -> list[Any]:
        """Show the questions of the run whose name was clicked in the table."""
        look = Look(str(sent(event, "run")), view, measure)
        found = look.resolve(session)
        shown = gr.update(value=found[0] if found else None)
        return [shown, self.questions(session, look), questions_figure(session, look)]

    def files_to_take(self, session: Session) -> list[dict[str, Any]]:
        """Write what is offered for download."""
        names, scored = [name for name, _ in session.scored], [scores for _, scores in session.scored]
        paths = [
            self.downloads.write("scores.json", scores_json(session.evaluation)),
            self.downloads.write("questions.csv", questions_csv(scored, names)),
        ]
        return [dict(gr.update(value=path, interactive=True)) for path in paths]
