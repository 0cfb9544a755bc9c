"""Published results of the task, as printed: to look at, never to rank together with runs scored here."""

from __future__ import annotations

import csv
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from aeollm.tables import MEASURES, OVERALL

PUBLISHED = Path(__file__).parent.parent / "assets" / "published"

DETECTABLE: Mapping[str, float] = MappingProxyType({"spearman": 0.100, "kendall": 0.080, "accuracy": 0.040})
"""The difference of two runs that 20 questions show four times in five (paired test, two-sided, level .05).

It depends on how much two runs' difference varies between questions; here that is the median over pairs of 27
published runs of one participant on the ten training questions. Several of these are variants of one method, so
that other pairs can need more; a tenth of the pairs needs more than .144, .120 and .060.
"""

ROUNDING = 0.0001
"""How far `tie_price` can be off because the table holds four decimals."""


@dataclass(frozen=True, slots=True)
class PublishedResult:
    """One row of a published table; ``values`` go by view (or, in the first edition, subtask), then measure."""

    team: str
    baseline: bool
    values: Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class Gap:
    """How far one team stands ahead of another, overall; ``ranks`` count from 1 in the published order."""

    ahead: str
    behind: str
    ranks: tuple[int, int]
    by: Mapping[str, float]

    def detectable(self, measure: str) -> bool:
        """Tell whether 20 questions can be expected to show a difference of this size."""
        return self.by[measure] >= DETECTABLE[measure]


def formal_run() -> list[PublishedResult]:
    """Read the formal run of NTCIR-19 AEOLLM-2 (overview paper, Table 4): 20 questions, 16 answers each.

    The order is the published one: participants by overall Spearman, then baselines.
    """
    return _results("formal_run_results.csv")


def ntcir18_dry_run() -> list[PublishedResult]:
    """Read the baselines of the NTCIR-18 dry run, by subtask; its measures are not those of today."""
    return _results("ntcir18_dry_run_baselines.csv")


def methods() -> dict[str, str]:
    """Read what the teams of the formal run did, by team; a team without an entry did not describe it."""
    return {team: str(told) for team, told in tomllib.loads((PUBLISHED / "methods.toml").read_text("utf-8")).items()}


def read_table(path: Path) -> tuple[list[str], list[list[str]]]:
    """Read a published CSV as it is: header and rows."""
    with path.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    return header, rows


def marks(results: Sequence[PublishedResult], view: str, measure: str) -> dict[str, int]:
    """Give 1 to the teams with the best value and 2 to those with the second best, equal ones together.

    >>> rows = [PublishedResult(team, False, {"overall": {"kendall": k}}) for team, k in zip("abc", (0.2, 0.5, 0.5))]
    >>> marks(rows, "overall", "kendall")
    {'a': 2, 'b': 1, 'c': 1}
    """
    values = {result.team: result.values[view][measure] for result in results}
    first_two = sorted(set(values.values()), reverse=True)[:2]
    return {team: first_two.index(value) + 1 for team, value in values.items() if value in first_two}


def gaps(results: Sequence[PublishedResult]) -> list[Gap]:
    """Give the participants' overall gaps: the first to each other one, then each to the next below."""
    teams = [result for result in results if not result.baseline]
    pairs = [(0, other) for other in range(1, len(teams))]
    pairs += [(place, place + 1) for place in range(1, len(teams) - 1)]
    return [
        Gap(
            teams[a].team,
            teams[b].team,
            (a + 1, b + 1),
            {m: round(teams[a].values[OVERALL][m] - teams[b].values[OVERALL][m], 4) for m in MEASURES},
        )
        for a, b in pairs
    ]


def tie_price(result: PublishedResult) -> float:
    """Give (1 + tau) / 2 - accuracy, overall: 0 where neither side ties, about half of the pairs that tie otherwise.

    A pair tied in the run alone counts half in the first term and nothing in the second. Where people tie, too, as in
    some dimensions, it mixes their ties with the run's and says nothing about either.
    """
    values = result.values[OVERALL]
    return round((1 + values["kendall"]) / 2 - values["accuracy"], 5)


def _results(name: str) -> list[PublishedResult]:
    header, rows = read_table(PUBLISHED / name)
    columns = [column.rsplit("_", 1) for column in header[2:]]
    found = []
    for kind, team, *cells in rows:
        values: dict[str, dict[str, float]] = {}
        for (view, measure), cell in zip(columns, cells, strict=True):
            values.setdefault(view, {})[measure] = float(cell)
        found.append(PublishedResult(team, kind == "baseline", values))
    return found
