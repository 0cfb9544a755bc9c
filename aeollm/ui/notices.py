"""HTML of label status, problems and results. Everything quoted is escaped here and nowhere else.

Our own words stand there in both languages; the problems of files, being sentences of the core, in English.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from aeollm.errors import Problem, ProblemGroup, group_problems, printable
from aeollm.evaluation import Result
from aeollm.reporting.html import Html, number, tag, titled
from aeollm.sources import LabelSet
from aeollm.submissions import Check
from aeollm.tables import MEASURES, PAIR_KINDS, Scores, TieChange
from aeollm.ui.catalogue import Offer
from aeollm.ui.session import Session
from aeollm.ui.words import both, both_view, known, untranslated

_LONGEST_NAME = 60
_FIRST = 5
_MOST = 50
_MOST_REASONS = 10


def shown_name(name: str, longest: int = _LONGEST_NAME) -> str:
    """Cut a file name in the middle, so that its ending stays, and make it safe to print."""
    safe = printable(name, 1_000)
    return safe if len(safe) <= longest else f"{safe[: longest - 16]}…{safe[-15:]}"


def status(label_set: LabelSet, offer: Offer, name: str) -> str:
    """Say which labels are chosen, how many, from where, and whether they are the demo's."""
    labels = label_set.labels
    source = labels.source if labels.revision else f"{labels.name}@{labels.digest[:8]}"
    shown = printable(source.replace(labels.revision or "\0", (labels.revision or "")[:8]), 120)
    counts = [
        both("n_questions", n=len(labels.question_order)),
        both("n_answers", n=len(labels)),
        both("rubric_weights" if label_set.rubrics else "equal_weights"),
        tag("code", shown),
        *([] if labels.labelled else [tag("strong", both("keys_only"))]),
    ]
    lines = [f'<p class="ae-status" role="status">{badge() if labels.demo else ""} {" · ".join(counts)}</p>']
    notes = [untranslated(label_set.notice)] if label_set.notice else []
    if offer.pending:
        notes.append(both("loading", repo=offer.pending))
    if offer.trouble and name == offer.default:
        notes.append(Html(f"{both('labels_missing')} {untranslated(offer.trouble)}"))
    lines += [f'<p class="ae-note">{note}</p>' for note in notes]
    return "".join(lines)


def badge() -> Html:
    """Mark what rests on simulated labels."""
    return tag("span", both("demo_badge"), class_="ae-badge")


def nothing_scored(session: Session) -> Html:
    """Say why there is nothing to look into: no runs yet, all refused, or nothing to score them against."""
    if not session.evaluation.results:
        key = "no_runs"
    elif not session.evaluation.label_set.labels.labelled:
        key = "no_scores"
    else:
        key = "all_refused"
    return tag("p", both(key))


def report(session: Session) -> str:
    """Say what was found: refusals in full, the rest folded below them."""
    parts = [refusal(both("not_done"), session.refused)] if session.refused else []
    labels = [problem for problem in session.evaluation.label_problems if problem.severity != "note"]
    title = both("labels_named", name=shown_name(session.evaluation.label_set.labels.name))
    if any(problem.severity == "error" for problem in labels):
        parts.append(refusal(title, labels))
    elif labels:
        parts.append(folded(title, labels))
    if not session.evaluation.results:
        parts.append(folded(both("no_runs_yet"), []))
    if not session.example:
        reports = [_run_report(shown_name(name), result) for name, result in session.ranked]
        parts += sorted(reports, key=lambda part: "ae-error" not in part)
    return f'<div class="ae-report" role="status">{"".join(parts)}</div>' if any(parts) else ""


def _run_report(name: str, result: Result) -> str:
    problems = list(result.problems)
    if result.scores is not None and result.scores.float64 is not None:
        problems.append(_tie_change(result.scores.float64))
    if not result.accepted:
        return _refused_run(name, problems)
    found, of = result.inspection.coverage
    if found < of:
        return folded(both("run_partial", name=name, found=found, of=of), problems)
    if result.scores is None:
        return folded(both("run_valid", name=name, found=found, of=of), problems)
    return folded(both("run_scored", name=name), problems) if problems else ""


