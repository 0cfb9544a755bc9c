"""HTML of a hosted evaluation: phase, quota, what became of a submission, a team's list. No gradio here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from aeollm.errors import AeollmError, printable
from aeollm.reporting.html import Html, joined, tag, text, titled
from aeollm.submissions import Aggregate, Allowance, Host, OwnSubmission, Phase, Receipt, Rounded, Submitted, Team
from aeollm.tables import MEASURES, OVERALL
from aeollm.ui.downloads import link_to
from aeollm.ui.leaderboard_tables import boxed, grid
from aeollm.ui.notices import badge, refusal, shown_name
from aeollm.ui.words import LANGUAGES, both, both_view, english, spans, untranslated

_LONGEST_CELL = 40


def moment(time: datetime, zone: str = " UTC") -> Html:
    """Write a time for people, the exact one for machines; where a heading says so, without its zone."""
    return tag("time", f"{time:%Y-%m-%d %H:%M}{zone}", datetime=f"{time:%Y-%m-%dT%H:%M:%SZ}")


def title(phase: Phase) -> Html:
    """Give a phase's title, the English one where there is no Chinese."""
    return spans({name: phase.title.get(name, phase.title["en"]) for name in LANGUAGES})


def figure(number: Rounded | None) -> str:
    """Write a rounded number without its leading zero; undefined as a dash."""
    if number is None:
        return "–"
    shown = str(number).replace("-", "−")
    return shown.replace("0.", ".", 1) if abs(float(number)) < 1 else shown


def banner(host: Host, links: Sequence[tuple[str, Html]]) -> Html:
    """Say that an evaluation is hosted, and where."""
    pages = [tag("a", words, href=f"./{path}") for path, words in links]
    demo = [badge(), both("h_demo"), " "] if host.demo else []
    return tag("p", *demo, both("h_banner"), " ", *_between(pages, " · "), class_="ae-hosted")


def _between(parts: Sequence[str], mark: str) -> list[str]:
    return [piece for place, part in enumerate(parts) for piece in ([mark, part] if place else [part])]


def phase_facts(host: Host, phase: Phase) -> Html:
    """Say when a phase is, what a team may do in it, and which results are shown."""
    now = host.now()
    times = {"start": moment(phase.start), "end": moment(phase.end)}
    standing = phase.standing(now)
    facts = [
        tag("strong", title(phase)),
        both({"open": "h_open", "upcoming": "h_upcoming", "ended": "h_ended"}[standing], **times),
        both("h_quota_rule", per_day=phase.per_day, total=phase.total),
        both(f"h_counts_{phase.counts}"),
        _results(host, phase, now),
    ]
    return tag("p", *_between(facts, " · "), class_="ae-status")


def _results(host: Host, phase: Phase, now: datetime) -> Html:
    if phase.released(now):
        return both("h_results_live", decimals=host.decimals(phase.id))
    if phase.release is not None:
        return both("h_results_release", release=moment(phase.release))
    return both("h_results_withheld")


def who(host: Host, account: str | None, teams: Sequence[Team], *, sign_in: bool) -> Html:
    """Say who is asking, and what that allows."""
    if host.demo:
        said = both("h_demo_team")
    elif account is None:
        said = both("h_signed_out" if sign_in else "h_no_sign_in")
    else:
        shown = printable(account, 80)
        said = both("h_signed_in" if teams else "h_no_team", account=shown)
    return tag("p", said, class_="ae-note")


def quota(team: Team, left: Allowance) -> Html:
    """Say what a team has left."""
    said = both(
        "h_quota",
        team=printable(team.name, 80),
        today=left.usable,
        per_day=left.per_day,
        left=left.left,
        total=left.total,
        renewed=moment(left.renewed),
    )
    return tag("p", said, class_="ae-note", role="status")


def trouble(error: AeollmError, key: str) -> Html:
    """Say why something was not done."""
    return _report(Html(refusal(both(key), error.problems)))


