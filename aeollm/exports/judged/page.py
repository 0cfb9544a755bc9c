"""What came of asking judges as a page in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from aeollm.errors import printable
from aeollm.exports.json_files import json_bytes
from aeollm.exports.judged.reasons import REASONS, going_on
from aeollm.tables import MEASURES

REPORT = "report.md"
_MOST_SHOWN, _FEW = 200, 3
_WARMER = {"samples": "for repeated samples", "revisions": "for revisions", "again": "when asked again"}
_PER_VIEW = (
    "Mean over questions, and in how many of all questions the measure is defined; answers: scored, of the labels'."
)
_ORDER = (
    "Scores: pairs of scores of one criterion, of one answer in both orders. Shift: reversed less original order, in "
    "points. Spread: variance of such a score from order to order and from reply to reply together."
)
_POSITION = (
    "Agree: the same report wins in both orders; flip: whichever stands in the same place does. First place wins: its "
    "share of the wins, a half for an even-handed judge. p: that leaning to one place is chance, tested over "
    "questions; with few questions it cannot be small."
)
_MASS = (
    "Mass: the probability that the judge gave to the answers allowed, all spellings together; the rest went to other "
    "words. `samples`: shares of repeated replies, where the endpoint gives no token probabilities."
)


def judged_markdown(found: Mapping[str, Any]) -> str:
    """Tell the object of `judged_json` as a page; texts of others stand as code."""
    head = ("what", "calls", "replies", "missing", "tokens in", "tokens out")
    lines = [f"# {_code(found['recipe'])}", "", *_summary(found), "", "## Asked", "", *_table(head, _asks(found))]
    lines += _opinions(found) + _problems(found["problems"])
    built = found["built"]
    if built is not None:
        lines += _scores(built) + _order(built) + _position(built)
        left = ", ".join(f"{view} {count}" for view, count in built["ties_left"].items())
        lines += ["", f"Tied pairs left: {left}."] if left else []
        said = {problem["message"] for problem in found["problems"]}
        lines += _problems((own for own in built["problems"] if own["message"] not in said), "The run")
    return "\n".join([*lines, *_missing(found)]) + "\n"


def report_files(found: Mapping[str, Any]) -> dict[str, bytes]:
    """Give the object of `judged_json` as files: the page, and the object itself."""
    page = judged_markdown(found).encode("utf-8", "surrogatepass")
    return {REPORT: page, "report.json": json_bytes(found)}


def _summary(found: Mapping[str, Any]) -> list[str]:
    lines = [_state(found)]
    built = found["built"]
    if built is not None and built["instead"] is not None and not found["whole"]:
        told = f"`run.txt` holds the scores of {_code(built['instead'])} as they are"
        lines.append(f"- THE RECIPE'S END WAS NOT REACHED: {told}. Why is told under Problems.")
    for name, judge in found["judges"].items():
        answered = ", ".join(map(_code, judge["answered_as"]))
        told = f"answered as {answered}" if answered else "which answered nothing"
        lines.append(f"- Judge {_code(name)}: {_code(judge['model'])}, {told}.")
    warmer = ", ".join(f"{own:g} {_WARMER[why]}" for why, own in found["other_temperatures"].items())
    lines.append(f"- Temperature {found['temperature']:g}{warmer and f'; {warmer}'}. Seed {found['seed']}.")
    tokens = found["tokens"]
    about = " (estimated in part)" if tokens["estimated"] else ""
    cost = _cost(found["money"])
    lines.append(f"- Replies used: {tokens['prompt']} tokens in, {tokens['completion']} out{about}{cost}; one that "
                 "several answers share counts once.")  # fmt: skip
    now = found.get("this_time")
    if now is not None:
        own = f"{now['calls']} calls, {now['prompt_tokens']} tokens in, {now['completion_tokens']} out"
        there = f"{now['from_disk']} answers from replies that were there already"
        lines.append(f"- This time: {now['seconds']} s, {own}{_cost(now['money'])}; {there}.")
    if found["stopped"] is not None:
        lines.append(f"- Stopped: {_code(found['stopped']['words'])}. {going_on(found['stopped']['kind'])}")
    if found["not_offered"]:
        lines.append(f"- The endpoint does not offer: {', '.join(found['not_offered'])}.")
    return lines


def _state(found: Mapping[str, Any]) -> str:
    """Say how much of what is wanted is there."""
    reports = found["reports"]
    in_run = f", {reports['in_run']} of {reports['of']} answers in `run.txt`" if reports["in_run"] is not None else ""
    if found["built"] is not None and reports["in_run"] is None:
        in_run = ", no run"
    state = "complete." if found["complete"] else "PARTIAL. What is missing is told below and is nowhere 0."
    unoptimised = [own for own in found["asked"] if own["optimised"] is False]
    there = reports["judged"] == reports["in_run"] == reports["of"]
    if unoptimised and there and not any(own["missing"] for own in found["asked"] if own not in unoptimised):
        state = "complete, but the prompt was not optimised: see Problems."
    if found["built"] is not None and found["built"]["instead"] is not None and not found["whole"]:
        state = "not the run that the recipe is for."
    return f"- {reports['judged']} of {reports['of']} reports judged{in_run}: {state}"


def _cost(money: float | None) -> str:
    return "" if money is None else f", {money:.4g} at the price given"


def _opinions(found: Mapping[str, Any]) -> list[str]:
    rows, after = [], []
    for asked in found["asked"]:
        own = asked["opinions"]
        if own is None or own["mass"] is None:
            continue
        sources = ", ".join(f"{_code(name)} {count}" for name, count in own["sources"].items())
        mass = [_number(own["mass"]["mean"]), _number(own["mass"]["least"])]
        rows.append([_code(own["file"]), str(own["rows"]), sources, *mass, str(own["under_half"])])
        command = (
            f"python -m aeollm calibrate --opinions {own['file']} --answers PEOPLE.tsv --target {own['targets'][0]}"
        )
        after += ["", f"Next, with people's answers to the same questions: {_code(command)}."]
    head = ("file", "opinions", "from", "mean mass", "least", "under a half")
    return ["", "## Opinions", "", *_table(head, rows), "", _MASS, *after] if rows else []


def _asks(found: Mapping[str, Any]) -> list[list[str]]:
    return [
        [
            _code(own["name"]),
            str(own["calls"]),
            str(own["replies"]),
            ", ".join(f"{kind} {count}" for kind, count in own["missing"].items()) or "0",
            str(own["tokens"]["prompt"]),
            str(own["tokens"]["completion"]),
        ]
        for own in found["asked"]
    ]


def _scores(built: Mapping[str, Any]) -> list[str]:
    # A step that only takes scores over has none of its own.
    stages = [stage for stage in built["stages"] if stage["scores"] and not (stage["label"] == "run" and stage["base"])]
    if not stages:
        return []
    views = list(dict.fromkeys(view for stage in stages for view in stage["scores"]))
    of = built["coverage"]["of"]
    rows = []
    for stage in stages:
        for measure in MEASURES:
            cells = [_mean(stage["scores"].get(view, {}).get(measure)) for view in views]
            name = _code(stage["name"]) + (" (held out)" if stage["learned"] else "")
            rows.append([name, measure, f"{stage['answers']}/{of}", *cells])
    lines = ["", "## Agreement with the labels", "", *_table(("step", "measure", "answers", *views), rows)]
    lines += ["", _PER_VIEW]
    answers = {stage["answers"] for stage in stages}
    if answers - {of}:
        lines.append("These are figures of a part of the answers, and none of the whole.")
    if len(answers) > 1:
        lines.append("Rows with other answers cannot be compared.")
    return lines


def _mean(mean: Mapping[str, Any] | None) -> str:
    return "–" if mean is None else f"{_number(mean['mean'])} {mean['defined']}/{mean['defined'] + mean['undefined']}"


def _order(built: Mapping[str, Any]) -> list[str]:
    rows = [
        [_code(name), effect["dimension"], str(effect["answers"]), _number(effect["shift"]), _number(effect["both"])]
        for name, own in built["order_effects"].items()
        for effect in own
        if effect["criterion"] is None
    ]
    head = ("asked", "dimension", "scores", "shift", "spread")
    return ["", "## Order of the criteria", "", *_table(head, rows), "", _ORDER] if rows else []


def _position(built: Mapping[str, Any]) -> list[str]:
    rows = []
    for name, own in built["position_bias"].items():
        for bias in own:
            who = " ".join(part for part in (bias["judge"], bias["dimension"]) if part) or "all"
            shares = [_share(bias[key]) for key in ("consistent", "flips", "first_share")]
            rows.append([_code(name), _code(who), str(bias["complete"]), *shares, _number(bias["p_questions"])])
    head = ("asked", "judge, dimension", "pairs in both orders", "agree", "flip", "first place wins", "p")
    return ["", "## Which report stood first", "", *_table(head, rows), "", _POSITION] if rows else []


def _missing(found: Mapping[str, Any]) -> list[str]:
    missing: Sequence[Mapping[str, Any]] = found["missing"]
    if not missing:
        return []
    stopped = None if found["stopped"] is None else (found["stopped"]["kind"], found["stopped"]["words"])
    own = [lost for lost in missing if (lost["kind"], lost["words"]) != stopped]
    rows = [[_code(" / ".join(lost["place"])), lost["kind"], _code(lost["words"])] for lost in own[:_MOST_SHOWN]]
    lines = _table(("call", "reason", "in words"), rows) if rows else []
    lines += [f"\n{len(own) - _MOST_SHOWN} more are in report.json."] if len(own) > _MOST_SHOWN else []
    if len(own) < len(missing):
        lines += [
            "",
            f"Not asked any more, since the run stopped: {len(missing) - len(own)} calls (all in report.json).",
        ]
    kinds = sorted({lost["kind"] for lost in missing})
    legend = [f"- `{kind}`: {REASONS[kind]}." for kind in kinds if kind in REASONS]
    return ["", "## Missing", "", *lines, "", *legend]


def _problems(problems: Iterable[Mapping[str, Any]], about: str = "Problems") -> list[str]:
    """Tell problems, the first few of each kind."""
    kinds: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for problem in problems:
        kinds.setdefault((problem["severity"], problem["kind"]), []).append(problem)
    told: list[str] = []
    for (severity, _), own in kinds.items():
        told += [f"- {severity}: {_code(one['message'])} {_code(one['remedy'])}".rstrip() for one in own[:_FEW]]
        told += [f"- and {len(own) - _FEW} more of this kind, in report.json"] if len(own) > _FEW else []
    return ["", f"## {about}", "", *told] if told else []


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    return ["| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *rows)]


def _code(text: str) -> str:
    """Show a text of others as code, which no Markdown or HTML in it survives."""
    shown = printable(str(text), 500).replace("`", "'").replace("|", "¦")
    return f"`{shown}`" if shown else ""


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"


def _share(count: Mapping[str, int]) -> str:
    return f"{count['found'] / count['of']:.3f}" if count["of"] else "–"
