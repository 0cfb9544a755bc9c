"""The report's diagnostics: scale and ties of the runs, how alike they are, chance and ceiling. Nothing is ranked."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from aeollm.diagnosis import Diagnosis, diagnose, reference_means
from aeollm.evaluation import Evaluation
from aeollm.exports.chance import ceiling_in_words, chance_in_words
from aeollm.figures import view_title
from aeollm.reporting.html import Html, folded, joined, number, section, short_name, table, tag
from aeollm.reporting.runs import TITLES
from aeollm.scoring import score_against_run
from aeollm.sources import LabelSet
from aeollm.tables import MEASURES, OVERALL, Run, Scores

_MOST_RUNS = 12
_REFERENCES = {
    "random": "random order, expected",
    "constant": "one score for all",
    "tie_free_maximum": "at most, without ties in the run",
}


def chance_section(evaluation: Evaluation, reliability: float | None) -> Html:
    """Say what judges that know nothing score on these labels, and what the best could."""
    label_set, policy = evaluation.label_set, evaluation.policy
    means = reference_means(label_set, policy)
    rows = [
        [f"{view_title(view)}: {told}", *(number(float(means[kind][measure][v])) for measure in MEASURES)]
        for v, view in enumerate(label_set.labels.views)
        for kind, told in _REFERENCES.items()
    ]
    listed = table(["judge", *(TITLES[measure] for measure in MEASURES)], rows, "Reference judges on these labels")
    told = [chance_in_words(label_set, policy), ceiling_in_words(label_set, reliability)]
    return section(
        "chance", "Chance and ceiling", *(tag("p", line) for line in told if line), folded("By view", listed)
    )


def diagnostics_section(runs: Mapping[str, tuple[Run, Scores]], label_set: LabelSet) -> Html:
    """Describe scale and ties of the runs, and how alike they order the answers.

    Parameters
    ----------
    runs : by shown name, best first; the first dozen are described.
    label_set : what they were scored on.
    """
    described = dict(list(runs.items())[:_MOST_RUNS])
    found = {name: diagnose(run, scores, label_set) for name, (run, scores) in described.items()}
    views = label_set.labels.views
    left = len(runs) - len(described)
    return section(
        "diagnostics",
        "Diagnostics",
        tag("p", "None of this enters a score: a judge can be harsh, or use few values, and order answers perfectly."),
        _scale(found, [OVERALL]),
        _ties(found, [OVERALL]),
        folded("Every view", _scale(found, views), _ties(found, views)),
        _between({name: run for name, (run, _) in described.items()}, label_set),
        tag("p", f"{left} more runs are left out here.") if left else "",
    )


def _scale(found: Mapping[str, Diagnosis], views: Sequence[str]) -> Html:
    rows = []
    for name, own in found.items():
        for v, view in enumerate(views):
            numbers = (own.scale.bias, own.scale.rmse, own.scale.mae, own.scale.slope, own.scale.spread_ratio)
            distinct = f"{own.scale.distinct_run[v]} / {own.scale.distinct_labels[v]}"
            title = _title(name, view, views)
            rows.append([title, *(number(float(values[v])) for values in numbers), distinct])
    heads = ["run", "bias", "RMSE", "MAE", "slope", "spread ratio", "distinct values, run / people"]
    caption = "Scale against people's: above 0 is lenient; slope of people on the run, below 1 the run exaggerates"
    return table(heads, rows, caption)


def _title(name: str, view: str, views: Sequence[str]) -> Html:
    return short_name(name) if len(views) == 1 else joined([short_name(name), f", {view_title(view)}"])


def _ties(found: Mapping[str, Diagnosis], views: Sequence[str]) -> Html:
    rows = []
    for name, own in found.items():
        for v, view in enumerate(views):
            ties = own.ties
            shares = (ties.run_ties, ties.label_ties, ties.lost_to_run_ties, ties.lost_to_label_ties)
            price = f"{number(float(ties.price[v]))} ({ties.price_questions[v]})"
            cells = [*(_percent(float(values[v])) for values in shares), price, _grid(own, v)]
            rows.append([_title(name, view, views), *cells, str(ties.near_ties)])
    heads = ["run", "tied by run", "tied by people", "lost to run's ties", "lost to people's ties"]
    heads += ["price of ties (questions)", "best grid", "near ties"]
    caption = (
        "Pairs of answers tied. Price: (1 + tau)/2 − accuracy where people tie nothing. Best grid: rounding that would "
        "maximise accuracy, fitted on the labels shown, so no score"
    )
    return table(heads, rows, caption)


def _percent(share: float) -> str:
    return "–" if math.isnan(share) else f"{share:.1%}"


def _grid(own: Diagnosis, v: int) -> str:
    grid = own.grids[v]
    return "as it is" if grid.grid is None else f"{grid.grid:g}: accuracy {number(grid.accuracy)}"


def _between(runs: Mapping[str, Run], label_set: LabelSet) -> Html:
    """Give tau-b between every two runs, people left aside."""
    if len(runs) < 2:
        return Html("")
    names = list(runs)
    taus = {
        (a, b): score_against_run(runs[a], runs[b], label_set.labels, label_set.rubrics).mean(OVERALL, "kendall").mean
        for place, a in enumerate(names)
        for b in names[place + 1 :]
    }
    rows = [
        [short_name(a), *("" if a == b else number(taus.get((a, b), taus.get((b, a)))) for b in names)] for a in names
    ]
    caption = "How alike the runs are to each other: mean overall Kendall τ-b"
    return table(["run", *(short_name(name, 24) for name in names)], rows, caption)
