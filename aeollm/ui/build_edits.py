"""The list of steps as a visitor changes it in the browser, whatever comes from there."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from aeollm.errors import Problem, printable
from aeollm.recipes import REPORTS, STEPS, Option, Step, Value, step_of
from aeollm.tables import Labels
from aeollm.ui.build_steps import Bench
from aeollm.ui.build_suggested import OUTCOMES, free_name, suggested

MOST_STEPS = 12
_LONGEST = 200


def edited(bench: Bench, labels: Labels, data: object) -> Bench:
    """Take the list as it stands in the browser, and carry out what was asked of it; never fails.

    Parameters
    ----------
    data : ``steps``, each with ``do``, ``name``, ``from`` and ``options`` (texts, or lists of them), and ``act``: its
        ``kind`` (add, remove, up, down, suggest), the place ``at``, and what to ``do``; ``turn``, the change's number.
    """
    found = data if isinstance(data, Mapping) else {}
    listed, turn, act = found.get("steps"), found.get("turn"), found.get("act")
    turn = turn if isinstance(turn, int) else None
    act = act if isinstance(act, Mapping) else {}
    change = _ACTS.get(str(act.get("kind")))
    if change is None and turn is not None and bench.turn is not None and turn < bench.turn:
        # Two requests of one page may arrive in the wrong order; the later one had the whole list.
        return bench
    reader = _Reader({step.name: step for step in bench.steps})
    steps = [step for own in (listed if isinstance(listed, list) else [])[:MOST_STEPS] for step in reader.step(own)]
    bench = replace(bench, steps=tuple(steps), problems=tuple(reader.problems), turn=turn)
    at = act.get("at")
    number = at if isinstance(at, int) and 0 <= at < len(steps) else None
    return bench if change is None else change(bench, labels, number, str(act.get("do")))


def _add(bench: Bench, labels: Labels, _: int | None, do: str) -> Bench:
    if do not in STEPS:
        return bench
    if len(bench.steps) >= MOST_STEPS:
        message = f"the page takes {MOST_STEPS} steps."
        return replace(bench, problems=(Problem("error", "too_many_steps", message, "Use `python -m aeollm build`."),))
    kind = STEPS[do]
    there = bench.before(len(bench.steps), kind.takes)
    taken = {name for step in bench.steps for name in step.sources}
    fresh = [name for name in there if name not in taken] or list(there)
    last = there[-1:] if kind.takes == "scores" else tuple(fresh[:1])
    sources = there if kind.several else last
    others = [name for name in bench.before(len(bench.steps), "scores") if name not in sources]
    options: dict[str, Value] = {}
    for key, option in kind.options.items():
        if option.kind == "name" and others:
            options[key] = others[-1]
        if key == "dimensions" and option.required:
            options[key] = labels.run_dimensions[-1:]
    if do == "pairwise" and others:
        options["scale"] = "anchors"
    name = free_name(do, {*bench.handed.inputs, REPORTS, *(step.name for step in bench.steps)})
    return replace(bench, steps=(*bench.steps, step_of(do, tuple(sources) or ("",), name=name, **options)))


def _remove(bench: Bench, _: Labels, number: int | None, __: str) -> Bench:
    """Remove a step; what built on it builds on what it had built on."""
    if number is None:
        return bench
    gone = bench.steps[number]
    instead = gone.scores[0] if gone.scores else None
    rest = (step for place, step in enumerate(bench.steps) if place != number)
    return replace(bench, steps=tuple(_without(step, gone.name, instead) for step in rest))


def _without(step: Step, gone: str, instead: str | None) -> Step:
    sources = tuple(dict.fromkeys(s for name in step.sources if (s := instead if name == gone else name) is not None))
    options = {
        key: instead if step.kind.options[key].kind == "name" and value == gone else value
        for key, value in step.options.items()
    }
    return replace(step, sources=sources or ("",), options=options)


def _move(by: int) -> Callable[[Bench, Labels, int | None, str], Bench]:
    def moved(bench: Bench, _: Labels, number: int | None, __: str) -> Bench:
        if number is None or not 0 <= number + by < len(bench.steps):
            return bench
        steps = list(bench.steps)
        steps.insert(number + by, steps.pop(number))
        return replace(bench, steps=tuple(steps))

    return moved


def _suggest(bench: Bench, labels: Labels, _: int | None, __: str) -> Bench:
    return replace(bench, steps=suggested(bench.handed, labels), problems=())


_ACTS: Mapping[str, Callable[[Bench, Labels, int | None, str], Bench]] = {
    "add": _add,
    "remove": _remove,
    "up": _move(-1),
    "down": _move(1),
    "suggest": _suggest,
}


@dataclass
class _Reader:
    """Reads the steps that a browser sends; what does not fit stays as it was, and that is told."""

    before: Mapping[str, Step]
    problems: list[Problem] = field(default_factory=list)

    def step(self, found: object) -> list[Step]:
        """Read one step; none where it is none."""
        found = found if isinstance(found, Mapping) else {}
        do, own = str(found.get("do")), found.get("options")
        if do not in STEPS:
            return []
        name = _text(found.get("name")) or OUTCOMES[do]
        before = self.before.get(name)
        known = before.options if before is not None and before.do == do else step_of(do, ("",)).options
        given = own if isinstance(own, Mapping) else {}
        options = {
            key: self.value(name, key, option, given.get(key), known[key]) for key, option in STEPS[do].options.items()
        }
        sources = tuple(dict.fromkeys(_texts(found.get("from"))))
        return [Step(do, name, (sources if STEPS[do].several else sources[:1]) or ("",), options)]

    def value(self, step: str, key: str, option: Option, given: object, before: Value) -> Value:
        """Read one option."""
        if given is None:
            return before
        read = _READ[option.kind](given, option)
        if read is None and option.kind != "name":
            message = f"{printable(step)}: {key} cannot be {printable(str(given), 40)!r}; it stays as it was."
            self.problems.append(Problem("warning", "option", message, f"Write {_form(option)}.", column=key))
            return before
        return read


def _form(option: Option) -> str:
    return "numbers from 0, with commas between" if option.kind == "numbers" else option.form


def _text(given: object) -> str:
    return given[:_LONGEST] if isinstance(given, str) else ""


def _texts(given: object) -> tuple[str, ...]:
    return tuple(_text(own) for own in given if _text(own)) if isinstance(given, list) else ()


def _choice(given: object, option: Option) -> Value:
    return given if isinstance(given, str) and given in option.choices else None


def _number(given: object, option: Option) -> float | None:
    try:
        number = float(_text(given))
    except ValueError:
        return None
    return number if option.takes(number) else None


def _numbers(given: object, option: Option) -> tuple[float, ...] | None:
    parts = [part for part in re.split(r"[,;\s]+", _text(given)) if part]
    read = tuple(number for part in parts if (number := _number(part, option)) is not None)
    return read if len(read) == len(parts) else None


_READ: Mapping[str, Callable[[object, Option], Value]] = {
    "choice": _choice,
    "number": _number,
    "numbers": _numbers,
    "name": lambda given, _: _text(given) or None,
    "names": lambda given, _: _texts(given),
    "word": lambda given, _: _text(given) or None,
}
