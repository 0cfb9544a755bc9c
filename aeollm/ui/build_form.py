"""The list of steps as a form: every step with its few options, all reached by keyboard."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from aeollm.recipes import STEPS, Option, Step, Value
from aeollm.reporting.html import Html, joined, tag
from aeollm.tables import Labels
from aeollm.ui.build_steps import Bench
from aeollm.ui.build_suggested import learnable
from aeollm.ui.words import both, in_each

_LATER = {
    "pairwise": ("ridge", "anchoring", "strength", "slope", "dimensions"),
    "length": ("untaught",),
    "structure": ("untaught",),
    "rescale": ("untaught",),
}
"""Options that are shown on demand."""
_PART = " » "


def form(bench: Bench, labels: Labels) -> str:
    """Give the list, and what can be added to it; nothing where no judge's output is there."""
    if not bench.handed.inputs:
        return ""
    steps = [_step(bench, labels, number) for number in range(len(bench.steps))]
    kinds = [_choice(f"build_do_{do}", do) for do in _possible(bench, labels)]
    adding = [
        tag("label", Html(both("build_add_which")), " ", _select(kinds, data_kinds="", data_focus=f"{_PART}kinds")),
        _button("add", "build_add"),
        _button("suggest", "build_suggest"),
    ]
    listed = tag("ol", *steps, class_="ae-steps") if steps else tag("p", Html(both("build_no_steps")), class_="ae-note")
    turn = {} if bench.turn is None else {"data_turn": str(bench.turn)}
    head = tag("h2", Html(both("build_steps")), **turn)
    return joined([head, listed, tag("div", *adding, class_="ae-adding")])


def _possible(bench: Bench, labels: Labels) -> Iterable[str]:
    """List the steps that what is there allows."""
    for do, kind in STEPS.items():
        there = bench.before(len(bench.steps), kind.takes)
        several = do in ("judges", "dimensions", "ties")
        lacks = (kind.learns and not learnable(labels)) or (kind.reports and bench.handed.reports is None)
        if len(there) > several and not lacks:
            yield do


def _step(bench: Bench, labels: Labels, number: int) -> Html:
    step = bench.steps[number]
    later = _LATER.get(step.do, ())
    first = [key for key in step.kind.options if key not in later]
    row = _Row(bench, labels, number, step)
    learned = step.kind.learns or step.options.get("anchoring") == "learned"
    badge = tag("span", Html(both("build_learned")), class_="ae-badge") if learned else ""
    title = [tag("strong", Html(both(f"build_do_{step.do}"))), " → ", tag("code", step.name), " ", badge]
    moves = [
        row.act("up", "↑", off=number == 0),
        row.act("down", "↓", off=number == len(bench.steps) - 1),
        row.act("remove", "✕"),
    ]
    head = tag("div", tag("span", *title), tag("span", *moves, class_="ae-moves"), class_="ae-step-head")
    options = tag("div", row.sources(), *(row.option(key) for key in first), class_="ae-options")
    more = ""
    if later:
        inside = tag("div", *(row.option(key) for key in later), class_="ae-options")
        more = tag("details", tag("summary", Html(both("build_more")), data_focus=row.focus("summary")), inside,
                   data_focus=row.focus("more"))  # fmt: skip
    return tag("li", head, options, more, data_step="", data_do=step.do, data_name=step.name)


