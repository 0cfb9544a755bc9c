"""What came of asking judges as a JSON object."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from aeollm.exports.build_json import build_json, plain, refused_build
from aeollm.judging import Price, Usage
from aeollm.judging.messages import WARMER
from aeollm.judging.sampling import SAMPLED
from aeollm.methods import Judged
from aeollm.methods.collecting import Collected
from aeollm.methods.opinions import Masses
from aeollm.methods.optimising import WARM

_WARMER = {"samples": SAMPLED, "revisions": WARM, "again": WARMER}
_ASKED_AGAIN = "The same command asks again for what is missing."


def judged_json(judged: Judged, price: Price, *, timed: bool = True) -> dict[str, Any]:
    """Give the documented JSON object (README, "Run judges").

    ``tokens`` and ``money`` are of all replies used, whenever they were paid for, those that several answers share
    once. Without ``timed`` it leaves out what differs from run to run: time, and what was asked in this one.
    """
    task = judged.task
    counts = {"judged": len(task.material.reports), "of": task.material.whole, "in_run": _in_run(judged)}
    whole: dict[str, Any] = {
        "recipe": task.method.name,
        "complete": judged.complete and judged.whole and _all(counts),
        "whole": judged.whole,
        "reports": counts,
        "judges": {
            name: {"model": task.judges[name].model, "answered_as": _answered(judged, name)}
            for name in task.method.roles
        },
        "temperature": task.method.sampling.temperature,
        "other_temperatures": _other_temperatures(judged),
        "seed": task.method.sampling.seed,
        "asked": [_asked(own) for own in judged.collected],
        "tokens": _tokens(judged.usage),
        "money": _money(judged.usage, price),
        "missing": [
            {"place": list(lost.place), "kind": lost.missing.kind, "words": lost.missing.words}
            for own in judged.collected
            for lost in own.lost
        ],
        "stopped": None if judged.stopped is None else {"kind": judged.stopped.kind, "words": judged.stopped.words},
        "not_offered": sorted(judged.lacking),
        "problems": [problem.to_json() for problem in judged.problems],
        "built": _built(judged),
    }
    if timed:
        spent = judged.spent
        whole["this_time"] = {
            "seconds": round(judged.seconds, 1),
            "calls": spent.calls,
            "from_disk": judged.from_disk,
            "prompt_tokens": spent.usage.prompt,
            "completion_tokens": spent.usage.completion,
            "money": _money(spent.usage, price),
        }
    return whole


def _other_temperatures(judged: Judged) -> dict[str, float]:
    """Give what else replies were asked at, by why: the recipe's temperature does not hold for all of them."""
    others = judged.temperatures - {judged.task.method.sampling.temperature}
    return {why: own for why, own in _WARMER.items() if own in others}


def _in_run(judged: Judged) -> int | None:
    return None if judged.built is None else len(judged.built.run)


def _all(counts: Mapping[str, int | None]) -> bool:
    return counts["judged"] == counts["of"] and counts["in_run"] in (None, counts["of"])


def _built(judged: Judged) -> dict[str, Any] | None:
    """Give what `build --json` gives, where the recipe has steps; what orders and positions did is told in any case."""
    if not judged.task.method.steps:
        return None
    if judged.built is None:
        orders = {name: [plain(effect) for effect in own] for name, own in judged.order_effects.items()}
        positions = {name: [plain(bias) for bias in own] for name, own in judged.position_bias.items()}
        return refused_build(judged.task.method.name, ()) | {"order_effects": orders, "position_bias": positions}
    found = build_json(judged.built)
    for problem in found["problems"]:
        if problem["kind"] == "missing_answers" and not judged.complete:
            # Nobody is to add lines to this run by hand.
            problem["remedy"] = _ASKED_AGAIN
    return found


def _money(usage: Usage, price: Price) -> float | None:
    return price.of(usage) if price != Price() else None


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
        "optimised": None if own.optimised is None else own.optimised.whole,
        "tried": list(own.optimised.log) if own.optimised is not None else None,
        "opinions": None if own.opinions is None else _opinions(own, own.opinions),
    }


def _opinions(own: Collected, found: Masses) -> dict[str, Any]:
    return {
        "file": own.asking.ask.file,
        "targets": [question.name for question in own.asking.questions],
        "rows": found.rows,
        "sources": dict(sorted(found.sources.items())),
        "mass": {"mean": found.whole / found.rows, "least": found.least} if found.rows else None,
        "under_half": found.under_half,
    }
