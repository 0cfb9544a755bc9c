"""HTML of the Questions tab: one question's texts, answers and lost pairs, and scores by language."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from aeollm.errors import printable
from aeollm.reporting.html import Html, joined, number, signed, table, tag, with_interval
from aeollm.resampling import bootstrap_intervals
from aeollm.scoring import LostPair, QuestionDetail, questions_by_language
from aeollm.tables import MEASURES, Scores
from aeollm.ui.session import SEED
from aeollm.ui.words import both, both_language, both_view, untranslated

_LONGEST_PROMPT = 2_000
_MOST_PAIRS = 60
_LOSSES = {"discordant": "prefers_other", "tied in run": "tied_in_run", "tied in labels": "people_tie"}


def question_head(detail: QuestionDetail, scores: Scores, prompt: str, language: str | None) -> Html:
    """Say what the question is, how the run does on it, and what each dimension weighs."""
    v, q = scores.views.index(detail.view), scores.questions.index(detail.question)
    values = ", ".join(f"{both(measure)} {number(float(scores.values(measure)[v, q]))}" for measure in MEASURES)
    reason = scores.undefined_reason(v, q)
    undefined = joined([" (", both("undefined"), ": ", untranslated(reason), ")"]) if reason else ""
    title = joined(
        [
            both("question_named", name=printable(detail.question)),
            *([" · ", both_language(language)] if language else []),
        ]
    )
    text = tag("p", printable(prompt, _LONGEST_PROMPT), class_="ae-prompt", dir="auto") if prompt else ""
    line = joined(
        [both_view(detail.view), Html(f": {values}"), undefined, ", ", both("pairs_lost", n=len(detail.lost)), "."]
    )
    return tag("section", tag("h2", title), text, tag("p", line), _shares(detail), class_="ae-question")


def _shares(detail: QuestionDetail) -> Html:
    rows = [
        [both_view(share.dimension), f"{share.weight:.2f}", _percent(share.human), _percent(share.run)]
        for share in detail.shares
    ]
    heads = [both("dimension"), both("weight"), both("people"), both("run")]
    return table(heads, rows, both("shares_caption"))


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{share:.0%}"


def answers_and_pairs(detail: QuestionDetail) -> Html:
    """List the answers by human rank, and the pairs that cost points, worst human gap first."""
    answers = [
        [
            printable(row.answer, 40),
            f"{row.human:.3f}",
            f"{row.run:.3f}",
            f"{row.human_rank:g}",
            f"{row.run_rank:g}",
            f"{row.run_rank - row.human_rank:+g}",
        ]
        for row in detail.answers
    ]
    heads = [both(key) for key in ("answer", "human_score", "run_score", "human_rank", "run_rank", "rank_change")]
    return joined(
        [
            tag("div", table(heads, answers, both("answers_caption")), class_="ae-block"),
            tag("div", _lost_pairs(detail), class_="ae-block"),
        ]
    )


def _lost_pairs(detail: QuestionDetail) -> Html:
    if not detail.lost:
        return tag("p", both("none_lost"))
    shown = detail.lost[:_MOST_PAIRS]
    cut = len(shown) < len(detail.lost)
    caption = both("first_pairs", shown=len(shown), of=len(detail.lost)) if cut else both("pairs_caption")
    heads = [both(key) for key in ("people_prefer", "over", "human_gap", "run_gap", "what_happened")]
    return table(heads, map(_pair, shown), caption)


def _pair(pair: LostPair) -> list[str]:
    names = [printable(name, 40) for name in (pair.better, pair.worse)]
    return [*names, f"{pair.human_gap:.3f}", signed(pair.run_gap), both(_LOSSES[pair.loss])]


def by_language(scores: Scores, view: str, prompts: Mapping[str, str]) -> Html:
    """Give the means by question language, with intervals; nothing where prompts tell no two languages."""
    places = questions_by_language(scores.questions, prompts)
    if len(places) < 2:
        return Html("")
    v = scores.views.index(view)
    rows = [
        [
            both_language(language),
            str(len(kept)),
            *(_mean_and_interval(scores.values(measure)[v, kept]) for measure in MEASURES),
        ]
        for language, kept in places.items()
    ]
    caption = both("by_language", view=both_view(view), seed=SEED)
    return table([both("language"), both("questions_head"), *map(both, MEASURES)], rows, caption)


def _mean_and_interval(values: NDArray[np.float64]) -> Html:
    defined = values[~np.isnan(values)]
    if not len(defined):
        return Html("–")
    found = bootstrap_intervals(values, rng=np.random.default_rng(SEED))
    return with_interval(float(np.mean(defined)), float(found.low), float(found.high))
