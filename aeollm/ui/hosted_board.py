"""HTML of the live leaderboard. No gradio here; everything that teams wrote is escaped."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from aeollm.errors import printable
from aeollm.exports import live_board_csv
from aeollm.reporting.html import Html, joined, tag, text
from aeollm.submissions import Aggregate, BoardRow, Entry, LiveBoard
from aeollm.tables import MEASURES, OVERALL
from aeollm.ui.downloads import link_to
from aeollm.ui.hosted_notices import cell, figure, hint, moment, title
from aeollm.ui.leaderboard_tables import Body, boxed, grid
from aeollm.ui.notices import badge
from aeollm.ui.words import both, both_view, english

_LONGEST_NAME = 40


def seen(board: LiveBoard, now: datetime) -> Html:
    """Say how much is in a leaderboard, and when that was."""
    return tag("p", both("h_state_of", n=board.submissions, time=moment(now)), class_="ae-note")


def live_board(board: LiveBoard, measure: str) -> Html:
    """Give a phase's leaderboard for one measure, with its notes, its file and every team's runs."""
    if not board.rows:
        return hint("h_board_none")
    badges = [badge()] if board.demo else []
    words = {"phase": title(board.phase), "measure": both(measure)}
    caption = both("h_caption" if board.released else "h_caption_withheld", **words)
    take = link_to(f"leaderboard_{board.phase.id}.csv", live_board_csv(board), "text/csv", both("download_csv"))
    above = joined([*badges, " ", caption, " ", take])
    heads = [(head, [""]) for head in _heads(board)]
    table = grid(both("team"), heads, list(_bodies(board, measure)))
    return joined([Html(boxed(above, english("h_live"), table, "ae-live")), *_notes(board), _histories(board)])


def _heads(board: LiveBoard) -> list[Html]:
    told = [both_view(view) for view in board.views]
    figures = [both("h_rank"), *told, both("h_cluster")] if board.released else []
    return [*figures, both("h_runs"), both("h_time"), both("method")]


def _bodies(board: LiveBoard, measure: str) -> Sequence[Body]:
    groups = ((both("h_participants"), False), (both("h_baselines"), True))
    parts = [(words, [row for row in board.rows if row.baseline is baseline]) for words, baseline in groups]
    return [(words, [_row(board, row, measure) for row in rows]) for words, rows in parts if rows]


def _row(board: LiveBoard, row: BoardRow, measure: str) -> list[Html]:
    name = printable(row.name, 1_000)
    shown = name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"
    figures: list[Html] = []
    if board.released:
        rank = "–" if row.rank is None else str(row.rank)
        cluster = row.entry.aggregate.figures[OVERALL][measure].cluster if row.entry.aggregate else 0
        figures = [text(rank), *_values(row.entry.aggregate, board.views, measure), text(str(cluster or "–"))]
    entry = row.entry
    return [
        tag("span", shown, title=row.team if shown == name else name),
        *figures,
        text(str(row.runs)),
        moment(entry.submitted, ""),
        _method(entry),
    ]


def _values(aggregate: Aggregate | None, views: Sequence[str], measure: str) -> list[Html]:
    if aggregate is None:
        return [Html("–")] * len(views)
    cells = []
    for view in views:
        known = aggregate.figures[view][measure]
        parts = [text(figure(known.mean))]
        if known.low is not None and known.high is not None:
            parts.append(tag("small", f"[{figure(known.low)}, {figure(known.high)}]"))
        if known.undefined:
            parts.append(tag("small", both("n_undefined", n=known.undefined)))
        cells.append(joined(parts))
    return cells


def _method(entry: Entry) -> Html:
    if not entry.description:
        return cell(entry.method)
    return tag("span", cell(entry.method), title=printable(entry.description, 2_000))


def _notes(board: LiveBoard) -> list[Html]:
    if not board.released:
        return [hint("h_withheld_note")]
    counts = {"latest": "h_latest", "best": "h_best"}[board.phase.counts]
    return [hint(key) for key in (counts, "h_order", "h_clusters")]


def _histories(board: LiveBoard) -> Html:
    """Unfold all runs of every team, with the overall figures where they are shown."""
    heads = [both("method"), *([both(f"{measure}_short") for measure in MEASURES] if board.released else [])]
    parts = []
    for row in board.rows:
        rows = [
            [moment(entry.submitted, ""), _told(entry), *_overall(entry, released=board.released)]
            for entry in row.history
        ]
        summary = both("h_history", team=printable(row.name, _LONGEST_NAME), n=row.runs)
        grown = grid(both("h_time"), [(head, [""]) for head in heads], [("", rows)])
        table = boxed("", printable(row.name, _LONGEST_NAME), grown)
        parts.append(tag("details", tag("summary", summary), Html(table)))
    return tag("section", tag("h2", both("h_histories")), *parts, class_="ae-histories")


def _told(entry: Entry) -> Html:
    """Write method and description in full."""
    if not entry.description:
        return tag("span", printable(entry.method, 200), dir="auto")
    lines = [printable(line, 2_000) for line in entry.description.split("\n")]
    told = joined([piece for place, line in enumerate(lines) for piece in ([Html("<br>"), line] if place else [line])])
    method = tag("span", printable(entry.method, 200), dir="auto")
    return joined([method, tag("div", told, dir="auto", class_="ae-told")])


def _overall(entry: Entry, *, released: bool) -> list[Html]:
    if not released:
        return []
    if entry.aggregate is None:
        return [Html("–")] * len(MEASURES)
    return [text(figure(entry.aggregate.mean(OVERALL, measure))) for measure in MEASURES]
