"""What came of asking judges, as a JSON object and as a page in Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from aeollm.errors import printable
from aeollm.exports.build_json import build_json
from aeollm.judging import Price, Usage
from aeollm.methods import Judged
from aeollm.methods.collecting import Collected
from aeollm.tables import MEASURES

_MOST_SHOWN, _FEW = 200, 3


def judged_json(judged: Judged, price: Price, *, timed: bool = True) -> dict[str, Any]:
    """Give the documented JSON object (README, "Run judges").

    Without ``timed`` it leaves out what differs from run to run: time, and what was asked in this one.
    """
    task = judged.task
    usage = sum((own.usage for own in judged.collected), Usage(0, 0))
    whole: dict[str, Any] = {
        "recipe": task.method.name,
        "complete": judged.complete,
        "reports": {"judged": len(task.material.reports), "of": task.material.whole},
        "judges": {
            name: {"model": task.judges[name].model, "answered_as": _answered(judged, name)}
            for name in task.method.roles
        },
        "temperature": task.method.sampling.temperature,
        "seed": task.method.sampling.seed,
        "asked": [_asked(own) for own in judged.collected],
        "tokens": _tokens(usage),
        "money": price.of(usage) if price != Price() else None,
        "missing": [
            {"place": list(lost.place), "kind": lost.missing.kind, "words": lost.missing.words}
            for own in judged.collected
            for lost in own.lost
        ],
        "stopped": None if judged.stopped is None else {"kind": judged.stopped.kind, "words": judged.stopped.words},
        "not_offered": sorted(judged.lacking),
        "problems": [problem.to_json() for problem in judged.problems],
        "built": None if judged.built is None else build_json(judged.built),
    }
    if timed:
        spent = judged.spent
        whole["this_time"] = {
            "seconds": round(judged.seconds, 1),
            "calls": spent.calls,
            "from_disk": judged.from_disk,
            "prompt_tokens": spent.usage.prompt,
            "completion_tokens": spent.usage.completion,
            "money": price.of(spent.usage) if price != Price() else None,
        }
    return whole


def _tokens(usage: Usage) -> dict[str, Any]:
    return {"prompt": usage.prompt, "completion": usage.completion, "estimated": usage.estimated}


def _answered(judged: Judged, name: str) -> list[str]:
    return sorted({model for own in judged.collected for model in own.models.get(name, ())})


def _asked(own: Collected) -> dict[str, Any]:
    reasons = Counter(lost.missing.kind for lost in own.lost)
    return {
        "name": own.name,
        "do": own.asking.ask.do,
        "calls": own.calls,
        "replies": own.replies,
        "missing": dict(sorted(reasons.items())),
        "tokens": _tokens(own.usage),
        "sampled": own.sampled,
        "tried": list(own.optimised.log) if own.optimised is not None else None,
    }


def judged_markdown(found: Mapping[str, Any]) -> str:
    """Tell the object of `judged_json` as a page; texts of others stand as code."""
    lines = [f"# {_code(found['recipe'])}", "", *_summary(found)]
    lines += [
        "",
        "## Asked",
        "",
        *_table(("what", "calls", "replies", "missing", "tokens in", "tokens out"), _asks(found)),
    ]
    lines += _problems(found["problems"])
    built = found["built"]
    if built is not None:
        lines += _scores(built) + _order(built) + _position(built)
        lines += ["", f"Tied pairs left: {', '.join(f'{view} {n}' for view, n in built['ties_left'].items())}."]
        lines += _problems(built["problems"], "The run")
    return "\n".join([*lines, *_missing(found["missing"])]) + "\n"


def _summary(found: Mapping[str, Any]) -> list[str]:
    reports = found["reports"]
    state = "complete" if found["complete"] else "PARTIAL: what is missing is listed below and is nowhere 0"
    lines = [f"- {reports['judged']} of {reports['of']} reports; {state}."]
    for name, judge in found["judges"].items():
        answered = ", ".join(map(_code, judge["answered_as"])) or "nobody"
        lines.append(f"- Judge {_code(name)}: {_code(judge['model'])}, answered as {answered}.")
    lines.append(f"- Temperature {found['temperature']}, seed {found['seed']}.")
    tokens, money = found["tokens"], found["money"]
    about = " (estimated in part)" if tokens["estimated"] else ""
    cost = "" if money is None else f", {money:.4g} at the price given"
    lines.append(f"- All replies used: {tokens['prompt']} tokens in, {tokens['completion']} out{about}{cost}.")
    now = found.get("this_time")
    if now is not None:
        lines.append(f"- This time: {now['seconds']} s, {now['calls']} calls; {now['from_disk']} replies from disk.")
    if found["stopped"] is not None:
        lines.append(f"- Stopped: {_code(found['stopped']['words'])}. The same command goes on from here.")
    if found["not_offered"]:
        lines.append(f"- The endpoint does not offer: {', '.join(found['not_offered'])}.")
    return lines


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
    stages = [stage for stage in built["stages"] if stage["scores"]]
    if not stages:
        return []
    views = list(dict.fromkeys(view for stage in stages for view in stage["scores"]))
    rows = []
    for stage in stages:
        for measure in MEASURES:
            cells = [_number(stage["scores"].get(view, {}).get(measure, {}).get("mean")) for view in views]
            rows.append([_code(stage["name"]) + (" (held out)" if stage["learned"] else ""), measure, *cells])
    return ["", "## Agreement with the labels", "", *_table(("step", "measure", *views), rows)]


def _order(built: Mapping[str, Any]) -> list[str]:
    rows = [
        [_code(name), effect["dimension"], str(effect["answers"]), _number(effect["shift"]), _number(effect["both"])]
        for name, own in built["order_effects"].items()
        for effect in own
        if effect["criterion"] is None
    ]
    head = ("asked", "dimension", "answers", "reversed less original", "variance of order and noise")
    return ["", "## Order of the criteria", "", *_table(head, rows)] if rows else []


def _position(built: Mapping[str, Any]) -> list[str]:
    rows = []
    for name, own in built["position_bias"].items():
        for bias in own:
            who = " ".join(part for part in (bias["judge"], bias["dimension"]) if part) or "all"
            shares = [_share(bias[key]) for key in ("consistent", "flips", "first_share")]
            rows.append([_code(name), _code(who), str(bias["complete"]), *shares, _number(bias["p_questions"])])
    head = ("asked", "of", "pairs in both orders", "agree", "flip", "first place wins", "p")
    return ["", "## Which report stood first", "", *_table(head, rows)] if rows else []


def _missing(missing: Sequence[Mapping[str, Any]]) -> list[str]:
    if not missing:
        return []
    rows = [[_code(" / ".join(own["place"])), own["kind"], _code(own["words"])] for own in missing[:_MOST_SHOWN]]
    more = [f"\n{len(missing) - _MOST_SHOWN} more are in report.json."] if len(missing) > _MOST_SHOWN else []
    return ["", "## Missing", "", *_table(("call", "reason", "in words"), rows), *more]


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
