"""The report's runs: means with intervals and clusters, and each run question by question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from aeollm.errors import printable
from aeollm.exports import ranked_runs
from aeollm.figures import dimensions_by_measure, matrix, per_question, view_title
from aeollm.reporting.html import (
    Html,
    figure,
    folded,
    joined,
    number,
    prompt_cell,
    section,
    short_name,
    table,
    tag,
    with_interval,
)
from aeollm.resampling import bootstrap_intervals
from aeollm.scoring import questions_by_language
from aeollm.tables import MEASURES, OVERALL, PAIR_KINDS, Comparison, Scores

TITLES = {"spearman": "Spearman ρ", "kendall": "Kendall τ-b", "accuracy": "pairwise accuracy"}
_MOST_RUNS = 12


def results(comparison: Comparison, scored: Mapping[str, Scores]) -> Html:
    """Give the runs' means: overall first, then every view, and all in one figure.

    Parameters
    ----------
    comparison : the runs' intervals and clusters.
    scored : their scores by name.
    """
    order = ranked_runs(comparison)
    names = [comparison.names[r] for r in order]
    drawn = dimensions_by_measure([scored[name] for name in names], names, demo=comparison.demo)
    level = f"{1 - comparison.plan.alpha:.0%}"
    views = [_views(comparison, order, m, level) for m in range(len(MEASURES))]
    return joined(
        [
            _overall(comparison, order, scored, level),
            _remark(comparison),
            _undefined(comparison, order),
            figure(drawn, "runs", "Every run's mean in every view, by measure"),
            folded("Every view, by measure", *views),
        ]
    )


def _overall(comparison: Comparison, order: Sequence[int], scored: Mapping[str, Scores], level: str) -> Html:
    rows = []
    for r in order:
        cells = [
            cell for m in range(len(MEASURES)) for cell in (_cell(comparison, r, 0, m), _cluster(comparison, r, m))
        ]
        scores = scored[comparison.names[r]]
        counts = dict(zip(PAIR_KINDS, scores.pairs[0].sum(axis=0).tolist(), strict=True))
        tied = (counts["tied_run"] + counts["tied_both"]) / max(sum(counts.values()), 1)
        coverage = f"{scores.coverage[0]}/{scores.coverage[1]}"
        rows.append([_title(comparison, scored, r), *cells, f"{tied:.1%}", coverage])
    heads = ["run", *(head for measure in MEASURES for head in (TITLES[measure], "cluster")), "pairs tied", "answers"]
    return table(heads, rows, f"Overall: mean over {len(comparison.questions)} questions [{level} interval], cluster")


def _title(comparison: Comparison, scored: Mapping[str, Scores], run: int) -> Html:
    name = comparison.names[run]
    badge = joined([" ", tag("span", "PARTIAL", class_="ae-badge")]) if scored[name].partial else ""
    return joined([short_name(name), badge])


def _cluster(comparison: Comparison, run: int, m: int) -> str:
    return str(comparison.runs.cluster[run, 0, m] or "–")


def _views(comparison: Comparison, order: Sequence[int], m: int, level: str) -> Html:
    rows = [
        [short_name(comparison.names[r]), *(_cell(comparison, r, v, m) for v in range(len(comparison.views)))]
        for r in order
    ]
    heads = ["run", *map(view_title, comparison.views)]
    return table(heads, rows, f"{TITLES[MEASURES[m]]}: mean [{level} interval]")


def _cell(comparison: Comparison, run: int, v: int, m: int) -> Html:
    """Write a mean, bold where it is the best and a difference can be shown."""
    figures = comparison.runs
    mean, low, high = (float(values[run, v, m]) for values in (figures.mean, figures.low, figures.high))
    content = with_interval(mean, low, high)
    several = int(figures.cluster[:, v, m].max()) > 1
    best = several and not np.isnan(mean) and mean == np.nanmax(figures.mean[:, v, m])
    return tag("strong", content) if best else content


def _remark(comparison: Comparison) -> Html:
    if len(comparison.names) < 2:
        return Html("")
    told = "A cluster ends where every run above differs from every run below by more than chance. "
    told += "The best value is bold where there is more than one cluster."
    clusters = comparison.runs.cluster[:, 0]
    alike = [TITLES[measure] for m, measure in enumerate(MEASURES) if int(clusters[:, m].max()) < 2]
    if alike:
        told += f" By {' and '.join(alike)} these runs cannot be told apart overall."
    return tag("p", told, class_="ae-note")


def _undefined(comparison: Comparison, order: Sequence[int]) -> Html:
    """Say in words which means and intervals are missing, and where an interval says nothing."""
    lines = [
        tag("li", comparison.names[r], f": {told} ({', '.join(views)})")
        for r in order
        for told, views in _remarks(comparison, r).items()
    ]
    return folded("What is undefined", tag("ul", *lines, class_="ae-foot")) if lines else Html("")


def _remarks(comparison: Comparison, run: int) -> dict[str, list[str]]:
    """Give what is missing of a run, each with the views where it is."""
    found: dict[str, list[str]] = {}
    of = len(comparison.questions)
    for v, view in enumerate(comparison.views):
        told = {reason for m in range(len(MEASURES)) if (reason := comparison.run_reason(run, v, m))}
        missing = of - int(comparison.runs.questions[run, v].min())
        if missing:
            told.add(f"undefined on {missing} of {of} questions")
        if bool(comparison.runs.degenerate[run, v].any()):
            told.add("all questions have one value in some measure, so that its interval says nothing")
        for reason in sorted(told):
            found.setdefault(reason, []).append(view_title(view))
    return found


def questions(comparison: Comparison, scored: Mapping[str, Scores], prompts: Mapping[str, str]) -> Html:
    """Give every run question by question, the first dozen where they are more."""
    order = ranked_runs(comparison)[:_MOST_RUNS]
    parts = [_run(place, comparison.names[r], scored, prompts) for place, r in enumerate(order)]
    left = len(comparison.names) - len(order)
    more = tag("p", f"{left} more runs are left out here; `score --per-question` has all.") if left else ""
    return section("questions", "Questions", _languages(comparison, order, prompts), *parts, more)


def _run(place: int, name: str, scored: Mapping[str, Scores], prompts: Mapping[str, str]) -> Html:
    scores = scored[name]
    counts = scores.pairs[0]
    lost = counts.sum(axis=1) - counts[:, PAIR_KINDS.index("concordant")] - counts[:, PAIR_KINDS.index("tied_both")]
    order = sorted(range(len(scores.questions)), key=lambda q: (-int(lost[q]), q))
    dots = per_question(scores, "accuracy", OVERALL, prompts=prompts, demo=scores.demo)
    heat = matrix(scores, "kendall", order, demo=scores.demo)
    rows = [_question(scores, q, int(lost[q]), prompts) for q in order]
    heads = ["question", *(TITLES[measure] for measure in MEASURES), "lost", "answers"]
    heads += ["prompt"] if prompts else []
    if any(row[-1] for row in rows):
        heads.append("undefined because")
    else:
        rows = [row[:-1] for row in rows]
    return folded(
        short_name(name, 60),
        figure(dots, f"questions-{place}", f"{printable(name, 60)}: overall accuracy by question"),
        figure(heat, f"matrix-{place}", f"{printable(name, 60)}: Kendall τ-b by question and view"),
        table(heads, rows, "Overall by question, most pairs of answers lost first"),
    )


def _question(scores: Scores, q: int, lost: int, prompts: Mapping[str, str]) -> list[str]:
    question = scores.questions[q]
    values = [number(float(scores.values(measure)[0, q])) for measure in MEASURES]
    prompt = [prompt_cell(prompts.get(question, ""))] if prompts else []
    return [
        short_name(question),
        *values,
        str(lost),
        str(scores.answers[0, q]),
        *prompt,
        scores.undefined_reason(0, q) or "",
    ]


def _languages(comparison: Comparison, order: Sequence[int], prompts: Mapping[str, str]) -> Html:
    """Give overall means by the language of the prompts; nothing where they tell no two."""
    places = questions_by_language(comparison.questions, prompts)
    if len(places) < 2:
        return Html("")
    rows = []
    for r in order:
        for language, kept in places.items():
            cells = [_over(comparison, comparison.values[r, 0, m, kept]) for m in range(len(MEASURES))]
            rows.append([short_name(comparison.names[r]), language, str(len(kept)), *cells])
    caption = f"Overall by language of the question: mean [{1 - comparison.plan.alpha:.0%} interval]"
    return table(["run", "language", "questions", *(TITLES[measure] for measure in MEASURES)], rows, caption)


def _over(comparison: Comparison, values: np.ndarray) -> Html:
    defined = values[~np.isnan(values)]
    if not len(defined):
        return Html("–")
    plan = comparison.plan
    rng = np.random.default_rng(plan.seed)
    found = bootstrap_intervals(values, rng=rng, resamples=plan.resamples, kind=plan.interval, level=1 - plan.alpha)
    return with_interval(float(np.mean(defined)), float(found.low), float(found.high))
