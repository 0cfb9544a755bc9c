"""HTML of the published tables. No gradio here; everything that is quoted is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from aeollm.exports import csv_bytes
from aeollm.leaderboard import (
    DETECTABLE,
    PUBLISHED,
    ROUNDING,
    PublishedResult,
    formal_run,
    gaps,
    marks,
    methods,
    ntcir18_dry_run,
    read_table,
    tie_price,
)
from aeollm.tables import MEASURES
from aeollm.ui.downloads import link_to
from aeollm.ui.words import both, english, known

Group = tuple[str, Sequence[str]]
"""A heading over columns, and theirs; as HTML."""
Body = tuple[str, Sequence[Sequence[str]]]
"""A heading over rows (or none), and their cells; as HTML."""
_MARKED = {1: "strong", 2: "u"}


def board(views: Sequence[str], measures: Sequence[str]) -> str:
    """Give the formal run's table for some views and measures, with buttons to sort it and itself as CSV."""
    results = formal_run()
    columns = [(view, measure) for view in views for measure in measures]
    groups = [(both(view), [_sorter(f"{view}_{m}", both(f"{m}_short")) for m in measures]) for view in views]
    participants = [result for result in results if not result.baseline]
    bodies = [
        (both("participants"), _cells(participants, columns, participants)),
        (both("baselines"), _cells([result for result in results if result.baseline], columns, participants)),
    ]
    caption = f"{both('formal_run_caption')} {_download(results, columns)}"
    table = grid(_sorter("team", both("team")), groups, bodies)
    nobody = f'<p class="ae-note ae-none" role="status" hidden>{both("no_team")}</p>'
    return boxed(caption, english("formal_run_caption"), table, "ae-board") + nobody + _outside(results, columns)


def _cells(
    results: Iterable[PublishedResult], columns: Sequence[tuple[str, str]], ranked: Sequence[PublishedResult]
) -> list[list[str]]:
    """Write a row a result; the best and the second best of the ranked ones are marked in each column."""
    placed = {column: marks(ranked, *column) for column in columns}
    return [
        [escape(r.team), *(_marked(_four(r.values[v][m]), placed[v, m].get(r.team, 0)) for v, m in columns)]
        for r in results
    ]


def _outside(results: Sequence[PublishedResult], columns: Sequence[tuple[str, str]]) -> str:
    """Say what the marks are, and which baselines would bear one if all rows were ranked together."""
    told = []
    for view, measure in columns:
        placed = marks(results, view, measure)
        for result in results:
            if result.baseline and result.team in placed:
                place = both("best" if placed[result.team] == 1 else "second")
                value = _four(result.values[view][measure])
                told.append(f"{escape(result.team)} {place} ({both(view)}, {both(measure)}, {value})")
    also = f" {both('with_baselines')} {'; '.join(told)}." if told else ""
    return f'<p class="ae-note">{both("marks")}{also}</p>'


def _download(results: Sequence[PublishedResult], columns: Sequence[tuple[str, str]]) -> str:
    header = ["kind", "team", *(f"{view}_{measure}" for view, measure in columns)]
    rows = [
        ["baseline" if r.baseline else "participant", r.team, *(r.values[v][m] for v, m in columns)] for r in results
    ]
    return link_to("aeollm2_formal_run.csv", csv_bytes(header, rows), "text/csv", both("download_csv"))


def published_gaps() -> str:
    """Say of the overall gaps between participants whether 20 questions can be expected to show them."""
    rows = []
    for gap in gaps(formal_run()):
        cells = [f"{gap.ranks[0]} → {gap.ranks[1]}", escape(f"{gap.ahead} → {gap.behind}")]
        for measure in MEASURES:
            word = f"<b>✓ {both('shown_by_20')}</b>" if gap.detectable(measure) else f"– {both('not_shown_by_20')}"
            cells.append(f"{_four(gap.by[measure])} <small>{word}</small>")
        rows.append(cells)
    heads = [f"{both(measure)} <small>({DETECTABLE[measure]:.3f})</small>".replace("(0", "(") for measure in MEASURES]
    table = grid(both("gap_ranks"), [(both("gap_teams"), [""]), *((head, [""]) for head in heads)], [("", rows)])
    return boxed(both("gap_caption"), english("gap_caption"), table, "ae-file")