class _Row:
    """The controls of one step."""

    def __init__(self, bench: Bench, labels: Labels, number: int, step: Step) -> None:
        self.bench = bench
        self.dimensions = labels.run_dimensions
        self.number = number
        self.step = step

    def focus(self, key: str) -> str:
        """Name a control, so that the focus can come back to it."""
        return f"{self.step.name}{_PART}{key}"

    def sources(self) -> Html:
        """Let choose what the step builds on."""
        there = self.bench.before(self.number, self.step.kind.takes)
        if self.step.kind.several:
            return self.checks("from", there, self.step.sources)
        return self.names("from", there, self.step.sources[0])

    def option(self, key: str) -> Html:
        """Let choose one option."""
        option, value = self.step.kind.options[key], self.step.options[key]
        if option.kind == "choice":
            choices = [_choice(f"build_is_{own.replace('-', '_')}", own, chosen=own == value) for own in option.choices]
            return self.labelled(key, _select(choices, data_key=key, data_focus=self.focus(key)))
        if option.kind == "names":
            return self.checks(key, self.dimensions, value if isinstance(value, tuple) else ())
        if option.kind == "word":
            return self.names(key, self.dimensions, str(value))
        if option.kind == "name":
            there = self.bench.before(self.number, "scores")
            return self.names(key, there, None if value is None else str(value), empty=not option.required)
        return self.labelled(key, self.typed(key, option, value))

    def typed(self, key: str, option: Option, value: Value) -> Html:
        """Let type one number, or several."""
        shown = ", ".join(f"{own:g}" for own in value if not isinstance(own, str)) if isinstance(value, tuple) else ""
        if option.kind == "number":
            bounds = {"type": "number", "min": "0", "max": f"{option.within[1]:g}", "step": "any"}
            shown = f"{value:.12g}" if isinstance(value, int | float) else ""
        else:
            bounds = {"type": "text", "placeholder": "2, 1"}
        return _void("input", **bounds, value=shown, data_key=key, data_focus=self.focus(key))

    def names(self, key: str, there: Sequence[str], value: str | None, *, empty: bool = False) -> Html:
        """Let choose one of what is there; what is not there any more stays visible until another is chosen."""
        listed = [*there, *([value] if value and value not in there else [])]
        choices = [tag("option", name, value=name, **_chosen(now=name == value)) for name in listed]
        if empty or not value:
            choices.insert(0, _choice("build_none", "", chosen=not value))
        return self.labelled(key, _select(choices, data_key=key, data_focus=self.focus(key)))

    def checks(self, key: str, there: Sequence[str], chosen: Sequence[object]) -> Html:
        """Let choose several of what is there."""
        listed = [*there, *(str(own) for own in chosen if own and own not in there)]
        boxes = [self.box(key, name, now=name in chosen) for name in listed]
        return tag("fieldset", tag("legend", Html(both(f"build_opt_{key}"))), *boxes)

    def box(self, key: str, name: str, *, now: bool) -> Html:
        """Let choose one of several."""
        named = {"value": name, "data_key": key, "data_focus": self.focus(f"{key}{_PART}{name}")}
        control = _void("input", type="checkbox", **named, **({"checked": ""} if now else {}))
        return tag("label", control, " ", name.replace("_", " "))

    def act(self, kind: str, sign: str, *, off: bool = False) -> Html:
        """Let move or remove the step."""
        named = {
            f"data_label_{tongue}": f"{told}: {self.step.name}" for tongue, told in in_each(f"build_{kind}").items()
        }
        named |= {"aria_label": named["data_label_en"], "data_focus": self.focus(kind), "data_at": str(self.number)}
        state = {"disabled": ""} if off else {}
        return tag("button", sign, type="button", class_="ae-act", data_act=kind, **named, **state)

    def labelled(self, key: str, control: Html) -> Html:
        """Put its name before a control."""
        return tag("label", tag("span", Html(both(f"build_opt_{key}"))), control)


def _select(choices: Sequence[Html], **attributes: str) -> Html:
    return tag("select", *choices, **attributes)


def _choice(key: str, value: str, *, chosen: bool = False) -> Html:
    told = in_each(key)
    return tag("option", told["en"], value=value, data_en=told["en"], data_zh=told["zh"], **_chosen(now=chosen))


def _chosen(*, now: bool) -> dict[str, str]:
    return {"selected": ""} if now else {}


def _void(name: str, **attributes: str) -> Html:
    """Write an element that has no end."""
    return Html(str(tag(name, **attributes)).removesuffix(f"</{name}>"))


def _button(act: str, key: str) -> Html:
    return tag("button", Html(both(key)), type="button", class_="ae-act", data_act=act, data_focus=f"{_PART}{act}")
