"""HTML of the Compare tab: runs with intervals, a pair in words and figures, published results."""

from __future__ import annotations

import math
from collections.abc import Sequence

from aeollm.leaderboard import formal_run
from aeollm.reporting.html import Html, joined, number, short_name, table, tag, with_interval
from aeollm.resampling import RepeatSpread, pair_sentence
from aeollm.tables import MEASURES, OVERALL, Comparison, Scores
from aeollm.ui.words import both, both_view


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
    heads = [both("run"), both("cluster_head", view=both_view(view)), *map(both_view, comparison.views)]
    return joined([table(heads, rows, _caption(comparison, measure)), _remark(comparison, v, m)])


def _caption(comparison: Comparison, measure: str) -> Html:
    plan = comparison.plan
    told = both(
        "runs_caption",
        measure=both(measure),
        level=f"{1 - plan.alpha:.0%}",
        kind=both(f"interval_{plan.interval.replace('-', '_')}"),
        resamples=plan.resamples,
        seed=str(plan.seed),
    )
    return joined([both("demo_badge"), ". ", told]) if comparison.demo else told


def _remark(comparison: Comparison, v: int, m: int) -> Html:
    """Say what clusters mean, and when nothing could have been significant."""
    families, plan = comparison.families, comparison.plan
    if not int(families.pairs[v, m]):
        return Html("")
    told: list[str] = [
        both(
            "clusters_end",
            n=int(families.pairs[v, m]),
            correction=both(f"correction_{plan.correction}"),
            level=f"{plan.alpha:g}",
        )
    ]
    least = float(families.smallest_p_adjusted[v, m])
    if least > plan.alpha:
        told += [" ", both("too_few_questions", p=f"{least:.2g}")]
    elif len(set(comparison.runs.cluster[:, v, m].tolist()) - {0}) == 1:
        told += [" ", both("not_apart")]
    return tag("p", *told, class_="ae-note")


def pair_words(comparison: Comparison, pair: tuple[str, str], view: str, measure: str) -> Html:
    """Give the pair's one sentence for the view and measure looked at."""
    return tag("p", pair_sentence(comparison, pair, view, measure), class_="ae-sentence", lang="en")


def between_runs(agreement: Scores, names: tuple[str, str]) -> Html:
    """Say how alike two runs order the answers, people left aside."""
    rows = [
        [both_view(view), *(number(agreement.mean(view, measure).mean) for measure in MEASURES)]
        for view in agreement.views
    ]
    caption = both("how_alike", first=short_name(names[0]), second=short_name(names[1]))
    return table([both("view"), *map(both, MEASURES)], rows, caption)


def spread_of_repeats(spread: RepeatSpread, name: str, views: Sequence[str]) -> Html:
    """Say how far repeats of a judge spread, against the spread between questions."""
    rows = [
        [
            joined([both_view(view), ", ", both(measure)]),
            *(
                number(float(values[v, m]))
                for values in (spread.of_means, spread.between_repeats, spread.between_questions)
            ),
        ]
        for v, view in enumerate(views)
        for m, measure in enumerate(MEASURES)
        if view == OVERALL or measure == MEASURES[0]
    ]
    heads = [both(key) for key in ("view_measure", "of_means", "between_repeats", "between_questions")]
    return table(heads, rows, both("deviations_caption", name=name))


def published() -> Html:
    """Give the formal run's overall results, as context only."""
    rows = [
        [
            result.team,
            both("baseline" if result.baseline else "participant"),
            *(number(result.values[OVERALL][measure]) for measure in MEASURES),
        ]
        for result in formal_run()
    ]
    heads = [both("team"), both("kind"), *map(both, MEASURES)]
    listed = table(heads, rows, both("published_caption"))
    return joined([tag("p", both("published_context"), class_="ae-note"), listed])