def store_trouble(host: Host) -> Html:
    """Say what is the matter with the store, nothing where nothing is: what is shown may then be old."""
    store = host.health()["store"]
    found = store.get("trouble") if isinstance(store, Mapping) else None
    return _box("warning", joined([both("h_store"), " ", untranslated(str(found))])) if found else Html("")


def hint(key: str) -> Html:
    """Say what to do next."""
    return tag("p", both(key), class_="ae-note")


def outcome(done: Submitted, team: Team) -> Html:
    """Say what became of a submission: stored, with its receipt and figures, or received."""
    known = done.own.submission
    values = {"file": shown_name(known.file_name), "team": printable(team.name, 80), "id": known.id}
    if done.receipt is None:
        return _box("warning", both("h_received", **values))
    said = joined([both("h_stored", **values), " ", receipt_link(done.receipt)])
    aggregate = done.own.aggregate
    told = Html("") if aggregate is None else _figures(aggregate)
    return _box("done", said, told)


def _box(kind: str, said: Html, below: Html = Html("")) -> Html:  # noqa: B008  immutable
    return _report(tag("section", tag("h2", titled(kind, said)), below, class_=f"ae-box ae-{kind}"))


def _report(content: Html) -> Html:
    return tag("div", content, class_="ae-report", role="status")


def receipt_link(receipt: Receipt) -> Html:
    """Offer a receipt as a file."""
    name = f"receipt_{receipt.submission.id}.json"
    return link_to(name, receipt.to_bytes(), "application/json", both("h_receipt"))


def _figures(aggregate: Aggregate) -> Html:
    rows = [
        [both(measure), *(figure(by_measure[measure].mean) for by_measure in aggregate.figures.values())]
        for measure in MEASURES
    ]
    heads = [(both_view(view), [""]) for view in aggregate.figures]
    table = grid(both("measure"), heads, [("", rows)])
    return joined([Html(boxed("", english("measures"), table)), tag("code", aggregate.signature, class_="ae-signed")])


def own_list(team: Team, found: Sequence[OwnSubmission], receipts: dict[str, Receipt], phases: Sequence[Phase]) -> Html:
    """List a team's submissions with state, figures and receipts."""
    name = printable(team.name, 80)
    if not found:
        return tag("p", both("h_own_none", team=name), class_="ae-note")
    titles = {phase.id: title(phase) for phase in phases}
    rows = [_own_row(known, receipts.get(known.submission.id), titles) for known in found]
    heads = [both(key) for key in ("h_in_phase", "method", "h_file", "h_state")]
    heads += [both(f"{measure}_short") for measure in MEASURES] + [both("h_receipt_head")]
    table = grid(both("h_time"), [(head, [""]) for head in heads], [("", rows)])
    return Html(boxed(both("h_own", team=name), english("h_own").format(team=name), table, "ae-own"))


def _own_row(known: OwnSubmission, receipt: Receipt | None, titles: dict[str, Html]) -> list[Html]:
    made = known.submission
    state = both(f"h_state_{known.state}")
    if known.reason:
        state = joined([state, ": ", untranslated(known.reason)])
    return [
        moment(made.received, ""),
        titles.get(made.phase, text(made.phase)),
        cell(made.method),
        cell(made.file_name),
        state,
        *_overall(known),
        receipt_link(receipt) if receipt is not None else Html("–"),
    ]


def _overall(known: OwnSubmission) -> list[Html]:
    if known.aggregate is None:
        empty = both("h_withheld") if known.state == "stored" and not known.reason else Html("–")
        return [empty] * len(MEASURES)
    return [text(figure(known.aggregate.mean(OVERALL, measure))) for measure in MEASURES]


def cell(value: str) -> Html:
    """Write a text of a team's, cut to a cell; the whole is its title."""
    safe = printable(value, 1_000)
    if len(safe) <= _LONGEST_CELL:
        return tag("span", safe, dir="auto")
    return tag("span", f"{safe[: _LONGEST_CELL - 1]}…", title=safe, dir="auto")
