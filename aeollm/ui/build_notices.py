"""HTML of the Build tab: what was found in the files, what came of the steps, and what each of them brings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from aeollm.aggregation.orders import OrderEffect
from aeollm.aggregation.pairwise import Count, PositionBias
from aeollm.errors import Problem
from aeollm.figures import view_title
from aeollm.recipes import Built, Gain, Stage
from aeollm.reporting.html import Html, joined, number, short_name, signed, table, tag, text
from aeollm.tables import DIMENSIONS, OVERALL
from aeollm.ui.build_inputs import RUBRICS, Given, Handed
from aeollm.ui.build_steps import Bench, Outcome
from aeollm.ui.notices import folded, refusal
from aeollm.ui.words import both

_MOST_BIASES = 12


def found(bench: Bench, *, example: bool) -> str:
    """Say what every file looks like, then which are of no use and why, then what was wrong with the last change."""
    handed = bench.handed
    parts: list[str] = []
    if example:
        parts.append(tag("p", _badge("build_demo_badge"), " ", Html(both("build_example")), class_="ae-status"))
    if handed.files and not example:
        parts.append(_files(handed))
    parts += _problems("build_not_used", handed.problems)
    parts += _problems("build_not_changed", bench.problems)
    return tag("div", *parts, class_="ae-report", role="status") if parts else Html("")


def _files(handed: Handed) -> Html:
    badge = joined([_badge("build_demo_badge"), " "]) if handed.demo else ""
    rows = [
        [short_name(own.file), Html(both(f"build_kind_{own.looks.replace(' ', '_')}")), _called(own)]
        for own in handed.files
    ]
    heads = [Html(both(f"build_{name}")) for name in ("file", "looks", "called")]
    return table(heads, rows, joined([badge, Html(both("build_files"))]))


def _called(given: Given) -> str:
    if given.use in ("recipe", "reports"):
        return "–"
    return tag("code", f"{RUBRICS}/" if given.use == "rubrics" else given.name)


def _problems(key: str, problems: Sequence[Problem]) -> list[str]:
    """List problems, folded where none of them refuses anything."""
    if not problems:
        return []
    told = refusal if any(problem.severity == "error" for problem in problems) else folded
    return [Html(told(Html(both(key)), problems))]


def _badge(key: str) -> Html:
    return tag("span", Html(both(key)), class_="ae-badge")


def result(outcome: Outcome | None, measure: str) -> str:
    """Say what came of the steps; nothing where none was carried out."""
    if outcome is None:
        return ""
    if outcome.built is None:
        return joined(_problems("build_failed", outcome.problems))
    built = outcome.built
    return _blocks([_verdict(outcome, measure), *_validation(built), _ablation(outcome, measure)])


def details(outcome: Outcome | None) -> str:
    """Tell the effect of the criterion order, the taste for the place shown first, and the ties left."""
    built = None if outcome is None else outcome.built
    if built is None:
        return ""
    parts = [_order(name, effects) for name, effects in built.order_effects.items()]
    parts += [_position(name, biases) for name, biases in built.position_bias.items()]
    parts.append(_ties(built))
    return _blocks(parts)


def _blocks(parts: Iterable[str]) -> Html:
    return joined(tag("div", part, class_="ae-block") for part in parts if part)


def _verdict(outcome: Outcome, measure: str) -> Html:
    """Say the run's score in one line."""
    built, labels = outcome.built, outcome.label_set.labels
    last = built.stages[-1] if built is not None else None
    badge = joined([_badge("build_demo_labels"), " "]) if labels.demo else ""
    value = None if last is None else last.value(OVERALL, measure)
    if last is None or value is None:
        why = "" if last is None or not last.reason else f" ({last.reason})"
        return tag("p", badge, Html(both("build_no_score")), why, class_="ae-sentence")
    held = joined([" ", Html(both("build_held_out"))]) if last.learned else ""
    parts = [badge, tag("strong", number(value)), " ", _measure(measure), held, ", ", _view(OVERALL)]
    gain = last.gains.get((OVERALL, measure))
    if gain is not None:
        against = [Html(both("build_against")), " ", tag("code", last.base or "")]
        parts += ["; ", tag("strong", signed(gain.difference)), _interval(gain), " ", *against, f", p {number(gain.p)}"]
    return tag("p", *parts, f" · {labels.name}", class_="ae-sentence")


