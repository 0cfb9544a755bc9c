"""The report's diagnostics: scale and ties of the runs, how alike they are, chance and ceiling. Nothing is ranked."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from aeollm.diagnosis import Diagnosis, diagnose, reference_means
from aeollm.evaluation import Evaluation
from aeollm.exports.chance import ceiling_in_words, chance_in_words
from aeollm.reporting.html import Html, folded, joined, number, section, short_name, table, tag
from aeollm.reporting.words import Say, in_words, told
from aeollm.scoring import score_against_run
from aeollm.sources import LabelSet
from aeollm.tables import MEASURES, OVERALL, Run, Scores

_MOST_RUNS = 12
_REFERENCES = ("random", "constant", "tie_free_maximum")


def chance_section(evaluation: Evaluation, reliability: float | None, say: Say = told) -> Html:
    """Say what judges that know nothing score on these labels, and what the best could."""
    label_set, policy = evaluation.label_set, evaluation.policy
    means = reference_means(label_set, policy)
    rows = [
        [
            joined([in_words(say, view), ": ", say(f"judge_{kind}")]),
            *(number(float(means[kind][measure][v])) for measure in MEASURES),
        ]
        for v, view in enumerate(label_set.labels.views)
        for kind in _REFERENCES
    ]
    heads = [say("judge"), *(say(f"{measure}_title") for measure in MEASURES)]
    listed = folded(say("by_view"), table(heads, rows, say("references_caption")))
    lines = [chance_in_words(label_set, policy), ceiling_in_words(label_set, reliability)]
    return section("chance", say("chance_title"), *(tag("p", line, lang="en") for line in lines if line), listed)


def diagnostics_section(runs: Mapping[str, tuple[Run, Scores]], label_set: LabelSet, say: Say = told) -> Html:
    """Describe scale and ties of the runs, and how alike they order the answers.

    Parameters
    ----------
    runs : by shown name, best first; the first dozen are described.
    label_set : what they were scored on.
    say : gives the words.
    """
    described = dict(list(runs.items())[:_MOST_RUNS])
    found = {name: diagnose(run, scores, label_set) for name, (run, scores) in described.items()}
    views = label_set.labels.views
    left = len(runs) - len(described)
    return section(
        "diagnostics",
        say("diagnostics"),
        tag("p", say("diagnostics_note")),
        _scale(found, [OVERALL], say),
        _ties(found, [OVERALL], say),
        folded(say("every_view"), _scale(found, views, say), _ties(found, views, say)),
        _between({name: run for name, (run, _) in described.items()}, label_set, say),
        tag("p", say("runs_left_out", n=left)) if left else "",
    )


def _scale(found: Mapping[str, Diagnosis], views: Sequence[str], say: Say) -> Html:
    rows = []
    for name, own in found.items():
        for v, view in enumerate(views):
            numbers = (own.scale.bias, own.scale.rmse, own.scale.mae, own.scale.slope, own.scale.spread_ratio)
            distinct = f"{own.scale.distinct_run[v]} / {own.scale.distinct_labels[v]}"
            title = _title(name, view if len(views) > 1 else None, say)
            rows.append([title, *(number(float(values[v])) for values in numbers), distinct])
    heads = [say("run"), say("bias"), "RMSE", "MAE", say("slope"), say("spread_ratio"), say("distinct_values")]
    return table(heads, rows, _captioned("scale_caption", views, say))


def _captioned(key: str, views: Sequence[str], say: Say) -> Html:
    """Tell the table of every view from that of the overall by its name, too."""
    return say(key) if len(views) == 1 else joined([say("every_view"), ". ", say(key)])


def _title(name: str, view: str | None, say: Say) -> Html:
    return short_name(name) if view is None else joined([short_name(name), ", ", in_words(say, view)])


def _ties(found: Mapping[str, Diagnosis], views: Sequence[str], say: Say) -> Html:
    rows = []
    for name, own in found.items():
        for v, view in enumerate(views):
            ties = own.ties
            shares = (ties.run_ties, ties.label_ties, ties.lost_to_run_ties, ties.lost_to_label_ties)
            price = f"{number(float(ties.price[v]))} ({ties.price_questions[v]})"
            cells = [*(_percent(float(values[v])) for values in shares), price, _grid(own, v, say)]
            title = _title(name, view if len(views) > 1 else None, say)
            rows.append([title, *cells, str(ties.near_ties)])
    keys = ("run", "tied_by_run", "tied_by_people", "lost_to_run", "lost_to_people", "price", "grid", "near_ties")
    return table([say(key) for key in keys], rows, _captioned("ties_caption", views, say))


def _percent(share: float) -> str:
    return "–" if math.isnan(share) else f"{share:.1%}"


def _grid(own: Diagnosis, v: int, say: Say) -> Html:
    grid = own.grids[v]
    if grid.grid is None:
        return say("as_it_is")
    return joined([f"{grid.grid:g}: ", say("accuracy"), f" {number(grid.accuracy)}"])


def _between(runs: Mapping[str, Run], label_set: LabelSet, say: Say) -> Html:
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
    return table([say("run"), *(short_name(name, 24) for name in names)], rows, say("alike_caption"))