def tie_prices() -> str:
    """Show what ties cost each run, overall."""
    rows = []
    for result in formal_run():
        tau, accuracy = (result.values["overall"][measure] for measure in ("kendall", "accuracy"))
        price = tie_price(result)
        shown = "0" if abs(price) <= ROUNDING else _four(price + 1e-9)
        rows.append([escape(result.team), f"{(1 + tau) / 2:.5f}".removeprefix("0"), _four(accuracy), shown])
    heads = ["(1 + τ-b) / 2", both("accuracy"), both("tie_price")]
    table = grid(both("team"), [(head, [""]) for head in heads], [("", rows)])
    return boxed(both("tie_caption"), english("tie_caption"), table, "ae-file")


def team_methods() -> str:
    """Say what each team did."""
    rows = [[escape(team), escape(told)] for team, told in methods().items()]
    table = grid(both("team"), [(both("method"), [""])], [("", rows)])
    return boxed("", english("method"), table, "ae-words")


def first_edition() -> str:
    """Show the baselines of the NTCIR-18 dry run: four subtasks, and the mean of all twelve cells."""
    results = ntcir18_dry_run()
    columns = [(subtask, measure) for subtask in results[0].values for measure in MEASURES]
    groups = [(both(subtask), [both(f"{measure}_short") for measure in MEASURES]) for subtask in results[0].values]
    rows = _cells(results, columns, results)
    for row, result in zip(rows, results, strict=True):
        row.append(_four(sum(result.values[v][m] for v, m in columns) / len(columns)))
    table = grid(both("team"), [*groups, (both("mean_of_twelve"), [""])], [("", rows)])
    return boxed(both("ntcir18_caption"), english("ntcir18_caption"), table, "ae-board")


def file_table(name: str, caption: str) -> str:
    """Show a CSV of ``assets/published`` as it is, its columns named by the words there are for them."""
    header, rows = read_table(PUBLISHED / name)
    first, *heads = [both(column) if known(column) else escape(column) for column in header]
    table = grid(first, [(head, [""]) for head in heads], [("", [[escape(cell) for cell in row] for row in rows])])
    in_words = any(not cell.replace(",", "").replace(".", "").isdecimal() for row in rows for cell in row[1:])
    return boxed(escape(caption), caption, table, "ae-file ae-left" if in_words else "ae-file")


def grid(first: str, groups: Sequence[Group], bodies: Sequence[Body]) -> str:
    """Write a table with one or two lines of headings and any number of bodies."""
    deep = any(len(heads) > 1 or heads[0] for _, heads in groups)
    top = f'<th scope="col"{" rowspan=2" if deep else ""}>{first}</th>'
    for title, heads in groups:
        spans = f' colspan="{len(heads)}"' if len(heads) > 1 else ' rowspan="2"' if deep and not heads[0] else ""
        top += f'<th scope="{"colgroup" if len(heads) > 1 else "col"}"{spans}>{title}</th>'
    below = "".join(f'<th scope="col">{head}</th>' for _, heads in groups for head in heads if head)
    width = 1 + sum(len(heads) for _, heads in groups)
    written = ""
    for title, rows in bodies:
        head = f'<tr class="ae-group"><th scope="rowgroup" colspan="{width}">{title}</th></tr>' if title else ""
        lines = (
            f'<tr data-place="{place}"><th scope="row">{name}</th>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>'
            for place, (name, *cells) in enumerate(rows)
        )
        written += f"<tbody>{head}{''.join(lines)}</tbody>"
    return f"<thead><tr>{top}</tr>{f'<tr>{below}</tr>' if below else ''}</thead>{written}"


def boxed(caption: str, name: str, table: str, kind: str = "") -> str:
    """Put a table in a box that scrolls by itself."""
    above = f'<p class="ae-caption">{caption}</p>' if caption else ""
    return (
        f'{above}<div class="ae-scroll" tabindex="0" role="region" aria-label="{escape(name, quote=True)}">'
        f'<table class="ae-table {kind}">{table}</table></div>'
    )


def _sorter(column: str, title: str) -> str:
    return f'<button type="button" class="ae-sort" data-sort="{column}">{title}</button>'


def _marked(text: str, place: int) -> str:
    return f"<{_MARKED[place]}>{text}</{_MARKED[place]}>" if place else text


def _four(value: float) -> str:
    """Write four decimals, as printed, without the leading zero."""
    text = f"{abs(value):.4f}".removeprefix("0")
    return f"−{text}" if value < 0 else text