def _measure(measure: str) -> Html:
    return Html(both(measure))


def _view(view: str) -> Html:
    return Html(both(view)) if view in (OVERALL, *DIMENSIONS) else text(view_title(view))


def _validation(built: Built) -> list[str]:
    """Say what the Score tab would say of the run, then what was said on the way to it."""
    (known, of), errors = built.inspection.coverage, [p for p in built.problems if p.severity == "error"]
    checked = (*errors, *built.inspection.problems)
    run = tag("code", built.run.name)
    if built.inspection.run is None:
        parts = [refusal(joined([run, " ", Html(both("build_refused"))]), checked)]
    else:
        key = "build_partial" if known < of else "build_valid"
        parts = [folded(joined([run, " ", Html(both(key)), f" {known}/{of}"]), checked)]
    notes = [problem for problem in built.problems if problem.severity != "error"]
    return [Html(part) for part in parts] + _problems("build_notes", notes)


def _ablation(outcome: Outcome, measure: str) -> str:
    """Give what every stage scores, with the change against the one it builds on."""
    built = outcome.built
    if built is None or not any(stage.scores for stage in built.stages):
        return ""
    views = list(dict.fromkeys(view for stage in built.stages if stage.scores for view in stage.scores.views))
    views.sort(key=lambda view: view != OVERALL)
    heads = [
        Html(both("build_step")),
        *map(_view, views),
        *(Html(both(f"build_{key}")) for key in ("change", "compared_with")),
    ]
    rows: list[Sequence[str]] = []
    for stage in built.stages:
        badge = joined([" ", _badge("build_held_out")]) if stage.learned else ""
        name = joined([short_name(stage.name), badge])
        rows.append(
            [
                name,
                *(_cell(stage, view, measure) for view in views),
                _gain(stage, measure),
                short_name(stage.base or ""),
            ]
        )
        if stage.in_sample is not None:
            known = stage.in_sample
            cells = [number(known.mean(view, measure).mean) if stage.tells(view) else "" for view in views]
            rows.append([tag("small", Html(both("build_in_sample"))), *(tag("small", cell) for cell in cells), "", ""])
    told = joined([_measure(measure), ". ", Html(both("build_ablation"))])
    notes = [f"{stage.name}: {stage.reason}" for stage in built.stages if stage.reason]
    foot = tag("ul", *(tag("li", note) for note in notes), class_="ae-foot") if notes else ""
    held = tag("p", Html(both("build_held_out_told")), class_="ae-note") if any(s.learned for s in built.stages) else ""
    return joined([table(heads, rows, told), foot, held, _signature(built)])


def _cell(stage: Stage, view: str, measure: str) -> Html:
    gain = stage.gains.get((view, measure))
    change = "" if gain is None else joined([" ", tag("small", signed(gain.difference))])
    return joined([number(stage.value(view, measure)), change])


def _gain(stage: Stage, measure: str) -> Html:
    """Tell the change in the overall with its interval and test."""
    gain = stage.gains.get((OVERALL, measure))
    if gain is None:
        return Html("")
    return joined([signed(gain.difference), _interval(gain), tag("small", f" p {number(gain.p)}")])


def _interval(gain: Gain) -> Html:
    if gain.low is None or gain.high is None:
        return Html("")
    return joined([" ", tag("small", f"[{number(gain.low)}, {number(gain.high)}]")])


