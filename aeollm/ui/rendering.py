"""A session and what of it is looked at -> contents of the Score tab's components. No gradio here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aeollm.errors import printable
from aeollm.figures import dimensions_by_measure, per_question
from aeollm.reporting.html import number
from aeollm.tables import MEASURES, OVERALL, PAIR_KINDS, Scores
from aeollm.ui.notices import shown_name
from aeollm.ui.session import Session

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

QUESTION_HEADERS = (
    "question",
    "prompt",
    "answers",
    "ρ",
    "τ-b",
    "accuracy",
    "lost",
    "concordant",
    "discordant",
    "tied run",
    "tied labels",
    "tied both",
    "undefined because",
)
HEADING_WORDS = {
    "question": "question",
    "prompt": "prompt",
    "answers": "answers",
    "accuracy": "accuracy",
    "lost": "lost",
    "concordant": "concordant",
    "discordant": "discordant",
    "tied run": "tied_run",
    "tied labels": "tied_labels",
    "tied both": "tied_both",
    "undefined because": "undefined_because",
}
"""Headings that are not the same in every language, and their words."""
QUESTION_TYPES = ["str", "str", *["number"] * 10, "str"]
QUESTION_WIDTHS: list[str | int] = [85, 250, 75, 65, 65, 80, 60, 95, 95, 80, 90, 80, 190]
_OPTIONAL = (QUESTION_HEADERS.index("prompt"), QUESTION_HEADERS.index("undefined because"))
_MEASURE_COLUMNS = (3, 4, 5)
_SHORT = (0, 1, *_MEASURE_COLUMNS, 6, 12)
_LONGEST_PROMPT = 40


@dataclass(frozen=True, slots=True)
class Look:
    """What is looked at: a run by its shown name, a view, a measure; unknown ones fall back to the first."""

    run: str | None = None
    view: str | None = None
    measure: str | None = None

    def resolve(self, session: Session) -> tuple[str, Scores, str, str] | None:
        """Give shown run name, its scores, view and measure; None where nothing was scored."""
        scored = dict(session.scored)
        if not scored:
            return None
        name = self.run if self.run in scored else next(iter(scored))
        scores = scored[name]
        view = self.view if self.view in scores.views else OVERALL
        return name, scores, view, self.measure if self.measure in MEASURES else MEASURES[0]


def overview(session: Session) -> Figure:
    """Draw all runs: views by measures."""
    names = [shown_name(name, 28) for name, _ in session.scored]
    demo = session.evaluation.label_set.labels.demo
    return dimensions_by_measure([scores for _, scores in session.scored], names, bounds=session.bounds, demo=demo)


def questions_figure(session: Session, look: Look) -> Figure | None:
    """Draw the questions of the run, view and measure looked at."""
    found = look.resolve(session)
    if found is None:
        return None
    _, scores, view, measure = found
    label_set = session.evaluation.label_set
    prompts = label_set.rubrics.prompts if label_set.rubrics is not None else {}
    return per_question(scores, measure, view, prompts=prompts, demo=label_set.labels.demo)


def questions_table(session: Session, look: Look, *, short: bool = False) -> dict[str, Any]:
    """Give the questions of the run and view looked at, most pairs lost first, as gradio's table value.

    Columns that say nothing here (no prompts, nothing undefined) are left out; ``short`` leaves the pair
    counts out, too.
    """
    found = look.resolve(session)
    if found is None:
        return {"headers": list(QUESTION_HEADERS), "data": [], "metadata": None}
    _, scores, view, _ = found
    rubrics = session.evaluation.label_set.rubrics
    prompts = rubrics.prompts if rubrics is not None else {}
    rows = [_question_row(scores, scores.views.index(view), q, prompts) for q in loss_order(scores, view)]
    columns = _SHORT if short else range(len(QUESTION_HEADERS))
    kept = [c for c in columns if c not in _OPTIONAL or any(row[c] for row in rows)]
    return {
        "headers": [QUESTION_HEADERS[c] for c in kept],
        "data": [[row[c] for c in kept] for row in rows],
        "metadata": {"display_value": [[_shown(row[c], c) for c in kept] for row in rows]},
    }


def loss_order(scores: Scores, view: str) -> list[int]:
    """Give the questions' places, most pairs lost in the view first."""
    counts = scores.pairs[scores.views.index(view)]
    lost = counts.sum(axis=1) - counts[:, PAIR_KINDS.index("concordant")] - counts[:, PAIR_KINDS.index("tied_both")]
    return sorted(range(len(scores.questions)), key=lambda q: (-int(lost[q]), scores.questions[q]))


def question_columns(table: dict[str, Any]) -> dict[str, Any]:
    """Give types and widths for the columns that a table has."""
    kept = [QUESTION_HEADERS.index(header) for header in table["headers"]]
    return {"datatype": [QUESTION_TYPES[c] for c in kept], "column_widths": [QUESTION_WIDTHS[c] for c in kept]}


def _question_row(scores: Scores, v: int, q: int, prompts: Mapping[str, str]) -> list[Any]:
    values = [float(scores.values(measure)[v, q]) for measure in MEASURES]
    pairs = dict(zip(PAIR_KINDS, scores.pairs[v, q].tolist(), strict=True))
    lost = pairs["discordant"] + pairs["tied_run"] + pairs["tied_labels"]
    measures = [value if value == value else None for value in values]
    reason = scores.undefined_reason(v, q) or ""
    question = scores.questions[q]
    prompt = printable(prompts.get(question, ""), _LONGEST_PROMPT)
    return [printable(question), prompt, int(scores.answers[v, q]), *measures, lost, *pairs.values(), reason]


def _shown(cell: Any, column: int) -> str:  # noqa: ANN401  a cell of any of the columns
    return number(cell) if column in _MEASURE_COLUMNS else str(cell)
