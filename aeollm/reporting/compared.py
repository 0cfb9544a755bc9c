"""The report's comparison: which run is ahead, on which questions, and whether that could be chance."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from aeollm.exports import p_value, reach, told_pairs
from aeollm.figures import forest, paired_differences
from aeollm.reporting.html import (
    Html,
    figure,
    folded,
    joined,
    number,
    prompt_cell,
    section,
    short_name,
    signed,
    table,
    tag,
    with_interval,
)
from aeollm.reporting.runs import TITLES
from aeollm.reporting.words import Say, in_words, language_in_words, told
from aeollm.resampling import pair_sentence
from aeollm.scoring import question_language
from aeollm.tables import MEASURES, OVERALL, PAIR_KINDS, Comparison, Scores

_DECIDING = 8
_UNFOLDED = 10


def comparison_section(comparison: Comparison, scored: Mapping[str, Scores], prompts: Mapping[str, str]) -> Html:
    """Compare the runs: all with intervals, then pair by pair; those of the best run alone where they are many."""
    forests = [
        figure(forest(comparison, OVERALL, measure), f"forest-{measure}", f"Overall {TITLES[measure]}, with intervals")
        for measure in MEASURES
    ]
    pairs = told_pairs(comparison)
    shown = [_pair(comparison, k, pair, scored, prompts) for k, pair in enumerate(pairs[:_UNFOLDED])]
    shown += [tag("p", pair_sentence(comparison, pair)) for pair in pairs[_UNFOLDED:]]
    left = len(comparison.pair_names) - len(pairs)
    more = tag("p", f"{left} more pairs are left out: `compare --json` and `--csv` have all.") if left else ""
    row = tag("div", *forests, class_="ae-row")
    return section("comparison", "Comparison", tag("p", reach(comparison), class_="ae-note"), row, *shown, more)


def _pair(
    comparison: Comparison, k: int, pair: tuple[str, str], scored: Mapping[str, Scores], prompts: Mapping[str, str]
) -> Html:
    """Tell a pair in one sentence, and the rest of it on demand, in the order of `Comparison.pair_names`."""
    place = comparison.pair_names.index(pair if pair in comparison.pair_names else pair[::-1])
    names = comparison.pair_names[place]
    drawn = paired_differences(comparison, place, OVERALL, "accuracy")
    return joined(
        [
            tag("p", pair_sentence(comparison, pair)),
            folded(
                joined([short_name(names[0]), " minus ", short_name(names[1]), ": all views, deciding questions"]),
                figure(drawn, f"pair-{k}", "Difference in overall accuracy by question"),
                pair_table(comparison, place, net_pairs(scored[names[0]], scored[names[1]])),
                deciding_questions(comparison, place, prompts),
            ),
        ]
    )


def net_pairs(first: Scores, second: Scores) -> dict[str, int]:
    """Count, by view, how many more pairs of answers the first run orders as people do."""
    agree = [PAIR_KINDS.index("concordant"), PAIR_KINDS.index("tied_both")]
    gains = (first.pairs - second.pairs)[..., agree].sum(axis=(1, 2)).tolist()
    return dict(zip(first.views, gains, strict=True))


def pair_table(comparison: Comparison, k: int, net: Mapping[str, int], say: Say = told) -> Html:
    """Give difference, interval, p, wins and power of a pair in every view and measure."""
    rows = [
        [
            joined([in_words(say, view), ", ", say(f"{measure}_title")]),
            *_row(comparison, (k, v, m), say),
            f"{net[view]:+d}".replace("-", "−") if measure == "accuracy" else "",
        ]
        for v, view in enumerate(comparison.views)
        for m, measure in enumerate(MEASURES)
    ]
    keys = ["view_measure", "difference", "p", "p_adjusted", "wins_ties_losses", "detectable", "needed", "net_pairs"]
    level, power = f"{1 - comparison.plan.alpha:.0%}", number(comparison.plan.power, 1)
    return table([say(key) for key in keys], rows, say("pair_caption", level=level, power=power))


def _row(comparison: Comparison, place: tuple[int, int, int], say: Say) -> list[str]:
    figures = comparison.pairs
    numbers = [float(values[place]) for values in (figures.difference, figures.low, figures.high)]
    p, adjusted, least = (float(values[place]) for values in (figures.p, figures.p_adjusted, figures.detectable))
    sampled = [] if figures.exact[place] or math.isnan(p) else [" (", say("sampled"), ")"]
    counts = " / ".join(str(int(values[place])) for values in (figures.wins, figures.ties, figures.losses))
    needed = int(figures.questions_needed[place])
    return [
        with_interval(*numbers),
        joined([p_value(p), *sampled]),
        p_value(adjusted),
        counts,
        number(least),
        f"{needed:,}" if needed else "–",
    ]


def deciding_questions(
    comparison: Comparison,
    k: int,
    prompts: Mapping[str, str],
    look: tuple[str, str] = (OVERALL, "accuracy"),
    say: Say = told,
) -> Html:
    """List the questions with the largest differences in a view and measure, and the mean difference by language."""
    view, measure = look
    v, m = comparison.place(view, measure)
    what = joined([in_words(say, view), " ", say(f"{measure}_title")])
    a, b = (comparison.names.index(name) for name in comparison.pair_names[k])
    first, second = comparison.values[a, v, m].tolist(), comparison.values[b, v, m].tolist()
    gaps = {q: x - y for q, (x, y) in enumerate(zip(first, second, strict=True)) if x == x and y == y}
    order = sorted(gaps, key=lambda q: (-abs(gaps[q]), q))[:_DECIDING]
    rows = []
    for q in order:
        question = comparison.questions[q]
        prompt = [prompt_cell(prompts.get(question, ""), 60)] if prompts else []
        rows.append([short_name(question), number(first[q]), number(second[q]), signed(gaps[q]), *prompt])
    names = [short_name(name, 24) for name in comparison.pair_names[k]]
    heads = [say("question"), *names, say("difference"), *([say("prompt")] if prompts else [])]
    deciding = table(heads, rows, say("deciding_caption", what=what))
    return joined([deciding, _by_language(_gaps_by_language(comparison.questions, gaps, prompts), what, say)])


def _gaps_by_language(
    questions: Sequence[str], gaps: Mapping[int, float], prompts: Mapping[str, str]
) -> dict[str, list[float]]:
    groups: dict[str, list[float]] = {}
    for q, gap in gaps.items():
        language = question_language(prompts.get(questions[q], ""))
        if language is not None:
            groups.setdefault(language, []).append(gap)
    return dict(sorted(groups.items()))


def _by_language(groups: Mapping[str, Sequence[float]], what: Html, say: Say) -> Html:
    if len(groups) < 2:
        return Html("")
    rows = [
        [language_in_words(say, language), str(len(own)), signed(math.fsum(own) / len(own)), _counts(own)]
        for language, own in groups.items()
    ]
    heads = [say(key) for key in ("language", "questions_head", "mean_difference", "wins_ties_losses")]
    return table(heads, rows, say("difference_by_language", what=what))


def _counts(gaps: Sequence[float]) -> str:
    return f"{sum(g > 0 for g in gaps)} / {sum(g == 0 for g in gaps)} / {sum(g < 0 for g in gaps)}"
