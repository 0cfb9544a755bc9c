"""HTML of the Compare tab: runs with intervals, a pair in words and figures, published results."""

from __future__ import annotations

import math
from collections.abc import Sequence

from aeollm.figures import view_title
from aeollm.leaderboard import formal_run
from aeollm.reporting.html import Html, joined, number, short_name, table, tag, with_interval
from aeollm.resampling import RepeatSpread, pair_sentence
from aeollm.tables import MEASURES, OVERALL, Comparison, Scores

_CORRECTIONS = {"tukey": "randomised Tukey HSD", "holm": "Holm", "bh": "Benjamini-Hochberg", "none": "no correction"}


def runs_table(comparison: Comparison, view: str, measure: str) -> Html:
    """Give every run's means with intervals, best first by the view, and its cluster there."""
    v, m = comparison.place(view, measure)
    figures = comparison.runs
    means = figures.mean[:, v, m]
    order = sorted(range(len(means)), key=lambda r: -means[r] if means[r] == means[r] else math.inf)
    rows = []
    for r in order:
        cells = [
            with_interval(*(float(values[r, k, m]) for values in (figures.mean, figures.low, figures.high)))
            for k in range(len(comparison.views))
        ]
        cluster = int(figures.cluster[r, v, m])
        rows.append([short_name(comparison.names[r]), str(cluster) if cluster else "–", *cells])
    heads = ["run", f"cluster ({view_title(view)})", *map(view_title, comparison.views)]
    return joined([table(heads, rows, _caption(comparison, measure)), _remark(comparison, v, m)])


def _caption(comparison: Comparison, measure: str) -> str:
    plan = comparison.plan
    kind = plan.interval.replace("-", " ")
    demo = "DEMO: simulated labels. " if comparison.demo else ""
    return (
        f"{demo}{measure}: mean [{1 - plan.alpha:.0%} interval, {kind} bootstrap over questions, "
        f"{plan.resamples:,} resamples, seed {plan.seed}]"
    )


def _remark(comparison: Comparison, v: int, m: int) -> Html:
    """Say what clusters mean, and when nothing could have been significant."""
    families, plan = comparison.families, comparison.plan
    if not int(families.pairs[v, m]):
        return Html("")
    told = (
        f"A cluster ends where every run above differs from every run below ({_CORRECTIONS[plan.correction]} over "
        f"{int(families.pairs[v, m])} pairs, level {plan.alpha:g}); two runs of one cluster may still differ."
    )
    least = float(families.smallest_p_adjusted[v, m])
    if least > plan.alpha:
        told += f" With so few questions nothing could have been significant: the smallest reachable p is {least:.2g}."
    elif len(set(comparison.runs.cluster[:, v, m].tolist()) - {0}) == 1:
        told += " These runs cannot be told apart here."
    return tag("p", told, class_="ae-note")


def pair_words(comparison: Comparison, pair: tuple[str, str], view: str, measure: str) -> Html:
    """Give the pair's one sentence for the view and measure looked at."""
    return tag("p", pair_sentence(comparison, pair, view, measure), class_="ae-sentence")


def between_runs(agreement: Scores, names: tuple[str, str]) -> Html:
    """Say how alike two runs order the answers, people left aside."""
    rows = [
        [view_title(view), *(number(agreement.mean(view, measure).mean) for measure in MEASURES)]
        for view in agreement.views
    ]
    caption = joined(["How alike ", short_name(names[0]), " and ", short_name(names[1]), " are to each other"])
    return table(["view", *MEASURES], rows, caption)


def spread_of_repeats(spread: RepeatSpread, name: str, views: Sequence[str]) -> Html:
    """Say how far repeats of a judge spread, against the spread between questions."""
    rows = [
        [
            f"{view_title(view)}, {measure}",
            *(
                number(float(values[v, m]))
                for values in (spread.of_means, spread.between_repeats, spread.between_questions)
            ),
        ]
        for v, view in enumerate(views)
        for m, measure in enumerate(MEASURES)
        if view == OVERALL or measure == MEASURES[0]
    ]
    heads = ["view, measure", "of the means", "between repeats", "between questions"]
    return table(heads, rows, f"Standard deviations of {name}")


def published() -> Html:
    """Give the formal run's overall results, as context only."""
    rows = [
        [
            result.team,
            "baseline" if result.baseline else "participant",
            *(number(result.values[OVERALL][measure]) for measure in MEASURES),
        ]
        for result in formal_run()
    ]
    told = (
        "These runs were scored on 20 hidden questions. A score on other questions is not comparable with them: "
        "the table is context, and nothing here is ranked across the two sets."
    )
    caption = "Published formal run of NTCIR-19 AEOLLM-2, weighted overall"
    return joined([tag("p", told, class_="ae-note"), table(["team", "kind", *MEASURES], rows, caption)])