def checked(check: Check) -> str:
    """Say what was found in a file that was not scored, as `report` says it of runs."""
    name, (found, of) = shown_name(check.name), check.coverage
    told = folded(both("run_valid", name=name, found=found, of=of), check.problems)
    said = told if check.accepted else _refused_run(name, check.problems)
    return f'<div class="ae-report" role="status">{said}</div>'


def _refused_run(name: str, problems: Sequence[Problem]) -> str:
    errors = sum(problem.severity == "error" for problem in problems)
    return refusal(both("run_refused", n=errors, name=name), problems)


def _tie_change(change: TieChange) -> Problem:
    shown = ", ".join(f"{name} {by:+.4f}" for name, by in change.mean_change.items() if by is not None)
    count = len(change.questions)
    where = f"{count} question{'s' if count != 1 else ''}: {printable(', '.join(change.questions))}"
    message = f"Floating-point sums would change the overall means ({shown}), on {where}."
    return Problem("note", "float64", message, "The scores shown compare the decimals as written.")


def refusal(title: Html, problems: Sequence[Problem]) -> str:
    """List problems, the first few at once and the others on demand."""
    items = [item for group in group_problems(problems, _MOST) for item in _items(group)]
    first, rest = "".join(items[:_FIRST]), "".join(items[_FIRST:])
    more = len(problems) - _FIRST
    if rest:
        unlisted = len(problems) - len(items)
        rest += f"<li>{both('unlisted', n=unlisted)}</li>" if unlisted else ""
        rest = f"<details><summary>{both('and_more', n=more)}</summary><ul>{rest}</ul></details>"
    done = f"<span hidden>{both('copied')}</span>"
    copy = f'<button type="button" class="ae-copy" data-copy><span>{both("copy")}</span>{done}</button>'
    head = f"<h2>{titled('error', title)} {copy}</h2>"
    return f'<section class="ae-box ae-error">{head}<ul>{first}</ul>{rest}</section>'


def folded(title: Html, problems: Sequence[Problem]) -> str:
    """Tell in one line what there is to read, and list it on demand."""
    worst = "warning" if any(problem.severity == "warning" for problem in problems) else "note"
    told = ", ".join(f"{_kind(group.kind)} ({group.count:,})" for group in group_problems(problems))
    head = f"{titled(worst, title)}{', ' if told else ''}{told}"
    if not problems:
        return f'<section class="ae-box ae-{worst}"><h2>{head}</h2></section>'
    items = "".join(item for group in group_problems(problems, _FIRST) for item in [*_items(group), _more(group)])
    return f'<section class="ae-box ae-{worst}"><details><summary>{head}</summary><ul>{items}</ul></details></section>'


def _kind(kind: str) -> Html:
    return both(f"kind_{kind}") if known(f"kind_{kind}") else untranslated(kind.replace("_", " "))


def _items(group: ProblemGroup) -> Iterable[str]:
    for problem in group.shown:
        at = both("line", line=str(problem.line))
        place = f'<span class="ae-place">{at}</span> ' if problem.line is not None else ""
        word = f'<span class="ae-word">{both(group.severity)}</span> '
        remedy = f' <span class="ae-remedy" lang="en">{escape(problem.remedy)}</span>' if problem.remedy else ""
        yield f"<li>{word}{place}{untranslated(problem.message)}{remedy}</li>"


def _more(group: ProblemGroup) -> str:
    return f"<li>{both('unlisted_kind', n=group.more)}</li>" if group.more else ""


def results(session: Session, measure: str) -> str:
    """Give the table of runs, one row each, for one measure, with signatures below."""
    labels = session.evaluation.label_set.labels
    if not labels.labelled:
        return ""
    measure = measure if measure in MEASURES else MEASURES[0]
    demo = f"{badge()} " if labels.demo else ""
    example = f"{both('example')} " if session.example else ""
    heads = [both("run"), *map(both_view, labels.views), both("pairs_tied"), both("answers")]
    head = "".join(f'<th scope="col">{title}</th>' for title in heads)
    rows = "".join(
        _row(name, result, measure, labels.views, ends) for (name, result), ends in _with_ends(session, measure)
    )
    return (
        f'<p class="ae-caption" id="ae-caption">{demo}{example}{both("means_caption")}</p>'
        '<div class="ae-scroll" tabindex="0" role="region" aria-labelledby="ae-caption"><table class="ae-table">'
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
        f"{_footnotes(session, measure)}{_signatures(session)}"
    )


