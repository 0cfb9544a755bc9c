"""The live leaderboard as a CSV: what the page shows of it, digit for digit."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from aeollm.exports.spreadsheets import Cell, csv_bytes
from aeollm.tables import MEASURES

if TYPE_CHECKING:  # what hosts evaluations is not loaded for whoever exports anything else
    from aeollm.submissions import BoardRow, Figure, LiveBoard

_KNOWN = ("phase", "rank", "team", "name", "kind", "method", "description", "submitted", "runs", "counts", "decimals")
_PARTS = ("", "_low", "_high", "_cluster", "_undefined")


def live_board_csv(board: LiveBoard) -> bytes:
    """Write one row a team, in the order shown; cells of undefined and withheld values are empty.

    Columns: what is known of the row, with the run that ``counts`` ("latest", or "best" on these labels) and the
    decimals shown; five a view and measure (mean, 95 % interval, cluster, questions undefined); then badge and
    signature. Text that looks like a formula gets an apostrophe before it.
    """
    columns = [f"{view}_{measure}{part}" for view in board.views for measure in MEASURES for part in _PARTS]
    return csv_bytes([*_KNOWN, *columns, "labels_are", "signature"], (_row(row, board) for row in board.rows))


def _row(row: BoardRow, board: LiveBoard) -> list[Cell]:
    kind, entry, phase = "baseline" if row.baseline else "participant", row.entry, board.phase
    submitted = entry.submitted.strftime("%Y-%m-%dT%H:%M:%SZ")
    cells: list[Cell] = [phase.id, row.rank, row.team, row.name, kind, entry.method, entry.description, submitted]
    cells += [row.runs, phase.counts, board.decimals if board.released else None]
    if entry.aggregate is not None:
        for view in board.views:
            for measure in MEASURES:
                cells += _figure(entry.aggregate.figures[view][measure])
    badge = "DEMO (simulated)" if board.demo else "hidden"
    return [*cells, badge, entry.aggregate.signature if entry.aggregate is not None else None]


def _figure(figure: Figure) -> Iterable[Cell]:
    numbers = [None if number is None else float(number) for number in (figure.mean, figure.low, figure.high)]
    return [*numbers, figure.cluster or None, figure.undefined]