def _signature(built: Built) -> Html:
    scores = built.stages[-1].scores
    if scores is None:
        return Html("")
    return tag(
        "details", tag("summary", Html(both("build_signature"))), tag("code", scores.signature), class_="ae-signatures"
    )


def _order(name: str, effects: Iterable[OrderEffect]) -> str:
    rows = [
        [
            _view(effect.dimension),
            f"{effect.answers:,}",
            "–" if effect.shift is None else signed(effect.shift),
            *(number(part) for part in (effect.order, effect.repeat, effect.both)),
            "–" if effect.f is None else f"{effect.f:.2f}",
        ]
        for effect in effects
        if effect.criterion is None
    ]
    heads = ["dimension", "answers", "shift", "order_variance", "repeat_variance", "together", "f"]
    return _named_table("build_order", name, heads, rows)


def _position(name: str, biases: Sequence[PositionBias]) -> str:
    rows = []
    for bias in biases[:_MOST_BIASES]:
        who = [*([text(bias.judge)] if bias.judge else []), *([_view(bias.dimension)] if bias.dimension else [])]
        low, high = bias.first_share_interval or (None, None)
        interval = tag("small", f"[{number(low)}, {number(high)}]") if low is not None else ""
        rows.append(
            [
                joined([who[0], *(joined([" ", part]) for part in who[1:])]) if who else Html(both("build_all")),
                f"{bias.complete:,}",
                *(_share(own) for own in (bias.consistent, bias.flips)),
                joined([_share(bias.first_share), interval]),
                _share(bias.leaning_first),
                number(bias.p_questions),
            ]
        )
    heads = ["who", "pairs", "agree", "flips", "first_wins", "leaning", "p"]
    more = len(biases) - _MOST_BIASES
    rest = tag("p", f"+ {more} (JSON)", class_="ae-note") if more > 0 else ""
    return joined([_named_table("build_position", name, heads, rows), rest])


def _share(count: Count) -> str:
    return number(count.share)


def _named_table(key: str, name: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    caption = joined([tag("strong", Html(both(key))), " ", tag("code", name), ". ", Html(both(f"{key}_told"))])
    return table([Html(both(f"build_{head}")) for head in heads], rows, caption) if rows else Html("")


def _ties(built: Built) -> str:
    """Count the tied pairs left, and those that tie-breaks met and left."""
    views = list(built.ties)
    rows: list[Sequence[str]] = [[Html(both("build_left")), *(f"{built.ties[view]:,}" for view in views)]]
    for name, counts in built.broken.items():
        own = {count.view: count for count in counts}
        cells = [f"{own[view].broken:,}/{own[view].before:,}" if view in own else "–" for view in views]
        rows.append([joined([Html(both("build_broken")), " ", tag("code", name)]), *cells])
    heads = [Html(both("build_ties_by")), *map(_view, views)]
    return table(heads, rows, joined([tag("strong", Html(both("build_ties")))]))


def how_to_repeat(outcome: Outcome | None, file: str, turn: int | None = None) -> str:
    """Say how the recipe is used: the command, and what has to lie beside it; ``turn`` marks whose change it is of."""
    if outcome is None or outcome.recipe is None or outcome.built is None:
        return ""
    recipe = outcome.recipe
    beside = [*recipe.inputs.values(), *([recipe.reports] if recipe.reports else [])]
    beside += [f"{recipe.rubrics}/"] if recipe.rubrics else []
    labels = "LABELS" if not outcome.label_set.labels.demo else "aeollm-demo"
    command = tag("code", f"python -m aeollm build {file} --labels {labels} -o run.txt")
    names = joined(joined([", " if place else " ", tag("code", name)]) for place, name in enumerate(beside))
    marks = {"class_": "ae-note", **({} if turn is None else {"data_built": str(turn)})}
    return tag("p", Html(both("build_repeat")), " ", command, ". ", Html(both("build_beside")), names, **marks)