def _with_ends(session: Session, measure: str) -> Iterable[tuple[tuple[str, Result], list[list[float]] | None]]:
    """Pair every run with its interval's ends by view, where there are any."""
    place = 0
    for name, result in session.ranked:
        if session.bounds is None or result.scores is None:
            yield (name, result), None
            continue
        yield (name, result), session.bounds[place, :, MEASURES.index(measure)].tolist()
        place += 1


def _row(name: str, result: Result, measure: str, views: Sequence[str], ends: list[list[float]] | None) -> str:
    found, of = result.inspection.coverage
    title = escape(printable(name, 1_000), quote=True)
    label = f'<span title="{title}">{escape(shown_name(name, 34))}</span>'
    if result.scores is None:
        refused = f'<td colspan="{len(views) + 1}">✗ {both("refused_not_scored")}</td>'
        return f'<tr class="ae-refused"><th scope="row">{label}</th>{refused}<td>{found}/{of}</td></tr>'
    scores = result.scores
    cells = "".join(_cell(scores, view, measure, ends[v] if ends else None) for v, view in enumerate(views))
    partial = ' <span class="ae-badge">' + both("partial") + "</span>" if scores.partial else ""
    counts = dict(zip(PAIR_KINDS, scores.pairs[0].sum(axis=0).tolist(), strict=True))
    tied = (counts["tied_run"] + counts["tied_both"]) / max(sum(counts.values()), 1)
    button = f'<button type="button" class="ae-run" data-run="{escape(name, quote=True)}">{label}</button>{partial}'
    return f'<tr><th scope="row">{button}</th>{cells}<td>{tied:.1%}</td><td>{found}/{of}</td></tr>'


def _cell(scores: Scores, view: str, measure: str, ends: list[float] | None) -> str:
    mean = scores.mean(view, measure)
    small = ""
    if ends is not None and ends[0] == ends[0]:
        small = f" <small>[{number(ends[0])}, {number(ends[1])}]</small>"
    if mean.undefined:
        small += f' <small title="{_reasons(scores, view)}">{both("n_undefined", n=mean.undefined)}</small>'
    if measure == "accuracy" and mean.pooled_differs:
        small += f" <small>{both('pooled')} {number(mean.pooled)}</small>"
    return f"<td>{number(mean.mean)}{small}</td>"


def _reasons(scores: Scores, view: str) -> str:
    row = scores.views.index(view)
    why = [(question, scores.undefined_reason(row, q)) for q, question in enumerate(scores.questions)]
    told = [f"question {printable(question)}: {reason}" for question, reason in why if reason]
    more = f"; and {len(told) - _MOST_REASONS} more" if len(told) > _MOST_REASONS else ""
    return escape("; ".join(told[:_MOST_REASONS]) + more, quote=True)


def _footnotes(session: Session, measure: str) -> str:
    """Name undefined questions in text, since not everybody can hover."""
    notes = []
    for name, scores in session.scored:
        undefined = {view: scores.mean(view, measure).undefined for view in scores.views}
        worst = max(scores.views, key=lambda view: undefined[view])
        if undefined[worst]:
            where = Html(", ".join(f"{both_view(view)} {count}" for view, count in undefined.items() if count))
            text = both("undefined_on", n=len(scores.questions), name=shown_name(name), where=where)
            notes.append(f'<li>{text} (<span lang="en">{_reasons(scores, worst)}</span>).</li>')
    return f'<ul class="ae-foot">{"".join(notes)}</ul>' if notes else ""


def _signatures(session: Session) -> str:
    lines = "".join(f"<code>{escape(scores.signature)}</code>" for _, scores in session.scored)
    return f'<details class="ae-signatures"><summary>{both("signatures")}</summary>{lines}</details>' if lines else ""
